"""The databases of a workspace as files: opened, upgraded, locked and watched.

An upgrade keeps what was read or decided, and drops results: the tables of what cannot be computed again have not
changed since the oldest format that is accepted; all others are dropped and created again, and the next run fills them.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import shlex
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TextIO

import msgspec

from bibld.errors import CatalogError

# -- open --------------------------------------------------------------------------------------------------------------


class Upgrade(msgspec.Struct, frozen=True):
    """From which format on a database can be upgraded, and the tables that keep their rows."""

    oldest: int
    kept: frozenset[str]


REGISTER_UPGRADE = Upgrade(
    oldest=3, kept=frozenset(("workspace", "ordinal", "redirect", "verdict", "verdict_change", "suppression", "event"))
)
CATALOG_UPGRADE = Upgrade(
    oldest=8,
    kept=frozenset(
        (
            *("workspace", "dictionary", "run", "source", "carrier", "record", "subfield", "warning", "reject", "load"),
            "format_finding",
            *("active_suppression", "dirty_queue", "feature_index", "matching", "statistics"),
            *("edge", "member", "merged"),
        )
    ),
)


UPGRADES = {"register.db": REGISTER_UPGRADE, "catalog.db": CATALOG_UPGRADE}


def open_database(
    file: Path, tables: str, version: int, read_only: bool, config_file: Path | None = None
) -> sqlite3.Connection:
    """Open a database; create its tables if it has none, upgrade an earlier format. Raises ``CatalogError``."""
    try:
        connection = connect(file, read_only)
        try:
            if not read_only:
                connection.execute("PRAGMA journal_mode = WAL")
            found = connection.execute("PRAGMA user_version").fetchone()[0]
            if found == 0 and not read_only:
                if connection.execute("SELECT 1 FROM sqlite_schema").fetchone():
                    raise CatalogError(
                        f"{file}: is not a database of bibld; name another `workspace` in the configuration"
                    )
                connection.executescript(f"BEGIN; {tables} PRAGMA user_version = {version}; COMMIT;")
            elif found != version:
                if read_only or not is_upgradable(file.name, found, version):
                    raise CatalogError(f"{file}: {describe_format(file, found, version, config_file)}")
                upgrade(connection, tables, version, UPGRADES[file.name].kept)
        except BaseException:
            connection.close()
            raise
    except sqlite3.Error as error:
        raise CatalogError(f"{file}: cannot be opened: {error}; {_open_remedy(error)}") from error
    return connection


def _open_remedy(error: sqlite3.Error) -> str:
    if error.sqlite_errorcode in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return "restore it from a backup, or name another folder as `workspace` in the configuration"
    return "check that there is space on the disk and that the folder may be written"


def is_upgradable(name: str, found: int, version: int) -> bool:
    """Whether the next run brings a database (its file name) of format ``found`` to ``version``."""
    return UPGRADES[name].oldest <= found < version


def describe_format(file: Path, found: int, version: int, config_file: Path | None) -> str:
    """Return the message for a database of another format: its format, and what to do."""
    if found > version:
        return f"has format {found}, but this bibld reads format {version}; use the newer bibld that wrote it"
    what = f"has format {found} of an earlier bibld, but this one reads format {version}"
    run = run_command(config_file)
    if is_upgradable(file.name, found, version):
        return f"{what}; {run} upgrades it"
    return f"{what}; move the folder {file.parent} away, then run {run} to build it again from the sources"


def run_command(config_file: Path | None) -> str:
    """Return the command that fills a workspace, for messages; with its configuration if that is known."""
    return f"`bibld run {shlex.quote(str(config_file))}`" if config_file else "`bibld run`"


def is_locked(error: sqlite3.Error) -> bool:
    """Return whether an operation failed because another process was using the database."""
    # The low byte of the error code is its kind, the others are details.
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def connect(file: Path, read_only: bool) -> sqlite3.Connection:
    """Return a connection whose transactions are begun and ended explicitly."""
    if read_only:
        return sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True, check_same_thread=False)
    return sqlite3.connect(file, isolation_level=None)


def upgrade(connection: sqlite3.Connection, tables: str, version: int, kept: frozenset[str]) -> None:
    """Give a database the tables of ``version``, which the script ``tables`` creates; all in one transaction.

    Since no stage has made the new results, every stage makes them again.
    """
    with closing(sqlite3.connect(":memory:")) as empty:
        empty.executescript(tables)
        wanted = empty.execute(
            "SELECT tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%' ORDER BY rowid"
        ).fetchall()
    present = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    names = {name for (name,) in present.fetchall()}
    with transaction(connection):
        for name in sorted(names - kept):
            connection.execute(f"DROP TABLE {name}")
        for table, sql in wanted:
            if table not in kept or table not in names:
                connection.execute(sql)
        connection.execute(f"PRAGMA user_version = {version}")


@contextmanager
def transaction(*connections: sqlite3.Connection) -> Iterator[None]:
    """Commit all writes inside, database by database, or none."""
    try:
        for connection in connections:
            connection.execute("BEGIN IMMEDIATE")
        yield
        for connection in connections:
            connection.execute("COMMIT")
    except BaseException:
        for connection in connections:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        raise


# -- lock and watch ----------------------------------------------------------------------------------------------------


def check_same_workspace(
    register: sqlite3.Connection, catalog: sqlite3.Connection, workspace: Path, read_only: bool
) -> None:
    """Check that the register is that of the catalog and contains all its ordinals; raises ``CatalogError``."""
    ids = [connection.execute("SELECT id FROM workspace").fetchone() for connection in (register, catalog)]
    if not read_only and ids[1] is None:
        ids[0] = ids[0] or (secrets.token_hex(8),)
        for connection in (register, catalog):
            connection.execute("DELETE FROM workspace")
            connection.execute("INSERT INTO workspace VALUES (?)", ids[0])
        return
    known = register.execute("SELECT coalesce(max(ordinal), 0) FROM ordinal").fetchone()[0]
    used = catalog.execute("SELECT coalesce(max(ordinal), 0) FROM record").fetchone()[0]
    if ids[0] != ids[1] or used > known:
        raise CatalogError(
            f"{workspace}: register.db is not the one that catalog.db was made with; restore it from a backup, or"
            " delete catalog.db, which is built again from the sources"
        )


def lock_folder(workspace: Path) -> TextIO:
    """Lock the workspace for this process until the file is closed.

    Raises ``CatalogError`` that names the process that has locked it.
    """
    try:
        workspace.mkdir(parents=True, exist_ok=True)
        lock = (workspace / "lock").open("a+", encoding="utf-8")
    except OSError as error:
        raise CatalogError(
            f"{workspace}: the workspace cannot be written: {error.strerror}; check the permissions of the folder"
        ) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.seek(0)
        holder = lock.read().strip() or "unknown"
        lock.close()
        raise CatalogError(
            f"{workspace}: in use by another run (process {holder}); wait until it ends, or stop it"
        ) from None
    lock.truncate(0)
    lock.write(str(os.getpid()))
    lock.flush()
    return lock


_FILES = ("register.db", "catalog.db")


class DatabaseWatch:
    """Observes the databases of a workspace. Keeps a connection to each; may be used in any thread."""

    def __init__(self, workspace: Path) -> None:
        self._watched: Sequence[_Watched] = [_Watched(workspace / name) for name in _FILES]
        self._lock = threading.Lock()

    def version(self) -> object:
        """Return a value that is equal only as long as nothing was committed.

        What is read after the call is at least as new as the value. Databases that cannot be read have a different
        value each time: who reads them then gets the error.
        """
        with self._lock:
            try:
                return tuple(each.version() for each in self._watched)
            except (OSError, sqlite3.Error):
                return object()


class _Watched:
    """One database, which a restored backup may replace by another file."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._connection: sqlite3.Connection | None = None
        self._identity: tuple[int, int] | None = None
        self._opened = 0

    def version(self) -> tuple[int, int]:
        """Return how often the database was opened here, and what SQLite counts since; raises errors of both."""
        found = self._file.stat()
        identity = (found.st_dev, found.st_ino)
        if self._connection is None or identity != self._identity:
            if self._connection is not None:
                self._connection.close()
            self._connection = sqlite3.connect(f"{self._file.as_uri()}?mode=ro", uri=True, check_same_thread=False)
            self._identity = identity
            self._opened += 1
        ((count,),) = self._connection.execute("PRAGMA data_version").fetchall()
        return self._opened, int(count)
