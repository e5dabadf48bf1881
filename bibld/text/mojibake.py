"""Recognises Cyrillic text that was encoded twice: UTF-8 read as another charset and written as UTF-8 again."""

from __future__ import annotations

import re
from functools import cache

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
