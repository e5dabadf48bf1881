"""Verdicts of people about pairs of entities: agents, concepts, places, publishers, series."""

from __future__ import annotations

import sqlite3
from typing import Literal

import msgspec


class EntityVerdict(msgspec.Struct, frozen=True):
    """The decision of a person about two entities, by the paths of their IRIs after the base, the smaller one first."""

    left: str
    right: str
    decision: Literal["same", "different"]
    person: str
    reason: str
    given_at: str


class EntityVerdicts:
    """The table of these verdicts; the last one of a pair is in force. Nothing is committed here."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def current(self) -> list[EntityVerdict]:
        """Return the verdicts that are in force, in the order in which they were given."""
        rows = self._connection.execute(
            "SELECT left_path, right_path, decision, person, reason, given_at FROM entity_verdict WHERE verdict IN"
            " (SELECT max(verdict) FROM entity_verdict GROUP BY left_path, right_path) ORDER BY verdict"
        )
        return [EntityVerdict(*row) for row in rows]

    def get(self, left: str, right: str) -> EntityVerdict | None:
        """Return the verdict about a pair that is in force."""
        row = self._connection.execute(
            "SELECT left_path, right_path, decision, person, reason, given_at FROM entity_verdict"
            " WHERE left_path = ? AND right_path = ? ORDER BY verdict DESC LIMIT 1",
            (left, right),
        ).fetchone()
        return EntityVerdict(*row) if row else None

    def add(self, verdict: EntityVerdict) -> bool:
        """Store a verdict; return False if the same decision is in force already."""
        known = self.get(verdict.left, verdict.right)
        if known is not None and known.decision == verdict.decision:
            return False
        self._connection.execute(
            "INSERT INTO entity_verdict (left_path, right_path, decision, person, reason, given_at)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            msgspec.structs.astuple(verdict),
        )
        self._note_change(verdict.left, verdict.right)
        return True

    def withdraw(self, left: str, right: str) -> EntityVerdict | None:
        """Delete the verdict about a pair that is in force, so that the one before is again; return it."""
        known = self.get(left, right)
        if known is not None:
            self._connection.execute(
                "DELETE FROM entity_verdict WHERE verdict ="
                " (SELECT max(verdict) FROM entity_verdict WHERE left_path = ? AND right_path = ?)",
                (left, right),
            )
            self._note_change(left, right)
        return known

    def _note_change(self, left: str, right: str) -> None:
        self._connection.execute(
            "INSERT INTO entity_verdict_change (left_path, right_path) VALUES (?, ?)", (left, right)
        )
