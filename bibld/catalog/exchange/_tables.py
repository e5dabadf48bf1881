"""The tables that another engine reads and writes: their columns, and the queries that give their rows.

Bodies are uncompressed, records have their control numbers and the names of their subfields, entities and assertions
their IRIs: nothing depends on the dictionaries and small numbers of one ``catalog.db``. What only serves one machine
(queues, index, patches, deliveries) is in no table.
"""

from __future__ import annotations

import sqlite3
from functools import partial
from typing import Any

import msgspec


class ExchangeTable(msgspec.Struct, frozen=True):
    """A table: its name in the database, its columns with their types, and the query for its rows in a stable order.

    The query takes two numbers, and gives the rows whose keys are between them.

    ``key`` is the query for the greatest key; tables without one are small, and the query gives all rows. The columns
    ``compressed`` are stored as zstd frames of a kind of blobs. ``is_of_register``: the rows are in ``register.db``.
    """

    name: str
    columns: dict[str, str]
    query: str
    key: str = ""
    compressed: dict[str, str] = {}
    is_of_register: bool = False


def columns_of(text: str) -> dict[str, str]:
    """Return the types of columns by name, from their names with types: ``ordinal:long source``; others are texts."""
    return {name: kind or "text" for name, _, kind in (column.partition(":") for column in text.split())}


def _keyed_table(
    name: str, columns: str, compressed: dict[str, str] | None = None, is_of_register: bool = False
) -> ExchangeTable:
    """Return a table whose first column is the key."""
    names = columns_of(columns)
    key, *_ = names
    return ExchangeTable(
        name,
        names,
        f"SELECT {', '.join(names)} FROM {name} WHERE {key} BETWEEN ? AND ? ORDER BY {', '.join(list(names)[:2])}",
        f"SELECT max({key}) FROM {name}",
        compressed or {},
        is_of_register,
    )


_register_table = partial(_keyed_table, is_of_register=True)


def _small_table(name: str, columns: str, order: str) -> ExchangeTable:
    names = columns_of(columns)
    return ExchangeTable(name, names, f"SELECT {', '.join(names)} FROM {name} ORDER BY {order}")


RECORDS = "records"
MATCHING = "matching"
"""What the last complete matching has used, and the hash of what its results were made from; one row at most."""

