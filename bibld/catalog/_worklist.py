"""What worklists are made of: the findings of each record, and the clusters and pairs of a source."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter

_OF_SOURCE = "SELECT ordinal FROM record JOIN carrier USING (carrier) WHERE source = :source AND status = 'live'"


class WorklistTables:
    """The table of findings, and queries for worklists. Nothing is committed here; the catalog does that."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def replace_findings(self, stored: Iterable[int], new: Iterable[tuple[int, bytes]]) -> None:
        """Delete the findings of the ``stored`` records, and store new ones; empty bytes are none."""
        self._connection.executemany("DELETE FROM format_finding WHERE ordinal = ?", ((ordinal,) for ordinal in stored))
        self._connection.executemany(
            "INSERT OR REPLACE INTO format_finding VALUES (?, ?)", (row for row in new if row[1])
        )

    def findings(self, source: str) -> Iterator[tuple[int, str, bytes]]:
        """Yield ordinal, flavour and findings of the live records of a source that have some, by ordinal."""
        yield from self._connection.execute(
            "SELECT ordinal, flavour, format_finding.body FROM format_finding JOIN record USING (ordinal)"
            f" WHERE ordinal IN ({_OF_SOURCE}) ORDER BY ordinal",
            {"source": source},
        )

    def clusters(self, source: str) -> Iterator[tuple[int, list[tuple[int, str, str]]]]:
        """Yield the clusters of two and more with a record of a source: founder, and its members by ordinal.

        Of each member the ordinal, the source and the flavour are given.
        """
        rows = self._connection.execute(
            "SELECT founder, ordinal, source, flavour FROM member JOIN record USING (ordinal) JOIN carrier USING"
            f" (carrier) WHERE founder IN (SELECT founder FROM member WHERE ordinal IN ({_OF_SOURCE}))"
            " ORDER BY founder, ordinal",
            {"source": source},
        )
        for founder, members in groupby(rows, key=itemgetter(0)):
            yield founder, [(ordinal, of_source, flavour) for _, ordinal, of_source, flavour in members]

    def pairs_for_review(self, source: str) -> Iterator[tuple[int, int]]:
        """Yield the pairs for review with a record of a source, by ordinals."""
        yield from self._connection.execute(
            "SELECT left_ordinal, right_ordinal FROM edge WHERE decision = 'review'"
            f" AND (left_ordinal IN ({_OF_SOURCE}) OR right_ordinal IN ({_OF_SOURCE})) ORDER BY 1, 2",
            {"source": source},
        )

    def linked_records(self, source: str) -> Iterator[tuple[str, int]]:
        """Yield the IRIs of entities with an accepted link, each with the records of a source whose clusters name it.

        They are ordered by IRI and ordinal.
        """
        yield from self._connection.execute(
            "WITH own AS (SELECT ordinal, coalesce(member.founder, ordinal) AS founder FROM record"
            " JOIN carrier USING (carrier) LEFT JOIN member USING (ordinal) WHERE source = ? AND status = 'live'),"
            " linked AS (SELECT DISTINCT entity.iri, entity.entity FROM link JOIN entity ON entity.iri = link.entity"
            " WHERE link.status = 'accepted'),"
            " named AS (SELECT iri, entity FROM linked UNION"
            " SELECT linked.iri, entity.entity FROM linked JOIN entity ON entity.founder = linked.entity)"
            " SELECT DISTINCT named.iri, own.ordinal FROM named JOIN assertion USING (entity)"
            " JOIN asserting_cluster USING (assertion) JOIN own ON own.founder = asserting_cluster.founder"
            " ORDER BY 1, 2",
            (source,),
        )

    def flavour(self, ordinal: int) -> str:
        """Return the flavour of a stored record."""
        row = self._connection.execute("SELECT flavour FROM record WHERE ordinal = ?", (ordinal,)).fetchone()
        return str(row[0])

    def last_run(self) -> int:
        """Return the number of the last finished run; 0 before the first."""
        row = self._connection.execute("SELECT max(run) FROM run WHERE finished IS NOT NULL").fetchone()
        return row[0] or 0
