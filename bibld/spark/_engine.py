"""What the stages of a run on Spark share: the session, the tables, the configuration, the progress."""

from __future__ import annotations

import logging
import os
import re
import shutil
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark import Broadcast
from pyspark.errors import PySparkException
from pyspark.errors.exceptions.base import PySparkRuntimeError
from pyspark.sql import DataFrame, SparkSession

from bibld._version import __version__
from bibld.config import Config, EngineConfig
from bibld.errors import ConfigError, StageError
from bibld.ingest import SourceLog
from bibld.model.iris import Iris
from bibld.model.release import Manifest
from bibld.pipeline import RunOptions
from bibld.progress import Progress
from bibld.spark._frames import BATCH, Cells, batches_of, spark_schema
from bibld.spark._tables import FolderStorage, Storage, Tables, absolute

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
    """The release of a run: its address in the storage, its manifest; ``is_new``: this run made it."""

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

    def broadcast(self, value: Any) -> Broadcast[Any]:  # noqa: ANN401
        """Send a value to every executor once; functions of tasks read its ``value``. It must be picklable."""
        return self.spark.sparkContext.broadcast(value)

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

    def step(
        self,
        name: str,
        made_by: str,
        description: str,
        make: Callable[[], DataFrame],
        sort: Sequence[str] = (),
    ) -> bool:
        """Make this version of a table the one of the run; write it in a job if it is not complete.

        ``make`` returns its rows, ``description`` names the job, and ``sort`` the columns by which each file is sorted.
        Returns whether it was written.
        """
        if self.tables.is_complete(name, made_by):
            self.tables.use(name, made_by)
            return False
        with self.job(description):
            self.tables.write(name, made_by, make(), sort)
        return True

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


_FILE_SCHEME = "file://"


def storage_of(config: Config) -> str:
    """Return the folder or address where Spark stores the tables and releases of a workspace."""
    return config.engine.storage or str(config.workspace / "spark")


@contextmanager
def open_tables(config: Config, purpose: str) -> Iterator[Tables]:
    """Open the tables of a workspace: without Spark those in a folder of this machine, else in a session.

    ``purpose`` is the name of the session in the user interface of Spark. Raises ``ConfigError`` without Java.
    """
    storage = storage_of(config)
    folder = absolute(storage)
    if folder.startswith(_FILE_SCHEME):
        yield Tables(None, FolderStorage(Path(folder.removeprefix(_FILE_SCHEME))))
        return
    with session(config.engine, purpose) as spark:
        yield Tables(spark, Storage(spark, storage))


_ARCHIVE = "environment"
"""The name of the folder in which executors unpack the environment."""

_PYTHON = "spark.pyspark.python"

_VERSION = "BIBLD_VERSION"
"""The environment variable by which executors learn the version of bibld that the driver has."""

DEFAULTS: dict[str, str] = {
    "spark.sql.execution.arrow.maxRecordsPerBatch": str(BATCH),
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.parquet.compression.codec": "zstd",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.ui.showConsoleProgress": "false",
    "spark.excludeOnFailure.enabled": "true",
    "spark.python.worker.reuse": "true",
    "spark.sql.execution.pyspark.udf.simplifiedTraceback.enabled": "true",
}
"""Properties that the configuration may replace."""

_GROUPS_IN_ONE_TASK: dict[str, str] = {
    "spark.sql.unionOutputPartitioning": "false",
    "spark.sql.adaptive.localShuffleReader.enabled": "false",
    "spark.sql.adaptive.skewJoin.enabled": "false",
}
"""Properties without which results would be wrong, so that the configuration may not replace them.

Spark leaves out `repartition` by a column where its input is already divided by it, as that of a union of joins is.
When it then replaces such a join by a broadcast, or divides a large part of it, rows of one cluster come to different
tasks.
"""

_LOGGING = """\
rootLogger.level = error
rootLogger.appenderRef.console.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n
"""

_REMEDIES = (
    (
        re.compile(r"No space left on device|not enough space"),
        "a disk is full: free space in the folders for intermediate files (`SPARK_LOCAL_DIRS`) and in `storage`, then"
        " run again; what is complete is not made again",
    ),
    (
        re.compile(r"spark\.driver\.maxResultSize"),
        "the driver received too much: raise `spark.driver.maxResultSize` and `spark.driver.memory`",
    ),
    (
        re.compile(r"java\.lang\.OutOfMemoryError"),
        "Java has too little memory: raise `spark.executor.memory` and `spark.driver.memory`",
    ),
    (
        re.compile(r"Python worker exited unexpectedly|ExecutorLostFailure|exit (?:code|status):? 137"),
        "processes of a node ended, probably for lack of memory: raise `spark.executor.memoryOverhead`, or lower"
        " `spark.executor.cores`",
    ),
)
"""What to do about failures that Spark does not explain, the most certain first."""

_SAME_ON_BOTH = "install the same version on both, or pack the archive `[engine] environment` again"
_NOT_ON_NODE = re.compile(r"No module named 'bibld[\w.]*'|Cannot run program \"[^\"]+\"")
_OTHER_ON_NODE = re.compile(r"Can't get attribute '[^']+' on <module 'bibld[^>]*>")
_LAST_ERROR = re.compile(r"^(?:[\w.]+\.)?\w*(?:Error|Exception|Interrupt): ")
_OWN_ERROR = re.compile(r"^bibld\.errors\.\w+: (.+)", re.MULTILINE | re.DOTALL)
_END_OF_ERROR = re.compile(r"\n\s*(?:at |\.\.\. \d+ more|Caused by:|Driver stacktrace|\n)")


