"""What a run changed since the last committed one: quads, and the documents of IRIs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from operator import attrgetter

import msgspec
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from bibld.documents import Change, ChangeKind, Lines, compare_documents
from bibld.spark._engine import Engine
from bibld.spark._output.blocks import KEY, blocks_of
from bibld.spark._schemas import SCHEMAS, spark_schema
from bibld.spark._stream import batches_of, groups, rows_of

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
            blocks.join(owners, list(KEY), "left_semi").mapInArrow(_lines, "line binary").withColumn("sign", sign)
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


_LINE = pa.schema([("line", pa.binary())])


def _lines(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    return batches_of(((line,) for block in blocks_of(batches) for line in block.lines.splitlines()), _LINE, 5000)


# -- documents -------------------------------------------------------------------------------------------------------


def write_changed_documents(engine: Engine, made_by: str, now: DataFrame, before: DataFrame) -> Iterable[Change]:
    """Write how the documents of IRIs differ; return the changes in the order of their paths.

    The blocks have to contain the lines that only documents have, too.
    """
    base = engine.iris.base
    with engine.job("publish: changed documents"):
        both = _changed_owners(now, before)
        changed = now.join(both, list(KEY), "left_semi").unionByName(before.join(both, list(KEY), "left_semi"))
        paths = changed.mapInArrow(partial(_paths, base), "path string").distinct()
        pieces = [
            blocks.mapInArrow(partial(_split, base, is_after), "path string, is_after boolean, lines binary")
            for blocks, is_after in ((now, True), (before, False))
        ]
        ordered = pieces[0].unionByName(pieces[1]).join(paths, "path", "left_semi")
        ordered = ordered.repartition("path").sortWithinPartitions("path")
        changes = ordered.mapInArrow(partial(_compare, base), spark_schema(CHANGED_DOCUMENTS))
        table = engine.tables.write(CHANGED_DOCUMENTS, made_by, changes, sort=("path",))
        rows = table.orderBy("path").collect()
    return [Change(row[0], ChangeKind(row[1]), *row[2:]) for row in map(tuple, rows)]


_PATH = pa.schema([("path", pa.string())])
_PIECE = pa.schema([("path", pa.string()), ("is_after", pa.bool_()), ("lines", pa.binary())])


def _paths(base: str, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    lines = Lines(base)
    return batches_of(((path.decode(),) for block in blocks_of(batches) for path in lines.split(block.lines)), _PATH)


def _split(base: str, is_after: bool, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the lines of each block by the paths of their documents."""
    lines = Lines(base)
    rows = (
        (path.decode(), is_after, b"\n".join(own))
        for block in blocks_of(batches)
        for path, own in lines.split(block.lines).items()
    )
    return batches_of(rows, _PIECE)


def _compare(base: str, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    rows = (row for path, pieces in groups(batches, _Piece, attrgetter("path")) if (row := _change(base, path, pieces)))
    return batches_of(rows, SCHEMAS[CHANGED_DOCUMENTS])


def _change(base: str, path: str, pieces: Iterable[_Piece]) -> tuple[object, ...] | None:
    lines: dict[bool, set[bytes]] = {False: set(), True: set()}
    for piece in pieces:
        lines[piece.is_after].update(piece.lines.split(b"\n"))
    change = compare_documents(base, path, lines[False], lines[True])
    return None if change is None else (change.path, change.kind.value, *msgspec.structs.astuple(change)[2:])


def changed_lines(batches: Iterable[pa.RecordBatch]) -> Iterator[ChangedLine]:
    """Yield the changed quads in batches of Arrow."""
    return rows_of(batches, ChangedLine)
