"""Names for the arrays of matching; they have one dimension, unless a docstring states another shape."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.uint64]
"""Hashes, keys, signatures, and pairs of rows as one number each."""

Offsets = npt.NDArray[np.int64]
"""Where the values of each row begin, and where those of the last one end."""

Places = npt.NDArray[np.int64]
"""Positions in other arrays."""

Codes = npt.NDArray[np.uint32]
"""The code points of texts."""

RowNumbers = npt.NDArray[np.uint32]
"""Rows, of which an index has less than 2**26."""

Counts = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]


def pack_pairs(left: npt.NDArray[np.integer[Any]], right: npt.NDArray[np.integer[Any]]) -> Numbers:
    """Return pairs as numbers, shape (pairs,)."""
    found: Numbers = (left.astype(np.uint64) << np.uint64(32)) | right.astype(np.uint64)
    return found


def unpack_pairs(pairs: Numbers) -> tuple[RowNumbers, RowNumbers]:
    """Return the left and the right rows of pairs."""
    return (pairs >> np.uint64(32)).astype(np.uint32), (pairs & np.uint64(0xFFFFFFFF)).astype(np.uint32)


def once(numbers: Numbers, runs: bool = False) -> Numbers:
    """Return numbers ascending, each once; ``runs``: they consist of sorted runs, which are merged faster."""
    numbers = np.sort(numbers, kind="stable" if runs else None)
    is_first = np.ones(len(numbers), np.bool_)
    np.not_equal(numbers[1:], numbers[:-1], out=is_first[1:])
    found: Numbers = numbers[is_first]
    return found


def means_by_bin(
    values: npt.NDArray[np.float64], edges: Sequence[float], *columns: npt.NDArray[Any]
) -> Iterator[tuple[Any, ...]]:
    """Yield the lower end of each bin with any values, their number, and their mean in each column to four decimals."""
    bins = np.digitize(values, edges)
    sizes = np.bincount(bins, minlength=len(edges) + 1)
    for number in np.flatnonzero(sizes[1:]).tolist():
        means = [round(float(column[bins == number + 1].mean()), 4) for column in columns]
        yield edges[number], int(sizes[number + 1]), *means
