"""What the definitions of their formats find in records: faults and links, stored with each record that has some."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator


class FindingTable:
    """The findings of records, as bytes that the worklist reads. Nothing is committed here; the catalog does that."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def replace(self, stored: Iterable[int], new: Iterable[tuple[int, bytes]]) -> None:
        """Delete the findings of the ``stored`` records, and store new ones; empty bytes are none."""
        self._connection.executemany("DELETE FROM format_finding WHERE ordinal = ?", ((ordinal,) for ordinal in stored))
        self._connection.executemany(
            "INSERT OR REPLACE INTO format_finding VALUES (?, ?)", (row for row in new if row[1])
        )

    def of_source(self, source: str) -> Iterator[tuple[int, str, bytes]]:
        """Yield ordinal, flavour and findings of the live records of a source, ordinals ascending."""
        rows = self._connection.execute(
            "SELECT ordinal, flavour, format_finding.body FROM format_finding JOIN record USING (ordinal)"
            " JOIN carrier USING (carrier) WHERE source = ? AND status = 'live' ORDER BY ordinal",
            (source,),
        )
        yield from rows
