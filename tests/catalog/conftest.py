"""The sample, run once for the tests of a workspace, copies of it that tests may damage, and small catalogs."""

import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from bibld import cli, config, pipeline, progress
from bibld.catalog import Catalog, NewRecord
from bibld.config import Config
from bibld.model.mods import Mods, Note, TitleInfo
from bibld.model.origin import Origin, RecordId
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


def new(number, title="Title", source="rsl", **changes):
    data = f"{source}{number}{title}".encode()
    record = NewRecord(
        id=RecordId(source, number),
        origin=Origin(source, "a.mrc", 1, 0),
        original=data,
        carrier=1 if source == "rsl" else 2,
        made_by=data,
        flavour="marc21",
        mods=msgspec.json.encode(Mods(title_info=(TitleInfo(title),), note=(Note(value="private"),))),
        unmapped=(),
        private=(),
        warnings=(),
        deleted=False,
    )
    return msgspec.structs.replace(record, **changes)


@pytest.fixture
def catalog(tmp_path):
    with Catalog(tmp_path) as opened:
        with opened.commit():
            opened.records.add_carrier("rsl", "a.mrc", "iso2709", b"{}")
            opened.records.add_carrier("loc", "b.mrc", "iso2709", b"{}")
        yield opened


def put(catalog, *records, run=1):
    with catalog.commit():
        return catalog.records.put(records, run)
