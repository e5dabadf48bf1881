"""Repairs of text that is almost XML, in the order in which they are tried; each is noted."""

from __future__ import annotations

import html.entities
import re

from bibld.harvest.oaipmh._decoding import Noted
from bibld.harvest.oaipmh._faults import BARE_AMPERSAND, ILLEGAL_CHARACTERS, INNER_DECLARATION, UNDECLARED_PREFIX
from bibld.model.foreign_xml import declare_namespaces, escape_text

_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_REFERENCE = re.compile(r"&#(?:[xX]([0-9A-Fa-f]{1,9})|([0-9]{1,9}));")
_PAIR = re.compile(
    r"&#(?:[xX]([dD][89abAB][0-9a-fA-F]{2})|(5[5-6][0-9]{3}));&#(?:[xX]([dD][c-fC-F][0-9a-fA-F]{2})|(5[6-7][0-9]{3}));"
)
_DECLARATION = re.compile(r"<\?xml\s[^>]*\?>")
_AMPERSAND = re.compile(
    r"(<!\[CDATA\[.*?\]\]>)|&(?!(?:amp|lt|gt|quot|apos);|#[0-9]+;|#[xX][0-9A-Fa-f]+;)([A-Za-z][A-Za-z0-9]*;)?",
    re.DOTALL,
)
_USED = re.compile(r"<([A-Za-z_][\w.-]*):[A-Za-z_]|\s([A-Za-z_][\w.-]*):[A-Za-z_][\w.-]*\s*=")
_DECLARED = re.compile(r"""\sxmlns:([\w.-]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')""")
_ROOT_TAG = re.compile(r"<[\w.:-]+(?:\s[^>]*)?>")
_REPLACEMENT = "\ufffd"
_AROUND = 40

USUAL_PREFIXES = {
    "dc": "http://purl.org/dc/elements/1.1/",
    "dcterms": "http://purl.org/dc/terms/",
    "marc": "http://www.loc.gov/MARC21/slim",
    "mods": "http://www.loc.gov/mods/v3",
    "oai_dc": "http://www.openarchives.org/OAI/2.0/oai_dc/",
    "xlink": "http://www.w3.org/1999/xlink",
    "xsi": "http://www.w3.org/2001/XMLSchema-instance",
}


def repair(text: str, noted: Noted) -> str:
    """Return the text with illegal characters, inner declarations, bare ampersands and undeclared prefixes repaired."""
    text = _without_illegal_characters(text, noted)
    if found := _DECLARATION.search(text):
        noted.append((INNER_DECLARATION, found[0].encode()))
        text = _DECLARATION.sub("", text)
    return _with_prefixes(_without_bare_ampersands(text, noted), noted)


def _without_illegal_characters(text: str, noted: Noted) -> str:
    if found := _ILLEGAL.search(text):
        noted.append((ILLEGAL_CHARACTERS, _excerpt(text, found.start())))
        text = _ILLEGAL.sub(_REPLACEMENT, text)
    if "&#" not in text:
        return text
    wrong: list[int] = []

    def joined(found: re.Match[str]) -> str:
        wrong.append(found.start())
        high = int(found[1], 16) if found[1] else int(found[2])
        low = int(found[3], 16) if found[3] else int(found[4])
        point = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)
        return chr(point) if 0x10000 <= point < 0x110000 else _REPLACEMENT

    def checked(found: re.Match[str]) -> str:
        point = int(found[1], 16) if found[1] else int(found[2])
        if 0 < point < 0x110000 and not _ILLEGAL.match(chr(point)):
            return found[0]
        wrong.append(found.start())
        return _REPLACEMENT

    repaired = _REFERENCE.sub(checked, _PAIR.sub(joined, text))
    if wrong:
        noted.append((ILLEGAL_CHARACTERS, _excerpt(text, wrong[0])))
    return repaired


def _without_bare_ampersands(text: str, noted: Noted) -> str:
    first = -1

    def character(found: re.Match[str]) -> str:
        nonlocal first
        if found[1]:
            return found[1]
        first = found.start() if first < 0 else first
        name = found[2] or ""
        known = html.entities.html5.get(name)
        return escape_text(known) if known else f"&amp;{name}"

    repaired = _AMPERSAND.sub(character, text)
    if first >= 0:
        noted.append((BARE_AMPERSAND, _excerpt(text, first)))
    return repaired


def _with_prefixes(text: str, noted: Noted) -> str:
    """Declare on the root element the prefixes that are used and not declared there."""
    root = _ROOT_TAG.match(text)
    if root is None:
        return text
    on_root = {found[1] for found in _DECLARED.finditer(root[0])}
    used = {found[1] or found[2] for found in _USED.finditer(text)} - {"xml", "xmlns"}
    anywhere = {found[1]: found[2] or found[3] for found in _DECLARED.finditer(text)}
    missing = sorted(used - on_root)
    undeclared = [prefix for prefix in missing if prefix not in anywhere]
    if undeclared:
        noted.append((UNDECLARED_PREFIX, ", ".join(undeclared).encode()))
    declarations = declare_namespaces(
        (prefix, anywhere.get(prefix) or USUAL_PREFIXES.get(prefix) or f"urn:undeclared:{prefix}") for prefix in missing
    )
    at = root.end() - (2 if root[0].endswith("/>") else 1)
    return f"{text[:at]}{declarations}{text[at:]}"


def _excerpt(text: str, at: int) -> bytes:
    return text[max(at - _AROUND, 0) : at + _AROUND].encode("utf-8", "backslashreplace")
