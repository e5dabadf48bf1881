"""Files of XML records: their charset, and the namespaces that are declared around the records.

Records are cut out as bytes and each is parsed alone, without DTD, entities and network: a malformed one is one reject.
A file in a charset that does not contain ASCII (UTF-16) is read as UTF-8, whose bytes the offsets count.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import BinaryIO, TypeVar

import msgspec
from lxml import etree

from bibld.errors import ConfigError, ReadError
from bibld.model.foreign_xml import declare_namespaces, parse_xml, replace_illegal
from bibld.model.mods_plan import MODS, XLINK
from bibld.protocols import Raw
from bibld.read._carrier import (
    BROKEN_OFF,
    EXCERPT,
    CharsetCarrier,
    CharsetSettings,
    Piece,
    drop_illegal,
    illegal_warning,
    sample_charsets,
    to_raws,
)
from bibld.read._charset import ASCII, AUTO, LATIN1, Charsets, can_decode, decode, settle_charsets
from bibld.read._streams import Ends, Rejoined, Stream, recode, recode_head, recoded_charset
from bibld.text.charsets import UTF8, charset_name

_CHUNK = 512 * 1024
_MAX_NAME_BYTES = 256
_SECTION_ENDS = {b"<!--": b"-->", b"<![CDATA[": b"]]>", b"<?": b"?>", b"<!DOCTYPE": b">"}
_MAX_TAG_BYTES = 64 * 1024
_BRACKET = re.compile(rb"[<>]")
_SUBSET_OR_END = re.compile(rb"[\[<>]")
_WRAPPED = re.compile(rb"<(?:[\w.-]+:)?(?:header|metadata|recordData|recordSchema|recordIdentifier)[\s/>]")


class RecordShape(msgspec.Struct, frozen=True):
    """How records look in a file: the local name of their element, and a pattern that a part of one matches."""

    element: str
    content: str


SLIM = RecordShape("record", r"<(?:[\w.-]+:)?(?:leader|controlfield|datafield)[\s/>]")
"""MARCXML, MarcXchange, UNISlim."""

TURBO = RecordShape("r", r"<(?:[\w.-]+:)?(?:l|[cd][0-9A-Za-z]{3})[\s/>]")
"""Turbomarc, which puts the tags into the names of elements."""


def cut(stream: Stream, shape: RecordShape, maximum: int) -> Iterator[Piece]:
    """Yield the record elements of a file in a charset that contains ASCII.

    Elements that only wrap records (a ``record`` of OAI-PMH or SRU), comments and CDATA are passed over. A record that
    is not closed before the next one begins, or before the file ends, is yielded with a fault, and so is one of more
    than ``maximum`` bytes.
    """
    scan = _Scan(stream, shape, maximum)
    while (piece := scan.next_piece()) is not None:
        if piece[1]:
            yield piece


class _Scan:
    """The state of a scan: ``buffer`` begins at the offset ``base`` of the file, and is processed up to ``position``.

    A record element that is not closed yet begins at ``open_at`` (-1: none).
    """

    def __init__(self, stream: Stream, shape: RecordShape, maximum: int) -> None:
        element = shape.element.encode()
        self._markup = re.compile(
            rb"<!--|<!\[CDATA\[|<\?|<!DOCTYPE|<(/?)(?:[A-Za-z_][\w.-]{0,99}:)?" + element + rb"(?=[\s/>])"
        )
        self._content = re.compile(shape.content.encode())
        self._stream = stream
        self._maximum = maximum
        self._buffer = b""
        self._base = self._position = 0
        self._open_at = -1
        self._at_end = False
        self._searched = dict.fromkeys(_SECTION_ENDS, 0)

    def next_piece(self) -> Piece | None:
        """Return the next record; a piece without bytes if there is only progress; None at the end."""
        found = self._markup.search(self._buffer, self._position)
        if found is None:
            return self._beyond_markup()
        if found[1] is None:
            return self._section(found)
        bracket = _BRACKET.search(self._buffer, found.end())
        if bracket is None and not self._at_end and len(self._buffer) - found.start() < _MAX_TAG_BYTES:
            return self._more(found.start())
        end = bracket.end() if bracket is not None and bracket[0] == b">" else found.end()
        if found[1]:
            return self._closed(end)
        return self._opened(found.start(), end)

    def _beyond_markup(self) -> Piece | None:
        if not self._at_end:
            end = len(self._buffer)
            bracket = self._buffer.rfind(b"<", max(self._position, end - _MAX_NAME_BYTES))
            return self._more(bracket if bracket >= 0 else end)
        if self._open_at < 0:
            return None
        piece = self._piece(self._open_at, len(self._buffer), BROKEN_OFF)
        self._open_at = -1
        self._position = len(self._buffer)
        return piece

    def _section(self, found: re.Match[bytes]) -> Piece | None:
        """Pass over a comment, CDATA section, processing instruction or DOCTYPE; if it is never closed, it is text."""
        opening = found[0]
        closing = _SECTION_ENDS[opening]
        if opening == b"<!DOCTYPE":
            bracket = _SUBSET_OR_END.search(self._buffer, found.end())
            closing = b"]>" if bracket is not None and bracket[0] == b"[" else closing
        begin = max(found.end(), self._searched[opening] - self._base)
        end = self._buffer.find(closing, begin)
        if end >= 0:
            self._position = end + len(closing)
            return self._progress()
        self._searched[opening] = self._base + max(len(self._buffer) - len(closing) + 1, found.end())
        if self._at_end or len(self._buffer) - found.start() > self._maximum:
            self._position = found.end()
            return self._progress()
        return self._more(found.start())

    def _opened(self, start: int, end: int) -> Piece | None:
        before, self._open_at = self._open_at, start
        self._position = end
        if self._buffer[end - 2 : end] == b"/>":
            self._open_at = -1
            if before >= 0:
                self._open_at = before
                return self._progress()
            return self._piece(start, end, "")
        if before >= 0 and self._content.search(self._buffer, before, start):
            return self._piece(before, start, "the next record begins before this one is closed")
        return self._progress()

    def _closed(self, end: int) -> Piece | None:
        before, self._open_at = self._open_at, -1
        self._position = end
        if before < 0:
            return self._progress()
        piece = self._piece(before, end, "")
        if not self._content.search(piece[1]) and _WRAPPED.search(piece[1]):
            return self._progress()
        return piece

    def _more(self, position: int) -> Piece | None:
        """Read more, keeping what is still needed; give up a record that is open for more than the maximum."""
        keep = self._open_at if self._open_at >= 0 else position
        if len(self._buffer) - keep > self._maximum:
            return self._too_long(keep, position)
        self._position = position - keep
        self._open_at = 0 if self._open_at >= 0 else -1
        self._base += keep
        chunk = self._stream.read(_CHUNK)
        self._at_end = not chunk
        self._buffer = self._buffer[keep:] + chunk
        return self._progress()

    def _too_long(self, start: int, position: int) -> Piece | None:
        is_record = self._open_at >= 0 and self._content.search(self._buffer, start) is not None
        self._open_at = -1
        self._position = max(position, start + 1)
        if not is_record:
            return self._progress()
        fault = f"a record of more than {self._maximum} bytes (the first {EXCERPT} are kept)"
        return self._piece(start, min(start + EXCERPT, len(self._buffer)), fault)

    def _piece(self, start: int, end: int, fault: str) -> Piece:
        return self._base + start, self._buffer[start:end], fault

    def _progress(self) -> Piece:
        return self._base + self._position, b"", ""


_HEAD = 64 * 1024
"""Bytes of a file in which its namespaces and its charset are declared."""

_DECLARATION = re.compile(rb"""<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
_XMLNS = re.compile(rb"""\sxmlns(?::([\w.-]+))?\s*=\s*(?:"([^"<]*)"|'([^'<]*)')""")
_PREFIX = re.compile(rb"[<\s/]([A-Za-z_][\w.-]*):[A-Za-z_]")
_NO_ELEMENT = re.compile(rb"<!--.*?-->|<\?.*?\?>|<!DOCTYPE[^>\[]*(?:\[.*?\]\s*)?>", re.DOTALL)
_FIRST_TAG = re.compile(rb"<([A-Za-z_][\w.:-]*)((?:\s[^>]*)?)>")

