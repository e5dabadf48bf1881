"""The history of the IRI of each record: when it appeared, was merged into another, deleted or restored."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter
from typing import Literal

import msgspec

from bibld.catalog._register import Register
from bibld.model.origin import RecordId

EventKind = Literal["appeared", "absorbed", "returned", "deleted", "restored"]

_SENTENCES = {
    "appeared": "appeared",
    "absorbed": "was merged into {other}",
    "returned": "was separated from {other}",
    "deleted": "was deleted",
    "restored": "was restored",
}


class Event(msgspec.Struct, frozen=True):
    """What happened to a record, and in the run of which time (ISO 8601).

    ``other`` is the founder of the cluster that absorbed it, or that it left.
    """

    run_time: str
    kind: EventKind
    other: RecordId | None = None

    def __str__(self) -> str:
        return f"{self.run_time} {_SENTENCES[self.kind].format(other=self.other or 'another record')}"


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

    def events(self, ordinal: int) -> list[Event]:
        """Return the history of one record, the oldest event first."""
        rows = self._connection.execute(
            "SELECT run_time, kind, source, control_number FROM event LEFT JOIN ordinal ON ordinal.ordinal = other"
            " WHERE event.ordinal = ? ORDER BY event",
            (ordinal,),
        )
        return [
            Event(run_time, kind, None if source is None else RecordId(source, number))
            for run_time, kind, source, number in rows
        ]
