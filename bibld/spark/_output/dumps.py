"""Write the dumps in parts, and the patch; the bytes depend on the quads alone, not on how the tasks were divided."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from operator import attrgetter

import msgspec
import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from bibld.errors import StageError
from bibld.model.rdf import split_graphs
from bibld.model.release import QuadCounts
from bibld.publish import part_names
from bibld.spark._engine import Engine
from bibld.spark._frames import small_frame
from bibld.spark._output.blocks import KEY, Block
from bibld.spark._output.changes import changed_lines
from bibld.spark._output.counts import COUNTED_COLUMNS, COUNTS, BlockCounter, sum_counts
from bibld.spark._output.files import WRITTEN, WRITTEN_COLUMNS, WrittenFile, write_files
from bibld.spark._stream import batches_of, groups

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
    made = rows.mapInArrow(compute, COUNTED_COLUMNS).persist(StorageLevel.DISK_ONLY)
    try:
        found = made.where(sql.col("kind") == _FILE).select("key").collect()
        files = [msgspec.json.decode(bytes(row["key"][0]), type=WrittenFile) for row in found]
        return Dumps(_complete(engine, folder, files), parts, sum_counts(made))
    finally:
        made.unpersist()


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
    written = rows.mapInArrow(compute, WRITTEN_COLUMNS).collect()
    return _complete(engine, folder, [WrittenFile(*row) for row in map(tuple, written)])


def _write_changes(folder: str, names: tuple[str, str], batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    blocks = (
        (change.line + b"\n", b"") if change.added else (b"", change.line + b"\n")
        for change in changed_lines(batches)
        if change.line is not None
    )
    return batches_of(write_files(folder, names, blocks), WRITTEN)


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
