"""Agents, concepts, places, publishers and series: what records claim about each, and the quads that come of it."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from bibld.catalog._records.compression import Blobs


class Entities:
    """The tables of entities, voices and claimants. Nothing is committed here; the catalog does that.

    An entity has a number in the catalog, which comes and goes with it, and nothing that is published depends on.
    """

    def __init__(self, connection: sqlite3.Connection, blobs: Blobs) -> None:
        self._connection = connection
        self._blobs = blobs

    def replace_assertions(self, founder: int, claims: Iterable[tuple[str, bytes, int]]) -> set[int]:
        """Store the claims of a cluster (IRI of the entity, what is claimed, votes) instead of those before; gives the
        entities about which it claims something else than it did, or with other votes.

        A vote is a record that prefers a form of the name; it counts once among all claims of that form.
        """
        wanted: dict[int, dict[bytes, int]] = defaultdict(dict)
        for iri, body, votes in claims:
            wanted[self._number(iri)][body] = votes
        held: dict[int, dict[bytes, int]] = defaultdict(dict)
        rows = self._connection.execute(
            "SELECT entity, body, claimant.votes FROM claimant JOIN voice USING (voice) WHERE founder = ?", (founder,)
        )
        for entity, body, votes in rows:
            held[entity][body] = votes
        changed = {entity for entity in wanted.keys() | held.keys() if wanted.get(entity) != held.get(entity)}
        for entity in sorted(changed):
            for body, votes in held.get(entity, {}).items():
                self._withdraw(founder, entity, body, votes)
            for body, votes in sorted(wanted.get(entity, {}).items()):
                claim(self._connection, founder, entity, body, votes)
            self._connection.execute("DELETE FROM voice WHERE entity = ? AND clusters = 0", (entity,))
        return changed

    def _withdraw(self, founder: int, entity: int, body: bytes, votes: int) -> None:
        (voice,) = self._connection.execute(
            "UPDATE voice SET clusters = clusters - 1, votes = votes - ? WHERE entity = ? AND body = ? RETURNING voice",
            (votes, entity, body),
        ).fetchone()
        self._connection.execute("DELETE FROM claimant WHERE founder = ? AND voice = ?", (founder, voice))

    def _number(self, iri: str) -> int:
        row = self._connection.execute("SELECT entity FROM entity WHERE iri = ?", (iri,)).fetchone()
        if row is None:
            row = self._connection.execute("INSERT INTO entity (iri) VALUES (?) RETURNING entity", (iri,)).fetchone()
        return int(row[0])

    def assertions(self, entity: int) -> list[tuple[bytes, int]]:
        """All that is claimed about an entity, each once and in no order, with the votes for it."""
        return self._connection.execute("SELECT body, votes FROM voice WHERE entity = ?", (entity,)).fetchall()

    def asserting_clusters(self, iri: str) -> list[int]:
        """The founders of the clusters that claim an entity, ascending."""
        rows = self._connection.execute(
            "SELECT DISTINCT founder FROM claimant JOIN voice USING (voice) JOIN entity USING (entity) WHERE iri = ?"
            " ORDER BY founder",
            (iri,),
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

    def all_quads(self) -> Iterator[bytes]:
        """The quads of each entity, in the order of the IRIs."""
        for (quads,) in self._connection.execute("SELECT quads FROM entity WHERE quads IS NOT NULL ORDER BY iri"):
            yield self._blobs.decompressed(quads)

    def numbers(self) -> Iterator[int]:
        """Every entity."""
        for (entity,) in self._connection.execute("SELECT entity FROM entity ORDER BY entity"):
            yield entity

    def train_dictionary(self, samples: Sequence[bytes]) -> None:
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


def claim(connection: sqlite3.Connection, founder: int, entity: int, body: bytes, votes: int) -> None:
    """Store one claim of a cluster, which has none like it."""
    (voice,) = connection.execute(
        "INSERT INTO voice (entity, body, clusters, votes) VALUES (?, ?, 1, ?) ON CONFLICT (entity, body)"
        " DO UPDATE SET clusters = clusters + 1, votes = votes + excluded.votes RETURNING voice",
        (entity, body, votes),
    ).fetchone()
    connection.execute("INSERT INTO claimant VALUES (?, ?, ?)", (founder, voice, votes))
