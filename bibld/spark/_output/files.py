"""Files that tasks write: compressed on the disk of the node, then copied to the storage under a temporary name.

A task may run more than once, at the same time even. So each attempt writes its own file, and reports it in a row; the
driver gives the final names to the files of those attempts whose rows it received.
"""

from __future__ import annotations

import hashlib
import tempfile
import uuid
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path

import msgspec
import pyarrow as pa
from pyarrow import fs

from bibld.errors import StageError
from bibld.model.release import ReleaseFile
from bibld.publish import media_type, open_dump

WRITTEN = pa.schema(
    [
        ("name", pa.string()),
        ("temporary", pa.string()),
        ("lines", pa.int64()),
        ("bytes", pa.int64()),
        ("sha256", pa.string()),
    ]
)
WRITTEN_COLUMNS = "name string, temporary string, lines long, bytes long, sha256 string"

_PIECE = 1 << 22


class WrittenFile(msgspec.Struct, frozen=True):
    """A file that a task has written: its final name, its present one, and what it contains."""

    name: str
    temporary: str
    lines: int
    bytes: int
    sha256: str

    @property
    def described(self) -> ReleaseFile:
        """The file as the manifest of a release names it."""
        return ReleaseFile(self.name, self.bytes, self.sha256, media_type(self.name))


def write_files(folder: str, names: Iterable[str], blocks: Iterable[Iterable[bytes]]) -> list[WrittenFile]:
    """Write files side by side; each item of ``blocks`` has the bytes to be added to each of them.

    ``folder`` is an address of the storage for temporary files. Raises ``StageError``.
    """
    written = [_Open(name) for name in names]
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bibld-")))
        with ExitStack() as files:
            outs = [files.enter_context(open_dump(place / one.name)) for one in written]
            for block in blocks:
                for one, out, data in zip(written, outs, block, strict=True):
                    out.write(data)
                    one.lines += data.count(b"\n")
        return [one.copy(place, folder) for one in written]


class _Open:
    def __init__(self, name: str) -> None:
        self.name = name
        self.lines = 0

    def copy(self, place: Path, folder: str) -> WrittenFile:
        temporary = f"{self.name}.{uuid.uuid4().hex}"
        checksum = hashlib.sha256()
        size = 0
        address = f"{folder}/{temporary}"
        try:
            files, path = file_system(folder)
            if isinstance(files, fs.LocalFileSystem):
                files.create_dir(path)
            with (place / self.name).open("rb") as content, files.open_output_stream(f"{path}/{temporary}") as out:
                while piece := content.read(_PIECE):
                    checksum.update(piece)
                    size += len(piece)
                    out.write(piece)
        except OSError as error:
            raise StageError(f"{address}: cannot be written: {error}; check the space and the access there") from error
        return WrittenFile(self.name, temporary, self.lines, size, checksum.hexdigest())


def file_system(address: str) -> tuple[fs.FileSystem, str]:
    """Return the file system of an address with a scheme, and the path in it; raises ``StageError``.

    HDFS needs ``libhdfs`` on the nodes (``HADOOP_HOME``, ``CLASSPATH``); credentials of object stores come from the
    environment of the executors.
    """
    scheme, _, rest = address.partition("://")
    if scheme == "file":
        return fs.LocalFileSystem(), rest
    known = {"s3a": "s3", "s3n": "s3"}.get(scheme, scheme)
    try:
        files, path = fs.FileSystem.from_uri(f"{known}://{rest}")
    except (OSError, pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise StageError(f"{address}: tasks cannot write there: {error}") from error
    return files, str(path)
