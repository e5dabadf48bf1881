"""Split records of MARC-in-JSON into slices: each field is an object in ``fields`` with the comma before it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from bibld.enrich._slices import NewField, NotEditableError, SlicedField, SlicedRecord, SlicedSubfield
from bibld.model.marc import Subfield
from bibld.text.charsets import UTF8

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_OPEN, _CLOSE = (b"{", b"["), (b"}", b"]")


class _JsonFrame(msgspec.Struct, frozen=True):
    """The bytes up to the first field and from behind the last one, and what is between fields."""

    head: bytes
    tail: bytes
    separator: bytes


class _Value(msgspec.Struct, frozen=True):
    """A value of an object or array: key (empty in an array) and position; ``gap`` begins after the value before."""

    key: str
    gap: int
    start: int
    end: int


class JsonForm:
    """MARC-in-JSON; texts are written in UTF-8, in files of another charset with escapes."""

    max_field_bytes = max_record_bytes = entry_bytes = 0
    begins_with_leader = False

    def slice(self, data: bytes) -> SlicedRecord:
        """Split a record; raises ``NotEditableError`` if it has no array of fields, each an object with a tag."""
        try:
            msgspec.json.decode(data, type=msgspec.Raw)
            fields = next(
                one for one in _values(data, 0) if one.key == "fields" and data[one.start : one.start + 1] == b"["
            )
        except (msgspec.DecodeError, RecursionError, StopIteration) as error:
            raise NotEditableError("it is no object with an array of fields") from error
        items = list(_values(data, fields.start))
        slices = []
        for item in items:
            found = list(_values(data, item.start)) if data[item.start : item.start + 1] == b"{" else []
            if len(found) != 1:
                raise NotEditableError("a field of it is no object with one tag")
            slices.append(SlicedField(found[0].key, data[item.gap : item.end]))
        if not items:
            raise NotEditableError("it has no field")
        between = data[items[1].gap : items[1].start] if len(items) > 1 else b", "
        # The gap of the first field has no comma; it belongs to the beginning, so that fields can be before it.
        slices[0] = SlicedField(slices[0].tag, data[items[0].start : items[0].end])
        frame = _JsonFrame(data[: items[0].start], data[items[-1].end :], between)
        return SlicedRecord(tuple(slices), frame, len(data))

    def join(self, fields: Sequence[SlicedField], frame: _JsonFrame) -> bytes:
        """Join the fields of a record; the first one has no comma before it."""
        data = b"".join(field.data for field in fields)
        return frame.head + data.removeprefix(frame.separator) + frame.tail

    def subfields(self, field: SlicedField) -> tuple[SlicedSubfield, ...]:
        """Return the subfields of a field; none if they are not an array of objects with one code each."""
        array = _subfields_of(field.data)
        found: list[SlicedSubfield] = []
        for item in _values(field.data, array.start) if array is not None else ():
            text = json.loads(field.data[item.start : item.end], strict=False)
            if not isinstance(text, dict) or len(text) != 1:
                return ()
            ((code, value),) = text.items()
            found.append(SlicedSubfield(code, str(value), item.gap, item.end))
        return tuple(found)

    def field_slice(self, record: SlicedRecord, after: int, field: NewField, charset: str) -> SlicedField:
        """Return a new field as an object on one line, with a comma before it, or behind it if it is the first."""
        content = {
            "ind1": field.indicators[0],
            "ind2": field.indicators[1],
            "subfields": [{one.code: one.value} for one in field.subfields],
        }
        written, separator = _written({field.tag: content}, charset), record.frame.separator
        return SlicedField(field.tag, separator + written if after >= 0 else written + separator)

    def with_subfields(self, field: SlicedField, subfields: tuple[Subfield, ...], charset: str) -> SlicedField:
        """Return a field with further subfields at the end of their array."""
        array = _subfields_of(field.data)
        assert array is not None  # it has subfields
        items = list(_values(field.data, array.start))
        between = field.data[items[1].gap : items[1].start] if len(items) > 1 else b", "
        added = b"".join(between + _written({one.code: one.value}, charset) for one in subfields)
        return SlicedField(field.tag, field.data[: items[-1].end] + added + field.data[items[-1].end :])


def _written(value: Any, charset: str) -> bytes:  # noqa: ANN401
    return json.dumps(value, ensure_ascii=charset != UTF8).encode()


def _subfields_of(data: bytes) -> _Value | None:
    """Return the array of the subfields of a field; None if there is none."""
    outer = next(_values(data, data.index(b"{")), None)
    if outer is None or data[outer.start : outer.start + 1] != b"{":
        return None
    inner = (one for one in _values(data, outer.start) if one.key == "subfields")
    found = next(inner, None)
    return found if found is not None and data[found.start : found.start + 1] == b"[" else None


def _values(data: bytes, start: int) -> Iterator[_Value]:
    """Yield the values of the object or array that begins at a position of well-formed JSON."""
    is_object = data[start : start + 1] == b"{"
    position = gap = start + 1
    key = ""
    depth, begin = 0, -1
    for token in _TOKEN.finditer(data, position):
        if depth == 0 and begin < 0 and token[0] in (b",", b":"):
            continue
        if depth == 0 and begin < 0 and token[0] in _CLOSE:
            return
        if depth == 0 and begin < 0 and is_object and not key:
            key = json.loads(token[0])
            continue
        if begin < 0:
            begin = token.start()
        depth += (token[0] in _OPEN) - (token[0] in _CLOSE)
        if depth == 0:
            yield _Value(key, gap, begin, token.end())
            gap, begin, key = token.end(), -1, ""
