"""Small facts about a run for its release: figures, examples, what was withdrawn."""

from __future__ import annotations

from pyspark.sql import functions as sql

from bibld.catalog import LoadCounts
from bibld.model.origin import RecordId
from bibld.model.release import Figures, Manifest, SourceFigures
from bibld.pipeline import EXAMPLES, describe_sources, with_former_sources
from bibld.spark._data.descriptions import live_records
from bibld.spark._data.statements import deletion_times
from bibld.spark._engine import Engine
from bibld.triplify import withdrawal_quads


def count_figures(engine: Engine, before: Manifest | None) -> Figures:
    """Return the figures of the dataset; ``before`` describes the release of the last committed run."""
    tables = engine.tables
    live = live_records(engine)
    by_source = {source: int(number) for source, number in live.groupBy("source").count().collect()}
    members = tables.rows("members")
    merged = int(tables.read("members").select("founder").distinct().count())
    records = sum(by_source.values())
    clusters = records - members + merged
    entities = tables.read("entities").where(sql.col("quads").isNotNull()).count()
    suppressed = tables.read("active_suppression").where("value = ''").select("ordinal")
    deleted = (
        tables.read("register_redirect")
        .join(live.select("ordinal"), "ordinal", "left_anti")
        .join(suppressed, "ordinal", "left_anti")
        .count()
    )
    return Figures(
        _source_figures(engine, by_source, before), records, clusters, merged, records - clusters, 0, entities, deleted
    )


def _source_figures(engine: Engine, live: dict[str, int], before: Manifest | None) -> tuple[SourceFigures, ...]:
    columns = ("source", "read", "converted", "superseded", "rejected", "deleted")
    loads = [LoadCounts(*row) for row in map(tuple, engine.tables.read("loads").select(*columns).collect())]
    counted = describe_sources(engine.config, loads, live)
    configured = {source.id for source in engine.config.sources}
    kept = {load.source for load in loads if load.source not in configured and live.get(load.source)}
    return with_former_sources(counted, kept, before.figures.sources) if kept and before is not None else counted


def example_resources(engine: Engine) -> list[str]:
    """Return the IRIs of some resources: of the clusters with most members, then of the first records."""
    live = live_records(engine).select("ordinal", "source", "control_number")
    sizes = engine.tables.read("members").groupBy(sql.col("founder").alias("ordinal")).agg(sql.count("*").alias("size"))
    absorbed = engine.tables.read("members").where("ordinal <> founder").select("ordinal")
    founders = live.join(absorbed, "ordinal", "left_anti").join(sizes, "ordinal", "left")
    first = founders.orderBy(sql.coalesce("size", sql.lit(0)).desc(), "ordinal").limit(EXAMPLES)
    return [engine.iris.resource(RecordId(row["source"], row["control_number"])) for row in first.collect()]


def withdrawal_lines(engine: Engine) -> tuple[str, ...]:
    """Return the lines about records that must not be published, which only documents have."""
    records = engine.tables.read("register_ordinal").select("ordinal", "source", "control_number")
    rows = (
        engine.tables.read("register_suppression")
        .where("value = ''")
        .join(records, "ordinal")
        .join(deletion_times(engine), "ordinal", "left")
        .select("source", "control_number", "deleted")
        .collect()
    )
    return withdrawal_quads(engine.iris, [(RecordId(source, number), time) for source, number, time in rows])


def has_new_suppressions(engine: Engine, version: str) -> bool:
    """Return whether something is suppressed that was not with this version of the suppressions.

    If that is not stored any more, those of the last committed run are compared.
    """
    tables = engine.tables
    is_stored = bool(version) and tables.is_complete("active_suppression", version)
    before = tables.stored("active_suppression", version) if is_stored else tables.before("active_suppression")
    now = tables.read("active_suppression")
    return now.join(before, ["ordinal", "value"], "left_anti").limit(1).count() > 0
