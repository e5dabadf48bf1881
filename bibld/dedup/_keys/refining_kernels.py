"""Compiled loops over the entries of oversized keys (see :mod:`bibld.dedup._keys.key_kernels`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import types

from bibld.dedup._keys.hash_kernels import finalised
from bibld.dedup.compilation import NEW_NUMBERS, NEW_ROWS, NUMBERS, OFFSETS, kernel, results

if TYPE_CHECKING:
    import numpy.typing as npt

    Offsets = npt.NDArray[np.int64]
    Numbers = npt.NDArray[np.uint64]
    Rows = npt.NDArray[np.uint32]

_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)


@kernel(NEW_NUMBERS(NUMBERS, NUMBERS))
def refined(hashes: Numbers, fields: Numbers) -> Numbers:
    """The hash of each key put together with a field of its row; a field may be 0."""
    result = np.empty(hashes.shape[0], dtype=np.uint64)
    for i in range(hashes.shape[0]):
        field = finalised(fields[i] + np.uint64(0x9E3779B97F4A7C15))
        result[i] = finalised((hashes[i] << np.uint64(22)) ^ field) >> np.uint64(22)
    return result


@kernel(results(NEW_NUMBERS, NEW_ROWS)(OFFSETS, NUMBERS, types.int64, NUMBERS))
def held_by(offsets: Offsets, entries: Numbers, first: int, known: Numbers) -> tuple[Numbers, Rows]:
    """Hashes and rows of the entries whose keys are among those known; ``first`` is the first part.

    The known ones ascend and are of these parts.
    """
    found, rows = np.empty(entries.shape[0], np.uint64), np.empty(entries.shape[0], np.uint32)
    filled = place = 0
    for part in range(offsets.shape[0] - 1):
        for entry in range(offsets[part] - offsets[0], offsets[part + 1] - offsets[0]):
            key = (np.uint64(first + part) << _HALF) | (entries[entry] >> _HALF)
            while place < known.shape[0] and known[place] < key:
                place += 1
            if place == known.shape[0]:
                return found[:filled], rows[:filled]
            if known[place] == key:
                found[filled], rows[filled] = key, np.uint32(entries[entry] & _LOW)
                filled += 1
    return found[:filled], rows[:filled]
