"""The lines of ``yaz-marcdump``: a leader, ``245 10 $a Text $c Text``, a blank line between records.

Every subfield is `` $``, its code, a blank and its text; a text that contains the same cannot be distinguished from it.
"""

from __future__ import annotations

import re
from typing import BinaryIO

from bibld.errors import ReadError
from bibld.model.marc import ControlField, DataField, Subfield
from bibld.protocols import Parsed, Raw
from bibld.read._carrier import BOM, CharsetSettings, Field, LineCarrier, decode_text, to_parsed
from bibld.text.charsets import MARC8

_LEADER = rb"[0-9]{5}[ -~]{5}[ -~]{2}[0-9]{5}[ -~]{3}[0-9]{0,4} {0,4}"
_LEADER_LINE = re.compile(_LEADER + rb"\r?\n?\Z")
_NOTES = rb"(?:<!--[^\n]*-->[ \r]*\n|[ \r]*\n)*"
_FIRST_LINES = re.compile(_NOTES + _LEADER + rb"\r?\n[0-9A-Za-z]{3} [^\n]")
_LINE = re.compile(r"([0-9A-Za-z]{3}) (.*)")
_DATA = re.compile(r"(.)(.) (?=\$)(.*)")
_SUBFIELD = re.compile(r"(?:^|(?<= ))\$(\S)(?: |$)")


Settings = CharsetSettings


class YazCarrier(LineCarrier, frozen=True):
    """One file in the line format of yaz-marcdump."""

    @staticmethod
    def begins_record(line: bytes, first: bytes) -> bool:
        """Return whether a line is a leader, which begins a record even without a blank line before it."""
        return _LEADER_LINE.match(line) is not None

    def parse(self, raw: Raw) -> Parsed:
        """Read one record; raises ``ReadError`` if no line is a field."""
        text, warnings = decode_text(raw.data, self.charsets)
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
        return to_parsed(raw, leader, [_field(line, warnings) for line in lines], warnings)


CarrierType = YazCarrier


def sniffs(head: bytes) -> bool:
    """Return whether the first line is a leader and the next a field."""
    return _FIRST_LINES.match(head.removeprefix(BOM)) is not None


def examine(stream: BinaryIO, name: str, source: str, settings: Settings) -> YazCarrier:
    """Find the charset by the first 200 records; what is not UTF-8 may still be MARC-8."""
    return YazCarrier.examine(stream, name, source, settings, MARC8)


def _field(line: str, warnings: list[str]) -> Field:
    tag, rest = line[:3], line[4:]
    data = _DATA.fullmatch(rest)
    if tag.startswith("00") or data is None:
        if not tag.startswith("00") and tag.isdigit():
            warnings.append(f"{tag}: no subfield")
            subfields = (Subfield("a", rest[2:].strip()),) if rest[2:].strip() else ()
            return DataField(tag, rest[:1] or " ", rest[1:2] or " ", subfields)
        return ControlField(tag, rest)
    _, *parts = _SUBFIELD.split(data[3])
    pairs = zip(parts[::2], parts[1::2], strict=True)
    last = len(parts) // 2 - 1
    return DataField(
        tag,
        data[1],
        data[2],
        tuple(Subfield(code, text if at == last else text.removesuffix(" ")) for at, (code, text) in enumerate(pairs)),
    )
