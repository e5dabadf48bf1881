CREATE TABLE workspace (id TEXT NOT NULL);     -- the same as in the register
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
CREATE TABLE stage (                           -- what the stored results of a stage were made from
  name TEXT PRIMARY KEY,
  made_by TEXT NOT NULL,
  run INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE source (                          -- small numbers for sources, in the order of their first matching
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
  run INTEGER NOT NULL,                        -- the last run that saw it
  status TEXT NOT NULL,                        -- live, deleted, missing or suppressed (RecordStatus)
  coverage BLOB NOT NULL,                      -- numbers of the subfields that are not in the MODS
  body BLOB NOT NULL                           -- MODS (of a heading: Authority) and original bytes in one piece
);
CREATE INDEX record_made_by ON record (made_by);
CREATE TABLE active_suppression (              -- the register's suppressions that the stored results respect
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
CREATE TABLE format_finding (                  -- what the definition of its format finds in a record; no row: nothing
  ordinal INTEGER PRIMARY KEY,
  body BLOB NOT NULL                           -- FormatFindings of bibld.worklist as MessagePack
);
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
CREATE TABLE load (                            -- counts of the last complete reading of a source
  source TEXT PRIMARY KEY,
  run INTEGER NOT NULL,
  read INTEGER NOT NULL,
  converted INTEGER NOT NULL,
  superseded INTEGER NOT NULL,
  rejected INTEGER NOT NULL,
  deleted INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE dirty_queue (                     -- what the stages have still to process (Queue)
  queue TEXT NOT NULL,
  item INTEGER NOT NULL,
  PRIMARY KEY (queue, item)
) WITHOUT ROWID;
CREATE TABLE feature_index (                   -- the folder of index/ that is valid; one row at most
  folder INTEGER NOT NULL,
  valid_rows INTEGER NOT NULL,                 -- its files may be longer
  made_by TEXT NOT NULL
);
CREATE TABLE edge (
  left_ordinal INTEGER NOT NULL,
  right_ordinal INTEGER NOT NULL,
  score REAL NOT NULL,
  pair_decision TEXT NOT NULL,                 -- the decision about the pair alone
  decision TEXT NOT NULL,                      -- the decision when all clusters are known
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
  made_by TEXT NOT NULL,
  moved TEXT                                   -- JSON: IRI of an entity → of its founder, where they differ
);
CREATE TABLE existence_dependency (            -- records whose existence the quads of a cluster depend on
  source TEXT NOT NULL,
  control_number TEXT NOT NULL,
  founder INTEGER NOT NULL,
  existed INTEGER NOT NULL,
  PRIMARY KEY (source, control_number, founder)
) WITHOUT ROWID;
CREATE INDEX existence_dependency_founder ON existence_dependency (founder);
CREATE TABLE entity (                          -- agents, concepts, places … and the quads that describe them
  entity INTEGER PRIMARY KEY,
  iri TEXT NOT NULL UNIQUE,
  founder INTEGER,                             -- of the entities that are the same; NULL: the entity itself
  quads BLOB,                                  -- of founders
  moved TEXT                                   -- as of statements
);
CREATE INDEX entity_founder ON entity (founder) WHERE founder IS NOT NULL;
CREATE TABLE entity_tie (                      -- entities that share a key may be the same
  key INTEGER NOT NULL,                        -- hash of the identity of an IRI, or of another text
  entity INTEGER NOT NULL,
  uses INTEGER NOT NULL,                       -- how many assertions state the key; one more for its own identity
  PRIMARY KEY (key, entity)
) WITHOUT ROWID;
CREATE INDEX entity_tie_entity ON entity_tie (entity);
CREATE TABLE entity_part (                     -- entities whose descriptions point to another one
  key INTEGER NOT NULL,                        -- hash of the IRI of that
  entity INTEGER NOT NULL,
  uses INTEGER NOT NULL,
  PRIMARY KEY (key, entity)
) WITHOUT ROWID;
CREATE TABLE assertion (                       -- what clusters assert about an entity, each assertion once
  assertion INTEGER PRIMARY KEY,
  entity INTEGER NOT NULL REFERENCES entity,
  digest INTEGER NOT NULL,                     -- hash of the body, which an index would hold again
  body BLOB NOT NULL,
  clusters INTEGER NOT NULL,                   -- how many assert it
  votes INTEGER NOT NULL,                      -- how many of their records prefer its form of the name
  UNIQUE (entity, digest)
);
CREATE TABLE asserting_cluster (               -- which clusters make an assertion
  founder INTEGER NOT NULL,
  assertion INTEGER NOT NULL REFERENCES assertion,
  votes INTEGER NOT NULL,                      -- those of the cluster's records
  PRIMARY KEY (founder, assertion)
) WITHOUT ROWID;
CREATE INDEX asserting_cluster_assertion ON asserting_cluster (assertion);
CREATE TABLE entity_matching (                 -- what the clusters of entities respect; one row at most
  verdict_change INTEGER NOT NULL              -- the last change of verdicts about entities (in the register)
);
CREATE TABLE authority_file (                  -- files that entities are linked to
  name TEXT PRIMARY KEY,
  path TEXT NOT NULL,
  digest TEXT NOT NULL,                        -- hash of the content; names its index
  template TEXT NOT NULL,                      -- makes IRIs of ids
  linked_at TEXT NOT NULL,
  records INTEGER NOT NULL,
  threshold REAL NOT NULL,                     -- links with this confidence are published
  review REAL NOT NULL                         -- those with this confidence are offered for review
) WITHOUT ROWID;
CREATE TABLE link (                            -- links of entities to authority files, and candidates
  entity TEXT NOT NULL,                        -- its IRI
  link_set TEXT NOT NULL,
  target TEXT NOT NULL,
  predicate TEXT NOT NULL,
  confidence REAL NOT NULL,
  evidence TEXT NOT NULL,                      -- reasons as JSON
  status TEXT NOT NULL,                        -- accepted, review or disagreement
  label TEXT NOT NULL,
  heading TEXT NOT NULL,
  file TEXT NOT NULL,
  quad TEXT NOT NULL,                          -- the published lines, empty unless accepted
  PRIMARY KEY (entity, link_set, target)
) WITHOUT ROWID;
CREATE INDEX link_open ON link (status, confidence) WHERE status <> 'accepted';
CREATE TABLE link_set (                        -- descriptions of link sets as lines of N-Quads
  name TEXT PRIMARY KEY,
  quads TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE seen_link_verdict (               -- the last verdict that the links respect; one row at most
  verdict INTEGER NOT NULL
);
-- Entities whose assertions, or the statements of whose clusters, changed are linked again.
CREATE TRIGGER link_asserted AFTER INSERT ON asserting_cluster WHEN EXISTS (SELECT 1 FROM authority_file) BEGIN
  INSERT OR IGNORE INTO dirty_queue
    SELECT 'unlinked entities', entity FROM assertion WHERE assertion = NEW.assertion;
END;
CREATE TRIGGER link_not_asserted AFTER DELETE ON asserting_cluster WHEN EXISTS (SELECT 1 FROM authority_file) BEGIN
  INSERT OR IGNORE INTO dirty_queue
    SELECT 'unlinked entities', entity FROM assertion WHERE assertion = OLD.assertion;
END;
CREATE TRIGGER link_described AFTER INSERT ON statement WHEN EXISTS (SELECT 1 FROM authority_file) BEGIN
  INSERT OR IGNORE INTO dirty_queue
    SELECT DISTINCT 'unlinked entities', entity FROM asserting_cluster JOIN assertion USING (assertion)
    WHERE founder = NEW.founder;
END;
CREATE TRIGGER link_clustered AFTER UPDATE OF founder ON entity WHEN EXISTS (SELECT 1 FROM authority_file) BEGIN
  INSERT OR IGNORE INTO dirty_queue SELECT 'unlinked entities', entity FROM entity
    WHERE entity IN (NEW.entity, NEW.founder, OLD.founder);
END;
CREATE TABLE patch (                           -- changes of quads, until store and release have them
  patch INTEGER PRIMARY KEY AUTOINCREMENT,
  added BLOB NOT NULL,
  removed BLOB NOT NULL
);
CREATE TABLE delivery (                        -- the patches that the live store and the last release have
  consumer TEXT PRIMARY KEY,
  patch INTEGER NOT NULL,
  goal INTEGER NOT NULL,                       -- the patch that it is being brought to
  quads INTEGER NOT NULL,                      -- the number of its quads
  made_by TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE remote_store (                    -- the remote stores that were given quads; their patches: delivery
  consumer TEXT PRIMARY KEY,
  state BLOB NOT NULL                          -- RemoteState as JSON
) WITHOUT ROWID;
CREATE TABLE matching (                        -- what the last finished matching has used; one row at most
  verdict_change INTEGER NOT NULL,             -- the last change of verdicts (in the register)
  ordinal INTEGER NOT NULL                     -- the greatest ordinal of all records
);
CREATE TABLE statistics (                      -- frozen statistics of blocking; one row at most
  version INTEGER NOT NULL,                    -- incremented at each recount
  made_for TEXT NOT NULL,                      -- hash of the blockers' settings
  body BLOB NOT NULL
);
