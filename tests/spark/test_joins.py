from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as sql

from bibld.spark._frames import broadcast_if_few


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


@pytest.fixture
def adaptive(spark: SparkSession) -> Iterator[SparkSession]:
    """A session that replaces a join by a broadcast when it has seen that one side is small, as with large tables."""
    changed = {
        "spark.sql.adaptive.enabled": "true",
        "spark.sql.autoBroadcastJoinThreshold": "-1",
        "spark.sql.adaptive.autoBroadcastJoinThreshold": "10MB",
        "spark.sql.shuffle.partitions": "8",
    }
    before = {name: spark.conf.get(name, None) for name in changed}
    for name, value in changed.items():
        spark.conf.set(name, value)
    yield spark
    for name, old in before.items():
        spark.conf.unset(name) if old is None else spark.conf.set(name, old)


def test_rows_of_one_cluster_come_to_one_task_whatever_was_joined_before(adaptive: SparkSession) -> None:
    rows = adaptive.range(0, 400, numPartitions=4).select((sql.col("id") % 100).alias("founder"), "id")
    wanted = adaptive.range(0, 50, numPartitions=2).withColumnRenamed("id", "founder")
    members = rows.join(wanted, "founder", "left_semi")
    named = rows.withColumn("id", -sql.col("id")).join(wanted, "founder", "left_semi")
    for joined in (members, members.unionByName(named)):
        ordered = joined.repartition("founder").sortWithinPartitions("founder", "id")
        runs = Counter(row.founder for row in ordered.mapInArrow(_founders, "founder long").collect())
        assert len(runs) == 50
        assert set(runs.values()) == {1}, "more than one task had rows of a founder"


def _founders(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Give each founder once for each task that has rows of it."""
    found = {value for batch in batches for value in batch.column("founder").to_pylist()}
    yield pa.RecordBatch.from_pydict({"founder": pa.array(sorted(found), pa.int64())})
