"""The lines of ``yaz-marcdump``: a leader, ``245 10 $a Text $c Text``, a blank line between records.

Every subfield is `` $``, its code, a blank and its text; a text that contains the same cannot be distinguished from it.
"""

from __future__ import annotations

import re

from bibld.model.marc import ControlField, DataField, Subfield
from bibld.read._carrier import BOM, CharsetSettings, Field, LineCarrier, join_lines
from bibld.text.charsets import MARC8

_LEADER = rb"[0-9]{5}[ -~]{5}[ -~]{2}[0-9]{5}[ -~]{3}[0-9]{0,4} {0,4}"
_LEADER_LINE = re.compile(_LEADER + rb"\r?\n?\Z")
_NOTES = rb"(?:<!--[^\n]*-->[ \r]*\n|[ \r]*\n)*"
_FIRST_LINES = re.compile(_NOTES + _LEADER + rb"\r?\n[0-9A-Za-z]{3} [^\n]")
_COMMENT = re.compile("^<!--.*\n?", re.MULTILINE)
_LINE = re.compile(r"[0-9A-Za-z]{3} .*")
_DATA = re.compile(r"(.)(.) (?=\$)(.*)")
_SUBFIELD = re.compile(r"(?:^|(?<= ))\$(\S)(?: |$)")


Settings = CharsetSettings


class YazCarrier(LineCarrier, frozen=True):
    """One file in the line format of yaz-marcdump; what is not UTF-8 may still be MARC-8."""

    legacy = MARC8
    example = "245 10 $a Title"

    @staticmethod
    def begins_record(line: bytes, first: bytes) -> bool:
        """Return whether a line is a leader, which begins a record even without a blank line before it."""
        return _LEADER_LINE.match(line) is not None

    def fields(self, text: str, warnings: list[str]) -> tuple[str | None, list[Field]]:
        """Return the leader and the fields; comments are dropped."""
        leader, _, rest = _COMMENT.sub("", text).lstrip("\r\n").partition("\n")
        has_leader = _LEADER_LINE.fullmatch(leader.removesuffix("\r").encode()) is not None
        lines = join_lines(rest if has_leader else _COMMENT.sub("", text), _LINE.fullmatch, "a tag", warnings)
        return leader.removesuffix("\r") if has_leader else None, [_field(line, warnings) for line in lines]


CarrierType = YazCarrier


def sniffs(head: bytes) -> bool:
    """Return whether the first line is a leader and the next a field."""
    return _FIRST_LINES.match(head.removeprefix(BOM)) is not None


examine = YazCarrier.examine


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
