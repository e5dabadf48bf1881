"""The compiled loop that puts composite keys together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import types

from bibld.dedup._compiling import njit
from bibld.dedup._text_kernels import COUNTS, NEW_NUMBERS, NUMBERS, OFFSETS, mix

if TYPE_CHECKING:
    import numpy.typing as npt

    Offsets = npt.NDArray[np.int64]
    Numbers = npt.NDArray[np.uint64]
    Counts = npt.NDArray[np.int32]

_ROWS = types.uint32[::1]
_TABLE = types.Array(types.uint64, 2, "C", readonly=True)
_PLACES = types.Array(types.int64, 2, "C", readonly=True)
_ONE = np.uint64(1)


@njit(
    types.int64(types.uint64, types.int64, types.uint64, types.uint32, types.int64, NEW_NUMBERS, _ROWS),
    cache=True,
    nogil=True,
)
def _put(
    wanted: Any,  # noqa: ANN401
    family: int,
    value: Any,  # noqa: ANN401
    row: Any,  # noqa: ANN401
    filled: int,
    keys: Numbers,
    rows: npt.NDArray[np.uint32],
) -> int:
    """Add a key to those of a row unless its fields are missing or its family is not wanted; how many there are now."""
    if value == np.uint64(0) or not (wanted >> np.uint64(family)) & _ONE:
        return filled
    keys[filled] = (value >> np.uint64(8)) | (np.uint64(family) << np.uint64(56))
    rows[filled] = row
    return filled + 1


@njit(
    types.int64(
        types.uint64, _TABLE, NUMBERS, COUNTS, COUNTS, COUNTS, OFFSETS, NUMBERS, NUMBERS, NUMBERS, COUNTS, _PLACES,
        types.int64, NEW_NUMBERS, _ROWS,
    ),
    cache=True, nogil=True,
)  # fmt: skip
def composite_keys(
    wanted: Any,  # noqa: ANN401
    titles: Numbers,
    parts: Numbers,
    first: Counts,
    last: Counts,
    pages: Counts,
    names: Offsets,
    authors: Numbers,
    surnames: Numbers,
    words: Numbers,
    frequencies: Counts,
    rare: Offsets,
    guard: int,
    keys: Numbers,
    rows: npt.NDArray[np.uint32],
) -> int:
    """Fill ``keys`` and ``rows`` row by row; gives how many there are.

    Bit f of ``wanted``: make the keys of family f of ``bibld.dedup.block.composite.FAMILIES``. ``titles`` (4, n) are
    the hashes of the first 4, 12, 18 and all characters, ``authors`` and ``surnames`` those of the names of row i from
    ``names[i]`` on, ``rare`` (n, most) positions in ``words`` and ``frequencies``. Words pair where the product of
    their frequencies is at most ``guard``.
    """
    filled = 0
    for row in range(parts.shape[0]):
        at = np.uint32(row)
        title4, title12, title18, whole = titles[0, row], titles[1, row], titles[2, row], titles[3, row]
        year, length = mix(np.uint64(first[row]), _ONE), mix(np.uint64(pages[row]), _ONE)
        end_year = mix(np.uint64(last[row]), _ONE) if last[row] != first[row] else np.uint64(0)
        extent = mix(year, length)
        filled = _put(wanted, 1, mix(title12, year), at, filled, keys, rows)
        filled = _put(wanted, 1, mix(title12, end_year), at, filled, keys, rows)
        filled = _put(wanted, 4, mix(extent, title4), at, filled, keys, rows)
        filled = _put(wanted, 6, whole, at, filled, keys, rows)
        filled = _put(wanted, 7, title18, at, filled, keys, rows)
        filled = _put(wanted, 9, mix(parts[row], year), at, filled, keys, rows)
        filled = _put(wanted, 9, mix(parts[row], end_year), at, filled, keys, rows)
        if names[row] == names[row + 1]:
            filled = _put(wanted, 8, mix(title12, length), at, filled, keys, rows)
        for name in range(names[row], names[row + 1]):
            filled = _put(wanted, 0, mix(title12, authors[name]), at, filled, keys, rows)
            filled = _put(wanted, 5, mix(extent, authors[name]), at, filled, keys, rows)
            filled = _put(wanted, 10, mix(parts[row], authors[name]), at, filled, keys, rows)
        for low in range(rare.shape[1]):
            one = rare[row, low]
            if one < 0:
                break
            for high in range(low + 1, rare.shape[1]):
                other = rare[row, high]
                if other >= 0 and np.int64(frequencies[one]) * np.int64(frequencies[other]) <= guard:
                    pair = mix(min(words[one], words[other]), max(words[one], words[other]))
                    filled = _put(wanted, 2, pair, at, filled, keys, rows)
            for name in range(names[row], names[row + 1]):
                filled = _put(wanted, 3, mix(surnames[name], words[one]), at, filled, keys, rows)
    return filled
