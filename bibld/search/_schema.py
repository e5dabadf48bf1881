"""The database ``search.db``: its tables, and how facets and full-text rows are numbered."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import msgspec

from bibld.documents import connect

FILE = "search.db"
FORMAT = 7
"""To be raised when the tables change, or the same documents give other rows; the next run makes the file again."""

BUCKETS = 8
"""Full-text rows of what most records describe come first: their row ids begin with the number of a bucket, from 0."""

HASH_SIZE = 32 << 20
AUTOMERGE = 4
"""Segments of a full-text index that updates join. While all is written none are joined before the end."""

TABLES = f"""
PRAGMA page_size = 4096;
PRAGMA user_version = {FORMAT};
CREATE TABLE release (number INTEGER PRIMARY KEY);
CREATE TABLE counter (                         -- one row
  next INTEGER NOT NULL,                       -- the id that the next entry gets; none is used twice
  id_bits INTEGER NOT NULL                     -- of a row id of full text: those behind the number of the bucket
);
CREATE TABLE source (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE);
CREATE TABLE entry (                           -- a thing in the releases from `since` up to, but without, `until`
  id INTEGER PRIMARY KEY,
  kind INTEGER NOT NULL,                       -- its place in KINDS, or UNNAMED
  bucket INTEGER NOT NULL,                     -- of the full-text row that is valid
  year INTEGER,                                -- of publication
  since INTEGER NOT NULL,
  until INTEGER,
  codes BLOB,                                  -- of a publication: the values of facets (see ``_codes.py``)
  uses INTEGER                                 -- publications that link to it in the last release that has it
);
CREATE INDEX entry_by_until ON entry (until) WHERE until IS NOT NULL;
CREATE TABLE detail (id INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE path_key (                        -- the entries of a path, which is in their details
  key INTEGER NOT NULL,                        -- a hash of the path
  id INTEGER NOT NULL,
  PRIMARY KEY (key, id)
) WITHOUT ROWID;
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


UNNAMED = -1
"""The kind of a thing that publications link to, and that has no name."""


class Link(msgspec.Struct, frozen=True, array_like=True):
    """A link of a publication: ``group`` is one of ``GROUPS``, ``role`` that of an agent (a code of MARC relators).

    ``id`` is that of the entry that is linked to: when its thing gets another name, the publication gets a new entry.
    """

    group: str
    role: str
    id: int


class Details(msgspec.Struct, frozen=True, array_like=True):
    """What is stored of a publication. ``records`` are paths after ``record/``."""

    title: str
    path: str
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
    path: str
    forms: tuple[str, ...]
    birth: str
    death: str
    is_linked: bool
    tags: tuple[str, ...]
    """The languages of the name and of ``forms``."""


AGENT, SUBJECT, PUBLISHER, SERIES, PLACE = GROUPS = ("w", "s", "p", "q", "k")
"""How publications are linked to other things."""


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
