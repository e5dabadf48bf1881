"""What holds for all tests: properties do not fail on a busy machine, and configurations begin with the same lines."""

from functools import partial

import pytest
from hypothesis import HealthCheck, settings

from tests.configuration import load_config

# How long an example takes depends on the machine's load, not only on the code.
settings.register_profile(
    "bibld", deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
settings.load_profile("bibld")


@pytest.fixture
def configured(tmp_path):
    """Load a configuration in the folder of the test: ``configured(text, source_id="path")``."""
    return partial(load_config, tmp_path)
