"""A copy of register and catalog while a run goes on.

Both are copied as they stand between two commits of a run, so they belong together. In the copy nothing is left of what
lies beside the databases (index, live store, releases): a run over it makes these anew, whatever it finds there.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec

from bibld.catalog._database.schema import CATALOG_FORMAT, REGISTER_FORMAT, connected
from bibld.errors import CatalogError
from bibld.progress import Progress

PATIENCE = 600.0
"""Seconds to wait for a run that is writing."""

_PAGES_AT_ONCE = 2_000
_BESIDE = ("segment", "tombstone", "patch", "delivery")
"""Tables that say what lies beside the databases."""


class Copied(msgspec.Struct, frozen=True):
    """A file of a backup: its name, its size in bytes, and the number of ordinals or records that it holds."""

    name: str
    bytes: int
    held: int


def back_up(
    workspace: Path, folder: Path, register_only: bool, progress: Progress, patience: float = PATIENCE
) -> list[Copied]:
    """Copy ``register.db``, and ``catalog.db`` unless ``register_only``, into a new folder, which appears whole.

    Raises ``CatalogError`` where there is nothing to copy, the folder is there already or cannot be written, a run
    writes for longer than ``patience`` seconds, or the copy is not as it should be.
    """
    names = ["register.db"] if register_only else ["register.db", "catalog.db"]
    for name in names:
        if not (workspace / name).is_file():
            raise CatalogError(f"{workspace}: holds no {name} yet; run `bibld run` first")
    if folder.exists():
        raise CatalogError(f"{folder}: is there already; name a folder that is not, each backup has its own")
    building = folder.with_name(f"{folder.name}.building")
    try:
        shutil.rmtree(building, ignore_errors=True)
        building.mkdir(parents=True)
        with _frozen(workspace, names, patience) as held:
            for name, connection in zip(names, held, strict=True):
                _copy(connection, building / name, progress)
        copied = _checked(building, names)
        _sync(building)
        building.rename(folder)
        _sync(folder.parent)
    except (sqlite3.Error, OSError) as error:
        raise CatalogError(f"{folder}: the backup cannot be written: {error}; nothing was kept of it") from error
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return copied


@contextmanager
def _frozen(workspace: Path, names: list[str], patience: float) -> Iterator[list[sqlite3.Connection]]:
    """Connections that see the databases as they are at one moment between two commits, for as long as they are open.

    Who may write to both writes to neither just now; that moment is enough for two snapshots.
    """
    writers = [connected(workspace / name, read_only=False) for name in names]
    readers = [connected(workspace / name, read_only=True) for name in names]
    try:
        for writer in writers:  # in the order in which a run takes them
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
    """Copy a database page by page, and leave out of a catalog what lies beside it."""
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
            for table in _BESIDE:
                target.execute(f"DELETE FROM {table}")
            target.execute("COMMIT")


def _checked(folder: Path, names: list[str]) -> list[Copied]:
    """What was copied; raises ``CatalogError`` unless it is whole and belongs together."""
    copied, ids, largest = [], set(), []
    for name in names:
        table, version = ("ordinal", REGISTER_FORMAT) if name == "register.db" else ("record", CATALOG_FORMAT)
        with closing(sqlite3.connect(folder / name)) as connection:
            ask = connection.execute
            if ask("PRAGMA quick_check(1)").fetchone()[0] != "ok":
                raise CatalogError(f"{name} is damaged, and so is its copy; `bibld catalog check` says more")
            if ask("PRAGMA user_version").fetchone()[0] != version:
                raise CatalogError(f"{name} has another format than this bibld; `bibld run` brings it to that")
            ids.add(ask("SELECT id FROM workspace").fetchone())
            held, most = ask(f"SELECT count(*), coalesce(max(ordinal), 0) FROM {table}").fetchone()
        copied.append(Copied(name, (folder / name).stat().st_size, held))
        largest.append(most)
    if len(ids) > 1 or largest != sorted(largest, reverse=True):
        raise CatalogError("register.db and catalog.db do not belong together; `bibld catalog check` says more")
    return copied


def _sync(folder: Path) -> None:
    """Wait until the files in a folder, and their names, have reached the disk."""
    for path in (*sorted(folder.glob("*.db")), folder):
        held = os.open(path, os.O_RDONLY)
        try:
            os.fsync(held)
        finally:
            os.close(held)
