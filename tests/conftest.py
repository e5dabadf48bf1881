"""What holds for all tests: properties do not fail on a busy machine; which tests are slow, and begin first."""

from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.configuration import load_config

# How long an example takes depends on the machine's load, not only on the code. The examples of a test are always the
# same, so that it fails where the code is wrong, and not now and then; `--hypothesis-profile=explore` looks for more,
# and for others.
settings.register_profile(
    "explore", deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
settings.register_profile("bibld", settings.get_profile("explore"), derandomize=True, max_examples=40)
settings.load_profile("bibld")

# What `make test-all` adds, the longest files first: they begin in this order, since a process that began one of them
# at the end would work alone. Those of Spark alternate with others, so that seldom two of them run at once.
SLOW = (
    "spark/test_run.py",
    "end_to_end/test_kill.py",
    "spark/test_cases.py",
    "end_to_end/test_browser.py",
    "end_to_end/test_spark_cluster.py",
    "spark/test_reading.py",
    "harvest/test_zebra.py",
    "end_to_end/test_full_disk.py",
    "spark/test_data.py",
    "end_to_end/test_month_of_harvests.py",
    "dedup/test_comparison.py",
    "end_to_end/test_real_files.py",
    "read/test_parts.py",
    "docs/test_transcripts.py",
    "docs/test_examples.py",
    "serve/test_processes.py",
    "publish/test_killed.py",
    "publish/test_succession.py",
    "publish/test_documents.py",
    "catalog/test_backup.py",
    "catalog/test_upgrade.py",
    "catalog/test_check.py",
    "cli/test_workspace.py",
    "plugins",
    "publish/test_parts.py",
    "api/test_how_to.py",
    "validate/test_agreement.py",
    "ingest/test_versions.py",
    "benchmarks/test_scripts.py",
    "end_to_end",
    "catalog/test_processing.py",
    "operation",
    "spark",
    "store/test_real_stores.py",
    "enrich/test_real_files.py",
    "serve/test_clients.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of these folders and files as slow, and put them first, the longest before the others."""
    root = Path(__file__).parent

    def place(item: pytest.Item) -> int:
        path = item.path.relative_to(root).as_posix()
        found = (number for number, name in enumerate(SLOW) if path == name or path.startswith(f"{name}/"))
        return next(found, len(SLOW))

    for item in items:
        if place(item) < len(SLOW):
            item.add_marker(pytest.mark.slow)
    items.sort(key=place)


@pytest.fixture
def configured(tmp_path):
    """Load a configuration in the folder of the test: ``configured(text, source_id="path")``."""
    return partial(load_config, tmp_path)
