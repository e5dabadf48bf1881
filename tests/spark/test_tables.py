"""The tables of a storage: versions, commits, and what is swept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from bibld.errors import StageError
from bibld.spark._frames import SCHEMAS, spark_schema
from bibld.spark._tables import RunSummary, Storage, Tables


def members(spark: SparkSession, *rows: tuple[int, int]) -> DataFrame:
    return spark.createDataFrame(list(rows), spark_schema("members"))


def content(frame: DataFrame) -> list[tuple[int, int]]:
    return sorted((row.ordinal, row.founder) for row in frame.collect())


def reopened(tables: Tables, spark: SparkSession) -> Tables:
    return Tables(spark, Storage(spark, tables.storage.root))


def test_a_version_that_was_written_is_only_read(tables: Tables, spark: SparkSession) -> None:
    assert tables.read("members").count() == 0
    assert tables.version("members") == ""
    written = tables.write("members", "v1", members(spark, (2, 1), (3, 1)), sort=["ordinal"])
    assert content(written) == [(2, 1), (3, 1)]
    assert tables.rows("members") == 2
    again = reopened(tables, spark)
    assert again.is_complete("members", "v1")
    assert content(again.write("members", "v1", members(spark, (9, 9)))) == [(2, 1), (3, 1)]


def test_a_version_without_its_manifest_is_written_again(tables: Tables, spark: SparkSession) -> None:
    tables.write("members", "v1", members(spark, (2, 1)))
    tables.storage.delete("tables/members/v1/manifest.json")
    assert not tables.is_complete("members", "v1")
    assert content(tables.write("members", "v1", members(spark, (5, 4)))) == [(5, 4)]


def test_rows_of_the_driver_are_read_as_those_of_spark(tables: Tables, spark: SparkSession) -> None:
    row = (1, "v", ["tables"], "s", True, [], ["a line", ""], ["<ж>"])
    tables.storage.write("tables/released/v1/part-1.parquet", b"left by a run that was stopped")
    assert [tuple(found) for found in tables.write_rows("released", "v1", [row]).collect()] == [row]
    assert tables.rows("released") == 1
    body = [(3, "made for", bytes(range(256)))]
    assert [tuple(found) for found in tables.write_rows("statistics", "v1", body).collect()] == body
    assert tables.write_rows("members", "v1", []).count() == 0
    again = reopened(tables, spark)
    assert content(again.write_rows("members", "v1", [(9, 9)])) == [], "a complete version is only read"


def test_a_run_is_what_was_committed(tables: Tables, spark: SparkSession) -> None:
    tables.write("members", "v1", members(spark, (2, 1)))
    assert reopened(tables, spark).read("members").count() == 0, "nothing is committed yet"
    assert tables.commit(RunSummary({"merge": "m1"}), "2026-01-01") == 1
    second = reopened(tables, spark)
    assert second.number == 2
    assert second.committed.summary == RunSummary({"merge": "m1"})
    second.write("members", "v2", members(spark, (2, 1), (3, 1)))
    assert content(second.before("members")) == [(2, 1)]
    assert content(second.read("members")) == [(2, 1), (3, 1)]
    second.write("merged", "m1", second.read("merged"))
    second.commit()
    third = reopened(tables, spark)
    assert third.version("members") == "v2"
    third.commit()
    assert reopened(tables, spark).version("merged") == "m1", "a table that a run did not write stays"


def test_sweep_deletes_what_no_run_needs(tables: Tables, spark: SparkSession) -> None:
    for version in ("v1", "v2", "v3"):
        tables.write("members", version, members(spark, (2, 1)))
        tables.commit()
    tables.storage.write("tables/members/stopped/part-0.parquet", b"PAR1")
    tables.write("members", "v4", members(spark, (2, 1)))
    tables.sweep()
    assert tables.storage.names("tables/members") == ["v2", "v3", "v4"]


def test_versions_depend_on_their_inputs(tables: Tables, spark: SparkSession) -> None:
    before = tables.made_by("settings", inputs=["members"])
    assert before == tables.made_by("settings", inputs=["members"])
    assert before != tables.made_by("other settings", inputs=["members"])
    tables.write("members", "v1", members(spark, (2, 1)))
    assert before != tables.made_by("settings", inputs=["members"])


def test_the_columns_are_those_of_the_schema(tables: Tables, spark: SparkSession) -> None:
    swapped = members(spark, (2, 1)).select("founder", "ordinal")
    assert content(tables.write("members", "v1", swapped)) == [(2, 1)]
    manifest = json.loads(tables.storage.read("tables/members/v1/manifest.json"))
    assert manifest["columns"] == SCHEMAS["members"].names
    tables.storage.write("tables/members/v1/manifest.json", json.dumps(manifest | {"columns": ["ordinal"]}).encode())
    with pytest.raises(StageError, match="another version of bibld; delete this folder"):
        tables.use("members", "v1")


def test_storage_in_a_folder_with_special_characters(spark: SparkSession, tmp_path: Path) -> None:
    storage = Storage(spark, str(tmp_path / "a b [1] {x} ? ж"))
    storage.write("one.json", b"1")
    storage.write("one.json", bytes(range(256)))
    assert storage.read("one.json") == bytes(range(256))
    assert storage.names() == ["one.json"]
    tables = Tables(spark, storage)
    tables.write("members", "v1", members(spark, (2, 1)))
    tables.commit()
    assert content(tables.before("members")) == [(2, 1)]
    storage.delete("one.json")
    assert not storage.exists("one.json")
    with pytest.raises(StageError, match=r"one\.json: cannot be read: .*FileNotFoundException"):
        storage.read("one.json")


def test_an_unknown_file_system_is_reported(spark: SparkSession) -> None:
    with pytest.raises(StageError, match=r"nosuch://x: cannot be opened: .*No FileSystem for scheme"):
        Storage(spark, "nosuch://x")
