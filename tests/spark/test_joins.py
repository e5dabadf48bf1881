from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from bibld.spark._joins import broadcast_if_few


@pytest.mark.parametrize(("few", "strategy"), [(2, "BroadcastHashJoin"), (1, "ShuffledHashJoin")])
def test_large_values_are_joined_without_being_sorted(spark: SparkSession, few: int, strategy: str) -> None:
    large = spark.createDataFrame([(number, bytes([number])) for number in range(5)], "founder long, quads binary")
    small = spark.createDataFrame([(1, "a"), (3, "b")], "founder long, moved string")
    with broadcast_if_few(small, few) as rows:
        joined = large.join(rows, "founder", "left")
        assert sorted((row.founder, row.moved) for row in joined.collect()) == [
            (0, None),
            (1, "a"),
            (2, None),
            (3, "b"),
            (4, None),
        ]
        plan = joined._jdf.queryExecution().executedPlan().toString()  # type: ignore[operator]
    assert strategy in plan
    assert "Sort" not in plan
