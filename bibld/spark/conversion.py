"""Move a workspace between the engines: from its two databases to tables, and back.

Nothing is computed: rows are copied, through files on the machine that has the databases. What was copied before a
conversion was interrupted is not copied again.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from bibld.catalog import Catalog, digest
from bibld.catalog.engines import check_newest_is_local, check_newest_is_on_spark, note_conversion
from bibld.catalog.exchange import (
    TABLES,
    ConvertedWorkspace,
    Export,
    Restoration,
    Row,
    WorkspaceState,
    export_of,
    lock_workspace,
    replace_databases,
    restoration_of,
)
from bibld.config import Config
from bibld.errors import CatalogError, StageError
from bibld.progress import Progress
from bibld.spark._frames import SCHEMAS
from bibld.spark._tables import RunManifest, Tables, open_tables, storage_of
from bibld.triplify import keys_of_assertion

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
    with tempfile.TemporaryDirectory() as directory:
        for number, (first, last) in enumerate(export.portions(name, _KEYS_OF_FILE)):
            if number in stored:
                rows = stored[number]
                progress.advance(rows)
            else:
                file = Path(directory) / "part.parquet"
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


_ROWS_AT_ONCE = 2_000
_BUILDING = "converting"
"""The folder of a workspace in which its new databases are made."""

_MARK = "state"
"""The file in it that names the run, and whether the databases are complete."""


class _Summary(msgspec.Struct, frozen=True):
    """What the summary of a run states about the results; ``state`` is there after a conversion."""

    stages: dict[str, str] = {}
    state: WorkspaceState | None = None


def write_workspace(tables: Tables, config: Config, progress: Progress) -> int:
    """Replace the databases of a workspace by the rows of the last committed run; return the number of that run.

    Verdicts that people gave since are kept. The next run on one machine finds all results current, and makes the
    store, the search and a release from them. Raises ``StageError``, ``CatalogError``.
    """
    run = tables.committed
    if not run.number:
        raise StageError(
            f"{tables.storage.root}: contains no complete run; run `bibld run CONFIG --engine spark` first"
        )
    with lock_workspace(config.workspace):
        building = config.workspace / _BUILDING
        complete = f"run {run.number}, complete"
        if _prepare(building, f"run {run.number}") != complete:
            _build(tables, run, building, config.workspace / "register.db", progress)
            _mark(building, complete)
        replace_databases(building, config.workspace)
        note_conversion(config.workspace, run.number)
    return run.number


def _build(tables: Tables, run: RunManifest, building: Path, register: Path, progress: Progress) -> None:
    with Catalog(building) as catalog:
        restoration = restoration_of(catalog, keys_of_assertion)
        if restoration.is_complete():
            return
        for name in TABLES:
            if version := run.tables.get(name):
                progress.stage("convert", f"rows of {name}", tables.manifest(name, version).rows)
                _restore_table(catalog, restoration, tables, f"tables/{name}/{version}", progress)
        summary = _summary(run)
        state = summary.state or restoration.state_of_rows(run.number)
        with catalog.commit():
            if register.is_file():
                restoration.keep_verdicts(register, state.workspace)
            restoration.end(state, run.run_time, summary.stages)


def _prepare(building: Path, begun: str) -> str:
    """Prepare the folder to build in, and return its mark; what an interrupted conversion of this run built stays."""
    mark = building / _MARK
    found = mark.read_text(encoding="ascii") if mark.is_file() else ""
    if found.partition(",")[0] == begun:
        return found
    shutil.rmtree(building, ignore_errors=True)
    _mark(building, begun)
    return begun


def _mark(building: Path, state: str) -> None:
    new = building / f"{_MARK}.new"
    try:
        building.mkdir(parents=True, exist_ok=True)
        new.write_text(state, encoding="ascii")
        new.replace(building / _MARK)
    except OSError as error:
        raise StageError(f"{building}: cannot be written: {error.strerror}; check the permissions") from error


def _summary(run: RunManifest) -> _Summary:
    try:
        return msgspec.convert(run.summary or {}, _Summary)
    except msgspec.ValidationError as error:
        raise StageError(
            f"the summary of run {run.number} cannot be read: {error}; use the bibld that wrote it"
        ) from error


def _restore_table(catalog: Catalog, restoration: Restoration, tables: Tables, folder: str, progress: Progress) -> None:
    name = folder.split("/")[1]
    for file in tables.storage.names(folder):
        if not file.endswith(".parquet"):
            continue
        with tempfile.TemporaryDirectory(dir=catalog.workspace) as directory:
            local = Path(directory) / "part.parquet"
            if not restoration.is_stored(f"{name}/{file}"):
                tables.storage.download(f"{folder}/{file}", local)
                _restore_file(catalog, restoration, name, f"{name}/{file}", local, progress)
            else:
                progress.report(f"convert: {name}/{file} was copied before")


def _restore_file(
    catalog: Catalog, restoration: Restoration, name: str, label: str, file: Path, progress: Progress
) -> None:
    """Store the rows of a file: each of its groups of rows in one commit."""
    with pq.ParquetFile(file) as parquet:
        groups = parquet.num_row_groups
        for group in range(groups):
            portion = f"{label}/{group}"
            if restoration.is_stored(portion):
                continue
            with catalog.commit():
                for rows in _rows_of_group(parquet, group, SCHEMAS[name]):
                    restoration.insert(name, rows)
                    progress.advance(len(rows))
                restoration.mark_stored(portion)
        with catalog.commit():
            restoration.mark_stored(label)


def _rows_of_group(parquet: pq.ParquetFile, group: int, schema: pa.Schema) -> Iterator[list[Row]]:
    for batch in parquet.iter_batches(_ROWS_AT_ONCE, row_groups=[group], columns=schema.names):
        columns = [batch.column(column).to_pylist() for column in schema.names]
        yield list(zip(*columns, strict=True))


def convert_workspace(config: Config, to: str, run_time: datetime, progress: Progress) -> ConvertedWorkspace:
    """Move the results of the last run to the tables of Spark (``spark``), or from them to this machine (``local``).

    What an interrupted conversion has copied is not copied again. Raises ``StageError``; ``CatalogError``, also where
    newer results would be replaced by older ones; and ``ConfigError`` without Java, which only storage that is no
    folder of this machine needs.
    """
    with open_tables(config, "bibld: conversion of a workspace") as tables:
        before = tables.committed.number
        if to == "spark":
            if not (config.workspace / "catalog.db").is_file():
                raise CatalogError(f"{config.workspace}: nothing has been run yet, there is nothing to convert")
            check_newest_is_local(config.workspace, config.file)
            with Catalog(config.workspace, config_file=config.file) as catalog:
                run = write_tables(catalog, tables, run_time.isoformat(), progress)
                note_conversion(config.workspace, run)
        else:
            check_newest_is_on_spark(config.workspace, config.file)
            run = write_workspace(tables, config, progress)
        versions = tables.committed.tables
        rows = {name: tables.manifest(name, versions[name]).rows for name in TABLES if name in versions}
        return ConvertedWorkspace(to, storage_of(config), run, rows, was_current=to == "spark" and run == before)
