"""Cluster and describe the entities that clusters of records name; keep their links; let statements name founders."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from functools import partial

import msgspec
from pyspark import Broadcast
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sql

from bibld.catalog import RegisteredFile, digest, to_moved
from bibld.config import Dialect
from bibld.errors import StageError
from bibld.link import describe_link_sets
from bibld.model.authority import AUTHORITY_FLAVOURS
from bibld.model.iris import Iris, entity_identity
from bibld.model.origin import RecordId
from bibld.progress import with_number
from bibld.spark._clusters import connected_components
from bibld.spark._descriptions import AGAIN, FIRST, described, live_records
from bibld.spark._engine import Engine
from bibld.spark._frames import (
    SCHEMAS,
    arrow_schema,
    broadcast_if_few,
    located_errors,
    map_groups,
    map_rows,
    small_frame,
)
from bibld.triplify import (
    Assertion,
    describe_entity_clusters,
    keys_of_assertion,
    read_assertion,
    settings_digest,
    tombstone_statements,
    verdicts_by_identity,
)

SUMMED, TIES, COMPONENTS, DESCRIBED = "entity_assertions", "entity_ties", "entity_components", "described_entities"

MAX_COMPONENT_BYTES = 512 << 20
"""Bytes of the assertions about entities that are tied to each other, which one task describes: it needs some four
times as much memory."""

_EntityRow = tuple[str, str, bytes | None, tuple[str, ...]]


class _Row(msgspec.Struct, frozen=True, gc=False):
    """An assertion about an entity, in the component that the entity belongs to."""

    component: int
    entity: str
    body: bytes
    votes: int


class _Asserted(msgspec.Struct, frozen=True, gc=False):
    entity: str
    body: bytes


class _Settings(msgspec.Struct, frozen=True):
    """``verdicts``: decisions of people (same or different) by two identities in their order."""

    iris: Iris
    verdicts: dict[tuple[str, str], str]
    dialects: tuple[Dialect, ...]


def cluster_entities(engine: Engine) -> int:
    """Write the table of described entities: the IRI of each, that of its founder, and the quads of founders.

    Entities that are connected by ties or verdicts are processed together. The components are found by hashes of the
    ties: two different ties with one hash make a component larger, which changes nothing. Returns the number of
    entities, 0 if their table was complete.
    """
    tables = engine.tables
    verdicts = entity_verdicts(engine)

    def summed() -> DataFrame:
        return tables.read("assertions").groupBy("entity", "body").agg(sql.sum("votes").alias("votes"))

    def components() -> DataFrame:
        edges = tables.read(TIES)
        if verdicts:
            pairs = small_frame(engine.spark, list(verdicts), "one string, other string")
            edges = edges.unionByName(pairs.select(_hash("one", "left"), _hash("other", "right")))
            identities = sorted({identity for pair in verdicts for identity in pair})
            keys = _keys_of_entities(tables.read(SUMMED)).where(sql.col("key").isin(identities))
            edges = edges.unionByName(keys.select(_hash("key", "left"), _hash("entity", "right")))
        return connected_components(engine, edges)

    def entities() -> DataFrame:
        rows = tables.read(SUMMED).withColumn("node", sql.xxhash64("entity"))
        rows = rows.join(tables.read(COMPONENTS), "node", "left")
        rows = rows.select(sql.coalesce("component", "node").alias("component"), "entity", "body", "votes")
        compute = partial(
            _describe_component, engine.broadcast(_Settings(engine.iris, verdicts, engine.config.triplify.dialects))
        )
        return map_groups(rows, _Row, compute, SCHEMAS[DESCRIBED], ["component"], ["entity", "body"])

    made_by = tables.made_by(inputs=("assertions",))
    engine.step(SUMMED, made_by, "triplify: assertions about entities", summed, sort=("entity",))
    made_by = tables.made_by(inputs=(SUMMED,))
    engine.step(TIES, made_by, "triplify: ties of entities", lambda: _ties(tables.read(SUMMED)))
    made_by = tables.made_by(inputs=(TIES, "register_entity_verdict"))
    engine.step(COMPONENTS, made_by, "triplify: components of entities", components)
    made_with = settings_digest(engine.config.dataset.base, engine.config.triplify)
    made_by = tables.made_by(made_with, inputs=(SUMMED, COMPONENTS, "register_entity_verdict"))
    is_new = engine.step(DESCRIBED, made_by, "triplify: entities", entities, sort=("iri",))
    return tables.rows(DESCRIBED) if is_new else 0


def entity_verdicts(engine: Engine) -> dict[tuple[str, str], str]:
    """Return the verdicts about entities that are in force, by their identities; the last one of a pair is."""
    rows = engine.tables.read("register_entity_verdict").groupBy("left_path", "right_path")
    found = rows.agg(sql.max_by("decision", "verdict").alias("decision")).collect()
    decisions = {(left, right): decision for left, right, decision in sorted(map(tuple, found))}
    return verdicts_by_identity(engine.iris, decisions)


def _ties(summed: DataFrame) -> DataFrame:
    """Return edges between hashes of entities: each entity with a key, and the smallest one with the same key."""
    pairs = _keys_of_entities(summed).select(_hash("key", "key"), _hash("entity", "node"))
    shared = pairs.groupBy("key").agg(sql.min("node").alias("left"), sql.max("node").alias("last"))
    shared = shared.where(sql.col("left") < sql.col("last")).select("key", "left")
    edges = pairs.join(shared, "key").where(sql.col("node") != sql.col("left"))
    return edges.select("left", sql.col("node").alias("right")).distinct()


def _hash(column: str, name: str) -> Column:
    return sql.xxhash64(column).alias(name)


def _keys_of_entities(summed: DataFrame) -> DataFrame:
    """Return each entity with the keys that tie it to others: its identity, and those of its assertions."""
    return map_rows(summed, _Asserted, _keys, arrow_schema("entity key"), size=5000).distinct()


def _keys(rows: Iterator[_Asserted]) -> Iterator[tuple[str, str]]:
    for row in rows:
        yield row.entity, entity_identity(row.entity)
        yield from ((row.entity, key) for key in keys_of_assertion(row.body).ties)


def _describe_component(shared: Broadcast[_Settings], _: int, rows: Iterator[_Row]) -> Iterator[_EntityRow]:
    """Describe the entities of one component; its rows are sorted by entity."""
    settings = shared.value
    assertions: dict[str, list[tuple[Assertion, int]]] = {}
    size = 0
    for row in rows:
        size += len(row.body)
        if size > MAX_COMPONENT_BYTES:
            raise StageError(
                f"triplify: more entities are tied to {min(assertions, default=row.entity)} than one task has room for"
                f" ({len(assertions)} entities, {size >> 20} MB of assertions); correct the identifier that they share"
            )
        assertions.setdefault(row.entity, []).append((read_assertion(row.body), row.votes))
    with located_errors(f"triplify: the entities tied to {min(assertions)} cannot be described"):
        described = list(describe_entity_clusters(settings.iris, settings.verdicts, assertions, settings.dialects))
    for one in described:
        founder = one.members[0]
        for member in one.members:
            is_founder = member == founder
            yield member, founder, one.quads or None if is_founder else None, one.parts if is_founder else ()


def keep_links(engine: Engine) -> int:
    """Remove the links of entities that no longer have a description, and describe the link sets again.

    Reports how many entities are new, and so without links. Returns the number of links that were removed.
    """
    tables = engine.tables
    is_linked = tables.rows("links") or tables.rows("authority_files")
    if not is_linked or tables.changed().keys().isdisjoint(("links", "entities")):
        return 0
    with engine.job("triplify: links"):
        described = tables.read("entities").where("iri = founder AND quads IS NOT NULL").selectExpr("iri AS entity")
        removed = tables.read("links").join(described, "entity", "left_anti").count()
        if removed:
            made_by = tables.made_by(inputs=("links", "entities"))
            kept = tables.read("links").join(described, "entity", "left_semi")
            tables.write("links", made_by, kept, sort=("entity",))
            tables.write("link_sets", tables.made_by(inputs=("links", "authority_files")), _link_sets(engine))
        before = tables.before("entities").select(sql.col("iri").alias("entity"))
        new = described.join(before, "entity", "left_anti").count()
    if new and tables.rows("authority_files"):
        file = shlex.quote(str(engine.config.file))
        engine.progress.report(
            f"triplify: {with_number(new, 'new entity', 'new entities')} without links to authority files; to link, run"
            f" `bibld workspace convert {file} --to local`, then `bibld run {file} --engine local`"
        )
    return removed


def _link_sets(engine: Engine) -> DataFrame:
    links = engine.tables.read("links")
    counts = links.groupBy("link_set", "predicate", "status").count().collect()
    known = {
        row["name"]: msgspec.convert(row.asDict(), RegisteredFile)
        for row in engine.tables.read("authority_files").collect()
    }
    files: dict[str, list[RegisteredFile]] = {}
    accepted = links.where("status = 'accepted'").select("link_set", "file").distinct()
    for name, file in sorted(map(tuple, accepted.collect())):
        if file in known:
            files.setdefault(name, []).append(known[file])
    found = describe_link_sets(sorted(map(tuple, counts)), files, engine.iris)
    return small_frame(engine.spark, sorted(found.items()), "name string, quads string")


_TOMBSTONE_INPUTS = (
    "register_redirect", "register_event", "register_ordinal", "records", "active_suppression",
)  # fmt: skip


class _Deleted(msgspec.Struct, frozen=True):
    """A deleted record, when it was deleted, and the record that its IRI redirects to."""

    ordinal: int
    source: str
    control_number: str
    deleted: str | None
    flavour: str | None
    target_source: str | None
    target_number: str | None


class _Named(msgspec.Struct, frozen=True):
    """What owns statements, and the entities that they name by other IRIs than those of their founders."""

    owner: str
    moved: list[dict[str, str]]


def point_to_founders(engine: Engine) -> int:
    """Write the tables ``statements`` and ``entities``; return the number of owners of statements."""
    tables = engine.tables
    found = tables.read(DESCRIBED)
    others = found.where("iri <> founder").select("iri", sql.col("founder").alias("founder_iri"))

    made_by = tables.made_by(inputs=(DESCRIBED,))
    if not tables.is_complete("entities", made_by):
        parts = found.where("quads IS NOT NULL").selectExpr("iri AS owner", "explode(parts) AS iri")
        moved = _moved(parts.join(others, "iri")).withColumnRenamed("owner", "iri")
        with engine.job("triplify: entities that descriptions name"), broadcast_if_few(moved) as rows:
            entities = found.join(rows, "iri", "left").select("iri", "founder", "quads", "moved")
            tables.write("entities", made_by, entities)
    tables.use("entities", made_by)

    made_with = settings_digest(engine.config.dataset.base, engine.config.triplify)
    made_by = tables.made_by(made_with, inputs=(FIRST, AGAIN, "assertions", DESCRIBED, *_TOMBSTONE_INPUTS))
    if not tables.is_complete("statements", made_by):
        named = tables.read("assertions").selectExpr("CAST(founder AS STRING) AS owner", "entity AS iri")
        moved = _moved(named.join(others, "iri").distinct())
        moved = moved.selectExpr("CAST(owner AS LONG) AS founder", "moved")
        result = described(tables.read(FIRST), tables.read(AGAIN)).select("founder", "quads", "made_by")
        with engine.job("triplify: statements"), broadcast_if_few(moved) as rows:
            tombstones = _tombstones(engine, made_with)
            statements = result.join(rows, "founder", "left").unionByName(tombstones, allowMissingColumns=True)
            tables.write("statements", made_by, statements)
    tables.use("statements", made_by)
    return tables.rows("statements") + tables.rows("entities")


def _moved(named: DataFrame) -> DataFrame:
    """Return the stored form of the founders by owner, from rows with the columns owner, iri, founder_iri."""
    one = sql.struct("iri", sql.col("founder_iri").alias("founder"))
    grouped = named.groupBy("owner").agg(sql.collect_list(one).alias("moved"))
    return map_rows(grouped, _Named, _encode_moved, arrow_schema("owner moved"))


def _encode_moved(rows: Iterator[_Named]) -> Iterator[tuple[str, str | None]]:
    return ((row.owner, to_moved({one["iri"]: one["founder"] for one in row.moved})) for row in rows)


# -- tombstones ------------------------------------------------------------------------------------------------------


def deletion_times(engine: Engine) -> DataFrame:
    """Return when each record was last deleted: its ordinal, and the time of the run."""
    events = engine.tables.read("register_event").where("kind = 'deleted'")
    return events.groupBy("ordinal").agg(sql.max_by("run_time", "event").alias("deleted"))


def _tombstones(engine: Engine, made_with: str) -> DataFrame:
    tables = engine.tables
    suppressed = tables.read("active_suppression").where("value = ''").select("ordinal").distinct()
    ids = tables.read("register_ordinal").select("ordinal", "source", "control_number")
    targets = ids.join(suppressed, "ordinal", "left_anti").toDF("target", "target_source", "target_number")
    deleted = (
        tables.read("register_redirect")
        .join(live_records(engine).select("ordinal"), "ordinal", "left_anti")
        .join(suppressed, "ordinal", "left_anti")
        .join(ids, "ordinal")
        .join(deletion_times(engine), "ordinal", "left")
        .join(targets, "target", "left")
        .join(tables.read("records").select("ordinal", "flavour"), "ordinal", "left")
    )
    make = partial(_make_tombstones, engine.broadcast(engine.iris), made_with)
    return map_rows(deleted, _Deleted, make, SCHEMAS["statements"])


def _make_tombstones(iris: Broadcast[Iris], made_with: str, rows: Iterator[_Deleted]) -> Iterator[Sequence[object]]:
    for row in rows:
        replacement = None
        if row.target_source is not None and row.target_number is not None:
            replacement = RecordId(row.target_source, row.target_number)
        record = RecordId(row.source, row.control_number)
        is_authority = row.flavour in AUTHORITY_FLAVOURS
        quads = tombstone_statements(iris.value, record, row.deleted, replacement, is_authority)
        yield row.ordinal, quads, digest(made_with, quads.decode()), None
