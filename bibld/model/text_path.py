"""A path to one text of MODS (``subject[@authority=bbk]/topic``), which makes a description that has only this text."""

from __future__ import annotations

import re

import msgspec
from lxml import etree

from bibld.model.mods import Mods
from bibld.model.mods_plan import XLINK, XML, tag_named
from bibld.model.mods_xml import read_element

_ATTRIBUTE = re.compile(r"\[@([A-Za-z:]+)=([^\[\]]+)\]")
_STEP = re.compile(rf"([A-Za-z]+)((?:{_ATTRIBUTE.pattern})*)")
_PATH = re.compile(rf"{_STEP.pattern}(?:/{_STEP.pattern})*")
_NAMESPACES = {"xlink": XLINK, "xml": XML}
_NOT_OF_THE_RESOURCE = ("recordInfo", "extension")


class TextPath(msgspec.Struct, frozen=True):
    """A path of elements of MODS, each with the attributes that it gets. Build one with :meth:`parse`."""

    path: str

    @classmethod
    def parse(cls, path: str) -> TextPath:
        """Return the path; raises ``ValueError``, which explains why no text of MODS can have it."""
        if not _PATH.fullmatch(path):
            raise ValueError("is no path of MODS; write elements with / between, such as note[@type=ownership]")
        if path.startswith(_NOT_OF_THE_RESOURCE):
            raise ValueError("does not describe the resource; name another element of MODS")
        mods, left_out = read_element(_element(path, "x"))
        if left_out or mods == Mods():
            missing = (left_out[0] if left_out else path).removesuffix("/text()")
            raise ValueError(f'is no text of MODS 3.8: "{missing}" cannot have it; see its user guide')
        return cls(path)

    def build(self, text: str) -> Mods:
        """Return the description that has only this text; characters that XML cannot contain are an error."""
        return read_element(_element(self.path, text))[0]


def _element(path: str, text: str) -> etree._Element:
    root = node = etree.Element(tag_named("mods"))
    for step in _STEP.finditer(path):
        node = etree.SubElement(node, tag_named(step[1]))
        for attribute in _ATTRIBUTE.finditer(step[2]):
            prefix, _, name = attribute[1].rpartition(":")
            node.set(f"{{{_NAMESPACES[prefix]}}}{name}" if prefix in _NAMESPACES else attribute[1], attribute[2])
    node.text = text
    return root
