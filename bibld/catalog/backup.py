"""Copy register and catalog, also during a run.

Both are copied as they are between two commits of a run, so they belong together. The copy contains nothing about the
files beside the databases (index, live store, releases): a run over it makes these again.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec

from bibld.catalog._database import connect
from bibld.catalog._schema import CATALOG_FORMAT, REGISTER_FORMAT
from bibld.errors import CatalogError
from bibld.progress import Progress

PATIENCE = 600.0
"""Seconds to wait for a run that is writing."""

_PAGES_AT_ONCE = 2_000
_TABLES_ABOUT_FILES = ("feature_index", "patch", "delivery")
"""Tables about the files beside the databases; the copy of a catalog has none of their rows."""


class Copied(msgspec.Struct, frozen=True):
    """A file of a backup: its name, its size in bytes, and the number of its ordinals or records."""

    name: str
    bytes: int
    records: int


def back_up(
    workspace: Path, folder: Path, register_only: bool, progress: Progress, patience: float = PATIENCE
) -> list[Copied]:
    """Copy ``register.db``, and ``catalog.db`` unless ``register_only``, into a new folder, completely or not at all.

    Raises ``CatalogError`` if there is nothing to copy, the folder exists or cannot be written, a run writes for longer
    than ``patience`` seconds, or the copy is damaged.
    """
    names = ["register.db"] if register_only else ["register.db", "catalog.db"]
    for name in names:
        if not (workspace / name).is_file():
            raise CatalogError(f"{workspace}: contains no {name} yet; run `bibld run` first")
    if folder.exists():
        raise CatalogError(f"{folder}: exists already; name a new folder, each backup needs its own")
    building = folder.with_name(f"{folder.name}.building")
    try:
        shutil.rmtree(building, ignore_errors=True)
        building.mkdir(parents=True)
        with _frozen(workspace, names, patience) as connections:
            for name, connection in zip(names, connections, strict=True):
                _copy(connection, building / name, progress)
        copied = _verify(building, names)
        _sync(building)
        building.rename(folder)
        _sync(folder.parent)
    except (sqlite3.Error, OSError) as error:
        raise CatalogError(f"{folder}: the backup cannot be written: {error}; nothing was stored") from error
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return copied


@contextmanager
def _frozen(workspace: Path, names: list[str], patience: float) -> Iterator[list[sqlite3.Connection]]:
    """Yield connections that see both databases in their state at one moment between two commits.

    While this process has the write locks of both, no other process commits; in that moment two snapshots are opened.
    """
    writers = [connect(workspace / name, read_only=False) for name in names]
    readers = [connect(workspace / name, read_only=True) for name in names]
    try:
        for writer in writers:  # in the order in which a run locks them
            writer.execute(f"PRAGMA busy_timeout = {int(patience * 1000)}")
            writer.execute("BEGIN IMMEDIATE")
        for reader in readers:
            reader.isolation_level = None
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM workspace").fetchone()
        for writer in writers:
            writer.execute("ROLLBACK")
        yield readers
    finally:
        for connection in (*writers, *readers):
            connection.close()


def _copy(source: sqlite3.Connection, file: Path, progress: Progress) -> None:
    """Copy a database page by page, and delete from a catalog the rows about files beside it."""
    pages = source.execute("PRAGMA page_count").fetchone()[0]
    progress.stage("backup", f"pages of {file.name}", pages)
    done = 0

    def advance(status: int, remaining: int, total: int) -> None:
        nonlocal done
        progress.advance(total - remaining - done)
        done = total - remaining

    with closing(sqlite3.connect(file, isolation_level=None)) as target:
        source.backup(target, pages=_PAGES_AT_ONCE, progress=advance, sleep=0)
        target.execute("PRAGMA journal_mode = DELETE")
        if file.name == "catalog.db":
            target.execute("BEGIN")
            for table in _TABLES_ABOUT_FILES:
                target.execute(f"DELETE FROM {table}")
            target.execute("COMMIT")


def _verify(folder: Path, names: list[str]) -> list[Copied]:
    """Return what was copied; raises ``CatalogError`` if it is damaged or does not belong together."""
    copied, ids, largest = [], set(), []
    for name in names:
        table, version = ("ordinal", REGISTER_FORMAT) if name == "register.db" else ("record", CATALOG_FORMAT)
        with closing(sqlite3.connect(folder / name)) as connection:
            execute = connection.execute
            if execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
                raise CatalogError(f"{name} is damaged, and so is its copy; run `bibld catalog check` for details")
            if execute("PRAGMA user_version").fetchone()[0] != version:
                raise CatalogError(f"{name} has another format than this bibld; use the version that wrote it")
            ids.add(execute("SELECT id FROM workspace").fetchone())
            count, most = execute(f"SELECT count(*), coalesce(max(ordinal), 0) FROM {table}").fetchone()
        copied.append(Copied(name, (folder / name).stat().st_size, count))
        largest.append(most)
    if len(ids) > 1 or largest != sorted(largest, reverse=True):
        raise CatalogError("register.db and catalog.db do not belong together; run `bibld catalog check` for details")
    return copied


def _sync(folder: Path) -> None:
    """Wait until the files in a folder, and their names, are on the disk."""
    for path in (*sorted(folder.glob("*.db")), folder):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
