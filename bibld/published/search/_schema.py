"""The database ``search.db``: its tables, and how facets and full-text rows are numbered."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import msgspec

from bibld.published._schema import connect

FILE = "search.db"
FORMAT = 6
"""To be raised when the tables change, or the same documents give other rows; the next run makes the file again."""

ID_BITS = 30
ID_MASK = (1 << ID_BITS) - 1
BUCKETS = 8
"""Full-text rows of what most records describe come first: their row ids begin with the number of a bucket, from 0."""

HASH_SIZE = 32 << 20
AUTOMERGE = 4
"""Segments of a full-text index that updates join. While all is written none are joined before the end."""

TABLES = f"""
PRAGMA page_size = 4096;
PRAGMA user_version = {FORMAT};
CREATE TABLE release (number INTEGER PRIMARY KEY);
CREATE TABLE counter (next INTEGER NOT NULL);  -- one row: the id that the next entry gets; none is used twice
CREATE TABLE source (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE);
CREATE TABLE thing (                           -- each IRI that is searched for or linked to
  number INTEGER PRIMARY KEY,
  key INTEGER NOT NULL,                        -- a hash of the path
  path TEXT NOT NULL,
  uses INTEGER NOT NULL                        -- publications of the newest release that link to it
);
CREATE INDEX thing_by_key ON thing (key);
CREATE TABLE entry (                           -- of the releases from `since` up to, but without, `until`
  id INTEGER PRIMARY KEY,
  number INTEGER NOT NULL,                     -- of the thing
  kind INTEGER NOT NULL,                       -- its place in KINDS
  bucket INTEGER NOT NULL,                     -- of the full-text row that is valid
  year INTEGER,                                -- of publication
  since INTEGER NOT NULL,
  until INTEGER,
  codes BLOB                                   -- of a publication: the values of facets, 4 bytes each
);
CREATE INDEX entry_by_number ON entry (number);
CREATE INDEX entry_by_until ON entry (until) WHERE until IS NOT NULL;
CREATE TABLE detail (id INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE dictionary (                      -- for the data of other things (0) and publications (1)
  number INTEGER PRIMARY KEY,
  bytes BLOB NOT NULL
);
CREATE VIRTUAL TABLE words USING fts5 (        -- publications
  title, agent, subject, other, code,
  content = '', columnsize = 0, tokenize = "unicode61 remove_diacritics 0 tokenchars '=~+#'"
);
CREATE VIRTUAL TABLE names USING fts5 (        -- of all other things: which tokens they have, not where
  name,
  content = '', columnsize = 0, detail = none, tokenize = "ascii tokenchars '=~+#'", prefix = '2 3'
);
CREATE VIRTUAL TABLE word USING fts5vocab (words, row);
"""

VALID = "since <= :release AND (until IS NULL OR until > :release)"


class Link(msgspec.Struct, frozen=True, array_like=True):
    """A link of a publication: ``group`` is one of ``GROUPS``, ``role`` that of an agent (a code of MARC relators)."""

    group: str
    role: str
    number: int


class Details(msgspec.Struct, frozen=True, array_like=True):
    """What is stored of a publication. ``records`` are paths after ``record/``."""

    title: str
    forms: tuple[str, ...]
    statement: str
    imprint: str
    year: str
    type: str
    languages: tuple[str, ...]
    records: tuple[str, ...]
    links: tuple[Link, ...]
    isbns: tuple[str, ...]
    parts: tuple[str, ...] = ()
    """Numbers and names of parts, and statements of the edition."""


class NameDetails(msgspec.Struct, frozen=True, array_like=True):
    """What is stored of any other thing: ``title`` is its name, ``forms`` are further ones."""

    title: str
    forms: tuple[str, ...]
    birth: str
    death: str
    is_linked: bool
    tags: tuple[str, ...]
    """The languages of the name and of ``forms``."""


AGENT, SUBJECT, PUBLISHER, SERIES, PLACE = GROUPS = ("w", "s", "p", "q", "k")
"""How publications are linked to other things."""

LIBRARY, YEAR, LANGUAGE, TYPE, MERGED, LINKED_TO_AUTHORITY = range(6)
"""The facets that are no links, as the high bits of a code; links follow in the order of ``GROUPS``."""

_VALUE_BITS = 28
_FIRST_LETTER = ord("a") - 1
TYPES = (
    "book", "multivolume", "periodical", "article", "thesis", "music", "audio", "video", "map", "image", "manuscript",
    "collection", "other",
)  # fmt: skip


def code_of(facet: int, value: int) -> int:
    """Return the code of a value of a facet."""
    return facet << _VALUE_BITS | value & ((1 << _VALUE_BITS) - 1)


def facet_of_group(group: str) -> int:
    """Return the facet of links."""
    return LINKED_TO_AUTHORITY + 1 + GROUPS.index(group)


def language_value(code: str) -> int:
    """Return the number of a language by its code of three letters; 0 for other texts."""
    if len(code) != 3 or not code.isascii() or not code.islower():
        return 0
    number = 0
    for letter in code:
        number = number << 5 | ord(letter) - _FIRST_LETTER
    return number


def language_code(number: int) -> str:
    """Return the code of a language by its number."""
    return "".join(chr((number >> shift & 31) + _FIRST_LETTER) for shift in (10, 5, 0))


def bucket_of(records: int) -> int:
    """Return the bucket of a publication with this number of records."""
    return max(0, BUCKETS - max(1, records))


def bucket_of_uses(uses: int) -> int:
    """Return the bucket of a thing that this number of publications link to: from the logarithm."""
    return max(0, BUCKETS - 1 - (uses.bit_length() + 1) // 2)


def has_release(file: Path, number: int) -> bool:
    """Whether a file has the names of a release."""
    if not file.is_file():
        return False
    connection = connect(file, read_only=True)
    try:
        is_known = connection.execute("PRAGMA user_version").fetchone()[0] == FORMAT
        return is_known and bool(connection.execute("SELECT 1 FROM release WHERE number = ?", (number,)).fetchone())
    except sqlite3.DatabaseError:
        return False
    finally:
        connection.close()
