"""Compiled: comparisons of texts for exceptions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bibld.dedup.compilation import CODES, NEW_NUMBERS, NUMBERS, OFFSETS, ROWS, kernel, types
from bibld.dedup.hashes import PRIME

if TYPE_CHECKING:
    import numpy.typing as npt

    Offsets = npt.NDArray[np.int64]
    Rows = npt.NDArray[np.uint32]
    Hashes = npt.NDArray[np.uint64]
    Flags = npt.NDArray[np.bool_]

NESTED, CONFLICT = 1, 2
_BLANK = 32


@kernel(types.uint8[::1](OFFSETS, CODES, ROWS, ROWS))
def compare_parts(offsets: Offsets, codes: Rows, left: Rows, right: Rows) -> npt.NDArray[np.uint8]:
    """Return for pairs of rows ``NESTED`` if one part number goes further than the other, ``CONFLICT`` if they differ
    otherwise, 0 if they are equal or one is missing; shape (pairs,)."""
    result = np.zeros(left.shape[0], dtype=np.uint8)
    for pair in range(result.shape[0]):
        one = codes[offsets[left[pair]] : offsets[left[pair] + 1]]
        other = codes[offsets[right[pair]] : offsets[right[pair] + 1]]
        if one.shape[0] > other.shape[0]:
            one, other = other, one
        same = 0
        while same < one.shape[0] and one[same] == other[same]:
            same += 1
        if one.shape[0] > 0 and same < other.shape[0]:
            result[pair] = NESTED if same == one.shape[0] and other[same] == _BLANK else CONFLICT
    return result


@kernel(types.boolean[::1](OFFSETS, NUMBERS, ROWS, ROWS))
def have_no_common_value(offsets: Offsets, values: Hashes, left: Rows, right: Rows) -> Flags:
    """Return whether both rows of each pair have values, and none in common; shape (pairs,)."""
    result = np.zeros(left.shape[0], dtype=np.bool_)
    for pair in range(result.shape[0]):
        begin, end = offsets[right[pair]], offsets[right[pair] + 1]
        result[pair] = begin < end and offsets[left[pair]] < offsets[left[pair] + 1]
        for one in range(offsets[left[pair]], offsets[left[pair] + 1]):
            for other in range(begin, end):
                if values[one] == values[other]:
                    result[pair] = False
    return result


@kernel(NEW_NUMBERS(OFFSETS, CODES, OFFSETS, CODES, types.int64))
def hash_starts(main: Offsets, main_codes: Rows, rest: Offsets, rest_codes: Rows, length: int) -> Hashes:
    """Return a hash of the first ``length`` characters of two texts of each row together, blanks not counted."""
    result = np.zeros(main.shape[0] - 1, dtype=np.uint64)
    for row in range(result.shape[0]):
        taken = 0
        for text in (main_codes[main[row] : main[row + 1]], rest_codes[rest[row] : rest[row + 1]]):
            for code in text:
                if taken == length:
                    break
                if code != _BLANK:
                    result[row] = (result[row] + np.uint64(code)) * PRIME
                    taken += 1
    return result
