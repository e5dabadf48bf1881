"""The columns of the tables, named as in the two databases of a workspace on one machine."""

from __future__ import annotations

import pyarrow as pa
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

_LONG, _REAL, _TEXT, _BYTES, _FLAG = pa.int64(), pa.float64(), pa.string(), pa.binary(), pa.bool_()
_TEXTS, _LONGS = pa.list_(pa.string()), pa.list_(pa.int64())

_VERDICT = {"decision": _TEXT, "person": _TEXT, "reason": _TEXT, "given_at": _TEXT}

_DESCRIBED = {
    "founder": _LONG,
    "quads": _BYTES,
    "made_by": _TEXT,
    "dependencies": pa.list_(pa.struct([("source", _TEXT), ("control_number", _TEXT), ("existed", _FLAG)])),
    "assertions": pa.list_(pa.struct([("entity", _TEXT), ("body", _BYTES), ("votes", _LONG)])),
}

_COLUMNS: dict[str, dict[str, pa.DataType]] = {
    # -- the register: what cannot be recomputed -----------------------------------------------------------------
    "register_ordinal": {"ordinal": _LONG, "source": _TEXT, "control_number": _TEXT},
    "register_redirect": {"ordinal": _LONG, "target": _LONG},
    "register_verdict": {
        "verdict": _LONG,
        "left_ordinal": _LONG,
        "right_ordinal": _LONG,
        "decision": _TEXT,
        "relation": _TEXT,
        "person": _TEXT,
        "reason": _TEXT,
        "given_at": _TEXT,
    },
    "register_verdict_change": {"change": _LONG, "left_ordinal": _LONG, "right_ordinal": _LONG},
    "register_entity_verdict": {"verdict": _LONG, "left_path": _TEXT, "right_path": _TEXT, **_VERDICT},
    "register_entity_verdict_change": {"change": _LONG, "left_path": _TEXT, "right_path": _TEXT},
    "register_link_verdict": {"verdict": _LONG, "entity": _TEXT, "target": _TEXT, **_VERDICT},
    "register_suppression": {"ordinal": _LONG, "value": _TEXT, "reason": _TEXT},
    "register_event": {"event": _LONG, "ordinal": _LONG, "run_time": _TEXT, "kind": _TEXT, "other": _LONG},
    # -- records -------------------------------------------------------------------------------------------------
    "records": {
        "ordinal": _LONG,
        "source": _TEXT,
        "control_number": _TEXT,
        "carrier": _LONG,
        "position": _LONG,
        "byte_offset": _LONG,
        "flavour": _TEXT,
        "made_by": _BYTES,
        "run": _LONG,
        "status": _TEXT,
        "mods": _BYTES,  # JSON, with suppressed values
        "original": _BYTES,
        "unmapped": _TEXTS,
        "private": _TEXTS,
        "warnings": _TEXTS,
    },
    "carriers": {"carrier": _LONG, "source": _TEXT, "file": _TEXT, "reader": _TEXT, "state": _BYTES},
    "rejects": {
        "source": _TEXT,
        "file": _TEXT,
        "position": _LONG,
        "byte_offset": _LONG,
        "control_number": _TEXT,
        "kind": _TEXT,
        "reason": _TEXT,
        "original": _BYTES,
    },
    "loads": {
        "source": _TEXT,
        "run": _LONG,
        "read": _LONG,
        "converted": _LONG,
        "superseded": _LONG,
        "rejected": _LONG,
        "deleted": _LONG,
    },
    # What reading made of each piece of the files; identity is the id of a record, of a reject too if it states one.
    "conversions": {
        "source": _TEXT,
        "carrier": _LONG,
        "position": _LONG,
        "byte_offset": _LONG,
        "identity": _TEXT,
        "kind": _TEXT,  # of the error, or empty
        "reason": _TEXT,
        "control_number": _TEXT,  # of a reject, as it is written
        "flavour": _TEXT,
        "made_by": _BYTES,  # null: bytes that are not a record
        "is_deleted": _FLAG,
        "mods": _BYTES,
        "original": _BYTES,
        "unmapped": _TEXTS,
        "private": _TEXTS,
        "warnings": _TEXTS,
    },
    # The files that conversions were made of: content is a hash of a file, context of what reads it.
    "inputs": {"carrier": _LONG, "content": _TEXT, "context": _TEXT},
    # The fingerprints of the files of sources whose next reading would change nothing.
    "readings": {"source": _TEXT, "fingerprint": _TEXT},
    # What a load makes of each id that is stored or was read: see _settling.
    "settled": {
        "source": _TEXT,
        "control_number": _TEXT,
        "ordinal": _LONG,
        "first_turn": _LONG,
        "first_position": _LONG,
        "carrier": _LONG,
        "position": _LONG,
        "status": _TEXT,
        "status_before": _TEXT,
        "was_seen": _FLAG,
        "deletion_carrier": _LONG,
        "deletion_position": _LONG,
        "is_missing": _FLAG,
        "is_listed": _FLAG,
        "is_new": _FLAG,
        "is_same": _FLAG,
        "is_changed": _FLAG,
        "is_restored": _FLAG,
        "converted": _LONG,
        "superseded": _LONG,
        "deleted": _LONG,
        "deletion_supersedes": _FLAG,
    },
    "active_suppression": {"ordinal": _LONG, "value": _TEXT},
    "matching_sources": {"source": _LONG, "id": _TEXT},
    # -- matching ------------------------------------------------------------------------------------------------
    "statistics": {"version": _LONG, "made_for": _TEXT, "body": _BYTES},
    "matching": {"verdict_change": _LONG, "ordinal": _LONG, "made_by": _TEXT},  # as of the last complete one
    "features": {
        "ordinal": _LONG,  # of live records
        "source": _TEXT,
        "control_number": _TEXT,
        "made": _BYTES,  # a hash of what the features are made from, and the version of the rules
        "numbers": _BYTES,  # as the index of one machine stores them
        "texts": _BYTES,
        "text": _BYTES,
    },
    "found_pairs": {
        "blocker": _LONG,
        "pairs": _BYTES,  # numbers of 64 bits
        "grown": _LONG,  # keys, since the statistics were counted
        "grown_far": _LONG,
        "cut_rows": _LONG,
    },
    "pairs": {"left_ordinal": _LONG, "right_ordinal": _LONG},
    "decided": {
        "left_ordinal": _LONG,
        "right_ordinal": _LONG,
        "score": _REAL,
        "decision": _LONG,  # of the pair alone
        "exceptions": _LONG,
        "is_same_work": _FLAG,
        "is_one_source": _FLAG,
        "person": _TEXT,  # the decision of a person
        "relation": _TEXT,
        "body": _BYTES,  # score and verdict as JSON, without a final one
    },
    "components": {"node": _LONG, "component": _LONG},
    "clustered": {"kind": _TEXT, "one": _LONG, "other": _LONG, "rule": _TEXT, "reason": _TEXT},
    "edges": {
        "left_ordinal": _LONG,
        "right_ordinal": _LONG,
        "score": _REAL,
        "pair_decision": _TEXT,
        "decision": _TEXT,
        "body": _BYTES,  # score and verdict as JSON
        "made_by": _TEXT,
    },
    "members": {"ordinal": _LONG, "founder": _LONG},  # clusters of two and more
    # -- descriptions and quads ------------------------------------------------------------------------------------
    "merged": {"founder": _LONG, "mods": _BYTES, "sources": _BYTES, "made_by": _TEXT},
    "statements": {"founder": _LONG, "quads": _BYTES, "made_by": _TEXT, "moved": _TEXT},
    "existence_dependencies": {"source": _TEXT, "control_number": _TEXT, "founder": _LONG, "existed": _FLAG},
    "assertions": {"founder": _LONG, "entity": _TEXT, "body": _BYTES, "votes": _LONG},
    "entities": {"iri": _TEXT, "founder": _TEXT, "quads": _BYTES, "moved": _TEXT},
    # -- between the stages of triplify: see ``bibld.spark._data`` ---------------------------------------------------
    "described_first": _DESCRIBED,
    "described_again": _DESCRIBED,
    "entity_assertions": {"entity": _TEXT, "body": _BYTES, "votes": _LONG},
    "entity_ties": {"left": _LONG, "right": _LONG},  # hashes of IRIs
    "entity_components": {"node": _LONG, "component": _LONG},
    "described_entities": {"iri": _TEXT, "founder": _TEXT, "quads": _BYTES, "parts": _TEXTS},
    # -- the release: see ``bibld.spark._output`` ----------------------------------------------------------------------
    "quad_changes": {"line": _BYTES, "added": _FLAG},
    "document_changes": {
        "path": _TEXT,
        "kind": _TEXT,
        "status_before": _LONG,
        "target_before": _TEXT,
        "status_after": _LONG,
        "target_after": _TEXT,
    },
    "released": {  # the release that has the quads of the run; one row at most
        "number": _LONG,
        "made_by": _TEXT,
        "tables": _TEXTS,
        "settings": _TEXT,
        "withdraws": _FLAG,  # earlier releases contain what must not be published any more
        "source_statements": _TEXTS,
        "description": _TEXTS,  # lines of the graph of the dataset
        "withdrawn": _TEXTS,  # lines about records that must not be published
    },
    # -- links to authority files ----------------------------------------------------------------------------------
    "authority_files": {
        "name": _TEXT,
        "path": _TEXT,
        "digest": _TEXT,
        "template": _TEXT,
        "linked_at": _TEXT,
        "records": _LONG,
        "threshold": _REAL,
        "review": _REAL,
    },
    "links": {
        "entity": _TEXT,
        "link_set": _TEXT,
        "target": _TEXT,
        "predicate": _TEXT,
        "confidence": _REAL,
        "evidence": _TEXT,
        "status": _TEXT,
        "label": _TEXT,
        "heading": _TEXT,
        "file": _TEXT,
        "quad": _TEXT,
    },
    "link_sets": {"name": _TEXT, "quads": _TEXT},
}

SCHEMAS: dict[str, pa.Schema] = {
    name: pa.schema([pa.field(column, kind) for column, kind in columns.items()]) for name, columns in _COLUMNS.items()
}
"""The columns of each table; all may be null for Spark, and a table's stage states which are."""


def spark_schema(name: str) -> StructType:
    """Return the columns of a table as Spark's types."""
    return from_arrow_schema(SCHEMAS[name])
