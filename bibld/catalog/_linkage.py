"""Edges, clusters, the statistics of blocking, and what matching remembers between runs."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

import msgspec

from bibld.catalog._records import Records
from bibld.catalog._register import Register
from bibld.catalog._schema import IS_PUBLICATION
from bibld.catalog.compression import Blobs
from bibld.model.linkage import Cluster, Edge, Pair, Score, Verdict

_ENCODER = msgspec.json.Encoder()

_PERSON = "person"
"""Decides in the verdicts that follow those of people."""


class EdgeBody(msgspec.Struct, frozen=True, omit_defaults=True):
    """The stored form of an edge: the score, the verdict about the pair, and the final one if it differs."""

    score: Score
    verdict: Verdict
    outcome: Verdict | None = None


class _BriefScore(msgspec.Struct, frozen=True):
    """A score without features and blocking keys, which are most of its bytes."""

    value: float
    scorer: str = ""


class _BriefBody(msgspec.Struct, frozen=True):
    score: _BriefScore
    verdict: Verdict
    outcome: Verdict | None = None


_BODY = msgspec.json.Decoder(EdgeBody)
_BRIEF_BODY = msgspec.json.Decoder(_BriefBody)


def read_edge(pair: Pair, body: bytes, made_by: str, is_brief: bool = False) -> Edge:
    """Return an edge from its stored form (JSON).

    ``is_brief``: without features and blocking keys, which takes less time.
    """
    if is_brief:
        brief = _BRIEF_BODY.decode(body)
        score = Score(brief.score.value, scorer=brief.score.scorer)
        return Edge(pair, score, brief.outcome or brief.verdict, made_by)
    stored = _BODY.decode(body)
    return Edge(pair, stored.score, stored.outcome or stored.verdict, made_by)


def encode_edge(edge: Edge) -> bytes:
    """Return the stored form of an edge as JSON."""
    return _ENCODER.encode(EdgeBody(edge.score, edge.verdict))


def with_outcome(body: bytes, change: Callable[[Verdict], Verdict]) -> tuple[bytes, Verdict]:
    """Return the stored form of an edge with ``change`` of its verdict as the final one, and that verdict."""
    stored = _BODY.decode(body)
    outcome = change(stored.verdict)
    return _ENCODER.encode(EdgeBody(stored.score, stored.verdict, outcome)), outcome


class StoredEdge(msgspec.Struct, frozen=True):
    """An edge between two ordinals (the smaller first) as it is stored.

    ``pair_decision`` is the decision about the pair alone, ``decision`` the final one; ``body`` is what
    :func:`encode_edge` returns.
    """

    left: int
    right: int
    score: float
    pair_decision: str
    decision: str
    body: bytes
    made_by: str


class LinkageTables:
    """The tables of edges, clusters and statistics. Nothing is committed here; the catalog does that."""

    def __init__(self, connection: sqlite3.Connection, blobs: Blobs, register: Register, records: Records) -> None:
        self._connection = connection
        self._blobs = blobs
        self._register = register
        self._records = records

    # -- edges ---------------------------------------------------------------------------------------------------------

    def put_edges(self, edges: Iterable[StoredEdge]) -> int:
        """Store edges; they replace those of the same pairs. Return their number."""
        cursor = self._connection.executemany(
            "INSERT OR REPLACE INTO edge VALUES (?, ?, ?, ?, ?, ?, ?)", map(self._edge_row, edges)
        )
        return cursor.rowcount

    def _edge_row(self, edge: StoredEdge) -> tuple[int, int, float, str, str, bytes, str]:
        body = self._blobs.compress("edge", edge.body)
        return edge.left, edge.right, edge.score, edge.pair_decision, edge.decision, body, edge.made_by

    def train_dictionary(self, samples: Sequence[StoredEdge]) -> None:
        """Train the compression of edges on samples, unless it is trained already."""
        self._blobs.train("edge", [one.body for one in samples])

    def set_final_verdict(self, left: int, right: int, changed: Callable[[Verdict], Verdict] | None) -> None:
        """Store the final verdict of an edge: ``changed`` of the verdict about the pair, or that verdict (None)."""
        row = self._connection.execute(
            "SELECT body FROM edge WHERE left_ordinal = ? AND right_ordinal = ?", (left, right)
        ).fetchone()
        stored = _BODY.decode(self._blobs.decompress(row[0]))
        outcome = changed(stored.verdict) if changed else None
        if stored.outcome == outcome:
            return
        body = self._blobs.compress("edge", _ENCODER.encode(EdgeBody(stored.score, stored.verdict, outcome)))
        decision = (outcome or stored.verdict).decision
        self._connection.execute(
            "UPDATE edge SET body = ?, decision = ? WHERE left_ordinal = ? AND right_ordinal = ?",
            (body, decision, left, right),
        )

    def drop_edges(self, ordinals: Iterable[int] | None = None) -> set[int]:
        """Delete all edges, or those of some ordinals; return the other ordinals of pairs that are the same."""
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
        """Return score and other end of the edges of an ordinal whose pairs were decided to be the same."""
        rows = self._connection.execute(
            "SELECT score, right_ordinal FROM edge WHERE left_ordinal = ? AND pair_decision = 'same' UNION ALL"
            " SELECT score, left_ordinal FROM edge WHERE right_ordinal = ? AND pair_decision = 'same'",
            (ordinal, ordinal),
        )
        return rows.fetchall()

    def review_queue(self, middle: float) -> list[tuple[int, int]]:
        """Return the pairs for review, those that score nearest to ``middle`` first, then by ordinals."""
        return self._connection.execute(
            "SELECT left_ordinal, right_ordinal FROM edge WHERE decision = 'review'"
            " ORDER BY round(abs(score - ?), 6), left_ordinal, right_ordinal",
            (middle,),
        ).fetchall()

    def most_uncertain(self, middle: float, limit: int) -> list[tuple[int, int]]:
        """Return pairs for review: of each tenth of the scores the ``limit`` pairs nearest to ``middle``, as queued.

        The tenth that contains the middle is two parts, each with this many pairs.
        """
        found: list[tuple[float, int, int]] = []
        bounds = sorted({middle, *(tenth / 10 for tenth in range(12))})
        for begin, end in pairwise(bounds):  # in the order of the index, which no query has to sort
            found += self._connection.execute(
                "SELECT round(abs(score - ?), 6), left_ordinal, right_ordinal FROM edge WHERE decision = 'review'"
                f" AND score >= ? AND score < ? ORDER BY score {'DESC' if end <= middle else 'ASC'}, 2, 3 LIMIT ?",
                (middle, begin, end, limit),
            )
        return [(left, right) for _, left, right in sorted(found)]

    def rules(self, pairs: Iterable[tuple[int, int]]) -> Iterator[tuple[Pair, float, str]]:
        """Yield the pairs that are stored, each with its score and the rule that decided before any person did."""
        for ends in pairs:
            edge = self._connection.execute(
                "SELECT score, body FROM edge WHERE left_ordinal = ? AND right_ordinal = ?", ends
            ).fetchone()
            if edge is not None:
                stored = _BRIEF_BODY.decode(self._blobs.decompress(edge[1]))
                verdict = stored.outcome if stored.outcome and stored.outcome.by != _PERSON else stored.verdict
                yield Pair.from_records(*map(self._register.record, ends)), edge[0], verdict.by

    def count_for_review(self) -> int:
        """Return the number of pairs for review."""
        count: int = self._connection.execute("SELECT count(*) FROM edge WHERE decision = 'review'").fetchone()[0]
        return count

    # -- clusters ------------------------------------------------------------------------------------------------------

    def has_clusters(self) -> bool:
        """Return whether there are clusters of two or more records."""
        return self._connection.execute("SELECT 1 FROM member LIMIT 1").fetchone() is not None

    def replace_clusters(
        self, clusters: Iterable[Sequence[int]], replaced: Iterable[int] | None = None
    ) -> list[tuple[int, int, int]]:
        """Store clusters of two or more live ordinals (ascending) in place of others; return the founders that changed.

        ``replaced`` are the ordinals whose clusters are deleted before, None for all.

        Return ordinal, former founder and new founder of all ordinals whose founder changed; a record without
        duplicates is its own founder.
        """
        self._connection.execute("CREATE TEMP TABLE old_member (ordinal INTEGER PRIMARY KEY, founder INTEGER NOT NULL)")
        if replaced is None:
            self._connection.execute("INSERT INTO old_member SELECT ordinal, founder FROM member")
            self._connection.execute("DELETE FROM member")
        else:
            for ordinal in replaced:
                self._connection.execute(
                    "INSERT INTO old_member SELECT ordinal, founder FROM member WHERE ordinal = ?", (ordinal,)
                )
                self._connection.execute("DELETE FROM member WHERE ordinal = ?", (ordinal,))
        self._connection.execute("CREATE TEMP TABLE new_member (ordinal INTEGER PRIMARY KEY, founder INTEGER NOT NULL)")
        self._connection.executemany(
            "INSERT INTO new_member VALUES (?, ?)",
            ((ordinal, members[0]) for members in clusters for ordinal in members),
        )
        self._connection.execute("INSERT INTO member SELECT ordinal, founder FROM new_member")
        changes = self._connection.execute(
            "SELECT ordinal, old_member.founder, coalesce(new_member.founder, ordinal) AS new_founder FROM old_member"
            " LEFT JOIN new_member USING (ordinal) WHERE old_member.founder <> new_founder"
            " UNION ALL"
            " SELECT ordinal, ordinal, new_member.founder FROM new_member LEFT JOIN old_member USING (ordinal)"
            " WHERE old_member.founder IS NULL AND new_member.founder <> ordinal ORDER BY 1"
        ).fetchall()
        self._connection.execute("DROP TABLE old_member")
        self._connection.execute("DROP TABLE new_member")
        return changes

    def smallest_live_member(self, ordinal: int) -> int | None:
        """Return the smallest live member of the stored cluster of a deleted ordinal; None if there is none."""
        row = self._connection.execute(
            "SELECT min(live.ordinal) FROM member AS place JOIN member AS other ON other.founder = place.founder"
            " JOIN record AS live ON live.ordinal = other.ordinal AND live.status = 'live' WHERE place.ordinal = ?",
            (ordinal,),
        ).fetchone()
        return row[0] if row else None

    def edges_among(self, ordinals: Sequence[int], is_brief: bool = False) -> list[Edge]:
        """Return the edges with both ends among these ordinals, by pair.

        ``is_brief``: without features and blocking keys, which takes less time.
        """
        wanted = set(ordinals)
        edges = [
            self._edge(row, is_brief)
            for ordinal in sorted(wanted)
            for row in self._connection.execute("SELECT * FROM edge WHERE left_ordinal = ?", (ordinal,))
            if row[1] in wanted
        ]
        return sorted(edges, key=lambda edge: edge.pair)

    def edge(self, one: int, other: int) -> Edge | None:
        """Return the edge of two ordinals; None if it is not stored."""
        row = self._connection.execute(
            "SELECT * FROM edge WHERE left_ordinal = ? AND right_ordinal = ?", (min(one, other), max(one, other))
        ).fetchone()
        return self._edge(row) if row else None

    def edges(self) -> Iterator[Edge]:
        """Yield all edges, by ordinals."""
        for row in self._connection.execute("SELECT * FROM edge ORDER BY left_ordinal, right_ordinal"):
            yield self._edge(row)

    def _edge(self, row: tuple[int, int, float, str, str, bytes, str], is_brief: bool = False) -> Edge:
        left, right, _, _, _, body, made_by = row
        pair = Pair.from_records(self._register.record(left), self._register.record(right))
        return read_edge(pair, self._blobs.decompress(body), made_by, is_brief)

    def founder(self, ordinal: int) -> int:
        """Return the founder of the cluster of a live ordinal: itself if it has no duplicates."""
        row = self._connection.execute("SELECT founder FROM member WHERE ordinal = ?", (ordinal,)).fetchone()
        return row[0] if row else ordinal

    def members(self, founder: int) -> list[int]:
        """Return the members of a founder's cluster, ascending."""
        rows = self._connection.execute("SELECT ordinal FROM member WHERE founder = ? ORDER BY ordinal", (founder,))
        return [ordinal for (ordinal,) in rows] or [founder]

    def memberships(self) -> Iterator[tuple[int, int]]:
        """Yield ordinal and founder of each record in a cluster of two or more, by ordinal."""
        yield from self._connection.execute("SELECT ordinal, founder FROM member ORDER BY ordinal")

    def cluster(self, founder: int, ordinals: Sequence[int] = ()) -> Cluster:
        """Return the cluster of a founder; ``ordinals`` are its members, if they are known."""
        members = tuple(self._register.record(ordinal) for ordinal in ordinals or self.members(founder))
        return Cluster(members[0], members)

    def founders(self, least: int = 1) -> Iterator[int]:
        """Yield the founders of all clusters with at least ``least`` members, ascending."""
        if least > 1:
            rows = self._connection.execute(
                "SELECT founder FROM member GROUP BY founder HAVING count(*) >= ? ORDER BY founder", (least,)
            )
        else:
            rows = self._connection.execute(
                "SELECT ordinal FROM record LEFT JOIN member USING (ordinal)"
                f" WHERE {IS_PUBLICATION} AND (founder IS NULL OR founder = ordinal) ORDER BY ordinal"
            )
        yield from (founder for (founder,) in rows.fetchall())

    def largest_clusters(self, count: int) -> list[int]:
        """Return the founders of the ``count`` clusters with most members, then by ordinal."""
        rows = self._connection.execute(
            "SELECT ordinal, (SELECT count(*) FROM member AS other WHERE other.founder = record.ordinal) AS size"
            " FROM record LEFT JOIN member USING (ordinal)"
            f" WHERE {IS_PUBLICATION} AND (founder IS NULL OR founder = ordinal) ORDER BY size DESC, ordinal LIMIT ?",
            (count,),
        )
        return [ordinal for ordinal, _ in rows]

    def count_clusters(self) -> tuple[int, int]:
        """Return the number of all clusters, and of those with two or more members."""
        row = self._connection.execute("SELECT count(DISTINCT founder), count(*) FROM member").fetchone()
        merged, members = row
        return self._records.count() - members + merged, merged

    # -- statistics of blocking ---------------------------------------------------------------------------------------

    def statistics(self) -> tuple[int, str, bytes] | None:
        """Return the frozen statistics of blocking: version, hash of the settings that they are for, body."""
        row = self._connection.execute("SELECT version, made_for, body FROM statistics").fetchone()
        return (row[0], row[1], row[2]) if row else None

    def put_statistics(self, version: int, made_for: str, body: bytes) -> None:
        """Replace the statistics."""
        self._connection.execute("DELETE FROM statistics")
        self._connection.execute("INSERT INTO statistics VALUES (?, ?, ?)", (version, made_for, body))


