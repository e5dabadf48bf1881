"""What people say about two records, given and withdrawn beside a run: in short transactions, without its lock."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Literal

import msgspec

from bibld.catalog._database.schema import REGISTER, REGISTER_FORMAT, opened
from bibld.catalog._register.register import Register
from bibld.errors import CatalogError
from bibld.model.linkage import Pair
from bibld.model.origin import RecordId

PATIENCE = 30.0
"""Seconds to wait for a run that is writing into the register."""

RELATIONS = ("same_set", "part_of", "other_edition", "other_format", "translation")
"""What two records can be to each other that are related."""

_COLUMNS = (
    "SELECT verdict, one.source, one.control_number, two.source, two.control_number, decision, relation, person,"
    " reason, given FROM verdict JOIN ordinal AS one ON one.ordinal = left_ordinal"
    " JOIN ordinal AS two ON two.ordinal = right_ordinal"
)


class PersonVerdict(msgspec.Struct, frozen=True):
    """What a person says about two records.

    ``relation`` goes with *related*: one of ``RELATIONS``, or nothing.
    """

    pair: Pair
    decision: Literal["same", "different", "related"]
    person: str
    reason: str = ""
    relation: str = ""

    def __str__(self) -> str:
        relation = f" ({self.relation})" if self.relation else ""
        reason = f": {self.reason}" if self.reason else ""
        return f"{self.pair.left} {self.pair.right}: {self.decision}{relation}, said by {self.person}{reason}"


class StoredVerdict(msgspec.Struct, frozen=True):
    """A saying as the register keeps it: its number, and when it was given (ISO 8601)."""

    number: int
    verdict: PersonVerdict
    given_at: str


class Verdicts:
    """The verdicts of one workspace. The last one of a pair holds; when it is withdrawn, the one before holds again.

    A run uses what was given before its matching began; what comes later waits for the next. Raises ``CatalogError``
    where there is no register, or it cannot be opened.
    """

    def __init__(self, workspace: Path, patience: float = PATIENCE) -> None:
        self._file = workspace / "register.db"
        self._patience = patience
        if not self._file.is_file():
            raise CatalogError(f"{workspace}: holds no register yet; run `bibld run` first")
        self._connection = opened(self._file, REGISTER, REGISTER_FORMAT, read_only=False)
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute(f"PRAGMA busy_timeout = {int(patience * 1000)}")
        self._register = Register(self._connection)

    def __enter__(self) -> Verdicts:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Everything inside is written, or nothing; nobody else writes meanwhile. Raises ``CatalogError``."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            yield
            self._connection.execute("COMMIT")
        except BaseException as error:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error):
                raise CatalogError(self._refusal(error)) from error
            raise

    def _refusal(self, error: sqlite3.Error) -> str:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return (
                f"{self._file}: a run has been writing for more than {self._patience:g} seconds; no verdict was saved,"
                " give it again in a moment"
            )
        return f"{self._file}: cannot be written: {error}; no verdict was saved"

    # -- reading -----------------------------------------------------------------------------------------------------

    def current(self) -> list[StoredVerdict]:
        """The verdicts that hold, in the order in which they were given."""
        rows = self._connection.execute(
            f"{_COLUMNS} WHERE verdict IN (SELECT max(verdict) FROM verdict GROUP BY left_ordinal, right_ordinal)"
            " ORDER BY verdict"
        )
        return [_given(row) for row in rows]

    def decisions(self) -> dict[tuple[int, int], str]:
        """What holds of each pair of ordinals, the smaller first: same, different or related."""
        rows = self._connection.execute(
            "SELECT left_ordinal, right_ordinal, decision, max(verdict) FROM verdict"
            " GROUP BY left_ordinal, right_ordinal"
        )
        return {(left, right): decision for left, right, decision, _ in rows}

    def ordinals(self, pair: Pair) -> tuple[int, int]:
        """The ordinals of a pair, the smaller first; raises ``KeyError`` for a record without one."""
        one, other = self._register.ordinal(pair.left), self._register.ordinal(pair.right)
        if one is None or other is None:
            raise KeyError(pair.left if one is None else pair.right)
        return min(one, other), max(one, other)

    def pair(self, ordinals: tuple[int, int]) -> Pair:
        """The pair that has these ordinals."""
        return Pair.from_records(*map(self._register.record, ordinals))

    def get(self, pair: Pair) -> StoredVerdict | None:
        """The verdict about a pair that holds."""
        row = self._connection.execute(
            f"{_COLUMNS} WHERE left_ordinal = ? AND right_ordinal = ? ORDER BY verdict DESC LIMIT 1",
            self.ordinals(pair),
        ).fetchone()
        return _given(row) if row else None

    # -- within ``writing`` ------------------------------------------------------------------------------------------

    def add(self, sayings: Iterable[PersonVerdict], given: str) -> list[StoredVerdict]:
        """Keep what a person says, above what was said before; gives those that are new, not a repetition.

        Raises ``KeyError`` for a record without an ordinal.
        """
        return [new for saying in sayings if (new := self._add(saying, given)) is not None]

    def _add(self, saying: PersonVerdict, given: str) -> StoredVerdict | None:
        ordinals = self.ordinals(saying.pair)
        said = (saying.decision, saying.relation, saying.person, saying.reason)
        before = self._connection.execute(
            "SELECT decision, relation, person, reason FROM verdict WHERE left_ordinal = ? AND right_ordinal = ?"
            " ORDER BY verdict DESC LIMIT 1",
            ordinals,
        ).fetchone()
        if before == said:
            return None
        cursor = self._connection.execute(
            "INSERT INTO verdict (left_ordinal, right_ordinal, decision, relation, person, reason, given)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (*ordinals, *said, given),
        )
        assert cursor.lastrowid is not None  # an INSERT that succeeded has one
        self._note_change(ordinals)
        return StoredVerdict(cursor.lastrowid, saying, given)

    def withdraw(self, taken: StoredVerdict) -> bool:
        """Take one verdict back; whether it was still there. What was said of the pair before holds again."""
        cursor = self._connection.execute("DELETE FROM verdict WHERE verdict = ?", (taken.number,))
        if cursor.rowcount:
            self._note_change(self.ordinals(taken.verdict.pair))
        return cursor.rowcount > 0

    def _note_change(self, ordinals: tuple[int, int]) -> None:
        self._connection.execute("INSERT INTO verdict_change (left_ordinal, right_ordinal) VALUES (?, ?)", ordinals)


def _given(
    row: tuple[int, str, str, str, str, Literal["same", "different", "related"], str, str, str, str],
) -> StoredVerdict:
    number, source, control_number, other_source, other_number, decision, relation, person, reason, given = row
    pair = Pair.from_records(RecordId(source, control_number), RecordId(other_source, other_number))
    return StoredVerdict(number, PersonVerdict(pair, decision, person, reason, relation), given)
