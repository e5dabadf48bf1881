"""The character bigrams of the titles of a row: one set for all its titles, and how many two rows share.

A bigram is a number of 59 bits, well mixed, shifted by five; the low bits say in which titles it stands. A text of one
character has that character as its only bigram.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import types

from bibld.dedup.compilation import inner

if TYPE_CHECKING:
    import numpy.typing as npt

IN_MAIN, IN_FULL, IN_WHOLE, IN_REMAINDER, IN_SET = range(5)
KINDS = 5
_BITS = np.uint64(59)
_MASK = np.uint64((1 << 59) - 1)
_ODD = np.uint64(0x5851F42D4C957F2D)
_CODE = np.uint64(21)
_FIVE, _ONE = np.uint64(5), np.uint64(1)

TEXT = types.uint32[::1]
GRAMS = types.uint64[::1]
SPANS = types.int64[:, ::1]
COUNTS = types.int32[::1]
SHARED = types.int32[:, ::1]


@inner(types.uint64(GRAMS, types.uint64, types.uint64, types.uint64))
def _put(table: npt.NDArray[np.uint64], shift: np.uint64, gram: np.uint64, bits: np.uint64) -> np.uint64:
    """Put a bigram into a table that holds them by ascending number; gives 1 where it is a new one."""
    mixed = (gram * _ODD) & _MASK
    value = (mixed << _FIVE) | bits
    slot = mixed >> shift
    while True:
        held = table[slot]
        if held == np.uint64(0):
            table[slot] = value
            return _ONE
        if (held ^ value) >> _FIVE == np.uint64(0):
            table[slot] = held | value
            return np.uint64(0)
        if held > value:
            table[slot] = value
            value = held
        slot += _ONE


@inner(types.int64(TEXT, SPANS, GRAMS, GRAMS, types.int64))
def add_bigrams(
    texts: npt.NDArray[np.uint32],
    spans: npt.NDArray[np.int64],
    table: npt.NDArray[np.uint64],
    grams: npt.NDArray[np.uint64],
    filled: int,
) -> int:
    """Write the bigrams of a row behind those that are ``filled``, ascending; gives how many there are then.

    ``spans`` (5, 2): where main title, full title, whole title, remainder and set title stand in the texts. ``table``
    is empty before and after, with room for five times as many bigrams and 64 more.
    """
    begin, end = spans[IN_WHOLE, 0], spans[IN_WHOLE, 1]
    width, shift = 64, np.uint64(53)
    while width < 2 * (end - begin):
        width, shift = 2 * width, shift - _ONE
    count = np.uint64(0)
    is_plain = spans[IN_MAIN, 1] - spans[IN_MAIN, 0] == end - begin
    for at in range(begin, end - 1):
        bits = np.uint64(7)
        if not is_plain:
            bits = np.uint64(4)
            for kind in range(KINDS):
                inside = spans[kind, 0] <= at and at + 1 < spans[kind, 1]
                bits |= np.uint64(inside) << np.uint64(kind)
        gram = (np.uint64(texts[at]) << _CODE) | np.uint64(texts[at + 1])
        count += _put(table, shift, gram, bits)
    for kind in range(KINDS):
        if spans[kind, 1] - spans[kind, 0] == 1:
            gram = np.uint64(texts[spans[kind, 0]]) << _CODE
            count += _put(table, shift, gram, _ONE << np.uint64(kind))
    last = filled + int(count)
    slot = 0
    while filled < last:
        held = table[slot]
        table[slot] = np.uint64(0)
        grams[filled] = held
        filled += 1 if held else 0
        slot += 1
    return filled


@inner(types.void(GRAMS, types.int64, types.int64, COUNTS))
def sizes(grams: npt.NDArray[np.uint64], begin: int, end: int, found: npt.NDArray[np.int32]) -> None:
    """Write how many of some bigrams stand in each of the titles, shape (5,)."""
    for kind in range(KINDS):
        count = 0
        for place in range(begin, end):
            count += int((grams[place] >> np.uint64(kind)) & _ONE)
        found[kind] = count


@inner(types.void(GRAMS, types.int64, types.int64, types.int64, types.int64, COUNTS, COUNTS, SHARED))
def share(
    grams: npt.NDArray[np.uint64],
    i: int,
    i_end: int,
    j: int,
    j_end: int,
    room: npt.NDArray[np.int32],
    tally: npt.NDArray[np.int32],
    found: npt.NDArray[np.int32],
) -> None:
    """Write how many bigrams two rows share, by the title of the one and the title of the other, shape (5, 5).

    ``room`` takes one item more than the row with more bigrams has, ``tally`` (1024,) is zero before and after.
    """
    shared = 0
    while i < i_end and j < j_end:
        one, two = grams[i], grams[j]
        room[shared] = ((one & np.uint64(31)) << _FIVE) | (two & np.uint64(31))
        first, second = one >> _FIVE, two >> _FIVE
        shared += first == second
        i += first <= second
        j += second <= first
    kinds = 0
    for place in range(shared):
        both = room[place]
        if tally[both] == 0:
            room[kinds] = both
            kinds += 1
        tally[both] += 1
    for kind in range(KINDS):
        for other in range(KINDS):
            found[kind, other] = 0
    for place in range(kinds):
        both = room[place]
        for kind in range(KINDS):
            if both >> (5 + kind) & 1:
                for other in range(KINDS):
                    found[kind, other] += tally[both] * (both >> other & 1)
        tally[both] = 0