# -- what matching remembers -------------------------------------------------------------------------------------------


class IndexState(msgspec.Struct, frozen=True):
    """The index on disk: the number of its folder, how many of its rows are valid, and a hash of what made it."""

    folder: int
    rows: int
    made_by: str


class MatchingState(msgspec.Struct, frozen=True):
    """The last change of verdicts, and the greatest ordinal, that a finished matching has used."""

    verdict_change: int = 0
    ordinal: int = 0


class MatchingTables:
    """The tables of index, sources and last matching. Nothing is committed here; the catalog does that."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def index(self) -> IndexState | None:
        """Return the state of the index; None if there is none."""
        row = self._connection.execute("SELECT folder, valid_rows, made_by FROM feature_index").fetchone()
        return IndexState(*row) if row else None

    def set_index(self, state: IndexState | None) -> None:
        """Store the state of the index; None: there is none."""
        self._connection.execute("DELETE FROM feature_index")
        if state is not None:
            self._connection.execute("INSERT INTO feature_index VALUES (?, ?, ?)", msgspec.structs.astuple(state))

    def source_number(self, source: str) -> int:
        """Return the small number of a source; assign one if it has none."""
        self._connection.execute("INSERT OR IGNORE INTO source (id) VALUES (?)", (source,))
        return int(self._connection.execute("SELECT source FROM source WHERE id = ?", (source,)).fetchone()[0])

    def sources(self) -> dict[int, str]:
        """Return the sources by their small numbers."""
        return dict(self._connection.execute("SELECT source, id FROM source ORDER BY source").fetchall())

    def state(self) -> MatchingState:
        """Return what the last finished matching has used."""
        row = self._connection.execute("SELECT verdict_change, ordinal FROM matching").fetchone()
        return MatchingState(*row) if row else MatchingState()

    def set_state(self, state: MatchingState) -> None:
        """Store what a finished matching has used."""
        self._connection.execute("DELETE FROM matching")
        self._connection.execute("INSERT INTO matching VALUES (?, ?)", msgspec.structs.astuple(state))
