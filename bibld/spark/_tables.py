"""The tables of a workspace as versioned Parquet, and the commit of a run.

::

    tables/<name>/<made_by>/*.parquet    manifest.json is written last: without it the version is incomplete
    runs/<number>.json                   the versions that a committed run consists of, its time and summary
    current.json                         the number of the last committed run; replaced in one step

A version is never changed. What a run has written before it was stopped is complete or is written again.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
from py4j.protocol import Py4JJavaError
from pyspark.sql import DataFrame, SparkSession

from bibld.catalog import digest
from bibld.catalog.exchange import WorkspaceState
from bibld.errors import StageError
from bibld.spark._frames import SCHEMAS, small_frame, spark_schema, to_batch

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


class RunSummary(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is stored of a committed run: the settings of each stage as one machine names them, and the seconds.

    Of a conversion it is what the workspace was beside its rows, and how many these are by table.
    """

    stages: dict[str, str] = {}
    seconds: dict[str, float] = {}
    state: WorkspaceState | None = None
    rows: dict[str, int] = {}


class RunManifest(msgspec.Struct, frozen=True):
    """A committed run: the version of each table, the time that its output contains, and what it reported.

    ``salt`` is a part of the versions since all tables behind reading were last made again.
    """

    number: int
    tables: dict[str, str]
    run_time: str = ""
    summary: RunSummary | None = None
    format: int = _FORMAT
    salt: str = ""

    @property
    def is_conversion(self) -> bool:
        """Whether a conversion has committed it: the tables are the rows of one machine."""
        return self.summary is not None and self.summary.state is not None


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
            content = pa.Table.from_batches([to_batch(list(rows), SCHEMAS[name])])
            self.storage.delete(_folder(name, made_by))  # left by a run that was stopped
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "part.parquet"
                pq.write_table(content, file, compression="zstd", version="2.6")
                self.storage.upload(file, f"{_folder(name, made_by)}/part-00000.parquet")
            self._complete(name, made_by, content.num_rows)
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

    def commit(self, summary: RunSummary | None = None, run_time: str = "") -> int:
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


_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_OBJECT_STORES = {"s3", "s3a", "s3n", "gs", "oss", "cosn"}
"""Schemes whose files appear when they are closed, and that cannot rename."""

_SPECIAL = re.compile(r"([\\*?\[\]{}])")


def absolute(folder: str) -> str:
    """Return a folder with its scheme; one without is a folder of this machine (``file://``)."""
    return folder if _SCHEME.match(folder) else f"file://{Path(folder).absolute()}"


def literal(folder: str) -> str:
    """Return a folder for Spark to read, in which no character is a pattern."""
    return _SPECIAL.sub(r"\\\1", folder)


