"""MARC in XML: MARCXML, MarcXchange (ISO 25577), UNISlim and turbomarc, bare or within OAI-PMH and SRU replies.

Namespaces are not asked for, since half of the files have another or none. Records are cut out as bytes and each is
parsed alone, without DTD, entities and network: a malformed one is one reject. A UTF-16 file is read as UTF-8; then
offsets count the bytes of that. Records that SRU packs as escaped text (``recordPacking`` string) are not supported.
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
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield
from bibld.model.origin import Origin
from bibld.protocols import Parsed, Raw
from bibld.read._characters import counted, dropped, legal, non_sorting
from bibld.read._charset import ASCII, AUTO, UTF8, Charsets, decoded, is_beyond_ascii, named, settled
from bibld.read._xml_cut import SLIM, TURBO, Recoded, RecordShape, Rejoined, cut

_HEAD = 64 * 1024
_SAMPLES = 200
_TURBOMARC = b"http://www.indexdata.com/turbomarc"
_NAMESPACES = re.compile(rb"MARC21/slim|marcxchange|UNISlim|indexdata\.com/turbomarc", re.IGNORECASE)
_MODS = b"http://www.loc.gov/mods/"
_FIELDS = re.compile(SLIM.content.encode())
_DECLARATION = re.compile(rb"""<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
_XMLNS = re.compile(rb"""\sxmlns(?::([\w.-]+))?\s*=\s*(?:"([^"<]*)"|'([^'<]*)')""")
_PREFIX = re.compile(rb"[<\s/]([A-Za-z_][\w.-]*):[A-Za-z_]")
_CHARACTER_REFERENCE = re.compile(r"&#(?:x([0-9A-Fa-f]{1,9})|([0-9]{1,9}));")
_LEADER_LENGTH = 24

DataPart = tuple[list[Subfield], list[ControlField | DataField]]


class Settings(msgspec.Struct, frozen=True):
    """``charset``: ``auto``, or the one that the file is in, whatever it says.

    ``max_record_bytes``: a longer element is rejected.
    """

    charset: str = AUTO
    max_record_bytes: int = 16 * 1024 * 1024


