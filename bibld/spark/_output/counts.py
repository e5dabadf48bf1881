"""Count the quads for the description of the dataset, with the functions of one machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from bibld.model.release import QuadCounts
from bibld.spark._output.blocks import blocks_of
from bibld.triplify import BlockCounts, count_blocks

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
