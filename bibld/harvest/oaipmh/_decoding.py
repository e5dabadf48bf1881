"""From the bytes of an answer to text that is XML: charset, what precedes and follows the root element, repairs."""

from __future__ import annotations

import html.entities
import re
from collections.abc import Mapping
from itertools import zip_longest

from bibld.model.foreign_xml import declare_namespaces, escape_text, replace_illegal

Noted = list[tuple[str, bytes]]
"""Kinds of faults with the bytes that show them."""

_DECLARATION = re.compile(rb"""<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
_CHARSET_OF_HEADER = re.compile(r"charset\s*=\s*\"?([A-Za-z0-9._-]+)", re.IGNORECASE)
_BEGIN = re.compile(r"<(?:[\w.-]+:)?OAI-PMH(?=[\s>/])")
_END = re.compile(r"</(?:[\w.-]+:)?OAI-PMH\s*>")
_PROLOG = re.compile(r"(?:\s|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*(?:\[.*?\]\s*)?>)*", re.DOTALL)
_AROUND = re.compile(r"(?:\s|<\?.*?\?>|<!--.*?-->)*", re.DOTALL)
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)
_EXCERPT = 300
_CYRILLIC = ("cp1251", "koi8-r", "cp866")
_LATIN = "cp1252"
_RUN = re.compile(rb"[\x80-\xff]+")
_LOWER_CASE = re.compile("[а-яё]")
_UPPER_CASE = re.compile("[А-ЯЁ]")


class NotOaiError(ValueError):
    """An answer that is no OAI-PMH; ``fault`` is its kind."""

    def __init__(self, reason: str, fault: str = "not-oai") -> None:
        super().__init__(reason)
        self.fault = fault


def root_text(body: bytes, headers: Mapping[str, str]) -> tuple[str, Noted]:
    """Return the text from ``<OAI-PMH`` to ``</OAI-PMH>`` and what was wrong around it; raises ``NotOaiError``."""
    if not body.strip():
        raise NotOaiError("the answer is empty", "empty-answer")
    noted: Noted = []
    text = _decode(body, headers, noted)
    begin = _BEGIN.search(text)
    if begin is None:
        title = _TITLE.search(text)
        named = f' ("{" ".join(title[1].split())[:80]}")' if title else ""
        is_page = re.search(r"<html|<!doctype html", text[:2000], re.IGNORECASE)
        raise NotOaiError(f"the answer is {'a web page' if is_page else 'no OAI-PMH'}{named}")
    end = None
    for end in _END.finditer(text, begin.end()):  # noqa: B007 - the last one
        pass
    if end is None:
        raise NotOaiError("the answer is cut off: it has no </OAI-PMH>", "cut-off")
    before, after = text[: begin.start()], text[end.end() :]
    prolog = _PROLOG.fullmatch(before)
    if "<!DOCTYPE" in before:
        noted.append(("doctype", before[:_EXCERPT].encode("utf-8", "replace")))
    if prolog is None or ("<?xml" in before and before.lstrip("\ufeff").find("<?xml") > 0):
        noted.append(("junk-before", before[:_EXCERPT].encode("utf-8", "replace")))
    if not _AROUND.fullmatch(after.rstrip("\0")):
        noted.append(("junk-after", after[:_EXCERPT].encode("utf-8", "replace")))
    return text[begin.start() : end.end()], noted


def _decode(body: bytes, headers: Mapping[str, str], noted: Noted) -> str:
    """Decode: a byte order mark, strict UTF-8, the declared charset, that of the header, the best of the usual ones."""
    if body.startswith(b"\xef\xbb\xbf"):
        return body[3:].decode("utf-8", "replace")
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        noted.append(("not-utf8", b"UTF-16"))
        return body.decode("utf-16", "replace")
    if body[:2] in (b"<\0", b"\0<"):
        noted.append(("not-utf8", b"UTF-16"))
        return body.decode("utf-16-le" if body[:1] == b"<" else "utf-16-be", "replace")
    found = _DECLARATION.search(body[:1000])
    declared = found[1].decode().lower() if found else ""
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        at = max(error.start - 60, 0)
        example = body[at : error.start + 60]
    if declared in ("utf-8", "utf8", ""):
        noted.append(("wrong-charset", example))
    else:
        text = _try_decoding(body, declared)
        if text is not None:
            noted.append(("not-utf8", declared.encode()))
            return text
        noted.append(("wrong-charset", example))
    in_header = _CHARSET_OF_HEADER.search(headers.get("content-type", ""))
    if in_header and in_header[1].lower() not in ("utf-8", "utf8"):
        text = _try_decoding(body, in_header[1])
        if text is not None:
            return text
    return _best_decoding(body)


def _try_decoding(body: bytes, charset: str) -> str | None:
    try:
        return body.decode(charset)
    except (LookupError, UnicodeError):
        return None


def _best_decoding(body: bytes) -> str:
    """Decode text of an unknown charset of one byte.

    Where bytes beyond ASCII mostly follow each other it is Cyrillic, in the charset in which most letters are small;
    otherwise it is Latin with some accents. If most is UTF-8, the rest becomes U+FFFD.
    """
    mostly = body.decode("utf-8", "replace")
    beyond = sum(map(len, _RUN.findall(body)))
    if 20 * mostly.count("\ufffd") < beyond:
        return mostly
    runs = _RUN.findall(body)
    if sum(len(run) > 1 for run in runs) * 2 < len(runs):
        return body.decode(_LATIN, "replace")
    decoded = [body.decode(charset, "replace") for charset in _CYRILLIC]
    return max(decoded, key=lambda text: len(_LOWER_CASE.findall(text)) - len(_UPPER_CASE.findall(text)))


_PAIR = re.compile(
    r"&#(?:[xX]([dD][89abAB][0-9a-fA-F]{2})|(5[5-6][0-9]{3}));&#(?:[xX]([dD][c-fC-F][0-9a-fA-F]{2})|(5[6-7][0-9]{3}));"
)
_XML_DECLARATION = re.compile(r"<\?xml\s[^>]*\?>")
_AMPERSAND = re.compile(
    r"(<!\[CDATA\[.*?\]\]>)|&(?!(?:amp|lt|gt|quot|apos);|#[0-9]+;|#[xX][0-9A-Fa-f]+;)([A-Za-z][A-Za-z0-9]*;)?",
    re.DOTALL,
)
_USED = re.compile(r"<([A-Za-z_][\w.-]*):[A-Za-z_]|\s([A-Za-z_][\w.-]*):[A-Za-z_][\w.-]*\s*=")
_DECLARED = re.compile(r"""\sxmlns:([\w.-]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')""")
_ROOT_TAG = re.compile(r"<[\w.:-]+(?:\s[^>]*)?>")
_REPLACEMENT = "\ufffd"
_EXCERPT_AROUND = 40

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
    if found := _XML_DECLARATION.search(text):
        noted.append(("inner-declaration", found[0].encode()))
        text = _XML_DECLARATION.sub("", text)
    return _with_prefixes(_without_bare_ampersands(text, noted), noted)


def _without_illegal_characters(text: str, noted: Noted) -> str:
    repaired, _ = replace_illegal(_PAIR.sub(_joined, text), _REPLACEMENT)
    if repaired != text:
        at = next(at for at, (old, new) in enumerate(zip_longest(text, repaired)) if old != new)
        noted.append(("illegal-characters", _excerpt(text, at)))
    return repaired


def _joined(pair: re.Match[str]) -> str:
    """Return the character of which two references name the surrogates."""
    high = int(pair[1], 16) if pair[1] else int(pair[2])
    low = int(pair[3], 16) if pair[3] else int(pair[4])
    point = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)
    return chr(point) if 0x10000 <= point < 0x110000 else _REPLACEMENT


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
        noted.append(("bare-ampersand", _excerpt(text, first)))
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
        noted.append(("undeclared-prefix", ", ".join(undeclared).encode()))
    declarations = declare_namespaces(
        (prefix, anywhere.get(prefix) or USUAL_PREFIXES.get(prefix) or f"urn:undeclared:{prefix}") for prefix in missing
    )
    at = root.end() - (2 if root[0].endswith("/>") else 1)
    return f"{text[:at]}{declarations}{text[at:]}"


def _excerpt(text: str, at: int) -> bytes:
    return text[max(at - _EXCERPT_AROUND, 0) : at + _EXCERPT_AROUND].encode("utf-8", "backslashreplace")
