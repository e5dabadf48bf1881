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
from bibld.parallel import batches as portions
from bibld.spark._engine import Engine
from bibld.spark._output.blocks import blocks_of
from bibld.spark._schemas import SCHEMAS, spark_schema
from bibld.triplify import BlockCounts, count_blocks

COUNTS = "quad_counts"

_BLOCKS_AT_ONCE = 1000
_HASHES_AT_ONCE = 1 << 22
_OBJECT = "object"
"""Rows of this kind are hashes of objects; the same one occurs in many partitions."""

_COUNTERS = ("classes", "properties", "graphs", "links")
_SUMS = ("subjects", "entities")

_Row = tuple[str, list[bytes], int]


def count_quads(engine: Engine, made_by: str, blocks: DataFrame) -> QuadCounts:
    """Count the quads of all blocks, in one pass over them."""
    compute = partial(_count, engine.iris.base.encode())
    with engine.job("publish: count quads"):
        counted = blocks.mapInArrow(compute, spark_schema(COUNTS))
        table = engine.tables.write(COUNTS, made_by, counted)
        objects = table.where(sql.col("kind") == _OBJECT).select("number").distinct().count()
        sums = table.where(sql.col("kind") != _OBJECT).groupBy("kind", "key").agg(sql.sum("number")).collect()
    total = _nothing()
    for kind, key, number in sums:
        if kind in _SUMS:
            setattr(total, kind, int(number))
        else:
            terms = tuple(bytes(term) for term in key)
            getattr(total, kind)[terms if kind == "links" else terms[0]] = int(number)
    return total.to_quad_counts(objects)


def _nothing() -> BlockCounts:
    return BlockCounts(Counter(), Counter(), Counter(), Counter(), 0, 0, np.empty(0, np.uint64))


def _count(base: bytes, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Count the blocks of one partition; yield one row for each term, and one for each different object."""
    total = _nothing()
    waiting: list[npt.NDArray[np.uint64]] = []
    size = 0
    for some in portions(blocks_of(batches), _BLOCKS_AT_ONCE):
        counts = count_blocks((block.lines for block in some), base)
        total.add(counts)
        waiting.append(counts.objects)
        size += len(counts.objects)
        if size > _HASHES_AT_ONCE:
            yield _objects(waiting)
            waiting, size = [], 0
    yield _objects(waiting)
    schema = SCHEMAS[COUNTS]
    yield pa.RecordBatch.from_pylist(
        [{"kind": kind, "key": key, "number": number} for kind, key, number in _rows(total)], schema=schema
    )


def _rows(counts: BlockCounts) -> Iterator[_Row]:
    for kind in _SUMS:
        yield kind, [], getattr(counts, kind)
    for kind in _COUNTERS:
        for key, number in getattr(counts, kind).items():
            yield kind, list(key) if kind == "links" else [key], number


def _objects(hashes: list[npt.NDArray[np.uint64]]) -> pa.RecordBatch:
    different = np.unique(np.concatenate(hashes)) if hashes else np.empty(0, np.uint64)
    columns = [
        pa.array([_OBJECT] * len(different), pa.string()),
        pa.nulls(len(different), pa.list_(pa.binary())),
        pa.array(different.view(np.int64)),
    ]
    return pa.RecordBatch.from_arrays(columns, schema=SCHEMAS[COUNTS])
