"""Make the statements of every cluster, and what its records assert about entities.

Whether a record that another one names is in the catalog decides which statements are made. So all clusters are
described twice at most: first as if no named record existed (or as the last run described them, if the rest is as it
was), then those again for which that is not so. Which records a cluster asks about does not depend on the answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from functools import partial
from operator import attrgetter

import msgspec
import pyarrow as pa
from pyspark import Broadcast
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sql

from bibld.catalog import RecordStatus, read_edge
from bibld.config import TriplifyConfig
from bibld.errors import BibldError, StageError
from bibld.model.iris import Iris
from bibld.model.linkage import Cluster, Edge, Merged, Pair, ValueSource
from bibld.model.mods import Mods
from bibld.model.origin import RecordId
from bibld.model.withheld import public_fingerprint, public_mods
from bibld.spark._data.suppression import Suppressed, suppressed_values
from bibld.spark._engine import Engine
from bibld.spark._schemas import SCHEMAS, spark_schema
from bibld.spark._stream import batches_of, groups
from bibld.triplify import cluster_statements, encode_assertions, settings_digest, statements_digest

FIRST, AGAIN = "described_first", "described_again"
"""The tables of the two passes; a cluster that is in the second is outdated in the first."""

_INPUTS = ("records", "members", "merged", "edges", "active_suppression")

_MODS = msgspec.json.Decoder(Mods)
_SOURCES = msgspec.json.Decoder(tuple[ValueSource, ...])

_DescribedRow = tuple[int, bytes, str, list[dict[str, object]], list[dict[str, object]]]


class _Kind(IntEnum):
    """What a row about a cluster is; those of one cluster are sorted by it."""

    BEFORE = 0
    """The statements that the last run made."""

    MEMBER = 1
    MERGED = 2
    EDGE = 3
    NAMED = 4
    """A record that the cluster names and that is in the catalog."""


class _Row(msgspec.Struct, frozen=True, gc=False):
    """A row about a cluster; which columns have a value depends on its kind."""

    founder: int
    kind: int
    ordinal: int | None
    other: int | None
    source: str | None
    control_number: str | None
    fingerprint: bytes | None
    made_by: str | None
    body: bytes | None
    sources: bytes | None
    dependencies: list[dict[str, object]] | None
    assertions: list[dict[str, object]] | None


class _Settings(msgspec.Struct, frozen=True):
    made_with: str
    iris: Iris
    triplify: TriplifyConfig
    suppressed: Suppressed


def describe_clusters(engine: Engine) -> int:
    """Write the statements, assertions and existence dependencies of all clusters.

    Returns the number of clusters, 0 if their statements were complete.
    """
    tables = engine.tables
    made_with = settings_digest(engine.config.dataset.base, engine.config.triplify)
    made_by = tables.made_by(made_with, inputs=_INPUTS)
    was_complete = tables.is_complete(FIRST, made_by)
    with engine.job("triplify: clusters"):
        suppressed = suppressed_values(engine)
        settings = engine.broadcast(_Settings(made_with, engine.iris, engine.config.triplify, suppressed))
        rows = _rows(engine)
        if not engine.options.rebuild:
            rows = rows.unionByName(_rows_before(engine), allowMissingColumns=True)
        tables.write(FIRST, made_by, _described(settings, rows))
    with engine.job("triplify: records that clusters name"):
        dependencies = _dependencies(engine)
        tables.write("existence_dependencies", tables.made_by(inputs=(FIRST, "records")), dependencies, ("founder",))
    with engine.job("triplify: clusters that name other records"):
        outdated = _outdated(engine)
        named = tables.read("existence_dependencies").where("existed").join(outdated, "founder", "left_semi")
        named = named.select("founder", _kind(_Kind.NAMED), "source", "control_number")
        rows = _rows(engine).join(outdated, "founder", "left_semi").unionByName(named, allowMissingColumns=True)
        tables.write(AGAIN, tables.made_by(inputs=(FIRST, "existence_dependencies")), _described(settings, rows))
    with engine.job("triplify: assertions"):
        one = sql.explode("assertions")
        asserted = described(tables.read(FIRST), tables.read(AGAIN)).select("founder", one.alias("one"))
        asserted = asserted.select("founder", "one.entity", "one.body", "one.votes")
        tables.write("assertions", tables.made_by(inputs=(FIRST, AGAIN)), asserted, sort=("founder",))
    return 0 if was_complete else tables.rows(FIRST)


def described(first: DataFrame, again: DataFrame) -> DataFrame:
    """Return the clusters with their statements from the tables of the two passes."""
    return first.join(again.select("founder"), "founder", "left_anti").unionByName(again)


# -- rows ------------------------------------------------------------------------------------------------------------


def _kind(kind: _Kind) -> Column:
    return sql.lit(int(kind)).cast("long").alias("kind")


def live_records(engine: Engine) -> DataFrame:
    """Return the rows of the records that are live."""
    return engine.tables.read("records").where(sql.col("status") == RecordStatus.LIVE.value)


def _rows(engine: Engine) -> DataFrame:
    """Return the members, descriptions and edges of all clusters."""
    members = engine.tables.read("members")
    placed = live_records(engine).join(members, "ordinal", "left")
    records = placed.select(
        sql.coalesce("founder", "ordinal").alias("founder"),
        _kind(_Kind.MEMBER),
        "ordinal",
        "source",
        "control_number",
        sql.col("made_by").alias("fingerprint"),
        sql.when(sql.col("founder").isNull(), sql.col("mods")).alias("body"),
    )
    merged = engine.tables.read("merged").select(
        "founder", _kind(_Kind.MERGED), sql.col("mods").alias("body"), "sources", "made_by"
    )
    left, right = (members.select(sql.col("ordinal").alias(f"{side}_ordinal"), sql.col("founder").alias(side))
                   for side in ("left", "right"))  # fmt: skip
    edges = (
        engine.tables.read("edges")
        .select("left_ordinal", "right_ordinal", "body", "made_by")
        .join(left, "left_ordinal")
        .join(right, "right_ordinal")
        .where(sql.col("left") == sql.col("right"))
        .select(
            sql.col("left").alias("founder"),
            _kind(_Kind.EDGE),
            sql.col("left_ordinal").alias("ordinal"),
            sql.col("right_ordinal").alias("other"),
            "body",
            "made_by",
        )
    )
    rows = records.unionByName(merged, allowMissingColumns=True)
    return rows.unionByName(edges, allowMissingColumns=True)


def _rows_before(engine: Engine) -> DataFrame:
    """Return the statements that the last run made of clusters."""
    before = described(engine.tables.before(FIRST), engine.tables.before(AGAIN))
    return before.select(
        "founder", _kind(_Kind.BEFORE), sql.col("quads").alias("body"), "made_by", "dependencies", "assertions"
    )


def _described(settings: Broadcast[_Settings], rows: DataFrame) -> DataFrame:
    nested = {field.name: field.dataType for field in spark_schema(FIRST)}
    absent = [name for name in ("dependencies", "assertions") if name not in rows.columns]
    for name in absent:
        rows = rows.withColumn(name, sql.lit(None).cast(nested[name]))
    ordered = (
        rows.select(*_Row.__struct_fields__)
        .repartition("founder")
        .sortWithinPartitions("founder", "kind", "ordinal", "other", "source", "control_number")
    )
    return ordered.mapInArrow(partial(_describe, settings), spark_schema(FIRST))


def _dependencies(engine: Engine) -> DataFrame:
    """Return the records that clusters name, and whether they are in the catalog now."""
    one = sql.explode("dependencies").alias("one")
    named = engine.tables.read(FIRST).select("founder", one)
    named = named.select("founder", "one.source", "one.control_number")
    live = live_records(engine).select("source", "control_number", sql.lit(True).alias("found"))
    existed = sql.coalesce("found", sql.lit(False)).alias("existed")
    return named.join(live, ["source", "control_number"], "left").select("source", "control_number", "founder", existed)


def _outdated(engine: Engine) -> DataFrame:
    """Return the founders of clusters that were described as if other records existed than do."""
    one = sql.explode("dependencies").alias("one")
    assumed = engine.tables.read(FIRST).select("founder", one)
    assumed = assumed.select("founder", "one.source", "one.control_number", sql.col("one.existed").alias("assumed"))
    found = engine.tables.read("existence_dependencies")
    both = assumed.join(found, ["founder", "source", "control_number"])
    return both.where(sql.col("assumed") != sql.col("existed")).select("founder").distinct()


# -- tasks -----------------------------------------------------------------------------------------------------------


def _describe(settings: Broadcast[_Settings], batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Describe the clusters of one partition; its rows are sorted by founder, then by kind."""
    made = (
        _describe_cluster(settings.value, founder, list(rows))
        for founder, rows in groups(batches, _Row, attrgetter("founder"))
    )
    return batches_of((row for row in made if row is not None), SCHEMAS[FIRST])


