"""Split records of MARC in XML into slices: each field is an element with the bytes before it, mostly blanks."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape

import msgspec

from bibld.enrich._slices import (
    LEADER_TAG,
    NO_TAG,
    NewField,
    NotEditableError,
    SlicedField,
    SlicedRecord,
    SlicedSubfield,
)
from bibld.model.foreign_xml import ILLEGAL_CHARACTERS
from bibld.model.marc import Subfield

_MARKUP = re.compile(
    rb"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<(/?)((?:[A-Za-z_][\w.-]*:)?[A-Za-z_][\w.-]*)"
    rb"""((?:[^<>"']|"[^"<]*"|'[^'<]*')*)>""",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(rb"""([\w.:-]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')""")


class _Child(msgspec.Struct, frozen=True):
    """A child element: its name, its attributes, and the positions of the bytes before it, its tags and its content."""

    name: bytes
    attributes: bytes
    gap: int
    start: int
    content: int
    content_end: int
    end: int

    @property
    def local_name(self) -> bytes:
        """The name without its prefix."""
        return self.name.rpartition(b":")[2]

    def attribute(self, name: bytes) -> str:
        """Return the text of an attribute; empty if it is absent."""
        for found in _ATTRIBUTE.finditer(self.attributes):
            if found[1] == name:
                return _text(found[2] if found[2] is not None else found[3])
        return ""


class _XmlFrame(msgspec.Struct, frozen=True):
    """The bytes before and after the elements of a record; the prefix of their names and the blanks between them.

    ``prefix`` is that of the names, ``gap`` is before fields, ``inner_gap`` before subfields, ``last_gap`` before the
    end of a field.
    """

    head: bytes
    tail: bytes
    prefix: bytes
    gap: bytes
    inner_gap: bytes
    last_gap: bytes


class XmlForm:
    """MARCXML, MarcXchange and UNISlim; every character can be written in any charset."""

    max_field_bytes = max_record_bytes = entry_bytes = 0
    begins_with_leader = False

    def slice(self, data: bytes) -> SlicedRecord:
        """Split a record element; raises ``NotEditableError`` if it is none, or its elements are not closed."""
        record = next(_children(data, 0, len(data)), None)
        if record is None or record.content_end == record.end:
            raise NotEditableError("it is not one closed record element")
        children = list(_children(data, record.content, record.content_end))
        fields = [_sliced_field(data, child) for child in children]
        at_end = children[-1].end if children else record.content
        sample = next((child for child in children if child.local_name == b"datafield"), None)
        inner = list(_children(data, sample.content, sample.content_end)) if sample is not None else []
        gaps = (data[child.gap : child.start] for child in children)
        frame = _XmlFrame(
            head=data[: record.content],
            tail=data[at_end:],
            prefix=record.name[: -len(record.local_name)],
            gap=next((gap for gap in gaps if gap and not gap.strip()), b""),
            inner_gap=_blank(data[inner[0].gap : inner[0].start]) if inner else b"",
            last_gap=_blank(data[inner[-1].end : sample.content_end]) if inner and sample is not None else b"",
        )
        return SlicedRecord(tuple(fields), frame, len(data))

    def join(self, fields: Sequence[SlicedField], frame: _XmlFrame) -> bytes:
        """Join the fields of a record."""
        return b"".join((frame.head, *(field.data for field in fields), frame.tail))

    def subfields(self, field: SlicedField) -> tuple[SlicedSubfield, ...]:
        """Return the subfields of a field; none of an element that contains others than subfields."""
        data = field.data
        element = next(_children(data, 0, len(data)))
        if element.local_name != b"datafield":
            return ()
        found: list[SlicedSubfield] = []
        for part in _children(data, element.content, element.content_end):
            if part.local_name != b"subfield":
                return ()
            start = part.gap if not data[part.gap : part.start].strip() else part.start
            text = _text(data[part.content : part.content_end])
            found.append(SlicedSubfield(part.attribute(b"code"), text, start, part.end))
        return tuple(found)

    def field_slice(self, record: SlicedRecord, after: int, field: NewField, charset: str) -> SlicedField:
        """Return a new field as an element, indented as the others are."""
        frame: _XmlFrame = record.frame
        name = frame.prefix + b"datafield"
        attributes = (("tag", field.tag), ("ind1", field.indicators[0]), ("ind2", field.indicators[1]))
        written = "".join(f' {key}="{escape(value)}"' for key, value in attributes).encode("ascii")
        start = frame.gap + b"<" + name + written + b">"
        inner = b"".join(_subfield(one, frame.prefix, frame.inner_gap, charset) for one in field.subfields)
        return SlicedField(field.tag, start + inner + frame.last_gap + b"</" + name + b">")

    def with_subfields(self, field: SlicedField, subfields: tuple[Subfield, ...], charset: str) -> SlicedField:
        """Return a field with further subfields after its last one."""
        element = next(_children(field.data, 0, len(field.data)))
        last = list(_children(field.data, element.content, element.content_end))[-1]
        prefix = last.name[: -len(last.local_name)]
        gap = _blank(field.data[last.gap : last.start])
        added = b"".join(_subfield(one, prefix, gap, charset) for one in subfields)
        return SlicedField(field.tag, field.data[: last.end] + added + field.data[last.end :])


def _children(data: bytes, start: int, end: int) -> Iterator[_Child]:
    """Yield the elements directly within a part of the bytes; raises ``NotEditableError`` if one is not closed."""
    gap = start
    opened: list[re.Match[bytes]] = []
    for found in _MARKUP.finditer(data, start, end):
        name = found[2]
        if name is None:
            continue
        is_empty = found[3].endswith(b"/")
        if not found[1] and not is_empty:
            opened.append(found)
            continue
        first = opened.pop() if found[1] and opened else found
        if first[2] != name or (found[1] and first is found):
            raise NotEditableError(f"its element <{name.decode('latin-1')}> is not closed in order")
        if not opened:
            content = first.end()
            yield _Child(name, first[3], gap, first.start(), content, max(found.start(), content), found.end())
            gap = found.end()
    if opened:
        raise NotEditableError(f"its element <{opened[0][2].decode('latin-1')}> is not closed")


def _sliced_field(data: bytes, child: _Child) -> SlicedField:
    """Return the field of an element, with the bytes before it."""
    content = data[child.gap : child.end]
    if child.local_name == b"leader":
        return SlicedField(LEADER_TAG, content)
    if child.local_name not in (b"controlfield", b"datafield"):
        return SlicedField(NO_TAG, content)
    return SlicedField(child.attribute(b"tag").strip(), content)


def _text(data: bytes) -> str:
    return html.unescape(data.decode("latin-1"))


def _blank(gap: bytes) -> bytes:
    return b"" if gap.strip() else gap


def _subfield(subfield: Subfield, prefix: bytes, gap: bytes, charset: str) -> bytes:
    if ILLEGAL_CHARACTERS.search(subfield.value):
        raise ValueError("the text contains a character that XML cannot contain")
    name = prefix + b"subfield"
    text = escape(subfield.value).encode(charset, "xmlcharrefreplace")
    return gap + b"<" + name + f' code="{subfield.code}">'.encode("ascii") + text + b"</" + name + b">"
