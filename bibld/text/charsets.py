"""Charsets of bibliographic records: their names, and Cyrillic text that was encoded twice."""

from __future__ import annotations

import codecs
import re
from functools import cache

from bibld.errors import ConfigError

UTF8, MARC8, ISO5426 = "utf-8", "marc8", "iso5426"

CYRILLIC_CHARSETS = ("cp1251", "koi8-r", "cp866", "iso8859-5", "mac-cyrillic")
"""The eight-bit charsets of Russian records, by the names of Python's codecs."""

_ALIASES = {"marc8": MARC8, "marc-8": MARC8, "ansel": MARC8, "iso5426": ISO5426, "iso-5426": ISO5426}
_ASCII_BYTES = bytes(range(0x80))


def charset_name(charset: str) -> str:
    """Return the usual name of a charset; raises ``ConfigError`` if it is unknown or does not contain ASCII."""
    lower = charset.strip().lower().replace("_", "-")
    if lower in _ALIASES:
        return _ALIASES[lower]
    try:
        name = codecs.lookup(lower).name
        contains_ascii = _ASCII_BYTES.decode(name) == _ASCII_BYTES.decode("ascii")
    except (LookupError, ValueError):
        contains_ascii = False
    if not contains_ascii:
        known = ", ".join(("auto", UTF8, MARC8, *CYRILLIC_CHARSETS))
        raise ConfigError([f'"{charset}" is not a charset of bibliographic records; use {known} …'])
    return UTF8 if name == "utf-8-sig" else name


_IN_A_ROW = 4


def _pattern(charset: str) -> bytes:
    """Return a pattern for Cyrillic letters in UTF-8, decoded as ``charset`` and encoded as UTF-8."""

    def doubled(codes: range) -> bytes:
        # Bytes without a character are kept as control characters by lenient programs.
        texts = (bytes([code]).decode(charset, "ignore") or chr(code) for code in codes)
        return b"(?:" + b"|".join(re.escape(text.encode()) for text in texts) + b")"

    return b"(?:" + doubled(range(0xD0, 0xD2)) + doubled(range(0x80, 0xC0)) + b"){%d}" % _IN_A_ROW


@cache
def _doubled() -> re.Pattern[bytes]:
    """Return the pattern for all charsets; it is compiled only for who needs it, since that takes milliseconds."""
    return re.compile(b"|".join(map(_pattern, ("cp1251", "latin-1", "cp1252"))))


_TRACES = (b"\xd0\xa0\xc2", b"\xc3\x90\xc2")
"""What the commonest letters (а, е, л …) become; other text rarely contains it, and the pattern is slow."""


def is_encoded_twice(utf8: bytes) -> bool:
    """Whether four letters in a row of a text in UTF-8 look like Cyrillic that was encoded twice.

    >>> is_encoded_twice("РђРЅРЅР° РљР°СЂРµРЅРёРЅР°".encode()), is_encoded_twice("Анна Каренина, РСФСР".encode())
    (True, False)
    """
    return any(trace in utf8 for trace in _TRACES) and _doubled().search(utf8) is not None
