"""Aleph sequential: ``000000001 24510 L $$aText``, a line for each field, with the system number before it.

``^`` is a blank in LDR and 00X. Lines with the same number are one record; its number becomes 001 if it has none.
"""

from __future__ import annotations

import re

from bibld.model.marc import ControlField, DataField, Subfield
from bibld.read._carrier import BOM, CharsetSettings, Field, LineCarrier, join_lines, split_subfields
from bibld.read._charset import LATIN1

_NUMBER_LENGTH = 9
_LINE_LIKE = re.compile(rb"[0-9]{9} [0-9A-Za-z]{3}[ -~]{2} [A-Z] [^\r\n]")
_LINE = re.compile(r"[0-9]{9} \S{3}.. [A-Z](?: .*)?")


Settings = CharsetSettings


class AlephCarrier(LineCarrier, frozen=True):
    """One file of Aleph sequential."""

    ends_at_blanks = False
    legacy = LATIN1
    example = "000000001 24510 L $$aTitle"

    @staticmethod
    def begins_record(line: bytes, first: bytes) -> bool:
        """Return whether a line has another system number; a line without a number continues the field before it."""
        return _LINE_LIKE.match(line) is not None and line[:_NUMBER_LENGTH] != first[:_NUMBER_LENGTH]

    def fields(self, text: str, warnings: list[str]) -> tuple[str | None, list[Field]]:
        """Return the leader and the fields, with the system number as 001 if there is none."""
        leader: str | None = None
        fields: list[Field] = []
        lines = join_lines(text, _LINE.fullmatch, "a system number", warnings)
        for line in lines:
            tag, indicators, content = line[10:13], line[13:15], line[18:].removeprefix(" ")
            if tag == "LDR":
                leader = content.replace("^", " ")
            elif tag.startswith("00") or "$$" not in content:
                fields.append(ControlField(tag, content.replace("^", " ")))
            else:
                fields.append(_data_field(tag, indicators, content, warnings))
        if fields and not any(field.tag == "001" for field in fields):
            fields.insert(0, ControlField("001", lines[0][:_NUMBER_LENGTH]))
        return leader, fields


CarrierType = AlephCarrier


def sniffs(head: bytes) -> bool:
    """Return whether the first line is a field with a system number before it."""
    return _LINE_LIKE.match(head.removeprefix(BOM).lstrip(b"\r\n")) is not None


examine = AlephCarrier.examine


def _data_field(tag: str, indicators: str, content: str, warnings: list[str]) -> DataField:
    before, *parts = content.split("$$")
    subfields = []
    if before.strip():
        warnings.append(f"{tag}: text before the first subfield")
        subfields.append(Subfield("a", before.strip()))
    subfields += split_subfields(tag, parts, warnings)
    return DataField(tag, indicators[0], indicators[1], tuple(subfields))
