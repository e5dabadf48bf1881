"""The values of facets of a publication as numbers, and how they are stored."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from bibld.search._schema import GROUPS

Codes = npt.NDArray[np.int64]

LIBRARY, YEAR, LANGUAGE, TYPE, MERGED, LINKED_TO_AUTHORITY = range(6)
"""The facets that are no links; links follow in the order of ``GROUPS``."""

_FACET_BITS = 4
_FACET_MASK = (1 << _FACET_BITS) - 1
_SEVEN_BITS, _FOLLOWED = 0x7F, 0x80
_FIRST_LETTER = ord("a") - 1
TYPES = (
    "book", "multivolume", "periodical", "article", "thesis", "music", "audio", "video", "map", "image", "manuscript",
    "collection", "other",
)  # fmt: skip


def code_of(facet: int, value: int) -> int:
    """Return the code of a value of a facet: the facet is in the last bits."""
    return value << _FACET_BITS | facet


def facet_of_group(group: str) -> int:
    """Return the facet of links."""
    return LINKED_TO_AUTHORITY + 1 + GROUPS.index(group)


def language_value(code: str) -> int:
    """Return the number of a language by its code of three letters; 0 for other texts."""
    if len(code) != 3 or not code.isascii() or not code.islower():
        return 0
    number = 0
    for letter in code:
        number = number << 5 | ord(letter) - _FIRST_LETTER
    return number


def language_code(number: int) -> str:
    """Return the code of a language by its number."""
    return "".join(chr((number >> shift & 31) + _FIRST_LETTER) for shift in (10, 5, 0))


def pack_codes(codes: Iterable[int]) -> bytes:
    """Return codes as they are stored: of each seven bits a byte, those of the least value first.

    All bytes of a code but the last have their high bit set (LEB128).
    """
    packed = bytearray()
    for code in codes:
        while code > _SEVEN_BITS:
            packed.append(code & _SEVEN_BITS | _FOLLOWED)
            code >>= 7
        packed.append(code)
    return bytes(packed)


def unpack_codes(packed: bytes) -> Codes:
    """Return the codes of one or more publications from their stored forms, one after the other."""
    octets = np.frombuffer(packed, np.uint8)
    is_first = np.ones(len(octets), np.bool_)
    is_first[1:] = octets[:-1] < _FOLLOWED
    firsts = np.flatnonzero(is_first)
    places = np.arange(len(octets)) - firsts[np.cumsum(is_first) - 1]
    return np.add.reduceat((octets & _SEVEN_BITS).astype(np.int64) << 7 * places, firsts)


def values_of(codes: Codes, facet: int) -> tuple[npt.NDArray[np.bool_], Codes]:
    """Return which of some codes are of a facet, and the values of those."""
    chosen = codes & _FACET_MASK == facet
    return chosen, codes[chosen] >> _FACET_BITS
