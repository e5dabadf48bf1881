"""The first stage: from the files of the sources to the tables of records, rejects, loads and the register."""

from __future__ import annotations

import shlex
import sqlite3
import unicodedata
from collections.abc import Iterable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

import msgspec
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as sql

from bibld import ingest
from bibld.catalog import LoadCounts, RecordStatus, Register, digest
from bibld.catalog.engines import check_newest_is_on_spark
from bibld.catalog.exchange import VERDICTS_OF_PAIRS, read_verdicts
from bibld.errors import StageError
from bibld.ingest import LoadResult, SuppressionRequest
from bibld.model.authority import AUTHORITY_FLAVOURS, Authority
from bibld.model.iris import record_of_path
from bibld.model.marc import MarcRecord
from bibld.model.mods import Mods
from bibld.model.origin import Origin, RecordId
from bibld.protocols import SourceRecord
from bibld.spark._engine import Engine
from bibld.spark._frames import small_frame
from bibld.spark._reading import CarrierNumbers, FoundFiles, convert_files, inspect_files, plan_files
from bibld.spark._records import Load, readings_version

_MODS = msgspec.json.Decoder(Mods)


def read_sources(engine: Engine) -> int:
    """Harvest, read and convert the sources, and decide which records are live; return how many records were read."""
    requests = ingest.read_suppressions(engine.config)
    ingest.clear_withheld(engine.config.workspace)
    engine.log.harvests = ingest.fetch_sources(engine.config, engine.progress)
    results = {result.source: result for result in engine.log.harvests}
    found: FoundFiles = {}
    inspect = partial(inspect_files, engine, found)
    loads, known = last_readings(engine)
    inspections = ingest.inspect_sources(engine.config, engine.progress, results, inspect, known)
    engine.divide_shuffles(max(sum(one.records for one in inspections), engine.tables.rows("records")))
    sound = [inspection for inspection in inspections if engine.log.check_inspection(inspection)]
    accepted = [inspection for inspection in sound if not inspection.is_unchanged]
    for source in (inspection.source.id for inspection in sound if inspection.is_unchanged):
        engine.log.loads.append(loads[source])
        engine.progress.report(f"read: {source}: the files are those of the last reading")
    numbered = engine.tables.before("carriers").collect()
    numbers: CarrierNumbers = {
        (row.source, row.file, row.reader, bytes(row.state)): int(row.carrier) for row in numbered
    }
    plans = plan_files(engine, accepted, found, numbers)
    carriers = sorted((number, *key) for key, number in numbers.items())
    made_by = digest("carriers", [(*row[:4], row[4].decode()) for row in carriers])
    engine.tables.write_rows("carriers", made_by, carriers)
    unread = {source.id for source in engine.config.sources} - {one.source.id for one in accepted}
    kept = {number for key, number in numbers.items() if key[0] in unread}
    conversions, converted_now = convert_files(engine, plans, kept)
    load = Load(engine, accepted, plans, conversions)

    def settle() -> DataFrame:
        """Decide which version of each record is in force, and number new records."""
        load.count_files(converted_now)
        load.load_versions()
        load.count()
        numbered = assign_ordinals(engine)
        load.warn_of_unknown_deletions()
        return numbered

    settled = None if load.is_idle else settle()
    load.note_spared()
    wanted, statuses = suppress_records(engine, requests)
    if settled is None and "active_suppression" in engine.tables.changed():
        settled = settle()
    if settled is not None:
        load.write_records(load.final(settled, statuses), [load.withheld, sorted(statuses.items())])
        load.write_rejects()
        load.note_readings(known)
    _warn_of_values(engine, wanted)
    copy_verdicts(engine)
    order = [source.id for source in engine.config.sources]
    engine.log.loads.sort(key=lambda result: order.index(result.source))
    return sum(result.read for result in engine.log.loads if result.source in {one.source.id for one in accepted})


def last_readings(engine: Engine) -> tuple[dict[str, LoadResult], dict[str, str]]:
    """Return the counts of the last loads, and the fingerprints of the files, by source; none if all is read again."""
    columns = LoadCounts.__struct_fields__
    rows = engine.tables.before("loads").select(*columns).collect()
    loads = {row.source: LoadResult(**row.asDict()) for row in rows}
    readings = {row.source: row.fingerprint for row in engine.tables.before("readings").collect()}
    committed = engine.tables.committed.tables
    is_valid = committed.get("readings") == readings_version(readings, committed.get("records", ""))
    known = readings if is_valid and not engine.options.rebuild else {}
    return loads, {source: fingerprint for source, fingerprint in known.items() if source in loads}


def _warn_of_values(engine: Engine, wanted: dict[tuple[int, str], SuppressionRequest]) -> None:
    """Warn of suppressed values that are not in their records."""
    ordinals = sorted({ordinal for ordinal, value in wanted if value})
    if not ordinals:
        return
    named = small_frame(engine.spark, [(ordinal,) for ordinal in ordinals], "ordinal long")
    carriers = sql.broadcast(engine.tables.read("carriers").select("carrier", "file", "reader", "state"))
    with engine.job("read: look for suppressed values"):
        records = engine.tables.read("records").join(sql.broadcast(named), "ordinal").join(carriers, "carrier")
        rows = {int(row.ordinal): row for row in records.collect()}

    def mods_of(ordinal: int) -> Mods | None:
        row = rows.get(ordinal)
        if row is None or row.flavour not in AUTHORITY_FLAVOURS:
            return _MODS.decode(bytes(row.mods)) if row is not None else None
        return msgspec.json.decode(bytes(row.mods), type=Authority).to_mods()

    def original(ordinal: int) -> MarcRecord | None:
        row = rows.get(ordinal)
        if row is None:
            return None
        record = SourceRecord(
            id=RecordId(row.source, row.control_number),
            ordinal=ordinal,
            origin=Origin(row.source, row.file, row.position, row.byte_offset),
            original=bytes(row.original),
            reader=row.reader,
            carrier=bytes(row.state),
            flavour=row.flavour,
            mods=Mods(),
            deleted=False,
        )
        return ingest.original_of(record)

    ingest.note_values_not_found(wanted, mods_of, original, engine.log)


