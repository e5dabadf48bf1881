"""Cluster the entities that clusters of records assert something about, and describe each cluster of entities."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from operator import attrgetter

import msgspec
import pyarrow as pa
from pyspark import Broadcast
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from bibld.errors import BibldError, StageError
from bibld.model.iris import Iris
from bibld.spark._components import connected_components
from bibld.spark._engine import Engine
from bibld.spark._frames import small_frame
from bibld.spark._schemas import SCHEMAS, spark_schema
from bibld.spark._stream import batches_of, groups, rows_of
from bibld.triplify import Assertion, describe_entity_clusters, keys_of_assertion, read_assertion, settings_digest

SUMMED, TIES, COMPONENTS, DESCRIBED = "entity_assertions", "entity_ties", "entity_components", "described_entities"

LARGEST_COMPONENT = 512 << 20
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
    """``verdicts``: decisions of people (same or different) by two IRIs in their order."""

    iris: Iris
    verdicts: dict[tuple[str, str], str]


def cluster_entities(engine: Engine) -> int:
    """Write the table of described entities: the IRI of each, that of its founder, and the quads of founders.

    Entities that are connected by ties or verdicts are processed together. The components are found by hashes of the
    ties: two different ties with one hash make a component larger, which changes nothing. Returns the number of
    entities, 0 if their table was complete.
    """
    tables = engine.tables
    with engine.job("triplify: assertions about entities"):
        settings = _Settings(engine.iris, entity_verdicts(engine))
        summed = tables.read("assertions").groupBy("entity", "body").agg(sql.sum("votes").alias("votes"))
        tables.write(SUMMED, tables.made_by(inputs=("assertions",)), summed, sort=("entity",))
    with engine.job("triplify: ties of entities"):
        tables.write(TIES, tables.made_by(inputs=(SUMMED,)), _ties(tables.read(SUMMED)))
    with engine.job("triplify: components of entities"):
        made_by = tables.made_by(inputs=(TIES, "register_entity_verdict"))
        if not tables.is_complete(COMPONENTS, made_by):
            edges = tables.read(TIES).select(sql.col("left").alias("a"), sql.col("right").alias("b"))
            edges = edges.unionByName(_verdict_edges(engine, settings.verdicts))
            tables.write(COMPONENTS, made_by, connected_components(engine, edges))
        tables.use(COMPONENTS, made_by)
    with engine.job("triplify: entities"):
        made_with = settings_digest(engine.config.dataset.base, engine.config.triplify)
        made_by = tables.made_by(made_with, inputs=(SUMMED, COMPONENTS, "register_entity_verdict"))
        was_complete = tables.is_complete(DESCRIBED, made_by)
        components = tables.read(COMPONENTS)
        rows = tables.read(SUMMED).withColumn("node", sql.xxhash64("entity")).join(components, "node", "left")
        rows = rows.select(sql.coalesce("component", "node").alias("component"), "entity", "body", "votes")
        rows = rows.repartition("component").sortWithinPartitions("component", "entity", "body")
        compute = partial(_describe, engine.broadcast(settings))
        tables.write(DESCRIBED, made_by, rows.mapInArrow(compute, spark_schema(DESCRIBED)), sort=("iri",))
    return 0 if was_complete else tables.rows(DESCRIBED)


def entity_verdicts(engine: Engine) -> dict[tuple[str, str], str]:
    """Return the verdicts about entities that are in force, by their IRIs; the last one of a pair is."""
    rows = engine.tables.read("register_entity_verdict").groupBy("left_path", "right_path")
    found = rows.agg(sql.max_by("decision", "verdict").alias("decision")).collect()
    base = engine.iris.base
    return {(base + left, base + right): decision for left, right, decision in sorted(map(tuple, found))}


def _ties(summed: DataFrame) -> DataFrame:
    """Return edges between hashes of entities: each entity with a key, and the smallest one with the same key."""
    keys = summed.select("entity", "body").mapInArrow(_keys, "entity string, key string").distinct()
    pairs = keys.select(sql.xxhash64("key").alias("key"), sql.xxhash64("entity").alias("node"))
    own = summed.select(sql.xxhash64("entity").alias("node")).distinct()
    pairs = pairs.unionByName(own.select(sql.col("node").alias("key"), "node")).distinct()
    shared = pairs.groupBy("key").agg(sql.min("node").alias("left"), sql.max("node").alias("last"))
    shared = shared.where(sql.col("left") < sql.col("last")).select("key", "left")
    edges = pairs.join(shared, "key").where(sql.col("node") != sql.col("left"))
    return edges.select("left", sql.col("node").alias("right")).distinct()


def _verdict_edges(engine: Engine, verdicts: Iterable[tuple[str, str]]) -> DataFrame:
    pairs = small_frame(engine.spark, list(verdicts), "one string, other string")
    return pairs.select(sql.xxhash64("one").alias("a"), sql.xxhash64("other").alias("b"))


_KEYS = pa.schema([("entity", pa.string()), ("key", pa.string())])


def _keys(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield each entity with the keys that tie it to others."""
    rows = ((row.entity, key) for row in rows_of(batches, _Asserted) for key in keys_of_assertion(row.body).ties)
    return batches_of(rows, _KEYS, size=5000)


def _describe(settings: Broadcast[_Settings], batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Describe the entities of one partition; its rows are sorted by component, then by entity."""
    made = (
        row
        for _, rows in groups(batches, _Row, attrgetter("component"))
        for row in _describe_component(settings.value, rows)
    )
    return batches_of(made, SCHEMAS[DESCRIBED])


def _describe_component(settings: _Settings, rows: Iterable[_Row]) -> Iterator[_EntityRow]:
    assertions: dict[str, list[tuple[Assertion, int]]] = {}
    size = 0
    for row in rows:
        size += len(row.body)
        if size > LARGEST_COMPONENT:
            raise StageError(
                f"triplify: more entities are tied to {min(assertions, default=row.entity)} than one task has room for"
                f" ({len(assertions)} entities, {size >> 20} MB of assertions); correct the identifier that they share"
            )
        assertions.setdefault(row.entity, []).append((read_assertion(row.body), row.votes))
    try:
        described = list(describe_entity_clusters(settings.iris, settings.verdicts, assertions))
    except BibldError:
        raise
    except Exception as error:
        cause = f"{type(error).__name__}: {error}"
        first = min(assertions)
        raise StageError(f"triplify: the entities tied to {first} cannot be described: {cause}") from error
    for one in described:
        founder = one.members[0]
        for member in one.members:
            is_founder = member == founder
            yield member, founder, one.quads or None if is_founder else None, one.parts if is_founder else ()
