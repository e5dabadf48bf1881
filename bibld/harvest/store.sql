-- The database of one source: what its server answered, and the records in the answers.
CREATE TABLE value (name TEXT PRIMARY KEY, json BLOB NOT NULL) WITHOUT ROWID;  -- state of the harvester
CREATE TABLE harvest (
  harvest INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,                 -- full or changes
  request TEXT NOT NULL,              -- what was asked for; only the same request can be continued
  started TEXT NOT NULL,
  ended TEXT,                         -- NULL: interrupted
  outcome TEXT,
  body BLOB                           -- HarvestResult as JSON
);
CREATE TABLE answer (
  answer INTEGER PRIMARY KEY AUTOINCREMENT,
  harvest INTEGER NOT NULL,
  url TEXT NOT NULL,
  asked_at TEXT NOT NULL,
  status INTEGER NOT NULL,
  headers BLOB NOT NULL,              -- JSON
  sha256 TEXT NOT NULL,               -- of the body, decompressed
  bytes INTEGER NOT NULL,
  file TEXT NOT NULL                  -- in answers/, compressed with zstd
);
CREATE TABLE record (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  identifier TEXT NOT NULL UNIQUE,
  datestamp TEXT NOT NULL,
  digest BLOB NOT NULL,
  answer INTEGER NOT NULL,            -- that it came in; 0: none
  seen INTEGER NOT NULL,              -- the last harvest that saw it
  body BLOB                           -- compressed with zstd; NULL: deleted during the harvest
);
CREATE TABLE changed_segment (segment INTEGER PRIMARY KEY);  -- files of records to be written again
CREATE TABLE rejected (
  identifier TEXT PRIMARY KEY,
  harvest INTEGER NOT NULL,
  reason TEXT NOT NULL,
  answer INTEGER NOT NULL,
  body BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE count (harvest INTEGER NOT NULL, name TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (harvest, name));
CREATE TABLE finding (                -- what the server did wrong
  harvest INTEGER NOT NULL,
  code TEXT NOT NULL,
  fault BLOB NOT NULL,                -- Finding as JSON, without examples
  times INTEGER NOT NULL,
  examples BLOB NOT NULL,             -- JSON
  PRIMARY KEY (harvest, code)
);
CREATE TABLE file (
  name TEXT PRIMARY KEY,
  path TEXT NOT NULL,                 -- in files/
  etag TEXT NOT NULL,
  changed TEXT NOT NULL,              -- as the server states it
  sha256 TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  harvest INTEGER NOT NULL
) WITHOUT ROWID;
