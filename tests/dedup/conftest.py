"""The sample, loaded and matched by the paper's method."""

import shutil
from datetime import UTC, datetime

import pytest

from bibld import config, pipeline, progress
from bibld.serve import ontology as resources

CLOCK = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="session")
def _loaded_sample(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dedup") / "sample"
    shutil.copytree(resources.folder("sample_data"), folder)
    text = (folder / "bibld.toml").read_text(encoding="utf-8").replace('"../build/sample"', '"work"')
    text += '[dedup]\nblock = ["paper"]\nscore = "jaccard"\n[dedup.jaccard]\nsame = 0.8\n'
    (folder / "bibld.toml").write_text(text, encoding="utf-8")
    pipeline.run(config.load(folder / "bibld.toml"), CLOCK, progress.Silent(), until="dedup")
    return folder


@pytest.fixture
def sample(_loaded_sample, tmp_path):
    """A folder of one's own with the sample after dedup, and its configuration."""
    shutil.copytree(_loaded_sample, tmp_path / "sample")
    return tmp_path / "sample" / "bibld.toml"
