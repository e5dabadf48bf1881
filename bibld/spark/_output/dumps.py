"""Write the dumps in parts, and the patch; the bytes depend on the quads alone, not on how the tasks were divided.

Files are compressed on the disk of a node, then copied to the storage under a temporary name. A task may run more than
once, at the same time even. So each attempt writes its own file, and reports it in a row; the driver gives the final
names to the files of those attempts whose rows it received.
"""

from __future__ import annotations

import hashlib
import tempfile
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from operator import attrgetter
from pathlib import Path

import msgspec
import pyarrow as pa
from pyarrow import fs
from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from bibld.errors import StageError
from bibld.model.rdf import split_graphs
from bibld.model.release import QuadCounts, ReleaseFile
from bibld.publish import media_type, open_dump, part_names
from bibld.spark._engine import Engine
from bibld.spark._frames import batches_of, groups, map_rows, small_frame, struct_schema
from bibld.spark._output.quads import COUNTED_COLUMNS, COUNTS, KEY, Block, BlockCounter, ChangedLine, sum_counts

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
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bibld-")))
        with ExitStack() as files:
            outs = [files.enter_context(open_dump(directory / one.name)) for one in written]
            for block in blocks:
                for one, out, data in zip(written, outs, block, strict=True):
                    out.write(data)
                    one.lines += data.count(b"\n")
        return [one.copy(directory, folder) for one in written]


class _Open:
    def __init__(self, name: str) -> None:
        self.name = name
        self.lines = 0

    def copy(self, directory: Path, folder: str) -> WrittenFile:
        temporary = f"{self.name}.{uuid.uuid4().hex}"
        checksum = hashlib.sha256()
        size = 0
        address = f"{folder}/{temporary}"
        try:
            files, path = file_system(folder)
            if isinstance(files, fs.LocalFileSystem):
                files.create_dir(path)
            with (directory / self.name).open("rb") as content, files.open_output_stream(f"{path}/{temporary}") as out:
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


PART_BYTES = 1 << 30
"""Bytes of quads in a part, on average; a fifteenth of it when compressed."""

TEMPORARY = "_temporary"

_FILE = "file"
"""The kind of a row about a written file, beside those of the counts; its key is the description as JSON."""


class Dumps(msgspec.Struct, frozen=True):
    """The files of all parts, in order; the number of parts, of which some may be empty; the counts of the quads."""

    files: list[WrittenFile]
    parts: int
    counts: QuadCounts


class _PartBlock(Block, frozen=True):
    """A block, and the number of the part that it belongs to."""

    part: int


def _count_parts(blocks: DataFrame) -> int:
    """Return the number of parts of the dumps, from the size of all quads."""
    total = blocks.agg(sql.sum(sql.length("quads"))).collect()[0][0]
    return max(-(-int(total or 0) // PART_BYTES), 1)


def write_dumps(engine: Engine, folder: str, blocks: DataFrame) -> Dumps:
    """Write all blocks in parts by a hash of their owners, those of each part in the order of their owners.

    ``folder`` is the folder of the release in the storage. The quads are counted on the way.
    """
    parts = _count_parts(blocks)
    number = sql.pmod(sql.xxhash64(*KEY), sql.lit(parts)).cast("int")
    rows = blocks.withColumn("part", number).select(*_PartBlock.__struct_fields__)
    rows = rows.repartition("part").sortWithinPartitions("part", *KEY)
    compute = partial(_write_parts, _temporary(engine, folder), engine.iris.base.encode())
    # A task that runs again writes its files again, under other names; those that nobody knows of are deleted.
    result = rows.mapInArrow(compute, COUNTED_COLUMNS).persist(StorageLevel.DISK_ONLY)
    try:
        found = result.where(sql.col("kind") == _FILE).select("key").collect()
        files = [msgspec.json.decode(bytes(row["key"][0]), type=WrittenFile) for row in found]
        return Dumps(_complete(engine, folder, files), parts, sum_counts(result))
    finally:
        result.unpersist()


def _write_parts(folder: str, base: bytes, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    counter = BlockCounter(base)
    for part, blocks in groups(batches, _PartBlock, attrgetter("part")):
        files = write_files(folder, part_names(part), (_contents(counter, block) for block in blocks))
        yield from batches_of([(_FILE, [msgspec.json.encode(file)], 0) for file in files], COUNTS)
    yield from counter.batches()


def _contents(counter: BlockCounter, block: _PartBlock) -> Sequence[bytes]:
    lines = block.lines
    counter.add(lines)
    return lines, split_graphs(lines)[0]


def write_patch(engine: Engine, folder: str, changes: DataFrame, names: tuple[str, str]) -> list[WrittenFile]:
    """Write the lines that were added, and those that were removed, sorted, to files with these names.

    ``changes`` has the columns ``line`` and ``added``. Files without lines are written, too.
    """
    present = small_frame(engine.spark, [(None, None)], "line binary, added boolean")
    rows = changes.select("line", "added").unionByName(present).coalesce(1).sortWithinPartitions("line")
    compute = partial(_write_changes, _temporary(engine, folder), names)
    written = map_rows(rows, ChangedLine, compute, struct_schema(WrittenFile)).collect()
    return _complete(engine, folder, [WrittenFile(*row) for row in map(tuple, written)])


def _write_changes(folder: str, names: tuple[str, str], changes: Iterator[ChangedLine]) -> list[WrittenFile]:
    blocks = (
        (change.line + b"\n", b"") if change.added else (b"", change.line + b"\n")
        for change in changes
        if change.line is not None
    )
    return write_files(folder, names, blocks)


# -- the driver ------------------------------------------------------------------------------------------------------


def _temporary(engine: Engine, folder: str) -> str:
    return engine.storage.path(folder, TEMPORARY)


def _complete(engine: Engine, folder: str, files: Sequence[WrittenFile]) -> list[WrittenFile]:
    """Give the files that tasks report their names; raises ``StageError``."""
    names = {file.name for file in files}
    if len(names) != len(files):
        raise StageError(f"{engine.storage.path(folder)}: a part was written by two tasks; report this as a fault")
    for file in files:
        engine.storage.rename(f"{folder}/{TEMPORARY}/{file.temporary}", f"{folder}/{file.name}")
    return sorted(files, key=lambda file: file.name)
