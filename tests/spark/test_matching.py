"""Matching on Spark gives the tables of matching on one machine: in a first run, in updates, with few and many records
of a key."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from bibld import pipeline, progress
from bibld.catalog import Catalog, PersonVerdict, Verdicts
from bibld.config import Config
from bibld.spark._convert._to_tables import write_tables
from bibld.spark._engine import Engine
from bibld.spark._folder import FolderStorage
from bibld.spark._matching import match_records
from bibld.spark._tables import Tables
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
        exported = Tables(self.spark, FolderStorage(self.folder / f"exported-{self.number}"))
        with Catalog(self.config.workspace) as catalog:
            write_tables(catalog, exported, time.isoformat(), progress.Silent())
        expected = {name: rows_of(exported, name) for name in RESULTS}
        found = self.match(exported, time, **options)
        for name in RESULTS:
            assert found[name] == expected[name], name
        return expected

    def match(self, exported: Tables, time: Any, **options: Any) -> dict[str, list[tuple[Any, ...]]]:
        progress_of_engine = Reported()
        engine = Engine(self.spark, self.config, time, progress_of_engine, pipeline.RunOptions(**options))
        for name in INPUTS:
            engine.tables.write(name, exported.version(name), exported.read(name))
        match_records(engine)
        engine.tables.commit()
        self.reported = [message for message in progress_of_engine.messages if message.startswith("dedup: ")]
        return {name: rows_of(engine.tables, name) for name in RESULTS}


def rows_of(tables: Tables, name: str) -> list[tuple[Any, ...]]:
    rows = (tuple(bytes(v) if isinstance(v, bytearray) else v for v in row) for row in tables.read(name).collect())
    return sorted(rows, key=repr)


@pytest.fixture
def sample(tmp_path: Path, spark: SparkSession) -> BothEngines:
    loaded = sample_in(tmp_path)
    return BothEngines(loaded, spark, tmp_path)


def keep_records(config: Config, first: int, last: int | None) -> None:
    """Write the file of one source again, with some of its records."""
    file = config.folder / "nlr.iso"
    complete = file.with_suffix(".all")
    if not complete.exists():
        shutil.copy(file, complete)
    records = complete.read_bytes().split(b"\x1d")[:-1]
    file.write_bytes(b"".join(record + b"\x1d" for record in records[first:last]))


def decide(config: Config, decision: str, place: int, given: bool = True) -> None:
    """Give or withdraw a verdict about the first two records of a cluster."""
    with Catalog(config.workspace, read_only=True) as catalog:
        founder = list(catalog.linkage.founders(least=2))[place]
        members = catalog.linkage.members(founder)
    with Verdicts(config.workspace) as verdicts, verdicts.transaction():
        pair = verdicts.pair((members[0], members[1]))
        verdicts.add([PersonVerdict(pair, decision, "anna")], CLOCK.isoformat())


def test_the_tables_of_matching_are_those_of_one_machine(sample: BothEngines) -> None:
    keep_records(sample.config, 5, None)
    first = sample.run()
    assert first["register_event"] == []
    assert len(first["edges"]) > 100
    assert sample.reported[-1] == sample.messages[-1]
    keep_records(sample.config, 0, -5)
    decide(sample.config, "different", 0)
    decide(sample.config, "related", 3)
    with Verdicts(sample.config.workspace) as verdicts, verdicts.transaction():
        verdicts.add([PersonVerdict(verdicts.pair((1, 2)), "same", "anna")], CLOCK.isoformat())
    second = sample.run(allow_deletes=True)
    kinds = {kind for _, _, _, kind, _ in second["register_event"]}
    assert kinds >= {"appeared", "deleted", "absorbed"}
    assert second["statistics"] == first["statistics"]
    keep_records(sample.config, 0, None)
    with Verdicts(sample.config.workspace) as verdicts, verdicts.transaction():
        verdicts.withdraw(verdicts.current()[0])
    third = sample.run()
    assert {kind for _, _, _, kind, _ in third["register_event"]} >= {"restored", "returned"}
