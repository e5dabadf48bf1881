"""What the records of an XML file need to be understood one by one: charset, and the namespaces declared around them.

Records are cut out as bytes and each is parsed alone, without DTD, entities and network: a malformed one is one reject.
A file in a charset that does not contain ASCII (UTF-16) is read as UTF-8; then offsets count the bytes of that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import BinaryIO
from xml.sax.saxutils import quoteattr

import msgspec
from lxml import etree

from bibld.errors import ConfigError, ReadError
from bibld.model.mods_plan import MODS, XLINK
from bibld.protocols import Raw
from bibld.read._characters import dropped, legal
from bibld.read._charset import ASCII, AUTO, LATIN1, UTF8, Charsets, decoded, is_beyond_ascii, named, settled
from bibld.read._pieces import as_raws
from bibld.read._xml_cut import Recoded, RecordShape, Rejoined, cut

HEAD = 64 * 1024
"""Bytes of a file from which namespaces and charset are known."""

_SAMPLES = 200
_DECLARATION = re.compile(rb"""<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
_XMLNS = re.compile(rb"""\sxmlns(?::([\w.-]+))?\s*=\s*(?:"([^"<]*)"|'([^'<]*)')""")
_PREFIX = re.compile(rb"[<\s/]([A-Za-z_][\w.-]*):[A-Za-z_]")
_CHARACTER_REFERENCE = re.compile(r"&#(?:x([0-9A-Fa-f]{1,9})|([0-9]{1,9}));")

_USUAL_PREFIXES = {"mods": MODS, "xlink": XLINK}
"""What prefixes mean that nobody declared."""


class XmlFile(msgspec.Struct, frozen=True):
    """One file of XML.

    ``recoded`` names a charset that does not contain ASCII (records are UTF-8 then); ``namespaces`` are the prefixes
    (empty: the default) declared around the records, ``shape`` says what a record element is called.
    """

    source: str
    file: str
    charsets: Charsets
    recoded: str
    namespaces: tuple[tuple[str, str], ...]
    shape: RecordShape
    max_record_bytes: int

    @property
    def declared(self) -> str | None:
        """The charset that the XML declaration names."""
        return self.charsets.declared

    @property
    def charset(self) -> str:
        """The charset of the file."""
        return self.recoded or self.charsets.main

    def raws(self, stream: BinaryIO) -> Iterator[Raw | ReadError]:
        """Cut the file into its record elements."""
        readable = Recoded(stream, self.recoded) if self.recoded else stream
        return as_raws(self.source, self.file, cut(readable, self.shape, self.max_record_bytes))

    def element(self, raw: Raw, warnings: list[str]) -> etree._Element:
        """Parse a record as it is, then with the repairs that lose nothing but broken characters.

        Raises ``ReadError`` where it is not well-formed.
        """
        if self.charsets.main in (UTF8, ASCII) and not self.charsets.fixed:
            try:
                return self._parsed(raw.data)
            except etree.XMLSyntaxError as error:
                if raw.data.isascii() and b"&#" not in raw.data and "prefix" not in str(error):
                    raise ReadError(raw.origin, _malformed(error), raw.data) from error
        found = decoded(raw.data, self.charsets)
        warnings += found.warnings
        text, illegal = _without_illegal(found.text)
        if illegal:
            warnings.append(dropped(illegal))
        try:
            return self._parsed(text.encode("utf-8", "replace"), undeclared=True)
        except etree.XMLSyntaxError as error:
            raise ReadError(raw.origin, _malformed(error), raw.data) from error

    def _parsed(self, data: bytes, *, undeclared: bool = False) -> etree._Element:
        namespaces = dict(self.namespaces)
        if undeclared:
            used = {prefix.decode() for prefix in _PREFIX.findall(data)}
            for prefix in sorted(used - namespaces.keys() - {"xml", "xmlns"}):
                namespaces[prefix] = _USUAL_PREFIXES.get(prefix) or f"urn:undeclared:{prefix}"
        if not namespaces:
            return etree.fromstring(data, _parser())
        declarations = "".join(
            f" xmlns{':' if prefix else ''}{prefix}={quoteattr(uri)}" for prefix, uri in namespaces.items()
        )
        around = etree.fromstring(f"<around{declarations}>".encode() + data + b"</around>", _parser())
        return around[0]


def examined(
    head: bytes,
    stream: BinaryIO,
    name: str,
    source: str,
    charset: str,
    maximum: int,
    shape: RecordShape,
    ends_head: re.Pattern[bytes] | None,
) -> XmlFile:
    """Settle charset and namespaces from the ``head`` of a file, behind which the ``stream`` goes on.

    Namespaces are those declared before ``ends_head`` first matches (None: in all the head); ``charset`` is ``auto`` or
    the configured one.
    """
    recoded = recoded_of(head)
    rejoined = Rejoined(head, stream)
    readable = Recoded(rejoined, recoded) if recoded else rejoined
    text = readable_head(head)
    samples = [
        data
        for _, data, fault in islice(cut(readable, shape, maximum), _SAMPLES)
        if not fault and is_beyond_ascii(data)
    ]
    declaration = _DECLARATION.search(text)
    declared = _known(declaration[1].decode()) if declaration else None
    if recoded:
        charsets = Charsets(declared or recoded, UTF8)
    elif charset == AUTO and all(_decodes(data, declared or UTF8) for data in samples):
        charsets = Charsets(declared, declared or UTF8)
    else:
        charsets = settled(charset, declared, LATIN1, samples)
    first = ends_head.search(text) if ends_head is not None else None
    namespaces = _declared_namespaces(text[: first.start()] if first else text)
    return XmlFile(source, name, charsets, recoded, namespaces, shape, maximum)


def recoded_of(head: bytes) -> str:
    """The charset of a file whose first bytes show that it does not contain ASCII; empty for others."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if head.startswith(b"<\0"):
        return "utf-16-le"
    return "utf-16-be" if head.startswith(b"\0<") else ""


def readable_head(head: bytes) -> bytes:
    """The first bytes of a file in a charset that contains ASCII."""
    charset = recoded_of(head)
    return head.decode(charset, "replace").encode("utf-8", "replace") if charset else head


def _known(charset: str) -> str | None:
    try:
        return named(charset)
    except ConfigError:  # a file may declare any nonsense, and is read by what its bytes are
        return None


def _decodes(data: bytes, charset: str) -> bool:
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
            found[prefix] = legal(uri.decode("utf-8", "replace"))[0].replace("&", "")
    return tuple(found.items())


@cache
def _parser() -> etree.XMLParser:
    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        encoding="utf-8",
    )


def _malformed(error: etree.XMLSyntaxError) -> str:
    return f"not well-formed XML: {error.msg} (counted from the beginning of the record)"


def _without_illegal(text: str) -> tuple[str, int]:
    """Drop characters that XML cannot hold, also those written as references."""
    text, illegal = legal(text)
    if "&#" not in text:
        return text, illegal
    wrong = 0

    def checked(reference: re.Match[str]) -> str:
        nonlocal wrong
        point = int(reference[1], 16) if reference[1] else int(reference[2])
        if 0 < point < 0x110000 and not legal(chr(point))[1]:
            return reference[0]
        wrong += 1
        return ""

    return _CHARACTER_REFERENCE.sub(checked, text), illegal + wrong
