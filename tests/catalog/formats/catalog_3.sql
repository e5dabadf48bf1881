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
CREATE TABLE claim (                           -- what each record says about an entity
  entity INTEGER NOT NULL REFERENCES entity,
  founder INTEGER NOT NULL,
  body BLOB NOT NULL
);
CREATE INDEX claim_entity ON claim (entity);
CREATE INDEX claim_founder ON claim (founder);
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
PRAGMA user_version = 3;
