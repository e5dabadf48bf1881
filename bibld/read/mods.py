"""MODS in XML: single documents and collections, bare or within OAI-PMH, SRU and METS.

Records are cut out as bytes and each is parsed alone: a malformed one is one reject. What the model of MODS 3.8 has no
place for is named in a warning.
"""

from __future__ import annotations

import re
from typing import BinaryIO

from lxml import etree

from bibld.errors import ReadError
from bibld.model.mods import Mods
from bibld.model.mods_plan import MODS
from bibld.model.mods_xml import read_element
from bibld.protocols import Parsed, Raw
from bibld.read._carrier import CharsetSettings, count_repeats
from bibld.read._xml_file import RecordShape, XmlCarrier, examine_xml, xml_head

SHAPE = RecordShape(
    "mods",
    r"<(?:[\w.-]+:)?(?:titleInfo|name|originInfo|typeOfResource|genre|language|identifier|recordInfo|relatedItem|subject"
    r"|physicalDescription|abstract|note|location|accessCondition|part|extension|classification)[\s/>]",
)
"""A MODS record contains at least one of these elements."""

_FIRST = re.compile(rb"<(?:[\w.-]+:)?mods(?:Collection)?[\s/>]")
_RECORD = re.compile(rb"<(?:[\w.-]+:)?mods[\s/>]")
_MARC = re.compile(rb"<(?:[\w.-]+:)?(?:controlfield|datafield)[\s/>]")
_OTHER_MODS = re.compile(r"https?://www\.loc\.gov/mods(?:/v?[0-9]*)?/?")


Settings = CharsetSettings


class ModsCarrier(XmlCarrier, frozen=True):
    """One file of MODS in XML."""

    def parse(self, raw: Raw) -> Parsed:
        """Read one record element; raises ``ReadError`` if it is not well-formed, or contains nothing of MODS."""
        warnings: list[str] = []
        element = self.element(raw, warnings)
        _move_to_mods(element, warnings)
        try:
            mods, left_out = read_element(element)
        except ValueError as error:
            raise ReadError(raw.origin, str(error), raw.data) from error
        if mods == Mods():
            raise ReadError(raw.origin, "the element <mods> contains nothing of MODS", raw.data)
        warnings += [f"{path}: MODS 3.8 has no place for it; left out" for path in left_out]
        return Parsed(mods, count_repeats(warnings))


CarrierType = ModsCarrier


def sniffs(head: bytes) -> bool:
    """Return whether the file begins with an element of MODS and none of a MARC record."""
    text = xml_head(head)
    return _FIRST.search(text) is not None and _MARC.search(text) is None


def examine(stream: BinaryIO, name: str, source: str, settings: Settings) -> ModsCarrier:
    """Find charset and namespaces at the beginning of the file."""
    return examine_xml(ModsCarrier, stream, name, source, settings, lambda _: (SHAPE, _RECORD))


def _move_to_mods(root: etree._Element, warnings: list[str]) -> None:
    """Move elements of another version of MODS into its current namespace."""
    namespace = etree.QName(root).namespace
    if namespace in (MODS, None) or not _OTHER_MODS.fullmatch(namespace):
        return
    warnings.append(f"elements of the namespace {namespace} read as MODS 3")
    for element in root.iter():
        name = etree.QName(element)
        if name.namespace == namespace:
            element.tag = f"{{{MODS}}}{name.localname}"
