"""Files of an engine: a folder that all nodes see, HDFS or an object store, reached by Hadoop's own connectors."""

from __future__ import annotations

import re
import uuid
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from bibld.errors import StageError

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_OBJECT_STORES = {"s3", "s3a", "s3n", "gs", "oss", "cosn"}
"""Schemes whose files appear when they are closed, and that cannot rename."""

_SPECIAL = re.compile(r"([\\*?\[\]{}])")


def absolute(place: str) -> str:
    """Return a folder with its scheme; one without is a folder of this machine (``file://``)."""
    return place if _SCHEME.match(place) else f"file://{Path(place).absolute()}"


def literal(place: str) -> str:
    """Return a place for Spark to read, in which no character is a pattern."""
    return _SPECIAL.sub(r"\\\1", place)


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
        try:
            files = self._java_path("").getFileSystem(self._configuration)
        except Py4JJavaError as error:
            raise self._failure(self.root, "cannot be opened", error) from error
        # Without the wrapper that writes and checks a hidden file of sums beside each file.
        self._files: Any = files.getRawFileSystem() if self._scheme == "file" else files

    def path(self, *names: str) -> str:
        """Return a file or folder with the root and its scheme, as Spark names it."""
        return "/".join([self.root, *(name for name in names if name)])

    def exists(self, name: str) -> bool:
        """Return whether there is a file or folder."""
        try:
            return bool(self._files.exists(self._java_path(name)))
        except Py4JJavaError as error:
            raise self._failure(name, "cannot be read", error) from error

    def read(self, name: str) -> bytes:
        """Return the content of a file."""
        try:
            stream = self._files.open(self._java_path(name))
            try:
                return bytes(self._java.org.apache.commons.io.IOUtils.toByteArray(stream))
            finally:
                stream.close()
        except Py4JJavaError as error:
            raise self._failure(name, "cannot be read", error) from error

    def write(self, name: str, data: bytes) -> None:
        """Write a file so that readers see either all of it or what was there before."""
        is_object = self._scheme in _OBJECT_STORES
        target = self._java_path(name)
        temporary = target if is_object else self._java_path(f"{name}.{uuid.uuid4().hex}.tmp")
        try:
            stream = self._files.create(temporary, True)
            try:
                stream.write(bytearray(data))
            finally:
                stream.close()
            if not is_object:
                self._replace(temporary, target)
        except Py4JJavaError as error:
            raise self._failure(name, "cannot be written", error) from error

    def upload(self, local: Path, name: str) -> None:
        """Copy a file of this machine here; readers see all of it or nothing."""
        is_object = self._scheme in _OBJECT_STORES
        target = self._java_path(name)
        temporary = target if is_object else self._java_path(f"{name}.{uuid.uuid4().hex}.tmp")
        source = self._java.org.apache.hadoop.fs.Path(absolute(str(local)))
        try:
            self._files.copyFromLocalFile(False, True, source, temporary)
            if not is_object:
                self._replace(temporary, target)
        except Py4JJavaError as error:
            raise self._failure(name, "cannot be written", error) from error

    def download(self, name: str, local: Path) -> None:
        """Copy a file from here to a file of this machine."""
        target = self._java.org.apache.hadoop.fs.Path(absolute(str(local)))
        try:
            self._files.copyToLocalFile(False, self._java_path(name), target, True)
        except Py4JJavaError as error:
            raise self._failure(name, "cannot be read", error) from error

    def rename(self, name: str, new: str) -> None:
        """Rename a file; one with the new name is replaced. An object store copies it."""
        try:
            if self._scheme in _OBJECT_STORES:
                self._files.delete(self._java_path(new), False)
                self._files.rename(self._java_path(name), self._java_path(new))
            else:
                self._replace(self._java_path(name), self._java_path(new))
        except Py4JJavaError as error:
            raise self._failure(name, "cannot be renamed", error) from error

    def delete(self, name: str) -> None:
        """Delete a file, or a folder with all that it contains, if it exists."""
        try:
            self._files.delete(self._java_path(name), True)
        except Py4JJavaError as error:
            raise self._failure(name, "cannot be deleted", error) from error

    def names(self, folder: str = "") -> list[str]:
        """Return the names of the files and folders directly in a folder, sorted; none if there is no such folder."""
        try:
            path = self._java_path(folder)
            if not self._files.exists(path):
                return []
            return sorted(status.getPath().getName() for status in self._files.listStatus(path))
        except Py4JJavaError as error:
            raise self._failure(folder, "cannot be listed", error) from error

    def size(self, name: str) -> int:
        """Return the bytes of a file, or of all files in a folder."""
        try:
            return int(self._files.getContentSummary(self._java_path(name)).getLength())
        except Py4JJavaError as error:
            raise self._failure(name, "cannot be read", error) from error

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

    def _failure(self, name: str, what: str, error: Py4JJavaError) -> StageError:
        cause = str(error.java_exception.toString()).partition("\n")[0]
        place = name if name == self.root else self.path(name)
        return StageError(f"{place}: {what}: {cause}; check `storage` in the table [engine] and the access to it")
