"""Compiled loops of the probe, and the tests of pairs that stand in lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import types

from bibld.dedup._pairs.sieve_kernels import bits_set, passes
from bibld.dedup.compilation import FLAGS, NEW_NUMBERS, NEW_OFFSETS, NUMBERS, OFFSETS, TABLE, inner, kernel, results

if TYPE_CHECKING:
    import numpy.typing as npt

    Offsets = npt.NDArray[np.int64]
    Numbers = npt.NDArray[np.uint64]
    Flags = npt.NDArray[np.bool_]

_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)


@inner(types.int64(NUMBERS, types.int64, types.int64, types.uint64))
def _lower(entries: Numbers, begin: int, end: int, key: np.uint64) -> int:
    """The first of some entries whose key is not below this one. Keys are spread evenly: it is near where they say."""
    if begin == end:
        return begin
    at: int = begin + int((key * np.uint64(end - begin)) >> _HALF)
    step = 1
    if entries[at] >> _HALF < key:
        low = at
        while at < end and entries[at] >> _HALF < key:
            low, at, step = at, at + step, 2 * step
        high = min(at, end)
    else:
        high = at
        while at >= begin and entries[at] >> _HALF >= key:
            high, at, step = at, at - step, 2 * step
        low = max(at, begin - 1)
    while high - low > 1:
        middle = (low + high) >> 1
        if entries[middle] >> _HALF < key:
            low = middle
        else:
            high = middle
    return high


@kernel(results(types.int64, types.int64)(
        OFFSETS, NUMBERS, OFFSETS, NUMBERS, types.int64, NUMBERS, FLAGS, types.int64, NEW_NUMBERS, NEW_OFFSETS
    ))  # fmt: skip
def pairs_with(
    offsets: Offsets,
    entries: Numbers,
    stored: Offsets,
    stored_entries: Numbers,
    base: int,
    oversized: Numbers,
    alive: Flags,
    start: int,
    pairs: Numbers,
    met: Offsets,
) -> tuple[int, int]:
    """Fill ``pairs`` with the pairs of a stored and a new row, from a new entry on; gives what ``pairs_of`` gives.

    Both sides have all parts. Stored rows stand before the new ones when ``base`` is added to them. ``met`` counts up,
    for each new entry, the stored ones of its key.
    """
    filled = part = place = 0
    entry, end = start, offsets[offsets.shape[0] - 1]
    begin = after = 0
    searched = -1
    while entry < end:
        while offsets[part + 1] <= entry:
            part += 1
        is_again = searched >= offsets[part] and entries[searched] >> _HALF == entries[entry] >> _HALF
        if not is_again:
            key = (np.uint64(part) << _HALF) | (entries[entry] >> _HALF)
            while place < oversized.shape[0] and oversized[place] < key:
                place += 1
            begin = after = stored[part]
            if place == oversized.shape[0] or oversized[place] != key:
                begin = after = _lower(stored_entries, stored[part], stored[part + 1], entries[entry] >> _HALF)
                while after < stored[part + 1] and stored_entries[after] >> _HALF == entries[entry] >> _HALF:
                    after += 1
            searched = entry
        if filled + after - begin > pairs.shape[0]:
            return entry, filled
        met[entry] += after - begin
        row = entries[entry] & _LOW
        if alive[np.int64(row)]:
            for other in range(begin, after):
                left = np.int64(stored_entries[other] & _LOW) + base
                if alive[left]:
                    pairs[filled] = (np.uint64(left) << _HALF) | row
                    filled += 1
        entry += 1
    return end, filled


@kernel(types.boolean[::1](TABLE, OFFSETS, OFFSETS))
def sifted(held: Numbers, left: Offsets, right: Offsets) -> npt.NDArray[np.bool_]:
    """Whether each pair of rows passes the sieve."""
    result = np.empty(left.shape[0], dtype=np.bool_)
    for pair in range(left.shape[0]):
        result[pair] = passes(held, left[pair], right[pair])
    return result


@kernel(types.uint8[::1](NUMBERS, OFFSETS, OFFSETS))
def distances(hashes: Numbers, left: Offsets, right: Offsets) -> npt.NDArray[np.uint8]:
    """The number of bits in which the hashes of two rows differ, shape (pairs,)."""
    result = np.empty(left.shape[0], dtype=np.uint8)
    for pair in range(left.shape[0]):
        result[pair] = bits_set(hashes[left[pair]] ^ hashes[right[pair]])
    return result
