"""What the stages of a run on Spark share: the session, the tables, the configuration, the progress."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import count
from typing import Any, TypeVar

import msgspec
import pyarrow as pa
from pyspark import Broadcast
from pyspark.sql import DataFrame, SparkSession

from bibld.config import Config
from bibld.ingest import SourceLog
from bibld.model.iris import Iris
from bibld.model.release import Manifest
from bibld.pipeline import RunOptions
from bibld.progress import Progress
from bibld.spark._frames import Cells, batches_of, small_frame, spark_schema
from bibld.spark._session import located_failures
from bibld.spark._storage import Storage
from bibld.spark._tables import Tables, storage_of

_SECONDS_BETWEEN_COUNTS = 1.0

_SHUFFLE_PARTS = "spark.sql.shuffle.partitions"
_RECORDS_OF_PART = 20_000
"""Records whose quads are sorted by one task, on average: some 160 MB."""

_PARTS_OF_CORE = 2
_MAX_PARTS = 10_000
"""Each task of a stage writes a piece for each part."""

_GROUPS = count(1)

Item = TypeVar("Item")


class Release(msgspec.Struct, frozen=True):
    """The release of a run: its number, its address in the storage, its manifest; ``is_new``: this run made it."""

    number: int
    address: str
    manifest: Manifest
    is_new: bool


class Engine:
    """One run: every stage is a function of it. ``run_time`` is the only time that any output contains."""

    def __init__(
        self,
        spark: SparkSession,
        config: Config,
        run_time: datetime,
        progress: Progress,
        options: RunOptions | None = None,
    ) -> None:
        self.config = config
        self.progress = progress
        self.log = SourceLog(config, progress)
        self.spark = spark
        self.run_time = run_time
        self.options = options or RunOptions()
        self.storage = Storage(spark, storage_of(config))
        self.tables = Tables(spark, self.storage)
        self.iris = Iris(config.dataset.base)
        self.release: Release | None = None
        """The release of this run, once it has published."""

    @property
    def number(self) -> int:
        """The number of this run."""
        return self.tables.number

    def broadcast(self, value: Any) -> Broadcast[Any]:  # noqa: ANN401
        """Send a value to every executor once; functions of tasks read its ``value``. It must be picklable."""
        return self.spark.sparkContext.broadcast(value)

    def rows(self, rows: Iterable[Sequence[Any]], name: str) -> DataFrame:
        """Return a small table of rows that the driver has, with the columns of the table ``name``."""
        return small_frame(self.spark, [tuple(row) for row in rows], spark_schema(name))

    def map_tasks(
        self, items: Sequence[Item], function: Callable[[Item], Cells], schema: pa.Schema, tasks: int
    ) -> DataFrame:
        """Return what a function makes of each item; the items, which must be picklable, are divided among tasks."""
        shared = self.broadcast(tuple(items))

        def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                for number in batch.column("id").to_pylist():
                    yield from batches_of(function(shared.value[number]), schema)

        return self.spark.range(0, len(items), 1, tasks).mapInArrow(run, spark_schema(schema))

    def divide_shuffles(self, records: int) -> None:
        """Set into how many parts the rows that are sorted by a key are divided, unless the configuration states it."""
        if self.spark.sparkContext.getConf().contains(_SHUFFLE_PARTS):
            return
        least = _PARTS_OF_CORE * self.spark.sparkContext.defaultParallelism
        parts = min(max(-(-records // _RECORDS_OF_PART), least), _MAX_PARTS)
        self.spark.conf.set(_SHUFFLE_PARTS, parts)

    @contextmanager
    def job(self, description: str) -> Iterator[None]:
        """Name the jobs inside in Spark's UI and in messages, and count their tasks for the progress.

        ``description`` names the stage first: ``dedup: join keys``. Raises ``StageError`` if one of the jobs fails.
        """
        context = self.spark.sparkContext
        group = f"bibld-{next(_GROUPS)}"
        self.progress.stage(description, "tasks")
        context.setJobGroup(group, description)
        over = threading.Event()
        counting = threading.Thread(target=self._count_tasks, args=(group, over), daemon=True)
        counting.start()
        try:
            with located_failures(description):
                yield
        except KeyboardInterrupt:
            context.cancelJobGroup(group)
            raise
        finally:
            over.set()
            counting.join()
            context.setLocalProperty("spark.jobGroup.id", None)  # type: ignore[arg-type]
            context.setLocalProperty("spark.job.description", None)  # type: ignore[arg-type]

    def _count_tasks(self, group: str, over: threading.Event) -> None:
        """Advance the progress by the tasks that ended, until the jobs are over."""
        tracker = self.spark.sparkContext.statusTracker()
        done: dict[int, int] = {}
        while not over.wait(_SECONDS_BETWEEN_COUNTS):
            for job in tracker.getJobIdsForGroup(group):
                info = tracker.getJobInfo(job)
                for stage in info.stageIds if info is not None else ():
                    state = tracker.getStageInfo(stage)
                    if state is not None and state.numCompletedTasks > done.get(stage, 0):
                        self.progress.advance(state.numCompletedTasks - done.get(stage, 0))
                        done[stage] = state.numCompletedTasks
