"""Rows, batches and frames, and failures of Spark in words of bibld."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import msgspec
import pyarrow as pa
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql import functions as sql

from bibld.config import EngineConfig
from bibld.errors import StageError
from bibld.spark._engine import check_version, located_failures, properties, reason_of
from bibld.spark._frames import batches_of, broadcast_if_few, groups, rows_of

SCHEMA = pa.schema([("key", pa.int64()), ("text", pa.string())])


class Line(msgspec.Struct, frozen=True):
    text: str
    key: int


class Pair(msgspec.Struct, frozen=True):
    key: int
    text: str


def test_rows_and_batches_are_inverse() -> None:
    rows = [(number, str(number)) for number in range(11)]
    batches = list(batches_of(rows, SCHEMA, size=4))
    assert [batch.num_rows for batch in batches] == [4, 4, 3]
    assert [(line.key, line.text) for line in rows_of(batches, Line)] == rows
    assert list(batches_of(rows_of(batches, Pair), SCHEMA, size=4)) == batches
    assert list(batches_of([], SCHEMA)) == []


def test_large_rows_end_a_batch() -> None:
    rows = [(number, "x" * 20_000_000) for number in range(4)]
    assert [batch.num_rows for batch in batches_of(rows, SCHEMA)] == [2, 2]


def test_a_group_may_span_batches() -> None:
    rows = [(1, "a"), (1, "b"), (2, "c"), (2, "d"), (2, "e"), (3, "f")]
    found = [
        (key, "".join(line.text for line in lines))
        for key, lines in groups(batches_of(rows, SCHEMA, size=2), Line, lambda line: line.key)
    ]
    assert found == [(1, "ab"), (2, "cde"), (3, "f")]


def test_a_failure_in_a_task_is_an_error_with_its_message(spark: SparkSession) -> None:
    def fail(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            if batch.num_rows:
                raise StageError("rsl.iso record 1042 (byte 77): cannot be used; ask for another file")
            yield batch

    with pytest.raises(StageError) as caught, located_failures("read: convert"):
        spark.range(3).mapInArrow(fail, "id long").collect()
    assert str(caught.value) == "read: convert: rsl.iso record 1042 (byte 77): cannot be used; ask for another file"


def test_other_failures_are_named_without_traces(spark: SparkSession) -> None:
    def fail(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from batches
        raise ZeroDivisionError("7 by nothing")

    with pytest.raises(StageError) as caught, located_failures("dedup: pairs"):
        spark.range(3).mapInArrow(fail, "id long").collect()
    assert str(caught.value) == "dedup: pairs: ZeroDivisionError: 7 by nothing"
    assert reason_of(ValueError("plain")) == "plain"


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("Caused by: java.io.IOException: No space left on device", "SPARK_LOCAL_DIRS"),
        ("Job aborted\nCaused by: java.lang.OutOfMemoryError: Java heap space", "raise `spark.executor.memory`"),
        (
            "Python worker exited unexpectedly (crashed)\nCaused by: java.io.EOFException",
            "spark.executor.memoryOverhead",
        ),
        ("serialized results of 3 tasks is bigger than spark.driver.maxResultSize (1024.0 MiB)", "the driver received"),
    ],
)
def test_failures_that_spark_does_not_explain_have_a_remedy(text: str, remedy: str) -> None:
    with pytest.raises(StageError, match=r"^dedup: score pairs: ") as raised, located_failures("dedup: score pairs"):
        raise PySparkException(text)
    assert remedy in str(raised.value)


@pytest.mark.parametrize("cause", ["No module named 'bibld.spark'", 'Cannot run program "./environment/bin/python"'])
def test_a_node_without_bibld_is_named(cause: str) -> None:
    reason = reason_of(ValueError(f"Traceback …\nCaused by: {cause}: error=2"))
    assert reason == f"{cause} on a node; install bibld there, or name an archive as `[engine] environment`"


def test_a_node_with_older_code_is_named() -> None:
    cause = "Can't get attribute 'Part' on <module 'bibld.read' from '…/bibld/read/__init__.py'>"
    reason = reason_of(ValueError(f"Traceback …\nAttributeError: {cause}\n  at java.lang.Thread.run"))
    assert reason.startswith(f"{cause}: a node has another bibld than the driver; install the same version on both")


def test_a_node_with_another_version_of_bibld_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    variables = properties(EngineConfig("spark"))
    monkeypatch.setenv("BIBLD_VERSION", variables["spark.executorEnv.BIBLD_VERSION"])
    check_version()
    monkeypatch.setenv("BIBLD_VERSION", "0.0.1")
    with pytest.raises(StageError, match=r"a node has bibld \S+, and the driver has 0\.0\.1; install the same version"):
        check_version()


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
