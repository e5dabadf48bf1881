"""XML that others have written: it is parsed without DTD, entities and network, whatever it asks for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from lxml import etree

ILLEGAL_CHARACTERS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_REFERENCE = re.compile(r"&#(?:[xX]([0-9A-Fa-f]{1,9})|([0-9]{1,9}));")
_ESCAPES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
)


def parse_xml(data: bytes, *, is_huge: bool = False, charset: str | None = None) -> etree._Element:
    """Parse a document, without its comments and processing instructions, and return its root.

    ``is_huge``: texts may have more than 10 MB, and elements may be nested deeper than 256; the caller bounds the size.
    ``charset`` replaces the one that is declared. Raises ``etree.XMLSyntaxError``.
    """
    return etree.fromstring(data, _parser(is_huge, charset))


def replace_illegal(text: str, replacement: str = "") -> tuple[str, int]:
    """Replace the characters that are illegal in XML 1.0 (2.2), also those in references; return their number."""
    text, count = ILLEGAL_CHARACTERS.subn(replacement, text)
    if "&#" not in text:
        return text, count

    def legal(reference: re.Match[str]) -> str:
        nonlocal count
        point = int(reference[1], 16) if reference[1] else int(reference[2])
        if 0 < point < 0x110000 and not ILLEGAL_CHARACTERS.match(chr(point)):
            return reference[0]
        count += 1
        return replacement

    return _REFERENCE.sub(legal, text), count


def local_name(element: etree._Element) -> str:
    """Return the name of an element without its namespace; empty for a comment."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def declare_namespaces(namespaces: Iterable[tuple[str, str]]) -> str:
    """Return the declarations of namespaces by their prefixes (empty: the default), as attributes of a start tag."""
    return "".join(f" xmlns{':' if prefix else ''}{prefix}={quote_attribute(iri)}" for prefix, iri in namespaces)


def quote_attribute(value: str) -> str:
    """Return the value of an attribute in quotation marks."""
    return f'"{value.translate(_ESCAPES)}"'


def escape_text(text: str) -> str:
    """Return a text as it is written between tags."""
    return text.translate(_ESCAPES)


@cache
def _parser(is_huge: bool, charset: str | None) -> etree.XMLParser:
    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=is_huge,
        remove_comments=True,
        remove_pis=True,
        encoding=charset,
    )
