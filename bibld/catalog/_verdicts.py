"""Verdicts of people about pairs, given and withdrawn during a run: in short transactions, without its lock."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import msgspec

from bibld.catalog._entity_verdicts import EntityVerdicts
from bibld.catalog._opening import PATIENCE, OpenRegister
from bibld.catalog._register import Register
from bibld.model.linkage import Pair
from bibld.model.origin import RecordId

RELATIONS = ("same_set", "part_of", "other_edition", "other_format", "translation")
"""How two records can be related."""

_COLUMNS = (
    "SELECT verdict, one.source, one.control_number, two.source, two.control_number, decision, relation, person,"
    " reason, given_at FROM verdict JOIN ordinal AS one ON one.ordinal = left_ordinal"
    " JOIN ordinal AS two ON two.ordinal = right_ordinal"
)


class PersonVerdict(msgspec.Struct, frozen=True):
    """The decision of a person about two records; ``relation`` of related ones is one of ``RELATIONS``, or empty."""

    pair: Pair
    decision: Literal["same", "different", "related"]
    person: str
    reason: str = ""
    relation: str = ""

    def __str__(self) -> str:
        relation = f" ({self.relation})" if self.relation else ""
        reason = f": {self.reason}" if self.reason else ""
        return f"{self.pair.left} {self.pair.right}: {self.decision}{relation}, verdict by {self.person}{reason}"


class StoredVerdict(msgspec.Struct, frozen=True):
    """A verdict as it is stored: with its number, and the time when it was given (ISO 8601)."""

    number: int
    verdict: PersonVerdict
    given_at: str


class Verdicts(OpenRegister):
    """The verdicts of one workspace. The last one of a pair is in force; if it is withdrawn, the one before is again.

    A run uses the verdicts that were given before its matching began; later ones wait for the next run.
    ``config_file`` is the configuration of the workspace; messages name it in the command to run. Raises
    ``CatalogError`` if there is no register, or it cannot be opened.
    """

    def __init__(self, workspace: Path, patience: float = PATIENCE, config_file: Path | None = None) -> None:
        super().__init__(workspace, patience, config_file)
        self._register = Register(self._connection)
        self.of_entities = EntityVerdicts(self._connection)

    # -- reading -----------------------------------------------------------------------------------------------------

    def current(self) -> list[StoredVerdict]:
        """Return the verdicts that are in force, in the order in which they were given."""
        rows = self._connection.execute(
            f"{_COLUMNS} WHERE verdict IN (SELECT max(verdict) FROM verdict GROUP BY left_ordinal, right_ordinal)"
            " ORDER BY verdict"
        )
        return [_stored_verdict(row) for row in rows]

    def decisions(self) -> dict[tuple[int, int], str]:
        """Return the decision about each pair of ordinals (the smaller first): same, different or related."""
        rows = self._connection.execute(
            "SELECT left_ordinal, right_ordinal, decision, max(verdict) FROM verdict"
            " GROUP BY left_ordinal, right_ordinal"
        )
        return {(left, right): decision for left, right, decision, _ in rows}

    def ordinals(self, pair: Pair) -> tuple[int, int]:
        """Return the ordinals of a pair, the smaller first; raises ``KeyError`` for an unknown record."""
        one, other = self._register.ordinal(pair.left), self._register.ordinal(pair.right)
        if one is None or other is None:
            raise KeyError(pair.left if one is None else pair.right)
        return min(one, other), max(one, other)

    def pair(self, ordinals: tuple[int, int]) -> Pair:
        """Return the pair that has these ordinals."""
        return Pair.from_records(*map(self._register.record, ordinals))

    def get(self, pair: Pair) -> StoredVerdict | None:
        """Return the verdict about a pair that is in force."""
        row = self._connection.execute(
            f"{_COLUMNS} WHERE left_ordinal = ? AND right_ordinal = ? ORDER BY verdict DESC LIMIT 1",
            self.ordinals(pair),
        ).fetchone()
        return _stored_verdict(row) if row else None

    # -- in a transaction -------------------------------------------------------------------------------------------

    def add(self, verdicts: Iterable[PersonVerdict], given_at: str) -> list[StoredVerdict]:
        """Store verdicts; return those that are new, not repetitions. Raises ``KeyError`` for an unknown record."""
        return [new for verdict in verdicts if (new := self._add(verdict, given_at)) is not None]

    def _add(self, verdict: PersonVerdict, given_at: str) -> StoredVerdict | None:
        ordinals = self.ordinals(verdict.pair)
        row = (verdict.decision, verdict.relation, verdict.person, verdict.reason)
        before = self._connection.execute(
            "SELECT decision, relation, person, reason FROM verdict WHERE left_ordinal = ? AND right_ordinal = ?"
            " ORDER BY verdict DESC LIMIT 1",
            ordinals,
        ).fetchone()
        if before == row:
            return None
        cursor = self._connection.execute(
            "INSERT INTO verdict (left_ordinal, right_ordinal, decision, relation, person, reason, given_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (*ordinals, *row, given_at),
        )
        assert cursor.lastrowid is not None  # an INSERT that succeeded has one
        self._note_change(ordinals)
        return StoredVerdict(cursor.lastrowid, verdict, given_at)

    def withdraw(self, stored: StoredVerdict) -> bool:
        """Delete one verdict, so that the one before is in force again; return whether it was still stored."""
        cursor = self._connection.execute("DELETE FROM verdict WHERE verdict = ?", (stored.number,))
        if cursor.rowcount:
            self._note_change(self.ordinals(stored.verdict.pair))
        return cursor.rowcount > 0

    def _note_change(self, ordinals: tuple[int, int]) -> None:
        self._connection.execute("INSERT INTO verdict_change (left_ordinal, right_ordinal) VALUES (?, ?)", ordinals)


def _stored_verdict(
    row: tuple[int, str, str, str, str, Literal["same", "different", "related"], str, str, str, str],
) -> StoredVerdict:
    number, source, control_number, other_source, other_number, decision, relation, person, reason, given_at = row
    pair = Pair.from_records(RecordId(source, control_number), RecordId(other_source, other_number))
    return StoredVerdict(number, PersonVerdict(pair, decision, person, reason, relation), given_at)
