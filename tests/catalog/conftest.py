"""The sample, run once for the tests of a workspace, and copies of it that tests may damage."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from bibld import cli, config, pipeline, progress
from bibld.config import Config
from tests.end_to_end.conftest import CLOCK, sample_in


@pytest.fixture(scope="package")
def intact(tmp_path_factory: pytest.TempPathFactory) -> Config:
    loaded = sample_in(tmp_path_factory.mktemp("intact"))
    pipeline.run(loaded, CLOCK, progress.Silent())
    return loaded


@pytest.fixture
def copy(intact: Config, tmp_path: Path) -> Config:
    shutil.copytree(intact.folder.parent, tmp_path / "copy")
    return config.load(tmp_path / "copy" / "sample" / "bibld.toml")


@pytest.fixture
def invoke() -> Callable[..., Result]:
    def run(*words: object) -> Result:
        return CliRunner().invoke(cli.command_line, [str(word) for word in words])

    return run
