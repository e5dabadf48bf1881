"""Compiled loops that make pairs out of sorted entries (see :mod:`bibld.dedup._keys.key_kernels`)."""

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
OVERSIZED, GROWN = range(2)


@inner(
    results(types.int64, types.int64)(
        NEW_OFFSETS, NEW_NUMBERS, types.int64, types.int64, TABLE, NEW_NUMBERS, types.int64
    )
)
def _pairs_of_bucket(
    held: Offsets, hashes: Numbers, size: int, bits: int, sieve: Numbers, pairs: Numbers, filled: int
) -> tuple[int, int]:
    """Add the pairs of the first ``size`` rows held; gives how many rows are done, and how many pairs there are."""
    for i in range(size):
        if filled + size - i > pairs.shape[0]:
            return i, filled
        for j in range(i + 1, size):
            if hashes.shape[0] and bits_set(hashes[i] ^ hashes[j]) > bits:
                continue
            if sieve.shape[0] and not passes(sieve, held[i], held[j]):
                continue
            pairs[filled] = (np.uint64(held[i]) << _HALF) | np.uint64(held[j])
            filled += 1
    return size, filled


@kernel(results(types.int64, types.int64)(
        OFFSETS, NUMBERS, types.int64, NUMBERS, types.int64, FLAGS, NUMBERS, types.int64, TABLE, types.int64,
        NEW_NUMBERS, NEW_OFFSETS,
    ))  # fmt: skip
def pairs_of(
    offsets: Offsets, entries: Numbers, first: int, oversized: Numbers, largest: int, alive: Flags, near: Numbers,
    bits: int, sieve: Numbers, start: int, pairs: Numbers, counts: Offsets,
) -> tuple[int, int]:  # fmt: skip
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
        done, filled = _pairs_of_bucket(held, hashes, size, bits, sieve, pairs, filled)
        if done < size:
            while np.int64(entries[begin] & _LOW) != held[done]:
                begin += 1
            return begin, filled
        begin = after
    return end, filled
