"""Moving a workspace between the engines: the same rows and quads, and nothing is copied twice."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path

import msgspec
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from bibld import config, pipeline, progress, triplify
from bibld.catalog import Catalog, PersonVerdict, Verdicts
from bibld.catalog.exchange import TABLES, Row, export_of
from bibld.config import Config
from bibld.errors import CatalogError, StageError
from bibld.model.iris import Iris
from bibld.model.linkage import Pair
from bibld.progress import Silent
from bibld.spark import conversion as writing
from bibld.spark._frames import SCHEMAS
from bibld.spark._tables import FolderStorage, Storage, Tables
from bibld.spark.conversion import write_tables, write_workspace
from tests.end_to_end.conftest import CLOCK, sample_in

LATER = (CLOCK + timedelta(days=1)).isoformat()


@pytest.fixture(scope="module")
def intact(tmp_path_factory: pytest.TempPathFactory) -> Config:
    loaded = sample_in(tmp_path_factory.mktemp("intact"))
    pipeline.run(loaded, CLOCK, progress.Silent())
    return loaded


@pytest.fixture
def sample(intact: Config, tmp_path: Path) -> Config:
    shutil.copytree(intact.folder.parent, tmp_path / "copy")
    return config.load(tmp_path / "copy" / "sample" / "bibld.toml")


@pytest.fixture
def folder(tmp_path: Path) -> FolderStorage:
    return FolderStorage(tmp_path / "tables of a workspace")


def to_tables(loaded: Config, storage: Storage | FolderStorage, spark: SparkSession | None = None) -> Tables:
    tables = Tables(spark, storage)
    with Catalog(loaded.workspace) as catalog:
        write_tables(catalog, tables, LATER, Silent())
    return tables


def rows_of(loaded: Config) -> dict[str, list[Row]]:
    with Catalog(loaded.workspace, read_only=True) as catalog:
        export = export_of(catalog)
        return {
            name: sorted((row for keys in export.portions(name, 1000) for row in export.rows(name, *keys)), key=repr)
            for name in TABLES
        }


def quads_of(loaded: Config) -> list[str]:
    with Catalog(loaded.workspace, read_only=True) as catalog:
        return sorted(triplify.catalog_quads(catalog, Iris(loaded.dataset.base), ()))


def test_the_tables_of_the_exchange_have_the_columns_of_the_schemas() -> None:
    assert {name: list(table.columns) for name, table in TABLES.items()} == {
        name: SCHEMAS[name].names for name in TABLES
    }


def test_a_workspace_moved_to_tables_and_back_has_the_same_rows_and_quads(
    sample: Config, folder: FolderStorage, tmp_path: Path
) -> None:
    tables = to_tables(sample, folder)
    assert tables.committed.number == 1 and tables.rows("records") == 289
    moved = msgspec.structs.replace(sample, workspace=tmp_path / "moved")
    assert write_workspace(Tables(None, folder), moved, Silent()) == 1
    before, after = rows_of(sample), rows_of(moved)
    assert [name for name in TABLES if before[name] != after[name]] == []
    assert quads_of(moved) == quads_of(sample)
    summary = pipeline.run(moved, CLOCK + timedelta(days=2), Silent())
    assert [one.stage for one in summary.stages if not one.was_current] == ["read", "store", "publish"]
    assert not (moved.workspace / "converting").exists()


def test_spark_reads_the_tables_and_its_storage_gives_them_back(
    sample: Config, spark: SparkSession, tmp_path: Path
) -> None:
    storage = Storage(spark, str(tmp_path / "storage"))
    tables = to_tables(sample, storage, spark)
    expected = rows_of(sample)
    assert {name: tables.read(name).count() for name in TABLES} == {name: len(rows) for name, rows in expected.items()}
    members = [tuple(row) for row in tables.before("members").orderBy("ordinal").collect()]
    assert members == sorted(expected["members"])
    first = tables.read("records").orderBy("ordinal").first()
    assert first is not None and bytes(first["original"]) == expected["records"][0][11]
    moved = msgspec.structs.replace(sample, workspace=tmp_path / "moved")
    write_workspace(Tables(spark, storage), moved, Silent())
    assert quads_of(moved) == quads_of(sample)


def test_tables_of_the_same_rows_are_not_committed_twice(sample: Config, folder: FolderStorage) -> None:
    to_tables(sample, folder)
    assert to_tables(sample, folder).committed.number == 1
    with Verdicts(sample.workspace) as verdicts, verdicts.transaction():
        verdicts.add([PersonVerdict(verdicts.pair((1, 2)), "different", "me")], LATER)
    tables = to_tables(sample, folder)
    assert tables.committed.number == 2 and tables.rows("register_verdict") == 1


def test_an_interrupted_conversion_continues_with_the_next_file(
    sample: Config, folder: FolderStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "_KEYS_OF_FILE", 100)
    uploaded: list[str] = []
    upload = folder.upload

    def upload_some(local: Path, name: str) -> None:
        if len(uploaded) == 12:
            raise StageError("the disk is full")
        uploaded.append(name)
        upload(local, name)

    monkeypatch.setattr(folder, "upload", upload_some)
    with pytest.raises(StageError, match="the disk is full"):
        to_tables(sample, folder)
    assert Tables(None, folder).committed.number == 0
    before = list(uploaded)
    uploaded.clear()
    monkeypatch.setattr(folder, "upload", lambda local, name: (uploaded.append(name), upload(local, name)))
    tables = to_tables(sample, folder)
    assert tables.committed.number == 1 and not set(before) & set(uploaded)
    version = tables.version("records")
    parts = [name for name in folder.names(f"tables/records/{version}") if name.endswith(".parquet")]
    assert [name.split("-")[2] for name in parts] == ["99.parquet", "100.parquet", "90.parquet"]


def test_an_interrupted_restoration_continues_with_the_next_portion(
    sample: Config, folder: FolderStorage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    to_tables(sample, folder)
    moved = msgspec.structs.replace(sample, workspace=tmp_path / "moved")
    downloaded: list[str] = []
    download = folder.download

    def download_some(name: str, local: Path) -> None:
        if name.startswith("tables/statements/"):
            raise StageError("the network is down")
        downloaded.append(name)
        download(name, local)

    monkeypatch.setattr(folder, "download", download_some)
    with pytest.raises(StageError, match="the network is down"):
        write_workspace(Tables(None, folder), moved, Silent())
    assert not (moved.workspace / "catalog.db").exists()
    before = list(downloaded)
    downloaded.clear()
    monkeypatch.setattr(folder, "download", lambda name, local: (downloaded.append(name), download(name, local)))
    write_workspace(Tables(None, folder), moved, Silent())
    assert before and not set(before) & set(downloaded)
    assert quads_of(moved) == quads_of(sample)


def test_verdicts_given_since_the_tables_were_written_are_kept(sample: Config, folder: FolderStorage) -> None:
    to_tables(sample, folder)
    with Catalog(sample.workspace, read_only=True) as catalog:
        cluster = catalog.linkage.cluster(next(catalog.linkage.founders(least=2)))
    pair = Pair.from_records(*cluster.members[:2])
    with Verdicts(sample.workspace) as verdicts, verdicts.transaction():
        verdicts.add([PersonVerdict(pair, "different", "me")], LATER)
    write_workspace(Tables(None, folder), sample, Silent())
    pipeline.run(sample, CLOCK + timedelta(days=2), Silent())
    with Catalog(sample.workspace, read_only=True) as catalog:
        assert catalog.cluster_of(pair.left) != catalog.cluster_of(pair.right)


def test_files_of_tables_are_parquet_with_zstd(sample: Config, folder: FolderStorage, tmp_path: Path) -> None:
    tables = to_tables(sample, folder)
    (name,) = [file for file in folder.names(f"tables/edges/{tables.version('edges')}") if file != "manifest.json"]
    folder.download(f"tables/edges/{tables.version('edges')}/{name}", tmp_path / "edges.parquet")
    described = pq.read_metadata(tmp_path / "edges.parquet")
    assert described.row_group(0).column(0).compression == "ZSTD"


def test_without_a_committed_run_there_is_nothing_to_move(sample: Config, folder: FolderStorage) -> None:
    with pytest.raises(StageError, match=r"contains no complete run; run `bibld run CONFIG --engine spark` first"):
        write_workspace(Tables(None, folder), sample, Silent())


def test_a_workspace_in_use_is_not_replaced(sample: Config, folder: FolderStorage) -> None:
    to_tables(sample, folder)
    with Catalog(sample.workspace), pytest.raises(CatalogError, match="in use by another run"):
        write_workspace(Tables(None, folder), sample, Silent())