_USUAL_PREFIXES = {"mods": MODS, "xlink": XLINK}
"""Namespaces of prefixes that are used and not declared."""


class XmlCarrier(CharsetCarrier, frozen=True, kw_only=True):
    """One file of XML.

    ``namespaces`` are the prefixes (empty: the default) declared around the records, ``shape`` describes a record.
    """

    namespaces: tuple[tuple[str, str], ...]
    shape: RecordShape

    def raws(self, stream: BinaryIO) -> Iterator[Raw | ReadError]:
        """Cut the file into its record elements; a file that ends before its outermost element does is damaged."""
        ends = Ends(recode(stream, self.recoded))
        pieces = cut(ends, self.shape, self.max_record_bytes)
        return to_raws(self.source, self.file, pieces, lambda: _missing_end(ends))

    def element(self, raw: Raw, warnings: list[str]) -> etree._Element:
        """Parse a record as it is, and if that fails, without characters that XML cannot contain.

        Raises ``ReadError`` if it is not well-formed.
        """
        if self.charsets.main in (UTF8, ASCII) and not self.charsets.fixed:
            try:
                return self._parse_element(raw.data)
            except etree.XMLSyntaxError as error:
                if raw.data.isascii() and b"&#" not in raw.data and "prefix" not in str(error):
                    raise ReadError(raw.origin, _malformed(error), raw.data) from error
        decoded = decode(raw.data, self.charsets)
        warnings += decoded.warnings
        text, illegal = replace_illegal(decoded.text)
        if illegal:
            warnings.append(illegal_warning(illegal))
        try:
            return self._parse_element(text.encode("utf-8", "replace"), undeclared=True)
        except etree.XMLSyntaxError as error:
            raise ReadError(raw.origin, _malformed(error), raw.data) from error

    def _parse_element(self, data: bytes, *, undeclared: bool = False) -> etree._Element:
        # Unlike ISO 2709, XML does not limit the length of a field; cutting has bounded that of the record.
        namespaces = dict(self.namespaces)
        if undeclared:
            used = {prefix.decode() for prefix in _PREFIX.findall(data)}
            for prefix in sorted(used - namespaces.keys() - {"xml", "xmlns"}):
                namespaces[prefix] = _USUAL_PREFIXES.get(prefix) or f"urn:undeclared:{prefix}"
        if not namespaces:
            return parse_xml(data, is_huge=True, charset=UTF8)
        around = f"<around{declare_namespaces(namespaces.items())}>".encode()
        return parse_xml(around + data + b"</around>", is_huge=True, charset=UTF8)[0]


