r"""MARCMaker text: ``=245  10$aText``, a blank line between records, ``%`` before a comment.

``\`` is a blank in the leader, in 006 to 008 and as an indicator (an embedded field's too); elsewhere it is itself,
since control numbers and data really contain it. ``{dollar}``, ``{bsol}``, ``{lcub}``, ``{rcub}`` are ``$ \ { }``.
"""

from __future__ import annotations

import re

from bibld.model.marc import ControlField, DataField, Subfield
from bibld.read._carrier import CharsetSettings, Field, LineCarrier, join_lines, split_subfields
from bibld.read._charset import LATIN1
from bibld.text.charsets import UTF8

_BLANKS_SHOWN = ("006", "007", "008")
_FIRST_LINE = re.compile(rb"\A(?:\xef\xbb\xbf)?(?:(?:%[^\n]*|[ \t\r]*)\n)*=(?:LDR|LEADER|[0-9]{3})  ?\S")
_LEADER_LINE = re.compile(rb"=(?:LDR|LEADER|000)[ \t]")
_COMMENT = re.compile("^%.*\n?", re.MULTILINE)
_LINE = re.compile(r"=(LEADER|...) {0,2}(.*)", re.DOTALL)
_EMBEDDED = re.compile(r"[0-9]{3}[0-9A-Za-z\\#]{2}")
_MNEMONIC = re.compile(r"\{(dollar|bsol|lcub|rcub)\}")
_CHARACTER = {"dollar": "$", "bsol": "\\", "lcub": "{", "rcub": "}"}


Settings = CharsetSettings


class MrkCarrier(LineCarrier, frozen=True):
    """One file of MARCMaker text."""

    comment = b"%"
    legacy, default = LATIN1, UTF8
    example = "=245  10$aTitle"

    @staticmethod
    def begins_record(line: bytes, first: bytes) -> bool:
        """Return whether a line is a leader, which begins a record even without a blank line before it."""
        return _LEADER_LINE.match(line) is not None

    def fields(self, text: str, warnings: list[str]) -> tuple[str | None, list[Field]]:
        """Return the leader and the fields; comments are dropped."""
        leader: str | None = None
        fields: list[Field] = []
        for line in join_lines(_COMMENT.sub("", text), lambda line: line.startswith("="), "=", warnings):
            match = _LINE.fullmatch(line)
            if match is None:
                warnings.append(f"no tag in {line[:40]!r}")
            elif match[1] in ("LDR", "LEADER", "000"):
                leader = match[2].replace("\\", " ")
            else:
                fields.append(_field(match[1], match[2], warnings))
        return leader, fields


CarrierType = MrkCarrier


def sniffs(head: bytes) -> bool:
    """Return whether the first line that is neither blank nor a comment is a leader or a field."""
    return _FIRST_LINE.match(head) is not None


examine = MrkCarrier.examine


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
    for subfield in split_subfields(tag, parts, warnings):
        code, value = subfield.code, subfield.value
        is_embedded = code == "1" and _EMBEDDED.fullmatch(value)
        subfields.append(Subfield(code, _plain(value.replace("\\", " ") if is_embedded else value)))
    return DataField(tag, *_indicators(before[:2]), tuple(subfields))


def _indicators(text: str) -> tuple[str, str]:
    blank = text.replace("\\", " ").ljust(2)
    return blank[0], blank[1]


def _plain(text: str) -> str:
    return _MNEMONIC.sub(lambda name: _CHARACTER[name[1]], text)
