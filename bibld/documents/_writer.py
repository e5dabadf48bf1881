"""Writes the documents of a release: all of them, or those that changes of quads touch."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import chain
from pathlib import Path

import msgspec

from bibld.catalog.compression import Blobs
from bibld.documents._lines import DocumentContent, Lines, has_tombstone
from bibld.documents._view import (
    FILE,
    FORMAT,
    HASH_IN_PATH,
    blobs_of,
    connect,
    is_usable,
    releases_of,
    reporting_errors,
)
from bibld.parallel import batches

_PAGE_BYTES = 8192
_TABLES = f"""
PRAGMA page_size = {_PAGE_BYTES};
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

_DOCUMENT_TABLE = """
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

_INDEXES = (
    "CREATE INDEX main.document_by_path ON document (path, since, until, status)",
    "CREATE INDEX main.document_by_since ON document (since)",
    "CREATE INDEX main.document_by_until ON document (until) WHERE until IS NOT NULL",
    f"CREATE INDEX main.document_by_hash ON document ({HASH_IN_PATH}) WHERE {HASH_IN_PATH} IS NOT NULL",
)

_WAITING_BYTES = 16 << 20
"""Bytes of quads that wait to be compressed with those of similar documents."""

_CHANGES_AT_ONCE = 20_000
"""Changed lines whose documents are written together."""

_PARTS_AT_ONCE = 10_000

_KINDS = ("resource", "record", "match")
"""The folders whose documents have separate dictionaries; those of entities share one."""

_COLUMNS = "path, since, until, status, target, title, digest, quads"


class ReleaseState(msgspec.Struct, frozen=True):
    """The release whose documents are written.

    ``number`` is its number, ``created`` when it was made (ISO 8601, UTC), ``delivered`` the last patch of the catalog
    that it has. ``description`` are the lines that are in no patch, with their line ends: about the dataset, and about
    what must not be published.
    """

    number: int
    created: str
    delivered: int
    description: frozenset[str] = frozenset()


def has_documents(workspace: Path, base: str, release: int, delivered: int | None = None) -> bool:
    """Whether all documents of a release of this dataset are there.

    ``delivered``: only if this is the last patch that they have, so that changes since then can be applied.
    """
    file = workspace / FILE
    if not is_usable(file, base):
        return False
    with reporting_errors(file), closing(connect(file, read_only=True)) as connection:
        row = connection.execute("SELECT delivered FROM release WHERE number = ?", (release,)).fetchone()
        return release in releases_of(connection) and delivered in (None, row[0])


def fill(workspace: Path, base: str, release: ReleaseState, blocks: Iterable[bytes], withdraw: bool = False) -> None:
    """Write the documents of a release from all quads, in blocks of lines.

    Documents that are as they were stay what they are, with the time of their last change. A file of another format or
    base is replaced. ``withdraw``: the file is made again, so that nothing of earlier releases remains in it; only
    which documents the release changes can still be read. Raises ``StageError``.
    """
    file = workspace / FILE
    blocks = chain(blocks, ["".join(sorted(release.description)).encode()])
    with reporting_errors(file):
        if not is_usable(file, base):
            with _replacing(file) as connection:
                _create(connection, base, release, blocks)
            return
        with closing(connect(file, read_only=False)) as connection:
            with _transaction(connection):
                _undo(connection, release.number)
            if not withdraw:
                _fill_beside(connection, file, base, release, blocks)
                return
        with _replacing(file) as connection:
            _create(connection, base, release, blocks)
            _take_over_times(connection, file, base, release)


def update(workspace: Path, base: str, release: ReleaseState, changes: Iterable[tuple[bytes, bool]]) -> None:
    """Write the documents that differ from those of the release before.

    ``changes`` are the lines (without line end) that were added (True) and removed (False) since then, sorted. Those of
    ``release.description`` are found here. Raises ``StageError``.

    Each part of the changes is a transaction, so that the write-ahead log stays small. No release that is served has
    the new rows, and the last transaction adds the new release; what a run that was stopped has left is undone by the
    next one.
    """
    file = workspace / FILE
    with reporting_errors(file), closing(connect(file, read_only=False)) as connection:
        with _transaction(connection):
            _undo(connection, release.number)
        row = connection.execute("SELECT description FROM release ORDER BY number DESC LIMIT 1").fetchone()
        before = frozenset(row[0].split("\n")) - {""} if row else frozenset()
        after = _described(Lines(base), release)
        described = ((line.encode(), line in after) for line in sorted(before ^ after))
        table = _ChangedDocuments(connection, base, release.number)
        for batch in batches(chain(changes, described), _CHANGES_AT_ONCE):
            with _transaction(connection):
                table.apply(batch)
        with _transaction(connection):
            _add_release(connection, base, release)


def remove_unneeded(workspace: Path, kept: Sequence[int]) -> None:
    """Delete the documents that none of the kept releases (their numbers) has. Raises ``StageError``."""
    file = workspace / FILE
    if not file.is_file() or not kept:
        return
    with reporting_errors(file), closing(connect(file, read_only=False)) as connection:
        if connection.execute("PRAGMA user_version").fetchone()[0] != FORMAT:
            return
        with _transaction(connection):
            connection.execute("DELETE FROM document WHERE until <= ?", (min(kept),))
            connection.execute("UPDATE dataset SET oldest = ?1 WHERE oldest < ?1", (min(kept),))
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


# -- all documents ---------------------------------------------------------------------------------------------------


class _Rows:
    """Adds rows to a table without an index; the lines of a document may be added in parts."""

    def __init__(self, connection: sqlite3.Connection, blobs: Blobs, schema: str, since: int) -> None:
        self._connection = connection
        self._blobs = blobs
        self._insert = f"INSERT INTO {schema}.document ({_COLUMNS}) VALUES (?, ?, NULL, ?, ?, ?, ?, ?)"
        self._since = since
        self._waiting: dict[str, list[tuple[str, DocumentContent]]] = {}
        self._bytes = 0

    def add(self, path: str, content: DocumentContent) -> None:
        folder = path[: path.find("/")]
        self._waiting.setdefault(folder if folder in _KINDS else "entity", []).append((path, content))
        self._bytes += len(content.quads)
        if self._bytes > _WAITING_BYTES:
            self.flush()

    def flush(self) -> None:
        for kind, documents in self._waiting.items():
            frames = self._blobs.compress_all(kind, _source(documents[0][0]), [each.quads for _, each in documents])
            self._connection.executemany(
                self._insert,
                (
                    (path, self._since, each.status, each.target, each.title, each.digest, frame)
                    for (path, each), frame in zip(documents, frames, strict=True)
                ),
            )
        self._waiting.clear()
        self._bytes = 0


def _source(path: str) -> str:
    """Return the folder and, for what belongs to a source, the source: such documents are similar."""
    return "/".join(path.split("/")[:2]) if path.startswith(_KINDS) else path.partition("/")[0]


def _fill_table(
    connection: sqlite3.Connection, schema: str, base: str, release: ReleaseState, blocks: Iterable[bytes]
) -> None:
    """Fill an empty table with all documents, then index it, and unite the parts of documents."""
    lines = Lines(base)
    blobs = blobs_of(connection)
    rows = _Rows(connection, blobs, schema, release.number)
    for block in blocks:
        for key, own in lines.split(block).items():
            rows.add(key.decode(), lines.content(key, own))
    rows.flush()
    for statement in _INDEXES if schema == "main" else _INDEXES[:1]:
        connection.execute(statement.replace("INDEX main.", f"INDEX {schema}."))
    united_paths = (
        f"SELECT path FROM {schema}.document WHERE path > ? GROUP BY path HAVING count(*) > 1 ORDER BY path LIMIT ?"
    )
    after = ""
    while found := connection.execute(united_paths, (after, _PARTS_AT_ONCE)).fetchall():
        for (path,) in found:
            parts = connection.execute(f"SELECT quads FROM {schema}.document WHERE path = ?", (path,)).fetchall()
            united = {line for (frame,) in parts for line in blobs.decompress(frame).splitlines()}
            connection.execute(f"DELETE FROM {schema}.document WHERE path = ?", (path,))
            rows.add(path, lines.content(path.encode(), sorted(united)))
        (after,) = found[-1]
    rows.flush()


def _fill_beside(
    connection: sqlite3.Connection, file: Path, base: str, release: ReleaseState, blocks: Iterable[bytes]
) -> None:
    """Fill a table in another file, then write the differences from the present documents."""
    beside = file.with_name(f"{FILE}.filling")
    _remove(beside)
    connection.execute("ATTACH ? AS filling", (str(beside),))
    try:
        connection.execute("PRAGMA filling.journal_mode = OFF")
        connection.execute("PRAGMA filling.synchronous = OFF")
        with _transaction(connection):
            connection.execute(_DOCUMENT_TABLE.format(schema="filling"))
            _fill_table(connection, "filling", base, release, blocks)
            connection.execute(
                "UPDATE main.document SET until = ? WHERE until IS NULL AND NOT EXISTS (SELECT 1 FROM filling.document"
                " AS found WHERE found.path = main.document.path AND found.digest = main.document.digest)",
                (release.number,),
            )
            connection.execute(
                f"INSERT INTO main.document ({_COLUMNS}) SELECT {_COLUMNS} FROM filling.document AS found"
                " WHERE NOT EXISTS (SELECT 1 FROM main.document AS document"
                " WHERE document.path = found.path AND document.until IS NULL)"
            )
            _add_release(connection, base, release)
    finally:
        connection.execute("DETACH filling")
        _remove(beside)


def _take_over_times(connection: sqlite3.Connection, file: Path, base: str, release: ReleaseState) -> None:
    """Let documents that are as they were keep the time of their last change.

    Of the others the status before stays, without content but that of a tombstone, which is shortened to its subject:
    it is needed to state what the release changed.
    """
    connection.execute("ATTACH ? AS former", (f"{file.absolute().as_uri()}?mode=ro",))
    try:
        with closing(connect(file, read_only=True)) as former:
            stored, blobs = blobs_of(former), blobs_of(connection)

            def shorten(path: str, frame: bytes) -> bytes:
                is_tombstone = bool(frame) and has_tombstone(base, path, stored.decompress(frame))
                return blobs.compress("tombstone", f"<{base}{path}> ".encode()) if is_tombstone else b""

            connection.create_function("shorten", 2, shorten)
            same = (
                "FROM former.document AS old WHERE old.path = document.path AND old.until IS NULL"
                " AND old.digest = document.digest"
            )
            with _transaction(connection):
                connection.execute(
                    "INSERT INTO main.release SELECT number, created, delivered, ''"
                    " FROM former.release WHERE number < ?",
                    (release.number,),
                )
                connection.execute(
                    f"UPDATE main.document AS document SET since = (SELECT old.since {same})"
                    f" WHERE EXISTS (SELECT 1 {same})"
                )
                connection.execute(
                    f"INSERT INTO main.document ({_COLUMNS})"
                    " SELECT path, since, ?1, status, target, '', digest,"
                    " CASE status WHEN 303 THEN shorten(path, quads) ELSE x'' END"
                    " FROM former.document AS old"
                    " WHERE until IS NULL AND NOT EXISTS (SELECT 1 FROM main.document AS document"
                    " WHERE document.path = old.path AND document.since < ?1 AND document.until IS NULL)",
                    (release.number,),
                )
    finally:
        connection.execute("DETACH former")


# -- changed documents -----------------------------------------------------------------------------------------------


class _ChangedDocuments:
    """Applies changed lines to the documents that are valid until the release ``number``."""

    def __init__(self, connection: sqlite3.Connection, base: str, number: int) -> None:
        self._connection = connection
        self._blobs = blobs_of(connection)
        self._lines = Lines(base)
        self._number = number

    def apply(self, changes: Iterable[tuple[bytes, bool]]) -> None:
        """Add and remove lines."""
        removed: dict[bytes, set[bytes]] = {}
        added: dict[bytes, set[bytes]] = {}
        for line, is_added in changes:
            for path in self._lines.paths(line):
                (added if is_added else removed).setdefault(path, set()).add(line)
        rows = _Rows(self._connection, self._blobs, "main", self._number)
        nothing: set[bytes] = set()
        for path in sorted(added.keys() | removed.keys()):
            row, since, digest, frame = self._connection.execute(
                "SELECT rowid, since, digest, quads FROM document WHERE path = ? AND until IS NULL", (path.decode(),)
            ).fetchone() or (None, 0, b"", b"")
            before = set(self._blobs.decompress(frame).splitlines()) if row is not None else nothing
            after = sorted((before - removed.get(path, nothing)) | added.get(path, nothing))
            content = self._lines.content(path, after) if after else None
            if content is not None and content.digest == digest:
                continue
            if row is not None and since == self._number:  # written by an earlier batch of the same changes
                self._connection.execute("DELETE FROM document WHERE rowid = ?", (row,))
            elif row is not None:
                self._connection.execute("UPDATE document SET until = ? WHERE rowid = ?", (self._number, row))
            if content is not None and not self._continue(path, content.digest):
                rows.add(path.decode(), content)
        rows.flush()

    def _continue(self, path: bytes, digest: bytes) -> bool:
        """Let the document of the release before stay valid, if that has the same content."""
        changed = self._connection.execute(
            # Without the sign SQLite would look at all documents that end with a release for each that has changed.
            "UPDATE document SET until = NULL WHERE path = ? AND +until = ? AND digest = ?",
            (path.decode(), self._number, digest),
        )
        return changed.rowcount > 0


# -- releases --------------------------------------------------------------------------------------------------------


def _create(connection: sqlite3.Connection, base: str, release: ReleaseState, blocks: Iterable[bytes]) -> None:
    """Fill an empty database with all documents of its first release."""
    connection.executescript(_TABLES + _DOCUMENT_TABLE.format(schema="main"))
    with _transaction(connection):
        connection.execute("INSERT INTO dataset VALUES (?, ?)", (base, release.number))
        connection.execute(f"PRAGMA user_version = {FORMAT}")
        _add_release(connection, base, release)
        _fill_table(connection, "main", base, release, blocks)


def _add_release(connection: sqlite3.Connection, base: str, release: ReleaseState) -> None:
    connection.execute("UPDATE release SET description = ''")
    connection.execute(
        "INSERT INTO release VALUES (?, ?, ?, ?)",
        (release.number, release.created, release.delivered, "\n".join(sorted(_described(Lines(base), release)))),
    )


def _described(lines: Lines, release: ReleaseState) -> frozenset[str]:
    """Return the lines of the description of the dataset, without line ends, that belong to documents."""
    texts = (line.removesuffix("\n") for line in release.description)
    return frozenset(text for text in texts if lines.paths(text.encode()))


def _undo(connection: sqlite3.Connection, number: int) -> None:
    """Undo what a run that was stopped wrote for this release."""
    connection.execute("DELETE FROM document WHERE since >= ?", (number,))
    # A release that withdrew others left rows without content: they must not become valid again.
    connection.execute("DELETE FROM document WHERE until >= ? AND length(quads) = 0", (number,))
    connection.execute("UPDATE document SET until = NULL WHERE until >= ?", (number,))
    connection.execute("DELETE FROM release WHERE number >= ?", (number,))
    # Numbers begin again when all releases were deleted.
    connection.execute("UPDATE dataset SET oldest = ?1 WHERE oldest > ?1", (number,))


# -- files -----------------------------------------------------------------------------------------------------------


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def _replacing(file: Path) -> Iterator[sqlite3.Connection]:
    """Open an empty database, which takes the place of the file when all has been written."""
    new = file.with_name(f"{FILE}.new")
    _remove(new)
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        with closing(sqlite3.connect(new.absolute().as_uri(), uri=True, isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode = OFF")
            connection.execute("PRAGMA synchronous = OFF")
            yield connection
            connection.execute("PRAGMA journal_mode = WAL").fetchall()
        with new.open("rb") as written:
            os.fsync(written)
        _remove(file)  # with its log, which would be applied to the new file otherwise
        new.replace(file)
    except BaseException:
        _remove(new)
        raise


def _remove(file: Path) -> None:
    for ending in ("", "-wal", "-shm", "-journal"):
        file.with_name(file.name + ending).unlink(missing_ok=True)
