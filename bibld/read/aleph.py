"""Aleph sequential: ``000000001 24510 L $$aText``, a line for each field, with the system number before it.

``^`` is a blank in LDR and 00X. Lines with the same number are one record; its number becomes 001 if it has none.
"""

from __future__ import annotations

import re
from typing import BinaryIO

from bibld.errors import ReadError
from bibld.model.marc import ControlField, DataField, Subfield
from bibld.protocols import Parsed, Raw
from bibld.read._carrier import BOM, CharsetSettings, Field, LineCarrier, decode_text, to_parsed
from bibld.read._charset import LATIN1

_NUMBER_LENGTH = 9
_LINE_LIKE = re.compile(rb"[0-9]{9} [0-9A-Za-z]{3}[ -~]{2} [A-Z] [^\r\n]")
_LINE = re.compile(r"[0-9]{9} (\S{3})(.)(.) [A-Z](?: (.*))?")


Settings = CharsetSettings


class AlephCarrier(LineCarrier, frozen=True):
    """One file of Aleph sequential."""

    ends_at_blanks = False

    @staticmethod
    def begins_record(line: bytes, first: bytes) -> bool:
        """Return whether a line has another system number; a line without a number continues the field before it."""
        return _LINE_LIKE.match(line) is not None and line[:_NUMBER_LENGTH] != first[:_NUMBER_LENGTH]

    def parse(self, raw: Raw) -> Parsed:
        """Read one record; raises ``ReadError`` if no line is a field."""
        text, warnings = decode_text(raw.data, self.charsets)
        leader: str | None = None
        fields: list[Field] = []
        for tag, indicators, content in _split_lines(text, warnings):
            if tag == "LDR":
                leader = content.replace("^", " ")
            elif tag.startswith("00") or "$$" not in content:
                fields.append(ControlField(tag, content.replace("^", " ")))
            else:
                fields.append(_data_field(tag, indicators, content, warnings))
        if not fields:
            reason = "no line of the text is a field such as 000000001 24510 L $$aTitle"
            raise ReadError(raw.origin, reason, raw.data)
        if not any(field.tag == "001" for field in fields):
            fields.insert(0, ControlField("001", text[:_NUMBER_LENGTH]))
        return to_parsed(raw, leader, fields, warnings)


CarrierType = AlephCarrier


def sniffs(head: bytes) -> bool:
    """Return whether the first line is a field with a system number before it."""
    return _LINE_LIKE.match(head.removeprefix(BOM).lstrip(b"\r\n")) is not None


def examine(stream: BinaryIO, name: str, source: str, settings: Settings) -> AlephCarrier:
    """Find the charset by the first 200 records: UTF-8 unless they are in another."""
    return AlephCarrier.examine(stream, name, source, settings, LATIN1)


def _split_lines(text: str, warnings: list[str]) -> list[tuple[str, str, str]]:
    """Return tag, indicators and content of each field."""
    fields: list[tuple[str, str, str]] = []
    for line in text.split("\n"):
        line = line.removesuffix("\r")
        match = _LINE.fullmatch(line)
        if match is not None:
            fields.append((match[1], match[2] + match[3], match[4] or ""))
        elif fields and line.strip():
            warnings.append("a line without a system number taken as the rest of the line before")
            tag, indicators, content = fields[-1]
            fields[-1] = (tag, indicators, f"{content} {line.strip()}")
        elif line.strip():
            warnings.append(f"no field in {line[:40]!r}")
    return fields


def _data_field(tag: str, indicators: str, content: str, warnings: list[str]) -> DataField:
    before, *parts = content.split("$$")
    subfields = []
    if before.strip():
        warnings.append(f"{tag}: text before the first subfield")
        subfields.append(Subfield("a", before.strip()))
    for part in parts:
        if part:
            subfields.append(Subfield(part[0], part[1:]))
        else:
            warnings.append(f"{tag}: a subfield without code and text dropped")
    return DataField(tag, indicators[0], indicators[1], tuple(subfields))
