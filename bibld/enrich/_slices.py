"""The bytes of a record of any carrier as slices, one for each field."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import msgspec

from bibld.model.marc import Subfield

LEADER_TAG = ""
"""The tag of a slice that is the leader: it is before all fields."""

NO_TAG = "~"
"""The tag of a slice that is no field: it is after all fields."""


class NotEditableError(Exception):
    """Raised for a record, field or text that cannot be changed without risk; its text is the reason."""


class SlicedSubfield(msgspec.Struct, frozen=True, gc=False):
    """A subfield: its code, its text (reliable only if ASCII), and its position in the bytes of its field."""

    code: str
    value: str
    start: int
    end: int


class SlicedField(msgspec.Struct, frozen=True, gc=False):
    """A field: its tag, and its bytes with what separates it from others.

    ``offset`` is where its data begin in a record whose fields are in another order than its directory.
    """

    tag: str
    data: bytes
    offset: int = 0


class SlicedRecord(msgspec.Struct, frozen=True):
    """A record of ``size`` bytes: its fields in their order; ``frame`` is the rest, in a form of the carrier."""

    fields: tuple[SlicedField, ...]
    frame: Any
    size: int


class NewField(msgspec.Struct, frozen=True):
    """A data field to be written, with both indicators."""

    tag: str
    indicators: str
    subfields: tuple[Subfield, ...]


class CarrierForm(Protocol):
    """Splits and joins the records of one carrier; without changes the bytes are the same."""

    max_field_bytes: int
    max_record_bytes: int
    """The most bytes that a field and a record may have; 0: no limit."""

    entry_bytes: int
    """How many bytes a field takes beside its data."""

    begins_with_leader: bool
    """Whether the bytes of a record begin with its leader."""

    def slice(self, data: bytes) -> SlicedRecord:
        """Split a record; raises ``NotEditableError``."""

    def join(self, fields: Sequence[SlicedField], frame: Any) -> bytes:  # noqa: ANN401
        """Join the fields of a record; raises ``NotEditableError`` if it is too long."""

    def subfields(self, field: SlicedField) -> tuple[SlicedSubfield, ...]:
        """Return the subfields of a field; none of a control field, and of one that must stay as it is."""

    def field_slice(self, record: SlicedRecord, after: int, field: NewField, charset: str) -> SlicedField:
        """Return the slice of a new field that comes after the one at a position; raises ``ValueError``."""

    def with_subfields(self, field: SlicedField, subfields: tuple[Subfield, ...], charset: str) -> SlicedField:
        """Return a field with further subfields at its end; raises ``ValueError``."""


def insertion_position(record: SlicedRecord, tag: str) -> int:
    """Return the position of the last field with a tag that is not higher, in the order of the record; -1: none."""
    found = (position for position, field in enumerate(record.fields) if field.tag <= tag)
    return max(found, default=-1)


def without_subfields(field: SlicedField, subfields: Iterable[SlicedSubfield]) -> SlicedField:
    """Return a field without some of its subfields, which are in the order of the field."""
    data = field.data
    for subfield in reversed(list(subfields)):
        data = data[: subfield.start] + data[subfield.end :]
    return SlicedField(field.tag, data, field.offset)
