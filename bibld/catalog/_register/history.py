"""What became of the IRI of each record: when it appeared, who absorbed it, when it came back or was deleted."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from itertools import groupby
from operator import itemgetter
from typing import Literal

import msgspec

from bibld.catalog._register.register import Register
from bibld.model.origin import RecordId

EventKind = Literal["appeared", "absorbed", "returned", "deleted", "restored"]

_SENTENCES = {
    "appeared": "appeared",
    "absorbed": "was merged into {other}",
    "returned": "left {other} and answers for itself again",
    "deleted": "was deleted",
    "restored": "was there again",
}


class Event(msgspec.Struct, frozen=True):
    """What happened to a record, and when (the clock of the run, ISO 8601).

    ``other`` is the founder that it was absorbed by, or that it left.
    """

    happened: str
    what: EventKind
    other: RecordId | None = None

    def __str__(self) -> str:
        return f"{self.happened} {_SENTENCES[self.what].format(other=self.other or 'another record')}"


class History:
    """The table of events. Nothing is committed here; the catalog does that."""

    def __init__(self, connection: sqlite3.Connection, register: Register) -> None:
        self._connection = connection
        self._register = register

    def record_events(self, events: Iterable[tuple[int, str, EventKind, int | None]]) -> int:
        """Note events: ordinal, when it happened, what, and the ordinal of the other; gives the number of new ones.

        The register is committed before the catalog, so a run that was stopped between the two tells the same again.
        What a record's history ends with already is therefore not told twice.
        """
        told = 0
        for ordinal, group in groupby(sorted(events, key=itemgetter(0)), key=itemgetter(0)):
            news = list(group)
            if self._last(ordinal, len(news)) != [(what, other) for _, _, what, other in news]:
                self._connection.executemany(
                    "INSERT INTO event (ordinal, happened, what, other) VALUES (?, ?, ?, ?)", news
                )
                told += len(news)
        return told

    def events(self, ordinal: int) -> list[Event]:
        """The history of one record, the oldest event first."""
        rows = self._connection.execute(
            "SELECT happened, what, source, control_number FROM event LEFT JOIN ordinal ON ordinal.ordinal = other"
            " WHERE event.ordinal = ? ORDER BY event",
            (ordinal,),
        )
        return [
            Event(happened, what, None if source is None else RecordId(source, number))
            for happened, what, source, number in rows
        ]

    def _last(self, ordinal: int, count: int) -> list[tuple[str, int | None]]:
        rows = self._connection.execute(
            "SELECT what, other FROM event WHERE ordinal = ? ORDER BY event DESC LIMIT ?", (ordinal, count)
        ).fetchall()
        return rows[::-1]
