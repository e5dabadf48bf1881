"""Matching on Spark: features, keys, candidate pairs, decisions, components and clusters, each as a table.

Every step takes and writes whole tables, and calls the functions that match records on one machine. Keys, scores and
decisions depend on the records and the frozen statistics alone, and clusters on their component, so that the result is
the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as f

from bibld.catalog import digest
from bibld.dedup.method import settings_digest
from bibld.dedup.stage import events_of_iri
from bibld.dedup.warm_up import KernelWarmUp
from bibld.progress import with_number
from bibld.spark._candidates import find_pairs, freeze_statistics
from bibld.spark._clusters import cluster_components, decide_pairs, decided_version, find_components, write_edges
from bibld.spark._descriptions import live_records
from bibld.spark._engine import Engine
from bibld.spark._features import extract_features, features_version
from bibld.spark._frames import arrow_schema, spark_schema, to_batch

_RESULTS = ("edges", "members", "register_redirect", "register_event", "matching")


def match_records(engine: Engine) -> int:
    """Match all live records, and write features, edges, clusters, redirects and the history of IRIs.

    Return the number of these records, 0 if the results are those of the last run: what was made from the same tables
    with the same settings is not made again. Raises ``StageError`` if a job fails.
    """
    if _is_current(engine):
        return 0
    tables = engine.tables
    compiling = KernelWarmUp(engine.config, engine.progress)
    if (engine.spark.sparkContext.master or "").startswith("local"):  # tasks share the stored machine code of this one
        compiling.begin()
    extract_features(engine)
    compiling.wait()
    frozen = freeze_statistics(engine, engine.options.restat)
    if not find_pairs(engine, frozen):
        engine.progress.report(
            "dedup: far more records share a key than when keys were counted; they are counted again"
        )
        frozen = freeze_statistics(engine, count_again=True)
        find_pairs(engine, frozen)
    records, candidates = tables.rows("features"), tables.rows("pairs")
    engine.progress.report(f"dedup: {candidates} candidate pairs of {with_number(records, 'record')}")
    decide_pairs(engine, frozen)
    find_components(engine)
    cluster_components(engine, frozen)
    write_edges(engine, frozen)
    follow_iris(engine)
    is_current = all(tables.version(name) == tables.committed.tables.get(name) for name in _RESULTS)
    return 0 if is_current else records


def _is_current(engine: Engine) -> bool:
    """Return whether the last run has matched these records with these verdicts and settings."""
    tables, committed = engine.tables, engine.tables.committed.tables
    if engine.options.restat or features_version(engine) != committed.get("features"):
        return False
    versions = tables.read("statistics").select("version").collect()
    is_decided = bool(versions) and decided_version(engine, versions[0].version) == committed.get("decided")
    return is_decided and "register_verdict_change" not in tables.changed()


_INPUTS = ("records", "active_suppression", "features", "members", "register_verdict", "register_verdict_change")
"""If these are those of the last run, so are the redirects and the history."""

_EVENTS = arrow_schema("ordinal:long position:long kind other:long")
_FLAGS = ("is_deleted", "has_appeared", "is_restored")


def follow_iris(engine: Engine) -> None:
    """Write the redirects and the history in the register, and what this matching has used."""
    tables = engine.tables
    seen = tables.before("matching").collect()
    versions_before = {name: tables.committed.tables.get(name, "") for name in _INPUTS}
    versions = {name: tables.version(name) for name in _INPUTS}
    if seen and versions_before == versions:
        return
    last_ordinal = seen[0].ordinal if seen else 0
    made_by = digest("iris", versions_before, versions, engine.run_time.isoformat())
    live = tables.read("features").select("ordinal")
    redirects = tables.before("register_redirect")
    with engine.job("dedup: redirects"):
        matched = tables.before("features")  # records that were matched on one machine have none
        was_live = matched if matched.take(1) else tables.before("records").where("status = 'live'")
        not_live = tables.read("records").where("status <> 'live'").select("ordinal")
        gone = not_live.join(was_live, "ordinal", "left_semi")
        deleted = gone.unionByName(not_live.join(redirects, "ordinal", "left_anti")).distinct()
        restored = redirects.select("ordinal").join(live_records(engine), "ordinal", "left_semi")
        tables.write("register_redirect", made_by, _redirects(engine, deleted, restored), sort=("ordinal",))
    with engine.job("dedup: history of IRIs"):
        appeared = live.where(f.col("ordinal") > last_ordinal).join(restored, "ordinal", "left_anti")
        founders = tables.before("members").toDF("ordinal", "before").join(
            tables.read("members").toDF("ordinal", "now"), "ordinal", "full"
        )  # fmt: skip
        founder = [f.coalesce(name, "ordinal").alias(name) for name in ("before", "now")]
        touched = founders.select("ordinal", *founder).where("before <> now")
        if not seen:
            appeared = appeared.limit(0)
            if not tables.before("members").take(1):  # the first run has no history
                touched = touched.limit(0)
        for frame, flag in zip((deleted, appeared, restored), _FLAGS, strict=True):
            touched = touched.join(frame.withColumn(flag, f.lit(True)), "ordinal", "full")
        flags = [f.coalesce(flag, f.lit(False)).alias(flag) for flag in _FLAGS]
        history = _history(engine, touched.select("ordinal", *founder, *flags))
        tables.write("register_event", made_by, history, sort=("event",))
    with engine.job("dedup: state of matching"):
        change = tables.read("register_verdict_change").agg(f.coalesce(f.max("change"), f.lit(0))).collect()[0][0]
        ordinal = live.agg(f.coalesce(f.max("ordinal"), f.lit(0))).collect()[0][0]
        row = change, max(ordinal, last_ordinal), settings_digest(engine.config)
        tables.write_rows("matching", made_by, [row])


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
