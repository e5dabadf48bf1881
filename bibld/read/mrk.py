r"""MARCMaker text: ``=245  10$aText``, a blank line between records, ``%`` before a comment.

``\`` is a blank in the leader, in 006 to 008 and as an indicator (an embedded field's too); elsewhere it is itself,
since control numbers and data really contain it. ``{dollar}``, ``{bsol}``, ``{lcub}``, ``{rcub}`` are ``$ \ { }``.
"""

from __future__ import annotations

import re
from typing import BinaryIO

from bibld.errors import ReadError
from bibld.model.marc import ControlField, DataField, Subfield
from bibld.protocols import Parsed, Raw
from bibld.read._carrier import CharsetSettings, Field, LineCarrier, decode_text, to_parsed
from bibld.read._charset import LATIN1
from bibld.text.charsets import UTF8

_BLANKS_SHOWN = ("006", "007", "008")
_FIRST_LINE = re.compile(rb"\A(?:\xef\xbb\xbf)?(?:(?:%[^\n]*|[ \t\r]*)\n)*=(?:LDR|LEADER|[0-9]{3})  ?\S")
_LEADER_LINE = re.compile(rb"=(?:LDR|LEADER|000)[ \t]")
_LINE = re.compile(r"=(LEADER|...) {0,2}(.*)", re.DOTALL)
_EMBEDDED = re.compile(r"[0-9]{3}[0-9A-Za-z\\#]{2}")
_MNEMONIC = re.compile(r"\{(dollar|bsol|lcub|rcub)\}")
_CHARACTER = {"dollar": "$", "bsol": "\\", "lcub": "{", "rcub": "}"}


Settings = CharsetSettings


class MrkCarrier(LineCarrier, frozen=True):
    """One file of MARCMaker text."""

    comment = b"%"

    @staticmethod
    def begins_record(line: bytes, first: bytes) -> bool:
        """Return whether a line is a leader, which begins a record even without a blank line before it."""
        return _LEADER_LINE.match(line) is not None

    def parse(self, raw: Raw) -> Parsed:
        """Read one record; raises ``ReadError`` if no line is a field."""
        text, warnings = decode_text(raw.data, self.charsets)
        leader: str | None = None
        fields: list[Field] = []
        for line in _join_lines(text, warnings):
            match = _LINE.fullmatch(line)
            if match is None:
                warnings.append(f"no tag in {line[:40]!r}")
            elif match[1] in ("LDR", "LEADER", "000"):
                leader = match[2].replace("\\", " ")
            else:
                fields.append(_field(match[1], match[2], warnings))
        if not fields:
            raise ReadError(raw.origin, "no line of the text is a field such as =245  10$aTitle", raw.data)
        return to_parsed(raw, leader, fields, warnings)


CarrierType = MrkCarrier


def sniffs(head: bytes) -> bool:
    """Return whether the first line that is neither blank nor a comment is a leader or a field."""
    return _FIRST_LINE.match(head) is not None


def examine(stream: BinaryIO, name: str, source: str, settings: Settings) -> MrkCarrier:
    """Find the charset by the first 200 records: UTF-8 unless they are in another."""
    return MrkCarrier.examine(stream, name, source, settings, LATIN1, default=UTF8)


def _join_lines(text: str, warnings: list[str]) -> list[str]:
    """Return the lines without comments; one that does not begin with ``=`` continues the field before it."""
    lines: list[list[str]] = []
    for line in text.split("\n"):
        line = line.removesuffix("\r")
        if line.startswith("="):
            lines.append([line])
        elif line.strip() and not line.startswith("%"):
            if lines:
                warnings.append("a line without = taken as the rest of the line before")
                lines[-1].append(line)
            else:
                lines.append([line])
    return [" ".join(parts) for parts in lines]


def _field(tag: str, body: str, warnings: list[str]) -> Field:
    if tag.startswith("00") or "$" not in body:
        if tag.isdigit() and not tag.startswith("00"):
            warnings.append(f"{tag}: no subfield")
            return DataField(tag, *_indicators(body[:2]), (Subfield("a", _plain(body[2:])),) if body[2:] else ())
        return ControlField(tag, _plain(body.replace("\\", " ") if tag in _BLANKS_SHOWN else body))
    before, *parts = body.split("$")
    if len(before) != 2:
        warnings.append(f"{tag}: {len(before)} characters before the first subfield, not 2 indicators")
    subfields = [Subfield("a", _plain(before[2:].strip()))] if before[2:].strip() else []
    for part in parts:
        if not part:
            warnings.append(f"{tag}: a subfield without code and text dropped")
            continue
        value = part[1:].replace("\\", " ") if part[0] == "1" and _EMBEDDED.fullmatch(part[1:]) else part[1:]
        subfields.append(Subfield(part[0], _plain(value)))
    return DataField(tag, *_indicators(before[:2]), tuple(subfields))


def _indicators(text: str) -> tuple[str, str]:
    blank = text.replace("\\", " ").ljust(2)
    return blank[0], blank[1]


def _plain(text: str) -> str:
    return _MNEMONIC.sub(lambda name: _CHARACTER[name[1]], text)
