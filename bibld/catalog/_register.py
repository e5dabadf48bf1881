"""The register: which record has which ordinal, and who answers for the deleted. It cannot be recomputed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from bibld.model.linkage import Pair, Verdict
from bibld.model.origin import RecordId


class Register:
    """Ordinals by record and records by ordinal; ordinals are given in the order in which records are first seen."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def ordinal(self, record: RecordId) -> int | None:
        """The ordinal of a record that was seen before."""
        row = self._connection.execute(
            "SELECT ordinal FROM ordinal WHERE source = ? AND control_number = ?",
            (record.source, record.control_number),
        ).fetchone()
        return row[0] if row else None

    def given(self, record: RecordId) -> int:
        """The ordinal of a record, a new one where it was never seen."""
        known = self.ordinal(record)
        if known is not None:
            return known
        cursor = self._connection.execute(
            "INSERT INTO ordinal (source, control_number) VALUES (?, ?)", (record.source, record.control_number)
        )
        assert cursor.lastrowid is not None  # an INSERT that succeeded has one
        return cursor.lastrowid

    def record(self, ordinal: int) -> RecordId:
        """The record that has this ordinal; raises ``KeyError``."""
        row = self._connection.execute(
            "SELECT source, control_number FROM ordinal WHERE ordinal = ?", (ordinal,)
        ).fetchone()
        if row is None:
            raise KeyError(ordinal)
        return RecordId(*row)

    def named(self, control_number: str) -> list[RecordId]:
        """All records of any source with this control number."""
        rows = self._connection.execute(
            "SELECT source, control_number FROM ordinal WHERE control_number = ? ORDER BY ordinal", (control_number,)
        )
        return [RecordId(*row) for row in rows]

    def verdicts(self) -> dict[Pair, Verdict]:
        """What people said about two records, in the order of the pairs."""
        rows = self._connection.execute("SELECT left_ordinal, right_ordinal, decision, person, reason FROM verdict")
        found = {
            Pair.of(self.record(left), self.record(right)): Verdict(decision, person, (reason,) if reason else ())
            for left, right, decision, person, reason in rows.fetchall()
        }
        return dict(sorted(found.items()))

    def heir(self, ordinal: int) -> int | None:
        """Who answers for a deleted record."""
        row = self._connection.execute("SELECT heir FROM heir WHERE ordinal = ?", (ordinal,)).fetchone()
        return row[0] if row else None

    def bequeath(self, heirs: Iterable[tuple[int, int | None]]) -> None:
        """Note for each deleted ordinal the ordinal of its heir."""
        self._connection.executemany("INSERT OR REPLACE INTO heir VALUES (?, ?)", heirs)

    def testators(self) -> list[int]:
        """The ordinals of all records that have an heir, or have none and said so."""
        return [ordinal for (ordinal,) in self._connection.execute("SELECT ordinal FROM heir ORDER BY ordinal")]

    def disinherit(self, ordinals: Iterable[int]) -> None:
        """Forget the heirs of records that live again."""
        self._connection.executemany("DELETE FROM heir WHERE ordinal = ?", ((ordinal,) for ordinal in ordinals))
