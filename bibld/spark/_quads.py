"""All quads of a run in blocks of lines, counted, and compared with those of the last release.

A block has the lines of a cluster, of an entity, of the links, or of the sources.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import IntEnum
from functools import partial

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from bibld.catalog import IS_PUBLICATION, LoadCounts
from bibld.documents import Change, ChangeKind, Lines, compare_documents
from bibld.ingest import describe_sources, with_former_sources
from bibld.model.origin import RecordId
from bibld.model.rdf import replace_entities
from bibld.model.release import Figures, Manifest, QuadCounts
from bibld.pipeline import EXAMPLES
from bibld.spark._descriptions import live_records
from bibld.spark._engine import Engine
from bibld.spark._entities import deletion_times
from bibld.spark._frames import (
    SCHEMAS,
    arrow_schema,
    map_groups,
    map_rows,
    rows_of,
    small_frame,
    spark_schema,
    struct_schema,
    to_batch,
)
from bibld.triplify import BlockCounts, count_blocks, withdrawal_quads


class Owner(IntEnum):
    """What owns a block, in the order of the dumps."""

    CLUSTER = 0
    ENTITY = 1
    LINK = 2
    LINK_SET = 3
    SOURCES = 4
    DESCRIPTION = 5
    """Lines that only documents have: about the dataset, and about withdrawn records."""


class Block(msgspec.Struct, frozen=True, gc=False):
    """The quads of one owner, those of the default graph first.

    ``owner`` is what it is, ``number`` the founder of a cluster (else 0), ``name`` an IRI or another text (else empty).
    """

    owner: int
    number: int
    name: str
    quads: bytes
    moved: str | None

    @property
    def lines(self) -> bytes:
        """The quads as they are published: they point to the founders of entities."""
        return replace_entities(self.quads, msgspec.json.decode(self.moved)) if self.moved else self.quads


KEY = ("owner", "number", "name")
"""The columns that name the owner of a block; the dumps are sorted by them."""


_BLOCKS = {
    Owner.CLUSTER: ("statements", "founder", "''", "quads", "moved"),
    Owner.ENTITY: ("entities", "0", "iri", "quads", "moved"),
    Owner.LINK: (
        "links",
        "0",
        "concat_ws(' ', entity, link_set, target)",
        "if(quad <> '', concat(quad, '\\n'), NULL)",
        "NULL",
    ),
    Owner.LINK_SET: ("link_sets", "0", "name", "quads", "NULL"),
}
"""Owner → the table of its quads, and expressions of ``number``, ``name``, ``quads`` and ``moved``."""

TABLES = tuple(table for table, *_ in _BLOCKS.values())
"""The tables that contain all quads but those about the sources."""


def all_blocks(
    engine: Engine, source_statements: Iterable[str], versions: Mapping[str, str] | None = None
) -> DataFrame:
    """Return the blocks of this run, or those of certain versions of the tables.

    ``source_statements`` are the lines about the sources, which are in no table.
    """
    blocks = block_of_lines(engine, Owner.SOURCES, source_statements)
    for owner, (name, number, text, quads, moved) in _BLOCKS.items():
        table = engine.tables.read(name) if versions is None else engine.tables.stored(name, versions[name])
        rows = table.selectExpr(
            f"CAST({int(owner)} AS LONG) AS owner",
            f"CAST({number} AS LONG) AS number",
            f"{text} AS name",
            f"CAST({quads} AS BINARY) AS quads",
            f"CAST({moved} AS STRING) AS moved",
        )
        blocks = blocks.unionByName(rows.where("quads IS NOT NULL"))
    return blocks


def block_of_lines(engine: Engine, owner: Owner, lines: Iterable[str]) -> DataFrame:
    """Return one block of lines that are in no table."""
    row = Block(int(owner), 0, "", "".join(lines).encode(), None)
    return small_frame(engine.spark, [msgspec.structs.astuple(row)], spark_schema(struct_schema(Block)))


COUNTS = pa.schema([("kind", pa.string()), ("key", pa.list_(pa.binary())), ("number", pa.int64())])
COUNTED_COLUMNS = "kind string, key array<binary>, number long"

_BLOCKS_AT_ONCE = 1000
_PORTIONS_AT_ONCE = 100
_OBJECT = "object"
"""Rows of this kind are hashes of objects; the same one occurs in many partitions."""

_COUNTERS = ("classes", "properties", "graphs", "links")
_SUMS = ("subjects", "entities")


CountBlocks = Callable[[Iterable[bytes]], BlockCounts]


class BlockCounter:
    """Counts the blocks of one partition; the rows are those of the table of counts, one for each different object."""

    def __init__(self, count: CountBlocks) -> None:
        self._count_blocks = count
        self._total = _nothing()
        self._blocks: list[bytes] = []
        self._objects: list[npt.NDArray[np.uint64]] = []

    def add(self, lines: bytes) -> None:
        """Add the lines of one block."""
        self._blocks.append(lines)
        if len(self._blocks) == _BLOCKS_AT_ONCE:
            self._count()

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield what was counted; nothing can be added afterwards."""
        self._count()
        objects = np.unique(np.concatenate(self._objects))
        columns = [
            pa.array([_OBJECT] * len(objects), pa.string()),
            pa.nulls(len(objects), pa.list_(pa.binary())),
            pa.array(objects.view(np.int64)),
        ]
        yield pa.RecordBatch.from_arrays(columns, schema=COUNTS)
        rows: list[tuple[str, list[bytes], int]] = [(kind, [], getattr(self._total, kind)) for kind in _SUMS]
        for kind in _COUNTERS:
            for key, number in getattr(self._total, kind).items():
                rows.append((kind, list(key) if kind == "links" else [key], number))
        yield to_batch(rows, COUNTS)

    def _count(self) -> None:
        counts = self._count_blocks(self._blocks)
        self._blocks = []
        self._total.add(counts)
        self._objects.append(counts.objects)
        if len(self._objects) > _PORTIONS_AT_ONCE:
            self._objects = [np.unique(np.concatenate(self._objects))]


