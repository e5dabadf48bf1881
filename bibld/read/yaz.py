"""The lines of ``yaz-marcdump``: a leader, ``245 10 $a Text $c Text``, a blank line between records.

Every subfield is `` $``, its code, a blank and its text; a text that holds the like cannot be told from it.
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
from bibld.read._lines import BOM, blocks, charsets_of, text_of
from bibld.read._marc8 import MARC8
from bibld.read._pieces import Piece, as_raws

_LEADER_LENGTH = 24
_LEADER = rb"[0-9]{5}[ -~]{5}[ -~]{2}[0-9]{5}[ -~]{3}[0-9]{0,4} {0,4}"
_LEADER_LINE = re.compile(_LEADER + rb"\r?\n?\Z")
_NOTES = rb"(?:<!--[^\n]*-->[ \r]*\n|[ \r]*\n)*"
_FIRST_LINES = re.compile(_NOTES + _LEADER + rb"\r?\n[0-9A-Za-z]{3} [^\n]")
_LINE = re.compile(r"([0-9A-Za-z]{3}) (.*)")
_DATA = re.compile(r"(.)(.) (?=\$)(.*)")
_SUBFIELD = re.compile(r"(?:^|(?<= ))\$(\S)(?: |$)")


Settings = CharsetSettings


class YazCarrier(CharsetCarrier, frozen=True):
    """One file in the line format of yaz-marcdump."""

    def raws(self, stream: BinaryIO) -> Iterator[Raw | ReadError]:
        """Cut the file at blank lines, and where a leader begins another record without one."""
        return as_raws(self.source, self.file, _cut(stream, self.max_record_bytes))

    def parse(self, raw: Raw) -> Parsed:
        """Read one record; raises ``ReadError`` where no line is a field."""
        text, warnings = text_of(raw.data, self.charsets)
        leader: str | None = None
        lines: list[str] = []
        for line in text.split("\n"):
            line = line.removesuffix("\r")
            if not line.strip() or line.startswith("<!--"):
                continue
            if leader is None and not lines and _LEADER_LINE.fullmatch(line.encode()):
                leader = line
            elif _LINE.fullmatch(line):
                lines.append(line)
            elif lines:
                warnings.append("a line without a tag taken as the rest of the line before")
                lines[-1] += f" {line.strip()}"
            else:
                warnings.append(f"no tag in {line[:40]!r}")
        if not lines:
            raise ReadError(raw.origin, "no line of the text is a field such as 245 10 $a Title", raw.data)
        if leader is None:
            warnings.append("no leader")
        fields = tuple(_field(line, warnings) for line in lines)
        whole = Leader((leader or "").ljust(_LEADER_LENGTH)[:_LEADER_LENGTH])
        return Parsed(MarcRecord(raw.origin, whole, fields), counted(warnings))


CarrierType = YazCarrier


def sniffs(head: bytes) -> bool:
    """Whether the first line is a leader and the next a field."""
    return _FIRST_LINES.match(head.removeprefix(BOM)) is not None


def examine(stream: BinaryIO, name: str, source: str, settings: Settings) -> YazCarrier:
    """Settle the charset from the first 200 records; what is not UTF-8 may be MARC-8 still."""
    charsets = charsets_of(settings.charset, _cut(stream, settings.max_record_bytes), MARC8)
    return YazCarrier(source=source, file=name, charsets=charsets, max_record_bytes=settings.max_record_bytes)


def _cut(stream: BinaryIO, maximum: int) -> Iterator[Piece]:
    return blocks(stream, maximum, lambda line, first: _LEADER_LINE.match(line) is not None, at_blanks=True)


def _field(line: str, warnings: list[str]) -> ControlField | DataField:
    tag, rest = line[:3], line[4:]
    data = _DATA.fullmatch(rest)
    if tag.startswith("00") or data is None:
        if not tag.startswith("00") and tag.isdigit():
            warnings.append(f"{tag}: no subfield")
            whole = (Subfield("a", rest[2:].strip()),) if rest[2:].strip() else ()
            return DataField(tag, rest[:1] or " ", rest[1:2] or " ", whole)
        return ControlField(tag, rest)
    _, *parts = _SUBFIELD.split(data[3])
    pairs = zip(parts[::2], parts[1::2], strict=True)
    last = len(parts) // 2 - 1
    subfields = tuple(
        Subfield(code, text if number == last else text.removesuffix(" ")) for number, (code, text) in enumerate(pairs)
    )
    return DataField(tag, data[1], data[2], subfields)
