"""The register of a workspace as tables: ordinals of new records, suppressions, and the verdicts of people."""

from __future__ import annotations

import shlex
import sqlite3
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as sql

from bibld.catalog import RecordStatus, Register, digest
from bibld.catalog.engines import check_newest_is_on_spark
from bibld.errors import StageError
from bibld.ingest import SuppressionRequest, report_suppressions, suppressed_ordinal
from bibld.model.iris import record_of_path
from bibld.spark._engine import Engine
from bibld.spark._frames import small_frame
from bibld.text.folding import tidy

_BLOCK = 50_000
"""Positions of a file in which new records are numbered together."""

_VERDICTS = {
    "register_verdict": (
        "SELECT verdict, one.source, one.control_number, two.source, two.control_number, decision, relation, person,"
        " reason, given_at FROM verdict JOIN ordinal AS one ON one.ordinal = left_ordinal"
        " JOIN ordinal AS two ON two.ordinal = right_ordinal ORDER BY verdict"
    ),
    "register_verdict_change": (
        "SELECT change, one.source, one.control_number, two.source, two.control_number FROM verdict_change"
        " JOIN ordinal AS one ON one.ordinal = left_ordinal JOIN ordinal AS two ON two.ordinal = right_ordinal"
        " ORDER BY change"
    ),
}
"""Tables about pairs of records: their ids take the place of ordinals, which differ if both engines gave some."""

_COPIES = {
    "register_entity_verdict": (
        "SELECT verdict, left_path, right_path, decision, person, reason, given_at FROM entity_verdict ORDER BY verdict"
    ),
    "register_entity_verdict_change": (
        "SELECT change, left_path, right_path FROM entity_verdict_change ORDER BY change"
    ),
    "register_link_verdict": (
        "SELECT verdict, entity, target, decision, person, reason, given_at FROM link_verdict ORDER BY verdict"
    ),
}


class Suppressions(msgspec.Struct, frozen=True):
    """The suppressions of a run by ordinal and value, and the whole records that are suppressed no longer."""

    wanted: dict[tuple[int, str], SuppressionRequest]
    lifted: tuple[int, ...]

    @property
    def records(self) -> list[int]:
        """The whole records that are suppressed."""
        return sorted(ordinal for ordinal, value in self.wanted if not value)


def check_origin(engine: Engine) -> None:
    """Raise ``StageError`` if the workspace was run on one machine since its conversion: ordinals would change."""
    workspace, config_file = engine.config.workspace, engine.config.file
    file = workspace / "register.db"
    if engine.tables.committed.number:
        check_newest_is_on_spark(workspace, config_file)
        return
    if not file.is_file():
        return
    with closing(_open(file)) as register:
        used = register.execute("SELECT count(*) FROM ordinal").fetchone()[0]
    if used:
        raise StageError(
            f"{workspace}: was run on one machine; run"
            f" `bibld workspace convert {shlex.quote(str(config_file))} --to spark` first, which keeps all IRIs"
        )


def assign_ordinals(engine: Engine) -> DataFrame:
    """Give ordinals to new records, in the order of files and positions; return the table ``settled`` with all."""
    tables = engine.tables
    settled = tables.read("settled")
    new = settled.where("ordinal IS NULL").select("source", "control_number", "first_turn", "first_position")
    before = tables.before("register_ordinal")
    made_by = tables.made_by("register_ordinal", tables.committed.tables.get("register_ordinal"), inputs=["settled"])
    with engine.job("read: number new records"):
        block = sql.floor(sql.col("first_position") / _BLOCK)
        counts = new.groupBy("first_turn", block.alias("block")).count().collect()
        if not counts and tables.committed.tables.get("register_ordinal"):
            return settled
        last = before.agg(sql.max("ordinal")).first()
        bases, base = [], int(last[0] or 0) if last is not None else 0
        for turn, number, count in sorted((row.first_turn, row.block, row["count"]) for row in counts):
            bases.append((turn, number, base))
            base += count
        known = small_frame(engine.spark, bases, "first_turn long, block long, base long")
        order = Window.partitionBy("first_turn", "block").orderBy("first_position")
        numbered = (
            new.withColumn("block", block)
            .join(sql.broadcast(known), ["first_turn", "block"])
            .withColumn("ordinal", sql.col("base") + sql.row_number().over(order))
            .select("ordinal", "source", "control_number")
        )
        tables.write("register_ordinal", made_by, before.unionByName(numbered), sort=["ordinal"])
    named = tables.read("register_ordinal").withColumnRenamed("ordinal", "given")
    columns = [sql.coalesce("ordinal", "given").alias("ordinal") if name == "ordinal" else sql.col(name)
               for name in settled.columns]  # fmt: skip
    return settled.join(named, ["source", "control_number"], "left").select(*columns)


