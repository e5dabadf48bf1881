"""Compiled hashes of 64 bits: of the beginnings of texts, and of two hashes together.

A hash is never 0 but for an empty text, which is a missing value and makes no key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import types

from bibld.dedup.compilation import CODES, NEW_NUMBERS, NUMBERS, OFFSETS, inner, kernel

if TYPE_CHECKING:
    import numpy.typing as npt

    Offsets = npt.NDArray[np.int64]
    Codes = npt.NDArray[np.uint32]
    Numbers = npt.NDArray[np.uint64]

SEED = np.uint64(0xCBF29CE484222325)
PRIME = np.uint64(0x100000001B3)
_BLANK = 32
_FIRST = np.uint64(0xFF51AFD7ED558CCD)
_SECOND = np.uint64(0xC4CEB9FE1A85EC53)
_SHIFT = np.uint64(33)
_ONE = np.uint64(1)
_NONE = np.uint64(0)


@inner(types.uint64(types.uint64))
def finalised(value: Any) -> Any:  # noqa: ANN401
    """The finaliser of MurmurHash3: every bit of the input moves half of the bits of the output."""
    value ^= value >> _SHIFT
    value *= _FIRST
    value ^= value >> _SHIFT
    value *= _SECOND
    value ^= value >> _SHIFT
    return value if value != _NONE else _ONE


@inner(types.uint64(types.uint64, types.uint64))
def mix(left: Any, right: Any) -> Any:  # noqa: ANN401
    """One hash for two; 0 where either is 0."""
    if left == _NONE or right == _NONE:
        return _NONE
    return finalised((left * PRIME) ^ (right + (left >> _SHIFT)))


def mixed(left: Numbers, right: Numbers) -> Numbers:
    """One hash for each two, shape (n,); 0 where either is 0."""
    result = np.empty(len(left), dtype=np.uint64)
    _mixed(left, right, result)
    return result


@kernel(types.void(NUMBERS, NUMBERS, NEW_NUMBERS))
def _mixed(left: Numbers, right: Numbers, result: Numbers) -> None:
    for row in range(result.shape[0]):
        result[row] = mix(left[row], right[row])


def prefixes(offsets: Offsets, codes: Codes, length: int) -> Numbers:
    """The hash of the first so many characters of each text, blanks not counted, shape (n,)."""
    result = np.zeros(len(offsets) - 1, dtype=np.uint64)
    _prefixes(offsets, codes, length, result)
    return result


@kernel(types.void(OFFSETS, CODES, types.int64, NEW_NUMBERS))
def _prefixes(offsets: Offsets, codes: Codes, length: int, result: Numbers) -> None:
    for row in range(result.shape[0]):
        value, taken = SEED, 0
        for position in range(offsets[row], offsets[row + 1]):
            if taken == length:
                break
            if codes[position] != _BLANK:
                value = (value ^ np.uint64(codes[position])) * PRIME
                taken += 1
        if taken:
            result[row] = finalised(value)
