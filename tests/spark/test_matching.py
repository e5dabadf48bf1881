"""Matching on Spark gives the tables of matching on one machine: in a first run, in updates, with few and many records
of a key."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from bibld import pipeline, progress
from bibld.catalog import Catalog, PersonVerdict, Verdicts
from bibld.config import Config, load
from bibld.errors import StageError
from bibld.spark._convert.to_tables import write_tables
from bibld.spark._engine import Engine
from bibld.spark._folder import FolderStorage
from bibld.spark._matching import _clusters, match_records
from bibld.spark._tables import Tables
from tests.configuration import load_config
from tests.end_to_end.conftest import CLOCK, sample_in

INPUTS = (
    "records",
    "active_suppression",
    "register_ordinal",
    "register_verdict",
    "register_verdict_change",
)
RESULTS = ("edges", "members", "register_redirect", "register_event", "matching", "statistics")


class Reported(progress.Silent):
    def __init__(self) -> None:
        self.messages: list[str] = []

    def report(self, message: str) -> None:
        self.messages.append(message)


class BothEngines:
    """The same records matched on one machine and on Spark, run after run."""

    def __init__(self, config: Config, spark: SparkSession, folder: Path) -> None:
        self.config = config
        self.spark = spark
        self.folder = folder
        self.number = 0
        self.messages: list[str] = []
        self.reported: list[str] = []

    def run(self, **options: Any) -> dict[str, list[tuple[Any, ...]]]:
        """Run both, assert that their tables are equal, and return those of one machine."""
        self.number += 1
        time = CLOCK + timedelta(days=self.number)
        local = Reported()
        pipeline.run(self.config, time, local, until="triplify", **options)
        self.messages = [message for message in local.messages if message.startswith("dedup: ")]
        self.exported = Tables(self.spark, FolderStorage(self.folder / f"exported-{self.number}"))
        with Catalog(self.config.workspace) as catalog:
            write_tables(catalog, self.exported, time.isoformat(), progress.Silent())
        expected = {name: rows_of(self.exported, name) for name in RESULTS}
        assert self.match(**options) > 200
        for name in RESULTS:
            assert rows_of(self.tables, name) == expected[name], name
        return expected

    def match(self, **options: Any) -> int:
        """Match the last records on Spark, as a separate run; return how many were matched."""
        reports = Reported()
        time = CLOCK + timedelta(days=self.number)
        engine = Engine(self.spark, self.config, time, reports, pipeline.RunOptions(**options))
        for name in INPUTS:
            engine.tables.write(name, self.exported.version(name), self.exported.read(name))
        matched = match_records(engine)
        engine.tables.commit()
        self.tables = engine.tables
        self.reported = [message for message in reports.messages if message.startswith("dedup: ")]
        return matched


def rows_of(tables: Tables, name: str) -> list[tuple[Any, ...]]:
    rows = (tuple(bytes(v) if isinstance(v, bytearray) else v for v in row) for row in tables.read(name).collect())
    return sorted(rows, key=repr)


@pytest.fixture
def sample(tmp_path: Path, spark: SparkSession) -> BothEngines:
    file = sample_in(tmp_path).file
    # Few records of a key and few of a cluster: oversized keys of all levels, and components that are cut.
    with file.open("a", encoding="utf-8") as out:
        out.write("[dedup]\nlargest_cluster = 2\n[dedup.identifier]\nlargest_bucket = 2\n")
        out.write("[dedup.composite]\nlargest_bucket = 3\n")
    return BothEngines(load(file), spark, tmp_path)


def keep_records(config: Config, first: int, last: int | None) -> None:
    """Write the file of one source again, with some of its records."""
    file = config.folder / "nlr.iso"
    complete = file.with_suffix(".all")
    if not complete.exists():
        shutil.copy(file, complete)
    records = complete.read_bytes().split(b"\x1d")[:-1]
    file.write_bytes(b"".join(record + b"\x1d" for record in records[first:last]))


def repeat_record(config: Config, count: int) -> None:
    """Add copies, with other control numbers, of a record with an ISBN to the file of one source."""
    file = config.folder / "slavica.xml"
    text = file.read_text(encoding="utf-8")
    records = [piece.split("</record>")[0] for piece in text.split("<record ")[1:]]
    record = next(one for one in records if 'tag="020"' in one)
    number = record.split('tag="001">')[1].split("<")[0]
    copies = ("<record " + record.replace(number, f"copy{place}", 1) + "</record>" for place in range(count))
    file.write_text(text.replace("</collection>", "".join(copies) + "</collection>"), encoding="utf-8")


def members_of(config: Config, place: int) -> list[int]:
    """Return the members of a cluster of two or more, by its place among these."""
    with Catalog(config.workspace, read_only=True) as catalog:
        return catalog.linkage.members(list(catalog.linkage.founders(least=2))[place])


def decide(config: Config, decision: Literal["same", "different", "related"], one: int, other: int) -> None:
    """Give a verdict about two records."""
    with Verdicts(config.workspace) as verdicts, verdicts.transaction():
        verdicts.add([PersonVerdict(verdicts.pair((one, other)), decision, "anna")], CLOCK.isoformat())


def test_the_tables_of_matching_are_those_of_one_machine(sample: BothEngines) -> None:
    config = sample.config
    keep_records(config, 5, None)
    first = sample.run()
    assert first["register_event"] == []
    assert len(first["edges"]) > 100
    assert sample.reported == sample.messages
    assert any("oversized keys were refined" in message for message in sample.messages)
    assert any("was cut at the score" in message for message in sample.messages)
    versions = sample.tables.committed.tables
    assert sample.match() == 0
    assert sample.tables.committed.tables == versions

    keep_records(config, 0, -5)
    decide(config, "different", *members_of(config, 0)[:2])
    decide(config, "related", *members_of(config, 3)[:2])
    decide(config, "same", 1, 2)
    second = sample.run(allow_deletes=True)
    assert {kind for _, _, _, kind, _ in second["register_event"]} >= {"appeared", "deleted", "absorbed"}
    assert second["statistics"] == first["statistics"]

    keep_records(config, 0, None)
    with Verdicts(config.workspace) as verdicts, verdicts.transaction():
        verdicts.withdraw(verdicts.current()[0])
    third = sample.run()
    assert {kind for _, _, _, kind, _ in third["register_event"]} >= {"restored", "returned"}

    repeat_record(config, 25)
    fourth = sample.run()
    again = "dedup: far more records share a key than when keys were counted; they are counted again"
    assert again in sample.messages
    assert again in sample.reported
    assert [version for version, _, _ in fourth["statistics"]] == [2]

    text = config.file.read_text(encoding="utf-8")
    config.file.write_text(text.replace("[dedup]\n", '[dedup]\nscore = "jaccard"\n'), encoding="utf-8")
    sample.config = load(config.file)
    fifth = sample.run()
    assert fifth["statistics"] == fourth["statistics"]
    assert len(fifth["edges"]) != len(fourth["edges"])
    assert sample.reported == sample.messages


@pytest.mark.parametrize("size", [1, 7, 50, 1000])
def test_components_are_not_cut_where_batches_end(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(_clusters, "_ROWS", 20)
    sizes = [1, 2, 19, 60, 1, 1, 20, 3, 40, 2]
    rows = [(component * 3, place) for component, count in enumerate(sizes) for place in range(count)]
    table = pa.table({"component": [row[0] for row in rows], "place": [row[1] for row in rows]})
    nothing = table.slice(0, 0).to_batches()
    found = list(_clusters.complete_components([*nothing, *table.to_batches(max_chunksize=size), *nothing]))
    assert pa.concat_tables(found) == table
    ends = [set(portion["component"].to_pylist()) for portion in found]
    assert sum(map(len, ends)) == len(sizes)
    assert all(portion.num_rows for portion in found)
    if size <= 50:
        assert len(found) > 3


def test_a_component_that_no_task_has_room_for_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_clusters, "LARGEST_COMPONENT", 4000)
    table = pa.table({"component": [5] * 600, "place": list(range(600))})
    with pytest.raises(StageError, match=r"linked with the record of ordinal 5 .* \(300 records and pairs, 0 MB\)"):
        list(_clusters.complete_components(table.to_batches(max_chunksize=100)))


def test_no_records_have_no_pairs(spark: SparkSession, tmp_path: Path) -> None:
    reports = Reported()
    engine = Engine(spark, load_config(tmp_path, a="a.mrc"), CLOCK, reports)
    assert match_records(engine) == 0
    assert {name: engine.tables.read(name).count() for name in RESULTS} == dict.fromkeys(RESULTS, 0) | {
        "matching": 1,
        "statistics": 1,
    }
    assert reports.messages[-1] == "dedup: 0 candidate pairs of 0 records"
