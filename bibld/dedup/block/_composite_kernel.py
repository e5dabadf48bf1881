"""The compiled loop that puts composite keys together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import types

from bibld.dedup._keys.hash_kernels import mix
from bibld.dedup.compilation import COUNTS, NEW_NUMBERS, NEW_ROWS, NUMBERS, OFFSETS, PLACES, TABLE, inner, kernel

if TYPE_CHECKING:
    import numpy.typing as npt

    Offsets = npt.NDArray[np.int64]
    Numbers = npt.NDArray[np.uint64]
    Counts = npt.NDArray[np.int32]

_ONE = np.uint64(1)
_NAMES = 3


@inner(types.int64(types.uint64, types.uint64, types.uint64, NEW_NUMBERS, types.int64))
def _held(family: Any, one: Any, other: Any, fields: Numbers, count: int) -> int:  # noqa: ANN401
    """Note the family of a key and its two fields."""
    fields[count], fields[count + 1], fields[count + 2] = family, one, other
    return count + 3


@inner(types.int64(NEW_NUMBERS, types.uint64, types.int64, NEW_NUMBERS, NEW_ROWS, types.int64))
def _put(fields: Numbers, wanted: np.uint64, row: int, keys: Numbers, rows: npt.NDArray[np.uint32], filled: int) -> int:
    """Make keys of what was noted of a row, where no field is missing and the family is wanted."""
    for place in range(0, fields.shape[0], 3):
        value = mix(fields[place + 1], fields[place + 2])
        if value != np.uint64(0) and (wanted >> fields[place]) & _ONE:
            keys[filled] = (value >> np.uint64(8)) | (fields[place] << np.uint64(56))
            rows[filled] = np.uint32(row)
            filled += 1
    return filled


@kernel(types.int64(
        types.uint64, TABLE, NUMBERS, COUNTS, COUNTS, COUNTS, OFFSETS, NUMBERS, NUMBERS, NUMBERS, COUNTS, PLACES,
        types.int64, NEW_NUMBERS, NEW_ROWS,
    ))  # fmt: skip
def composite_keys(
    wanted: np.uint64, titles: Numbers, parts: Numbers, first: Counts, last: Counts, pages: Counts, names: Offsets,
    authors: Numbers, surnames: Numbers, words: Numbers, frequencies: Counts, rare: Offsets, guard: int, keys: Numbers,
    rows: npt.NDArray[np.uint32],
) -> int:  # fmt: skip
    """Fill ``keys`` and ``rows`` row by row; gives how many there are.

    Bit f of ``wanted``: make the keys of family f of ``bibld.dedup.block.composite.FAMILIES``. ``titles`` (4, n) are
    the hashes of the first 4, 12, 18 and all characters, ``authors`` and ``surnames`` those of the names of row i from
    ``names[i]`` on, ``rare`` (n, most) positions in ``words`` and ``frequencies``. Words pair where the product of
    their frequencies is at most ``guard``. No row has more than three names.
    """
    most = rare.shape[1]
    fields = np.empty(3 * (8 + _NAMES * (3 + most) + most * most), dtype=np.uint64)
    filled = 0
    for row in range(parts.shape[0]):
        title4, title12, title18, whole = titles[0, row], titles[1, row], titles[2, row], titles[3, row]
        year, length = mix(np.uint64(first[row]), _ONE), mix(np.uint64(pages[row]), _ONE)
        end_year = mix(np.uint64(last[row]), _ONE) if last[row] != first[row] else np.uint64(0)
        extent = mix(year, length)
        count = _held(1, title12, year, fields, 0)
        count = _held(1, title12, end_year, fields, count)
        count = _held(4, extent, title4, fields, count)
        count = _held(6, whole, _ONE, fields, count)
        count = _held(7, title18, _ONE, fields, count)
        count = _held(9, parts[row], year, fields, count)
        count = _held(9, parts[row], end_year, fields, count)
        if names[row] == names[row + 1]:
            count = _held(8, title12, length, fields, count)
        for name in range(names[row], names[row + 1]):
            count = _held(0, title12, authors[name], fields, count)
            count = _held(5, extent, authors[name], fields, count)
            count = _held(10, parts[row], authors[name], fields, count)
        for low in range(most):
            one = rare[row, low]
            if one < 0:
                break
            for high in range(low + 1, most):
                other = rare[row, high]
                if other >= 0 and np.int64(frequencies[one]) * np.int64(frequencies[other]) <= guard:
                    lesser, greater = min(words[one], words[other]), max(words[one], words[other])
                    count = _held(2, lesser, greater, fields, count)
            for name in range(names[row], names[row + 1]):
                count = _held(3, surnames[name], words[one], fields, count)
        filled = _put(fields[:count], wanted, row, keys, rows, filled)
    return filled
