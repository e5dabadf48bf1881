"""The first stage: from the files of the sources to the tables of records, rejects, loads and the register."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from bibld import ingest
from bibld.catalog import LoadCounts
from bibld.ingest import LoadResult, SuppressionRequest
from bibld.model.marc import MarcRecord
from bibld.model.mods import Mods
from bibld.model.origin import Origin, RecordId
from bibld.protocols import SourceRecord
from bibld.spark._engine import Engine
from bibld.spark._frames import small_frame
from bibld.spark._reading import CarrierNumbers, FilePlan, Inspector, convert_files
from bibld.spark._records import Load, readings_version
from bibld.spark._register import assign_ordinals, copy_verdicts, resolve_suppressions, with_suppressions

_MODS = msgspec.json.Decoder(Mods)


def read_sources(engine: Engine) -> int:
    """Harvest, read and convert the sources, and settle which records are live; return how many records were read."""
    requests = ingest.read_suppressions(engine.config)
    ingest.clear_withheld(engine.config.workspace)
    results = engine.fetch_sources()
    inspector = Inspector(engine)
    loads, known = last_readings(engine)
    inspections = ingest.inspect_sources(engine.config, engine.progress, results, inspector, known)
    engine.divide_shuffles(max(sum(one.records for one in inspections), engine.tables.rows("records")))
    sound = [inspection for inspection in inspections if engine.check_inspection(inspection)]
    accepted = [inspection for inspection in sound if not inspection.is_unchanged]
    for source in (inspection.source.id for inspection in sound if inspection.is_unchanged):
        engine.loads.append(loads[source])
        engine.progress.report(f"read: {source}: the files are those of the last reading")
    carriers = CarrierNumbers(engine)
    plans = inspector.plan(accepted, carriers)
    carriers.write(engine)
    unread = {source.id for source in engine.config.sources} - {one.source.id for one in accepted}
    conversions, converted_now = convert_files(engine, plans, carriers.of_sources(unread))
    load = Load(engine, accepted, plans, conversions)
    settled = None if load.is_idle else _settle(engine, load, converted_now)
    load.note_spared()
    suppressions = resolve_suppressions(engine, requests)
    if settled is None and "active_suppression" in engine.tables.changed():
        settled = _settle(engine, load, converted_now)
    if settled is not None:
        settings = [load.withheld, suppressions.records, suppressions.lifted]
        load.write_records(with_suppressions(load.final(settled), suppressions), settings)
        load.write_rejects()
        load.note_readings(known)
    _warn_of_values(engine, suppressions.wanted)
    copy_verdicts(engine)
    order = [source.id for source in engine.config.sources]
    engine.loads.sort(key=lambda result: order.index(result.source))
    return sum(result.read for result in engine.loads if result.source in {one.source.id for one in accepted})


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


def _settle(engine: Engine, load: Load, converted_now: Sequence[FilePlan]) -> DataFrame:
    """Settle which version of each record is in force, and number new records."""
    load.count_files(converted_now)
    load.settle()
    load.count()
    settled = assign_ordinals(engine)
    load.warn_of_unknown_deletions()
    return settled


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
        return _MODS.decode(bytes(rows[ordinal].mods)) if ordinal in rows else None

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

    for message in ingest.values_not_found(wanted, mods_of, original):
        engine.progress.warn(message)
