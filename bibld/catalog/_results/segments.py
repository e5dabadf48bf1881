"""The segments of the index, the tombstones of their rows, and the last verdict that matching has used."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

import msgspec


class SegmentRow(msgspec.Struct, frozen=True):
    """A segment of the index: its number, the number of its records, and a hash of what it was made from."""

    number: int
    records: int
    made_by: str


class SegmentTable:
    """The tables of segments and tombstones. Nothing is committed here; the catalog does that."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def all(self) -> list[SegmentRow]:
        """Return all segments, the oldest first."""
        rows = self._connection.execute("SELECT segment, records, made_by FROM segment ORDER BY segment")
        return [SegmentRow(*row) for row in rows]

    def next_number(self) -> int:
        """Return a number that no segment has had."""
        row = self._connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'segment'").fetchone()
        return (row[0] if row else 0) + 1

    def add(self, segment: SegmentRow) -> None:
        """Note that a segment belongs to the catalog."""
        self._connection.execute(
            "INSERT INTO segment VALUES (?, ?, ?)", (segment.number, segment.records, segment.made_by)
        )

    def remove(self, number: int) -> None:
        """Delete a segment and its tombstones."""
        self._connection.execute("DELETE FROM tombstone WHERE segment = ?", (number,))
        self._connection.execute("DELETE FROM segment WHERE segment = ?", (number,))

    def add_tombstones(self, number: int, positions: Iterable[int]) -> None:
        """Mark rows of a segment as deleted."""
        self._connection.executemany(
            "INSERT OR IGNORE INTO tombstone VALUES (?, ?)", ((number, position) for position in positions)
        )

    def tombstones(self, number: int) -> list[int]:
        """Return the rows of a segment that are deleted, ascending."""
        rows = self._connection.execute("SELECT position FROM tombstone WHERE segment = ? ORDER BY position", (number,))
        return [position for (position,) in rows]

    def source_number(self, source: str) -> int:
        """Return the small number of a source; assign one if it has none."""
        self._connection.execute("INSERT OR IGNORE INTO source (id) VALUES (?)", (source,))
        return int(self._connection.execute("SELECT source FROM source WHERE id = ?", (source,)).fetchone()[0])

    def sources(self) -> dict[int, str]:
        """Return the sources by their small numbers."""
        return dict(self._connection.execute("SELECT source, id FROM source ORDER BY source").fetchall())

    def last_seen_verdict(self) -> int:
        """Return the number of the last change of verdicts that matching has used."""
        row = self._connection.execute("SELECT change FROM last_seen_verdict").fetchone()
        return int(row[0]) if row else 0

    def mark_verdicts_seen(self, change: int) -> None:
        """Note the last change of verdicts that matching has used."""
        self._connection.execute("DELETE FROM last_seen_verdict")
        self._connection.execute("INSERT INTO last_seen_verdict VALUES (?)", (change,))
