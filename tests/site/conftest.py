"""The site to test: that of the sample, or another one that ``BIBLD_TEST_SITE=https://…`` names."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from bibld import pipeline, progress
from tests.end_to_end.conftest import CLOCK, sample_in
from tests.end_to_end.serving import serving
from tests.site.site import Site


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    named = os.environ.get("BIBLD_TEST_SITE")
    if named:
        yield Site(named, is_sample=False)
        return
    sample = sample_in(tmp_path_factory.mktemp("site"))
    pipeline.run(sample, CLOCK, progress.Silent())
    with serving(sample.file) as address:
        yield Site(address, is_sample=True)
