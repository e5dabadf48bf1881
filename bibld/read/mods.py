"""MODS in XML: single documents and collections, bare or within OAI-PMH, SRU and METS.

Records are cut out as bytes and each is parsed alone: a malformed one is one reject. What the model of MODS 3.8 has no
place for is named in a warning.
"""

from __future__ import annotations

import re
from typing import BinaryIO

import msgspec
from lxml import etree

from bibld.errors import ReadError
from bibld.model.mods import Mods
from bibld.model.mods_plan import MODS
from bibld.model.mods_xml import read_element
from bibld.protocols import Parsed, Raw
from bibld.read._characters import counted
from bibld.read._charset import AUTO
from bibld.read._xml_cut import RecordShape
from bibld.read._xml_file import HEAD, XmlFile, examined, readable_head

SHAPE = RecordShape(
    "mods",
    r"<(?:[\w.-]+:)?(?:titleInfo|name|originInfo|typeOfResource|genre|language|identifier|recordInfo|relatedItem|subject"
    r"|physicalDescription|abstract|note|location|accessCondition|part|extension|classification)[\s/>]",
)
"""MODS, whose elements hold some of these."""

_FIRST = re.compile(rb"<(?:[\w.-]+:)?mods(?:Collection)?[\s/>]")
_RECORD = re.compile(rb"<(?:[\w.-]+:)?mods[\s/>]")
_MARC = re.compile(rb"<(?:[\w.-]+:)?(?:controlfield|datafield)[\s/>]")
_OTHER_MODS = re.compile(r"https?://www\.loc\.gov/mods(?:/v?[0-9]*)?/?")


class Settings(msgspec.Struct, frozen=True):
    """``charset``: ``auto``, or the one that the file is in, whatever it says.

    ``max_record_bytes``: a longer element is rejected.
    """

    charset: str = AUTO
    max_record_bytes: int = 16 * 1024 * 1024


class ModsCarrier(XmlFile, frozen=True):
    """One file of MODS in XML."""

    def parse(self, raw: Raw) -> Parsed:
        """Read one record element; raises ``ReadError`` where it is not well-formed, or says nothing."""
        warnings: list[str] = []
        element = self.element(raw, warnings)
        _bring_home(element, warnings)
        try:
            mods, left_out = read_element(element)
        except ValueError as error:
            raise ReadError(raw.origin, str(error), raw.data) from error
        if mods == Mods():
            raise ReadError(raw.origin, "the element <mods> holds nothing of MODS", raw.data)
        warnings += [f"{path}: MODS 3.8 has no place for it; left out" for path in left_out]
        return Parsed(mods, counted(warnings))


CarrierType = ModsCarrier


def sniffs(head: bytes) -> bool:
    """Whether there is an element of MODS, and none of a MARC record."""
    text = readable_head(head)
    if not text.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return False
    return _FIRST.search(text) is not None and _MARC.search(text) is None


def examine(stream: BinaryIO, name: str, source: str, settings: Settings) -> ModsCarrier:
    """Settle charset and namespaces from the beginning of the file."""
    head = stream.read(HEAD)
    file = examined(head, stream, name, source, settings.charset, settings.max_record_bytes, SHAPE, _RECORD)
    return ModsCarrier(**msgspec.structs.asdict(file))


def _bring_home(root: etree._Element, warnings: list[str]) -> None:
    """Put the elements of MODS into its namespace where the file names another version of it."""
    namespace = etree.QName(root).namespace
    if namespace in (MODS, None) or not _OTHER_MODS.fullmatch(namespace):
        return
    warnings.append(f"elements of the namespace {namespace} read as MODS 3")
    for element in root.iter():
        name = etree.QName(element)
        if name.namespace == namespace:
            element.tag = f"{{{MODS}}}{name.localname}"
