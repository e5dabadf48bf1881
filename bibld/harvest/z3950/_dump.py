"""The records in a file that yaz-client wrote: ISO 2709, or XML documents one after the other."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec
from lxml import etree

from bibld.model.foreign_xml import parse_xml

_TERMINATOR = b"\x1d"
_LEADER, _ENTRY = 24, 12
_DECLARATION = re.compile(rb"<\?xml[^>]*\?>")


class DumpedRecord(msgspec.Struct, frozen=True):
    """The bytes of a record and its control number, empty if it has none."""

    data: bytes
    control_number: str


def records_of_dump(dump: bytes, syntax: str) -> Iterator[DumpedRecord]:
    """Yield the records; what follows the last complete one is left out."""
    if syntax == "xml":
        yield from _xml_records(dump)
        return
    for data in dump.split(_TERMINATOR)[:-1]:
        record = data.lstrip(b"\r\n") + _TERMINATOR
        yield DumpedRecord(record, _control_number(record))


def _control_number(record: bytes) -> str:
    """Return field 001 as the directory places it; the bytes may be in any charset that contains ASCII."""
    base = record[12:17]
    directory = record[_LEADER : int(base) - 1] if base.isdigit() else b""
    for at in range(0, len(directory), _ENTRY):
        entry = directory[at : at + _ENTRY]
        if entry[:3] == b"001" and entry[3:].isdigit() and len(entry) == _ENTRY:
            start = int(base) + int(entry[7:])
            return record[start : start + int(entry[3:7])].strip(b"\x1e \0").decode("utf-8", "backslashreplace")
    return ""


def _xml_records(dump: bytes) -> Iterator[DumpedRecord]:
    for part in _DECLARATION.split(dump):
        if not part.strip():
            continue
        try:
            root = parse_xml(part.strip(), is_huge=True)
        except etree.XMLSyntaxError:
            continue  # its place is missing in the count
        fields = (one for one in root.iter() if isinstance(one.tag, str) and one.get("tag") == "001")
        field = next(fields, None)
        number = (field.text or "").strip() if field is not None else ""
        yield DumpedRecord(etree.tostring(root, encoding="utf-8"), number)
