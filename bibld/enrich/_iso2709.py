"""Split records of ISO 2709 into the slices of their fields, whose order may differ from that of the directory."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import msgspec

from bibld.enrich._slices import NewField, NotEditableError, SlicedField, SlicedRecord, SlicedSubfield
from bibld.model.marc import Subfield
from bibld.read import encode_text

_RECORD_END, _FIELD_END, _DELIMITER = b"\x1d", b"\x1e", b"\x1f"
_SEPARATORS = frozenset("\x1b\x1d\x1e\x1f")
_LEADER_LENGTH, _ENTRY_LENGTH, _INDICATORS = 24, 12, 2
_BASE_ADDRESS = slice(12, 17)
_MAX_NUMBER = 99_999


class _IsoFrame(msgspec.Struct, frozen=True):
    """The leader, the record terminator (or nothing), and the stated length minus the real one."""

    leader: bytes
    end: bytes
    surplus: int | None


class Iso2709Form:
    """Refuses a directory that does not fit the fields; keeps the difference of a wrong record length."""

    max_field_bytes = 9_999
    max_record_bytes = _MAX_NUMBER
    entry_bytes = _ENTRY_LENGTH
    begins_with_leader = True

    def slice(self, data: bytes) -> SlicedRecord:
        """Split a record by its directory; raises ``NotEditableError`` if that does not fit the fields."""
        end = _RECORD_END if data.endswith(_RECORD_END) else b""
        base = _number(data[_BASE_ADDRESS])
        directory = data[_LEADER_LENGTH : base - 1]
        if base <= _LEADER_LENGTH + 1 or data[base - 1 : base] != _FIELD_END or len(directory) % _ENTRY_LENGTH:
            raise NotEditableError("its base address does not lead to the end of a directory")
        body = data[base : len(data) - len(end)]
        fields: list[SlicedField] = []
        for start in range(0, len(directory), _ENTRY_LENGTH):
            entry = directory[start : start + _ENTRY_LENGTH]
            length, offset = (int(entry[3:7]), int(entry[7:])) if entry[3:].isdigit() else (-1, 0)
            content = body[offset : offset + length] if length > 0 else b""
            if not content.endswith(_FIELD_END) or len(content) != length:
                raise NotEditableError("its directory does not fit its fields")
            fields.append(SlicedField(entry[:3].decode("latin-1"), content, offset))
        in_order = sorted(fields, key=_offset)
        starts = accumulate((len(field.data) for field in in_order), initial=0)
        if not fields or any(field.offset != start for field, start in zip(in_order, starts, strict=False)):
            raise NotEditableError("its directory does not fit its fields")
        if sum(len(field.data) for field in fields) != len(body):
            raise NotEditableError("it has fields that are not in its directory")
        stated = _number(data[:5])
        frame = _IsoFrame(data[:_LEADER_LENGTH], end, stated - len(data) if stated >= 0 else None)
        return SlicedRecord(tuple(fields), frame, len(data))

    def join(self, fields: Sequence[SlicedField], frame: _IsoFrame) -> bytes:
        """Join the fields of a record; the lengths are computed."""
        in_order = sorted(range(len(fields)), key=lambda position: fields[position].offset)
        starts: dict[int, int] = {}
        at = 0
        for position in in_order:
            starts[position] = at
            at += len(fields[position].data)
        directory = b"".join(
            field.tag.encode("latin-1") + b"%04d%05d" % (len(field.data), starts[position])
            for position, field in enumerate(fields)
        )
        base = _LEADER_LENGTH + len(directory) + 1
        length = base + at + len(frame.end)
        stated = length + (frame.surplus or 0)
        if max(length, stated) > _MAX_NUMBER:
            raise NotEditableError(f"it would have {length} bytes; ISO 2709 allows {_MAX_NUMBER}")
        leader = frame.leader if frame.surplus is None else b"%05d" % stated + frame.leader[5:]
        leader = leader[:12] + b"%05d" % base + leader[17:]
        data = [fields[position].data for position in in_order]
        return b"".join((leader, directory, _FIELD_END, *data, frame.end))

    def subfields(self, field: SlicedField) -> tuple[SlicedSubfield, ...]:
        """Return the subfields of a field; none without two indicators, or if a terminator is within it."""
        before, *parts = field.data[:-1].split(_DELIMITER)
        if field.tag < "010" or len(before) != _INDICATORS or field.data.find(_FIELD_END) != len(field.data) - 1:
            return ()
        found: list[SlicedSubfield] = []
        start = _INDICATORS
        for part in parts:
            end = start + 1 + len(part)
            found.append(SlicedSubfield(part[:1].decode("latin-1"), part[1:].decode("latin-1"), start, end))
            start = end
        return tuple(found)

    def field_slice(self, record: SlicedRecord, after: int, field: NewField, charset: str) -> SlicedField:
        """Return the bytes of a new field; its data come after those of the field before it."""
        data = field.indicators.encode("ascii") + _subfield_bytes(field.subfields, charset) + _FIELD_END
        offset = record.fields[after].offset if after >= 0 else -1
        return SlicedField(field.tag, data, offset)

    def with_subfields(self, field: SlicedField, subfields: tuple[Subfield, ...], charset: str) -> SlicedField:
        """Return a field with further subfields before its terminator."""
        data = field.data[:-1] + _subfield_bytes(subfields, charset) + _FIELD_END
        return SlicedField(field.tag, data, field.offset)


def _offset(field: SlicedField) -> int:
    return field.offset


def _number(digits: bytes) -> int:
    return int(digits) if digits.isdigit() else -1


def _subfield_bytes(subfields: tuple[Subfield, ...], charset: str) -> bytes:
    parts = []
    for subfield in subfields:
        if not _SEPARATORS.isdisjoint(subfield.value):
            raise ValueError("the text contains a character that separates fields")
        parts += [_DELIMITER, subfield.code.encode("ascii"), encode_text(subfield.value, charset)]
    return b"".join(parts)
