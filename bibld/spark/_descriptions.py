"""Merge the clusters of two and more records, and make the statements of every cluster.

Whether a record that another one names is in the catalog decides which statements are made. So all clusters are
described twice at most: first as if no named record existed (or as the last run described them, if the rest is as it
was), then those again for which that is not so. Which records a cluster asks about does not depend on the answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from functools import partial

import msgspec
from pyspark import Broadcast
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from bibld.catalog import IS_AUTHORITY, RecordStatus, read_edge
from bibld.config import TriplifyConfig
from bibld.merge import Policies, input_digest, merge_records
from bibld.merge import settings_digest as merge_settings_digest
from bibld.model.authority import AUTHORITY_FLAVOURS, Authority
from bibld.model.iris import Iris
from bibld.model.linkage import Cluster, Edge, Merged, Pair, ValueSource
from bibld.model.mods import Mods
from bibld.model.origin import RecordId
from bibld.model.withheld import public_authority, public_fingerprint, public_mods
from bibld.spark._engine import Engine
from bibld.spark._frames import SCHEMAS, located_errors, map_groups, spark_schema
from bibld.triplify import (
    NUMBER_MARK,
    ClusterStatements,
    authority_statements,
    cluster_statements,
    encode_assertions,
    settings_digest,
    statements_digest,
    warn_of_broken_references,
    warn_of_uncatalogued_numbers,
)

Suppressed = dict[int, tuple[str, ...]]
"""The suppressed values of records by ordinal; the empty value is the whole record."""


def suppressed_values(engine: Engine) -> Suppressed:
    """Return the suppressions that the results of this run respect; people state them one by one, so they are few."""
    rows = engine.tables.read("active_suppression").groupBy("ordinal").agg(sql.sort_array(sql.collect_list("value")))
    return {int(ordinal): tuple(values) for ordinal, values in rows.collect()}


_BEFORE = -1
"""Stands for the ordinal in the row of a description that the last run made; it comes first in its group."""

_ENCODER = msgspec.json.Encoder()
_MODS = msgspec.json.Decoder(Mods)
_AUTHORITY = msgspec.json.Decoder(Authority)

_MergedRow = tuple[int, bytes, bytes, str]


class _MemberRow(msgspec.Struct, frozen=True, gc=False):
    """A member of a cluster, or the description that the last run made of it."""

    founder: int
    ordinal: int
    source: str | None
    control_number: str | None
    fingerprint: bytes | None
    mods: bytes
    sources: bytes | None
    made_by: str | None


class _MergeSettings(msgspec.Struct, frozen=True):
    made_with: str
    policies: Policies
    suppressed: Suppressed


def merge_clusters(engine: Engine) -> int:
    """Write the table ``merged``; descriptions whose inputs are as they were are taken from the last run.

    Returns the number of clusters, 0 if the table was complete.
    """
    tables = engine.tables
    made_with = merge_settings_digest(engine.config)

    def merged() -> DataFrame:
        records = tables.read("records").select(
            "ordinal", "source", "control_number", sql.col("made_by").alias("fingerprint"), "mods"
        )
        rows = tables.read("members").join(records, "ordinal")
        if not engine.options.rebuild:
            before = tables.before("merged").withColumn("ordinal", sql.lit(_BEFORE).cast("long"))
            rows = rows.unionByName(before, allowMissingColumns=True)
        settings = _MergeSettings(made_with, Policies.from_config(engine.config), suppressed_values(engine))
        compute = partial(_merge_cluster, engine.broadcast(settings))
        return map_groups(rows, _MemberRow, compute, SCHEMAS["merged"], ["founder"], ["ordinal"])

    made_by = tables.made_by(made_with, inputs=("members", "records", "active_suppression"))
    return tables.rows("merged") if engine.step("merged", made_by, "merge: clusters", merged) else 0


def _merge_cluster(shared: Broadcast[_MergeSettings], founder: int, found: Iterator[_MemberRow]) -> list[_MergedRow]:
    settings, rows = shared.value, list(found)
    before = rows.pop(0) if rows[0].ordinal == _BEFORE else None
    if not rows:
        return []
    suppressed = [settings.suppressed.get(row.ordinal, ()) for row in rows]
    fingerprints = [
        public_fingerprint(row.fingerprint or b"", values) for row, values in zip(rows, suppressed, strict=True)
    ]
    made_by = input_digest(settings.made_with, fingerprints)
    if before is not None and before.made_by == made_by and before.sources is not None:
        return [(founder, before.mods, before.sources, made_by)]
    ids = [RecordId(row.source or "", row.control_number or "") for row in rows]
    with located_errors(f"merge: the cluster of record {ids[0]} cannot be merged"):
        mods = [public_mods(_MODS.decode(row.mods), values) for row, values in zip(rows, suppressed, strict=True)]
        merged = merge_records(Cluster(ids[0], tuple(ids)), list(zip(ids, mods, strict=True)), settings.policies)
    return [(founder, _ENCODER.encode(merged.mods), _ENCODER.encode(merged.sources), made_by)]


FIRST, AGAIN = "described_first", "described_again"
"""The tables of the two passes; a cluster that is in the second is outdated in the first."""

_INPUTS = ("records", "members", "merged", "edges", "active_suppression")

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
    flavour: str | None = None


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
    settings = _Settings(made_with, engine.iris, engine.config.triplify, suppressed_values(engine))
    compute = partial(_describe_cluster, engine.broadcast(settings))

    def describe(rows: DataFrame) -> DataFrame:
        nested = {field.name: field.dataType for field in spark_schema(FIRST)}
        for name in ("dependencies", "assertions"):
            if name not in rows.columns:
                rows = rows.withColumn(name, sql.lit(None).cast(nested[name]))
        order = ("kind", "ordinal", "other", "source", "control_number")
        return map_groups(rows, _Row, compute, SCHEMAS[FIRST], ["founder"], order)

    def described_first() -> DataFrame:
        if engine.options.rebuild:
            return describe(_rows(engine))
        before = described(tables.before(FIRST), tables.before(AGAIN)).selectExpr(
            "founder", _kind(_Kind.BEFORE), "quads AS body", "made_by", "dependencies", "assertions"
        )
        return describe(_rows(engine).unionByName(before, allowMissingColumns=True))

    def assumed() -> DataFrame:
        """Return which records each cluster names, and whether the first pass took them to be in the catalog."""
        found = tables.read(FIRST).selectExpr("founder", "inline(dependencies)")
        return found.withColumnRenamed("existed", "assumed")

    def dependencies() -> DataFrame:
        live = live_records(engine).select("source", "control_number", sql.lit(True).alias("found"))
        named = assumed().drop("assumed").join(live, ["source", "control_number"], "left")
        existed = sql.coalesce("found", sql.lit(False)).alias("existed")
        return named.select("source", "control_number", "founder", existed)

    def described_again() -> DataFrame:
        found = tables.read("existence_dependencies")
        both = assumed().join(found, ["founder", "source", "control_number"])
        outdated = both.where(sql.col("assumed") != sql.col("existed")).select("founder").distinct()
        named = found.where("existed").join(outdated, "founder", "left_semi")
        named = named.selectExpr("founder", _kind(_Kind.NAMED), "source", "control_number")
        rows = _rows(engine).join(outdated, "founder", "left_semi")
        return describe(rows.unionByName(named, allowMissingColumns=True))

    def assertions() -> DataFrame:
        return described(tables.read(FIRST), tables.read(AGAIN)).selectExpr("founder", "inline(assertions)")

    made_by = tables.made_by(made_with, inputs=_INPUTS)
    is_new = engine.step(FIRST, made_by, "triplify: clusters", described_first)
    dependent = tables.made_by(inputs=(FIRST, "records"))
    doing = "triplify: records that clusters name"
    engine.step("existence_dependencies", dependent, doing, dependencies, sort=("founder",))
    made_by = tables.made_by(inputs=(FIRST, "existence_dependencies"))
    engine.step(AGAIN, made_by, "triplify: clusters that name other records", described_again)
    made_by = tables.made_by(inputs=(FIRST, AGAIN))
    engine.step("assertions", made_by, "triplify: assertions", assertions, sort=("founder",))
    if is_new and (engine.options.rebuild or _has_other_authorities(engine)):
        warn_of_broken_references(live_authorities(engine), engine.progress)
        warn_of_uncatalogued_numbers(_numbers_cited(engine), engine.progress)
    return tables.rows(FIRST) if is_new else 0


def live_authorities(engine: Engine) -> Iterator[tuple[RecordId, Authority]]:
    """Yield the live authority records without suppressed values, in the order of their ordinals."""
    suppressed = suppressed_values(engine)
    rows = live_records(engine).where(IS_AUTHORITY).select("ordinal", "source", "control_number", "mods")
    for row in rows.orderBy("ordinal").toLocalIterator():
        authority = public_authority(_AUTHORITY.decode(bytes(row.mods)), suppressed.get(row.ordinal, ()))
        yield RecordId(row.source, row.control_number), authority


def _has_other_authorities(engine: Engine) -> bool:
    """Whether authority records are new, changed or deleted since the last run."""
    columns = ["ordinal", "made_by", "status"]
    tables = engine.tables
    now, before = (
        rows.where(IS_AUTHORITY).select(*columns) for rows in (tables.read("records"), tables.before("records"))
    )
    changed = now.join(before, columns, "left_anti").unionByName(before.join(now, columns, "left_anti"))
    return changed.limit(1).count() > 0


def _numbers_cited(engine: Engine) -> Iterator[tuple[bytes, RecordId, bool]]:
    """Yield the assertions that ``warn_of_uncatalogued_numbers`` needs."""
    has_number = sql.locate(NUMBER_MARK, sql.col("body").cast("string")) > 0
    records = live_records(engine).selectExpr("ordinal AS founder", "source", "control_number", "flavour")
    rows = engine.tables.read("assertions").where(has_number).join(records, "founder")
    for row in rows.select("body", "source", "control_number", "flavour").toLocalIterator():
        yield bytes(row.body), RecordId(row.source, row.control_number), row.flavour in AUTHORITY_FLAVOURS


def described(first: DataFrame, again: DataFrame) -> DataFrame:
    """Return the clusters with their statements from the tables of the two passes."""
    return first.join(again.select("founder"), "founder", "left_anti").unionByName(again)


# -- rows ------------------------------------------------------------------------------------------------------------


def _kind(kind: _Kind) -> str:
    """Return the column ``kind`` as an expression of SQL."""
    return f"CAST({int(kind)} AS LONG) AS kind"


def live_records(engine: Engine) -> DataFrame:
    """Return the rows of the records that are live."""
    return engine.tables.read("records").where(sql.col("status") == RecordStatus.LIVE.value)


def _rows(engine: Engine) -> DataFrame:
    """Return the members, descriptions and edges of all clusters."""
    members = engine.tables.read("members")
    records = (
        live_records(engine)
        .join(members, "ordinal", "left")
        .selectExpr(
            "coalesce(founder, ordinal) AS founder",
            _kind(_Kind.MEMBER),
            "ordinal",
            "source",
            "control_number",
            "made_by AS fingerprint",
            "if(founder IS NULL, mods, NULL) AS body",
            "flavour",
        )
    )
    merged = engine.tables.read("merged")
    merged = merged.selectExpr("founder", _kind(_Kind.MERGED), "mods AS body", "sources", "made_by")
    left = members.selectExpr("ordinal AS left_ordinal", "founder")
    right = members.selectExpr("ordinal AS right_ordinal", "founder AS other_founder")
    inside = engine.tables.read("edges").join(left, "left_ordinal").join(right, "right_ordinal")
    edges = inside.where("founder = other_founder").selectExpr(
        "founder", _kind(_Kind.EDGE), "left_ordinal AS ordinal", "right_ordinal AS other", "body", "made_by"
    )
    rows = records.unionByName(merged, allowMissingColumns=True)
    return rows.unionByName(edges, allowMissingColumns=True)


# -- tasks -----------------------------------------------------------------------------------------------------------


def _describe_cluster(shared: Broadcast[_Settings], founder: int, found: Iterator[_Row]) -> list[_DescribedRow]:
    settings, rows = shared.value, list(found)
    members = [row for row in rows if row.kind == _Kind.MEMBER]
    if not members:
        return []
    ids = {row.ordinal: RecordId(row.source or "", row.control_number or "") for row in members}
    cluster = Cluster(ids[members[0].ordinal], tuple(ids.values()))
    fingerprints = [
        public_fingerprint(row.fingerprint or b"", settings.suppressed.get(row.ordinal or 0, ())) for row in members
    ]
    merged = next((row for row in rows if row.kind == _Kind.MERGED), None)
    with located_errors(f"triplify: the cluster of record {cluster.founder} cannot be described"):
        edges = _edges(rows, ids)
        description = None if merged is None or len(members) == 1 else merged.made_by
        made_by = statements_digest(settings.made_with, fingerprints, description, edges)
        before = next((row for row in rows if row.kind == _Kind.BEFORE), None)
        if before is not None and before.made_by == made_by:
            return [(founder, before.body or b"", made_by, before.dependencies or [], before.assertions or [])]
        named = {RecordId(row.source or "", row.control_number or "") for row in rows if row.kind == _Kind.NAMED}
        result = _statements(settings, cluster, members, merged, edges, named)
    dependencies: list[dict[str, object]] = [
        {"source": record.source, "control_number": record.control_number, "existed": record in named}
        for record in result.existence_dependencies
    ]
    assertions: list[dict[str, object]] = [
        {"entity": entity, "body": body, "votes": votes}
        for (entity, body), votes in sorted(encode_assertions(result.claims).items())
    ]
    return [(founder, "".join(result.quads).encode(), made_by, dependencies, assertions)]


def _statements(
    settings: _Settings,
    cluster: Cluster,
    members: Sequence[_Row],
    merged: _Row | None,
    edges: Sequence[Edge],
    named: set[RecordId],
) -> ClusterStatements:
    """Return the statements of a cluster, or of an authority record; ``named`` are the records that exist."""
    body, suppressed = members[0].body or b"", settings.suppressed.get(members[0].ordinal or 0, ())
    if members[0].flavour in AUTHORITY_FLAVOURS:
        authority = public_authority(_AUTHORITY.decode(body), suppressed)
        return authority_statements(cluster.founder, authority, settings.iris, settings.triplify, named.__contains__)
    if merged is None or len(members) == 1:
        description = Merged(cluster, public_mods(_MODS.decode(body), suppressed), ())
    else:
        description = Merged(cluster, _MODS.decode(merged.body or b""), _SOURCES.decode(merged.sources or b""))
    return cluster_statements(description, edges, settings.iris, settings.triplify, named.__contains__)


def _edges(rows: Iterable[_Row], ids: dict[int | None, RecordId]) -> list[Edge]:
    edges = [
        read_edge(
            Pair.from_records(ids[row.ordinal], ids[row.other]), row.body or b"", row.made_by or "", is_brief=True
        )
        for row in rows
        if row.kind == _Kind.EDGE
    ]
    return sorted(edges, key=lambda edge: edge.pair)
