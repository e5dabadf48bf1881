"""Compiled loops over keys and the sorted runs that they stand in.

The hash of a key has 42 bits: the upper ten say in which of 1,024 parts of a run it stands, the lower 32 are the upper
half of its entry there; the lower half is the row. Whatever is put apart and sorted here are numbers of 64 bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import types

from bibld.dedup._keys.hash_kernels import finalised
from bibld.dedup.compilation import (
    COUNTS,
    NEW_COUNTS,
    NEW_NUMBERS,
    NEW_OFFSETS,
    NUMBERS,
    OFFSETS,
    PLACES,
    ROWS,
    inner,
    kernel,
    results,
)

if TYPE_CHECKING:
    import numpy.typing as npt

    Offsets = npt.NDArray[np.int64]
    Numbers = npt.NDArray[np.uint64]
    Rows = npt.NDArray[np.uint32]

_LISTS = results(NEW_OFFSETS, NEW_NUMBERS)
PARTS = 1024
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
_DIGIT = 11
_FEW = 48


@kernel(NEW_NUMBERS(NUMBERS))
def key_hashes(keys: Numbers) -> Numbers:
    """The 42 bits that stand for each key, family and all."""
    result = np.empty(keys.shape[0], dtype=np.uint64)
    for i in range(keys.shape[0]):
        result[i] = finalised(keys[i]) >> np.uint64(22)
    return result


@kernel(_LISTS(NUMBERS, ROWS))
def entries_of(hashes: Numbers, rows: Rows) -> tuple[Offsets, Numbers]:
    """Entries by part, in each in the order given, as offsets (1025,) and entries."""
    offsets = np.empty(PARTS + 1, dtype=np.int64)
    offsets[:] = 0
    for i in range(hashes.shape[0]):
        offsets[np.int64(hashes[i] >> _HALF) + 1] += 1
    for part in range(PARTS):
        offsets[part + 1] += offsets[part]
    entries = np.empty(hashes.shape[0], dtype=np.uint64)
    for i in range(hashes.shape[0]):
        to = np.int64(hashes[i] >> _HALF)
        entries[offsets[to]] = (hashes[i] << _HALF) | np.uint64(rows[i])
        offsets[to] += 1
    for part in range(PARTS, 0, -1):
        offsets[part] = offsets[part - 1]
    offsets[0] = 0
    return offsets, entries


@kernel(_LISTS(NUMBERS, types.int64, types.int64))
def apart(numbers: Numbers, shift: int, parts: int) -> tuple[Offsets, Numbers]:
    """Numbers by part, which is what is above so many bits, as offsets (parts + 1,) and numbers."""
    offsets = np.empty(parts + 1, dtype=np.int64)
    offsets[:] = 0
    bits = np.uint64(shift)
    for i in range(numbers.shape[0]):
        offsets[np.int64(numbers[i] >> bits) + 1] += 1
    for part in range(parts):
        offsets[part + 1] += offsets[part]
    result = np.empty(numbers.shape[0], dtype=np.uint64)
    for i in range(numbers.shape[0]):
        to = np.int64(numbers[i] >> bits)
        result[offsets[to]] = numbers[i]
        offsets[to] += 1
    for part in range(parts, 0, -1):
        offsets[part] = offsets[part - 1]
    offsets[0] = 0
    return offsets, result


@inner(types.void(NEW_NUMBERS, NEW_NUMBERS, NEW_OFFSETS, types.int64, types.int64, types.int64))
def _sort(numbers: Numbers, room: Numbers, places: Offsets, begin: int, end: int, low: int) -> None:
    """Sort some of the numbers by their bits from ``low`` on, keeping the order of those that are equal in them."""
    if end - begin < _FEW:
        bits = np.uint64(low)
        for i in range(begin + 1, end):
            value = numbers[i]
            place = i
            while place > begin and (numbers[place - 1] >> bits) > (value >> bits):
                numbers[place] = numbers[place - 1]
                place -= 1
            numbers[place] = value
        return
    same = np.uint64(0)
    for i in range(begin, end):
        same |= numbers[i] ^ numbers[begin]
    mask = np.uint64((1 << _DIGIT) - 1)
    source, target, is_in_room = numbers, room, False
    for digit in range(low, 64, _DIGIT):
        bits = np.uint64(digit)
        if not (same >> bits) & mask:
            continue
        for value in range(1 << _DIGIT):
            places[value] = 0
        for i in range(begin, end):
            places[np.int64((source[i] >> bits) & mask)] += 1
        total = begin
        for value in range(1 << _DIGIT):
            held = places[value]
            places[value] = total
            total += held
        for i in range(begin, end):
            digit_of = np.int64((source[i] >> bits) & mask)
            target[places[digit_of]] = source[i]
            places[digit_of] += 1
        source, target, is_in_room = target, source, not is_in_room
    if is_in_room:
        for i in range(begin, end):
            numbers[i] = room[i]


@kernel(_LISTS(NUMBERS, OFFSETS, PLACES, NUMBERS, types.int64, types.boolean))
def regrouped(
    pieces: Numbers, starts: Offsets, offsets: Offsets, bases: Numbers, low: int, is_set: bool
) -> tuple[Offsets, Numbers]:
    """The numbers of pieces that are put apart alike, part by part and sorted, as offsets (parts + 1,) and numbers.

    Piece p begins at ``starts[p]``, its parts at ``offsets[p, part] - offsets[p, 0]`` from there on; ``bases[p]`` is
    added to each of its numbers. They are sorted by their bits from ``low`` on and stay otherwise in order; ``is_set``:
    each number is taken once, for ``low`` 0.
    """
    count, parts = offsets.shape[0], offsets.shape[1] - 1
    result = np.empty(pieces.shape[0], dtype=np.uint64)
    room = np.empty(pieces.shape[0] if count > 1 or low == 0 else 0, dtype=np.uint64)
    places, found = np.empty(1 << _DIGIT, dtype=np.int64), np.empty(parts + 1, dtype=np.int64)
    found[0] = filled = 0
    for part in range(parts):
        begin = filled
        for piece in range(count):
            start = starts[piece] - offsets[piece, 0]
            for place in range(start + offsets[piece, part], start + offsets[piece, part + 1]):
                result[filled] = pieces[place] + bases[piece]
                filled += 1
        if count > 1 or low == 0:
            _sort(result, room, places, begin, filled, low)
        if is_set:
            end, filled = filled, begin
            for place in range(begin, end):
                if place == begin or result[place] != result[filled - 1]:
                    result[filled] = result[place]
                    filled += 1
        found[part + 1] = filled
    return found, result[:filled]


@kernel(results(NEW_NUMBERS, NEW_COUNTS)(OFFSETS, NUMBERS))
def repeated(offsets: Offsets, numbers: Numbers) -> tuple[Numbers, npt.NDArray[np.int32]]:
    """The numbers (in order) that stand more than once, and how often they do."""
    found, counts = np.empty(numbers.shape[0] // 2, np.uint64), np.empty(numbers.shape[0] // 2, np.int32)
    filled = begin = 0
    end = offsets[offsets.shape[0] - 1]
    while begin < end:
        after = begin + 1
        while after < end and numbers[after] == numbers[begin]:
            after += 1
        if after - begin > 1:
            found[filled], counts[filled] = numbers[begin], after - begin
            filled += 1
        begin = after
    return found[:filled], counts[:filled]


@kernel(NEW_NUMBERS(OFFSETS, NUMBERS, types.int64, types.int64))
def oversized(offsets: Offsets, entries: Numbers, first: int, largest: int) -> Numbers:
    """The hashes, ascending, of the keys that more than ``largest`` entries have; ``first`` is the first part."""
    found = np.empty(entries.shape[0] // (largest + 1), dtype=np.uint64)
    filled = 0
    for part in range(offsets.shape[0] - 1):
        begin = offsets[part]
        while begin < offsets[part + 1]:
            after = begin + 1
            while after < offsets[part + 1] and entries[after] >> _HALF == entries[begin] >> _HALF:
                after += 1
            if after - begin > largest:
                found[filled] = (np.uint64(first + part) << _HALF) | (entries[begin] >> _HALF)
                filled += 1
            begin = after
    return found[:filled]


@kernel(NEW_COUNTS(OFFSETS, NUMBERS, COUNTS, NUMBERS))
def frequencies(
    starts: Offsets, known: Numbers, counts: npt.NDArray[np.int32], wanted: Numbers
) -> npt.NDArray[np.int32]:
    """The counts of words, 1 for those that are not known; shape of ``wanted``.

    ``known`` ascends; ``starts`` (2**k + 1,) are the positions of the first whose upper k bits are a number or more.
    """
    result = np.empty(wanted.shape[0], dtype=np.int32)
    bits, size = 64, starts.shape[0] - 1
    while size > 1:
        bits -= 1
        size >>= 1
    for i in range(wanted.shape[0]):
        slot = np.int64(wanted[i] >> np.uint64(bits))
        place = starts[slot]
        while place < starts[slot + 1] and known[place] < wanted[i]:
            place += 1
        is_known = place < starts[slot + 1] and known[place] == wanted[i]
        result[i] = counts[place] if is_known else np.int32(1)
    return result
