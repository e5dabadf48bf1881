"""Suppressions: records, and values of records, that must not be published."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping

import msgspec

from bibld.catalog._queues import DirtyQueues, Queue
from bibld.catalog._register import Register
from bibld.catalog._schema import RecordStatus
from bibld.model.authority import Authority
from bibld.model.mods import Mods
from bibld.model.origin import RecordId
from bibld.model.withheld import WithheldValue, public_authority, public_fingerprint, public_mods, withheld_of
from bibld.text.folding import tidy


class Suppression(msgspec.Struct, frozen=True, order=True):
    """A record that must not be published, or with a ``value`` only that value of it; and the reason."""

    record: RecordId
    value: str
    reason: str

    def __str__(self) -> str:
        what = f"the value {self.value!r}" if self.value else "the whole record"
        return f"{what}: {self.reason}" if self.reason else what


class SuppressionTables:
    """The tables of suppressions. Nothing is committed here; the catalog does that.

    The register stores which are in force. The catalog repeats them (``active_suppression``), because all results are
    made from the catalog and must change in one commit with the queues. A run that was stopped between the commits of
    the two databases is completed by the next.
    """

    def __init__(
        self,
        register: Register,
        register_connection: sqlite3.Connection,
        connection: sqlite3.Connection,
        dirty: DirtyQueues,
    ) -> None:
        self._register = register
        self._register_connection = register_connection
        self._connection = connection
        self._dirty = dirty
        self._cache: dict[int, frozenset[str]] | None = None

    # -- reading -----------------------------------------------------------------------------------------------------

    def is_suppressed(self, ordinal: int) -> bool:
        """Return whether a whole record must not be published."""
        return "" in self._values_by_ordinal().get(ordinal, ())

    def status(self, ordinal: int) -> RecordStatus:
        """Return the status of a record that its source has."""
        return RecordStatus.SUPPRESSED if self.is_suppressed(ordinal) else RecordStatus.LIVE

    def withheld_values(self, ordinal: int) -> list[WithheldValue]:
        """Return the values of a record that must not be published."""
        return withheld_of(self._values_by_ordinal().get(ordinal, ()))

    def public_mods(self, ordinal: int, mods: Mods) -> Mods:
        """Return a description of a record without its suppressed values, as all stages see it."""
        return public_mods(mods, self._values_by_ordinal().get(ordinal, ()))

    def public_authority(self, ordinal: int, authority: Authority) -> Authority:
        """Return an authority record without its suppressed values, as all stages see it."""
        return public_authority(authority, self._values_by_ordinal().get(ordinal, ()))

    def fingerprint(self, ordinal: int, made_by: bytes) -> bytes:
        """Return a hash of what a public description depends on: ``made_by`` and the suppressed values."""
        return public_fingerprint(made_by, self._values_by_ordinal().get(ordinal, ()))

    def of_record(self, ordinal: int) -> list[Suppression]:
        """Return the suppressions of one record, with the reasons."""
        rows = self._register_connection.execute(
            "SELECT value, reason FROM suppression WHERE ordinal = ? ORDER BY value", (ordinal,)
        )
        return [Suppression(self._register.record(ordinal), value, reason) for value, reason in rows]

    def all(self) -> list[Suppression]:
        """Return all suppressions in the order of the records."""
        rows = self._register_connection.execute("SELECT ordinal, value, reason FROM suppression").fetchall()
        return sorted(Suppression(self._register.record(ordinal), value, reason) for ordinal, value, reason in rows)

    def _values_by_ordinal(self) -> dict[int, frozenset[str]]:
        """Return the suppressed values by ordinal; the empty value is the whole record."""
        if self._cache is None:
            found: dict[int, set[str]] = {}
            for ordinal, value in self._connection.execute("SELECT ordinal, value FROM active_suppression"):
                found.setdefault(ordinal, set()).add(value)
            self._cache = {ordinal: frozenset(values) for ordinal, values in found.items()}
        return self._cache

    # -- writing -----------------------------------------------------------------------------------------------------

    def replace(self, wanted: Mapping[tuple[int, str], str]) -> tuple[int, int]:
        """Store exactly these suppressions: reasons by ordinal and value (empty: the whole record).

        The records that this changes become dirty. Return the numbers of new and of lifted suppressions.
        """
        wanted = {(ordinal, tidy(value)): reason for (ordinal, value), reason in wanted.items()}
        rows = [(*key, reason) for key, reason in sorted(wanted.items())]
        self._register_connection.execute("DELETE FROM suppression")
        self._register_connection.executemany("INSERT INTO suppression VALUES (?, ?, ?)", rows)
        known = {(ordinal, value) for ordinal, values in self._values_by_ordinal().items() for value in values}
        added, lifted = sorted(wanted.keys() - known), sorted(known - wanted.keys())
        self._connection.executemany("INSERT INTO active_suppression VALUES (?, ?)", added)
        self._connection.executemany("DELETE FROM active_suppression WHERE ordinal = ? AND value = ?", lifted)
        self.invalidate_cache()
        self._change_status(
            [ordinal for ordinal, value in wanted if not value], RecordStatus.LIVE, RecordStatus.SUPPRESSED
        )
        self._change_status(
            [ordinal for ordinal, value in lifted if not value], RecordStatus.SUPPRESSED, RecordStatus.LIVE
        )
        for queue, changed in ((Queue.NEWLY_SUPPRESSED, added), (Queue.NO_LONGER_SUPPRESSED, lifted)):
            self._dirty[queue].add([ordinal for ordinal, _ in changed])
            self._queue_tombstones([ordinal for ordinal, value in changed if not value])
            self._dirty[Queue.UNMATCHED_RECORDS].add(
                [ordinal for ordinal, value in changed if value and self._is_live(ordinal)]
            )
        return len(added), len(lifted)

    def _queue_tombstones(self, ordinals: Iterable[int]) -> None:
        """Queue records, and the deleted records that are redirected to them, whose tombstones name both."""
        for ordinal in ordinals:
            rows = self._register_connection.execute("SELECT ordinal FROM redirect WHERE target = ?", (ordinal,))
            self._dirty[Queue.UNDESCRIBED_CLUSTERS].add([ordinal, *(deleted for (deleted,) in rows)])

    def _change_status(self, ordinals: Iterable[int], was: RecordStatus, now: RecordStatus) -> None:
        """Set the status of records that have the status ``was``; they become dirty."""
        for ordinal in sorted(ordinals):
            changed = self._connection.execute(
                "UPDATE record SET status = ? WHERE ordinal = ? AND status = ?", (now, ordinal, was)
            )
            if changed.rowcount:
                self._dirty[Queue.UNMATCHED_RECORDS].add([ordinal])

    def _is_live(self, ordinal: int) -> bool:
        row = self._connection.execute("SELECT status FROM record WHERE ordinal = ?", (ordinal,)).fetchone()
        return row is not None and row[0] == RecordStatus.LIVE

    def invalidate_cache(self) -> None:
        """Discard the suppressions in memory, because they may have been changed or rolled back."""
        self._cache = None

    # -- releases -----------------------------------------------------------------------------------------------------

    def has_changes(self) -> bool:
        """Return whether the last release was made with other suppressions."""
        return self.has_new() or not self._dirty[Queue.NO_LONGER_SUPPRESSED].is_empty()

    def has_new(self) -> bool:
        """Return whether some are newer than the last release, which may contain what must not be published."""
        return not self._dirty[Queue.NEWLY_SUPPRESSED].is_empty()

    def mark_released(self) -> None:
        """Note that the last release was made with these suppressions."""
        for queue in (Queue.NEWLY_SUPPRESSED, Queue.NO_LONGER_SUPPRESSED):
            self._dirty[queue].clear()
