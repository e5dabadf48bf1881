"""What must not be published: whole records, and values of records."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Mapping

import msgspec

from bibld.catalog._pending import Pending
from bibld.catalog._register.register import Register
from bibld.model.mods import Mods
from bibld.model.origin import RecordId
from bibld.model.withheld import Withheld, without_values
from bibld.text.folding import tidy

BY_SUPPRESSION = 3
"""In ``record.deleted``: its source has the record, but it must not be published."""

_TAKEN, _LIFTED = "takedown", "lifting"
"""The queues of records with suppressions that are new, or no more, since the last release."""


class Suppression(msgspec.Struct, frozen=True, order=True):
    """A record that must not be published, or with a ``value`` only that value of it; and why."""

    record: RecordId
    value: str
    reason: str

    def __str__(self) -> str:
        what = f"the value {self.value!r}" if self.value else "the whole record"
        return f"{what}: {self.reason}" if self.reason else what


class Suppressions:
    """The tables of suppressions. Nothing is committed here; the catalog does that.

    The register keeps what is in force. The catalog repeats it (``withheld``): from that everything else is made, so it
    changes in one commit with the queues; a run that was stopped between the two databases is made good by the next.
    """

    def __init__(
        self, register: Register, kept: sqlite3.Connection, connection: sqlite3.Connection, pending: Pending
    ) -> None:
        self._register = register
        self._kept = kept
        self._connection = connection
        self._pending = pending
        self._known: dict[int, frozenset[str]] | None = None

    # -- what holds --------------------------------------------------------------------------------------------------

    def is_suppressed(self, ordinal: int) -> bool:
        """Whether a whole record must not be published."""
        return "" in self._all().get(ordinal, ())

    def state(self, ordinal: int) -> int:
        """What ``record.deleted`` says of a record that its source has."""
        return BY_SUPPRESSION if self.is_suppressed(ordinal) else 0

    def withheld_values(self, ordinal: int) -> list[Withheld]:
        """The values of a record that must not be published."""
        return sorted(Withheld.parse(value) for value in self._all().get(ordinal, ()) if value)

    def public_mods(self, ordinal: int, mods: Mods) -> Mods:
        """The description of a record as all stages know it: without these values."""
        withheld = self.withheld_values(ordinal) if ordinal in self._all() else ()
        return without_values(mods, withheld) if withheld else mods

    def fingerprint(self, ordinal: int, made_by: bytes) -> bytes:
        """What stands for a record in all stages: the hash of what made it, and of the values that are left out."""
        values = [value.encode() for value in sorted(self._all().get(ordinal, ())) if value]
        return hashlib.blake2b(b"\0".join([made_by, *values]), digest_size=16).digest() if values else made_by

    def of_record(self, ordinal: int) -> list[Suppression]:
        """What is suppressed of one record, with the reasons."""
        rows = self._kept.execute("SELECT value, reason FROM suppression WHERE ordinal = ? ORDER BY value", (ordinal,))
        return [Suppression(self._register.record(ordinal), value, reason) for value, reason in rows]

    def all(self) -> list[Suppression]:
        """Everything that is suppressed, in the order of the records."""
        rows = self._kept.execute("SELECT ordinal, value, reason FROM suppression").fetchall()
        return sorted(Suppression(self._register.record(ordinal), value, reason) for ordinal, value, reason in rows)

    def _all(self) -> dict[int, frozenset[str]]:
        """Every record with its values; the empty value is the whole record."""
        if self._known is None:
            found: dict[int, set[str]] = {}
            for ordinal, value in self._connection.execute("SELECT ordinal, value FROM withheld"):
                found.setdefault(ordinal, set()).add(value)
            self._known = {ordinal: frozenset(values) for ordinal, values in found.items()}
        return self._known

    # -- what changes ------------------------------------------------------------------------------------------------

    def replace(self, wanted: Mapping[tuple[int, str], str]) -> tuple[int, int]:
        """Have exactly these suppressions in force: by ordinal and value (empty: the whole record), with their reasons.

        Records that this touches are pending for dedup. Gives the numbers of new and of lifted ones.
        """
        wanted = {(ordinal, tidy(value)): reason for (ordinal, value), reason in wanted.items()}
        rows = [(*key, reason) for key, reason in sorted(wanted.items())]
        self._kept.execute("DELETE FROM suppression")
        self._kept.executemany("INSERT INTO suppression VALUES (?, ?, ?)", rows)
        known = {(ordinal, value) for ordinal, values in self._all().items() for value in values}
        taken, lifted = sorted(wanted.keys() - known), sorted(known - wanted.keys())
        self._connection.executemany("INSERT INTO withheld VALUES (?, ?)", taken)
        self._connection.executemany("DELETE FROM withheld WHERE ordinal = ? AND value = ?", lifted)
        self.forget()
        self._mark([ordinal for ordinal, value in wanted if not value], 0, BY_SUPPRESSION)
        self._mark([ordinal for ordinal, value in lifted if not value], BY_SUPPRESSION, 0)
        for queue, changed in ((_TAKEN, taken), (_LIFTED, lifted)):
            self._pending.add(queue, [ordinal for ordinal, _ in changed])
            self._pending.add("dedup", [ordinal for ordinal, value in changed if value and self._is_living(ordinal)])
        return len(taken), len(lifted)

    def _mark(self, ordinals: Iterable[int], was: int, now: int) -> None:
        for ordinal in sorted(ordinals):
            changed = self._connection.execute(
                "UPDATE record SET deleted = ? WHERE ordinal = ? AND deleted = ?", (now, ordinal, was)
            )
            if changed.rowcount:
                self._pending.add("dedup", [ordinal])

    def _is_living(self, ordinal: int) -> bool:
        row = self._connection.execute("SELECT deleted FROM record WHERE ordinal = ?", (ordinal,)).fetchone()
        return row is not None and not row[0]

    def forget(self) -> None:
        """What was read may have been changed or rolled back."""
        self._known = None

    # -- what releases know ------------------------------------------------------------------------------------------

    def has_changes(self) -> bool:
        """Whether the last release was made under others."""
        return self.has_new() or bool(self._pending.items(_LIFTED, 1))

    def has_new(self) -> bool:
        """Whether some of them are newer than the last release, so that releases hold what must not be published."""
        return bool(self._pending.items(_TAKEN, 1))

    def mark_released(self) -> None:
        """Note that the last release was made under these."""
        for queue in (_TAKEN, _LIFTED):
            self._pending.clear(queue)
