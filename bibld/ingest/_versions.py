"""What a load makes of one record id: the state of its record, and what is counted.

The same as loading the versions one after the other into the catalog of one machine does (:class:`Intake`): the
last version wins; a live record that now states that it is deleted is deleted at the end, unless deletions are
withheld; what was not seen may be missing.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

import msgspec

from bibld.catalog import RecordStatus


class VersionKind(IntEnum):
    """What is known about an id: its number, its stored record, a version that was read, or a reject that names it."""

    REGISTERED = 0
    STORED = 1
    CONVERTED = 2
    REJECTED = 3


class RecordVersion(msgspec.Struct, frozen=True):
    """One row about an id; ``file_number`` is the number of the file among those of the run, ``carrier`` names it.

    What does not belong to its kind is None: the place of a number, the status of a version that was read, and so on.
    """

    source: str
    control_number: str
    kind: int
    file_number: int | None = None
    position: int | None = None
    carrier: int | None = None
    ordinal: int | None = None
    made_by: bytes | None = None
    is_deleted: bool | None = None
    status: str | None = None


class SourceRules(msgspec.Struct, frozen=True):
    """What is known about a source: ``loses_missing``: what was not seen is deleted; ids in its list of deletions."""

    loses_missing: bool = False
    listed: frozenset[str] = frozenset()


class RecordState(msgspec.Struct, frozen=True):
    """The state of a record after a load.

    ``carrier`` and ``position`` are the file and the position of the version that is in force; None: the stored record
    is. ``status`` is that without the deletions that may be withheld: ``deletion_*`` are those of the version that
    states the deletion, ``is_missing`` and ``is_listed`` are the other reasons. ``status_before`` is that of the stored
    record, empty if there is none. ``is_same``: the version in force has the bytes of the stored record. Counts are
    those of a load without the deletion that may be withheld; ``deletion_supersedes``: it replaces a version of this
    load.
    """

    source: str
    control_number: str
    ordinal: int | None
    first_file: int | None
    first_position: int | None
    carrier: int | None
    position: int | None
    status: str
    status_before: str
    was_seen: bool
    deletion_carrier: int | None
    deletion_position: int | None
    is_missing: bool
    is_listed: bool
    is_new: bool
    is_same: bool
    is_changed: bool
    is_restored: bool
    converted: int
    superseded: int
    deleted: int
    deletion_supersedes: bool


_HAS_RECORD = (RecordStatus.LIVE, RecordStatus.SUPPRESSED)


class _State:
    """The record of one id while its versions are loaded one after the other."""

    def __init__(self, available: RecordStatus) -> None:
        self.available = available
        self.ordinal: int | None = None
        self.before: RecordVersion | None = None
        self.made_by: bytes | None = None
        self.status = ""
        self.current: RecordVersion | None = None
        self.first: RecordVersion | None = None
        self.deletion: RecordVersion | None = None
        self.is_spared = False
        self.converted = self.superseded = self.deleted = 0

    def load(self, version: RecordVersion) -> None:
        """Load one version that was read."""
        self.first = self.first or version
        if self.deletion is not None:
            self.deletion = None
            self.superseded += 1
        is_same = bool(self.status) and version.made_by == self.made_by
        if version.is_deleted and self.status == RecordStatus.LIVE and not is_same:
            self.deletion = version
            return
        replaces = self.current is not None
        self.superseded += replaces
        if not is_same:
            if replaces:
                self._count(-1)
            self.made_by = version.made_by
            self.status = RecordStatus.DELETED if version.is_deleted else self.available
        if not (is_same and replaces):
            self._count(1)
        if self.status == RecordStatus.MISSING:
            self.status = self.available
        self.current = version

    def _count(self, number: int) -> None:
        """Count the version in force by what it states, or take it from the count."""
        if self.status == RecordStatus.DELETED:
            self.deleted += number
        else:
            self.converted += number


def load_versions(versions: Iterable[RecordVersion], rules: SourceRules, is_suppressed: bool) -> RecordState | None:
    """Return what a load makes of one id; None if nothing but its number, or a reject, is known.

    The versions are in the order of kind (except rejects), file and position. ``is_suppressed``: the whole record must
    not be published, so far.
    """
    state = _State(RecordStatus.SUPPRESSED if is_suppressed else RecordStatus.LIVE)
    last = None
    for last in versions:
        if last.kind == VersionKind.REGISTERED:
            state.ordinal = last.ordinal
        elif last.kind == VersionKind.STORED:
            state.before, state.made_by, state.status = last, last.made_by, last.status or ""
        elif last.kind == VersionKind.REJECTED:
            state.is_spared = True
        else:
            state.load(last)
    if last is None or not state.status:
        return None
    return _to_state(state, last, rules)


def _to_state(state: _State, last: RecordVersion, rules: SourceRules) -> RecordState:
    before, current, deletion = state.before, state.current, state.deletion
    is_live = state.status == RecordStatus.LIVE and deletion is None
    has_record = before is not None and state.status in _HAS_RECORD
    had_record = before is not None and before.status in _HAS_RECORD
    is_missing = (
        rules.loses_missing
        and current is None
        and deletion is None
        and not state.is_spared
        and state.status in _HAS_RECORD
    )
    return RecordState(
        source=last.source,
        control_number=last.control_number,
        ordinal=state.ordinal,
        first_file=state.first.file_number if state.first else None,
        first_position=state.first.position if state.first else None,
        carrier=current.carrier if current else None,
        position=current.position if current else None,
        status=state.status,
        status_before=(before.status or "") if before else "",
        was_seen=current is not None,
        deletion_carrier=deletion.carrier if deletion else None,
        deletion_position=deletion.position if deletion else None,
        is_missing=is_missing,
        is_listed=is_live and last.control_number in rules.listed,
        is_new=before is None,
        is_same=before is not None
        and before.made_by == state.made_by
        and (current is None or (current.carrier, current.position) == (before.carrier, before.position)),
        is_changed=has_record and had_record and before is not None and before.made_by != state.made_by,
        is_restored=has_record and not had_record,
        converted=state.converted,
        superseded=state.superseded,
        deleted=state.deleted,
        deletion_supersedes=deletion is not None and current is not None,
    )
