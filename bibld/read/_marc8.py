"""MARC-8 and its cousin ISO 5426: ASCII on the left, marks before their letters on the right, ISO 2022 escapes.

The tables of MARC-8 (https://www.loc.gov/marc/specifications/speccharmarc8.html) are those of pymarc. A UNIMARC file
has ISO 5426 on the right where MARC 21 has ANSEL; its Cyrillic (ISO-IR 37, ISO 5427) and Greek (ISO 5428) sets are
MARC-8's.
"""

from __future__ import annotations

import codecs
import functools
import re
import unicodedata
from collections.abc import Mapping

import msgspec

from bibld.text.charsets import ISO5426

_ESC = 0x1B
_DESIGNATION = re.compile(rb"\x1b(?:\(!?|,|\)!?|-|\$[,)\-]?)([1-9A-Za-z])|\x1b([gbps])")
_SEPARATORS = re.compile(rb"([\x1e\x1f])")
_REFERENCE = re.compile(r"&#x([0-9A-Fa-f]{4,6});")
_ASCII, _ANSEL, _EACC = 0x42, 0x45, 0x31
_ONE_LETTER = {ord("g"): 0x67, ord("b"): 0x62, ord("p"): 0x70, ord("s"): _ASCII}

_ISO5426_SPACING = dict(zip(range(0xA1, 0xC0), "¡„£$¥†§′‘“«♭©℗®ʻʼ‚\0\0\0‡·″’”»♯ʹʺ¿", strict=True)) | dict(
    zip(range(0xE1, 0xFD), "ÆĐ\0\0\0Ĳ\0ŁØŒ\0Þ\0\0\0\0æđð\0ıĳ\0łøœßþ", strict=True)
)
_ISO5426_MARKS = dict(
    zip(
        range(0xC0, 0xE0),
        "\u0309\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u0308\u030a\u0315\u0312\u030b\u031b\u030c"
        "\u0327\u031c\u0326\u0328\u0325\u032e\u0323\u0324\u0332\u0333\u0329\u032d\0\ufe20\ufe21\ufe23",
        strict=True,
    )
)

Table = Mapping[int, tuple[int, int]]
"""A code to its Unicode code point, and whether that is a combining mark."""


class Sets(msgspec.Struct, frozen=True):
    """A character set: ``right`` is on the right side until an escape; the rest decodes text without escapes."""

    right: int
    tables: Mapping[int, Table]
    odd: Mapping[int, int]
    characters: str
    marks: re.Pattern[str]


def has_escapes(data: bytes) -> bool:
    """Return whether there is an escape sequence that designates a character set."""
    return _ESC in data and _DESIGNATION.search(data) is not None


def decode(data: bytes, name: str) -> tuple[str, int]:
    """Decode ``marc8`` or ``iso5426`` with field and subfield separators inside; the text is in NFC.

    Returns the text and the number of bytes that are not in the character set; each became U+FFFD.
    """
    sets = sets_of(name)
    if _ESC in data:
        pieces = [_with_escapes(piece, sets) for piece in _SEPARATORS.split(data)]
        text = "".join(piece for piece, _ in pieces)
        wrong = sum(count for _, count in pieces)
    else:
        text = sets.marks.sub(r"\2\1", codecs.charmap_decode(data, "replace", sets.characters)[0])
        wrong = text.count("\ufffd")
    if "&#x" in text:
        text = _REFERENCE.sub(_referenced, text)
    return unicodedata.normalize("NFC", text), wrong


def is_plausible(data: bytes, name: str) -> bool:
    """Return whether bytes beyond ASCII are likely in this charset: marks precede letters, codes are assigned."""
    sets = sets_of(name)
    text = codecs.charmap_decode(data, "replace", sets.characters)[0]
    marks = before_letters = 0
    for run in sets.marks.finditer(text):
        marks += len(run[1])
        before_letters += len(run[1]) * run[2].isalpha()
    high = sum(char >= "\x80" for char in text)
    return text.count("\ufffd") * 10 <= high and before_letters * 10 >= marks * 9


@functools.cache
def sets_of(name: str) -> Sets:
    """Return the character sets of ``marc8`` or ``iso5426``."""
    from pymarc import marc8_mapping  # here, since it is large and most files are UTF-8

    right = _ANSEL
    tables: dict[int, Table] = dict(marc8_mapping.CODESETS)
    if name == ISO5426:
        right = ord("P")
        spacing = {code: (ord(char), 0) for code, char in _ISO5426_SPACING.items() if char != "\0"}
        combining = {code: (ord(char), 1) for code, char in _ISO5426_MARKS.items() if char != "\0"}
        tables[right] = spacing | combining | {0x88: (0x98, 0), 0x89: (0x9C, 0)}
    table = tables[right]
    left = "".join(map(chr, range(0x80)))
    characters = left + "".join(chr(table[code][0]) if code in table else "\ufffd" for code in range(0x80, 0x100))
    marks_on_right = "".join(chr(point) for point, is_mark in table.values() if is_mark)
    return Sets(right, tables, marc8_mapping.ODD_MAP, characters, re.compile(f"([{marks_on_right}]+)([^\x1e\x1f]?)"))


def _referenced(reference: re.Match[str]) -> str:
    point = int(reference[1], 16)
    return chr(point) if 0x20 <= point < 0x110000 and not 0xD800 <= point < 0xE000 else reference[0]


def _with_escapes(data: bytes, sets: Sets) -> tuple[str, int]:
    """Decode one subfield; every subfield begins with ASCII on the left and the default set on the right."""
    left, right = _ASCII, sets.right
    out: list[str] = []
    marks: list[str] = []
    wrong = position = 0
    while position < len(data):
        byte = data[position]
        if byte == _ESC:
            escape = _DESIGNATION.match(data, position)
            if escape is None:
                wrong += 1
                position += 1
                continue
            left, right = _designated(escape, left, right)
            position = escape.end()
            continue
        charset = right if byte >= 0x80 else left
        width = 3 if charset == _EACC and byte > 0x20 else 1
        point, is_mark = _point(data[position : position + width], charset, sets)
        position += width
        if point == 0xFFFD:
            wrong += 1
        if is_mark:
            marks.append(chr(point))
            continue
        out.append(chr(point))
        out += marks
        marks.clear()
    return "".join((*out, *marks)), wrong


def _designated(escape: re.Match[bytes], left: int, right: int) -> tuple[int, int]:
    if escape[2]:
        return _ONE_LETTER[escape[2][0]], right
    charset = escape[1][0]
    if any(sign in escape[0][1:-1] for sign in b")-"):
        return left, charset
    return charset, right


def _point(code: bytes, charset: int, sets: Sets) -> tuple[int, int]:
    """Look up one code in one set, on whichever side the set is and for whichever the table was written."""
    if len(code) == 1 and (code[0] <= 0x20 or (charset == _ASCII and code[0] < 0x80)):
        return code[0], 0
    if charset == _EACC:
        number = int.from_bytes(bytes(byte & 0x7F for byte in code), "big")
        if number in sets.odd:
            return sets.odd[number], 0
        return sets.tables[_EACC].get(number, (0xFFFD, 0))
    table = sets.tables.get(charset, {})
    return table.get(code[0]) or table.get(code[0] ^ 0x80) or (0xFFFD, 0)
