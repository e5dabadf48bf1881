"""What becomes of the IRIs of records: redirects of deleted ones, and the history of all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as f

from bibld.catalog import digest
from bibld.dedup.method import settings_digest
from bibld.dedup.stage import events_of_iri
from bibld.spark._engine import Engine
from bibld.spark._frames import arrow_schema, small_frame, spark_schema, to_batch

_EVENTS = arrow_schema("ordinal:long position:long kind other:long")
_FLAGS = ("is_deleted", "has_appeared", "is_restored")


def follow_iris(engine: Engine) -> None:
    """Write the redirects and the history in the register, and what this matching has used."""
    tables = engine.tables
    seen = tables.before("matching").collect()
    before = {name: tables.committed.tables.get(name, "") for name in _INPUTS}
    now = {name: tables.version(name) for name in _INPUTS}
    if seen and before == now:
        return
    settings = settings_digest(engine.config)
    last_ordinal = seen[0].ordinal if seen else 0
    made_by = digest("iris", before, now, engine.run_time.isoformat())
    is_first = not seen and not tables.before("members").take(1)
    with engine.job("dedup: redirects"):
        deleted, restored = _deleted(engine), _restored(engine)
        tables.write("register_redirect", made_by, _redirects(engine, deleted, restored), sort=("ordinal",))
    with engine.job("dedup: history of IRIs"):
        appeared = small_frame(engine.spark, [], "ordinal long")
        if seen:
            appeared = tables.read("features").select("ordinal").where(f.col("ordinal") > last_ordinal)
            appeared = appeared.join(restored, "ordinal", "left_anti")
        changes = _changes(engine)
        if is_first:
            changes = changes.limit(0)
        touched = _touched(changes, deleted, appeared, restored)
        tables.write("register_event", made_by, _history(engine, touched), sort=("event",))
    with engine.job("dedup: state of matching"):
        change = tables.read("register_verdict_change").agg(f.coalesce(f.max("change"), f.lit(0))).collect()[0][0]
        ordinal = tables.read("features").agg(f.coalesce(f.max("ordinal"), f.lit(0))).collect()[0][0]
        tables.write_rows("matching", made_by, [(change, max(ordinal, last_ordinal), settings)])


_INPUTS = ("records", "active_suppression", "features", "members", "register_verdict", "register_verdict_change")
"""If these are those of the last run, so is all that is written here."""


def _live_before(engine: Engine) -> DataFrame:
    """Return the ordinals of the records that were live at the last matching."""
    tables = engine.tables
    matched = tables.before("features")
    if matched.take(1):
        return matched.select("ordinal")
    # They were matched on one machine.
    return tables.before("records").where("status = 'live'").select("ordinal")


def _deleted(engine: Engine) -> DataFrame:
    """Return the records that are not live, but were at the last matching, or are new."""
    tables = engine.tables
    not_live = tables.read("records").where("status <> 'live'").select("ordinal")
    known = tables.before("register_redirect").select("ordinal")
    was_live = not_live.join(_live_before(engine), "ordinal", "left_semi")
    return was_live.unionByName(not_live.join(known, "ordinal", "left_anti")).distinct()


def _restored(engine: Engine) -> DataFrame:
    """Return the records that were deleted before and are live."""
    redirects = engine.tables.before("register_redirect").select("ordinal")
    return redirects.join(engine.tables.read("features").select("ordinal"), "ordinal", "left_semi")


def _redirects(engine: Engine, deleted: DataFrame, restored: DataFrame) -> DataFrame:
    """Return the redirects of all deleted records: to the smallest live member of the cluster that each leaves."""
    tables = engine.tables
    before = tables.before("register_redirect")
    members = tables.before("members")
    live = tables.read("features").select(f.col("ordinal").alias("target"))
    others = members.select("founder", f.col("ordinal").alias("target")).join(live, "target", "left_semi")
    targets = (
        deleted.join(members, "ordinal").join(others, "founder").groupBy("ordinal").agg(f.min("target").alias("target"))
    )
    found = deleted.join(targets, "ordinal", "left").join(
        before.select("ordinal", f.lit(True).alias("is_known")), "ordinal", "left"
    )
    new = found.where("target IS NOT NULL OR is_known IS NULL").select("ordinal", "target")
    kept = before.join(restored.unionByName(new.select("ordinal")), "ordinal", "left_anti")
    return kept.unionByName(new)


def _changes(engine: Engine) -> DataFrame:
    """Return the founders before and now of the records whose founder changed."""
    tables = engine.tables
    before = tables.before("members").withColumnRenamed("founder", "before")
    now = tables.read("members").withColumnRenamed("founder", "now")
    both = before.join(now, "ordinal", "full").select(
        "ordinal", f.coalesce("before", "ordinal").alias("before"), f.coalesce("now", "ordinal").alias("now")
    )
    return both.where("before <> now")


def _touched(changes: DataFrame, *flagged: DataFrame) -> DataFrame:
    """Return the records of which something became, with founders and flags."""
    found = changes
    for frame, flag in zip(flagged, _FLAGS, strict=True):
        found = found.join(frame.withColumn(flag, f.lit(True)), "ordinal", "full")
    return found.select(
        "ordinal",
        f.coalesce("before", "ordinal").alias("before"),
        f.coalesce("now", "ordinal").alias("now"),
        *(f.coalesce(flag, f.lit(False)).alias(flag) for flag in _FLAGS),
    )


def _history(engine: Engine, touched: DataFrame) -> DataFrame:
    """Return all events: those before, and those of this run with the next numbers, in the order of the records."""
    before = engine.tables.before("register_event")
    last = before.agg(f.coalesce(f.max("event"), f.lit(0))).collect()[0][0]
    numbers = f.row_number().over(Window.orderBy("ordinal", "position")).cast("long")
    new = touched.mapInArrow(_events, spark_schema(_EVENTS)).select(
        (numbers + last).alias("event"),
        "ordinal",
        f.lit(engine.run_time.isoformat()).alias("run_time"),
        "kind",
        "other",
    )
    return before.unionByName(new)


def _events(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        rows = [
            (ordinal, position, kind, other)
            for ordinal, before, now, *flags in zip(*batch.to_pydict().values(), strict=True)
            for position, (kind, other) in enumerate(events_of_iri(ordinal, (before, now), *flags))
        ]
        yield to_batch(rows, _EVENTS)
