"""Opens the database ``published.db``, and reads the documents of one release."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from enum import StrEnum
from pathlib import Path
from types import TracebackType

import msgspec

from bibld.catalog.compression import Blobs
from bibld.documents._lines import Lines, has_tombstone
from bibld.errors import StageError
from bibld.model.iris import entity_identity
from bibld.model.rdf import WITHDRAWN, literal
from bibld.parallel import batches

FILE = "published.db"
FORMAT = 2
"""To be raised when the tables change, or the same quads give other rows; the next run makes the file again."""

PATIENCE = 60.0
"""Seconds to wait for another process that is writing."""
_TITLES_AT_ONCE = 500
_MAX_STEPS = 50
"""Targets that are followed from one path to another."""

_WITHDRAWN = literal(*WITHDRAWN[0]).encode()
HASH_IN_PATH = "iif(substr(path, -11, 1) = '-', substr(path, -10), NULL)"
"""The hash in the key of an entity that is known by a name; an expression of SQL."""

_VALID = "since <= ?2 AND (until IS NULL OR until > ?2)"

_Row = tuple[int, str, str, int, bytes, bytes]


class Document(msgspec.Struct, frozen=True):
    """The document of one IRI in a release.

    ``path`` follows the base. ``status`` is 200, 303 (the document with the path ``target`` answers; it has the status
    200) or 410. ``since`` is the release in which it last changed, ``modified`` when that was made (ISO 8601, UTC).
    ``quads`` are lines of N-Quads, sorted, ``digest`` is their hash (16 bytes).
    """

    path: str
    status: int
    target: str
    title: str
    since: int
    modified: str
    digest: bytes
    quads: bytes

    @property
    def is_withdrawn(self) -> bool:
        """Whether the thing must not be published: then its tombstone is in no dump and in no store."""
        return self.status == 410 and _WITHDRAWN in self.quads


class DocumentEntry(msgspec.Struct, frozen=True):
    """A document without its content."""

    path: str
    status: int
    since: int
    modified: str


class ChangeKind(StrEnum):
    """What became of the document of an IRI in a release."""

    CREATED = "created"
    UPDATED = "updated"
    MERGED = "merged"
    """Another IRI answers now, or another one than before."""

    SPLIT = "split"
    """Another IRI answered; it has a description again."""

    DELETED = "deleted"
    """What it described was deleted; another IRI may answer in its place."""


class Change(msgspec.Struct, frozen=True):
    """How the document of an IRI differs from that of the release before.

    ``status_before`` and ``status_after`` are 0 where there is no document; the targets are empty unless the status is
    303.
    """

    path: str
    kind: ChangeKind
    status_before: int
    target_before: str
    status_after: int
    target_after: str


class _DocumentState(msgspec.Struct, frozen=True):
    """Status and target of an IRI in a release; the status is 0 where there is no document."""

    status: int
    target: str
    is_deleted: bool


_NO_DOCUMENT = _DocumentState(0, "", is_deleted=True)


def _state(base: str, path: str, status: int, target: str, quads: bytes) -> _DocumentState:
    if status != 303 or not quads:
        return _DocumentState(status, target, is_deleted=status == 410)
    return _DocumentState(status, target, is_deleted=has_tombstone(base, path, quads))


def _change(path: str, old: _DocumentState, new: _DocumentState) -> Change:
    if new.is_deleted:
        was_tombstone = old.is_deleted and old.status != 0
        kind = ChangeKind.UPDATED if was_tombstone and new.status else ChangeKind.DELETED
    elif old.is_deleted:
        kind = ChangeKind.CREATED
    elif new.status == 303:
        kind = ChangeKind.UPDATED if old.target == new.target else ChangeKind.MERGED
    else:
        kind = ChangeKind.SPLIT if old.status == 303 else ChangeKind.UPDATED
    return Change(path, kind, old.status, old.target, new.status, new.target)


def compare_documents(base: str, path: str, before: Iterable[bytes], after: Iterable[bytes]) -> Change | None:
    """Return how the document of an IRI differs, from all its lines (without line ends) in two releases.

    None if it is the same in both.
    """
    lines = Lines(base)
    contents = [lines.content(path.encode(), sorted(found)) if found else None for found in map(set, (before, after))]
    if contents[0] == contents[1]:
        return None
    old, new = (
        _NO_DOCUMENT if content is None else _state(base, path, content.status, content.target, content.quads)
        for content in contents
    )
    return _change(path, old, new)


class PublishedView(AbstractContextManager["PublishedView"]):
    """The documents of one release; see :func:`open_published`. Each thread and process opens a separate view."""

    def __init__(self, connection: sqlite3.Connection, file: Path, release: int) -> None:
        self._connection = connection
        self._file = file
        self._blobs = blobs_of(connection)
        self._created: dict[int, str] = dict(connection.execute("SELECT number, created FROM release").fetchall())
        self._base = connection.execute("SELECT base FROM dataset").fetchone()[0]
        self.release = release

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the database."""
        self._connection.close()

    @property
    def workspace(self) -> Path:
        """The folder of the database."""
        return self._file.parent

    @property
    def is_first(self) -> bool:
        """Whether no document is older: all changes of the release are ``created``, whatever was published before."""
        return self.release == min(self._created)

    def document(self, path: str) -> Document | None:
        """Return the document of the IRI with this path; None if there is none. Raises ``StageError``."""
        row = self._row(path)
        return None if row is None else self._document(path, row)

    def titles(self, paths: Iterable[str]) -> dict[str, str]:
        """Return the titles of documents by path, where another one answers that one's; none that are empty."""
        found: dict[str, str] = {}
        for batch in batches(dict.fromkeys(paths), _TITLES_AT_ONCE):
            with reporting_errors(self._file):
                rows = self._connection.execute(
                    "SELECT path, status, title FROM document"
                    f" WHERE path IN (SELECT value FROM json_each(?1)) AND {_VALID}",
                    (msgspec.json.encode(batch).decode(), self.release),
                ).fetchall()
            for path, status, title in rows:
                if status == 303:
                    answering = self._answering(path)
                    title = answering[1] if answering is not None else ""
                if title:
                    found[path] = title
        return found

    def titles_of_beginning(self, beginning: str, limit: int) -> dict[str, str]:
        """Return the titles of documents whose paths begin so, by path, in that order; at most ``limit``."""
        with reporting_errors(self._file):
            rows = self._connection.execute(
                f"SELECT path, title FROM document WHERE path >= ?1 AND path < ?3 AND {_VALID} AND status = 200"
                " AND title <> '' ORDER BY path LIMIT ?4",
                (beginning, self.release, _after(beginning), limit),
            )
            return dict(rows.fetchall())

    def respelled(self, path: str) -> str | None:
        """Return the path of the entity whose key had been spelled as in this path; None if there is no single one.

        See :func:`bibld.model.iris.entity_identity`. Another document may answer that one's IRI.
        """
        with reporting_errors(self._file):
            rows = self._connection.execute(
                f"SELECT path FROM document WHERE {HASH_IN_PATH} = ?1 AND {_VALID}", (path[-10:], self.release)
            ).fetchall()
        identity = entity_identity(path)
        same = [other for (other,) in rows if entity_identity(other) == identity]
        found = {answering[0] for answering in map(self._answering, same) if answering is not None}
        return found.pop() if len(found) == 1 else None

    def entries(self, folder: str = "") -> Iterator[DocumentEntry]:
        """Yield all documents, or those whose paths begin with ``folder``, in the order of their paths."""
        with reporting_errors(self._file):
            rows = self._connection.execute(
                f"SELECT path, status, since FROM document WHERE path >= ?1 AND path < ?3 AND {_VALID} ORDER BY path",
                (folder, self.release, _after(folder)),
            )
            for path, status, since in rows:
                yield DocumentEntry(path, status, since, self._created[since])

    @property
    def created_times(self) -> Mapping[int, str]:
        """When each release with documents was made (ISO 8601, UTC), by its number; none later than this one."""
        return {number: created for number, created in self._created.items() if number <= self.release}

    def documents(self, folder: str = "", after: str = "", since: tuple[int, int] | None = None) -> Iterator[Document]:
        """Yield all documents with their content, or those whose paths begin with ``folder``, in the same order.

        ``after`` leaves out the documents up to and with this path; ``since``: only documents that last changed from
        the first to the last of two releases.
        """
        first, last = since if since is not None else (0, self.release)
        with reporting_errors(self._file):
            rows = self._connection.execute(
                "SELECT path, status, target, title, since, digest, quads FROM document"
                f" WHERE path >= ?1 AND path > ?4 AND path < ?3 AND since BETWEEN ?5 AND ?6 AND {_VALID} ORDER BY path",
                (folder, self.release, _after(folder), after, first, last),
            )
            for path, status, target, title, number, digest, frame in rows:
                yield self._document(path, (status, target, title, number, digest, frame))

    def changes(self) -> Iterator[Change]:
        """Yield what the release changed, in the order of the paths.

        Has to be read before the documents of the release before are deleted, as a part of the release does.
        """
        with reporting_errors(self._file):
            rows = self._connection.execute(
                "SELECT path, max(CASE WHEN until = ?1 THEN rowid END), max(CASE WHEN since = ?1 THEN rowid END)"
                " FROM (SELECT rowid, path, since, until FROM document WHERE since = ?1"
                " UNION ALL SELECT rowid, path, since, until FROM document WHERE until = ?1)"
                " GROUP BY path ORDER BY path",
                (self.release,),
            )
            for path, before, after in rows:
                yield _change(path, self._state(path, before), self._state(path, after))

    def _state(self, path: str, row: int | None) -> _DocumentState:
        if row is None:
            return _NO_DOCUMENT
        status, target, frame = self._connection.execute(
            "SELECT status, target, quads FROM document WHERE rowid = ?", (row,)
        ).fetchone()
        return _state(self._base, path, status, target, self._blobs.decompress(frame) if frame else b"")

    def _row(self, path: str) -> _Row | None:
        try:
            row: _Row | None = self._connection.execute(
                f"SELECT status, target, title, since, digest, quads FROM document WHERE path = ?1 AND {_VALID}",
                (path, self.release),
            ).fetchone()
        except sqlite3.Error:
            with reporting_errors(self._file):
                raise
        return row

    def _document(self, path: str, row: _Row) -> Document:
        status, target, title, since, digest, frame = row
        if status == 303:
            answering = self._answering(path)
            status, target = (303, answering[0]) if answering is not None else (410, "")
        quads = self._blobs.decompress(frame)
        return Document(path, status, target, title, since, self._created[since], digest, quads)

    def _answering(self, path: str) -> tuple[str, str] | None:
        """Return path and title of the document that answers in the place of another one; None if none does."""
        for _ in range(_MAX_STEPS):
            row = self._row(path)
            if row is None or row[0] == 410:
                return None
            if row[0] == 200:
                return path, row[2]
            path = row[1]
        return None


