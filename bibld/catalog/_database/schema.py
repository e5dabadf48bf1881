"""The tables of the two databases, and their format versions."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from bibld.errors import CatalogError

REGISTER_FORMAT = 2
CATALOG_FORMAT = 6

REGISTER = """
-- What cannot be recomputed: back this file up.
CREATE TABLE workspace (id TEXT NOT NULL);     -- the same in the catalog that belongs to it
CREATE TABLE ordinal (
  ordinal INTEGER PRIMARY KEY AUTOINCREMENT,   -- given when a record is first seen, kept for life, never reused
  source TEXT NOT NULL,
  control_number TEXT NOT NULL,
  UNIQUE (source, control_number)
);
CREATE TABLE heir (                            -- who answers for a deleted record
  ordinal INTEGER PRIMARY KEY REFERENCES ordinal,
  heir INTEGER REFERENCES ordinal              -- NULL: nobody
);
CREATE TABLE verdict (                         -- what people said about two records; the last of a pair holds
  verdict INTEGER PRIMARY KEY AUTOINCREMENT,
  left_ordinal INTEGER NOT NULL REFERENCES ordinal,
  right_ordinal INTEGER NOT NULL REFERENCES ordinal,
  decision TEXT NOT NULL,
  relation TEXT NOT NULL,                      -- of what is related, or empty
  person TEXT NOT NULL,
  reason TEXT NOT NULL,
  given TEXT NOT NULL
);
CREATE INDEX verdict_pair ON verdict (left_ordinal, right_ordinal);
CREATE TABLE verdict_change (                  -- pairs whose verdict was given or withdrawn, for the next matching
  change INTEGER PRIMARY KEY AUTOINCREMENT,
  left_ordinal INTEGER NOT NULL,
  right_ordinal INTEGER NOT NULL
);
CREATE TABLE suppression (                     -- what must not be published
  ordinal INTEGER NOT NULL REFERENCES ordinal,
  value TEXT NOT NULL,                         -- empty: the whole record
  reason TEXT NOT NULL,
  PRIMARY KEY (ordinal, value)
) WITHOUT ROWID;
CREATE TABLE event (                           -- what became of the IRI of a record, in the order of time
  event INTEGER PRIMARY KEY AUTOINCREMENT,
  ordinal INTEGER NOT NULL REFERENCES ordinal,
  happened TEXT NOT NULL,                      -- the clock of the run
  what TEXT NOT NULL,                          -- appeared, absorbed, returned, deleted or restored
  other INTEGER REFERENCES ordinal             -- the founder that it was absorbed by, or left
);
CREATE INDEX event_ordinal ON event (ordinal);
"""

CATALOG = """
CREATE TABLE workspace (id TEXT NOT NULL);     -- that of the register
CREATE TABLE dictionary (                      -- zstd dictionaries; a frame names the one it needs
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  bytes BLOB NOT NULL
);
CREATE TABLE run (
  run INTEGER PRIMARY KEY AUTOINCREMENT,
  started TEXT NOT NULL,
  finished TEXT
);
CREATE TABLE stage (                           -- which inputs and settings the stored results of a stage come from
  name TEXT PRIMARY KEY,
  made_by TEXT NOT NULL,
  run INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE source (                          -- small numbers for sources, by when they were first matched
  source INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE
);
CREATE TABLE carrier (                         -- a file as its reader examined it
  carrier INTEGER PRIMARY KEY,
  source TEXT NOT NULL,
  file TEXT NOT NULL,
  reader TEXT NOT NULL,
  state BLOB NOT NULL,
  UNIQUE (source, file, reader, state)
);
CREATE TABLE record (
  ordinal INTEGER PRIMARY KEY,
  carrier INTEGER NOT NULL REFERENCES carrier,
  position INTEGER NOT NULL,
  byte_offset INTEGER NOT NULL,
  flavour TEXT NOT NULL,
  made_by BLOB NOT NULL,                       -- hash of bytes, carrier, versions and settings
  run INTEGER NOT NULL,                        -- the run that saw it last
  deleted INTEGER NOT NULL,                    -- 0 living, 1 by its own status, 2 missing or listed, 3 suppressed
  coverage BLOB NOT NULL,                      -- numbers of the subfields that are not in the MODS
  body BLOB NOT NULL                           -- MODS and original bytes in one piece
);
CREATE INDEX record_made_by ON record (made_by);
CREATE TABLE withheld (                        -- the register's suppressions that all results were made under
  ordinal INTEGER NOT NULL,
  value TEXT NOT NULL,                         -- empty: the whole record
  PRIMARY KEY (ordinal, value)
) WITHOUT ROWID;
CREATE TABLE subfield (                        -- small numbers for subfields that are not in a MODS
  subfield INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  fate TEXT NOT NULL,                          -- unmapped or private
  UNIQUE (name, fate)
);
CREATE TABLE warning (                         -- what had to be repaired
  ordinal INTEGER NOT NULL,
  text TEXT NOT NULL
);
CREATE INDEX warning_ordinal ON warning (ordinal);
CREATE TABLE reject (
  reject INTEGER PRIMARY KEY,
  source TEXT NOT NULL,
  file TEXT NOT NULL,
  position INTEGER NOT NULL,
  byte_offset INTEGER NOT NULL,
  control_number TEXT,
  kind TEXT NOT NULL,
  reason TEXT NOT NULL,
  original BLOB NOT NULL
);
CREATE INDEX reject_source ON reject (source);
CREATE TABLE load (                            -- what the last complete reading of a source counted
  source TEXT PRIMARY KEY,
  run INTEGER NOT NULL,
  read INTEGER NOT NULL,
  converted INTEGER NOT NULL,
  superseded INTEGER NOT NULL,
  rejected INTEGER NOT NULL,
  deleted INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE pending (                         -- what a stage has still to do
  stage TEXT NOT NULL,
  item INTEGER NOT NULL,                       -- an ordinal (dedup), a founder (merge, triplify) or an entity
  PRIMARY KEY (stage, item)
) WITHOUT ROWID;
CREATE TABLE segment (                         -- folders of index/ that belong to the catalog
  segment INTEGER PRIMARY KEY AUTOINCREMENT,
  records INTEGER NOT NULL,
  made_by TEXT NOT NULL
);
CREATE TABLE tombstone (                       -- rows of segments whose record changed or went
  segment INTEGER NOT NULL REFERENCES segment,
  position INTEGER NOT NULL,
  PRIMARY KEY (segment, position)
) WITHOUT ROWID;
CREATE TABLE edge (
  left_ordinal INTEGER NOT NULL,
  right_ordinal INTEGER NOT NULL,
  score REAL NOT NULL,
  judged TEXT NOT NULL,                        -- the decision about the pair alone
  decision TEXT NOT NULL,                      -- and as it stands when all clusters are known
  body BLOB NOT NULL,                          -- score and verdict as JSON
  made_by TEXT NOT NULL,
  PRIMARY KEY (left_ordinal, right_ordinal)
) WITHOUT ROWID;
CREATE INDEX edge_right ON edge (right_ordinal);
CREATE INDEX edge_review ON edge (score) WHERE decision = 'review';
CREATE TABLE member (                          -- clusters of two and more
  ordinal INTEGER PRIMARY KEY,
  founder INTEGER NOT NULL
);
CREATE INDEX member_founder ON member (founder);
CREATE TABLE merged (                          -- clusters of two and more
  founder INTEGER PRIMARY KEY,
  mods BLOB NOT NULL,
  sources BLOB NOT NULL,
  made_by TEXT NOT NULL
);
CREATE TABLE statement (                       -- the quads that a cluster owns
  founder INTEGER PRIMARY KEY,
  quads BLOB NOT NULL,
  made_by TEXT NOT NULL
);
CREATE TABLE sought (                          -- records sought for the quads of a cluster, and whether they did exist
  source TEXT NOT NULL,
  control_number TEXT NOT NULL,
  founder INTEGER NOT NULL,
  existed INTEGER NOT NULL,
  PRIMARY KEY (source, control_number, founder)
) WITHOUT ROWID;
CREATE INDEX sought_founder ON sought (founder);
CREATE TABLE entity (                          -- agents, concepts, places … and the quads that describe them
  entity INTEGER PRIMARY KEY,
  iri TEXT NOT NULL UNIQUE,
  quads BLOB
);
CREATE TABLE voice (                           -- what is claimed about an entity, each once
  voice INTEGER PRIMARY KEY,
  entity INTEGER NOT NULL REFERENCES entity,
  body BLOB NOT NULL,
  clusters INTEGER NOT NULL,                   -- how many claim it
  votes INTEGER NOT NULL,                      -- how many of their records prefer its form of the name
  UNIQUE (entity, body)
);
CREATE TABLE claimant (                        -- which clusters claim what
  founder INTEGER NOT NULL,
  voice INTEGER NOT NULL REFERENCES voice,
  votes INTEGER NOT NULL,                      -- those of its own records
  PRIMARY KEY (founder, voice)
) WITHOUT ROWID;
CREATE INDEX claimant_voice ON claimant (voice);
CREATE TABLE patch (                           -- quads that changed, in order, until store and release have them
  patch INTEGER PRIMARY KEY AUTOINCREMENT,
  added BLOB NOT NULL,
  removed BLOB NOT NULL
);
CREATE TABLE delivery (                        -- how far the live store and the last release have the patches
  consumer TEXT PRIMARY KEY,
  patch INTEGER NOT NULL,
  goal INTEGER NOT NULL,                       -- the patch that it is being brought to; when it is there, the same
  quads INTEGER NOT NULL,                      -- how many it holds
  made_by TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE heard (                           -- the last change of verdicts (in the register) that matching knows of
  change INTEGER NOT NULL
);
CREATE TABLE statistics (                      -- what blocking knows of all records, frozen; one row at most
  version INTEGER NOT NULL,                    -- counts up at each renewal
  made_for TEXT NOT NULL,                      -- hash of the blockers' settings
  body BLOB NOT NULL
);
"""

_OPENING = "is there space on the disk, and may it be written?"


def opened(file: Path, tables: str, version: int, read_only: bool) -> sqlite3.Connection:
    """Open a database, making it where there is none; raises ``CatalogError``."""
    try:
        connection = connected(file, read_only)
    except sqlite3.Error as error:
        raise CatalogError(f"{file}: cannot be opened: {error}; {_OPENING}") from error
    try:
        if not read_only:
            connection.execute("PRAGMA journal_mode = WAL")
        _check_format(connection, file, tables, version, read_only)
    except BaseException as error:
        connection.close()
        if isinstance(error, sqlite3.Error):
            raise CatalogError(f"{file}: cannot be opened: {error}; {_OPENING}") from error
        raise
    return connection


def connected(file: Path, read_only: bool) -> sqlite3.Connection:
    """A connection whose transactions are begun and ended by who uses it."""
    if read_only:
        return sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True, check_same_thread=False)
    return sqlite3.connect(file, isolation_level=None)


def _check_format(connection: sqlite3.Connection, file: Path, tables: str, version: int, read_only: bool) -> None:
    found = connection.execute("PRAGMA user_version").fetchone()[0]
    if found == 0 and not read_only:
        connection.executescript(f"BEGIN; {tables} PRAGMA user_version = {version}; COMMIT;")
    elif found > version:
        raise CatalogError(
            f"{file}: has format {found}, this bibld knows {version} and less; use the newer bibld that wrote it"
        )
    elif found < version:
        raise CatalogError(f"{file}: has format {found}, this bibld reads {version}; `bibld run` brings it to that")