_BLOCK = 50_000
"""Positions of a file in which new records are numbered together."""


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
    new = settled.where("ordinal IS NULL").select("source", "control_number", "first_file", "first_position")
    before = tables.before("register_ordinal")
    made_by = tables.made_by("register_ordinal", tables.committed.tables.get("register_ordinal"), inputs=["settled"])
    with engine.job("read: number new records"):
        block = sql.floor(sql.col("first_position") / _BLOCK)
        counts = new.groupBy("first_file", block.alias("block")).count().collect()
        if not counts and tables.committed.tables.get("register_ordinal"):
            return settled
        last = before.agg(sql.max("ordinal")).first()
        bases, base = [], int(last[0] or 0) if last is not None else 0
        for file_number, number, count in sorted((row.first_file, row.block, row["count"]) for row in counts):
            bases.append((file_number, number, base))
            base += count
        known = small_frame(engine.spark, bases, "first_file long, block long, base long")
        order = Window.partitionBy("first_file", "block").orderBy("first_position")
        numbered = (
            new.withColumn("block", block)
            .join(sql.broadcast(known), ["first_file", "block"])
            .withColumn("ordinal", sql.col("base") + sql.row_number().over(order))
            .select("ordinal", "source", "control_number")
        )
        tables.write("register_ordinal", made_by, before.unionByName(numbered), sort=["ordinal"])
    named = tables.read("register_ordinal").withColumnRenamed("ordinal", "given")
    numbered = settled.join(named, ["source", "control_number"], "left")
    return numbered.withColumn("ordinal", sql.coalesce("ordinal", "given")).select(*settled.columns)


def suppress_records(
    engine: Engine, requests: Sequence[SuppressionRequest]
) -> tuple[dict[tuple[int, str], SuppressionRequest], dict[int, RecordStatus]]:
    """Find the records that suppressions name, and store which suppressions are in force.

    Returns the suppressions by ordinal and value, and the status that records with a description have by them: those
    that are suppressed, and those that were until now.
    """
    tables = engine.tables
    wanted: dict[tuple[int, str], SuppressionRequest] = {}
    if requests:
        with closing(_register_of(engine, requests)) as connection:
            wanted = ingest.resolve_suppressions(requests, Register(connection), engine.iris, engine.log)
    known = {(int(row.ordinal), row.value) for row in tables.before("active_suppression").collect()}
    lifted = known - wanted.keys()
    rows = [(*key, one.reason) for key, one in sorted(wanted.items())]
    tables.write_rows("register_suppression", digest("suppression", rows), rows)
    active = [row[:2] for row in rows]
    tables.write_rows("active_suppression", digest("active", active), active)
    ingest.report_suppressions(len(wanted.keys() - known), len(lifted), len(wanted), engine.progress)
    statuses = {ordinal: RecordStatus.LIVE for ordinal, value in lifted if not value}
    statuses |= {ordinal: RecordStatus.SUPPRESSED for ordinal, value in wanted if not value}
    return wanted, statuses


def copy_verdicts(engine: Engine) -> None:
    """Take the verdicts of people from the register of the workspace, where `bibld review` stores them."""
    file = engine.config.workspace / "register.db"
    if not file.is_file():
        return
    tables = engine.tables
    with closing(_open(file)) as register:
        for name, rows in read_verdicts(register).items():
            if name in VERDICTS_OF_PAIRS and rows:
                records = sorted({id for row in rows for id in (row[1:3], row[3:5])})
                wanted = small_frame(engine.spark, records, "source string, control_number string")
                found = tables.read("register_ordinal").join(sql.broadcast(wanted), ["source", "control_number"])
                ordinals = {(row.source, row.control_number): int(row.ordinal) for row in found.collect()}
                rows = [
                    (row[0], *sorted((ordinals[row[1:3]], ordinals[row[3:5]])), *row[5:])
                    for row in rows
                    if row[1:3] in ordinals and row[3:5] in ordinals
                ]
            # An empty table where there was none would be a new version, by which all would be matched again.
            if rows or tables.version(name):
                tables.write_rows(name, digest(name, rows), rows)


def _register_of(engine: Engine, requests: Iterable[SuppressionRequest]) -> sqlite3.Connection:
    """Return a register in memory with the records that requests may name."""
    numbers: set[str] = set()
    for one in requests:
        name = unicodedata.normalize("NFC", one.record.strip())
        numbers |= {name, name.partition(":")[2].strip()}
        path = engine.iris.path(one.record)
        if path is not None:
            record_path = path.removeprefix("doc/").removesuffix(".html").partition("/")[2]
            try:
                numbers.add(record_of_path(record_path).control_number)
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
