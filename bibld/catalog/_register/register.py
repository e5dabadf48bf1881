"""The register: which record has which ordinal, what people said, who answers for the deleted. Keep a backup of it."""

from __future__ import annotations

import sqlite3
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import count

from bibld.model.linkage import Pair, Verdict
from bibld.model.origin import RecordId

_ASKED_AT_ONCE = 500
"""Control numbers in one question to the database, which takes 32,766 at most."""


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

    def assign_ordinal(self, record: RecordId) -> int:
        """The ordinal of a record, a new one where it was never seen."""
        known = self.ordinal(record)
        if known is not None:
            return known
        cursor = self._connection.execute(
            "INSERT INTO ordinal (source, control_number) VALUES (?, ?)", (record.source, record.control_number)
        )
        assert cursor.lastrowid is not None  # an INSERT that succeeded has one
        return cursor.lastrowid

    def assign_ordinals(self, records: Sequence[RecordId]) -> list[int]:
        """The ordinals of records, new ones, in the order of the records, for those that were never seen."""
        known = self._known(records)
        missing = [record for record in dict.fromkeys(records) if record not in known]
        if missing:
            # The number of the last row that there ever was: what AUTOINCREMENT would count on from.
            last = self._connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'ordinal'").fetchone()
            new = dict(zip(missing, count(last[0] + 1 if last else 1)))
            self._connection.executemany(
                "INSERT INTO ordinal VALUES (?, ?, ?)",
                ((ordinal, record.source, record.control_number) for record, ordinal in new.items()),
            )
            known |= new
        return [known[record] for record in records]

    def _known(self, records: Iterable[RecordId]) -> dict[RecordId, int]:
        """The ordinals of those of some records that were seen before."""
        by_source: dict[str, list[str]] = {}
        for record in records:
            by_source.setdefault(record.source, []).append(record.control_number)
        known: dict[RecordId, int] = {}
        for source, numbers in by_source.items():
            for start in range(0, len(numbers), _ASKED_AT_ONCE):
                some = numbers[start : start + _ASKED_AT_ONCE]
                rows = self._connection.execute(
                    "SELECT control_number, ordinal FROM ordinal WHERE source = ? AND control_number IN"
                    f" ({','.join('?' * len(some))})",
                    (source, *some),
                )
                known.update((RecordId(source, number), ordinal) for number, ordinal in rows)
        return known

    def record(self, ordinal: int) -> RecordId:
        """The record that has this ordinal; raises ``KeyError``."""
        row = self._connection.execute(
            "SELECT source, control_number FROM ordinal WHERE ordinal = ?", (ordinal,)
        ).fetchone()
        if row is None:
            raise KeyError(ordinal)
        return RecordId(*row)

    def find_by_control_number(self, control_number: str) -> list[RecordId]:
        """All records of any source with this control number."""
        rows = self._connection.execute(
            "SELECT source, control_number FROM ordinal WHERE control_number = ? ORDER BY ordinal", (control_number,)
        )
        return [RecordId(*row) for row in rows]

    def resolve_record(self, text: str) -> RecordId:
        """The record that a person means: ``source:control number``, or a control number that is unique.

        Raises ``ValueError`` with a sentence that says what is wrong. Whether the record lives is not asked.
        """
        name = text.strip()
        try:
            record = RecordId.parse(name)
            if self.ordinal(record) is not None:
                return record
        except ValueError:
            pass  # not in that form: it may be a bare control number
        found = self.find_by_control_number(unicodedata.normalize("NFC", name))
        if len(found) > 1:
            raise ValueError(f"{name!r} is the control number of {', '.join(map(str, found))}; name the source too")
        if not found:
            raise ValueError(f"there is no record {name!r} in the catalog; an id looks like rsl:01003120729")
        return found[0]

    # -- what people said --------------------------------------------------------------------------------------------

    def verdicts(self) -> dict[Pair, Verdict]:
        """What people said about two records, in the order of the pairs; what was said last of a pair holds."""
        rows = self._connection.execute(
            "SELECT one.source, one.control_number, two.source, two.control_number, decision, person, reason, relation"
            " FROM verdict JOIN ordinal AS one ON one.ordinal = left_ordinal"
            " JOIN ordinal AS two ON two.ordinal = right_ordinal"
            " WHERE verdict IN (SELECT max(verdict) FROM verdict GROUP BY left_ordinal, right_ordinal)"
        )
        found = {
            Pair.from_records(RecordId(*row[:2]), RecordId(*row[2:4])): Verdict(
                row[4], row[5], (row[6],) if row[6] else (), row[7]
            )
            for row in rows.fetchall()
        }
        return dict(sorted(found.items()))

    def changed_verdicts(self, change: int) -> tuple[int, list[tuple[int, int]]]:
        """The number of the last change of verdicts, and the pairs of ordinals (the smaller first) that changed after
        ``change``, which is such a number from before, or 0."""
        last = self._connection.execute("SELECT coalesce(max(change), 0) FROM verdict_change").fetchone()[0]
        rows = self._connection.execute(
            "SELECT DISTINCT left_ordinal, right_ordinal FROM verdict_change WHERE change > ? AND change <= ?"
            " ORDER BY left_ordinal, right_ordinal",
            (change, last),
        )
        return last, rows.fetchall()

    # -- the deleted -------------------------------------------------------------------------------------------------

    def redirect_target(self, ordinal: int) -> int | None:
        """Who answers for a deleted record."""
        row = self._connection.execute("SELECT heir FROM heir WHERE ordinal = ?", (ordinal,)).fetchone()
        return row[0] if row else None

    def has_redirect(self, ordinal: int) -> bool:
        """Whether it is known who answers for a record (an heir, or nobody): it is deleted, or was."""
        row = self._connection.execute("SELECT 1 FROM heir WHERE ordinal = ?", (ordinal,)).fetchone()
        return row is not None

    def set_redirects(self, heirs: Iterable[tuple[int, int | None]]) -> None:
        """Note for each deleted ordinal the ordinal of its heir."""
        self._connection.executemany("INSERT OR REPLACE INTO heir VALUES (?, ?)", heirs)

    def redirected_records(self) -> list[int]:
        """The ordinals of all records that have an heir, or have none and said so."""
        return [ordinal for (ordinal,) in self._connection.execute("SELECT ordinal FROM heir ORDER BY ordinal")]

    def clear_redirects(self, ordinals: Iterable[int]) -> None:
        """Forget the heirs of records that live again."""
        self._connection.executemany("DELETE FROM heir WHERE ordinal = ?", ((ordinal,) for ordinal in ordinals))
