"""Aleph sequential: ``000000001 24510 L $$aText``, a line for each field, with the system number before it.

``^`` is a blank in LDR and 00X. Lines with the same number are one record; its number becomes 001 where there is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from bibld.errors import ReadError
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield
from bibld.protocols import Parsed, Raw
from bibld.read._carrier import CharsetCarrier, CharsetSettings
from bibld.read._characters import counted
from bibld.read._charset import LATIN1
from bibld.read._lines import BOM, blocks, charsets_of, text_of
from bibld.read._pieces import Piece, as_raws

_NUMBER_LENGTH = 9
_LEADER_LENGTH = 24
_LINE_LIKE = re.compile(rb"[0-9]{9} [0-9A-Za-z]{3}[ -~]{2} [A-Z] [^\r\n]")
_LINE = re.compile(r"[0-9]{9} (\S{3})(.)(.) [A-Z](?: (.*))?")


Settings = CharsetSettings


class AlephCarrier(CharsetCarrier, frozen=True):
    """One file of Aleph sequential."""

    def raws(self, stream: BinaryIO) -> Iterator[Raw | ReadError]:
        """Cut the file where the system number changes."""
        return as_raws(self.source, self.file, _cut(stream, self.max_record_bytes))

    def parse(self, raw: Raw) -> Parsed:
        """Read one record; raises ``ReadError`` where no line is a field."""
        text, warnings = text_of(raw.data, self.charsets)
        leader: str | None = None
        fields: list[ControlField | DataField] = []
        for tag, indicators, content in _fields(text, warnings):
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
        if leader is None:
            warnings.append("no leader")
        elif len(leader.rstrip()) > _LEADER_LENGTH:
            warnings.append(f"leader of {len(leader)} characters")
        whole = Leader((leader or "").ljust(_LEADER_LENGTH)[:_LEADER_LENGTH])
        return Parsed(MarcRecord(raw.origin, whole, tuple(fields)), counted(warnings))


CarrierType = AlephCarrier


def sniffs(head: bytes) -> bool:
    """Whether the first line is a field with a system number before it."""
    return _LINE_LIKE.match(head.removeprefix(BOM).lstrip(b"\r\n")) is not None


def examine(stream: BinaryIO, name: str, source: str, settings: Settings) -> AlephCarrier:
    """Settle the charset from the first 200 records: UTF-8 unless they say otherwise."""
    charsets = charsets_of(settings.charset, _cut(stream, settings.max_record_bytes), LATIN1)
    return AlephCarrier(source=source, file=name, charsets=charsets, max_record_bytes=settings.max_record_bytes)


def _cut(stream: BinaryIO, maximum: int) -> Iterator[Piece]:
    return blocks(stream, maximum, _is_of_another, at_blanks=False)


def _is_of_another(line: bytes, first: bytes) -> bool:
    """Whether a line has a system number, and not that of the record; one without continues the field before it."""
    return _LINE_LIKE.match(line) is not None and line[:_NUMBER_LENGTH] != first[:_NUMBER_LENGTH]


def _fields(text: str, warnings: list[str]) -> list[tuple[str, str, str]]:
    """Tag, indicators and content of each field."""
    found: list[tuple[str, str, str]] = []
    for line in text.split("\n"):
        line = line.removesuffix("\r")
        match = _LINE.fullmatch(line)
        if match is not None:
            found.append((match[1], match[2] + match[3], match[4] or ""))
        elif found and line.strip():
            warnings.append("a line without a system number taken as the rest of the line before")
            tag, indicators, content = found[-1]
            found[-1] = (tag, indicators, f"{content} {line.strip()}")
        elif line.strip():
            warnings.append(f"no field in {line[:40]!r}")
    return found


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
