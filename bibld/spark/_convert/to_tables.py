"""From the databases of one machine to tables."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from bibld.catalog import Catalog, digest
from bibld.catalog.exchange import TABLES, Export, Row, WorkspaceState, export_of
from bibld.progress import Progress
from bibld.spark._schemas import SCHEMAS
from bibld.spark._tables import Tables

VERSION = 1

_KEYS_OF_FILE = 100_000
"""Keys (ordinals, founders …) of the rows in one file."""

_BYTES_OF_GROUP = 16 << 20
_ROWS_OF_GROUP = 20_000
"""A group of rows is written when it has that many bytes in its texts, or rows."""

_FILE_NAME = re.compile(r"part-(\d+)-(\d+)\.parquet")
"""Number of the portion, and of the rows in it."""


class ConvertedRun(msgspec.Struct, frozen=True):
    """The summary of a run that a conversion has committed: what the workspace was beside its rows."""

    state: WorkspaceState
    stages: dict[str, str]
    rows: dict[str, int]


def write_tables(catalog: Catalog, tables: Tables, run_time: str, progress: Progress) -> int:
    """Write all rows of a workspace, whose last run was completed, as tables, and commit them as a run.

    ``run_time`` is the time of the conversion (ISO 8601). Returns the number of the run; that of the last committed
    run if it consists of the same rows already. Raises ``CatalogError``, ``StageError``.
    """
    with catalog.snapshot():
        export = export_of(catalog)
        state = export.state()
        fingerprint = export.fingerprint()
        versions = {name: digest("convert", VERSION, state.workspace, fingerprint, name) for name in TABLES}
        if all(tables.committed.tables.get(name) == version for name, version in versions.items()):
            return tables.committed.number
        rows: dict[str, int] = {}
        for name, version in versions.items():
            if tables.is_complete(name, version):
                rows[name] = tables.manifest(name, version).rows
            else:
                progress.stage("convert", f"rows of {name}", export.count(name))
                rows[name] = _write_table(export, tables, name, version, progress)
            tables.adopt(name, version, rows[name])
    summary = ConvertedRun(state, state.stages, rows)
    return tables.commit(summary, run_time)


def _write_table(export: Export, tables: Tables, name: str, version: str, progress: Progress) -> int:
    """Write the files of a table that are not in the storage yet; return the number of all rows."""
    folder = f"tables/{name}/{version}"
    stored = {
        int(found[1]): int(found[2]) for file in tables.storage.names(folder) if (found := _FILE_NAME.fullmatch(file))
    }
    total = 0
    with tempfile.TemporaryDirectory() as place:
        for number, (first, last) in enumerate(export.portions(name, _KEYS_OF_FILE)):
            if number in stored:
                rows = stored[number]
                progress.advance(rows)
            else:
                file = Path(place) / "part.parquet"
                rows = _write_file(file, SCHEMAS[name], export.rows(name, first, last), progress)
                tables.storage.upload(file, f"{folder}/part-{number:06}-{rows}.parquet")
                file.unlink()
            total += rows
    return total


def _write_file(file: Path, schema: pa.Schema, rows: Iterable[Row], progress: Progress) -> int:
    count = 0
    with pq.ParquetWriter(file, schema, compression="zstd", version="2.6") as writer:
        for group in _groups(rows):
            writer.write_batch(_to_batch(group, schema))
            count += len(group)
            progress.advance(len(group))
    return count


def _groups(rows: Iterable[Row]) -> Iterator[list[Row]]:
    group: list[Row] = []
    size = 0
    for row in rows:
        group.append(row)
        size += sum(len(cell) for cell in row if isinstance(cell, bytes))
        if size >= _BYTES_OF_GROUP or len(group) >= _ROWS_OF_GROUP:
            yield group
            group, size = [], 0
    if group:
        yield group


def _to_batch(rows: list[Row], schema: pa.Schema) -> pa.RecordBatch:
    columns = []
    for field, cells in zip(schema, zip(*rows, strict=True), strict=True):
        values = list(map(bool, cells)) if pa.types.is_boolean(field.type) else list(cells)
        columns.append(pa.array(values, field.type))
    return pa.RecordBatch.from_arrays(columns, schema=schema)
