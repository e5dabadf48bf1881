"""The names of things in every release that is kept, for searching: ``search.db`` of a workspace.

Each row is an IRI with its kind, title and all its names, valid from one release up to another, as in ``published.db``,
from whose documents it is made. Words are compared without case and diacritics.
"""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path

import msgspec

from bibld.model.rdf import term
from bibld.published._lines import LABELS
from bibld.published._schema import connect, reporting_errors
from bibld.published._view import Document, PublishedView, published_releases

FILE = "search.db"
_FORMAT = 1
_MOST_TITLES = 200
"""Rows that are ranked for one search."""
_COMMON = 5000
"""Rows: a word in more is not searched for if there are rarer ones."""
_RARE_WORDS = 4
_WORD = re.compile(r"\w+")
_VALID = "since <= :release AND (until IS NULL OR until > :release)"
_TABLES = f"""
PRAGMA user_version = {_FORMAT};
CREATE TABLE release (number INTEGER PRIMARY KEY);
CREATE TABLE entry (                           -- of the releases from `since` up to, but without, `until`
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL,
  kind TEXT NOT NULL,
  title TEXT NOT NULL,
  forms TEXT NOT NULL,                         -- all names, one on each line
  data TEXT NOT NULL,                          -- JSON: values of properties by their names
  since INTEGER NOT NULL,
  until INTEGER
);
CREATE INDEX entry_by_path ON entry (path);
CREATE VIRTUAL TABLE words USING fts5 (forms, tokenize = "unicode61 remove_diacritics 0", prefix = '2 3');
CREATE VIRTUAL TABLE word USING fts5vocab (words, row);
"""


class EntryKind(StrEnum):
    """What a name is the name of."""

    PUBLICATION = "publication"
    PERSON = "person"
    ORGANISATION = "organisation"
    SUBJECT = "subject"
    PLACE = "place"
    PUBLISHER = "publisher"
    SERIES = "series"
    WORK = "work"


_KINDS = {
    "resource": EntryKind.PUBLICATION,
    "concept": EntryKind.SUBJECT,
    "place": EntryKind.PLACE,
    "publisher": EntryKind.PUBLISHER,
    "series": EntryKind.SERIES,
    "work": EntryKind.WORK,
}
_FOLDERS = (*_KINDS, "agent")
_PERSON = term("foaf:Person").encode()


class Named(msgspec.Struct, frozen=True):
    """A thing with a name. ``data``: values by the name of a property; those of ``LINKED`` are paths."""

    path: str
    kind: EntryKind
    title: str
    forms: tuple[str, ...]
    data: dict[str, tuple[str, ...]]


LINKED = ("author", "publisher", "place", "subject", "series")
"""The properties whose values are paths of other things."""


def to_words(text: str) -> list[str]:
    """Return the words of a text as they are compared: without case and diacritics."""
    plain = "".join(each for each in unicodedata.normalize("NFKD", text) if not unicodedata.combining(each))
    return _WORD.findall(plain.casefold())


# -- what a document states


class _Reader:
    """Reads names and values from the lines of documents; ``base`` is what the IRIs begin with."""

    def __init__(self, base: str) -> None:
        own = re.escape(base).encode()
        labels = b"|".join(map(re.escape, (*LABELS, term("skos:altLabel").encode())))
        self._base = base
        self._names = re.compile(rb"(?m)^<([^>]*)> (?:" + labels + rb') ("(?:[^"\\]|\\.)*")')
        self._links = {
            name: re.compile(rb"(?m) <[^>]*(?:" + predicates + rb")> <" + own + rb"(" + folder + rb"/[^>#]+)>")
            for name, predicates, folder in (
                ("author", rb"dc/terms/(?:creator|contributor)|bibframe/agent", rb"agent"),
                ("publisher", rb"dc/terms/publisher|bibframe/agent", rb"publisher"),
                ("place", rb"bibframe/place", rb"place"),
                ("subject", rb"dc/terms/subject", rb"concept"),
                ("series", rb"dc/terms/isPartOf|bibframe/associatedResource", rb"series"),
            )
        }
        self._values = {
            "isbn": re.compile(rb'(?m) <[^>]*(?:bibo/isbn1[03]|schema\.org/isbn)> "([0-9Xx-]+)"'),
            "year": re.compile(rb'(?m) <[^>]*(?:bibframe/date|dc/terms/issued|datePublished)> "(\d{4})'),
        }
        self._lives = {
            "birth": re.compile(rb'(?m) <[^>]*schema\.org/birthDate> "(\d{4})'),
            "death": re.compile(rb'(?m) <[^>]*schema\.org/deathDate> "(\d{4})'),
        }

    def read(self, document: Document) -> Named | None:
        """Return what a document names; None if it has no name or is of a kind that is not searched for."""
        folder = document.path.partition("/")[0]
        if document.status != 200 or folder not in _FOLDERS:
            return None
        thing = f"{self._base}{document.path}".encode()
        found = (text for about, text in self._names.findall(document.quads) if about == thing)
        forms = tuple(dict.fromkeys(filter(None, (document.title, *map(_text, found)))))
        if not forms:
            return None
        agent = EntryKind.PERSON if _PERSON in document.quads else EntryKind.ORGANISATION
        patterns = {**self._values, **self._links} if folder == "resource" else self._lives
        data = {
            name: tuple(dict.fromkeys(each.decode() for each in pattern.findall(document.quads)))
            for name, pattern in patterns.items()
        }
        kept = {name: values for name, values in data.items() if values}
        return Named(document.path, _KINDS.get(folder, agent), document.title or forms[0], forms, kept)