def resolve_suppressions(engine: Engine, requests: Sequence[SuppressionRequest]) -> Suppressions:
    """Find the records that suppressions name, and store which suppressions are in force."""
    tables = engine.tables
    wanted: dict[tuple[int, str], SuppressionRequest] = {}
    if requests:
        with closing(_register_of(engine, requests)) as connection:
            register = Register(connection)
            for one in requests:
                try:
                    ordinal = suppressed_ordinal(register, engine.iris, one.record)
                except ValueError as error:
                    engine.progress.warn(f"{one.place}: ignored: {error}")
                else:
                    wanted[ordinal, tidy(one.value)] = one
    known = {(int(row.ordinal), row.value) for row in tables.before("active_suppression").collect()}
    lifted = known - wanted.keys()
    rows = [(*key, one.reason) for key, one in sorted(wanted.items())]
    tables.write_rows("register_suppression", digest("suppression", rows), rows)
    active = [row[:2] for row in rows]
    tables.write_rows("active_suppression", digest("active", active), active)
    report_suppressions(len(wanted.keys() - known), len(lifted), len(wanted), engine.progress)
    return Suppressions(wanted, tuple(sorted(ordinal for ordinal, value in lifted if not value)))


def with_suppressions(frame: DataFrame, suppressions: Suppressions) -> DataFrame:
    """Return records with the status that suppressions give them."""
    changes = dict.fromkeys(suppressions.lifted, RecordStatus.LIVE)
    changes |= dict.fromkeys(suppressions.records, RecordStatus.SUPPRESSED)
    if not changes:
        return frame
    rows = [(ordinal, str(status)) for ordinal, status in sorted(changes.items())]
    given = small_frame(frame.sparkSession, rows, "ordinal long, given string")
    has_record = sql.col("status").isin(str(RecordStatus.LIVE), str(RecordStatus.SUPPRESSED))
    status = sql.when(has_record & sql.col("given").isNotNull(), sql.col("given")).otherwise(sql.col("status"))
    return frame.join(sql.broadcast(given), "ordinal", "left").withColumn("status", status).drop("given")


def copy_verdicts(engine: Engine) -> None:
    """Take the verdicts of people from the register of the workspace, where `bibld review` stores them."""
    file = engine.config.workspace / "register.db"
    if not file.is_file():
        return
    with closing(_open(file)) as register:
        for name, query in _COPIES.items():
            rows = register.execute(query).fetchall()
            _write_verdicts(engine, name, rows)
        for name, query in _VERDICTS.items():
            rows = register.execute(query).fetchall()
            ordinals = _ordinals(engine, {id for row in rows for id in (row[1:3], row[3:5])})
            known = [
                (row[0], *sorted((ordinals[row[1:3]], ordinals[row[3:5]])), *row[5:])
                for row in rows
                if row[1:3] in ordinals and row[3:5] in ordinals
            ]
            _write_verdicts(engine, name, known)


def _write_verdicts(engine: Engine, name: str, rows: Sequence[Sequence[Any]]) -> None:
    """Write a table of verdicts, unless there are none and never were: a new version would have all matched again."""
    if rows or engine.tables.version(name):
        engine.tables.write_rows(name, digest(name, rows), rows)


def _ordinals(engine: Engine, records: Iterable[tuple[str, str]]) -> Mapping[tuple[str, str], int]:
    names = sorted(records)
    if not names:
        return {}
    wanted = small_frame(engine.spark, names, "source string, control_number string")
    found = engine.tables.read("register_ordinal").join(sql.broadcast(wanted), ["source", "control_number"])
    return {(row.source, row.control_number): int(row.ordinal) for row in found.collect()}


def _register_of(engine: Engine, requests: Iterable[SuppressionRequest]) -> sqlite3.Connection:
    """Return a register in memory with the records that requests may name."""
    numbers: set[str] = set()
    for one in requests:
        name = unicodedata.normalize("NFC", one.record.strip())
        numbers |= {name, name.partition(":")[2].strip()}
        path = engine.iris.path(one.record)
        if path is not None:
            place = path.removeprefix("doc/").removesuffix(".html").partition("/")[2]
            try:
                numbers.add(record_of_path(place).control_number)
            except ValueError:
                continue  # not the IRI of a record, which is reported when it is resolved
    wanted = small_frame(engine.spark, [(number,) for number in sorted(numbers)], "control_number string")
    found = engine.tables.read("register_ordinal").join(sql.broadcast(wanted), "control_number").collect()
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE ordinal (ordinal INTEGER PRIMARY KEY, source TEXT, control_number TEXT)")
    rows = [(int(row.ordinal), row.source, row.control_number) for row in found]
    connection.executemany("INSERT INTO ordinal VALUES (?, ?, ?)", rows)
    return connection


def _open(file: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)
