"""From tables to the databases of one machine."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from bibld.catalog import Catalog
from bibld.catalog.engines import note_conversion
from bibld.catalog.exchange import (
    TABLES,
    Restoration,
    Row,
    WorkspaceState,
    lock_workspace,
    replace_databases,
    restoration_of,
)
from bibld.config import Config
from bibld.errors import StageError
from bibld.progress import Progress
from bibld.spark._schemas import SCHEMAS
from bibld.spark._tables import RunManifest, Tables
from bibld.triplify import keys_of_assertion

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
        with tempfile.TemporaryDirectory(dir=catalog.workspace) as place:
            local = Path(place) / "part.parquet"
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
                for rows in _rows(parquet, group, SCHEMAS[name]):
                    restoration.insert(name, rows)
                    progress.advance(len(rows))
                restoration.mark_stored(portion)
        with catalog.commit():
            restoration.mark_stored(label)


def _rows(parquet: pq.ParquetFile, group: int, schema: pa.Schema) -> Iterator[list[Row]]:
    for batch in parquet.iter_batches(_ROWS_AT_ONCE, row_groups=[group], columns=schema.names):
        columns = [batch.column(column).to_pylist() for column in schema.names]
        yield list(zip(*columns, strict=True))
