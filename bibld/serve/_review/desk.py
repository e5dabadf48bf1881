"""Who is offered which pair: waiting pairs in their order, each leased to one person for some minutes."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Protocol

import msgspec

from bibld.model.linkage import Pair
from bibld.model.origin import RecordId

LEASE_SECONDS = 600.0
"""A pair that is not answered in this time is offered to others too."""

_SKIP_SECONDS = 86_400.0
_LIST_SECONDS = 20.0
"""The list of waiting pairs is read again after this time."""

_BUSY_SECONDS = 10.0
_TABLES = """
CREATE TABLE IF NOT EXISTS lease (pair TEXT PRIMARY KEY, person TEXT NOT NULL, until REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS skipped (
  person TEXT NOT NULL, pair TEXT NOT NULL, until REAL NOT NULL, PRIMARY KEY (person, pair)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS given (number INTEGER PRIMARY KEY, person TEXT NOT NULL, pair TEXT NOT NULL);
"""


class Desk(Protocol):
    """Reads the pairs that wait for a person, and stores verdicts, as ``bibld review`` does."""

    @property
    def leases_file(self) -> Path:
        """Where it is stored who is offered which pair."""

    def waiting(self) -> Sequence[Pair]:
        """Return the pairs that nobody has decided, the most uncertain first."""

    def decide(self, pair: Pair, decision: str, relation: str, reason: str, person: str) -> bool:
        """Store a verdict; return whether it is a new one. Raises ``ConfigError``."""

    def withdraw(self, pair: Pair) -> None:
        """Withdraw the last verdict about a pair; raises ``ConfigError`` if there is none."""


class Progress(msgspec.Struct, frozen=True):
    """How many pairs wait, and how many a person has answered."""

    waiting: int
    answered: int


class Leases:
    """Which pair is offered to whom; in a file that the processes of a server share."""

    def __init__(self, desk: Desk) -> None:
        self._file = desk.leases_file
        self._desk = desk
        self._pairs: tuple[Pair, ...] = ()
        self._read_at = float("-inf")
        with closing(self._open()) as connection:
            connection.executescript(_TABLES)

    def _open(self) -> sqlite3.Connection:
        return sqlite3.connect(self._file, timeout=_BUSY_SECONDS, isolation_level=None)

    def _waiting(self) -> tuple[Pair, ...]:
        if time.monotonic() - self._read_at > _LIST_SECONDS:
            self._pairs = tuple(self._desk.waiting())
            self._read_at = time.monotonic()
        return self._pairs

    def offer(self, person: str) -> Pair | None:
        """Return the pair that a person answers next, and lease it; None if none is left for this person."""
        now = time.time()
        with closing(self._open()) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("DELETE FROM lease WHERE until < ?", (now,))
            connection.execute("DELETE FROM skipped WHERE until < ?", (now,))
            holders = dict(connection.execute("SELECT pair, person FROM lease").fetchall())
            skipped = {pair for (pair,) in connection.execute("SELECT pair FROM skipped WHERE person = ?", (person,))}
            own = [pair for pair in self._waiting() if holders.get(to_text(pair)) == person]
            free = (pair for pair in self._waiting() if to_text(pair) not in holders and to_text(pair) not in skipped)
            chosen = next((pair for pair in own if to_text(pair) not in skipped), None) or next(free, None)
            if chosen is not None:
                row = (to_text(chosen), person, now + LEASE_SECONDS)
                connection.execute("INSERT OR REPLACE INTO lease VALUES (?, ?, ?)", row)
            connection.execute("COMMIT")
        return chosen

    def skip(self, person: str, pair: Pair) -> None:
        """Offer a pair to others; to this person again tomorrow."""
        with closing(self._open()) as connection:
            connection.execute("DELETE FROM lease WHERE pair = ? AND person = ?", (to_text(pair), person))
            row = (person, to_text(pair), time.time() + _SKIP_SECONDS)
            connection.execute("INSERT OR REPLACE INTO skipped VALUES (?, ?, ?)", row)

    def answer(self, person: str, pair: Pair, decision: str, relation: str, reason: str) -> None:
        """Store a verdict of a person; raises ``ConfigError``."""
        is_new = self._desk.decide(pair, decision, relation, reason, person)
        self._pairs = tuple(each for each in self._pairs if each != pair)
        with closing(self._open()) as connection:
            connection.execute("DELETE FROM lease WHERE pair = ?", (to_text(pair),))
            if is_new:
                connection.execute("INSERT INTO given (person, pair) VALUES (?, ?)", (person, to_text(pair)))

    def undo(self, person: str) -> Pair | None:
        """Withdraw the last verdict of a person and offer the pair again; None if there is none."""
        with closing(self._open()) as connection:
            row = connection.execute(
                "SELECT number, pair FROM given WHERE person = ? ORDER BY number DESC LIMIT 1", (person,)
            ).fetchone()
            if row is None:
                return None
            pair = from_text(row[1])
            self._desk.withdraw(pair)
            connection.execute("DELETE FROM given WHERE number = ?", (row[0],))
            lease = (row[1], person, time.time() + LEASE_SECONDS)
            connection.execute("INSERT OR REPLACE INTO lease VALUES (?, ?, ?)", lease)
        self._read_at = float("-inf")
        return pair

    def progress(self, person: str) -> Progress:
        """Return how much is left, and how much a person has done."""
        with closing(self._open()) as connection:
            (answered,) = connection.execute("SELECT count(*) FROM given WHERE person = ?", (person,)).fetchone()
        return Progress(len(self._waiting()), int(answered))


def to_text(pair: Pair) -> str:
    """Write a pair as text for forms and tables."""
    return f"{pair.left}\n{pair.right}"


def from_text(text: str) -> Pair:
    """Read what :func:`to_text` wrote; raises ``ValueError``."""
    left, _, right = text.replace("\r\n", "\n").partition("\n")
    return Pair.from_records(RecordId.parse(left), RecordId.parse(right))
