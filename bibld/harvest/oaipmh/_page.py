"""One answer of an OAI-PMH server: records or headers, resumption token, errors; repaired where it must be."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import Literal

import msgspec
from lxml import etree

from bibld.harvest._store import StoredResponse
from bibld.harvest.oaipmh._decoding import Noted, NotOaiError, repair, root_text
from bibld.model.foreign_xml import escape_text, local_name, parse_xml

IdFrom = Literal["identifier", "local"]

_OAI = re.compile(r"oai:[^:]*:(.+)", re.DOTALL)
_WEB = re.compile(r"https?://[^/?#]*/?(.+)", re.DOTALL | re.IGNORECASE)
NAMESPACE = "http://www.openarchives.org/OAI/2.0/"
WITHOUT_METADATA = "has no metadata"
"""The fault of a record that is not deleted, and has nothing but its header."""

LISTS = ("ListRecords", "ListIdentifiers", "GetRecord", "ListSets", "ListMetadataFormats", "Identify")
_RECORD = re.compile(r"<(?:[\w.-]+:)?record(?:\s[^>]*)?>\s*(?=<(?:[\w.-]+:)?header[\s>/])")
_RECORD_END = re.compile(r"</(?:[\w.-]+:)?record\s*>")
_ROOT_TAG = re.compile(r"<([\w.:-]+)((?:\s[^>]*)?)>")
_NAMESPACES = re.compile(r"""\sxmlns(?::[\w.-]+)?\s*=\s*(?:"[^"<]*"|'[^'<]*')""")
_IDENTIFIER = re.compile(r"<(?:[\w.-]+:)?identifier[^>]*>\s*([^<]+?)\s*</")
_DATESTAMP = re.compile(r"<(?:[\w.-]+:)?datestamp[^>]*>\s*([^<]+?)\s*</")
_TOKEN = re.compile(r"<(?:[\w.-]+:)?resumptionToken(?:\s[^>]*)?(?:/>|>(.*?)</)", re.DOTALL)
_SIZE = re.compile(r"completeListSize\s*=\s*[\"'](\d+)[\"']")
_DELETED_LEADER = re.compile(rb"<(?:[\w.-]+:)?leader(?:\s[^>]*)?>[^<]{5}d")
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?")
_EXCERPT = 300
_MAX_DIGITS = 15
"""Of a number that a server states; longer ones are nonsense, and int() refuses those with thousands."""


def record_key(identifier: str, id_from: IdFrom) -> str:
    """Return what a record with this identifier is known by.

    The local part is what follows the second colon of ``oai:host:number``, or the host of a web address; an identifier
    of another form is its own local part.
    """
    if id_from == "local" and (found := _OAI.fullmatch(identifier) or _WEB.fullmatch(identifier)):
        return found[1]
    return identifier


class Item(msgspec.Struct, frozen=True, gc=False):
    """A record or header: ``data`` is the record as it is stored, empty if it is deleted or only a header.

    ``key`` is what the record is known by, which may be a part of its ``identifier``. ``fault`` is why it cannot be
    used, then ``data`` are its bytes. ``kind`` is the name of the element of metadata.
    """

    identifier: str
    key: str
    datestamp: str
    sets: tuple[str, ...] = ()
    is_deleted: bool = False
    data: bytes = b""
    fault: str = ""
    kind: str = ""


class Page(msgspec.Struct, frozen=True):
    """An answer. ``verb`` names the element that it contains, empty if there is none; ``token`` is stripped.

    ``size`` is the completeListSize, where the server states it.
    """

    url: str
    number: int
    status: int
    verb: str
    response_date: str
    noted: Noted
    items: tuple[Item, ...]
    token: str
    size: int | None
    errors: tuple[tuple[str, str], ...] = ()
    root: etree._Element | None = None


def parse_page(response: StoredResponse, id_from: IdFrom = "identifier") -> Page:
    """Parse an answer; ``id_from`` states what its records are known by.

    Raises ``NotOaiError`` if it is no OAI-PMH or was cut off.
    """
    text, noted = root_text(response.body, response.headers)
    try:
        root = _parse(text)
    except etree.XMLSyntaxError:
        text = repair(text, noted)
        try:
            root = _parse(text)
        except etree.XMLSyntaxError:
            return _page_in_pieces(response, text, noted, id_from)
    return _page_of_tree(response, root, noted, id_from)


