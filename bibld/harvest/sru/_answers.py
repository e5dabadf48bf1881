"""Answers of SRU servers of any version: records, diagnostics, counts, and what explain states.

Names are compared without their namespaces, because servers use those of other versions, or wrong ones.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

import msgspec
from lxml import etree

from bibld.errors import HarvestError
from bibld.model.foreign_xml import local_name, parse_xml, replace_illegal

_DIAGNOSTIC = re.compile(r"(?:diagnostic/1/|diagnostics?:)\s*([0-9]{1,9})\s*$")
_TITLE = re.compile(rb"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)
_DECLARATION = re.compile(r"^\ufeff?\s*(?:<\?xml[^>]*\?>\s*)?")
_CHARSET = re.compile(rb"^\s*<\?xml[^>]*encoding\s*=\s*[\"']([A-Za-z0-9._-]+)[\"']")
_BOM = b"\xef\xbb\xbf"
_MAX_TITLE = 80
_MAX_DIGITS = 15

UNSUPPORTED_VERSION = 5
UNSUPPORTED_PARAMETER = 8
TOO_MANY_RECORDS = (60, 65)
FIRST_POSITION_OUT_OF_RANGE = 61
UNKNOWN_SCHEMA = (66, 67)
UNSUPPORTED_PACKING = (71,)


class Diagnostic(msgspec.Struct, frozen=True):
    """What a server reports instead of, or beside, records: a number of the SRU list (0: none), and its text."""

    code: int
    text: str

    def __str__(self) -> str:
        return f"diagnostic {self.code} ({self.text})" if self.code else f"diagnostic: {self.text}"


class Piece(msgspec.Struct, frozen=True):
    """One record of an answer: its XML, complete with its namespaces, or why there is none.

    ``identifier`` is the control number, or what is one in MODS and Dublin Core, empty if there is none; ``root`` is
    the name of its root element.
    """

    data: bytes
    identifier: str = ""
    root: str = ""
    fault: str = ""
    diagnostic: Diagnostic | None = None
    is_escaped: bool = False


class SearchResponse(msgspec.Struct, frozen=True):
    """The answer to a search: how many records the query has (None: not stated), those that came, and diagnostics.

    ``number`` is that of the stored answer (0: it is not stored).
    """

    total: int | None
    pieces: tuple[Piece, ...]
    diagnostics: tuple[Diagnostic, ...]
    was_repaired: bool = False
    number: int = 0

    def has_diagnostic(self, *codes: int) -> bool:
        """Return whether a diagnostic of the whole answer has one of these codes."""
        return any(one.code in codes for one in self.diagnostics)


class Explained(msgspec.Struct, frozen=True):
    """What a server states about itself; each part may be missing, or wrong."""

    version: str = ""
    title: str = ""
    schemas: tuple[tuple[str, str], ...] = ()
    most_records: int = 0


def parse_search(body: bytes) -> SearchResponse:
    """Read an answer to ``searchRetrieve``; raises ``HarvestError`` if it is none."""
    root, was_repaired = _parse(body)
    name = local_name(root)
    if name == "diagnostics" or name == "diagnostic":
        return SearchResponse(None, (), tuple(_diagnostics(root)), was_repaired)
    if name == "explainResponse":
        diagnostics = tuple(_diagnostics(root)) or (Diagnostic(0, "it answers with its description (explain)"),)
        return SearchResponse(None, (), diagnostics, was_repaired)
    if name != "searchRetrieveResponse":
        raise HarvestError(f"the answer is {_description(body, name)}, not one of SRU")
    total = _text(_child(root, "numberOfRecords"))
    records = _child(root, "records")
    pieces = [_piece(record) for record in records if local_name(record) == "record"] if records is not None else []
    outer = _child(root, "diagnostics")
    return SearchResponse(
        total=_number(total),
        pieces=tuple(pieces),
        diagnostics=tuple(_diagnostics(outer)) if outer is not None else (),
        was_repaired=was_repaired,
    )


def parse_explain(body: bytes) -> Explained:
    """Read an answer to ``explain``; raises ``HarvestError`` if it is none."""
    root, _ = _parse(body)
    if local_name(root) not in ("explainResponse", "explain", "searchRetrieveResponse"):
        raise HarvestError(f"the answer is {_description(body, local_name(root))}, not one of SRU")
    schemas = []
    most = 0
    title = ""
    for element in _elements(root):
        name = local_name(element)
        if name == "schema" and (element.get("name") or element.get("identifier")):
            schemas.append((element.get("name") or "", element.get("identifier") or ""))
        elif name in ("setting", "default") and element.get("type") == "maximumRecords":
            most = (_number(_text(element)) or most) if name == "setting" else most
        elif name == "databaseInfo" and not title:
            title = _text(_child(element, "title"))
    return Explained(_text(_child(root, "version")), title, tuple(schemas), most)


def _parse(body: bytes) -> tuple[etree._Element, bool]:
    """Parse an answer, strictly at first, then without what XML does not allow; return whether that was needed."""
    try:
        return parse_xml(body, is_huge=True), False
    except etree.XMLSyntaxError as error:
        text = repaired(body)
        try:
            return parse_xml(text.encode(), is_huge=True), True
        except etree.XMLSyntaxError:
            raise HarvestError(f"the answer is {_description(body, '')}: {error.msg}") from error


def repaired(body: bytes) -> str:
    """Return an answer as text without an XML declaration and without characters and references that XML forbids."""
    declared = _CHARSET.match(body.removeprefix(_BOM))
    charsets = ["utf-8", *([declared[1].decode("ascii")] if declared else []), "cp1252"]
    text = ""
    for charset in charsets:
        try:
            text = body.decode(charset)
            break
        except (UnicodeDecodeError, LookupError):
            continue
    else:
        text = body.decode("utf-8", "replace")
    text = _DECLARATION.sub("", text, count=1)
    return replace_illegal(text, "\N{REPLACEMENT CHARACTER}")[0]


def _piece(record: etree._Element) -> Piece:
    data = _child(record, "recordData")
    if data is None:
        return Piece(b"", fault="it has no recordData")
    content = next((child for child in data if isinstance(child.tag, str)), None)
    is_escaped = content is None
    if content is None:
        text = data.text or ""
        if not text.strip():
            return Piece(b"", fault="its recordData is empty")
        try:
            content = parse_xml(_DECLARATION.sub("", text, count=1).encode(), is_huge=True)
        except etree.XMLSyntaxError as error:
            return Piece(text.encode(), fault=f"it is not XML: {error.msg}", is_escaped=True)
    if local_name(content) in ("diagnostic", "diagnostics"):
        diagnostic = next(_diagnostics(content), Diagnostic(0, "no text"))
        return Piece(etree.tostring(content), diagnostic=diagnostic)
    if local_name(content) == "collection":
        content = _bibliographic(content)
    return Piece(
        data=etree.tostring(content, encoding="utf-8", with_tail=False),
        identifier=_identifier(content),
        root=local_name(content),
        is_escaped=is_escaped,
    )


def _identifier(record: etree._Element) -> str:
    information = _child(record, "recordInfo")  # of MODS; its related items have numbers, too
    number = _text(_child(information, "recordIdentifier")) if information is not None else ""
    if number:
        return number
    for element in _elements(record):
        name = local_name(element)
        if (name == "controlfield" and element.get("tag") == "001") or name in ("recordIdentifier", "identifier"):
            return _text(element)
    return ""


def _bibliographic(collection: etree._Element) -> etree._Element:
    """Return the record of a collection that describes the publication; others describe copies."""
    records = [child for child in collection if local_name(child) == "record"]
    typed = [one for one in records if (one.get("type") or "Bibliographic").lower() == "bibliographic"]
    return (typed or records or [collection])[0]


def _diagnostics(parent: etree._Element) -> Iterator[Diagnostic]:
    """Yield the diagnostics in an element; the parts of each may come in any order."""
    found = [element for element in _elements(parent) if local_name(element) == "diagnostic"]
    for element in found or ([parent] if _child(parent, "uri") is not None else []):
        code = _DIAGNOSTIC.search(_text(_child(element, "uri")))
        parts = [_text(_child(element, "message")), _text(_child(element, "details"))]
        text = ": ".join(part for part in parts if part) or _text(_child(element, "uri")) or "without a text"
        yield Diagnostic(int(code[1]) if code else 0, text)


def _elements(parent: etree._Element) -> Iterator[etree._Element]:
    return (element for element in parent.iter() if isinstance(element.tag, str))


def _child(parent: etree._Element, name: str) -> etree._Element | None:
    return next((child for child in parent if local_name(child) == name), None)


def _text(element: etree._Element | None) -> str:
    return " ".join("".join(str(part) for part in element.itertext()).split()) if element is not None else ""


def _number(text: str) -> int | None:
    """Return a whole number; None if it is none, or an absurd one."""
    return int(text) if text.isdecimal() and len(text) <= _MAX_DIGITS else None


def _description(body: bytes, name: str) -> str:
    """Return what an answer is that is not one of SRU."""
    if not body.strip():
        return "empty"
    if re.match(rb"\s*(?:<!doctype\s+html|<html)", body[:200], re.IGNORECASE) or name == "html":
        title = _TITLE.search(body)
        text = html.unescape(" ".join(title[1].decode(errors="replace").split())) if title else ""
        return f'a web page ("{text[:_MAX_TITLE]}")' if text else "a web page"
    return f"an element <{name}>" if name else "no XML"
