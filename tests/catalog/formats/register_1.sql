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
CREATE TABLE verdict (                         -- what people said about two records
  left_ordinal INTEGER NOT NULL REFERENCES ordinal,
  right_ordinal INTEGER NOT NULL REFERENCES ordinal,
  decision TEXT NOT NULL,
  person TEXT NOT NULL,
  reason TEXT NOT NULL,
  given TEXT NOT NULL,
  PRIMARY KEY (left_ordinal, right_ordinal)
) WITHOUT ROWID;
CREATE TABLE suppression (                     -- what must not be published
  ordinal INTEGER NOT NULL REFERENCES ordinal,
  value TEXT NOT NULL,                         -- empty: the whole record
  reason TEXT NOT NULL,
  PRIMARY KEY (ordinal, value)
) WITHOUT ROWID;
PRAGMA user_version = 1;
