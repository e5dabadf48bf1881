"""The releases in the storage of Spark are listed without Spark if that is a folder of this machine."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bibld
from bibld.catalog.engines import note_run_on_spark
from bibld.errors import StageError
from bibld.model.release import DatasetDescription, Figures, Manifest
from bibld.spark._tables import FolderStorage, Tables


@pytest.fixture
def workspace(tmp_path: Path) -> bibld.Workspace:
    """A workspace whose last run on Spark published release 3; the next one was stopped with release 4 complete."""
    opened = bibld.Workspace(bibld.write_sample(tmp_path / "sample"))
    folder = opened.config.workspace / "spark"
    for number in (2, 3, 4):
        release = folder / "releases" / str(number)
        release.mkdir(parents=True)
        created = f"2026-01-0{number}T00:00:00Z"
        dataset = DatasetDescription("http://localhost:8000/", {"en": "Sample"}, "http://localhost/", "nobody")
        manifest = Manifest(number, created, "", dataset, Figures((), 9, 8, 1, 1, 90, 5), ())
        (release / "manifest.json").write_bytes(msgspec.json.encode(manifest))
    (folder / "releases" / "1").mkdir()  # what is left of a release that was removed
    tables = Tables(None, FolderStorage(folder))
    file = folder / "tables" / "released" / "v" / "part-0.parquet"
    file.parent.mkdir(parents=True)
    pq.write_table(pa.table({"number": [3], "made_by": ["v"]}), file)
    tables.adopt("released", "v", 1)
    note_run_on_spark(opened.config.workspace, tables.commit())
    return opened


def test_releases_of_committed_runs_are_listed(workspace: bibld.Workspace) -> None:
    found = [(one.release, one.engine, one.is_current, one.records, one.quads) for one in workspace.releases()]
    assert found == [(2, "spark", False, 9, 90), (3, "spark", True, 9, 90)]
    assert len(workspace.releases("spark")) == 2
    assert len(workspace.releases("local")) == 0


def test_a_release_of_another_version_is_named(workspace: bibld.Workspace) -> None:
    (workspace.config.workspace / "spark" / "releases" / "2" / "manifest.json").write_text("{}")
    with pytest.raises(StageError, match=r"releases/2/manifest\.json: is not a release of this version of bibld"):
        workspace.releases()


def test_before_the_first_release_there_are_none(workspace: bibld.Workspace) -> None:
    shutil.rmtree(workspace.config.workspace / "spark")
    assert len(workspace.releases()) == 0
