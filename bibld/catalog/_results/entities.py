"""Agents, concepts, places, publishers and series: what records claim about each, and the quads that come of it."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from bibld.catalog._records.compression import Blobs


class Entities:
    """The tables of entities and claims. Nothing is committed here; the catalog does that.

    An entity has a number in the catalog, which comes and goes with it, and nothing that is published depends on.
    """

    def __init__(self, connection: sqlite3.Connection, blobs: Blobs) -> None:
        self._connection = connection
        self._blobs = blobs

    def replace_claims(self, founder: int, claims: Iterable[tuple[str, bytes]]) -> set[int]:
        """Store the claims of a cluster (IRI of the entity, body) instead of those before; gives the entities about
        which it claims something else than it did."""
        wanted: dict[int, set[bytes]] = defaultdict(set)
        for iri, body in claims:
            wanted[self._number(iri)].add(body)
        held: dict[int, set[bytes]] = defaultdict(set)
        rows = self._connection.execute(
            "SELECT rowid, entity, body FROM claim WHERE founder = ?", (founder,)
        ).fetchall()
        for _, entity, body in rows:
            held[entity].add(body)
        changed = {entity for entity in wanted.keys() | held.keys() if wanted.get(entity) != held.get(entity)}
        self._connection.executemany(
            "DELETE FROM claim WHERE rowid = ?", ((row,) for row, entity, _ in rows if entity in changed)
        )
        self._connection.executemany(
            "INSERT INTO claim VALUES (?, ?, ?)",
            (
                (entity, founder, body)
                for entity, bodies in wanted.items()
                if entity in changed
                for body in sorted(bodies)
            ),
        )
        return changed

    def _number(self, iri: str) -> int:
        row = self._connection.execute("SELECT entity FROM entity WHERE iri = ?", (iri,)).fetchone()
        if row is None:
            row = self._connection.execute("INSERT INTO entity (iri) VALUES (?) RETURNING entity", (iri,)).fetchone()
        return int(row[0])

    def claims(self, entity: int) -> list[bytes]:
        """The bodies of all claims about an entity, in no order."""
        return [body for (body,) in self._connection.execute("SELECT body FROM claim WHERE entity = ?", (entity,))]

    def claims_of(self, iri: str) -> list[int]:
        """The founders of the clusters that claim an entity, ascending."""
        rows = self._connection.execute(
            "SELECT DISTINCT founder FROM claim JOIN entity USING (entity) WHERE iri = ? ORDER BY founder", (iri,)
        )
        return [founder for (founder,) in rows]

    def iri(self, entity: int) -> str | None:
        """The IRI of an entity; None for one that is no more."""
        row = self._connection.execute("SELECT iri FROM entity WHERE entity = ?", (entity,)).fetchone()
        return row[0] if row else None

    def quads(self, entity: int) -> bytes:
        """The stored quads of an entity as N-Quads; none for one that has not been described yet."""
        row = self._connection.execute("SELECT quads FROM entity WHERE entity = ?", (entity,)).fetchone()
        return self._blobs.decompressed(row[0]) if row and row[0] is not None else b""

    def every(self) -> Iterator[bytes]:
        """The quads of each entity, in the order of the IRIs."""
        for (quads,) in self._connection.execute("SELECT quads FROM entity WHERE quads IS NOT NULL ORDER BY iri"):
            yield self._blobs.decompressed(quads)

    def numbers(self) -> Iterator[int]:
        """Every entity."""
        for (entity,) in self._connection.execute("SELECT entity FROM entity ORDER BY entity"):
            yield entity

    def learn(self, samples: Sequence[bytes]) -> None:
        """Learn from the quads of some entities how to keep those of all others small."""
        self._blobs.learn("entity", samples)

    def put(self, entity: int, quads: bytes) -> None:
        """Store the quads of an entity."""
        blob = self._blobs.compressed("entity", quads)
        self._connection.execute("UPDATE entity SET quads = ? WHERE entity = ?", (blob, entity))

    def drop(self, entity: int) -> None:
        """Forget an entity that no record claims anything about."""
        self._connection.execute("DELETE FROM entity WHERE entity = ?", (entity,))

    def count(self) -> int:
        """The number of entities."""
        return int(self._connection.execute("SELECT count(*) FROM entity").fetchone()[0])