def _text(literal: bytes) -> str:
    """Return the text of a literal of N-Quads; its escapes are those of JSON, and one for longer code points."""
    text = re.sub(rb"\\U([0-9A-Fa-f]{8})", lambda found: chr(int(found[1], 16)).encode(), literal)
    return msgspec.json.decode(text.replace(b"\\'", b"'"), type=str)


# -- writing


def write_search(workspace: Path, base: str, view: PublishedView, previous: int | None, withdraws: bool) -> None:
    """Write the names of a release: what it changed if those of ``previous`` are there, else all.

    ``withdraws``: earlier releases are removed, and nothing may remain of them. Raises ``StageError``.
    """
    file = workspace / FILE
    with reporting_errors(file):
        if previous is not None and not withdraws and not view.is_first and _has(file, previous):
            _update(file, base, view, published_releases(workspace))
        else:
            _fill(file, base, view)


def _fill(file: Path, base: str, view: PublishedView) -> None:
    new = file.with_name(f"{FILE}.filling")
    new.unlink(missing_ok=True)
    connection = connect(new, read_only=False)
    try:
        connection.execute("PRAGMA journal_mode = OFF")
        connection.executescript(_TABLES)
        connection.execute("BEGIN")
        reader = _Reader(base)
        for folder in _FOLDERS:
            for document in view.documents(f"{folder}/"):
                _add(connection, reader.read(document), view.release)
        connection.execute("INSERT INTO release VALUES (?)", (view.release,))
        connection.execute("COMMIT")
        connection.execute("INSERT INTO words (words) VALUES ('optimize')")
    finally:
        connection.close()
    new.replace(file)


def _update(file: Path, base: str, view: PublishedView, kept: Iterable[int]) -> None:
    number = view.release
    connection = connect(file, read_only=False)
    try:
        connection.execute("BEGIN IMMEDIATE")
        # A run that was stopped after this begins the same release again.
        _remove(connection, "since >= ?", number)
        connection.execute("UPDATE entry SET until = NULL WHERE until >= ?", (number,))
        _remove(connection, "until <= ?", min((*kept, number)))
        reader = _Reader(base)
        for change in view.changes():
            connection.execute("UPDATE entry SET until = ? WHERE path = ? AND until IS NULL", (number, change.path))
            document = view.document(change.path) if change.status_after == 200 else None
            if document is not None:
                _add(connection, reader.read(document), number)
        connection.execute("DELETE FROM release WHERE number > ?", (number,))
        connection.execute("INSERT OR IGNORE INTO release VALUES (?)", (number,))
        connection.execute("COMMIT")
    finally:
        connection.close()


def _remove(connection: sqlite3.Connection, condition: str, number: int) -> None:
    connection.execute(f"DELETE FROM words WHERE rowid IN (SELECT id FROM entry WHERE {condition})", (number,))
    connection.execute(f"DELETE FROM entry WHERE {condition}", (number,))


