"""The register: ordinals of records, verdicts of people, redirects, histories of IRIs. Keep a backup of it."""

from __future__ import annotations

import sqlite3
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import count, groupby
from operator import itemgetter
from typing import Any, Literal

from bibld.model.linkage import Pair, Verdict
from bibld.model.origin import RecordId
from bibld.parallel import batches
from bibld.protocols import RecordEvent

_PARAMETERS = 500
"""Control numbers in one query; SQLite takes 32,766 at most."""


class Register:
    """Ordinals by record and records by ordinal; ordinals are given in the order in which records are first seen."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def ordinal(self, record: RecordId) -> int | None:
        """Return the ordinal of a record; None if it was never seen."""
        row = self._connection.execute(
            "SELECT ordinal FROM ordinal WHERE source = ? AND control_number = ?",
            (record.source, record.control_number),
        ).fetchone()
        return row[0] if row else None

    def assign_ordinal(self, record: RecordId) -> int:
        """Return the ordinal of a record; assign the next one if it was never seen."""
        known = self.ordinal(record)
        if known is not None:
            return known
        cursor = self._connection.execute(
            "INSERT INTO ordinal (source, control_number) VALUES (?, ?)", (record.source, record.control_number)
        )
        assert cursor.lastrowid is not None  # an INSERT that succeeded has one
        return cursor.lastrowid

    def assign_ordinals(self, records: Sequence[RecordId]) -> list[int]:
        """Return the ordinals of records; assign new ones, in the order of the records, to those never seen."""
        known = self._ordinals(records)
        missing = [record for record in dict.fromkeys(records) if record not in known]
        if missing:
            # The largest number that any row ever had, from which AUTOINCREMENT counts on.
            last = self._connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'ordinal'").fetchone()
            new = dict(zip(missing, count(last[0] + 1 if last else 1)))
            self._connection.executemany(
                "INSERT INTO ordinal VALUES (?, ?, ?)",
                ((ordinal, record.source, record.control_number) for record, ordinal in new.items()),
            )
            known |= new
        return [known[record] for record in records]

    def _ordinals(self, records: Iterable[RecordId]) -> dict[RecordId, int]:
        """Return the ordinals of those of some records that were seen before."""
        by_source: dict[str, list[str]] = {}
        for record in records:
            by_source.setdefault(record.source, []).append(record.control_number)
        known: dict[RecordId, int] = {}
        for source, numbers in by_source.items():
            for batch in batches(numbers, _PARAMETERS):
                rows = self._connection.execute(
                    "SELECT control_number, ordinal FROM ordinal WHERE source = ? AND control_number IN"
                    f" ({','.join('?' * len(batch))})",
                    (source, *batch),
                )
                known.update((RecordId(source, number), ordinal) for number, ordinal in rows)
        return known

    def record(self, ordinal: int) -> RecordId:
        """Return the record that has this ordinal; raises ``KeyError``."""
        row = self._connection.execute(
            "SELECT source, control_number FROM ordinal WHERE ordinal = ?", (ordinal,)
        ).fetchone()
        if row is None:
            raise KeyError(ordinal)
        return RecordId(*row)

    def find_by_control_number(self, control_number: str) -> list[RecordId]:
        """Return all records, of any source, with this control number."""
        rows = self._connection.execute(
            "SELECT source, control_number FROM ordinal WHERE control_number = ? ORDER BY ordinal", (control_number,)
        )
        return [RecordId(*row) for row in rows]

    def resolve_record(self, text: str) -> RecordId:
        """Return the record that a text names: ``source:control number``, or a control number that is unique.

        The record may be deleted. Raises ``ValueError`` with a message for people.
        """
        name = text.strip()
        try:
            record = RecordId.parse(name)
            if self.ordinal(record) is not None:
                return record
        except ValueError:
            pass  # not in that form: it may be a control number without a source
        found = self.find_by_control_number(unicodedata.normalize("NFC", name))
        if len(found) > 1:
            raise ValueError(f"{name!r} is the control number of {', '.join(map(str, found))}; name the source too")
        if not found:
            raise ValueError(
                f"record {name!r} not found in the catalog; an id is source:control-number, such as rsl:01004039769"
            )
        return found[0]

    # -- verdicts of people ------------------------------------------------------------------------------------------

    def verdicts(self) -> dict[Pair, Verdict]:
        """Return the verdicts of people, by pair and in the order of the pairs; the last one of a pair is in force."""
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
        """Return the number of the last change of verdicts, and the pairs that changed after ``change``.

        ``change`` is an earlier such number, or 0. A pair is two ordinals, the smaller first.
        """
        return self._changed_pairs("verdict_change", "left_ordinal, right_ordinal", change)

    def _changed_pairs(self, table: str, columns: str, change: int) -> tuple[int, list[Any]]:
        last = self._connection.execute(f"SELECT coalesce(max(change), 0) FROM {table}").fetchone()[0]
        rows = self._connection.execute(
            f"SELECT DISTINCT {columns} FROM {table} WHERE change > ? AND change <= ? ORDER BY {columns}",
            (change, last),
        )
        return last, rows.fetchall()

    # -- verdicts of people about entities -----------------------------------------------------------------------------

    def entity_verdicts(self) -> dict[tuple[str, str], str]:
        """Return the decisions about entities, by the paths of their IRIs in order; see ``PersonVerdict``."""
        rows = self._connection.execute(
            "SELECT left_path, right_path, decision, max(verdict) FROM entity_verdict GROUP BY left_path, right_path"
            " ORDER BY left_path, right_path"
        )
        return {(left, right): decision for left, right, decision, _ in rows}

    def changed_entity_verdicts(self, change: int) -> tuple[int, list[tuple[str, str]]]:
        """Return the number of the last change of these verdicts, and the pairs that changed after ``change``."""
        return self._changed_pairs("entity_verdict_change", "left_path, right_path", change)

    # -- redirects ---------------------------------------------------------------------------------------------------

    def redirect_target(self, ordinal: int) -> int | None:
        """Return the ordinal that a deleted record redirects to; None if there is none."""
        row = self._connection.execute("SELECT target FROM redirect WHERE ordinal = ?", (ordinal,)).fetchone()
        return row[0] if row else None

    def has_redirect(self, ordinal: int) -> bool:
        """Return whether the redirect of a record was decided (a target, or none): it was deleted and not restored."""
        row = self._connection.execute("SELECT 1 FROM redirect WHERE ordinal = ?", (ordinal,)).fetchone()
        return row is not None

    def set_redirects(self, redirects: Iterable[tuple[int, int | None]]) -> None:
        """Store the redirect of each deleted ordinal: the ordinal of the target, None for no target."""
        self._connection.executemany("INSERT OR REPLACE INTO redirect VALUES (?, ?)", redirects)

    def redirected_records(self) -> list[int]:
        """Return the ordinals of all records whose redirect was decided, ascending."""
        return [ordinal for (ordinal,) in self._connection.execute("SELECT ordinal FROM redirect ORDER BY ordinal")]

    def clear_redirects(self, ordinals: Iterable[int]) -> None:
        """Delete the redirects of restored records."""
        self._connection.executemany("DELETE FROM redirect WHERE ordinal = ?", ((ordinal,) for ordinal in ordinals))


# -- history -----------------------------------------------------------------------------------------------------------

EventKind = Literal["appeared", "absorbed", "returned", "deleted", "restored"]


class History:
    """The table of events. Nothing is committed here; the catalog does that."""

    def __init__(self, connection: sqlite3.Connection, register: Register) -> None:
        self._connection = connection
        self._register = register

    def record_events(self, events: Iterable[tuple[int, str, EventKind, int | None]]) -> int:
        """Store events (ordinal, run time, kind, ordinal of the other); return the number of new ones.

        The register is committed before the catalog, so a run that was stopped between the two repeats its events.
        Events with which the history of a record ends already are therefore not stored twice.
        """
        count = 0
        for ordinal, group in groupby(sorted(events, key=itemgetter(0)), key=itemgetter(0)):
            new = list(group)
            last = self._connection.execute(
                "SELECT kind, other FROM event WHERE ordinal = ? ORDER BY event DESC LIMIT ?", (ordinal, len(new))
            ).fetchall()
            if last[::-1] != [(kind, other) for _, _, kind, other in new]:
                self._connection.executemany(
                    "INSERT INTO event (ordinal, run_time, kind, other) VALUES (?, ?, ?, ?)", new
                )
                count += len(new)
        return count

    def events(self, ordinal: int) -> list[RecordEvent]:
        """Return the history of one record, the oldest event first."""
        rows = self._connection.execute(
            "SELECT run_time, kind, source, control_number FROM event LEFT JOIN ordinal ON ordinal.ordinal = other"
            " WHERE event.ordinal = ? ORDER BY event",
            (ordinal,),
        )
        return [
            RecordEvent(run_time, kind, None if source is None else RecordId(source, number))
            for run_time, kind, source, number in rows
        ]
