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
  bytes_hash BLOB NOT NULL,
  flavour TEXT NOT NULL,
  original BLOB NOT NULL,
  mods BLOB NOT NULL,
  made_by BLOB NOT NULL,                       -- hash of bytes, carrier, versions and settings
  run INTEGER NOT NULL,                        -- the run that saw it last
  deleted INTEGER NOT NULL                     -- 0 living, 1 by its own status, 2 missing from a load or listed
);
CREATE INDEX record_made_by ON record (made_by);
CREATE TABLE warning (                         -- what had to be repaired
  ordinal INTEGER NOT NULL,
  text TEXT NOT NULL
);
CREATE INDEX warning_ordinal ON warning (ordinal);
CREATE TABLE coverage (                        -- subfields that are not in a record's MODS
  ordinal INTEGER NOT NULL,
  name TEXT NOT NULL,
  fate TEXT NOT NULL,                          -- unmapped or private
  times INTEGER NOT NULL
);
CREATE INDEX coverage_ordinal ON coverage (ordinal);
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
CREATE TABLE edge (
  left_ordinal INTEGER NOT NULL,
  right_ordinal INTEGER NOT NULL,
  score REAL NOT NULL,
  decision TEXT NOT NULL,
  body BLOB NOT NULL,                          -- score and verdict as JSON
  made_by TEXT NOT NULL,
  PRIMARY KEY (left_ordinal, right_ordinal)
) WITHOUT ROWID;
CREATE INDEX edge_right ON edge (right_ordinal);
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
  sought BLOB NOT NULL,                        -- records sought for the quads, and whether they did exist
  made_by TEXT NOT NULL
);
CREATE TABLE claim (                           -- what each record says about an entity
  entity TEXT NOT NULL,
  founder INTEGER NOT NULL,
  body BLOB NOT NULL
);
CREATE INDEX claim_entity ON claim (entity);
CREATE INDEX claim_founder ON claim (founder);
CREATE TABLE statistics (                      -- what blocking knows of all records, frozen; one row at most
  version INTEGER NOT NULL,                    -- counts up at each renewal
  made_for TEXT NOT NULL,                      -- hash of the blockers' settings
  body BLOB NOT NULL
);
PRAGMA user_version = 2;
