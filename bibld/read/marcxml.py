"""MARC in XML: MARCXML, MarcXchange (ISO 25577), UNISlim and turbomarc, bare or within OAI-PMH and SRU replies.

Namespaces are not asked for, since half of the files have another or none. Records are cut out as bytes and each is
parsed alone, without DTD, entities and network: a malformed one is one reject. A UTF-16 file is read as UTF-8; then
offsets count the bytes of that. Records that SRU packs as escaped text (``recordPacking`` string) are not supported.
"""

from __future__ import annotations

import re
from typing import BinaryIO

import msgspec
from lxml import etree

from bibld.errors import ReadError
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield
from bibld.protocols import Parsed, Raw
from bibld.read._characters import counted
from bibld.read._charset import AUTO
from bibld.read._xml_cut import SLIM, TURBO
from bibld.read._xml_file import HEAD, XmlFile, examined, readable_head
from bibld.text.titles import unify_non_sorting_marks

_TURBOMARC = b"http://www.indexdata.com/turbomarc"
_NAMESPACES = re.compile(rb"MARC21/slim|marcxchange|UNISlim|indexdata\.com/turbomarc", re.IGNORECASE)
_MODS = b"http://www.loc.gov/mods/"
_FIELDS = re.compile(SLIM.content.encode())
_LEADER_LENGTH = 24

DataPart = tuple[list[Subfield], list[ControlField | DataField]]


class Settings(msgspec.Struct, frozen=True):
    """``charset``: ``auto``, or the one that the file is in, whatever it says.

    ``max_record_bytes``: a longer element is rejected.
    """

    charset: str = AUTO
    max_record_bytes: int = 16 * 1024 * 1024


class MarcxmlCarrier(XmlFile, frozen=True):
    """One file of MARC in XML; its shape says whether it is turbomarc."""

    def parse(self, raw: Raw) -> Parsed:
        """Read one record element; raises ``ReadError`` where it is not well-formed or holds no field."""
        warnings: list[str] = []
        root = self.element(raw, warnings)
        turbo = self.shape.element == TURBO.element
        record = _read_turbo(root, raw, warnings) if turbo else _read_slim(root, raw, warnings)
        return Parsed(record, counted(warnings))


CarrierType = MarcxmlCarrier


def sniffs(head: bytes) -> bool:
    """Whether there is a field of MARC in XML, or a namespace of it (and not one of MODS)."""
    text = readable_head(head)
    if not text.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return False
    return bool(_FIELDS.search(text) or (_NAMESPACES.search(text) and _MODS not in text))


def examine(stream: BinaryIO, name: str, source: str, settings: Settings) -> MarcxmlCarrier:
    """Settle charset, namespaces and the form of records from the beginning of the file."""
    head = stream.read(HEAD)
    shape = TURBO if _TURBOMARC in readable_head(head) else SLIM
    ends_head = _FIELDS if shape is SLIM else None
    file = examined(head, stream, name, source, settings.charset, settings.max_record_bytes, shape, ends_head)
    return MarcxmlCarrier(**msgspec.structs.asdict(file))


def _name(element: etree._Element) -> str:
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def _text(element: etree._Element) -> str:
    text = "".join(map(str, element.itertext())) if len(element) else element.text or ""
    return text if text.isascii() else unify_non_sorting_marks(text)


def _made(raw: Raw, leader: str | None, fields: list[ControlField | DataField], warnings: list[str]) -> MarcRecord:
    if not fields:
        raise ReadError(raw.origin, "the record has no field", raw.data)
    if leader is None:
        warnings.append("no leader")
        leader = ""
    elif len(leader) != _LEADER_LENGTH:
        stripped = leader.strip()
        leader = stripped if len(stripped) == _LEADER_LENGTH or "\n" in leader else leader
        if len(leader) != _LEADER_LENGTH:
            warnings.append(f"leader of {len(leader)} characters")
    return MarcRecord(raw.origin, Leader(leader.ljust(_LEADER_LENGTH)[:_LEADER_LENGTH]), tuple(fields))


def _indicator(value: str | None) -> str:
    return (value or " ")[0]


# --- MARCXML, MarcXchange, UNISlim


def _read_slim(root: etree._Element, raw: Raw, warnings: list[str]) -> MarcRecord:
    leader: str | None = None
    fields: list[ControlField | DataField] = []
    for element in root:
        name = _name(element)
        if name == "leader":
            leader = _text(element)
        elif name in ("controlfield", "datafield"):
            field = _slim_field(element, name, warnings)
            if field is not None:
                fields.append(field)
        else:
            warnings.append(f"element <{name or element.text}> within the record ignored")
    return _made(raw, leader, fields, warnings)


def _slim_field(element: etree._Element, name: str, warnings: list[str]) -> ControlField | DataField | None:
    tag = (element.get("tag") or "").strip()
    if not tag:
        warnings.append(f"a {name} without tag dropped: {' '.join(_text(element).split())[:60]!r}")
        return None
    if name == "controlfield":
        return ControlField(tag, _text(element))
    if tag.startswith("00") and not len(element):
        warnings.append(f"{tag}: a datafield that is a control field")
        return ControlField(tag, _text(element))
    subfields: list[Subfield] = []
    embedded: list[ControlField | DataField] = []
    for part in element:
        kind = _name(part)
        if kind == "subfield" and not (len(part) and _holds_fields(part)):
            code = part.get("code") or " "
            if len(code) != 1 or code == " ":
                warnings.append(f"{tag}: a subfield with the code {part.get('code')!r}")
            subfields.append(Subfield(code[0], _text(part)))
        elif kind in ("s1", "subfield"):
            inner = (_slim_field(child, _name(child), warnings) for child in part)
            embedded += [field for field in inner if field is not None]
        else:
            warnings.append(f"{tag}: element <{kind}> ignored")
    stray = (element.text or "").strip()
    if stray:
        warnings.append(f"{tag}: text outside of subfields")
        subfields.insert(0, Subfield("a", stray))
    return DataField(
        tag, _indicator(element.get("ind1")), _indicator(element.get("ind2")), tuple(subfields), tuple(embedded)
    )


def _holds_fields(element: etree._Element) -> bool:
    return any(_name(child) in ("datafield", "controlfield") for child in element)


# --- turbomarc


def _read_turbo(root: etree._Element, raw: Raw, warnings: list[str]) -> MarcRecord:
    leader: str | None = None
    fields: list[ControlField | DataField] = []
    for element in root:
        name = _name(element)
        if name == "l":
            leader = _text(element)
        elif len(name) == 4 and name[0] == "c":
            fields.append(ControlField(name[1:], _text(element)))
        elif len(name) == 4 and name[0] == "d":
            subfields = tuple(
                Subfield((part.get("code") or _name(part)[1:] or " ")[0], _text(part)) for part in element
            )
            indicators = _indicator(element.get("i1")), _indicator(element.get("i2"))
            fields.append(DataField(name[1:], *indicators, subfields))
        else:
            warnings.append(f"element <{name}> within the record ignored")
    return _made(raw, leader, fields, warnings)
