"""Move the rows of a workspace to another engine and back.

:data:`TABLES` states the tables and their columns; :func:`export_of` reads their rows, :func:`restoration_of` writes
them into a new workspace, and :func:`replace_databases` puts that in the place of another one.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec

from bibld.catalog import Catalog, lock_folder
from bibld.catalog._entities import AssertionKeys
from bibld.catalog.exchange._export import Export as Export
from bibld.catalog.exchange._export import Row as Row
from bibld.catalog.exchange._export import WorkspaceState as WorkspaceState
from bibld.catalog.exchange._restore import Restoration as Restoration
from bibld.catalog.exchange._tables import TABLES as TABLES
from bibld.catalog.exchange._tables import VERDICTS_OF_PAIRS as VERDICTS_OF_PAIRS
from bibld.catalog.exchange._tables import ExchangeTable as ExchangeTable
from bibld.catalog.exchange._tables import columns_of as columns_of
from bibld.catalog.exchange._tables import read_verdicts as read_verdicts
from bibld.errors import CatalogError


class ConvertedWorkspace(msgspec.Struct, frozen=True):
    """A workspace that was moved: to which engine, the storage of its tables, the run on Spark, the rows by table.

    ``was_current``: the tables consisted of the same rows already.
    """

    engine: str
    storage: str
    run: int
    rows: dict[str, int]
    was_current: bool = False


_FILES = ("register.db", "catalog.db")
"""The databases, in the order in which they are committed."""


def export_of(catalog: Catalog) -> Export:
    """Return what reads all rows of an open catalog."""
    return Export(catalog._register_connection, catalog._connection, catalog._blobs)


def restoration_of(catalog: Catalog, keys_of: Callable[[bytes], AssertionKeys]) -> Restoration:
    """Return what writes rows into an open catalog that is empty, or was filled in part by an earlier attempt."""
    return Restoration(catalog._register_connection, catalog._connection, catalog._blobs, catalog.entities, keys_of)


@contextmanager
def lock_workspace(workspace: Path) -> Iterator[None]:
    """Lock a workspace, as a run does, without opening its databases; raises ``CatalogError`` if it is in use."""
    lock = lock_folder(workspace)
    try:
        yield
    finally:
        lock.close()


def replace_databases(building: Path, workspace: Path) -> None:
    """Move the databases of a complete workspace into another folder, in place of those there.

    ``building`` is removed. The caller has locked the workspace. The register comes first: it is newer than the catalog
    that is still there, so a move that was interrupted can be repeated. Raises ``CatalogError``.
    """
    try:
        for name in _FILES:
            file = building / name
            if file.is_file():
                with closing(sqlite3.connect(file, isolation_level=None)) as connection:
                    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
                    connection.execute("PRAGMA journal_mode = DELETE").fetchall()
                for suffix in ("-wal", "-shm"):
                    (workspace / f"{name}{suffix}").unlink(missing_ok=True)
                file.replace(workspace / name)
        shutil.rmtree(building)
    except (OSError, sqlite3.Error) as error:
        raise CatalogError(f"{workspace}: the databases cannot be replaced: {error}; repeat the command") from error
