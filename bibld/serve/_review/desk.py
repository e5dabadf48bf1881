"""Who is offered which pair: waiting pairs of each kind in their order, each leased to one person for some minutes."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Protocol

import msgspec

from bibld.errors import ConfigError, StageError
from bibld.model.review import (
    EntityPair,
    EntityQuestion,
    Item,
    ItemKind,
    LinkCandidate,
    LinkQuestion,
    from_text,
    kind_of,
    to_text,
)
from bibld.protocols import SourceRecord
from bibld.serve._language import message

LEASE_SECONDS = 600.0
"""A pair that is not answered in this time is offered to others too."""

_SKIP_SECONDS = 86_400.0
_LIST_SECONDS = {ItemKind.RECORDS: 20.0, ItemKind.ENTITIES: 600.0, ItemKind.LINKS: 20.0}
"""The list of waiting pairs of a kind is read again after this time, if anything has changed.

That of entities reads all their keys.
"""

_REST = 50
"""A list is not read again before this many times the time that reading it took."""

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
CREATE TABLE IF NOT EXISTS undone (kind TEXT PRIMARY KEY, times INTEGER NOT NULL) WITHOUT ROWID;
"""


class Desk(Protocol):
    """Reads the pairs that wait for a person, and stores verdicts, as ``bibld review`` does."""

    @property
    def leases_file(self) -> Path:
        """Where it is stored who is offered which pair."""

    def version(self) -> object:
        """Return a value that is equal only as long as nothing that ``waiting`` reads has changed."""

    def waiting(self, kind: ItemKind) -> Sequence[Item]:
        """Return the pairs of a kind that nobody has decided, those to be decided first at the beginning."""

    def describe(self, item: EntityPair | LinkCandidate) -> EntityQuestion | LinkQuestion | None:
        """Return what a person needs to decide; None if this does not wait any more."""

    def would_decide(self, left: SourceRecord, right: SourceRecord, names: tuple[str, str]) -> Sequence[str]:
        """Return sentences about what would have to be known to decide; ``names`` are what they call the records."""

    def decide(self, item: Item, decision: str, relation: str, reason: str, person: str) -> str:
        """Store a verdict: same, different, or related (only for records).

        Returns a text that identifies it, empty if the same one is in force already. Raises ``ConfigError``, and
        ``StageError`` if it cannot be written now.
        """

    def withdraw(self, item: Item, verdict: str) -> bool:
        """Withdraw a verdict that ``decide`` returned; False if it is no longer the one in force.

        Raises ``StageError`` if that cannot be written now.
        """


class ReviewProgress(msgspec.Struct, frozen=True):
    """How many pairs wait, how many a person has answered, and the number of the last answer (0: there is none)."""

    waiting: int
    answered: int
    last: int = 0


class _List(msgspec.Struct):
    """The waiting pairs of a kind by their texts, in order. The other fields are from when reading them began.

    ``time`` is that of the monotonic clock, ``seconds`` how long it took; ``undone`` how often a verdict was undone.
    """

    items: dict[str, Item]
    version: object
    time: float
    seconds: float
    undone: int


