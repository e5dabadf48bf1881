"""Connected components of tables of edges, in one forest and in rounds."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from bibld.progress import Silent
from bibld.spark._clusters import connected_components
from bibld.spark._engine import Engine
from tests.configuration import load_config

Edges = list[tuple[int, int]]


def components_of(edges: Edges) -> dict[int, int]:
    """Return the smallest node of each node's component, in the slowest way."""
    found = {node: node for edge in edges for node in edge}
    for _ in found:
        for one, other in edges:
            found[one] = found[other] = min(found[one], found[other])
    return found


def graph() -> Edges:
    """A path in no order, a star, nodes without others, and random edges, with numbers far apart."""
    chance = random.Random(1)
    path = [chance.randrange(-(1 << 62), 1 << 62) for _ in range(60)]
    star = [(7, chance.randrange(10, 1 << 40)) for _ in range(50)]
    some = [(chance.randrange(1000, 1080), chance.randrange(1000, 1080)) for _ in range(60)]
    edges = [*pairwise(path), *star, *some, (5, 5), (3, 3), (3, 4)]
    edges += [(other, one) for one, other in edges[:20]] + edges[30:40]
    chance.shuffle(edges)
    return edges


@pytest.mark.parametrize("largest", [1_000_000, 100])
def test_components_have_the_name_of_their_smallest_node(spark: SparkSession, tmp_path: Path, largest: int) -> None:
    engine = Engine(spark, load_config(tmp_path, a="a.mrc"), datetime(2026, 1, 1, tzinfo=UTC), Silent())
    edges = graph()
    frame = spark.createDataFrame(edges, "left long, right long")
    found = [tuple(row) for row in connected_components(engine, frame, largest).collect()]
    assert len(found) == len(dict(found))
    assert dict(found) == components_of(edges)


def test_no_edges_have_no_components(spark: SparkSession, tmp_path: Path) -> None:
    engine = Engine(spark, load_config(tmp_path, a="a.mrc"), datetime(2026, 1, 1, tzinfo=UTC), Silent())
    assert connected_components(engine, spark.createDataFrame([], "one long, other long")).collect() == []
