r"""Split records of text into slices: MARCMaker, Aleph sequential, and the lines of yaz-marcdump.

Each field is its line with those that continue it, and the line end before it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

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
from bibld.model.marc import Subfield
from bibld.read import encode_text

_LINE_END = re.compile(rb"\r?\n")
_LONE_RETURN = re.compile(rb"\r(?!\n)")
_LEADER_AT_END = re.compile(rb"(?:\A|\n)[0-9]{5}[ -~]{5}[ -~]{2}[0-9]{5}[ -~]{0,7}\Z")
"""A leader without a tag before it, perhaps behind comments, as yaz-marcdump writes it."""


class _LinesFrame(msgspec.Struct, frozen=True):
    """The line end after the last field, how lines end, and the line end before the first field, mostly none."""

    tail: bytes
    line_end: bytes
    head: bytes


class LineSyntax(msgspec.Struct, frozen=True):
    """How a carrier writes a field on a line.

    ``line`` matches a line that begins a field, with the groups ``tag`` and ``body`` (indicators and subfields);
    ``leader`` are the tags of leaders. ``delimiter`` is before the code of a subfield, ``after_code`` behind it.
    ``begin`` returns what is before the subfields of a new field: from its tag and indicators, and a line before it.
    ``escape`` returns a text as it is written.
    """

    line: re.Pattern[bytes]
    leaders: frozenset[str]
    delimiter: bytes
    after_code: bytes
    begin: Callable[[str, str, bytes], bytes]
    escape: Callable[[str], str]


class LinesForm:
    """A carrier whose records are lines."""

    max_field_bytes = max_record_bytes = entry_bytes = 0
    begins_with_leader = False

    def __init__(self, syntax: LineSyntax) -> None:
        self._syntax = syntax

    def slice(self, data: bytes) -> SlicedRecord:
        """Split the lines of a record into fields; raises ``NotEditableError`` if none is a field."""
        if _LONE_RETURN.search(data):
            raise NotEditableError("a line of it contains a carriage return")
        ends = [found.span() for found in _LINE_END.finditer(data)]
        tail = data[ends[-1][0] :] if ends and ends[-1][1] == len(data) else b""
        line_end = data[ends[0][0] : ends[0][1]] if ends else b"\n"
        starts = [0, *(start for start, end in ends if end < len(data))]
        fields: list[SlicedField] = []
        for start, end in zip(starts, [*starts[1:], len(data) - len(tail)], strict=True):
            line = data[start:end]
            found = self._syntax.line.fullmatch(line.lstrip(b"\r\n"))
            if found is None and fields:
                last = fields.pop()
                fields.append(SlicedField(last.tag, last.data + line))
            else:
                fields.append(self._field(line))
        if fields[0].tag == NO_TAG and _LEADER_AT_END.search(fields[0].data):
            fields[0] = SlicedField(LEADER_TAG, fields[0].data)
        if fields[0].tag == NO_TAG or fields[-1].tag == LEADER_TAG:
            raise NotEditableError("its first line is no field, or none is")
        head = line_end if data.startswith(line_end) else b""
        return SlicedRecord(tuple(fields), _LinesFrame(tail, line_end, head), len(data))

    def join(self, fields: Sequence[SlicedField], frame: _LinesFrame) -> bytes:
        """Join the lines of a record; the first one has no line end before it."""
        return frame.head + b"".join(field.data for field in fields).removeprefix(frame.line_end) + frame.tail

    def field_slice(self, record: SlicedRecord, after: int, field: NewField, charset: str) -> SlicedField:
        """Return the line of a new field, with the line end before it."""
        before = record.fields[max(after, 0)].data.lstrip(b"\r\n")
        begin = self._syntax.begin(field.tag, field.indicators, before)
        line = begin + self._written(field.subfields, charset)
        line_end: bytes = record.frame.line_end
        return SlicedField(field.tag, line_end + line if after >= 0 else line + line_end)

    def with_subfields(self, field: SlicedField, subfields: tuple[Subfield, ...], charset: str) -> SlicedField:
        """Return a field with further subfields at the end of its line."""
        return self._field(field.data + self._written(subfields, charset))

    def _field(self, data: bytes) -> SlicedField:
        """Return the field of a line."""
        found = self._syntax.line.fullmatch(data.lstrip(b"\r\n"))
        if found is None:
            return SlicedField(NO_TAG, data)
        tag = found["tag"].decode("latin-1")
        return SlicedField(LEADER_TAG if tag in self._syntax.leaders else tag, data)

    def subfields(self, field: SlicedField) -> tuple[SlicedSubfield, ...]:
        """Return the subfields of a field; none of one with lines that continue it, because it must stay as it is."""
        found = self._syntax.line.fullmatch(field.data.lstrip(b"\r\n"))
        before, *parts = (found["body"] if found is not None else b"").split(self._syntax.delimiter)
        if found is None or field.tag < "010" or not all(parts):
            return ()
        subfields: list[SlicedSubfield] = []
        start = len(field.data) - len(found["body"]) + len(before)
        for part in parts:
            end = start + len(self._syntax.delimiter) + len(part)
            value = part[1:].removeprefix(self._syntax.after_code)
            subfields.append(SlicedSubfield(part[:1].decode("latin-1"), value.decode("latin-1"), start, end))
            start = end
        return tuple(subfields)

    def _written(self, subfields: Sequence[Subfield], charset: str) -> bytes:
        parts = []
        for subfield in subfields:
            if "\n" in subfield.value or "\r" in subfield.value:
                raise ValueError("the text contains a line end")
            written = encode_text(self._syntax.escape(subfield.value), charset)
            parts += [self._syntax.delimiter, subfield.code.encode("ascii"), self._syntax.after_code, written]
        return b"".join(parts)


_MNEMONICS = str.maketrans({"$": "{dollar}", "{": "{lcub}", "}": "{rcub}"})


def _mrk_begin(tag: str, indicators: str, before: bytes) -> bytes:
    return f"={tag}  {indicators.replace(' ', chr(92))}".encode("ascii")


def _aleph_begin(tag: str, indicators: str, before: bytes) -> bytes:
    return before[:10] + f"{tag}{indicators}".encode("ascii") + before[15:18]


def _yaz_begin(tag: str, indicators: str, before: bytes) -> bytes:
    return f"{tag} {indicators}".encode("ascii")


def _without(marks: str) -> Callable[[str], str]:
    """Return a function that refuses texts with a mark that a carrier cannot write otherwise."""

    def check(text: str) -> str:
        if marks in text:
            raise ValueError(f"the text contains {marks!r}, which begins a subfield there")
        return text

    return check


MRK = LinesForm(
    LineSyntax(
        line=re.compile(rb"=(?P<tag>LEADER|...) {0,2}(?P<body>[^\r\n]*)"),
        leaders=frozenset(("LDR", "LEADER", "000")),
        delimiter=b"$",
        after_code=b"",
        begin=_mrk_begin,
        escape=lambda text: text.translate(_MNEMONICS),
    )
)
ALEPH = LinesForm(
    LineSyntax(
        line=re.compile(rb"[0-9]{9} (?P<tag>\S{3}).. [A-Z](?: (?P<body>[^\r\n]*))"),
        leaders=frozenset(("LDR",)),
        delimiter=b"$$",
        after_code=b"",
        begin=lambda tag, indicators, before: _aleph_begin(tag, indicators, before) + b" ",
        escape=_without("$$"),
    )
)
YAZ = LinesForm(
    LineSyntax(
        line=re.compile(rb"(?P<tag>[0-9A-Za-z]{3}) (?P<body>[^\r\n]*)"),
        leaders=frozenset(),
        delimiter=b" $",
        after_code=b" ",
        begin=_yaz_begin,
        escape=_without(" $"),
    )
)