class Leases:
    """Which pair is offered to whom; in a file that the processes of a server share."""

    def __init__(self, desk: Desk) -> None:
        self._file = desk.leases_file
        self._desk = desk
        self._lists: dict[ItemKind, _List] = {}
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

    def _is_outdated(self, kind: ItemKind) -> bool:
        """Whether the list of waiting pairs of a kind has to be read again; raises ``StageError``.

        It has to be after each undoing in any process: the pair waits again, and the list may have been read before.
        """
        read = self._lists.get(kind)
        if read is None or self._times_undone(kind) != read.undone:
            return True
        now = time.monotonic()
        if now - read.time <= self._seconds_of_list(kind):
            return False
        if self._desk.version() != read.version:
            return True
        read.time = now
        return False

    def _seconds_of_list(self, kind: ItemKind) -> float:
        """Return how long the list of a kind is used before it is asked whether anything has changed."""
        read = self._lists.get(kind)
        return max(_LIST_SECONDS[kind], _REST * read.seconds if read is not None else 0.0)

    def _times_undone(self, kind: ItemKind) -> int:
        with self._transaction("BEGIN") as connection:
            row = connection.execute("SELECT times FROM undone WHERE kind = ?", (kind.value,)).fetchone()
        return row[0] if row else 0

    def refresh(self, kind: ItemKind) -> None:
        """Read the list of waiting pairs of a kind again, if it is outdated; raises ``StageError``."""
        if self._is_outdated(kind):
            begun, undone, version = time.monotonic(), self._times_undone(kind), self._desk.version()
            items = {to_text(item): item for item in self._desk.waiting(kind)}
            self._lists[kind] = _List(items, version, begun, time.monotonic() - begun, undone)

    def offer(self, person: str, preferred: Item | None = None, kind: ItemKind = ItemKind.RECORDS) -> Item | None:
        """Return the pair of a kind that a person answers next, and lease it; None if none is left for this person.

        ``preferred`` is offered first if this person holds it. Raises ``StageError``.
        """
        self.refresh(kind)
        waiting = self._lists[kind].items
        now = time.time()
        with self._transaction() as connection:
            connection.execute("DELETE FROM lease WHERE until < ?", (now,))
            connection.execute("DELETE FROM skipped WHERE until < ?", (now,))
            holders = dict(connection.execute("SELECT pair, person FROM lease").fetchall())
            skipped = {pair for (pair,) in connection.execute("SELECT pair FROM skipped WHERE person = ?", (person,))}
            own = {
                pair for pair, holder in holders.items() if holder == person and pair in waiting and pair not in skipped
            }
            free = (item for pair, item in waiting.items() if pair not in holders and pair not in skipped)
            if preferred is not None and to_text(preferred) in own:
                chosen: Item | None = preferred
            elif own:
                chosen = next(item for pair, item in waiting.items() if pair in own)
            else:
                chosen = next(free, None)
            if chosen is not None:
                row = (to_text(chosen), person, now + LEASE_SECONDS)
                connection.execute("INSERT OR REPLACE INTO lease VALUES (?, ?, ?)", row)
        return chosen

    def skip(self, person: str, pair: Item) -> None:
        """Offer a pair that this person holds to others; to this person again tomorrow. Raises ``StageError``."""
        row_of_person = (to_text(pair), person)
        with self._transaction() as connection:
            if connection.execute("DELETE FROM lease WHERE pair = ? AND person = ?", row_of_person).rowcount:
                row = (person, to_text(pair), time.time() + _SKIP_SECONDS)
                connection.execute("INSERT OR REPLACE INTO skipped VALUES (?, ?, ?)", row)

    def answer(self, person: str, pair: Item, decision: str, relation: str, reason: str) -> None:
        """Store a verdict about a pair that this person holds; raises ``ConfigError`` and ``StageError``."""
        name = to_text(pair)
        with self._transaction() as connection:
            # extended first: nobody else gets the pair between this check and the verdict
            extended = (time.time() + LEASE_SECONDS, name, person)
            if not connection.execute("UPDATE lease SET until = ? WHERE pair = ? AND person = ?", extended).rowcount:
                raise ConfigError([message("This pair is no longer offered to you; here is the next one.")])
        verdict = self._desk.decide(pair, decision, relation, reason, person)
        kind = kind_of(pair)
        if kind in self._lists:
            self._lists[kind].items.pop(name, None)
        with self._transaction() as connection:
            row = (name, _NOBODY, time.time() + 2 * self._seconds_of_list(kind))
            connection.execute("INSERT OR REPLACE INTO lease VALUES (?, ?, ?)", row)
            if verdict:
                given = (person, name, verdict)
                connection.execute("INSERT INTO answer (person, pair, verdict) VALUES (?, ?, ?)", given)

    def undo(self, person: str, number: int) -> Item | None:
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
                connection.execute(
                    "INSERT INTO undone VALUES (?, 1) ON CONFLICT (kind) DO UPDATE SET times = times + 1",
                    (kind_of(pair).value,),
                )
        if not is_withdrawn:
            raise ConfigError(
                [message("Your verdict is no longer in force: it was withdrawn, or there is a later one.")]
            )
        return pair

    def progress(self, person: str, kind: ItemKind = ItemKind.RECORDS) -> ReviewProgress:
        """Return how much of a kind is left, and how much a person has done in all; raises ``StageError``."""
        self.refresh(kind)
        with self._transaction("BEGIN") as connection:
            answered, last = connection.execute(
                "SELECT count(*), coalesce(max(number), 0) FROM answer WHERE person = ?", (person,)
            ).fetchone()
        return ReviewProgress(len(self._lists[kind].items), int(answered), int(last))
