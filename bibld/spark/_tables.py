"""The tables of a workspace as versioned Parquet, and the commit of a run.

::

    tables/<name>/<made_by>/*.parquet    manifest.json is written last: without it the version is incomplete
    runs/<number>.json                   the versions that a committed run consists of, its time and summary
    current.json                         the number of the last committed run; replaced in one step

A version is never changed. What a run has written before it was stopped is complete or is written again.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

from bibld.catalog import digest
from bibld.config import Config
from bibld.errors import StageError
from bibld.spark._frames import SCHEMAS, small_frame, spark_schema
from bibld.spark._session import session
from bibld.spark._storage import FolderStorage, Storage, absolute, literal

_FORMAT = 1
_MANIFEST = "manifest.json"
_CURRENT = "current.json"
CHECKPOINTS = "checkpoints"
"""The folder of what stages store between their steps; it is not needed after the run."""

_RUNS_KEPT = 2
"""Committed runs whose tables are kept: the current one, and the one before it for whoever is still reading it."""


class TableManifest(msgspec.Struct, frozen=True):
    """What a complete version of a table consists of; ``run`` is the number of the run that wrote it."""

    name: str
    made_by: str
    rows: int
    run: int
    columns: tuple[str, ...]


class RunManifest(msgspec.Struct, frozen=True):
    """A committed run: the version of each table, the time that its output contains, and what it reported.

    ``salt`` is a part of the versions since all tables behind reading were last made again.
    """

    number: int
    tables: dict[str, str]
    run_time: str = ""
    summary: Any = None
    format: int = _FORMAT
    salt: str = ""

    @property
    def is_conversion(self) -> bool:
        """Whether a conversion has committed it: the tables are the rows of one machine."""
        return isinstance(self.summary, dict) and "state" in self.summary


class _Current(msgspec.Struct, frozen=True):
    run: int


class Tables:
    """The tables of one run, and those of the last committed run; used by the driver only.

    Without a session (None) only whole files can be written and read.
    """

    def __init__(self, spark: SparkSession | None, storage: Storage | FolderStorage) -> None:
        self._session = spark
        self.storage = storage
        self.committed = self._last_committed()
        self.number = self.committed.number + 1
        self._versions: dict[str, str] = {}
        self.salt = ""
        """A part of every version that is made, from where it is set on."""

    # -- versions ----------------------------------------------------------------------------------------------------

    def is_complete(self, name: str, made_by: str) -> bool:
        """Return whether this version of a table was written to its end."""
        return self.storage.exists(f"{_folder(name, made_by)}/{_MANIFEST}")

    def version(self, name: str) -> str:
        """Return the version that ``read`` gives: of this run, else of the last committed one, else empty."""
        return self._versions.get(name) or self.committed.tables.get(name, "")

    def made_by(self, *parts: object, inputs: Sequence[str] = ()) -> str:
        """Return the version of a result: a hash of versions and settings (``parts``) and of its input tables."""
        salt = [self.salt] if self.salt else []
        return digest(*parts, *salt, [[name, self.version(name)] for name in inputs])

    def changed(self) -> dict[str, str]:
        """Return the versions of this run that differ from those of the last committed run."""
        committed = self.committed.tables
        return {name: version for name, version in self._versions.items() if committed.get(name) != version}

    def use(self, name: str, made_by: str) -> DataFrame:
        """Make a complete version the one of this run."""
        manifest = self.manifest(name, made_by)
        if list(manifest.columns) != SCHEMAS[name].names:
            raise StageError(
                f"{self.storage.path(_folder(name, made_by))}: was written by another version of bibld; delete this"
                " folder, then run again"
            )
        self._versions[name] = made_by
        return self._read(name, made_by)

    # -- writing -----------------------------------------------------------------------------------------------------

    def write(
        self,
        name: str,
        made_by: str,
        frame: DataFrame | Callable[[], DataFrame],
        sort: Sequence[str] = (),
    ) -> DataFrame:
        """Write a version of a table and return it as it was stored; its lineage ends here.

        A version that is complete already is only read, and a function that returns the frame is not called. Each file
        is sorted by the columns ``sort``; rows that come in that order from a task need not be sorted again.
        """
        if not self.is_complete(name, made_by):
            folder = _folder(name, made_by)
            shaped = (frame if isinstance(frame, DataFrame) else frame()).to(spark_schema(name))
            ordered = shaped.sortWithinPartitions(*sort) if sort else shaped
            ordered.write.mode("overwrite").options(**_options(name)).parquet(self.storage.path(folder))
            self._complete(name, made_by, self._read(name, made_by).count())
        return self.use(name, made_by)

    def write_rows(self, name: str, made_by: str, rows: Iterable[Sequence[Any]]) -> DataFrame:
        """Write a version of a table of few rows, which the driver has, without a job of Spark; return it.

        A version that is complete already is only read.
        """
        if not self.is_complete(name, made_by):
            some, schema = list(rows), SCHEMAS[name]
            columns = zip(*some, strict=True) if some else [()] * len(schema)
            arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
            self.storage.delete(_folder(name, made_by))  # left by a run that was stopped
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "part.parquet"
                pq.write_table(pa.Table.from_arrays(arrays, schema=schema), file, compression="zstd", version="2.6")
                self.storage.upload(file, f"{_folder(name, made_by)}/part-00000.parquet")
            self._complete(name, made_by, len(some))
        return self.use(name, made_by)

    def adopt(self, name: str, made_by: str, rows: int) -> None:
        """Make a version the one of this run whose files were written without Spark, and are complete."""
        if not self.is_complete(name, made_by):
            self._complete(name, made_by, rows)
        self._versions[name] = made_by

    def _complete(self, name: str, made_by: str, rows: int) -> None:
        columns = tuple(SCHEMAS[name].names)
        manifest = TableManifest(name, made_by, rows, self.number, columns)
        self.storage.write(f"{_folder(name, made_by)}/{_MANIFEST}", msgspec.json.encode(manifest))

    # -- reading -----------------------------------------------------------------------------------------------------

    def read(self, name: str) -> DataFrame:
        """Return this run's version if it was written, else that of the last committed run, else an empty table."""
        return self.stored(name, self.version(name))

    def before(self, name: str) -> DataFrame:
        """Return the version of the last committed run; an empty table if there is none."""
        return self.stored(name, self.committed.tables.get(name, ""))

    def stored(self, name: str, version: str) -> DataFrame:
        """Return a complete version of a table; an empty table for no version."""
        return self._read(name, version) if version else self._empty(name)

    def rows(self, name: str) -> int:
        """Return the number of rows of the version that ``read`` gives."""
        version = self.version(name)
        return self.manifest(name, version).rows if version else 0

    def manifest(self, name: str, made_by: str) -> TableManifest:
        """Return the manifest of a complete version."""
        return msgspec.json.decode(self.storage.read(f"{_folder(name, made_by)}/{_MANIFEST}"), type=TableManifest)

    # -- runs --------------------------------------------------------------------------------------------------------

    def files(self, name: str, made_by: str) -> list[str]:
        """Return the files of a version of a table in the storage."""
        folder = _folder(name, made_by)
        return [f"{folder}/{file}" for file in self.storage.names(folder) if file.endswith(".parquet")]

    def commit(self, summary: object = None, run_time: str = "") -> int:
        """Make the tables of this run, and those before it that it did not write, the current ones in one step.

        Return the number of the run.
        """
        tables = dict(sorted((self.committed.tables | self._versions).items()))
        run = RunManifest(self.number, tables, run_time, summary, salt=self.salt or self.committed.salt)
        self.storage.write(f"runs/{self.number:06}.json", msgspec.json.encode(run, order="deterministic"))
        self.storage.write(_CURRENT, msgspec.json.encode(_Current(self.number)))
        self.committed, self._versions = run, {}
        self.number += 1
        return run.number

    def runs_since(self, number: int) -> list[RunManifest]:
        """Return the committed runs after that with this number, in their order."""
        return [self._run(f"{one:06}.json") for one in range(number + 1, self.committed.number + 1)]

    def sweep(self, needed: Iterable[tuple[str, str]] = ()) -> None:
        """Delete the versions of tables that nobody needs, and checkpoints.

        The last committed runs and this run need theirs; ``needed`` are names and versions of others.
        """
        self.storage.delete(CHECKPOINTS)
        first = self.committed.number - _RUNS_KEPT + 1
        runs = [name for name in self.storage.names("runs") if name.endswith(".json")]
        kept = {*needed, *self._versions.items()}
        for name in runs:
            if int(name.removesuffix(".json")) >= first:
                kept |= set(self._run(name).tables.items())
        for table in self.storage.names("tables"):
            for version in self.storage.names(f"tables/{table}"):
                if (table, version) not in kept:
                    self.storage.delete(_folder(table, version))

    def _last_committed(self) -> RunManifest:
        if not self.storage.exists(_CURRENT):
            return RunManifest(0, {})
        number = msgspec.json.decode(self.storage.read(_CURRENT), type=_Current).run
        run = self._run(f"{number:06}.json")
        if run.format != _FORMAT:
            raise StageError(
                f"{self.storage.root}: has format {run.format}, but this bibld reads format {_FORMAT}; use the bibld"
                " that wrote it"
            )
        return run

    def _run(self, name: str) -> RunManifest:
        return msgspec.json.decode(self.storage.read(f"runs/{name}"), type=RunManifest)

    def _read(self, name: str, version: str) -> DataFrame:
        reader = self._spark.read.schema(spark_schema(name)).option("pathGlobFilter", "*.parquet")
        return reader.parquet(literal(self.storage.path(_folder(name, version))))

    def _empty(self, name: str) -> DataFrame:
        return small_frame(self._spark, [], spark_schema(name))

    @property
    def _spark(self) -> SparkSession:
        assert self._session is not None, "these tables were opened without Spark"
        return self._session


def _options(name: str) -> dict[str, str]:
    """Return the options of Parquet for a table: values of bytes differ, so that a dictionary of them is useless."""
    return {
        f"parquet.enable.dictionary#{field.name}": "false" for field in SCHEMAS[name] if pa.types.is_binary(field.type)
    }


def _folder(name: str, made_by: str) -> str:
    if name not in SCHEMAS:
        raise KeyError(f"{name} is not the name of a table")
    return f"tables/{name}/{made_by}"


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