TABLES: dict[str, ExchangeTable] = {
    "register_ordinal": _register_table("ordinal", "ordinal:long source control_number"),
    "register_redirect": _register_table("redirect", "ordinal:long target:long"),
    "register_verdict": _register_table(
        "verdict", "verdict:long left_ordinal:long right_ordinal:long decision relation person reason given_at"
    ),
    "register_verdict_change": _register_table("verdict_change", "change:long left_ordinal:long right_ordinal:long"),
    "register_entity_verdict": _register_table(
        "entity_verdict", "verdict:long left_path right_path decision person reason given_at"
    ),
    "register_entity_verdict_change": _register_table("entity_verdict_change", "change:long left_path right_path"),
    "register_link_verdict": _register_table(
        "link_verdict", "verdict:long entity target decision person reason given_at"
    ),
    "register_suppression": _register_table("suppression", "ordinal:long value reason"),
    "register_event": _register_table("event", "event:long ordinal:long run_time kind other:long"),
    "carriers": _keyed_table("carrier", "carrier:long source file reader state:bytes"),
    RECORDS: ExchangeTable(
        "record",
        columns_of(
            "ordinal:long source control_number carrier:long position:long byte_offset:long flavour made_by:bytes"
            " run:long status mods:bytes original:bytes unmapped:texts private:texts warnings:texts findings:bytes"
        ),
        "SELECT ordinal, source, carrier, position, byte_offset, flavour, made_by, run, status, coverage, body FROM"
        " record JOIN carrier USING (carrier) WHERE ordinal BETWEEN ? AND ? ORDER BY ordinal",
        "SELECT max(ordinal) FROM record",
    ),
    "rejects": ExchangeTable(
        "reject",
        columns_of("source file position:long byte_offset:long control_number kind reason original:bytes"),
        "SELECT source, file, position, byte_offset, control_number, kind, reason, original FROM reject WHERE reject"
        " BETWEEN ? AND ? ORDER BY reject",
        "SELECT max(reject) FROM reject",
        {"original": "record"},
    ),
    "loads": _small_table(
        "load", "source run:long read:long converted:long superseded:long rejected:long deleted:long", "source"
    ),
    "active_suppression": _keyed_table("active_suppression", "ordinal:long value"),
    "matching_sources": _small_table("source", "source:long id", "source"),
    "statistics": _small_table("statistics", "version:long made_for body:bytes", "version"),
    MATCHING: ExchangeTable(
        "matching",
        columns_of("verdict_change:long ordinal:long made_by"),
        "SELECT verdict_change, ordinal, made_by FROM matching JOIN stage ON name = 'dedup'",
    ),
    "edges": _keyed_table(
        "edge",
        "left_ordinal:long right_ordinal:long score:real pair_decision decision body:bytes made_by",
        {"body": "edge"},
    ),
    "members": _keyed_table("member", "ordinal:long founder:long"),
    "merged": _keyed_table(
        "merged", "founder:long mods:bytes sources:bytes made_by", {"mods": "record", "sources": "sources"}
    ),
    "statements": _keyed_table("statement", "founder:long quads:bytes made_by moved", {"quads": "quads"}),
    "existence_dependencies": ExchangeTable(
        "existence_dependency",
        columns_of("source control_number founder:long existed:flag"),
        "SELECT source, control_number, founder, existed FROM existence_dependency WHERE founder BETWEEN ? AND ?"
        " ORDER BY founder, source, control_number",
        "SELECT max(founder) FROM existence_dependency",
    ),
    "assertions": ExchangeTable(
        "asserting_cluster",
        columns_of("founder:long entity body:bytes votes:long"),
        "SELECT asserting_cluster.founder, iri, body, asserting_cluster.votes FROM asserting_cluster JOIN assertion"
        " USING (assertion) JOIN entity USING (entity) WHERE asserting_cluster.founder BETWEEN ? AND ? ORDER BY 1,"
        " 2, 3",
        "SELECT max(founder) FROM asserting_cluster",
    ),
    "entities": ExchangeTable(
        "entity",
        columns_of("iri founder quads:bytes moved"),
        "SELECT entity.iri, coalesce(other.iri, entity.iri), entity.quads, entity.moved FROM entity LEFT JOIN entity"
        " AS other ON other.entity = entity.founder WHERE entity.entity BETWEEN ? AND ? ORDER BY entity.entity",
        "SELECT max(entity) FROM entity",
        {"quads": "entity"},
    ),
    "authority_files": _small_table(
        "authority_file", "name path digest template linked_at records:long threshold:real review:real", "name"
    ),
    "links": _small_table(
        "link",
        "entity link_set target predicate confidence:real evidence status label heading file quad",
        "entity, link_set, target",
    ),
    "link_sets": _small_table("link_set", "name quads", "name"),
}
"""The tables by name, in the order in which they can be restored."""

VERDICTS_OF_PAIRS = ("register_verdict", "register_verdict_change")
"""Tables of verdicts about two records, whose ordinals are the second and third column."""

_VERDICTS = (
    *VERDICTS_OF_PAIRS,
    *("register_entity_verdict", "register_entity_verdict_change", "register_link_verdict"),
)


def read_verdicts(register: sqlite3.Connection) -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows of all tables of verdicts.

    Those about two records have source and control number of each in place of its ordinal: ordinals differ if both
    engines gave some.
    """
    found = {}
    for table in _VERDICTS:
        number, *others = TABLES[table].columns
        columns, joined = others, ""
        if table in VERDICTS_OF_PAIRS:
            columns = ["one.source", "one.control_number", "two.source", "two.control_number", *others[2:]]
            joined = (
                " JOIN ordinal AS one ON one.ordinal = left_ordinal JOIN ordinal AS two ON two.ordinal = right_ordinal"
            )
        query = f"SELECT {', '.join((number, *columns))} FROM {TABLES[table].name}{joined} ORDER BY 1"
        found[table] = register.execute(query).fetchall()
    return found
