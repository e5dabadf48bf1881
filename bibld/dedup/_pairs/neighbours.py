"""Rows in the order of their titles: what is compared together then stands together.

Candidates by position meet a row of the other library for each pair anew, somewhere in the index. Most of them have
like titles; numbered by title, a portion of pairs needs half as many different rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import types

from bibld.dedup.compilation import NEW_NUMBERS, NEW_OFFSETS, NEW_ROWS, NUMBERS, ROWS, kernel

if TYPE_CHECKING:
    import numpy.typing as npt

    Numbers = npt.NDArray[np.uint64]
    Rows = npt.NDArray[np.uint32]

_GROUPS = 1 << 16
_SHIFT = np.uint64(48)
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)


class Neighbours(NamedTuple):
    """A number for each row and the row of each number, both of shape (rows,)."""

    numbers: Rows
    rows: Rows

    @classmethod
    def of(cls, titles: Numbers) -> Neighbours:
        """Rows by the upper bits of SimHashes of their titles (rows,), then by position."""
        made = cls(np.empty(len(titles), dtype=np.uint32), np.empty(len(titles), dtype=np.uint32))
        _number(np.ascontiguousarray(titles), np.zeros(_GROUPS + 1, dtype=np.int64), *made)
        return made

    def numbered(self, pairs: Numbers) -> Numbers:
        """Pairs of rows, ``left << 32 | right``, as pairs of numbers, the lesser on the left."""
        renamed: Numbers = _renamed(pairs, self.numbers)
        return renamed

    def pairs(self, numbered: Numbers) -> Numbers:
        """Pairs of numbers as pairs of rows, the lesser on the left."""
        renamed: Numbers = _renamed(numbered, self.rows)
        return renamed


@kernel(types.void(NUMBERS, NEW_OFFSETS, NEW_ROWS, NEW_ROWS))
def _number(titles: Numbers, starts: npt.NDArray[np.int64], numbers: Rows, rows: Rows) -> None:
    for row in range(titles.shape[0]):
        starts[np.int64(titles[row] >> _SHIFT) + 1] += 1
    for group in range(_GROUPS):
        starts[group + 1] += starts[group]
    for row in range(titles.shape[0]):
        place = np.int64(titles[row] >> _SHIFT)
        numbers[row] = starts[place]
        rows[starts[place]] = row
        starts[place] += 1


@kernel(NEW_NUMBERS(NUMBERS, ROWS))
def _renamed(pairs: Numbers, names: Rows) -> Numbers:
    result = np.empty(pairs.shape[0], dtype=np.uint64)
    for pair in range(pairs.shape[0]):
        one, other = names[np.int64(pairs[pair] >> _HALF)], names[np.int64(pairs[pair] & _LOW)]
        result[pair] = (np.uint64(min(one, other)) << _HALF) | np.uint64(max(one, other))
    return result
