"""Compiled loops of the sieve: bits for words, and the test itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import types

from bibld.dedup._keys.hash_kernels import finalised
from bibld.dedup.compilation import CODES, NEW_NUMBERS, OFFSETS, TABLE, inner, kernel

if TYPE_CHECKING:
    import numpy.typing as npt

    Offsets = npt.NDArray[np.int64]
    Codes = npt.NDArray[np.uint32]
    Numbers = npt.NDArray[np.uint64]

_BLANK = 32
_SEED = np.uint64(0xCBF29CE484222325)
_PRIME = np.uint64(0x100000001B3)
_NONE, _ONE = np.uint64(0), np.uint64(1)
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_NEAR_YEARS = 1
_NEAR = 22
_EQUAL = 14


@kernel(NEW_NUMBERS(OFFSETS, CODES, OFFSETS, CODES, OFFSETS, CODES))
def word_bits(
    main: Offsets, main_codes: Codes, rest: Offsets, rest_codes: Codes, of_set: Offsets, set_codes: Codes
) -> Numbers:
    """One bit of 64 for each word of more than three letters in three texts, of every word where none is so long."""
    result = np.empty(main.shape[0] - 1, dtype=np.uint64)
    for row in range(result.shape[0]):
        long = short = _NONE
        offsets, codes = main, main_codes
        for part in range(3):
            if part == 1:
                offsets, codes = rest, rest_codes
            elif part == 2:
                offsets, codes = of_set, set_codes
            value, letters = _SEED, 0
            for position in range(offsets[row], offsets[row + 1] + 1):
                code = codes[position] if position < offsets[row + 1] else np.uint32(_BLANK)
                if code != _BLANK:
                    value = (value ^ np.uint64(code)) * _PRIME
                    letters += 1
                elif letters:
                    bit = _ONE << (finalised(value) >> np.uint64(58))
                    if letters > 3:
                        long |= bit
                    else:
                        short |= bit
                    value, letters = _SEED, 0
        result[row] = long if long != _NONE else short
    return result


@inner(types.int64(types.uint64))
def bits_set(value: Any) -> int:  # noqa: ANN401
    """How many bits are set."""
    value -= (value >> _ONE) & np.uint64(0x5555555555555555)
    value = (value & np.uint64(0x3333333333333333)) + ((value >> np.uint64(2)) & np.uint64(0x3333333333333333))
    value = (value + (value >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return int((value * np.uint64(0x0101010101010101)) >> np.uint64(56))


@inner(types.boolean(types.uint64, types.uint64))
def _are_near(one: Any, other: Any) -> bool:  # noqa: ANN401
    """Whether first or last years are near, or one record has none."""
    first, last = np.int64(one >> np.uint64(48)), np.int64((one >> _HALF) & np.uint64(0xFFFF))
    other_first, other_last = np.int64(other >> np.uint64(48)), np.int64((other >> _HALF) & np.uint64(0xFFFF))
    if first == 0 or other_first == 0:
        return True
    apart = min(abs(first - other_first), abs(first - other_last), abs(last - other_first))
    return bool(apart <= _NEAR_YEARS)


@inner(types.boolean(TABLE, types.int64, types.int64))
def passes(held: Numbers, i: int, j: int) -> bool:
    """Whether two rows that met are worth a look."""
    if held[i, 3] & _LOW == held[j, 3] & _LOW and held[i, 3] & _LOW != _NONE:
        return True
    if held[i, 1] == _NONE or held[j, 1] == _NONE:
        return True
    apart = min(bits_set(held[i, 0] ^ held[j, 0]), bits_set(held[i, 1] ^ held[j, 1]))
    if _are_near(held[i, 4], held[j, 4]):
        if apart <= _NEAR:
            return True
        one, other = held[i, 2], held[j, 2]
        return bool(2 * bits_set(one & other) >= min(bits_set(one), bits_set(other)))
    one, other = held[i, 3] >> _HALF, held[j, 3] >> _HALF
    return bool(apart <= _EQUAL) and bool(one == _NONE or other == _NONE or one & other != _NONE)
