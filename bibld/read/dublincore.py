"""Dublin Core in XML (``oai_dc``): records of OAI-PMH, each a row whose columns a column map names.

The elements are columns with the usual names (``title``, ``author`` for dc:creator, ``year`` for dc:date …), and ``id``
is the identifier of the OAI header, or else the first dc:identifier. Identifiers that are ISBN, ISSN, DOI or addresses
are columns of these names. So ``[source.columns]`` is needed only to change that.
"""

from __future__ import annotations

import re
from typing import BinaryIO

from bibld.errors import ReadError
from bibld.model.foreign_xml import local_name
from bibld.protocols import Parsed, Raw, Row
from bibld.read._carrier import CharsetSettings, count_repeats
from bibld.read._xml_file import RecordShape, XmlCarrier, examine_xml, xml_head

PRIORITY = -1
"""Asked after the readers of MARC and MODS, which may be in a file together with Dublin Core."""

_ELEMENTS = r"<(?:[\w.-]+:)?(?:title|creator|identifier|subject|publisher|date|description|contributor|type)[\s/>]"
IN_RECORDS = RecordShape("record", r"<(?:[\w.-]+:)?dc[\s/>]")
BARE = RecordShape("dc", _ELEMENTS)

_DC = re.compile(rb"<(?:[\w.-]+:)?dc[\s>]")
_NAMESPACE = b"http://purl.org/dc/elements/1.1/"
_RECORD = re.compile(rb"<(?:[\w.-]+:)?record[\s>]")

_COLUMNS = {
    "title": "title",
    "creator": "author",
    "contributor": "contributor",
    "date": "year",
    "publisher": "publisher",
    "language": "language",
    "subject": "subject",
    "description": "abstract",
    "type": "genre",
    "coverage": "coverage",
    "format": "format",
    "relation": "relation",
    "rights": "rights",
    "source": "source",
}
_DOI = re.compile(r"(?:doi:|https?://(?:dx\.)?doi\.org/)\s*(10\.\S+)|(10\.\d{4,9}/\S+)", re.IGNORECASE)
_ISBN = re.compile(r"(?:urn:)?isbn[:\s]*([0-9Xx][0-9Xx\s-]{8,20})|(97[89][0-9-]{10,14})", re.IGNORECASE)
_ISSN = re.compile(r"(?:urn:)?issn[:\s]*([0-9]{4}-?[0-9]{3}[0-9Xx])", re.IGNORECASE)
_URL = re.compile(r"https?://\S+", re.IGNORECASE)

Settings = CharsetSettings


class DublinCoreCarrier(XmlCarrier, frozen=True):
    """One file of Dublin Core in XML."""

    def parse(self, raw: Raw) -> Parsed:
        """Read one record; raises ``ReadError`` if it is not well-formed, or no element of Dublin Core has text."""
        warnings: list[str] = []
        root = self.element(raw, warnings)
        header, found = "", []
        for element in root.iter():
            name = local_name(element)
            text = " ".join("".join(map(str, element.itertext())).split()) if not len(element) else ""
            if not text:
                continue
            parent = element.getparent()
            if name == "identifier" and parent is not None and local_name(parent) == "header":
                header = text
            elif name == "identifier" or name in _COLUMNS:
                found.append((name, text))
        if not found:
            raise ReadError(raw.origin, "no element of Dublin Core has text", raw.data, header or None)
        identifiers = [text for name, text in found if name == "identifier"]
        cells = [("id", header or identifiers[0])] if header or identifiers else []
        for name, text in found:
            cells.append(_identifier(text) if name == "identifier" else (_COLUMNS[name], text))
        return Parsed(Row(raw.origin, tuple(cells)), count_repeats(warnings))


CarrierType = DublinCoreCarrier


def sniffs(head: bytes) -> bool:
    """Return whether the file begins with an element of Dublin Core."""
    text = xml_head(head)
    return _DC.search(text) is not None and _NAMESPACE in text


def examine(stream: BinaryIO, name: str, source: str, settings: Settings) -> DublinCoreCarrier:
    """Find charset, namespaces and the form of records at the beginning of the file."""
    return examine_xml(DublinCoreCarrier, stream, name, source, settings, _find_shape)


def _find_shape(head: bytes) -> tuple[RecordShape, re.Pattern[bytes] | None]:
    first = _DC.search(head)
    is_wrapped = first is not None and _RECORD.search(head[: first.start()]) is not None
    return (IN_RECORDS, _RECORD) if is_wrapped else (BARE, _DC)


def _identifier(text: str) -> tuple[str, str]:
    """Return the column of an identifier, and its value."""
    for column, pattern in (("doi", _DOI), ("isbn", _ISBN), ("issn", _ISSN)):
        if found := pattern.fullmatch(text):
            return column, next(group for group in found.groups() if group).strip()
    return ("url", text) if _URL.fullmatch(text) else ("dc:identifier", text)
