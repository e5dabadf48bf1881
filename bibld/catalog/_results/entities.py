"""Agents, concepts, places, publishers and series: what clusters assert about each, and the quads made of that."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import count

from bibld.catalog._records.compression import Blobs
from bibld.parallel import batches

_PARAMETERS = 500
"""IRIs in one query; SQLite takes 32,766 at most."""

AssertionChange = tuple[int, str, bytes, int | None, int | None]
"""What a cluster asserts otherwise: founder, IRI of the entity, body, votes before and after (None: not asserted)."""

EntityRow = tuple[bytes, int]
"""Compressed quads and number of an entity."""


class Entities:
    """The tables of entities, assertions and asserting clusters. Nothing is committed here; the catalog does that.

    An entity has a number in the catalog, which is given up with it; nothing published depends on the number.
    """

    def __init__(self, connection: sqlite3.Connection, blobs: Blobs) -> None:
        self._connection = connection
        self._blobs = blobs

    def asserted_by(self, founder: int) -> dict[tuple[str, bytes], int]:
        """Return the votes for each assertion of a cluster, by IRI of the entity and body."""
        rows = self._connection.execute(
            "SELECT iri, body, asserting_cluster.votes FROM asserting_cluster JOIN assertion USING (assertion)"
            " JOIN entity USING (entity) WHERE founder = ?",
            (founder,),
        )
        return {(iri, body): votes for iri, body, votes in rows}

    def change_assertions(self, changes: Sequence[AssertionChange]) -> list[int]:
        """Store what clusters assert otherwise than before; return the entities that it is about, ascending.

        A vote is a record that prefers a form of the name; it counts once among all assertions with that form.
        """
        if not changes:
            return []
        numbers = self._numbers(iri for _, iri, _, _, _ in changes)
        sums: dict[tuple[int, bytes], list[int]] = {}
        for _, iri, body, before, after in changes:
            total = sums.setdefault((numbers[iri], body), [0, 0])
            total[0] += (after is not None) - (before is not None)
            total[1] += (after or 0) - (before or 0)
        assertions = {key: self._add_to_assertion(*key, *total) for key, total in sorted(sums.items())}
        rows = [
            (founder, assertions[numbers[iri], body], before, after) for founder, iri, body, before, after in changes
        ]
        self._connection.executemany(
            "DELETE FROM asserting_cluster WHERE founder = ? AND assertion = ?",
            [(founder, assertion) for founder, assertion, before, _ in rows if before is not None],
        )
        self._connection.executemany(
            "INSERT INTO asserting_cluster VALUES (?, ?, ?)",
            [(founder, assertion, after) for founder, assertion, _, after in rows if after is not None],
        )
        self._connection.executemany(
            "DELETE FROM assertion WHERE assertion = ? AND clusters = 0",
            [(assertions[key],) for key, (clusters, _) in sums.items() if clusters < 0],
        )
        return sorted({entity for entity, _ in sums})

    def _numbers(self, iris: Iterable[str]) -> dict[str, int]:
        """Return the numbers of entities by IRI; new ones get the next numbers, in the order of their IRIs."""
        wanted = sorted(set(iris))
        known: dict[str, int] = {}
        for some in batches(wanted, _PARAMETERS):
            query = f"SELECT iri, entity FROM entity WHERE iri IN ({','.join('?' * len(some))})"
            known.update(self._connection.execute(query, some))
        last = self._connection.execute("SELECT coalesce(max(entity), 0) FROM entity").fetchone()[0]
        new = dict(zip((iri for iri in wanted if iri not in known), count(last + 1)))
        self._connection.executemany("INSERT INTO entity (iri, entity) VALUES (?, ?)", new.items())
        return known | new

    def _add_to_assertion(self, entity: int, body: bytes, clusters: int, votes: int) -> int:
        """Add to the numbers of clusters and votes of an assertion, which may be new; return its number."""
        row = self._connection.execute(
            "INSERT INTO assertion (entity, body, clusters, votes) VALUES (?, ?, ?, ?) ON CONFLICT (entity, body)"
            " DO UPDATE SET clusters = clusters + excluded.clusters, votes = votes + excluded.votes"
            " RETURNING assertion",
            (entity, body, clusters, votes),
        ).fetchone()
        return int(row[0])

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

    def all_quads(self, first: int = 0, last: int = sys.maxsize) -> Iterator[bytes]:
        """Yield the quads of each entity from the number ``first`` to ``last``, in the order of the IRIs."""
        rows = self._connection.execute(
            "SELECT quads FROM entity WHERE entity BETWEEN ? AND ? AND quads IS NOT NULL ORDER BY iri", (first, last)
        )
        for (quads,) in rows:
            yield self._blobs.decompress(quads)

    def numbers(self) -> Iterator[int]:
        """Yield the number of every entity."""
        for (entity,) in self._connection.execute("SELECT entity FROM entity ORDER BY entity"):
            yield entity

    def is_trained(self) -> bool:
        """Whether the compression is trained on samples."""
        return self._blobs.is_trained("entity")

    def train_dictionary(self, samples: Sequence[bytes]) -> None:
        """Train the compression of quads of entities on samples, unless it is trained already."""
        self._blobs.train("entity", samples)

    def row(self, entity: int, quads: bytes) -> EntityRow:
        """Return the row to store of the quads of an entity."""
        return self._blobs.compress("entity", quads), entity

    def put(self, rows: Iterable[EntityRow]) -> None:
        """Store the quads of entities."""
        self._connection.executemany("UPDATE entity SET quads = ? WHERE entity = ?", rows)

    def drop(self, entities: Iterable[int]) -> None:
        """Delete entities about which no cluster asserts anything."""
        self._connection.executemany("DELETE FROM entity WHERE entity = ?", ((entity,) for entity in entities))

    def count(self) -> int:
        """Return the number of entities."""
        return int(self._connection.execute("SELECT count(*) FROM entity").fetchone()[0])