def _page_of_tree(response: StoredResponse, root: etree._Element, noted: Noted, id_from: IdFrom) -> Page:
    if not str(root.tag).startswith(f"{{{NAMESPACE}}}"):
        noted.append(("wrong-namespace", str(root.tag).encode()))
    errors = []
    verb, response_date, token = "", "", None
    listed: etree._Element | None = None
    for child in root:
        name = local_name(child)
        if name == "responseDate":
            response_date = (child.text or "").strip()
        elif name == "error":
            errors.append((child.get("code", "").strip(), " ".join("".join(map(str, child.itertext())).split())))
        elif name in LISTS:
            verb, listed = name, child
        elif name == "resumptionToken":
            token = child
    items: list[Item] = []
    for child in listed if listed is not None else ():
        name = local_name(child)
        if name == "resumptionToken":
            token = child
        elif name == "record":
            items.append(_item_of_record(child, noted, id_from))
        elif name == "header":
            items.append(_item_of_header(child, child, noted, id_from))
    return Page(
        url=response.url,
        number=response.number,
        status=response.status,
        verb=verb,
        response_date=response_date,
        errors=tuple(errors),
        items=tuple(items),
        token=(token.text or "").strip() if token is not None else "",
        size=_number(token.get("completeListSize")) if token is not None else None,
        root=root,
        noted=noted,
    )


def _page_in_pieces(response: StoredResponse, text: str, noted: Noted, id_from: IdFrom) -> Page:
    """Parse each record of a broken page alone; the token is taken from the text behind the last record."""
    begins = [found.start() for found in _RECORD.finditer(text)]
    if not begins:
        raise NotOaiError("the answer is not well-formed XML")
    ends = [found.end() for found in _RECORD_END.finditer(text)]
    rest = text[ends[-1] :] if ends and ends[-1] > begins[-1] else text[begins[-1] :]
    root_tag = _ROOT_TAG.match(text)
    declarations = "".join(_NAMESPACES.findall(root_tag[0])) if root_tag else ""
    items = []
    for begin, end in zip(begins, [*begins[1:], len(text) - len(rest) if rest else len(text)], strict=True):
        ending = list(_RECORD_END.finditer(text, begin, end))
        chunk = text[begin : ending[-1].end()] if ending else text[begin:end]
        try:
            element = _parse(f"<page{declarations}>{chunk}</page>")[0]
        except (etree.XMLSyntaxError, IndexError) as error:
            found, datestamp = _IDENTIFIER.search(chunk), _DATESTAMP.search(chunk)
            data = chunk.encode("utf-8", "replace")
            identifier = _unescaped(found[1]) if found else _content_id(data)
            key, date = record_key(identifier, id_from), datestamp[1] if datestamp else ""
            items.append(Item(identifier, key, date, data=data, fault=f"is not well-formed XML: {error}"))
            noted.append(("broken-record", data[:_EXCERPT]))
        else:
            items.append(_item_of_record(element, noted, id_from))
    token = _TOKEN.search(rest)
    size = _SIZE.search(token[0]) if token else None
    response_date = re.search(r"<(?:[\w.-]+:)?responseDate[^>]*>\s*([^<]*?)\s*</", text)
    return Page(
        url=response.url,
        number=response.number,
        status=response.status,
        verb="GetRecord" if "verb=GetRecord" in response.url else "ListRecords",
        response_date=response_date[1] if response_date else "",
        items=tuple(items),
        token=_unescaped((token[1] or "").strip()) if token else "",
        size=_number(size[1]) if size else None,
        noted=noted,
    )


def _item_of_record(record: etree._Element, noted: Noted, id_from: IdFrom) -> Item:
    header = metadata = None
    for child in record:
        name = local_name(child)
        if name == "header":
            header = child
        elif name == "metadata":
            metadata = child
    if header is None:
        data = _bytes(record)
        noted.append(("no-header", data[:_EXCERPT]))
        return _nameless_item(data, "", (), "has no header")
    item = _item_of_header(header, record, noted, id_from)
    if item.is_deleted or item.fault:
        return item
    element = _metadata_element(metadata, noted) if metadata is not None else None
    if element is None:
        data = _bytes(record)
        noted.append(("no-metadata", data[:_EXCERPT]))
        return msgspec.structs.replace(item, data=data, fault=WITHOUT_METADATA)
    _add_identifier(element, item.key)
    content = _bytes(element)
    if _DELETED_LEADER.search(content, 0, 2000):
        noted.append(("deleted-within", content[:_EXCERPT]))
    identifier = escape_text(item.key).encode()
    data = b"<record><header><identifier>%s</identifier></header><metadata>%s</metadata></record>" % (
        identifier,
        content,
    )
    return msgspec.structs.replace(item, data=data, kind=local_name(element))


