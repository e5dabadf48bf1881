"""What matching remembers between runs: which folder is the index, and which verdicts and records it has seen."""

from __future__ import annotations

import sqlite3

import msgspec


class IndexState(msgspec.Struct, frozen=True):
    """The index on disk: the number of its folder, how many of its rows are valid, and a hash of what made it."""

    folder: int
    rows: int
    made_by: str


class MatchingState(msgspec.Struct, frozen=True):
    """The last change of verdicts, and the greatest ordinal, that a finished matching has used."""

    verdict_change: int = 0
    ordinal: int = 0


class Matching:
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
