"""Sessions of Spark: what bibld sets, what the configuration adds, and messages for what is missing or fails."""

from __future__ import annotations

import logging
import os
import re
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.errors.exceptions.base import PySparkRuntimeError
from pyspark.sql import SparkSession

from bibld._version import __version__
from bibld.config import EngineConfig
from bibld.errors import ConfigError, StageError
from bibld.spark._frames import BATCH

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
    found |= {key: _text(value) for key, value in engine.conf.items()}
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


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
