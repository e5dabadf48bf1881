"""Runs, and which inputs and settings the stored results of each stage come from."""

from __future__ import annotations

import sqlite3


class Runs:
    """The tables of runs and stages. Nothing is committed here; the catalog does that."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def begin(self, started: str) -> int:
        """The number of a new run."""
        cursor = self._connection.execute("INSERT INTO run (started) VALUES (?)", (started,))
        assert cursor.lastrowid is not None  # an INSERT that succeeded has one
        return cursor.lastrowid

    def end(self, run: int, finished: str) -> None:
        """Note that a run is complete."""
        self._connection.execute("UPDATE run SET finished = ? WHERE run = ?", (finished, run))

    def made_by(self, stage: str) -> str | None:
        """What made the complete results of a stage."""
        row = self._connection.execute("SELECT made_by FROM stage WHERE name = ?", (stage,)).fetchone()
        return row[0] if row else None

    def complete(self, stage: str, made_by: str, run: int) -> None:
        """Note that the results of a stage are complete, and what made them."""
        self._connection.execute("INSERT OR REPLACE INTO stage VALUES (?, ?, ?)", (stage, made_by, run))

    def reopen(self, stage: str) -> None:
        """Note that the results of a stage are about to change."""
        self._connection.execute("DELETE FROM stage WHERE name = ?", (stage,))
