"""Write the dumps in parts, and the patch; the bytes depend on the quads alone, not on how the tasks were divided."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from operator import attrgetter

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as sql

from bibld.errors import StageError
from bibld.model.rdf import split_graphs
from bibld.publish import part_names
from bibld.spark._engine import Engine
from bibld.spark._output.blocks import KEY, Block
from bibld.spark._output.changes import changed_lines
from bibld.spark._output.files import WRITTEN, WRITTEN_COLUMNS, WrittenFile, write_files
from bibld.spark._stream import batches_of, groups

PART_BYTES = 1 << 30
"""Bytes of quads in a part, on average; a fifteenth of it when compressed."""

TEMPORARY = "_temporary"


class _PartBlock(Block, frozen=True):
    """A block, and the number of the part that it belongs to."""

    part: int


def count_parts(blocks: DataFrame, part_bytes: int) -> int:
    """Return the number of parts of the dumps, from the size of all quads."""
    total = blocks.agg(sql.sum(sql.length("quads"))).collect()[0][0]
    return max(-(-int(total or 0) // part_bytes), 1)


def write_dumps(engine: Engine, folder: str, blocks: DataFrame, parts: int) -> list[WrittenFile]:
    """Write all blocks in parts by a hash of their owners, those of each part in the order of their owners.

    ``folder`` is the folder of the release in the storage. Returns the files of all parts, in order.
    """
    number = sql.pmod(sql.xxhash64(*KEY), sql.lit(parts)).cast("long")
    rows = blocks.withColumn("part", number).select(*_PartBlock.__struct_fields__)
    rows = rows.repartition("part").sortWithinPartitions("part", *KEY)
    return _write(engine, folder, rows.mapInArrow(partial(_write_parts, _temporary(engine, folder)), WRITTEN_COLUMNS))


def _write_parts(folder: str, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    rows = (
        file
        for part, blocks in groups(batches, _PartBlock, attrgetter("part"))
        for file in write_files(folder, part_names(part), map(_contents, blocks))
    )
    return batches_of(rows, WRITTEN, size=1)


def _contents(block: _PartBlock) -> Sequence[bytes]:
    lines = block.lines
    return lines, split_graphs(lines)[0]


def write_patch(engine: Engine, folder: str, changes: DataFrame, names: tuple[str, str]) -> list[WrittenFile]:
    """Write the lines that were added, and those that were removed, sorted, to files with these names.

    ``changes`` has the columns ``line`` and ``added``. Files without lines are written, too.
    """
    present = engine.spark.createDataFrame([(None, None)], "line binary, added boolean")
    rows = changes.select("line", "added").unionByName(present).coalesce(1).sortWithinPartitions("line")
    compute = partial(_write_changes, _temporary(engine, folder), names)
    return _write(engine, folder, rows.mapInArrow(compute, WRITTEN_COLUMNS))


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


def _write(engine: Engine, folder: str, rows: DataFrame) -> list[WrittenFile]:
    """Run the tasks, and give the files that they report their names; raises ``StageError``."""
    files = [WrittenFile(*row) for row in map(tuple, rows.collect())]
    names = {file.name for file in files}
    if len(names) != len(files):
        raise StageError(f"{engine.storage.path(folder)}: a part was written by two tasks; report this as a fault")
    for file in files:
        engine.storage.rename(f"{folder}/{TEMPORARY}/{file.temporary}", f"{folder}/{file.name}")
    return sorted(files, key=lambda file: file.name)
