"""Edges, clusters, merged descriptions and what is said about them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from bibld.catalog._records.compression import Blobs
from bibld.catalog._records.records import Records
from bibld.catalog._register.register import Register
from bibld.model.linkage import Cluster, Edge, Pair, Score, Verdict

_ENCODER = msgspec.json.Encoder()


class EdgeBody(msgspec.Struct, frozen=True, omit_defaults=True):
    """What an edge's row keeps: the score, the judge's verdict, and the final one where it is another."""

    score: Score
    verdict: Verdict
    outcome: Verdict | None = None


_BODY = msgspec.json.Decoder(EdgeBody)


class StoredEdge(msgspec.Struct, frozen=True):
    """An edge between two ordinals (the smaller first): as it was judged, and what came of it where that differs."""

    left: int
    right: int
    edge: Edge
    outcome: Verdict | None = None


class Linkage:
    """The tables of edges, clusters and statistics. Nothing is committed here; the catalog does that."""

    def __init__(self, connection: sqlite3.Connection, blobs: Blobs, register: Register, records: Records) -> None:
        self._connection = connection
        self._blobs = blobs
        self._register = register
        self._records = records

    # -- edges ---------------------------------------------------------------------------------------------------------

    def put_edges(self, edges: Iterable[StoredEdge]) -> int:
        """Store edges, instead of those that the pairs had; gives their number."""
        cursor = self._connection.executemany(
            "INSERT OR REPLACE INTO edge VALUES (?, ?, ?, ?, ?, ?, ?)", map(self._edge_row, edges)
        )
        return cursor.rowcount

    def _edge_row(self, stored: StoredEdge) -> tuple[int, int, float, str, str, bytes, str]:
        score, verdict = stored.edge.score, stored.edge.verdict
        final = stored.outcome or verdict
        body = self._blobs.compressed("edge", _ENCODER.encode(EdgeBody(score, verdict, stored.outcome)))
        return stored.left, stored.right, score.value, verdict.decision, final.decision, body, stored.edge.made_by

    def train_dictionary(self, samples: Sequence[StoredEdge]) -> None:
        """Learn to compress edges from the first ones."""
        self._blobs.learn("edge", [_ENCODER.encode(EdgeBody(one.edge.score, one.edge.verdict)) for one in samples])

    def set_final_verdict(self, left: int, right: int, changed: Callable[[Verdict], Verdict] | None) -> None:
        """Note what came of a stored edge when all clusters are known: its verdict ``changed``, or as it was judged."""
        row = self._connection.execute(
            "SELECT body FROM edge WHERE left_ordinal = ? AND right_ordinal = ?", (left, right)
        ).fetchone()
        held = _BODY.decode(self._blobs.decompressed(row[0]))
        outcome = changed(held.verdict) if changed else None
        if held.outcome == outcome:
            return
        body = self._blobs.compressed("edge", _ENCODER.encode(EdgeBody(held.score, held.verdict, outcome)))
        decision = (outcome or held.verdict).decision
        self._connection.execute(
            "UPDATE edge SET body = ?, decision = ? WHERE left_ordinal = ? AND right_ordinal = ?",
            (body, decision, left, right),
        )

    def drop_edges(self, ordinals: Iterable[int] | None = None) -> set[int]:
        """Forget all edges, or those of some ordinals; gives the ordinals at their other ends that were the same."""
        if ordinals is None:
            self._connection.execute("DELETE FROM edge")
            return set()
        others = set[int]()
        for ordinal in ordinals:
            others.update(other for _, other in self.same_as(ordinal))
            self._connection.execute("DELETE FROM edge WHERE left_ordinal = ?", (ordinal,))
            self._connection.execute("DELETE FROM edge WHERE right_ordinal = ?", (ordinal,))
        return others

    def same_as(self, ordinal: int) -> list[tuple[float, int]]:
        """Score and other end of the edges of an ordinal that were judged the same."""
        rows = self._connection.execute(
            "SELECT score, right_ordinal FROM edge WHERE left_ordinal = ? AND judged = 'same' UNION ALL"
            " SELECT score, left_ordinal FROM edge WHERE right_ordinal = ? AND judged = 'same'",
            (ordinal, ordinal),
        )
        return rows.fetchall()

    def review_queue(self, middle: float) -> list[tuple[int, int]]:
        """The pairs up for review, those that score nearest to ``middle`` first, then by ordinals."""
        return self._connection.execute(
            "SELECT left_ordinal, right_ordinal FROM edge WHERE decision = 'review'"
            " ORDER BY round(abs(score - ?), 6), left_ordinal, right_ordinal",
            (middle,),
        ).fetchall()

    # -- clusters ------------------------------------------------------------------------------------------------------

    def has_clusters(self) -> bool:
        """Whether there are clusters of two and more."""
        return self._connection.execute("SELECT 1 FROM member LIMIT 1").fetchone() is not None

    def replace_clusters(
        self, clusters: Iterable[Sequence[int]], instead_of: Iterable[int] | None = None
    ) -> list[tuple[int, int, int]]:
        """Store clusters of two and more living ordinals (ascending) instead of all others, or of those that some
        ordinals were in. Gives ordinal, founder before and founder now of all that have another one (a record alone
        founds its own).
        """
        self._connection.execute("CREATE TEMP TABLE former (ordinal INTEGER PRIMARY KEY, founder INTEGER NOT NULL)")
        if instead_of is None:
            self._connection.execute("INSERT INTO former SELECT ordinal, founder FROM member")
            self._connection.execute("DELETE FROM member")
        else:
            for ordinal in instead_of:
                self._connection.execute(
                    "INSERT INTO former SELECT ordinal, founder FROM member WHERE ordinal = ?", (ordinal,)
                )
                self._connection.execute("DELETE FROM member WHERE ordinal = ?", (ordinal,))
        self._connection.execute("CREATE TEMP TABLE latter (ordinal INTEGER PRIMARY KEY, founder INTEGER NOT NULL)")
        self._connection.executemany(
            "INSERT INTO latter VALUES (?, ?)", ((ordinal, members[0]) for members in clusters for ordinal in members)
        )
        self._connection.execute("INSERT INTO member SELECT ordinal, founder FROM latter")
        changes = self._connection.execute(
            "SELECT ordinal, former.founder, coalesce(latter.founder, ordinal) AS now FROM former"
            " LEFT JOIN latter USING (ordinal) WHERE former.founder <> now"
            " UNION ALL SELECT ordinal, ordinal, latter.founder FROM latter LEFT JOIN former USING (ordinal)"
            " WHERE former.founder IS NULL AND latter.founder <> ordinal ORDER BY 1"
        ).fetchall()
        self._connection.execute("DROP TABLE former")
        self._connection.execute("DROP TABLE latter")
        return changes

    def smallest_live_member(self, ordinal: int) -> int | None:
        """The smallest living member of the cluster that a deleted ordinal is still counted in."""
        row = self._connection.execute(
            "SELECT min(alive.ordinal) FROM member AS place JOIN member AS other ON other.founder = place.founder"
            " JOIN record AS alive ON alive.ordinal = other.ordinal AND alive.deleted = 0 WHERE place.ordinal = ?",
            (ordinal,),
        ).fetchone()
        return row[0] if row else None

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

    def _edge(self, row: tuple[int, int, float, str, str, bytes, str]) -> Edge:
        left, right, _, _, _, body, made_by = row
        held = _BODY.decode(self._blobs.decompressed(body))
        pair = Pair.from_records(self._register.record(left), self._register.record(right))
        return Edge(pair, held.score, held.outcome or held.verdict, made_by)

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

    def largest_clusters(self, count: int) -> list[int]:
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