def _describe_cluster(settings: _Settings, founder: int, rows: Sequence[_Row]) -> _DescribedRow | None:
    members = [row for row in rows if row.kind == _Kind.MEMBER]
    if not members:
        return None
    ids = {row.ordinal: RecordId(row.source or "", row.control_number or "") for row in members}
    cluster = Cluster(ids[members[0].ordinal], tuple(ids.values()))
    fingerprints = [
        public_fingerprint(row.fingerprint or b"", settings.suppressed.get(row.ordinal or 0, ())) for row in members
    ]
    merged = next((row for row in rows if row.kind == _Kind.MERGED), None)
    try:
        edges = _edges(rows, ids)
        description = None if merged is None or len(members) == 1 else merged.made_by
        made_by = statements_digest(settings.made_with, fingerprints, description, edges)
        before = next((row for row in rows if row.kind == _Kind.BEFORE), None)
        if before is not None and before.made_by == made_by:
            return founder, before.body or b"", made_by, before.dependencies or [], before.assertions or []
        if merged is None or len(members) == 1:
            mods = public_mods(_MODS.decode(members[0].body or b""), settings.suppressed.get(founder, ()))
            description_of_cluster = Merged(cluster, mods, ())
        else:
            mods, sources = _MODS.decode(merged.body or b""), _SOURCES.decode(merged.sources or b"")
            description_of_cluster = Merged(cluster, mods, sources)
        named = {RecordId(row.source or "", row.control_number or "") for row in rows if row.kind == _Kind.NAMED}
        made = cluster_statements(description_of_cluster, edges, settings.iris, settings.triplify, named.__contains__)
    except BibldError:
        raise
    except Exception as error:
        cause = f"{type(error).__name__}: {error}"
        raise StageError(f"triplify: the cluster of record {cluster.founder} cannot be described: {cause}") from error
    dependencies: list[dict[str, object]] = [
        {"source": record.source, "control_number": record.control_number, "existed": record in named}
        for record in made.existence_dependencies
    ]
    assertions: list[dict[str, object]] = [
        {"entity": entity, "body": body, "votes": votes}
        for (entity, body), votes in sorted(encode_assertions(made.claims).items())
    ]
    return founder, "".join(made.quads).encode(), made_by, dependencies, assertions


def _edges(rows: Iterable[_Row], ids: dict[int | None, RecordId]) -> list[Edge]:
    edges = [
        read_edge(
            Pair.from_records(ids[row.ordinal], ids[row.other]), row.body or b"", row.made_by or "", is_brief=True
        )
        for row in rows
        if row.kind == _Kind.EDGE
    ]
    return sorted(edges, key=lambda edge: edge.pair)