def properties(engine: EngineConfig) -> dict[str, str]:
    """Return the properties of a session: bibld's, and those of the configuration, which win where both are right."""
    found = DEFAULTS | {f"spark.executorEnv.{_VERSION}": __version__}
    if engine.environment:
        found["spark.archives"] = f"{engine.environment}#{_ARCHIVE}"
        found[_PYTHON] = f"./{_ARCHIVE}/bin/python"
    else:
        # Nodes that see this environment, as this machine does: the same interpreter and the same bibld.
        found[_PYTHON] = os.environ.get("PYSPARK_PYTHON", sys.executable)
        package = str(Path(__file__).parents[2])
        found["spark.executorEnv.PYTHONPATH"] = os.pathsep.join(
            [package, *filter(None, [os.environ.get("PYTHONPATH", "")])]
        )
    for key, value in engine.conf.items():
        found[key] = str(value).lower() if isinstance(value, bool) else str(value)
    return found | _GROUPS_IN_ONE_TASK


def check_version() -> None:
    """Raise ``StageError`` on a node that has another version of bibld than the driver: results would be mixed."""
    version = os.environ.get(_VERSION, __version__)
    if version != __version__:
        raise StageError(f"a node has bibld {__version__}, and the driver has {version}; {_SAME_ON_BOTH}")


@contextmanager
def session(engine: EngineConfig, name: str) -> Iterator[SparkSession]:
    """Open a session with an application ``name`` and stop it at the end; a session of this process is used if any.

    Raises ``ConfigError`` without Java, ``StageError`` if the master cannot be reached.
    """
    running = SparkSession.getActiveSession()
    if running is not None:
        yield running
        return
    check_java()
    with tempfile.TemporaryDirectory(prefix="bibld-spark-") as folder:
        spark = _open(engine, name, Path(folder))
        try:
            yield spark
        finally:
            spark.stop()


def check_java() -> None:
    """Raise ``ConfigError`` if there is no Java with which Spark could start."""
    home = os.environ.get("JAVA_HOME")
    if shutil.which(str(Path(home, "bin", "java")) if home else "java") is None:
        where = f"JAVA_HOME names {home}, which has no bin/java" if home else "there is no `java` on the path"
        raise ConfigError(
            [f"engine.name: Spark needs Java 17: {where}; install it, on Debian with"
             " `apt-get install openjdk-17-jre-headless`"]
        )  # fmt: skip


def _open(engine: EngineConfig, name: str, folder: Path) -> SparkSession:
    log_settings = folder / "log4j2.properties"
    log_settings.write_text(_LOGGING, encoding="utf-8")
    builder = SparkSession.builder.appName(name).master(engine.master or "local[*]")
    settings = properties(engine)
    settings.setdefault("spark.sql.warehouse.dir", str(folder / "warehouse"))
    options = settings.get("spark.driver.extraJavaOptions", "")
    settings["spark.driver.extraJavaOptions"] = f"-Dlog4j2.configurationFile={log_settings.as_uri()} {options}".strip()
    for key, value in settings.items():
        builder = builder.config(key, value)
    # Spark looks for pandas in order to recognise its tables; bibld gives it none.
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
    os.environ["PYSPARK_PYTHON"] = settings[_PYTHON]  # a session in Python reads only this
    try:
        spark = builder.getOrCreate()
    except (Py4JError, PySparkException, OSError) as error:
        raise StageError(
            f"Spark cannot be started at {engine.master or 'local[*]'}: {reason_of(error)}; check `master` and `conf`"
            " in the table [engine]"
        ) from error
    spark.sparkContext.setLogLevel("ERROR")
    logging.getLogger("DataFrameQueryContextLogger").setLevel(logging.CRITICAL)  # what it logs is raised, too
    return spark


@contextmanager
def located_failures(description: str) -> Iterator[None]:
    """Convert the exceptions of Spark inside to ``StageError`` that names what was being done."""
    try:
        yield
    except (Py4JError, PySparkException) as error:
        raise StageError(f"{description}: {reason_of(error)}") from error


def reason_of(error: BaseException) -> str:
    """Return what a failure of Spark consists of, in a line or two, without traces.

    If a function of bibld failed in a task, that is its message.
    """
    text = str(error)
    if missing := _NOT_ON_NODE.search(text):
        return f"{missing[0]} on a node; install bibld there, or name an archive as `[engine] environment`"
    if other := _OTHER_ON_NODE.search(text):
        return f"{other[0]}: a node has another bibld than the driver; {_SAME_ON_BOTH}"
    if own := _OWN_ERROR.search(text):
        message = own[1]
        end = _END_OF_ERROR.search(message)
        return message[: end.start()].strip() if end else message.strip()
    for found, remedy in _REMEDIES:
        if found.search(text):
            return remedy
    if isinstance(error, PySparkRuntimeError) and "JAVA_GATEWAY_EXITED" in text:
        return "Java ended before it answered; Spark needs Java 17"
    causes = [line.strip() for line in text.splitlines() if line.strip().startswith("Caused by: ")]
    if causes:
        return causes[-1].removeprefix("Caused by: ")
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith("at ")]
    named = [line for line in lines if _LAST_ERROR.match(line)]
    return (named or lines or [type(error).__name__])[-1 if named else 0]