def count_of_blocks(engine: Engine) -> CountBlocks:
    """Return how the blocks of a dataset are counted."""
    in_default_graph = engine.config.graph_in_default.encode()
    return partial(count_blocks, base=engine.iris.base.encode(), in_default_graph=in_default_graph)


def count_quads(engine: Engine, blocks: DataFrame) -> QuadCounts:
    """Count the quads of all blocks, in one pass over them."""
    return sum_counts(engine, blocks.mapInArrow(partial(_count, count_of_blocks(engine)), COUNTED_COLUMNS))


def sum_counts(engine: Engine, counted: DataFrame) -> QuadCounts:
    """Sum the rows that :class:`BlockCounter` made; they are computed twice unless they are stored."""
    objects = counted.where(sql.col("kind") == _OBJECT).select("number").distinct().count()
    rows = counted.where(sql.col("kind").isin(*_SUMS, *_COUNTERS))
    total = _nothing()
    for kind, key, number in rows.groupBy("kind", "key").agg(sql.sum("number")).collect():
        if kind in _SUMS:
            setattr(total, kind, int(number))
        else:
            terms = tuple(bytes(term) for term in key)
            getattr(total, kind)[terms if kind == "links" else terms[0]] = int(number)
    return total.to_quad_counts(objects, engine.config.graph_in_default)


def _nothing() -> BlockCounts:
    return BlockCounts(Counter(), Counter(), Counter(), Counter(), 0, 0, np.empty(0, np.uint64))


