"""Text export of IRBIS64: ``#200: ^AАнна Каренина^FЛ. Н. Толстой``, a line for each field, ``*****`` after a record.

Tags have three digits here, and codes of subfields are small letters. A field without subfields is a control field, and
the shelf code (903), which names a record in its base, is 001 too. The tags are those of IRBIS; the crosswalk ``irbis``
knows what they mean.
"""

from __future__ import annotations

import re

from bibld.model.marc import ControlField, DataField, Subfield
from bibld.read._carrier import BOM, CharsetSettings, Field, LineCarrier, join_lines, split_subfields

_END = b"*****"
_FIRST_LINE = re.compile(rb"#[0-9]{1,4}:[ \t]")
_LINE = re.compile(r"#([0-9]{1,4}):[ \t]?(.*)")
_SHELF_CODE = "903"
_LEADER = "00000     2200000   450 "


Settings = CharsetSettings


class IrbisCarrier(LineCarrier, frozen=True):
    """One file of the text export."""

    comment = _END
    legacy = "cp1251"
    example = "#200: ^AЗаглавие"

    @staticmethod
    def begins_record(line: bytes, first: bytes) -> bool:
        """Return whether a line ends a record; the next field begins another."""
        return line.startswith(_END)

    def fields(self, text: str, warnings: list[str]) -> tuple[str | None, list[Field]]:
        """Return the leader of a monograph, and the fields."""
        fields: list[Field] = []
        for line in join_lines(text, _LINE.fullmatch, "a tag", warnings):
            tag, _, content = line.removeprefix("#").partition(":")
            fields.append(_field(tag.rjust(3, "0"), content.removeprefix("\t").removeprefix(" "), warnings))
        shelf_codes = (field.value for field in fields if field.tag == _SHELF_CODE and isinstance(field, ControlField))
        if number := next(shelf_codes, ""):
            fields.insert(0, ControlField("001", number))
        return _LEADER, fields


CarrierType = IrbisCarrier


def sniffs(head: bytes) -> bool:
    """Return whether the first line is a field."""
    return _FIRST_LINE.match(head.removeprefix(BOM).lstrip(b"\r\n*")) is not None


examine = IrbisCarrier.examine


def _field(tag: str, content: str, warnings: list[str]) -> Field:
    before, *parts = content.split("^")
    if not parts:
        return ControlField(tag, content.strip())
    subfields = [Subfield("a", before.strip())] if before.strip() else []
    subfields += split_subfields(tag, (part[:1].lower() + part[1:] for part in parts), warnings)
    return DataField(tag, subfields=tuple(subfields))
