"""The compiled loops of composite keys: the rarest words of a title, and keys put together from fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import types

from bibld.dedup.compilation import COUNTS, NEW_NUMBERS, NEW_ROWS, NUMBERS, OFFSETS, PLACES, TABLE, inner, kernel
from bibld.dedup.hashes import mix

if TYPE_CHECKING:
    import numpy.typing as npt

    Offsets = npt.NDArray[np.int64]
    Numbers = npt.NDArray[np.uint64]
    Counts = npt.NDArray[np.int32]

MOST_NAMES = 3
_LAST = np.int32(0x7FFFFFFF)
_ONE = np.uint64(1)


@kernel(types.int64[:, ::1](OFFSETS, NUMBERS, COUNTS, types.int64))
def rarest(offsets: Offsets, words: Numbers, frequencies: Counts, most: int) -> Offsets:
    """Return the positions in ``words`` of the ``most`` rarest words of each row, shape (n, most), -1 for fewer.

    ``frequencies`` are those of the words at the same positions. A word of frequency 0 or 1 comes after all others,
    since it can hardly bring two records together (it may be a misprint).
    """
    result = np.full((offsets.shape[0] - 1, most), -1, dtype=np.int64)
    for row in range(result.shape[0]):
        for position in range(offsets[row], offsets[row + 1]):
            place = position
            for slot in range(most):
                other = result[row, slot]
                if other == -1:
                    result[row, slot] = place
                    break
                rank, other_rank = frequencies[place], frequencies[other]
                rank = rank if rank > 1 else _LAST
                other_rank = other_rank if other_rank > 1 else _LAST
                if rank < other_rank or (rank == other_rank and words[place] < words[other]):
                    result[row, slot] = place
                    place = other
    return result


@inner(types.int64(types.uint64, types.uint64, types.uint64, NEW_NUMBERS, types.int64))
def _note(family: Any, one: Any, other: Any, fields: Numbers, count: int) -> int:  # noqa: ANN401
    """Note the family of a key and its two fields."""
    fields[count], fields[count + 1], fields[count + 2] = family, one, other
    return count + 3


@kernel(types.int64(
        types.uint64, TABLE, NUMBERS, COUNTS, COUNTS, COUNTS, OFFSETS, NUMBERS, NUMBERS, NUMBERS, COUNTS, PLACES,
        types.int64, NEW_NUMBERS, NEW_ROWS,
    ))  # fmt: skip
def composite_keys(  # noqa: PLR0913 - one compiled loop
    wanted: np.uint64, titles: Numbers, parts: Numbers, first: Counts, last: Counts, pages: Counts, names: Offsets,
    authors: Numbers, surnames: Numbers, words: Numbers, frequencies: Counts, rare: Offsets, most_common: int,
    keys: Numbers, rows: npt.NDArray[np.uint32],
) -> int:  # fmt: skip
    """Fill ``keys`` and ``rows`` row by row; return how many there are.

    Bit f of ``wanted``: make the keys of family f of ``FAMILIES``. ``titles`` (4, n) are the hashes of the first 4, 12,
    18 and all characters, ``authors`` and ``surnames`` those of the names of row i from ``names[i]`` on, ``rare``
    (n, most) positions in ``words`` and ``frequencies``. Two words make a key if the product of their frequencies is at
    most ``most_common``. No row has more than ``MOST_NAMES`` names. A missing field makes no key.
    """
    most = rare.shape[1]
    fields = np.empty(3 * (8 + MOST_NAMES * (3 + most) + most * most), dtype=np.uint64)
    filled = 0
    for row in range(parts.shape[0]):
        title4, title12, title18, full = titles[0, row], titles[1, row], titles[2, row], titles[3, row]
        year, length = mix(np.uint64(first[row]), _ONE), mix(np.uint64(pages[row]), _ONE)
        end_year = mix(np.uint64(last[row]), _ONE) if last[row] != first[row] else np.uint64(0)
        extent = mix(year, length)
        count = _note(1, title12, year, fields, 0)
        count = _note(1, title12, end_year, fields, count)
        count = _note(4, extent, title4, fields, count)
        count = _note(6, full, _ONE, fields, count)
        count = _note(7, title18, _ONE, fields, count)
        count = _note(9, parts[row], year, fields, count)
        count = _note(9, parts[row], end_year, fields, count)
        if names[row] == names[row + 1]:
            count = _note(8, title12, length, fields, count)
        for name in range(names[row], names[row + 1]):
            count = _note(0, title12, authors[name], fields, count)
            count = _note(5, extent, authors[name], fields, count)
            count = _note(10, parts[row], authors[name], fields, count)
        for low in range(most):
            one = rare[row, low]
            if one < 0:
                break
            for high in range(low + 1, most):
                other = rare[row, high]
                if other >= 0 and np.int64(frequencies[one]) * np.int64(frequencies[other]) <= most_common:
                    lesser, greater = min(words[one], words[other]), max(words[one], words[other])
                    count = _note(2, lesser, greater, fields, count)
            for name in range(names[row], names[row + 1]):
                count = _note(3, surnames[name], words[one], fields, count)
        for place in range(0, count, 3):
            value = mix(fields[place + 1], fields[place + 2])
            if value != np.uint64(0) and (wanted >> fields[place]) & _ONE:
                keys[filled] = (value >> np.uint64(8)) | (fields[place] << np.uint64(56))
                rows[filled] = np.uint32(row)
                filled += 1
    return filled
