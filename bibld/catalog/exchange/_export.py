"""Read all rows of a workspace as plain values."""

from __future__ import annotations

import hashlib
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import msgspec

from bibld.catalog._queues import Queue
from bibld.catalog._record_bytes import Subfields, unpack_mods, unpack_original
from bibld.catalog.compression import Blobs
from bibld.catalog.exchange._tables import RECORDS, TABLES
from bibld.errors import CatalogError

_EMPTY_AFTER_RUN = (
    Queue.UNMATCHED_RECORDS,
    Queue.UNMERGED_CLUSTERS,
    Queue.UNDESCRIBED_CLUSTERS,
    Queue.UNDESCRIBED_ENTITIES,
)
"""Queues that are empty when all results follow from the records."""

Row = tuple[Any, ...]


class WorkspaceState(msgspec.Struct, frozen=True):
    """What a workspace is beside its rows.

    ``workspace`` is the id that register and catalog share, ``run`` the number of the last run, ``stages`` the hashes
    of what the complete results of each stage were made from. The results respect the verdicts about entities up to the
    change ``entity_verdict_change``, and those about links up to ``link_verdict``.
    """

    workspace: str
    run: int
    stages: dict[str, str]
    entity_verdict_change: int = 0
    link_verdict: int = 0


class Export:
    """Reads the tables of :data:`bibld.catalog.exchange.TABLES` from both databases of a workspace."""

    def __init__(self, register: sqlite3.Connection, connection: sqlite3.Connection, blobs: Blobs) -> None:
        self._register = register
        self._connection = connection
        self._blobs = blobs
        self._subfields = Subfields(connection)

    def state(self) -> WorkspaceState:
        """Return the state of the workspace; raises ``CatalogError`` if its last run was not completed."""
        for queue in _EMPTY_AFTER_RUN:
            if self._value("SELECT EXISTS (SELECT 1 FROM dirty_queue WHERE queue = ?)", queue):
                raise CatalogError(f"the last run was interrupted ({queue} are waiting); run `bibld run` first")
        stages = dict(
            self._connection.execute(
                "SELECT name, made_by FROM stage WHERE name NOT LIKE 'read %' ORDER BY name"  # the files are read again
            ).fetchall()
        )
        return WorkspaceState(
            workspace=str(self._value("SELECT id FROM workspace")),
            run=self._value("SELECT coalesce(max(run), 0) FROM run"),
            stages=stages,
            entity_verdict_change=self._value("SELECT coalesce(max(verdict_change), 0) FROM entity_matching"),
            link_verdict=self._value("SELECT coalesce(max(verdict), 0) FROM seen_link_verdict"),
        )

    def fingerprint(self) -> str:
        """Return a hash that changes whenever a run, a person or a link of entities has changed any row."""
        parts: list[object] = [
            connection.execute("SELECT name, seq FROM sqlite_sequence ORDER BY name").fetchall()
            for connection in (self._register, self._connection)
        ]
        for query in (
            "SELECT name, digest, threshold, review FROM authority_file ORDER BY name",
            "SELECT status, count(*) FROM link GROUP BY status ORDER BY status",
            "SELECT version, made_for FROM statistics",
            "SELECT name, made_by FROM stage ORDER BY name",
        ):
            parts.append(self._connection.execute(query).fetchall())
        return hashlib.blake2b(repr(parts).encode(), digest_size=16).hexdigest()

    def count(self, table: str) -> int:
        """Return how many rows a table has."""
        return int(self._of(table).execute(f"SELECT count(*) FROM {TABLES[table].name}").fetchone()[0])

    def portions(self, table: str, keys: int) -> list[tuple[int, int]]:
        """Return the first and last key of the portions of a table, each with that many keys at most."""
        query = TABLES[table].key
        if not query:
            return [(0, 0)]
        last = self._of(table).execute(query).fetchone()[0]
        return [(first, first + keys - 1) for first in range(0, (last or 0) + 1, keys)]

    def rows(self, table: str, first: int, last: int) -> Iterator[Row]:
        """Yield the rows of a table whose keys are from ``first`` to ``last``, in a stable order."""
        if table == RECORDS:
            return self._records(first, last)
        return self._rows(table, first, last)

    def _rows(self, table: str, first: int, last: int) -> Iterator[Row]:
        description = TABLES[table]
        positions = [list(description.columns).index(column) for column in description.compressed]
        rows = self._of(table).execute(description.query, (first, last) if description.key else ())
        if not positions:
            yield from rows
            return
        for row in rows:
            cells = list(row)
            for position in positions:
                if cells[position] is not None:
                    cells[position] = self._blobs.decompress(cells[position])
            yield tuple(cells)

    def _records(self, first: int, last: int) -> Iterator[Row]:
        keys = (first, last)
        numbers: dict[int, str] = dict(
            self._register.execute("SELECT ordinal, control_number FROM ordinal WHERE ordinal BETWEEN ? AND ?", keys)
        )
        warnings: dict[int, list[str]] = defaultdict(list)
        for ordinal, text in self._connection.execute(
            "SELECT ordinal, text FROM warning WHERE ordinal BETWEEN ? AND ? ORDER BY ordinal, rowid", keys
        ):
            warnings[ordinal].append(text)
        findings: dict[int, bytes] = dict(
            self._connection.execute("SELECT ordinal, body FROM format_finding WHERE ordinal BETWEEN ? AND ?", keys)
        )
        names = self._subfields.names()
        for row in self._connection.execute(TABLES[RECORDS].query, keys):
            ordinal, source, *position, coverage, body = row
            piece = self._blobs.decompress(body)
            subfields = self._subfields.decode(coverage, names)
            yield (
                ordinal,
                source,
                numbers[ordinal],
                *position,
                unpack_mods(piece),
                unpack_original(piece),
                [name for name, fate in subfields if fate == "unmapped"],
                [name for name, fate in subfields if fate == "private"],
                warnings.get(ordinal, []),
                findings.get(ordinal, b""),
            )

    def _of(self, table: str) -> sqlite3.Connection:
        return self._register if TABLES[table].is_of_register else self._connection

    def _value(self, query: str, *parameters: str) -> Any:  # noqa: ANN401
        return self._connection.execute(query, parameters).fetchone()[0]
