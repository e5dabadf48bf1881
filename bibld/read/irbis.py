"""Text export of IRBIS64: ``#200: ^AАнна Каренина^FЛ. Н. Толстой``, a line for each field, ``*****`` after a record.

Tags have three digits here, and codes of subfields are small letters. A field without subfields is a control field, and
the shelf code (903), which names a record in its base, is 001 too. The tags are those of IRBIS; the crosswalk ``irbis``
knows what they mean.
"""

from __future__ import annotations

import re
from typing import BinaryIO

from bibld.errors import ReadError
from bibld.model.marc import ControlField, DataField, Subfield
from bibld.protocols import Parsed, Raw
from bibld.read._carrier import BOM, CharsetSettings, Field, LineCarrier, decode_text, to_parsed

_END = b"*****"
_FIRST_LINE = re.compile(rb"#[0-9]{1,4}:[ \t]")
_LINE = re.compile(r"#([0-9]{1,4}):[ \t]?(.*)")
_SHELF_CODE = "903"
_CHARSET = "cp1251"
_LEADER = "00000     2200000   450 "


Settings = CharsetSettings


class IrbisCarrier(LineCarrier, frozen=True):
    """One file of the text export."""

    comment = _END

    @staticmethod
    def begins_record(line: bytes, first: bytes) -> bool:
        """Return whether a line ends a record; the next field begins another."""
        return line.startswith(_END)

    def parse(self, raw: Raw) -> Parsed:
        """Read one record; raises ``ReadError`` if no line is a field."""
        text, warnings = decode_text(raw.data, self.charsets)
        fields: list[Field] = []
        for tag, content in _joined_lines(text, warnings):
            fields.append(_field(tag.rjust(3, "0"), content, warnings))
        if not fields:
            raise ReadError(raw.origin, "no line of the text is a field such as #200: ^AЗаглавие", raw.data)
        if number := next(
            (field.value for field in fields if field.tag == _SHELF_CODE and isinstance(field, ControlField)), ""
        ):
            fields.insert(0, ControlField("001", number))
        return to_parsed(raw, _LEADER, fields, warnings)


CarrierType = IrbisCarrier


def sniffs(head: bytes) -> bool:
    """Return whether the first line is a field."""
    return _FIRST_LINE.match(head.removeprefix(BOM).lstrip(b"\r\n*")) is not None


def examine(stream: BinaryIO, name: str, source: str, settings: Settings) -> IrbisCarrier:
    """Find the charset by the first 200 records: cp1251 unless they are in another."""
    return IrbisCarrier.examine(stream, name, source, settings, _CHARSET)


def _joined_lines(text: str, warnings: list[str]) -> list[tuple[str, str]]:
    """Return tag and content of each field; a line without a tag continues the field before it."""
    fields: list[tuple[str, str]] = []
    for line in text.split("\n"):
        line = line.removesuffix("\r")
        match = _LINE.fullmatch(line)
        if match is not None:
            fields.append((match[1], match[2]))
        elif fields and line.strip():
            warnings.append("a line without a tag taken as the rest of the line before")
            fields[-1] = (fields[-1][0], f"{fields[-1][1]} {line.strip()}")
        elif line.strip():
            warnings.append(f"no tag in {line[:40]!r}")
    return fields


def _field(tag: str, content: str, warnings: list[str]) -> Field:
    before, *parts = content.split("^")
    if not parts:
        return ControlField(tag, content.strip())
    subfields = [Subfield("a", before.strip())] if before.strip() else []
    for part in parts:
        if part:
            subfields.append(Subfield(part[0].lower(), part[1:]))
        else:
            warnings.append(f"{tag}: a subfield without code and text dropped")
    return DataField(tag, subfields=tuple(subfields))
