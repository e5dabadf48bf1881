"""A record as slices of its bytes, one for each field, whatever its carrier."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import msgspec

from bibld.model.marc import Subfield

LEADER_TAG = ""
"""The tag of a slice that is the leader: it is before all fields."""

NO_TAG = "~"
"""The tag of a slice that is no field: it is after all fields."""


class NotEditableError(Exception):
    """A record, field or text that cannot be changed without risk; its text is the reason."""


class SlicedSubfield(msgspec.Struct, frozen=True, gc=False):
    """A subfield: its code, its text as far as it is ASCII, and where it is in the bytes of its field."""

    code: str
    value: str
    start: int
    end: int


class SlicedField(msgspec.Struct, frozen=True, gc=False):
    """A field: its bytes with what separates it from others, and its subfields (none of a control field).

    ``offset`` is where its data begin in a record whose fields are in another order than its directory.
    """

    tag: str
    data: bytes
    subfields: tuple[SlicedSubfield, ...] = ()
    offset: int = 0


class SlicedRecord(msgspec.Struct, frozen=True):
    """A record: its fields in their order, and what surrounds them (``frame``), which the carrier understands."""

    fields: tuple[SlicedField, ...]
    frame: Any


class NewField(msgspec.Struct, frozen=True):
    """A data field to be written, with both indicators."""

    tag: str
    indicators: str
    subfields: tuple[Subfield, ...]


class CarrierForm(Protocol):
    """How the records of one carrier are taken apart and put together: ``join(slice(data)) == data``."""

    max_field_bytes: int
    max_record_bytes: int
    """The most bytes that a field and a record may have; 0: no limit."""

    entry_bytes: int
    """How many bytes a field takes beside its data."""

    def slice(self, data: bytes) -> SlicedRecord:
        """Take a record apart; raises ``NotEditableError``."""

    def join(self, record: SlicedRecord) -> bytes:
        """Put a record together; raises ``NotEditableError`` if it has become too long."""

    def field_slice(self, record: SlicedRecord, after: int, field: NewField, charset: str) -> SlicedField:
        """Return the slice of a new field that comes after the one at a position; raises ``ValueError``."""

    def with_subfields(self, field: SlicedField, subfields: tuple[Subfield, ...], charset: str) -> SlicedField:
        """Return a field with further subfields at its end; raises ``ValueError``."""


def insertion_position(record: SlicedRecord, tag: str) -> int:
    """Return the position of the last field with a tag that is not higher, in the order of the record; -1: none."""
    found = (position for position, field in enumerate(record.fields) if field.tag <= tag)
    return max(found, default=-1)


def without_slices(
    record: SlicedRecord, additions: Mapping[int, frozenset[int]], wholly: frozenset[int]
) -> SlicedRecord:
    """Return a record without some fields (those with ``wholly``) and without some subfields of others."""
    kept: list[SlicedField] = []
    for position, field in enumerate(record.fields):
        positions = additions.get(position, frozenset())
        if positions == wholly:
            continue
        kept.append(_without_subfields(field, positions) if positions else field)
    return SlicedRecord(tuple(kept), record.frame)


def _without_subfields(field: SlicedField, positions: frozenset[int]) -> SlicedField:
    data = field.data
    for position in sorted(positions, reverse=True):
        subfield = field.subfields[position]
        data = data[: subfield.start] + data[subfield.end :]
    rest = tuple(one for place, one in enumerate(field.subfields) if place not in positions)
    return SlicedField(field.tag, data, rest, field.offset)
