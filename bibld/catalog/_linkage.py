"""Edges, clusters, merged descriptions and what is said about them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from bibld.catalog._compression import Blobs
from bibld.catalog._records import Records
from bibld.catalog._register import Register
from bibld.model.linkage import Cluster, Edge, Merged, Pair, Score, ValueSource, Verdict
from bibld.model.mods import Mods
from bibld.model.origin import RecordId

_ENCODER = msgspec.json.Encoder()
_MODS = msgspec.json.Decoder(Mods)
_SOUGHT = msgspec.json.Decoder(list[tuple[RecordId, bool]])
_SOURCES = msgspec.json.Decoder(tuple[ValueSource, ...])


class EdgeBody(msgspec.Struct, frozen=True, omit_defaults=True):
    """What an edge's row keeps as JSON."""

    score: Score
    verdict: Verdict


_BODY = msgspec.json.Decoder(EdgeBody)


class Linkage:
    """The tables from edges to statements. Nothing is committed here; the catalog does that."""

    def __init__(self, connection: sqlite3.Connection, blobs: Blobs, register: Register, records: Records) -> None:
        self._connection = connection
        self._blobs = blobs
        self._register = register
        self._records = records

    # -- edges and clusters ------------------------------------------------------------------------------------------

    def replace_edges(self, edges: Iterable[Edge]) -> int:
        """Store these edges instead of all others; gives their number."""
        self._connection.execute("DELETE FROM edge")
        cursor = self._connection.executemany("INSERT INTO edge VALUES (?, ?, ?, ?, ?, ?)", map(self._edge_row, edges))
        return cursor.rowcount

    def _edge_row(self, edge: Edge) -> tuple[int, int, float, str, bytes, str]:
        left, right = (self._register.given(record) for record in (edge.pair.left, edge.pair.right))
        body = _ENCODER.encode(EdgeBody(edge.score, edge.verdict))
        low, high = min(left, right), max(left, right)
        return low, high, edge.score.value, edge.verdict.decision, body, edge.made_by

    def replace_clusters(self, clusters: Iterable[Sequence[int]]) -> None:
        """Store these clusters of two and more living ordinals (ascending) instead of all others.

        A record that died since leaves its heir in the register: the smallest living member of the cluster it was in.
        """
        self._register.bequeath(self._heirs())
        self._register.disinherit(filter(self._records.is_living, self._register.testators()))
        self._connection.execute("DELETE FROM member")
        self._connection.executemany(
            "INSERT INTO member VALUES (?, ?)", ((ordinal, members[0]) for members in clusters for ordinal in members)
        )

    def _heirs(self) -> list[tuple[int, int | None]]:
        return self._connection.execute(
            "SELECT dead.ordinal, min(alive.ordinal) FROM record AS dead"
            " JOIN member AS place ON place.ordinal = dead.ordinal"
            " LEFT JOIN member AS other ON other.founder = place.founder"
            " LEFT JOIN record AS alive ON alive.ordinal = other.ordinal AND alive.deleted = 0"
            " WHERE dead.deleted <> 0 GROUP BY dead.ordinal"
        ).fetchall()

    def edges_among(self, ordinals: Sequence[int]) -> list[Edge]:
        """The edges with both ends among these ordinals, by pair."""
        held = set(ordinals)
        edges = [
            self._edge(row)
            for ordinal in sorted(held)
            for row in self._connection.execute("SELECT * FROM edge WHERE left_ordinal = ?", (ordinal,))
            if row[1] in held
        ]
        return sorted(edges, key=lambda edge: edge.pair)

    def edge(self, one: int, other: int) -> Edge | None:
        """The edge of two ordinals."""
        row = self._connection.execute(
            "SELECT * FROM edge WHERE left_ordinal = ? AND right_ordinal = ?", (min(one, other), max(one, other))
        ).fetchone()
        return self._edge(row) if row else None

    def edges(self) -> Iterator[Edge]:
        """All edges, by ordinals."""
        for row in self._connection.execute("SELECT * FROM edge ORDER BY left_ordinal, right_ordinal"):
            yield self._edge(row)

    def _edge(self, row: tuple[int, int, float, str, bytes, str]) -> Edge:
        left, right, _, _, body, made_by = row
        held = _BODY.decode(body)
        pair = Pair.of(self._register.record(left), self._register.record(right))
        return Edge(pair, held.score, held.verdict, made_by)

    def founder(self, ordinal: int) -> int:
        """The founder of the cluster that a living ordinal is in: itself where it has no duplicates."""
        row = self._connection.execute("SELECT founder FROM member WHERE ordinal = ?", (ordinal,)).fetchone()
        return row[0] if row else ordinal

    def members(self, founder: int) -> list[int]:
        """The members of a founder's cluster, ascending."""
        rows = self._connection.execute("SELECT ordinal FROM member WHERE founder = ? ORDER BY ordinal", (founder,))
        return [ordinal for (ordinal,) in rows] or [founder]

    def cluster(self, founder: int) -> Cluster:
        """A founder's cluster."""
        members = tuple(self._register.record(ordinal) for ordinal in self.members(founder))
        return Cluster(members[0], members)

    def founders(self, least: int = 1) -> Iterator[int]:
        """The founders of all clusters with at least so many members, ascending."""
        if least > 1:
            rows = self._connection.execute(
                "SELECT founder FROM member GROUP BY founder HAVING count(*) >= ? ORDER BY founder", (least,)
            )
        else:
            rows = self._connection.execute(
                "SELECT ordinal FROM record LEFT JOIN member USING (ordinal)"
                " WHERE deleted = 0 AND (founder IS NULL OR founder = ordinal) ORDER BY ordinal"
            )
        yield from (founder for (founder,) in rows.fetchall())

    def largest(self, count: int) -> list[int]:
        """The founders of the clusters of most members, then the smallest ordinals."""
        rows = self._connection.execute(
            "SELECT ordinal, (SELECT count(*) FROM member AS other WHERE other.founder = record.ordinal) AS size"
            " FROM record LEFT JOIN member USING (ordinal)"
            " WHERE deleted = 0 AND (founder IS NULL OR founder = ordinal) ORDER BY size DESC, ordinal LIMIT ?",
            (count,),
        )
        return [ordinal for ordinal, _ in rows]

    def count_clusters(self) -> tuple[int, int]:
        """The number of all clusters, and of those with two members and more."""
        merged = self._connection.execute("SELECT count(DISTINCT founder), count(*) FROM member").fetchone()
        return self._records.count() - merged[1] + merged[0], merged[0]

    # -- statistics of blocking ---------------------------------------------------------------------------------------

    def statistics(self) -> tuple[int, str, bytes] | None:
        """The frozen statistics of blocking: version, hash of the settings they were made for, body."""
        row = self._connection.execute("SELECT version, made_for, body FROM statistics").fetchone()
        return (row[0], row[1], row[2]) if row else None

    def put_statistics(self, version: int, made_for: str, body: bytes) -> None:
        """Store statistics instead of those before."""
        self._connection.execute("DELETE FROM statistics")
        self._connection.execute("INSERT INTO statistics VALUES (?, ?, ?)", (version, made_for, body))

    # -- merged descriptions -----------------------------------------------------------------------------------------

    def merged_made_by(self, founder: int) -> str | None:
        """What made the stored description of a cluster of two and more."""
        row = self._connection.execute("SELECT made_by FROM merged WHERE founder = ?", (founder,)).fetchone()
        return row[0] if row else None

    def put_merged(self, founder: int, merged: Merged, made_by: str) -> None:
        """Store the description of a cluster of two and more."""
        self._connection.execute(
            "INSERT OR REPLACE INTO merged VALUES (?, ?, ?, ?)",
            (
                founder,
                self._blobs.compressed("mods", _ENCODER.encode(merged.mods)),
                self._blobs.compressed("sources", _ENCODER.encode(merged.sources)),
                made_by,
            ),
        )

    def drop_stale_merged(self) -> None:
        """Forget descriptions of clusters that are no more."""
        self._connection.execute("DELETE FROM merged WHERE founder NOT IN (SELECT founder FROM member)")

    def merged(self, founder: int) -> Merged:
        """The description of a cluster; that of a single record is the record's own, with no sources to tell apart."""
        cluster = self.cluster(founder)
        row = self._connection.execute("SELECT mods, sources FROM merged WHERE founder = ?", (founder,)).fetchone()
        if row is None:
            return Merged(cluster, self._records.mods(founder), ())
        mods, sources = (self._blobs.decompressed(blob) for blob in row)
        return Merged(cluster, _MODS.decode(mods), _SOURCES.decode(sources))

    # -- statements --------------------------------------------------------------------------------------------------

    def statements_made_by(self, founder: int) -> tuple[str, list[tuple[RecordId, bool]]] | None:
        """What made the stored statements of a cluster, and which records were sought for them: did they exist?"""
        row = self._connection.execute("SELECT made_by, sought FROM statement WHERE founder = ?", (founder,)).fetchone()
        return (row[0], _SOUGHT.decode(row[1])) if row else None

    def put_statements(
        self,
        founder: int,
        quads: Sequence[str],
        claims: Iterable[tuple[str, bytes]],
        sought: Sequence[tuple[RecordId, bool]],
        made_by: str,
    ) -> None:
        """Store a cluster's quads, its claims as pairs of entity and JSON, and which records were sought."""
        blob = self._blobs.compressed("quads", "".join(quads).encode())
        self._connection.execute(
            "INSERT OR REPLACE INTO statement VALUES (?, ?, ?, ?)", (founder, blob, _ENCODER.encode(sought), made_by)
        )
        self._connection.execute("DELETE FROM claim WHERE founder = ?", (founder,))
        self._connection.executemany(
            "INSERT INTO claim VALUES (?, ?, ?)", [(entity, founder, body) for entity, body in claims]
        )

    def drop_stale_statements(self) -> None:
        """Forget what was said about clusters that are no more."""
        stale = (
            "SELECT founder FROM statement WHERE founder IN (SELECT ordinal FROM member WHERE founder <> ordinal)"
            " OR founder IN (SELECT ordinal FROM record WHERE deleted <> 0)"
        )
        self._connection.execute(f"DELETE FROM claim WHERE founder IN ({stale})")
        self._connection.execute(f"DELETE FROM statement WHERE founder IN ({stale})")

    def statements(self) -> Iterator[bytes]:
        """The quads of every cluster as N-Quads, by founder."""
        for (quads,) in self._connection.execute("SELECT quads FROM statement ORDER BY founder"):
            yield self._blobs.decompressed(quads)

    def claims(self) -> Iterator[tuple[str, list[bytes]]]:
        """Every entity, in the order of IRIs, with all claims about it."""
        entity, held = "", list[bytes]()
        for found, body in self._connection.execute("SELECT entity, body FROM claim ORDER BY entity, founder, rowid"):
            if found != entity and held:
                yield entity, held
                held = []
            entity = found
            held.append(body)
        if held:
            yield entity, held

    def count_entities(self) -> int:
        """The number of entities."""
        return int(self._connection.execute("SELECT count(DISTINCT entity) FROM claim").fetchone()[0])
