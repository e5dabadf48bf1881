-- What cannot be recomputed: back up this file.
CREATE TABLE workspace (id TEXT NOT NULL);     -- the same in the catalog of this register
CREATE TABLE ordinal (
  ordinal INTEGER PRIMARY KEY AUTOINCREMENT,   -- assigned when a record is first seen, never changed or reused
  source TEXT NOT NULL,
  control_number TEXT NOT NULL,
  UNIQUE (source, control_number)
);
CREATE TABLE redirect (                        -- which record the IRI of a deleted record redirects to
  ordinal INTEGER PRIMARY KEY REFERENCES ordinal,
  target INTEGER REFERENCES ordinal            -- NULL: none, the IRI answers 410
);
CREATE TABLE verdict (                         -- decisions of people about pairs; the last of a pair is in force
  verdict INTEGER PRIMARY KEY AUTOINCREMENT,
  left_ordinal INTEGER NOT NULL REFERENCES ordinal,
  right_ordinal INTEGER NOT NULL REFERENCES ordinal,
  decision TEXT NOT NULL,
  relation TEXT NOT NULL,                      -- of related records, or empty
  person TEXT NOT NULL,
  reason TEXT NOT NULL,
  given_at TEXT NOT NULL
);
CREATE INDEX verdict_pair ON verdict (left_ordinal, right_ordinal);
CREATE TABLE verdict_change (                  -- pairs whose verdict was given or withdrawn
  change INTEGER PRIMARY KEY AUTOINCREMENT,
  left_ordinal INTEGER NOT NULL,
  right_ordinal INTEGER NOT NULL
);
CREATE TABLE entity_verdict (                  -- decisions of people about two entities; the last one is in force
  verdict INTEGER PRIMARY KEY AUTOINCREMENT,
  left_path TEXT NOT NULL,                     -- of the IRI, after the base; the smaller one
  right_path TEXT NOT NULL,
  decision TEXT NOT NULL,                      -- same or different
  person TEXT NOT NULL,
  reason TEXT NOT NULL,
  given_at TEXT NOT NULL
);
CREATE INDEX entity_verdict_pair ON entity_verdict (left_path, right_path);
CREATE TABLE entity_verdict_change (           -- pairs whose verdict was given or withdrawn
  change INTEGER PRIMARY KEY AUTOINCREMENT,
  left_path TEXT NOT NULL,
  right_path TEXT NOT NULL
);
CREATE TABLE link_verdict (                    -- decisions of people about links; the last is in force
  verdict INTEGER PRIMARY KEY AUTOINCREMENT,
  entity TEXT NOT NULL,                        -- the path of its IRI, such as agent/viaf-96987389
  target TEXT NOT NULL,                        -- IRI of the authority record
  decision TEXT NOT NULL,                      -- accepted, rejected or withdrawn
  person TEXT NOT NULL,
  reason TEXT NOT NULL,
  given_at TEXT NOT NULL
);
CREATE INDEX link_verdict_entity ON link_verdict (entity);
CREATE TABLE suppression (                     -- records and values that must not be published
  ordinal INTEGER NOT NULL REFERENCES ordinal,
  value TEXT NOT NULL,                         -- empty: the whole record
  reason TEXT NOT NULL,
  PRIMARY KEY (ordinal, value)
) WITHOUT ROWID;
CREATE TABLE event (                           -- the history of the IRIs of records
  event INTEGER PRIMARY KEY AUTOINCREMENT,
  ordinal INTEGER NOT NULL REFERENCES ordinal,
  run_time TEXT NOT NULL,
  kind TEXT NOT NULL,                          -- appeared, absorbed, returned, deleted or restored
  other INTEGER REFERENCES ordinal             -- the founder of the cluster that absorbed it, or that it left
);
CREATE INDEX event_ordinal ON event (ordinal);
