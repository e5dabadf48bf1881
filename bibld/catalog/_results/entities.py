"""Agents, concepts, places, publishers and series: what clusters assert about each, and the quads made of that."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from bibld.catalog._records.compression import Blobs


class Entities:
    """The tables of entities, assertions and asserting clusters. Nothing is committed here; the catalog does that.

    An entity has a number in the catalog, which is given up with it; nothing published depends on the number.
    """

    def __init__(self, connection: sqlite3.Connection, blobs: Blobs) -> None:
        self._connection = connection
        self._blobs = blobs

    def replace_assertions(self, founder: int, assertions: Iterable[tuple[str, bytes, int]]) -> set[int]:
        """Store the assertions of a cluster (IRI of the entity, body, votes) instead of its former ones.

        Return the entities about which the cluster asserts something else than before, or with other votes. A vote is a
        record that prefers a form of the name; it counts once among all assertions with that form.
        """
        wanted: dict[int, dict[bytes, int]] = defaultdict(dict)
        for iri, body, votes in assertions:
            row = self._connection.execute("SELECT entity FROM entity WHERE iri = ?", (iri,)).fetchone()
            if row is None:
                row = self._connection.execute(
                    "INSERT INTO entity (iri) VALUES (?) RETURNING entity", (iri,)
                ).fetchone()
            wanted[row[0]][body] = votes
        stored: dict[int, dict[bytes, int]] = defaultdict(dict)
        rows = self._connection.execute(
            "SELECT entity, body, asserting_cluster.votes FROM asserting_cluster JOIN assertion USING (assertion)"
            " WHERE founder = ?",
            (founder,),
        )
        for entity, body, votes in rows:
            stored[entity][body] = votes
        changed = {entity for entity in wanted.keys() | stored.keys() if wanted.get(entity) != stored.get(entity)}
        for entity in sorted(changed):
            for body, votes in stored.get(entity, {}).items():
                (assertion,) = self._connection.execute(
                    "UPDATE assertion SET clusters = clusters - 1, votes = votes - ? WHERE entity = ? AND body = ?"
                    " RETURNING assertion",
                    (votes, entity, body),
                ).fetchone()
                self._connection.execute(
                    "DELETE FROM asserting_cluster WHERE founder = ? AND assertion = ?", (founder, assertion)
                )
            for body, votes in sorted(wanted.get(entity, {}).items()):
                (assertion,) = self._connection.execute(
                    "INSERT INTO assertion (entity, body, clusters, votes) VALUES (?, ?, 1, ?)"
                    " ON CONFLICT (entity, body) DO UPDATE"
                    " SET clusters = clusters + 1, votes = votes + excluded.votes RETURNING assertion",
                    (entity, body, votes),
                ).fetchone()
                self._connection.execute("INSERT INTO asserting_cluster VALUES (?, ?, ?)", (founder, assertion, votes))
            self._connection.execute("DELETE FROM assertion WHERE entity = ? AND clusters = 0", (entity,))
        return changed

    def assertions(self, entity: int) -> list[tuple[bytes, int]]:
        """Return the body and the votes of each assertion about an entity, in no order."""
        return self._connection.execute("SELECT body, votes FROM assertion WHERE entity = ?", (entity,)).fetchall()

    def asserting_clusters(self, iri: str) -> list[int]:
        """Return the founders of the clusters that assert something about an entity, ascending."""
        rows = self._connection.execute(
            "SELECT DISTINCT founder FROM asserting_cluster JOIN assertion USING (assertion)"
            " JOIN entity USING (entity) WHERE iri = ? ORDER BY founder",
            (iri,),
        )
        return [founder for (founder,) in rows]

    def iri(self, entity: int) -> str | None:
        """Return the IRI of an entity; None if it does not exist any more."""
        row = self._connection.execute("SELECT iri FROM entity WHERE entity = ?", (entity,)).fetchone()
        return row[0] if row else None

    def quads(self, entity: int) -> bytes:
        """Return the stored quads of an entity as N-Quads; empty if it has not been described yet."""
        row = self._connection.execute("SELECT quads FROM entity WHERE entity = ?", (entity,)).fetchone()
        return self._blobs.decompress(row[0]) if row and row[0] is not None else b""

    def all_quads(self) -> Iterator[bytes]:
        """Yield the quads of each entity, in the order of the IRIs."""
        for (quads,) in self._connection.execute("SELECT quads FROM entity WHERE quads IS NOT NULL ORDER BY iri"):
            yield self._blobs.decompress(quads)

    def numbers(self) -> Iterator[int]:
        """Yield the number of every entity."""
        for (entity,) in self._connection.execute("SELECT entity FROM entity ORDER BY entity"):
            yield entity

    def train_dictionary(self, samples: Sequence[bytes]) -> None:
        """Train the compression of quads of entities on samples, unless it is trained already."""
        self._blobs.train("entity", samples)

    def put(self, entity: int, quads: bytes) -> None:
        """Store the quads of an entity."""
        blob = self._blobs.compress("entity", quads)
        self._connection.execute("UPDATE entity SET quads = ? WHERE entity = ?", (blob, entity))

    def drop(self, entity: int) -> None:
        """Delete an entity about which no cluster asserts anything."""
        self._connection.execute("DELETE FROM entity WHERE entity = ?", (entity,))

    def count(self) -> int:
        """Return the number of entities."""
        return int(self._connection.execute("SELECT count(*) FROM entity").fetchone()[0])
