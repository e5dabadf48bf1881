"""Move a workspace between the engines: from its two databases to tables, and back.

Nothing is computed: rows are copied, through files on the machine that has the databases. What was copied before a
conversion was interrupted is not copied again.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

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
    export_of,
    lock_workspace,
    replace_databases,
    restoration_of,
)
from bibld.config import Config
from bibld.errors import CatalogError, StageError
from bibld.progress import Progress
from bibld.spark._engine import open_tables, storage_of
from bibld.spark._frames import SCHEMAS, batches_of
from bibld.spark._tables import RunManifest, RunSummary, Tables
from bibld.triplify import keys_of_assertion

VERSION = 1

_KEYS_OF_FILE = 100_000
"""Keys (ordinals, founders …) of the rows in one file."""

_ROWS_OF_GROUP = 20_000
"""Rows of a group in a file, at most: a group is written and restored at once."""

_FILE_NAME = re.compile(r"part-(\d+)-(\d+)\.parquet")
"""Number of the portion, and of the rows in it."""


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
    return tables.commit(RunSummary(state.stages, state=state, rows=rows), run_time)


def _write_table(export: Export, tables: Tables, name: str, version: str, progress: Progress) -> int:
    """Write the files of a table that are not in the storage yet; return the number of all rows."""
    folder = f"tables/{name}/{version}"
    stored = {
        int(found[1]): int(found[2]) for file in tables.storage.names(folder) if (found := _FILE_NAME.fullmatch(file))
    }
    schema, total = SCHEMAS[name], 0
    for number, (first, last) in enumerate(export.portions(name, _KEYS_OF_FILE)):
        if number in stored:
            rows = stored[number]
            progress.advance(rows)
        else:
            rows = 0
            with tempfile.TemporaryDirectory() as directory:
                file = Path(directory, "part.parquet")
                with pq.ParquetWriter(file, schema, compression="zstd", version="2.6") as writer:
                    for batch in batches_of(
                        _with_flags(export.rows(name, first, last), schema), schema, _ROWS_OF_GROUP
                    ):
                        writer.write_batch(batch)
                        rows += batch.num_rows
                        progress.advance(batch.num_rows)
                tables.storage.upload(file, f"{folder}/part-{number:06}-{rows}.parquet")
        total += rows
    return total


def _with_flags(rows: Iterable[Row], schema: pa.Schema) -> Iterator[Sequence[Any]]:
    """Yield rows with true and false, for which the databases have 1 and 0."""
    flags = [pa.types.is_boolean(field.type) for field in schema]
    for row in rows:
        yield [bool(cell) if is_flag else cell for cell, is_flag in zip(row, flags, strict=True)]


_ROWS_AT_ONCE = 2_000
_BUILDING = "converting"
"""The folder of a workspace in which its new databases are made."""

_MARK = "state"
"""The file in it that names the run, and whether the databases are complete."""


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
                for file in tables.files(name, version):
                    _restore_file(catalog, restoration, tables, name, file, progress)
        summary = run.summary or RunSummary()
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


def _restore_file(
    catalog: Catalog, restoration: Restoration, tables: Tables, name: str, file: str, progress: Progress
) -> None:
    """Store the rows of a file of a table: each of its groups of rows in one commit."""
    label = f"{name}/{Path(file).name}"
    if restoration.is_stored(label):
        progress.report(f"convert: {label} was copied before")
        return
    columns = SCHEMAS[name].names
    with tempfile.TemporaryDirectory(dir=catalog.workspace) as folder:
        local = Path(folder, "part.parquet")
        tables.storage.download(file, local)
        with pq.ParquetFile(local) as parquet:
            for group in range(parquet.num_row_groups):
                if restoration.is_stored(f"{label}/{group}"):
                    continue
                with catalog.commit():
                    for batch in parquet.iter_batches(_ROWS_AT_ONCE, row_groups=[group], columns=columns):
                        cells = [batch.column(column).to_pylist() for column in columns]
                        restoration.insert(name, list(zip(*cells, strict=True)))
                        progress.advance(batch.num_rows)
                    restoration.mark_stored(f"{label}/{group}")
        with catalog.commit():
            restoration.mark_stored(label)


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