def _count(count: CountBlocks, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    counter = BlockCounter(count)
    for block in rows_of(batches, Block):
        counter.add(block.lines)
    return counter.batches()


CHANGED_QUADS, CHANGED_DOCUMENTS = "quad_changes", "document_changes"


class ChangedLine(msgspec.Struct, frozen=True, gc=False):
    """A quad, without line end, that was added or removed."""

    line: bytes
    added: bool


class _Piece(msgspec.Struct, frozen=True, gc=False):
    """Lines of the document with a path, after the run or before it."""

    path: str
    is_after: bool
    lines: bytes


def write_changed_quads(engine: Engine, made_by: str, now: DataFrame, before: DataFrame) -> DataFrame:
    """Write the lines that were added and removed.

    A line may move from one owner to another: then it is in neither list.
    """
    with engine.job("publish: changed quads"):
        owners = _changed_owners(now, before)
        added, removed = (
            map_rows(blocks.join(owners, list(KEY), "left_semi"), Block, _lines, _LINE, 5000).withColumn("sign", sign)
            for blocks, sign in ((now, sql.lit(1)), (before, sql.lit(-1)))
        )
        sums = added.unionByName(removed).groupBy("line").agg(sql.sum("sign").alias("sum"))
        changes = sums.where("sum <> 0").select("line", (sql.col("sum") > 0).alias("added"))
        return engine.tables.write(CHANGED_QUADS, made_by, changes, sort=("line",))


def _changed_owners(now: DataFrame, before: DataFrame) -> DataFrame:
    """Return the keys of the blocks that are not the same in both."""
    digest = sql.sha2(sql.concat("quads", sql.coalesce(sql.col("moved"), sql.lit("")).cast("binary")), 256)
    keys = [now.select(*KEY, digest.alias("now")), before.select(*KEY, digest.alias("before"))]
    both = keys[0].join(keys[1], list(KEY), "full_outer")
    return both.where(~sql.col("now").eqNullSafe(sql.col("before"))).select(*KEY)


_LINE = arrow_schema("line:bytes")


def _lines(blocks: Iterator[Block]) -> Iterator[tuple[bytes]]:
    return ((line,) for block in blocks for line in block.lines.splitlines())


# -- documents -------------------------------------------------------------------------------------------------------


def write_changed_documents(engine: Engine, made_by: str, now: DataFrame, before: DataFrame) -> Iterable[Change]:
    """Write how the documents of IRIs differ; return the changes in the order of their paths.

    The blocks have to contain the lines that only documents have, too.
    """
    base = engine.iris.base
    with engine.job("publish: changed documents"):
        both = _changed_owners(now, before)
        changed = now.join(both, list(KEY), "left_semi").unionByName(before.join(both, list(KEY), "left_semi"))
        paths = map_rows(changed, Block, partial(_paths, base), arrow_schema("path")).distinct()
        pieces = [
            map_rows(blocks, Block, partial(_split, base, is_after), struct_schema(_Piece))
            for blocks, is_after in ((now, True), (before, False))
        ]
        found = pieces[0].unionByName(pieces[1]).join(paths, "path", "left_semi")
        changes = map_groups(found, _Piece, partial(_compare, base), SCHEMAS[CHANGED_DOCUMENTS], ["path"])
        table = engine.tables.write(CHANGED_DOCUMENTS, made_by, changes, sort=("path",))
        rows = table.orderBy("path").collect()
    return [Change(row[0], ChangeKind(row[1]), *row[2:]) for row in map(tuple, rows)]


def _paths(base: str, blocks: Iterator[Block]) -> Iterator[tuple[str]]:
    lines = Lines(base)
    return ((path.decode(),) for block in blocks for path in lines.split(block.lines))


def _split(base: str, is_after: bool, blocks: Iterator[Block]) -> Iterator[_Piece]:
    """Yield the lines of each block by the paths of their documents."""
    lines = Lines(base)
    for block in blocks:
        for path, own in lines.split(block.lines).items():
            yield _Piece(path.decode(), is_after, b"\n".join(own))


def _compare(base: str, path: str, pieces: Iterator[_Piece]) -> list[tuple[object, ...]]:
    lines: dict[bool, set[bytes]] = {False: set(), True: set()}
    for piece in pieces:
        lines[piece.is_after].update(piece.lines.split(b"\n"))
    change = compare_documents(base, path, lines[False], lines[True])
    return [] if change is None else [(change.path, change.kind.value, *msgspec.structs.astuple(change)[2:])]


# -- figures ---------------------------------------------------------------------------------------------------------


def count_figures(engine: Engine, before: Manifest | None) -> Figures:
    """Return the figures of the dataset; ``before`` describes the release of the last committed run."""
    tables = engine.tables
    live = live_records(engine)
    by_source = {source: int(number) for source, number in live.groupBy("source").count().collect()}
    loads = [LoadCounts(*map(row.__getitem__, LoadCounts.__struct_fields__)) for row in tables.read("loads").collect()]
    sources = describe_sources(engine.config, loads, by_source)
    configured = {source.id for source in engine.config.sources}
    kept = {load.source for load in loads if load.source not in configured and by_source.get(load.source)}
    if kept and before is not None:
        sources = with_former_sources(sources, kept, before.figures.sources)
    merged = int(tables.read("members").select("founder").distinct().count())
    records = live.where(IS_PUBLICATION).count()
    clusters = records - tables.rows("members") + merged
    entities = tables.read("entities").where(sql.col("quads").isNotNull()).count()
    redirected = tables.read("register_redirect").join(live.select("ordinal"), "ordinal", "left_anti")
    suppressed = tables.read("active_suppression").where("value = ''").select("ordinal")
    deleted = redirected.join(suppressed, "ordinal", "left_anti").count()
    return Figures(sources, records, clusters, merged, records - clusters, 0, entities, deleted)


def example_resources(engine: Engine) -> list[str]:
    """Return the IRIs of some resources: of the clusters with most members, then of the first records."""
    live = live_records(engine).where(IS_PUBLICATION).select("ordinal", "source", "control_number")
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
