"""Connected components of a table of edges.

A *forest* states as much as all edges in fewer rows: each node with the smallest node that it is known to be connected
with. Parts of the edges are replaced by their forests, then these by one forest, in one task, which needs some 40 bytes
a row. Where there are more rows than it has room for, edges are rewritten in rounds instead, by the large-star and
small-star operations of Kiveris and others ("Connected Components in MapReduce and Beyond", 2014), and each round is
stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from bibld.dedup.clustering import connected_records
from bibld.spark._engine import Engine
from bibld.spark._tables import CHECKPOINTS

MAX_FOREST_ROWS = 50_000_000
"""Rows that one task puts together."""

_COLUMNS = "node long, component long"
_SCHEMA = pa.schema([("node", pa.int64()), ("component", pa.int64())])
_BATCH = 1_000_000


def connected_components(engine: Engine, edges: DataFrame, largest: int = MAX_FOREST_ROWS) -> DataFrame:
    """Return the ``component`` of each ``node`` that has an edge: the smallest node of all that are connected with it.

    ``edges`` has two columns of longs, the ends of an edge in any order; an edge may occur repeatedly, and connect a
    node with itself. They are read once or twice, so they should be stored. The result is computed again whenever it is
    used, so it should be stored too. Beyond ``largest`` rows no task has all of them.
    """
    parts = 2 * engine.spark.sparkContext.defaultParallelism
    ends = edges.toDF("node", "component")
    is_small = 2 * ends.count() <= largest
    forests = ends.repartition(parts, "node").mapInArrow(_forest, _COLUMNS)
    if not is_small:
        engine.spark.sparkContext.setCheckpointDir(engine.storage.path(CHECKPOINTS))
        forests = forests.checkpoint()
        if forests.count() > largest:
            return _rewrite_in_rounds(forests)
    return forests.coalesce(1).mapInArrow(_forest, _COLUMNS)


def _forest(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Replace all edges of a partition by their forest."""
    columns = [[np.empty(0, np.int64)], [np.empty(0, np.int64)]]
    for batch in batches:
        for position, found in enumerate(columns):
            found.append(batch.column(position).to_numpy(zero_copy_only=False))
    nodes, components = connected_records(*map(np.concatenate, columns))
    for start in range(0, len(nodes), _BATCH):
        some = slice(start, start + _BATCH)
        yield pa.RecordBatch.from_arrays([pa.array(nodes[some]), pa.array(components[some])], schema=_SCHEMA)


def _rewrite_in_rounds(forests: DataFrame) -> DataFrame:
    """Rewrite edges until each leads from a node to the smallest one of its component."""
    is_edge = f.col("node") != f.col("component")
    edges = (
        forests.where(is_edge)
        .select(f.greatest("node", "component").alias("node"), f.least("node", "component").alias("component"))
        .distinct()
        .checkpoint()
    )
    before = None
    while (state := _state(edges)) != before:
        before = state
        edges = _small_star(_large_star(edges).checkpoint()).checkpoint()
    nodes = forests.select("node").union(forests.select("component")).distinct()
    found = nodes.join(edges, "node", "left")
    return found.select("node", f.coalesce("component", "node").alias("component"))


def _large_star(edges: DataFrame) -> DataFrame:
    """Connect the neighbours of each node that are greater than it with the smallest of its neighbours and itself."""
    both = edges.union(edges.select("component", "node"))
    least = both.groupBy("node").agg(f.least(f.min("component"), f.col("node")).alias("least"))
    return (
        both.join(least, "node")
        .where("component > node")
        .select(f.col("component").alias("node"), f.col("least").alias("component"))
        .distinct()
    )


def _small_star(edges: DataFrame) -> DataFrame:
    """Connect each node, and its smaller neighbours, with the smallest of these."""
    least = edges.groupBy("node").agg(f.min("component").alias("least"))
    neighbours = edges.join(least, "node").select(f.col("component").alias("node"), f.col("least").alias("component"))
    return neighbours.where("node <> component").union(least.toDF("node", "component")).distinct()


def _state(edges: DataFrame) -> tuple[int, int]:
    """Return the number of edges and a hash of them, which repeat when nothing changes."""
    mixed = f.xxhash64("node", "component").cast("decimal(38,0)")
    row = edges.agg(f.count("*"), f.coalesce(f.sum(mixed), f.lit(0))).collect()[0]
    return int(row[0]), int(row[1])