def _add(connection: sqlite3.Connection, named: Named | None, number: int) -> None:
    if named is None:
        return
    data = msgspec.json.encode(named.data).decode()
    added = connection.execute(
        "INSERT INTO entry (path, kind, title, forms, data, since) VALUES (?, ?, ?, ?, ?, ?)",
        (named.path, named.kind.value, named.title, "\n".join(named.forms), data, number),
    )
    numbers = [value.replace("-", "") for value in named.data.get("isbn", ())]
    words = " ".join(to_words(" ".join((*named.forms, *numbers))))
    connection.execute("INSERT INTO words (rowid, forms) VALUES (?, ?)", (added.lastrowid, words))


def _has(file: Path, number: int) -> bool:
    if not file.is_file():
        return False
    connection = connect(file, read_only=True)
    try:
        is_known = connection.execute("PRAGMA user_version").fetchone()[0] == _FORMAT
        return is_known and bool(connection.execute("SELECT 1 FROM release WHERE number = ?", (number,)).fetchone())
    finally:
        connection.close()


# -- reading


class SearchView:
    """The names of one release; see :func:`open_search`. To be used in one thread at a time."""

    def __init__(self, connection: sqlite3.Connection, file: Path, release: int) -> None:
        self._connection = connection
        self._file = file
        self._release = release

    def close(self) -> None:
        """Close the database."""
        self._connection.close()

    def find(self, text: str, kinds: Sequence[EntryKind] = (), is_prefix: bool = False) -> list[Named]:
        """Return things whose names contain the words of a text, the best first: all words, else the rarest of them.

        ``is_prefix``: the last word may be the beginning of one. At most 200 are returned.
        """
        words = list(dict.fromkeys(to_words(text)))[:32]
        if not words:
            return []
        quoted = [f'"{word}"' for word in words]
        if is_prefix:
            quoted[-1] += "*"
        with reporting_errors(self._file):
            counts = {word: self._count(word) for word in words}
            is_rare = min(counts.values()) <= _COMMON and not (is_prefix and len(words) == 1 and len(words[0]) < 4)
            found = self._matching(" AND ".join(quoted), kinds, is_ranked=is_rare)
            if found or len(words) == 1:
                return found
            rare = sorted((word for word in words if 0 < counts[word] <= _COMMON), key=lambda word: counts[word])
            if not rare:
                return []
            return self._matching(" OR ".join(f'"{word}"' for word in rare[:_RARE_WORDS]), kinds, is_ranked=True)

    def named(self, path: str) -> Named | None:
        """Return the thing with a path; None if there is none."""
        with reporting_errors(self._file):
            row = self._connection.execute(
                f"SELECT path, kind, title, forms, data FROM entry WHERE path = :path AND {_VALID}",
                {"path": path, "release": self._release},
            ).fetchone()
        return _named(row) if row is not None else None

    def _count(self, word: str) -> int:
        row = self._connection.execute("SELECT doc FROM word WHERE term = ?", (word,)).fetchone()
        return row[0] if row is not None else 0

    def _matching(self, query: str, kinds: Sequence[EntryKind], is_ranked: bool) -> list[Named]:
        rows = self._connection.execute(
            "SELECT path, kind, title, entry.forms, data FROM words JOIN entry ON entry.id = words.rowid"
            f" WHERE words MATCH :query AND {_VALID}"
            " AND (:kinds = '[]' OR kind IN (SELECT value FROM json_each(:kinds)))"
            f"{' ORDER BY rank' if is_ranked else ''} LIMIT {_MOST_TITLES}",
            {
                "query": query,
                "release": self._release,
                "kinds": msgspec.json.encode([kind.value for kind in kinds]).decode(),
            },
        )
        return [_named(row) for row in rows]


def _named(row: tuple[str, str, str, str, str]) -> Named:
    path, kind, title, forms, data = row
    values = msgspec.json.decode(data, type=dict[str, tuple[str, ...]])
    return Named(path, EntryKind(kind), title, tuple(forms.split("\n")), values)


def has_search(workspace: Path, release: int) -> bool:
    """Whether there are names of a release."""
    with reporting_errors(workspace / FILE):
        return _has(workspace / FILE, release)


def open_search(workspace: Path, release: int) -> SearchView:
    """Open the names of a release, for reading only; see ``has_search``."""
    file = workspace / FILE
    with reporting_errors(file):
        return SearchView(connect(file, read_only=True), file, release)