class MarcxmlCarrier(msgspec.Struct, frozen=True):
    """One file of MARC in XML.

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
        for position, (offset, data, fault) in enumerate(cut(readable, self.shape, self.max_record_bytes), 1):
            origin = Origin(self.source, self.file, position, offset)
            yield ReadError(origin, fault, data) if fault else Raw(origin, data)

    def parse(self, raw: Raw) -> Parsed:
        """Read one record element; raises ``ReadError`` where it is not well-formed or holds no field."""
        warnings: list[str] = []
        root = self._element(raw, warnings)
        turbo = self.shape.element == TURBO.element
        record = _read_turbo(root, raw, warnings) if turbo else _read_slim(root, raw, warnings)
        return Parsed(record, counted(warnings))

    def _element(self, raw: Raw, warnings: list[str]) -> etree._Element:
        """Parse as it is, then with the repairs that lose nothing but broken characters."""
        plain_utf8 = self.charsets.main in (UTF8, ASCII) and not self.charsets.fixed
        if plain_utf8:
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
        data = text.encode("utf-8", "replace")
        try:
            return self._parsed(data, undeclared=True)
        except etree.XMLSyntaxError as error:
            raise ReadError(raw.origin, _malformed(error), raw.data) from error

    def _parsed(self, data: bytes, *, undeclared: bool = False) -> etree._Element:
        namespaces = dict(self.namespaces)
        if undeclared:
            used = {prefix.decode() for prefix in _PREFIX.findall(data)}
            for prefix in sorted(used - namespaces.keys() - {"xml", "xmlns"}):
                namespaces[prefix] = f"urn:undeclared:{prefix}"
        if not namespaces:
            return etree.fromstring(data, _parser())
        declarations = "".join(
            f" xmlns{':' if prefix else ''}{prefix}={quoteattr(uri)}" for prefix, uri in namespaces.items()
        )
        around = etree.fromstring(f"<around{declarations}>".encode() + data + b"</around>", _parser())
        return around[0]


CarrierType = MarcxmlCarrier


def sniffs(head: bytes) -> bool:
    """Whether there is a field of MARC in XML, or a namespace of it (and not one of MODS)."""
    text = _readable(head)
    if not text.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return False
    return bool(_FIELDS.search(text) or (_NAMESPACES.search(text) and _MODS not in text))


def examine(stream: BinaryIO, name: str, source: str, settings: Settings) -> MarcxmlCarrier:
    """Settle charset, namespaces and the form of records from the beginning of the file."""
    head = stream.read(_HEAD)
    recoded = _recoded(head)
    rejoined = Rejoined(head, stream)
    readable = Recoded(rejoined, recoded) if recoded else rejoined
    text = _readable(head)
    shape = TURBO if _TURBOMARC in text else SLIM
    samples = [
        data
        for _, data, fault in islice(cut(readable, shape, settings.max_record_bytes), _SAMPLES)
        if not fault and is_beyond_ascii(data)
    ]
    declaration = _DECLARATION.search(text)
    declared = _known(declaration[1].decode()) if declaration else None
    if recoded:
        charsets = Charsets(declared or recoded, UTF8)
    elif settings.charset == AUTO and all(_decodes(data, declared or UTF8) for data in samples):
        charsets = Charsets(declared, declared or UTF8)
    else:
        charsets = settled(settings.charset, declared, "iso8859-1", samples)
    first = _FIELDS.search(text)
    namespaces = _declared_namespaces(text[: first.start()] if first and shape is SLIM else text)
    return MarcxmlCarrier(source, name, charsets, recoded, namespaces, shape, settings.max_record_bytes)


def _recoded(head: bytes) -> str:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if head.startswith(b"<\0"):
        return "utf-16-le"
    return "utf-16-be" if head.startswith(b"\0<") else ""


def _readable(head: bytes) -> bytes:
    charset = _recoded(head)
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


def _name(element: etree._Element) -> str:
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def _text(element: etree._Element) -> str:
    text = "".join(map(str, element.itertext())) if len(element) else element.text or ""
    return text if text.isascii() else non_sorting(text)


def _made(raw: Raw, leader: str | None, fields: list[ControlField | DataField], warnings: list[str]) -> MarcRecord:
    if not fields:
        raise ReadError(raw.origin, "the record has no field", raw.data)
    if leader is None:
        warnings.append("no leader")
        leader = ""
    elif len(leader) != _LEADER_LENGTH:
        stripped = leader.strip()
        leader = stripped if len(stripped) == _LEADER_LENGTH or "\n" in leader else leader
        if len(leader) != _LEADER_LENGTH:
            warnings.append(f"leader of {len(leader)} characters")
    return MarcRecord(raw.origin, Leader(leader.ljust(_LEADER_LENGTH)[:_LEADER_LENGTH]), tuple(fields))


def _indicator(value: str | None) -> str:
    return (value or " ")[0]


# --- MARCXML, MarcXchange, UNISlim


def _read_slim(root: etree._Element, raw: Raw, warnings: list[str]) -> MarcRecord:
    leader: str | None = None
    fields: list[ControlField | DataField] = []
    for element in root:
        name = _name(element)
        if name == "leader":
            leader = _text(element)
        elif name in ("controlfield", "datafield"):
            field = _slim_field(element, name, warnings)
            if field is not None:
                fields.append(field)
        else:
            warnings.append(f"element <{name or element.text}> within the record ignored")
    return _made(raw, leader, fields, warnings)


def _slim_field(element: etree._Element, name: str, warnings: list[str]) -> ControlField | DataField | None:
    tag = (element.get("tag") or "").strip()
    if not tag:
        warnings.append(f"a {name} without tag dropped: {' '.join(_text(element).split())[:60]!r}")
        return None
    if name == "controlfield":
        return ControlField(tag, _text(element))
    if tag.startswith("00") and not len(element):
        warnings.append(f"{tag}: a datafield that is a control field")
        return ControlField(tag, _text(element))
    subfields: list[Subfield] = []
    embedded: list[ControlField | DataField] = []
    for part in element:
        kind = _name(part)
        if kind == "subfield" and not (len(part) and _holds_fields(part)):
            code = part.get("code") or " "
            if len(code) != 1 or code == " ":
                warnings.append(f"{tag}: a subfield with the code {part.get('code')!r}")
            subfields.append(Subfield(code[0], _text(part)))
        elif kind in ("s1", "subfield"):
            inner = (_slim_field(child, _name(child), warnings) for child in part)
            embedded += [field for field in inner if field is not None]
        else:
            warnings.append(f"{tag}: element <{kind}> ignored")
    stray = (element.text or "").strip()
    if stray:
        warnings.append(f"{tag}: text outside of subfields")
        subfields.insert(0, Subfield("a", stray))
    return DataField(
        tag, _indicator(element.get("ind1")), _indicator(element.get("ind2")), tuple(subfields), tuple(embedded)
    )


def _holds_fields(element: etree._Element) -> bool:
    return any(_name(child) in ("datafield", "controlfield") for child in element)


# --- turbomarc


def _read_turbo(root: etree._Element, raw: Raw, warnings: list[str]) -> MarcRecord:
    leader: str | None = None
    fields: list[ControlField | DataField] = []
    for element in root:
        name = _name(element)
        if name == "l":
            leader = _text(element)
        elif len(name) == 4 and name[0] == "c":
            fields.append(ControlField(name[1:], _text(element)))
        elif len(name) == 4 and name[0] == "d":
            subfields = tuple(
                Subfield((part.get("code") or _name(part)[1:] or " ")[0], _text(part)) for part in element
            )
            indicators = _indicator(element.get("i1")), _indicator(element.get("i2"))
            fields.append(DataField(name[1:], *indicators, subfields))
        else:
            warnings.append(f"element <{name}> within the record ignored")
    return _made(raw, leader, fields, warnings)
