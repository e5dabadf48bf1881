"""All quads of a run in blocks of lines, counted, and compared with those of the last release.

A block has the lines of a cluster, of an entity, of the links, or of the sources.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from enum import IntEnum
from functools import partial

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as sql

from bibld.documents import Change, ChangeKind, Lines, compare_documents
from bibld.model.rdf import replace_objects
from bibld.model.release import QuadCounts
from bibld.spark._engine import Engine
from bibld.spark._frames import (
    SCHEMAS,
    arrow_schema,
    map_groups,
    map_rows,
    rows_of,
    small_frame,
    spark_schema,
    struct_schema,
)
from bibld.triplify import BlockCounts, count_blocks

TABLES = ("statements", "entities", "links", "link_sets")
"""The tables that contain all quads but those about the sources."""


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
        return replace_objects(self.quads, msgspec.json.decode(self.moved)) if self.moved else self.quads


KEY = ("owner", "number", "name")
"""The columns that name the owner of a block; the dumps are sorted by them."""


def blocks_of(batches: Iterable[pa.RecordBatch]) -> Iterator[Block]:
    """Yield the blocks in batches of Arrow."""
    return rows_of(batches, Block)


def all_blocks(
    engine: Engine, source_statements: Iterable[str], versions: Mapping[str, str] | None = None
) -> DataFrame:
    """Return the blocks of this run, or those of certain versions of the tables.

    ``source_statements`` are the lines about the sources, which are in no table.
    """

    def read(name: str) -> DataFrame:
        return engine.tables.read(name) if versions is None else engine.tables.stored(name, versions[name])

    clusters = read("statements").select(
        _owner(Owner.CLUSTER), sql.col("founder").alias("number"), _text("").alias("name"), "quads", "moved"
    )
    entities = (
        read("entities")
        .where(sql.col("quads").isNotNull())
        .select(_owner(Owner.ENTITY), _no_number(), sql.col("iri").alias("name"), "quads", "moved")
    )
    key = sql.concat_ws(" ", "entity", "link_set", "target")
    links = (
        read("links")
        .where("quad <> ''")
        .select(
            _owner(Owner.LINK),
            _no_number(),
            key.alias("name"),
            sql.concat("quad", _text("\n")).cast("binary").alias("quads"),
            _text(None).alias("moved"),
        )
    )
    sets = read("link_sets").select(
        _owner(Owner.LINK_SET),
        _no_number(),
        "name",
        sql.col("quads").cast("binary").alias("quads"),
        _text(None).alias("moved"),
    )
    sources = block_of_lines(engine, Owner.SOURCES, source_statements)
    return clusters.unionByName(entities).unionByName(links).unionByName(sets).unionByName(sources)


def block_of_lines(engine: Engine, owner: Owner, lines: Iterable[str]) -> DataFrame:
    """Return one block of lines that are in no table."""
    row = Block(int(owner), 0, "", "".join(lines).encode(), None)
    return small_frame(engine.spark, [msgspec.structs.astuple(row)], spark_schema(struct_schema(Block)))


def _owner(owner: Owner) -> Column:
    return sql.lit(int(owner)).cast("long").alias("owner")


def _no_number() -> Column:
    return sql.lit(0).cast("long").alias("number")


def _text(text: str | None) -> Column:
    return sql.lit(text).cast("string")


COUNTS = pa.schema([("kind", pa.string()), ("key", pa.list_(pa.binary())), ("number", pa.int64())])
COUNTED_COLUMNS = "kind string, key array<binary>, number long"

_BLOCKS_AT_ONCE = 1000
_PORTIONS_AT_ONCE = 100
_OBJECT = "object"
"""Rows of this kind are hashes of objects; the same one occurs in many partitions."""

_COUNTERS = ("classes", "properties", "graphs", "links")
_SUMS = ("subjects", "entities")

_Row = tuple[str, list[bytes], int]


class BlockCounter:
    """Counts the blocks of one partition; the rows are those of the table of counts, one for each different object."""

    def __init__(self, base: bytes) -> None:
        self._base = base
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
        self._unite()
        yield _object_batch(self._objects[0])
        rows = [{"kind": kind, "key": key, "number": number} for kind, key, number in _rows(self._total)]
        yield pa.RecordBatch.from_pylist(rows, schema=COUNTS)

    def _count(self) -> None:
        counts = count_blocks(self._blocks, self._base)
        self._blocks = []
        self._total.add(counts)
        self._objects.append(counts.objects)
        if len(self._objects) > _PORTIONS_AT_ONCE:
            self._unite()

    def _unite(self) -> None:
        self._objects = [np.unique(np.concatenate(self._objects))]


def count_quads(base: str, blocks: DataFrame) -> QuadCounts:
    """Count the quads of all blocks, in one pass over them."""
    return sum_counts(blocks.mapInArrow(partial(_count, base.encode()), COUNTED_COLUMNS))


def sum_counts(counted: DataFrame) -> QuadCounts:
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
    return total.to_quad_counts(objects)


def _nothing() -> BlockCounts:
    return BlockCounts(Counter(), Counter(), Counter(), Counter(), 0, 0, np.empty(0, np.uint64))


def _count(base: bytes, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    counter = BlockCounter(base)
    for block in blocks_of(batches):
        counter.add(block.lines)
    return counter.batches()


def _rows(counts: BlockCounts) -> Iterator[_Row]:
    for kind in _SUMS:
        yield kind, [], getattr(counts, kind)
    for kind in _COUNTERS:
        for key, number in getattr(counts, kind).items():
            yield kind, list(key) if kind == "links" else [key], number


def _object_batch(hashes: npt.NDArray[np.uint64]) -> pa.RecordBatch:
    columns = [
        pa.array([_OBJECT] * len(hashes), pa.string()),
        pa.nulls(len(hashes), pa.list_(pa.binary())),
        pa.array(hashes.view(np.int64)),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=COUNTS)


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
