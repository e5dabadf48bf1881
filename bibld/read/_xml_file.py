"""Files of XML records: their charset, and the namespaces that are declared around the records.

Records are cut out as bytes and each is parsed alone, without DTD, entities and network: a malformed one is one reject.
A file in a charset that does not contain ASCII (UTF-16) is read as UTF-8, whose bytes the offsets count.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import BinaryIO, TypeVar

from lxml import etree

from bibld.errors import ConfigError, ReadError
from bibld.model.foreign_xml import declare_namespaces, parse_xml
from bibld.model.mods_plan import MODS, XLINK
from bibld.protocols import Raw
from bibld.read._carrier import CharsetCarrier, CharsetSettings, drop_illegal, illegal_warning, sample_charsets, to_raws
from bibld.read._charset import ASCII, AUTO, LATIN1, Charsets, decode, settle_charsets
from bibld.read._stream import Ends, Rejoined, recode, recode_head, recoded_charset
from bibld.read._xml_cut import RecordShape, cut
from bibld.text.charsets import UTF8, charset_name

_HEAD = 64 * 1024
"""Bytes of a file in which its namespaces and its charset are declared."""

_DECLARATION = re.compile(rb"""<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
_XMLNS = re.compile(rb"""\sxmlns(?::([\w.-]+))?\s*=\s*(?:"([^"<]*)"|'([^'<]*)')""")
_PREFIX = re.compile(rb"[<\s/]([A-Za-z_][\w.-]*):[A-Za-z_]")
_NO_ELEMENT = re.compile(rb"<!--.*?-->|<\?.*?\?>|<!DOCTYPE[^>\[]*(?:\[.*?\]\s*)?>", re.DOTALL)
_FIRST_TAG = re.compile(rb"<([A-Za-z_][\w.:-]*)((?:\s[^>]*)?)>")
_CHARACTER_REFERENCE = re.compile(r"&#(?:x([0-9A-Fa-f]{1,9})|([0-9]{1,9}));")

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
        text, illegal = _drop_illegal_and_references(decoded.text)
        if illegal:
            warnings.append(illegal_warning(illegal))
        try:
            return self._parse_element(text.encode("utf-8", "replace"), undeclared=True)
        except etree.XMLSyntaxError as error:
            raise ReadError(raw.origin, _malformed(error), raw.data) from error

    def _parse_element(self, data: bytes, *, undeclared: bool = False) -> etree._Element:
        namespaces = dict(self.namespaces)
        if undeclared:
            used = {prefix.decode() for prefix in _PREFIX.findall(data)}
            for prefix in sorted(used - namespaces.keys() - {"xml", "xmlns"}):
                namespaces[prefix] = _USUAL_PREFIXES.get(prefix) or f"urn:undeclared:{prefix}"
        if not namespaces:
            return parse_xml(data, charset=UTF8)
        around = f"<around{declare_namespaces(namespaces.items())}>".encode()
        return parse_xml(around + data + b"</around>", charset=UTF8)[0]


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
    text = readable_head(head)
    shape, first_record = find_shape(text)
    recoded = recoded_charset(head, b"<")
    samples = sample_charsets(cut(recode(Rejoined(head, stream), recoded), shape, settings.max_record_bytes))
    declaration = _DECLARATION.search(text)
    declared = _known_charset(declaration[1].decode()) if declaration else None
    if recoded:
        charsets = Charsets(declared or recoded, UTF8)
    elif settings.charset == AUTO and all(_can_decode(data, declared or UTF8) for data in samples):
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


def readable_head(head: bytes) -> bytes:
    """Return the first bytes of a file in a charset that contains ASCII."""
    return recode_head(head, b"<")


def _known_charset(charset: str) -> str | None:
    try:
        return charset_name(charset)
    except ConfigError:  # a wrong declaration is ignored: the charset is found by the bytes
        return None


def _can_decode(data: bytes, charset: str) -> bool:
    try:
        data.decode(charset)
    except (UnicodeError, LookupError):  # MARC-8 is no codec
        return False
    return True


def _declared_namespaces(head: bytes) -> tuple[tuple[str, str], ...]:
    found: dict[str, str] = {}
    for declaration in _XMLNS.finditer(head):
        prefix, uri = (declaration[1] or b"").decode("utf-8", "replace"), declaration[2] or declaration[3] or b""
        if prefix.isascii() and (uri or not prefix) and prefix not in ("xml", "xmlns"):
            found[prefix] = drop_illegal(uri.decode("utf-8", "replace"))[0].replace("&", "")
    return tuple(found.items())


def _malformed(error: etree.XMLSyntaxError) -> str:
    return f"not well-formed XML: {error.msg} (counted from the beginning of the record)"


def _drop_illegal_and_references(text: str) -> tuple[str, int]:
    """Drop characters that XML cannot hold, also those written as references."""
    text, illegal = drop_illegal(text)
    if "&#" not in text:
        return text, illegal
    wrong = 0

    def keep_if_legal(reference: re.Match[str]) -> str:
        nonlocal wrong
        point = int(reference[1], 16) if reference[1] else int(reference[2])
        if 0 < point < 0x110000 and not drop_illegal(chr(point))[1]:
            return reference[0]
        wrong += 1
        return ""

    return _CHARACTER_REFERENCE.sub(keep_if_legal, text), illegal + wrong


def _missing_end(ends: Ends) -> str:
    """Return the fault of a file that does not end with the end of its first element; empty if it does."""
    first = _FIRST_TAG.search(_NO_ELEMENT.sub(b"", ends.head))
    if first is None or first[2].endswith(b"/") or re.search(rb"</" + re.escape(first[1]) + rb"\s*>", ends.tail):
        return ""
    return f"the file ends before </{first[1].decode(errors='replace')}>, so it may be cut off; fetch it again"
