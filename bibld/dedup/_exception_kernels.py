"""Compiled: comparisons of texts for exceptions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bibld.dedup.compilation import CODES, NEW_NUMBERS, NUMBERS, OFFSETS, ROWS, kernel, types

if TYPE_CHECKING:
    import numpy.typing as npt

    from bibld.model.features import TextColumn

    Offsets = npt.NDArray[np.int64]
    Rows = npt.NDArray[np.uint32]
    Hashes = npt.NDArray[np.uint64]
    Flags = npt.NDArray[np.bool_]

NESTED, CONFLICT = 1, 2
_BLANK = 32
_PRIME = np.uint64(0x100000001B3)


def compare_parts(parts: TextColumn, left: Rows, right: Rows) -> npt.NDArray[np.uint8]:
    """Return for pairs of rows ``NESTED`` if one part number goes further than the other, ``CONFLICT`` if they differ
    otherwise, 0 if they are equal or one is missing."""
    result = np.zeros(len(left), dtype=np.uint8)
    _compare_parts(parts.offsets, parts.codes, left, right, result)
    return result


@kernel(types.void(OFFSETS, CODES, ROWS, ROWS, types.uint8[::1]))
def _compare_parts(offsets: Offsets, codes: Rows, left: Rows, right: Rows, result: npt.NDArray[np.uint8]) -> None:
    for pair in range(result.shape[0]):
        one, other = (
            codes[offsets[left[pair]] : offsets[left[pair] + 1]],
            codes[offsets[right[pair]] : offsets[right[pair] + 1]],
        )
        if one.shape[0] > other.shape[0]:
            one, other = other, one
        same = 0
        while same < one.shape[0] and one[same] == other[same]:
            same += 1
        if one.shape[0] == 0 or (same == one.shape[0] and same == other.shape[0]):
            continue
        result[pair] = NESTED if same == one.shape[0] and other[same] == _BLANK else CONFLICT


def title_starts(main: TextColumn, remainder: TextColumn, length: int) -> Hashes:
    """Return a hash of the first characters of two texts of each row together, blanks not counted, shape (n,)."""
    result = np.zeros(len(main), dtype=np.uint64)
    _title_starts(main.offsets, main.codes, remainder.offsets, remainder.codes, length, result)
    return result


@kernel(types.void(OFFSETS, CODES, OFFSETS, CODES, types.int64, NEW_NUMBERS))
def _title_starts(
    main: Offsets, main_codes: Rows, rest: Offsets, rest_codes: Rows, length: int, result: Hashes
) -> None:
    for row in range(result.shape[0]):
        taken = 0
        for text in (main_codes[main[row] : main[row + 1]], rest_codes[rest[row] : rest[row + 1]]):
            for code in text:
                if code != _BLANK and taken < length:
                    result[row] = (result[row] + np.uint64(code)) * _PRIME
                    taken += 1


def have_common_value(offsets: Offsets, values: Hashes, left: Rows, right: Rows) -> Flags:
    """Return whether the rows of each pair have a value in common, shape (pairs,)."""
    result = np.zeros(len(left), dtype=np.bool_)
    _have_common_value(offsets, values, left, right, result)
    return result


@kernel(types.void(OFFSETS, NUMBERS, ROWS, ROWS, types.boolean[::1]))
def _have_common_value(offsets: Offsets, values: Hashes, left: Rows, right: Rows, result: Flags) -> None:
    for pair in range(result.shape[0]):
        for one in range(offsets[left[pair]], offsets[left[pair] + 1]):
            for other in range(offsets[right[pair]], offsets[right[pair] + 1]):
                if values[one] == values[other]:
                    result[pair] = True