def _after(folder: str) -> str:
    """Return a text that follows all paths that begin with a folder."""
    return f"{folder}\U0010ffff"


# -- the database


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


def open_published(workspace: Path, release: int) -> PublishedView:
    """Open the documents of a release, for reading only.

    Raises ``StageError`` if there are none: the release was made by an earlier bibld, without the part ``documents``,
    or before ``published.db`` was made again.
    """
    file = workspace / FILE
    if not file.is_file():
        raise StageError(f"{workspace}: contains no {FILE}; run `bibld run` to make it")
    with reporting_errors(file):
        connection = connect(file, read_only=True)
        try:
            found = connection.execute("PRAGMA user_version").fetchone()[0]
            if found != FORMAT:
                raise StageError(f"{file}: has format {found}, but this bibld reads {FORMAT}; run `bibld run` again")
            numbers = releases_of(connection)
            if release not in numbers:
                known = ", ".join(map(str, numbers)) or "none"
                raise StageError(
                    f"{file}: has no documents of release {release}, only of: {known}; serve one of these,"
                    " or run `bibld run`"
                )
            return PublishedView(connection, file, release)
        except BaseException:
            connection.close()
            raise


def published_releases(workspace: Path) -> list[int]:
    """Return the numbers of the releases that have documents, ascending; none if there is no ``published.db``."""
    file = workspace / FILE
    if not file.is_file():
        return []
    try:
        with closing(connect(file, read_only=True)) as connection:
            is_readable = connection.execute("PRAGMA user_version").fetchone()[0] == FORMAT
            return releases_of(connection) if is_readable else []
    except sqlite3.DatabaseError:
        return []
