"""The database ``published.db``: its tables, how it is opened, and which releases it has documents for."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from bibld.catalog.compression import Blobs
from bibld.errors import StageError

FILE = "published.db"
FORMAT = 1
"""To be raised when the tables change, or the same quads give other rows; the next run makes the file again."""

PAGE_BYTES = 8192
PATIENCE = 60.0
"""Seconds to wait for another process that is writing."""

TABLES = f"""
PRAGMA page_size = {PAGE_BYTES};
CREATE TABLE dataset (                         -- one row
  base TEXT NOT NULL,                          -- what all IRIs begin with; paths follow it
  oldest INTEGER NOT NULL                      -- the documents of earlier releases were deleted
);
CREATE TABLE release (
  number INTEGER PRIMARY KEY,
  created TEXT NOT NULL,                       -- ISO 8601, UTC
  delivered INTEGER NOT NULL,                  -- the last patch of the catalog that it has
  description TEXT NOT NULL                    -- lines about things with documents that are in no patch; of the last
);
CREATE TABLE dictionary (                      -- zstd dictionaries; a frame names the one it needs
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  bytes BLOB NOT NULL
);
"""

DOCUMENT_TABLE = """
CREATE TABLE {schema}.document (               -- of the releases from `since` up to, but without, `until`
  path TEXT NOT NULL,
  since INTEGER NOT NULL,
  until INTEGER,                               -- NULL: no release has changed it
  status INTEGER NOT NULL,                     -- 200, 303 (the target answers) or 410
  target TEXT NOT NULL,                        -- a path; it may have a target in turn
  title TEXT NOT NULL,
  digest BLOB NOT NULL,
  quads BLOB NOT NULL                          -- zstd
)
"""

INDEXES = (
    "CREATE INDEX main.document_by_path ON document (path, since, until, status)",
    "CREATE INDEX main.document_by_since ON document (since)",
    "CREATE INDEX main.document_by_until ON document (until) WHERE until IS NOT NULL",
)


def connect(file: Path, read_only: bool) -> sqlite3.Connection:
    """Open a database whose transactions are begun and ended explicitly."""
    if read_only:
        uri = f"{file.absolute().as_uri()}?mode=ro"
        return sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False, timeout=PATIENCE)
    connection = sqlite3.connect(file, isolation_level=None, timeout=PATIENCE)
    connection.execute("PRAGMA secure_delete = ON")
    return connection


def blobs_of(connection: sqlite3.Connection) -> Blobs:
    """Return what compresses the quads."""
    return Blobs(connection, FILE, "remove the file, then run `bibld run`")


def is_usable(file: Path, base: str) -> bool:
    """Whether there is a database of this format, of the dataset whose IRIs begin with ``base``.

    Raises ``StageError`` if it cannot be read now, although it may be one.
    """
    if not file.is_file():
        return False
    with reporting_errors(file):
        try:
            with closing(connect(file, read_only=True)) as connection:
                if connection.execute("PRAGMA user_version").fetchone()[0] != FORMAT:
                    return False
                return bool(connection.execute("SELECT base FROM dataset").fetchone() == (base,))
        except sqlite3.DatabaseError as error:
            if _kind_of(error) in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR):
                return False
            raise


def created_times(connection: sqlite3.Connection) -> dict[int, str]:
    """Return when each release was made that a document may be valid since."""
    return dict(connection.execute("SELECT number, created FROM release").fetchall())


def releases_of(connection: sqlite3.Connection) -> list[int]:
    """Return the numbers of the releases whose documents are complete, ascending."""
    rows = connection.execute("SELECT number FROM release WHERE number >= (SELECT oldest FROM dataset) ORDER BY number")
    return [number for (number,) in rows]


@contextmanager
def reporting_errors(file: Path) -> Iterator[None]:
    """Convert errors of SQLite to ``StageError``."""
    try:
        yield
    except sqlite3.Error as error:
        raise StageError(f"{file}: {error}; {_remedy(error)}") from error


def _remedy(error: sqlite3.Error) -> str:
    code = _kind_of(error)
    if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return "remove the file, then run `bibld run`"
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return "another program is using it; wait until it has finished, then run again"
    return "free some space, then run again"


def _kind_of(error: sqlite3.Error) -> int:
    """Return the error code without its details, which are in the higher bytes."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF
