"""Who is offered which pair: waiting pairs in their order, each leased to one person for some minutes."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Protocol

import msgspec

from bibld.errors import ConfigError, StageError
from bibld.model.linkage import Pair
from bibld.model.origin import RecordId
from bibld.serve._language import message

LEASE_SECONDS = 600.0
"""A pair that is not answered in this time is offered to others too."""

_SKIP_SECONDS = 86_400.0
_LIST_SECONDS = 20.0
"""The list of waiting pairs is read again after this time."""

_NOBODY = ""
"""Holds a decided pair until every process has read its list again, so that none offers it once more."""

_BUSY_SECONDS = 10.0
_TABLES = """
CREATE TABLE IF NOT EXISTS lease (pair TEXT PRIMARY KEY, person TEXT NOT NULL, until REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS skipped (
  person TEXT NOT NULL, pair TEXT NOT NULL, until REAL NOT NULL, PRIMARY KEY (person, pair)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS answer (
  number INTEGER PRIMARY KEY AUTOINCREMENT, person TEXT NOT NULL, pair TEXT NOT NULL, verdict TEXT NOT NULL
);
"""


class Desk(Protocol):
    """Reads the pairs that wait for a person, and stores verdicts, as ``bibld review`` does."""

    @property
    def leases_file(self) -> Path:
        """Where it is stored who is offered which pair."""

    def waiting(self) -> Sequence[Pair]:
        """Return the pairs that nobody has decided, the most uncertain first."""

    def decide(self, pair: Pair, decision: str, relation: str, reason: str, person: str) -> str:
        """Store a verdict; return a text that identifies it, empty if the same one is in force already.

        Raises ``ConfigError``, and ``StageError`` if it cannot be written now.
        """

    def withdraw(self, pair: Pair, verdict: str) -> bool:
        """Withdraw a verdict that ``decide`` returned; False if it is no longer the one in force.

        Raises ``StageError`` if that cannot be written now.
        """


class Progress(msgspec.Struct, frozen=True):
    """How many pairs wait, how many a person has answered, and the number of the last answer (0: there is none)."""

    waiting: int
    answered: int
    last: int = 0


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

    @contextmanager
    def _transaction(self, begin: str = "BEGIN IMMEDIATE") -> Iterator[sqlite3.Connection]:
        """Commit all writes inside, or none; raises ``StageError``, for example if others write for too long."""
        try:
            with closing(self._open()) as connection:
                connection.execute(begin)
                yield connection
                connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise StageError(f"{self._file}: cannot be used: {error}; try again in a moment") from error

    def _waiting(self) -> tuple[Pair, ...]:
        now = time.monotonic()
        if now - self._read_at > _LIST_SECONDS:
            self._pairs = tuple(self._desk.waiting())
            self._read_at = now  # when reading began: later verdicts are not in the list
        return self._pairs

    def offer(self, person: str, preferred: Pair | None = None) -> Pair | None:
        """Return the pair that a person answers next, and lease it; None if none is left for this person.

        ``preferred`` is offered first if this person holds it. Raises ``StageError``.
        """
        waiting = self._waiting()
        now = time.time()
        with self._transaction() as connection:
            connection.execute("DELETE FROM lease WHERE until < ?", (now,))
            connection.execute("DELETE FROM skipped WHERE until < ?", (now,))
            holders = dict(connection.execute("SELECT pair, person FROM lease").fetchall())
            skipped = {pair for (pair,) in connection.execute("SELECT pair FROM skipped WHERE person = ?", (person,))}
            open_to = [pair for pair in waiting if to_text(pair) not in skipped]
            own = [pair for pair in open_to if holders.get(to_text(pair)) == person]
            free = (pair for pair in open_to if to_text(pair) not in holders)
            chosen = preferred if preferred in own else next(iter(own), None) or next(free, None)
            if chosen is not None:
                row = (to_text(chosen), person, now + LEASE_SECONDS)
                connection.execute("INSERT OR REPLACE INTO lease VALUES (?, ?, ?)", row)
        return chosen

    def skip(self, person: str, pair: Pair) -> None:
        """Offer a pair that this person holds to others; to this person again tomorrow. Raises ``StageError``."""
        row_of_person = (to_text(pair), person)
        with self._transaction() as connection:
            if connection.execute("DELETE FROM lease WHERE pair = ? AND person = ?", row_of_person).rowcount:
                row = (person, to_text(pair), time.time() + _SKIP_SECONDS)
                connection.execute("INSERT OR REPLACE INTO skipped VALUES (?, ?, ?)", row)

    def answer(self, person: str, pair: Pair, decision: str, relation: str, reason: str) -> None:
        """Store a verdict about a pair that this person holds; raises ``ConfigError`` and ``StageError``."""
        name = to_text(pair)
        with self._transaction() as connection:
            # extended first: nobody else gets the pair between this check and the verdict
            extended = (time.time() + LEASE_SECONDS, name, person)
            if not connection.execute("UPDATE lease SET until = ? WHERE pair = ? AND person = ?", extended).rowcount:
                raise ConfigError([message("This pair is no longer offered to you; here is the next one.")])
        verdict = self._desk.decide(pair, decision, relation, reason, person)
        self._pairs = tuple(each for each in self._pairs if each != pair)
        with self._transaction() as connection:
            row = (name, _NOBODY, time.time() + 2 * _LIST_SECONDS)
            connection.execute("INSERT OR REPLACE INTO lease VALUES (?, ?, ?)", row)
            if verdict:
                given = (person, name, verdict)
                connection.execute("INSERT INTO answer (person, pair, verdict) VALUES (?, ?, ?)", given)

    def undo(self, person: str, number: int) -> Pair | None:
        """Withdraw an answer of a person, by its number, and offer the pair again; None if there is no such answer.

        Raises ``ConfigError`` if another verdict is in force, and forgets the answer; raises ``StageError`` if the
        verdict cannot be withdrawn now.
        """
        with self._transaction() as connection:
            taken = connection.execute(
                "DELETE FROM answer WHERE number = ? AND person = ? RETURNING pair, verdict", (number, person)
            ).fetchall()
            if not taken:
                return None
            ((name, verdict),) = taken
            pair = from_text(name)
            is_withdrawn = self._desk.withdraw(pair, verdict)
            if is_withdrawn:
                lease = (name, person, time.time() + LEASE_SECONDS)
                connection.execute("INSERT OR REPLACE INTO lease VALUES (?, ?, ?)", lease)
        if not is_withdrawn:
            raise ConfigError(
                [message("Your verdict is no longer in force: it was withdrawn, or there is a later one.")]
            )
        self._read_at = float("-inf")
        return pair

    def progress(self, person: str) -> Progress:
        """Return how much is left, and how much a person has done; raises ``StageError``."""
        with self._transaction("BEGIN") as connection:
            answered, last = connection.execute(
                "SELECT count(*), coalesce(max(number), 0) FROM answer WHERE person = ?", (person,)
            ).fetchone()
        return Progress(len(self._waiting()), int(answered), int(last))


def to_text(pair: Pair) -> str:
    """Write a pair as text for forms and tables."""
    return f"{pair.left}\n{pair.right}"


def from_text(text: str) -> Pair:
    """Read what :func:`to_text` wrote; raises ``ValueError``."""
    left, _, right = text.replace("\r\n", "\n").partition("\n")
    return Pair.from_records(RecordId.parse(left), RecordId.parse(right))
