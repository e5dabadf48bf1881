"""MARC in XML: MARCXML, MarcXchange (ISO 25577), UNISlim and turbomarc, bare or within OAI-PMH and SRU replies.

Namespaces do not matter, because half of the files have another or none. Records are cut out as bytes and each is
parsed alone, without DTD, entities and network: a malformed one is one reject. A UTF-16 file is read as UTF-8,
whose bytes the offsets count. Records that SRU packs as escaped text (``recordPacking`` string) are not supported.
"""

from __future__ import annotations

import re
from typing import BinaryIO

from lxml import etree

from bibld.errors import ReadError
from bibld.model.foreign_xml import local_name
from bibld.model.marc import ControlField, DataField, Subfield
from bibld.protocols import Parsed, Raw
from bibld.read._carrier import LEADER_LENGTH, CharsetSettings, Field, to_parsed
from bibld.read._xml_file import SLIM, TURBO, RecordShape, XmlCarrier, examine_xml, xml_head
from bibld.text.folding import unify_non_sorting_marks

_TURBOMARC = b"http://www.indexdata.com/turbomarc"
_NAMESPACES = re.compile(rb"MARC21/slim|marcxchange|UNISlim|indexdata\.com/turbomarc", re.IGNORECASE)
_MODS = b"http://www.loc.gov/mods/"
_FIELDS = re.compile(SLIM.content.encode())


Settings = CharsetSettings


class MarcxmlCarrier(XmlCarrier, frozen=True):
    """One file of MARC in XML; its shape shows whether it is turbomarc."""

    def parse(self, raw: Raw) -> Parsed:
        """Read one record element; raises ``ReadError`` if it is not well-formed or has no field."""
        warnings: list[str] = []
        root = self.element(raw, warnings)
        read_fields = _read_turbo if self.shape.element == TURBO.element else _read_slim
        leader, fields = read_fields(root, warnings)
        if not fields:
            raise ReadError(raw.origin, "the record has no field", raw.data)
        if leader and len(leader) != LEADER_LENGTH and (len(leader.strip()) == LEADER_LENGTH or "\n" in leader):
            leader = leader.strip()
        return to_parsed(raw, leader, fields, warnings, may_be_short=False)


CarrierType = MarcxmlCarrier


def sniffs(head: bytes) -> bool:
    """Return whether the file begins with a field of MARC in XML, or a namespace of it and none of MODS."""
    text = xml_head(head)
    return bool(_FIELDS.search(text) or (_NAMESPACES.search(text) and _MODS not in text))


def examine(stream: BinaryIO, name: str, source: str, settings: Settings) -> MarcxmlCarrier:
    """Find charset, namespaces and the form of records at the beginning of the file."""
    return examine_xml(MarcxmlCarrier, stream, name, source, settings, _find_shape)


def _find_shape(head: bytes) -> tuple[RecordShape, re.Pattern[bytes] | None]:
    return (TURBO, None) if _TURBOMARC in head else (SLIM, _FIELDS)


def _text(element: etree._Element) -> str:
    text = "".join(map(str, element.itertext())) if len(element) else element.text or ""
    return text if text.isascii() else unify_non_sorting_marks(text)


def _indicator(value: str | None) -> str:
    return (value or " ")[0]


# --- MARCXML, MarcXchange, UNISlim


def _read_slim(root: etree._Element, warnings: list[str]) -> tuple[str | None, list[Field]]:
    leader: str | None = None
    fields: list[Field] = []
    for element in root:
        name = local_name(element)
        if name == "leader":
            leader = _text(element)
        elif name in ("controlfield", "datafield"):
            field = _slim_field(element, name, warnings)
            if field is not None:
                fields.append(field)
        else:
            warnings.append(f"element <{name or element.text}> within the record ignored")
    return leader, fields


def _slim_field(element: etree._Element, name: str, warnings: list[str]) -> Field | None:
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
    embedded: list[Field] = []
    for part in element:
        kind = local_name(part)
        if kind == "subfield" and not (len(part) and _holds_fields(part)):
            code = part.get("code") or " "
            if len(code) != 1 or code == " ":
                warnings.append(f"{tag}: a subfield with the code {part.get('code')!r}")
            subfields.append(Subfield(code[0], _text(part)))
        elif kind in ("s1", "subfield"):
            inner = (_slim_field(child, local_name(child), warnings) for child in part)
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
    return any(local_name(child) in ("datafield", "controlfield") for child in element)


# --- turbomarc


def _read_turbo(root: etree._Element, warnings: list[str]) -> tuple[str | None, list[Field]]:
    leader: str | None = None
    fields: list[Field] = []
    for element in root:
        name = local_name(element)
        if name == "l":
            leader = _text(element)
        elif len(name) == 4 and name[0] == "c":
            fields.append(ControlField(name[1:], _text(element)))
        elif len(name) == 4 and name[0] == "d":
            subfields = tuple(
                Subfield((part.get("code") or local_name(part)[1:] or " ")[0], _text(part)) for part in element
            )
            indicators = _indicator(element.get("i1")), _indicator(element.get("i2"))
            fields.append(DataField(name[1:], *indicators, subfields))
        else:
            warnings.append(f"element <{name}> within the record ignored")
    return leader, fields
