"""MARC records written: ISO 2709, MARCXML, and the text that people read and edit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO

from lxml import etree

from bibld.model.marc import ControlField, DataField, Field, MarcRecord, flat_subfields
from bibld.model.mods_xml import without_illegal_characters

MARCXML = "http://www.loc.gov/MARC21/slim"
"""The namespace of MARCXML (https://www.loc.gov/standards/marcxml/)."""

_FIELD_END = b"\x1e"
_RECORD_END = b"\x1d"
_DELIMITER = b"\x1f"
_SEPARATORS = ("\x1d", "\x1e", "\x1f")
_LEADER_LENGTH = 24
_ENTRY_LENGTH = 12
_MAX_FIELD_BYTES = 9_999
_MAX_RECORD_BYTES = 99_999
_BLANKS_SHOWN = ("006", "007", "008")
_MNEMONICS = str.maketrans({"$": "{dollar}", "{": "{lcub}", "}": "{rcub}", "\r": " ", "\n": " "})
_WITH_BLANKS_SHOWN = _MNEMONICS | {ord("\\"): "{bsol}", ord(" "): "\\"}


def to_iso2709(record: MarcRecord, encoding: str = "utf-8") -> bytes:
    """Write a record in ISO 2709 with a directory of 3, 4 and 5 digits; lengths count bytes.

    Record length, base address, and the positions 10-11 and 20-22, which describe this layout, are computed; the rest
    of the leader stays as it is (position 09 too: it is the caller's word about the encoding). Embedded fields are
    written flat. Raises ``ValueError``, naming the tag, for what ISO 2709 cannot hold: a field over 9,999 or a record
    over 99,999 bytes, a character without a place in the encoding, a separator (U+001D to U+001F) in a value, a tag
    that is not three ASCII characters, an indicator or code that is not one byte.
    """
    directory: list[bytes] = []
    data: list[bytes] = []
    start = 0
    for field in record.all_fields:
        body = _field_body(field, encoding)
        if len(body) > _MAX_FIELD_BYTES:
            raise ValueError(f"{field.tag}: {len(body)} bytes, but a field of ISO 2709 has at most {_MAX_FIELD_BYTES}")
        directory.append(_entry(field.tag, len(body), start))
        data.append(body)
        start += len(body)
        if start > _MAX_RECORD_BYTES:
            raise ValueError(
                f"{field.tag}: with it the record has over {_MAX_RECORD_BYTES} bytes, too long for ISO 2709"
            )
    base = _LEADER_LENGTH + _ENTRY_LENGTH * len(directory) + 1
    length = base + start + 1
    if length > _MAX_RECORD_BYTES:
        raise ValueError(f"LDR: {length} bytes, but a record of ISO 2709 has at most {_MAX_RECORD_BYTES}")
    leader = _leader(record.leader.text, length, base)
    return b"".join((leader, *directory, _FIELD_END, *data, _RECORD_END))


def to_marcxml(record: MarcRecord, *, pretty: bool = False) -> bytes:
    """Write a record as a MARCXML document in UTF-8; characters that XML 1.0 cannot hold are dropped."""
    element = _record_element(record)
    return etree.tostring(element, encoding="UTF-8", xml_declaration=True, pretty_print=pretty)


def write_marcxml(records: Iterable[MarcRecord], out: BinaryIO) -> int:
    """Write records as a MARCXML ``collection``, one at a time, indented; return their number."""
    count = 0
    with etree.xmlfile(out, encoding="UTF-8") as file:
        file.write_declaration()
        with file.element(_tag("collection"), nsmap={None: MARCXML}):
            for record in records:
                element = _record_element(record)
                etree.indent(element, level=1)
                file.write("\n  ")
                file.write(element)
                count += 1
            file.write("\n")
    return count


def to_mrk(record: MarcRecord) -> str:
    r"""Write a record as lines of text, as MARCMaker does: ``=LDR  …``, ``=001  …``, ``=245  10$aText``.

    A blank is written ``\`` in the leader, in 006 to 008 and as an indicator (of an embedded field too); ``$``, ``{``,
    ``}`` in a value are ``{dollar}``, ``{lcub}``, ``{rcub}``, and ``\`` in 006 to 008 is ``{bsol}``. A line break
    within a value becomes a blank. The last line ends like the others; a blank line has to follow before the next
    record.
    """
    lines = [f"=LDR  {record.leader.text.replace(' ', chr(92))}\n"]
    lines.extend(f"={field.tag}  {_mrk_body(field)}\n" for field in record.all_fields)
    return "".join(lines)


# --- ISO 2709


def _field_body(field: Field, encoding: str) -> bytes:
    if isinstance(field, ControlField):
        return _encoded(field.tag, field.value, encoding) + _FIELD_END
    parts = [_one_byte(field.tag, indicator, encoding) for indicator in (field.indicator1, field.indicator2)]
    for subfield in flat_subfields(field):
        parts += (_DELIMITER, _one_byte(field.tag, subfield.code, encoding))
        parts.append(_encoded(field.tag, subfield.value, encoding))
    parts.append(_FIELD_END)
    return b"".join(parts)


def _encoded(tag: str, text: str, encoding: str) -> bytes:
    for separator in _SEPARATORS:
        if separator in text:
            raise ValueError(f"{tag}: a value holds U+{ord(separator):04X}, which separates fields in ISO 2709")
    try:
        return text.encode(encoding)
    except UnicodeEncodeError as error:
        raise ValueError(f"{tag}: {text[error.start]!r} has no place in {encoding}") from error


def _one_byte(tag: str, character: str, encoding: str) -> bytes:
    data = _encoded(tag, character, encoding)
    if len(data) != 1:
        raise ValueError(f"{tag}: {character!r} is an indicator or code of {len(data)} bytes; ISO 2709 has room for 1")
    return data


def _entry(tag: str, length: int, start: int) -> bytes:
    if len(tag) != 3 or not tag.isascii() or any(separator in tag for separator in _SEPARATORS):
        raise ValueError(f"{tag!r} is no tag: three ASCII characters are needed")
    return f"{tag}{length:04d}{start:05d}".encode("ascii")


def _leader(text: str, length: int, base: int) -> bytes:
    if len(text) != _LEADER_LENGTH or not text.isascii():
        raise ValueError(f"LDR: {text!r} is no leader: {_LEADER_LENGTH} ASCII characters are needed")
    return f"{length:05d}{text[5:10]}22{base:05d}{text[17:20]}450{text[23]}".encode("ascii")


# --- MARCXML


def _tag(name: str) -> str:
    return f"{{{MARCXML}}}{name}"


_LEADER_TAG, _CONTROL_TAG, _DATA_TAG, _SUBFIELD_TAG = (
    _tag(name) for name in ("leader", "controlfield", "datafield", "subfield")
)


def _record_element(record: MarcRecord) -> etree._Element:
    element = etree.Element(_tag("record"), nsmap={None: MARCXML})  # type: ignore[dict-item]
    etree.SubElement(element, _LEADER_TAG).text = without_illegal_characters(record.leader.text)
    for field in record.all_fields:
        if isinstance(field, ControlField):
            result = etree.SubElement(element, _CONTROL_TAG, tag=without_illegal_characters(field.tag))
            result.text = without_illegal_characters(field.value)
        else:
            _add_data_field(element, field)
    return element


def _add_data_field(element: etree._Element, field: DataField) -> None:
    result = etree.SubElement(element, _DATA_TAG)
    for name, value in (("tag", field.tag), ("ind1", field.indicator1), ("ind2", field.indicator2)):
        result.set(name, without_illegal_characters(value))
    for subfield in flat_subfields(field):
        inner = etree.SubElement(result, _SUBFIELD_TAG, code=without_illegal_characters(subfield.code))
        inner.text = without_illegal_characters(subfield.value)


# --- text


def _mrk_body(field: Field) -> str:
    if isinstance(field, ControlField):
        return field.value.translate(_WITH_BLANKS_SHOWN if field.tag in _BLANKS_SHOWN else _MNEMONICS)
    indicators = (field.indicator1 + field.indicator2).replace(" ", "\\")
    return indicators + "".join(f"${code}{value}" for code, value in _mrk_subfields(field))


def _mrk_subfields(field: DataField) -> Iterator[tuple[str, str]]:
    for subfield in field.subfields:
        yield subfield.code, subfield.value.translate(_MNEMONICS)
    for inner in field.embedded:
        if isinstance(inner, ControlField):
            yield "1", inner.tag + inner.value.translate(_MNEMONICS)
        else:
            yield "1", inner.tag + (inner.indicator1 + inner.indicator2).replace(" ", "\\")
            yield from _mrk_subfields(inner)