AnyXmlCarrier = TypeVar("AnyXmlCarrier", bound=XmlCarrier)


def examine_xml(
    carrier: type[AnyXmlCarrier],
    stream: BinaryIO,
    name: str,
    source: str,
    settings: CharsetSettings,
    find_shape: Callable[[bytes], tuple[RecordShape, re.Pattern[bytes] | None]],
) -> AnyXmlCarrier:
    """Find charset and namespaces at the beginning of a file, and make its carrier.

    ``find_shape`` returns, for these bytes, the shape of the records and a pattern that the first one matches: the
    namespaces are those declared before it (None: all).
    """
    head = stream.read(_HEAD)
    text = recode_head(head, b"<")
    shape, first_record = find_shape(text)
    recoded = recoded_charset(head, b"<")
    samples = sample_charsets(cut(recode(Rejoined(head, stream), recoded), shape, settings.max_record_bytes))
    declaration = _DECLARATION.search(text)
    declared = _known_charset(declaration[1].decode()) if declaration else None
    if recoded:
        charsets = Charsets(declared or recoded, UTF8)
    elif settings.charset == AUTO and all(can_decode(data, declared or UTF8) for data in samples):
        charsets = Charsets(declared, declared or UTF8)
    else:
        charsets = settle_charsets(settings.charset, declared, LATIN1, samples)
    first = first_record.search(text) if first_record is not None else None
    return carrier(
        source=source,
        file=name,
        charsets=charsets,
        recoded=recoded,
        namespaces=_declared_namespaces(text[: first.start()] if first else text),
        shape=shape,
        max_record_bytes=settings.max_record_bytes,
    )


def xml_head(head: bytes) -> bytes:
    """Return the first bytes of a file in a charset that contains ASCII; none if it does not begin as XML does."""
    text = recode_head(head, b"<")
    return text if text.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") else b""


def _known_charset(charset: str) -> str | None:
    try:
        return charset_name(charset)
    except ConfigError:  # a wrong declaration is ignored: the charset is found by the bytes
        return None


def _declared_namespaces(head: bytes) -> tuple[tuple[str, str], ...]:
    found: dict[str, str] = {}
    for declaration in _XMLNS.finditer(head):
        prefix, uri = (declaration[1] or b"").decode("utf-8", "replace"), declaration[2] or declaration[3] or b""
        if prefix.isascii() and (uri or not prefix) and prefix not in ("xml", "xmlns"):
            found[prefix] = drop_illegal(uri.decode("utf-8", "replace"))[0].replace("&", "")
    return tuple(found.items())


def _malformed(error: etree.XMLSyntaxError) -> str:
    return f"not well-formed XML: {error.msg} (counted from the beginning of the record)"


def _missing_end(ends: Ends) -> str:
    """Return the fault of a file that does not end with the end of its first element; empty if it does."""
    first = _FIRST_TAG.search(_NO_ELEMENT.sub(b"", ends.head))
    if first is None or first[2].endswith(b"/") or re.search(rb"</" + re.escape(first[1]) + rb"\s*>", ends.tail):
        return ""
    return f"the file ends before </{first[1].decode(errors='replace')}>, so it may be cut off; fetch it again"