class Storage:
    """A folder on any file system that Hadoop knows; names are relative to it, with ``/``.

    The driver does this with manifests, pointers and single files, not with tables. Raises ``StageError``.
    """

    def __init__(self, spark: SparkSession, root: str) -> None:
        self.root = absolute(root).rstrip("/")
        # The gateway of Spark's driver has no types; its members are the classes of Java.
        self._java: Any = spark._jvm
        self._configuration: Any = spark._jsc.hadoopConfiguration()
        self._scheme = self.root.partition("://")[0]
        with self._located(self.root, "cannot be opened"):
            files = self._java_path("").getFileSystem(self._configuration)
        # Without the wrapper that writes and checks a hidden file of sums beside each file.
        self._files: Any = files.getRawFileSystem() if self._scheme == "file" else files

    def path(self, *names: str) -> str:
        """Return a file or folder with the root and its scheme, as Spark names it."""
        return "/".join([self.root, *(name for name in names if name)])

    def exists(self, name: str) -> bool:
        """Return whether there is a file or folder."""
        with self._located(name, "cannot be read"):
            return bool(self._files.exists(self._java_path(name)))

    def read(self, name: str) -> bytes:
        """Return the content of a file."""
        with self._located(name, "cannot be read"):
            stream = self._files.open(self._java_path(name))
            try:
                return bytes(self._java.org.apache.commons.io.IOUtils.toByteArray(stream))
            finally:
                stream.close()

    def write(self, name: str, data: bytes) -> None:
        """Write a file so that readers see either all of it or what was there before."""
        with self._located(name, "cannot be written"), self._replacing(name) as temporary:
            stream = self._files.create(temporary, True)
            try:
                stream.write(bytearray(data))
            finally:
                stream.close()

    def upload(self, local: Path, name: str) -> None:
        """Copy a file of this machine here; readers see all of it or nothing."""
        with self._located(name, "cannot be written"), self._replacing(name) as temporary:
            source = self._java.org.apache.hadoop.fs.Path(absolute(str(local)))
            self._files.copyFromLocalFile(False, True, source, temporary)

    @contextmanager
    def _replacing(self, name: str) -> Iterator[Any]:
        """Give the path to write a file to, then replace the file by it; object stores need no other."""
        target = self._java_path(name)
        if self._scheme in _OBJECT_STORES:
            yield target
        else:
            temporary = self._java_path(f"{name}.{uuid.uuid4().hex}.tmp")
            yield temporary
            self._replace(temporary, target)

    def download(self, name: str, local: Path) -> None:
        """Copy a file from here to a file of this machine."""
        target = self._java.org.apache.hadoop.fs.Path(absolute(str(local)))
        with self._located(name, "cannot be read"):
            self._files.copyToLocalFile(False, self._java_path(name), target, True)

    def rename(self, name: str, new: str) -> None:
        """Rename a file; one with the new name is replaced. An object store copies it."""
        with self._located(name, "cannot be renamed"):
            if self._scheme in _OBJECT_STORES:
                self._files.delete(self._java_path(new), False)
                self._files.rename(self._java_path(name), self._java_path(new))
            else:
                self._replace(self._java_path(name), self._java_path(new))

    def delete(self, name: str) -> None:
        """Delete a file, or a folder with all that it contains, if it exists."""
        with self._located(name, "cannot be deleted"):
            self._files.delete(self._java_path(name), True)

    def names(self, folder: str = "") -> list[str]:
        """Return the names of the files and folders directly in a folder, sorted; none if there is no such folder."""
        with self._located(folder, "cannot be listed"):
            path = self._java_path(folder)
            if not self._files.exists(path):
                return []
            return sorted(status.getPath().getName() for status in self._files.listStatus(path))

    def _replace(self, temporary: Any, target: Any) -> None:  # noqa: ANN401
        """Rename a file over another one in one step."""
        if self._scheme == "file":  # the rename of the operating system
            if not self._files.rename(temporary, target):
                raise StageError(f"{target}: cannot be written; check the permissions of the folder")
            return
        renames = getattr(self._java.org.apache.hadoop.fs, "Options$Rename")
        options = self._java.java.lang.reflect.Array.newInstance(renames._java_lang_class, 1)
        options[0] = renames.OVERWRITE
        context = self._java.org.apache.hadoop.fs.FileContext.getFileContext(target.toUri(), self._configuration)
        context.rename(temporary, target, options)

    def _java_path(self, name: str) -> Any:  # noqa: ANN401
        return self._java.org.apache.hadoop.fs.Path(self.path(name))

    @contextmanager
    def _located(self, name: str, what: str) -> Iterator[None]:
        try:
            yield
        except Py4JJavaError as error:
            cause = str(error.java_exception.toString()).partition("\n")[0]
            address = name if name == self.root else self.path(name)
            raise StageError(
                f"{address}: {what}: {cause}; check `storage` in the table [engine] and the access to it"
            ) from error


class FolderStorage:
    """Files in a folder, with the methods of ``Storage``; names are relative to it. Raises ``StageError``."""

    def __init__(self, root: Path) -> None:
        self._root = root.absolute()
        self.root = f"file://{self._root}"

    def path(self, *names: str) -> str:
        """Return a file or folder with the root and its scheme, as Spark names it."""
        return "/".join([self.root, *(name for name in names if name)])

    def exists(self, name: str) -> bool:
        """Return whether there is a file or folder."""
        return (self._root / name).exists()

    def names(self, folder: str = "") -> list[str]:
        """Return the names of the files and folders directly in a folder, sorted; none if there is no such folder."""
        path = self._root / folder
        return sorted(one.name for one in path.iterdir()) if path.is_dir() else []

    def read(self, name: str) -> bytes:
        """Return the content of a file."""
        with self._located(name, "cannot be read"):
            return (self._root / name).read_bytes()

    def write(self, name: str, data: bytes) -> None:
        """Write a file so that readers see either all of it or what was there before."""
        with self._located(name, "cannot be written"), self._replacing(name) as temporary:
            temporary.write_bytes(data)

    def upload(self, local: Path, name: str) -> None:
        """Copy a file of this machine here; it appears when it is complete."""
        with self._located(name, "cannot be written"), self._replacing(name) as temporary:
            shutil.copyfile(local, temporary)

    @contextmanager
    def _replacing(self, name: str) -> Iterator[Path]:
        target = self._root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f"{target.name}.{os.getpid()}.tmp")
        yield temporary
        temporary.replace(target)

    def delete(self, name: str) -> None:
        """Delete a file, or a folder with all that it contains, if it exists."""
        folder = self._root / name
        with self._located(name, "cannot be deleted"):
            if folder.is_dir():
                shutil.rmtree(folder)
            else:
                folder.unlink(missing_ok=True)

    def download(self, name: str, local: Path) -> None:
        """Copy a file from here to a file of this machine."""
        with self._located(name, "cannot be read"):
            shutil.copyfile(self._root / name, local)

    @contextmanager
    def _located(self, name: str, what: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StageError(
                f"{self._root / name}: {what}: {error.strerror}; check the permissions and the free space"
            ) from error