def _add_identifier(element: etree._Element, identifier: str) -> None:
    """Give a record of MARC or MODS that has no control number the identifier of its header.

    Otherwise its number would be made of its content, and each change would make it another record.
    """
    names = {local_name(child): child for child in reversed(element)}
    namespace = str(element.tag).rpartition("}")[0]
    prefix = f"{namespace}}}" if namespace else ""
    is_marc = local_name(element) == "record" and ("leader" in names or "datafield" in names)
    if is_marc and not any(child.get("tag") == "001" for child in element):
        added = etree.Element(f"{prefix}controlfield", tag="001")
        added.text = identifier
        element.insert(1 if "leader" in names else 0, added)
    is_mods = local_name(element) == "mods"
    if is_mods and not any(local_name(each) == "recordIdentifier" for each in element.iter()):
        information = names.get("recordInfo")
        if information is None:
            information = etree.SubElement(element, f"{prefix}recordInfo")
        etree.SubElement(information, f"{prefix}recordIdentifier").text = identifier


def _item_of_header(header: etree._Element, record: etree._Element, noted: Noted, id_from: IdFrom) -> Item:
    identifier, datestamp = "", ""
    sets = []
    for child in header:
        name, text = local_name(child), (child.text or "").strip()
        if name == "identifier":
            identifier = identifier or text
        elif name == "datestamp":
            datestamp = normal_date(text)
        elif name == "setSpec" and text:
            sets.append(text)
    own, other = header.get("status", ""), record.get("status", "")
    is_deleted = "deleted" in (own.strip().lower(), other.strip().lower())
    if is_deleted and own != "deleted":
        noted.append(("unusual-deleted", _bytes(header)[:_EXCERPT]))
    if not identifier:
        data = _bytes(record)
        noted.append(("no-header", data[:_EXCERPT]))
        return _nameless_item(data, datestamp, tuple(sets), "has no identifier")
    return Item(identifier, record_key(identifier, id_from), datestamp, tuple(sets), is_deleted)


def _nameless_item(data: bytes, datestamp: str, sets: tuple[str, ...], fault: str) -> Item:
    """Return an item without an identifier, which is known by its content."""
    name = _content_id(data)
    return Item(name, name, datestamp, sets, data=data, fault=fault)


def _metadata_element(metadata: etree._Element, noted: Noted) -> etree._Element | None:
    """Return the element of the metadata; text that is XML is parsed."""
    for child in metadata:
        if isinstance(child.tag, str):
            return child
    text = (metadata.text or "").strip()
    if not text.startswith("<"):
        return None
    noted.append(("metadata-as-text", text[:_EXCERPT].encode("utf-8", "replace")))
    text = re.sub(r"^<\?xml[^>]*\?>\s*", "", text)
    for attempt in (text, repair(text, noted)):
        try:
            return _parse(attempt)
        except etree.XMLSyntaxError:
            continue
    return None


def normal_date(text: str) -> str:
    """Return a date or time as the standard writes it, of whatever the server writes; empty if it is none."""
    found = _DATE.search(text.upper())
    if found is None:
        return ""
    date = found[0].replace(" ", "T").partition(".")[0]
    return date if len(date) == 10 else f"{date if len(date) == 19 else f'{date}:00'}Z"


def items_of_sets(page: Page) -> Iterator[str]:
    """Yield the names of the sets of a page of ListSets."""
    if page.root is not None:
        for element in page.root.iter():
            if local_name(element) == "setSpec" and element.text:
                yield element.text.strip()


def _content_id(data: bytes) -> str:
    return f"content:{hashlib.blake2b(data, digest_size=16).hexdigest()}"


def _bytes(element: etree._Element) -> bytes:
    return etree.tostring(element, encoding="utf-8", xml_declaration=False, with_tail=False)


def _number(text: str | None) -> int | None:
    digits = (text or "").strip()
    return int(digits) if digits.isdecimal() and len(digits) <= _MAX_DIGITS else None


def _unescaped(text: str) -> str:
    for entity, character in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'"), ("&amp;", "&")):
        text = text.replace(entity, character)
    return text


def _parse(text: str) -> etree._Element:
    return parse_xml(text.encode("utf-8", "replace"), is_huge=True, charset="utf-8")
