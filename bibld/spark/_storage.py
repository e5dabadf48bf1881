"""Files of an engine: a folder that all nodes see, HDFS or an object store.

A folder of this machine needs no Java; all others are reached by the connectors of Hadoop.
"""

from __future__ import annotations

import os
import re
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from bibld.errors import StageError

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
