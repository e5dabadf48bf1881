"""Compiled loops that make pairs out of sorted entries (see :mod:`bibld.dedup._key_kernels`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import types

from bibld.dedup._compiling import njit
from bibld.dedup._sieve_kernels import SIGNATURES, bits_set, passes
from bibld.dedup._text_kernels import NEW_NUMBERS, NUMBERS, OFFSETS

if TYPE_CHECKING:
    import numpy.typing as npt

    Offsets = npt.NDArray[np.int64]
    Numbers = npt.NDArray[np.uint64]
    Flags = npt.NDArray[np.bool_]

_FLAGS = types.Array(types.boolean, 1, "C", readonly=True)
_STATE = types.UniTuple(types.int64, 2)  # type: ignore[no-untyped-call]
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
OVERSIZED, GROWN = range(2)


@njit(
    _STATE(
        OFFSETS, NUMBERS, types.int64, NUMBERS, types.int64, _FLAGS, NUMBERS, types.int64, SIGNATURES, types.int64,
        NEW_NUMBERS, types.int64[::1],
    ),
    cache=True, nogil=True,
)  # fmt: skip
def pairs_of(
    offsets: Offsets,
    entries: Numbers,
    first: int,
    oversized: Numbers,
    largest: int,
    alive: Flags,
    near: Numbers,
    bits: int,
    sieve: Numbers,
    start: int,
    pairs: Numbers,
    counts: Offsets,
) -> tuple[int, int]:
    """Fill ``pairs`` with the pairs (``left << 32 | right``) of living rows that share a key, from an entry on.

    Gives the entry to go on from (the end: all entries are done) and how many pairs there are; ``pairs`` must have
    room for the entries of any part. ``first`` is the number of the first part. A key among the ``oversized``
    (ascending) makes none. Where ``near`` and ``sieve`` are not empty, the hashes of two rows may differ in so many
    ``bits``, and the two must pass the sieve. ``counts``: oversized keys that were met, and keys of more than
    ``largest`` entries (0: no bound) that are not oversized.
    """
    held = np.empty(entries.shape[0], dtype=np.int64)
    hashes = np.empty(entries.shape[0] if near.shape[0] else 0, dtype=np.uint64)
    filled = part = place = 0
    begin, end = start, offsets[offsets.shape[0] - 1]
    while begin < end:
        while offsets[part + 1] <= begin:
            part += 1
        after = begin + 1
        while after < offsets[part + 1] and entries[after] >> _HALF == entries[begin] >> _HALF:
            after += 1
        if after - begin == 1:
            begin = after
            continue
        key = (np.uint64(first + part) << _HALF) | (entries[begin] >> _HALF)
        while place < oversized.shape[0] and oversized[place] < key:
            place += 1
        is_whole = begin == offsets[part] or entries[begin - 1] >> _HALF != entries[begin] >> _HALF
        if place < oversized.shape[0] and oversized[place] == key:
            counts[OVERSIZED] += is_whole
            begin = after
            continue
        counts[GROWN] += is_whole and 0 < largest < after - begin
        size = 0
        for entry in range(begin, after):
            row = np.int64(entries[entry] & _LOW)
            if alive[row]:
                held[size] = row
                if near.shape[0]:
                    hashes[size] = near[row]
                size += 1
        for i in range(size):
            if filled + size - i > pairs.shape[0]:
                while np.int64(entries[begin] & _LOW) != held[i]:
                    begin += 1
                return begin, filled
            for j in range(i + 1, size):
                if near.shape[0] and bits_set(hashes[i] ^ hashes[j]) > bits:
                    continue
                if sieve.shape[0] and not passes(sieve, held[i], held[j]):
                    continue
                pairs[filled] = (np.uint64(held[i]) << _HALF) | np.uint64(held[j])
                filled += 1
        begin = after
    return end, filled


@njit(types.int64(NUMBERS, types.int64, types.int64, types.uint64), cache=True, nogil=True)
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


@njit(
    _STATE(
        OFFSETS, NUMBERS, OFFSETS, NUMBERS, types.int64, NUMBERS, _FLAGS, types.int64, NEW_NUMBERS, types.int64[::1]
    ),
    cache=True, nogil=True,
)  # fmt: skip
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
    """Fill ``pairs`` with the pairs of a stored and a new row, from a new entry on; gives what :func:`pairs_of` gives.

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
