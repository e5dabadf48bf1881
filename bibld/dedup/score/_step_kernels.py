"""Compiled: trees walked by many pairs together (see :mod:`bibld.dedup.score._steps`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import types

from bibld.dedup.compilation import MISSING, inner, kernel
from bibld.dedup.score._steps import ALWAYS, TOGETHER

if TYPE_CHECKING:
    import numpy.typing as npt

    Numbers = npt.NDArray[np.int32]
    Bins = npt.NDArray[np.uint8]
    Found = npt.NDArray[np.float32]

_INTS, _CUTS = types.int32[::1], types.float32[::1]
_FOUND = types.Array(types.float32, 2, "C", readonly=True)
_BIN, _BINS = types.uint8[::1], types.uint8[:, ::1]


@inner(types.void(_CUTS, _INTS, _FOUND, types.int64, _CUTS, _BINS))
def _binned(cuts: Found, cuts_begin: Numbers, features: Found, start: int, column: Found, found: Bins) -> None:
    """Write rows of features as columns, twice: each value as how many thresholds it is above, what is missing as below
    and then as above all thresholds."""
    width = features.shape[1]
    for feature in range(width):
        for pair in range(min(TOGETHER, features.shape[0] - start)):
            column[pair] = features[start + pair, feature]
        low, high = found[feature], found[width + feature]
        for pair in range(TOGETHER):
            low[pair] = 0
        for cut in range(cuts_begin[feature], cuts_begin[feature + 1]):
            threshold = cuts[cut]
            for pair in range(TOGETHER):
                low[pair] += np.uint8(column[pair] > threshold)
        for pair in range(TOGETHER):
            high[pair] = ALWAYS if column[pair] == np.float32(MISSING) else low[pair]


@inner(types.void(_BIN, types.int32, _BIN, _BIN))
def _choose(column: Bins, threshold: int, low: Bins, high: Bins) -> None:
    """Where the feature is above the threshold take what lies in ``high``."""
    at = np.uint8(threshold)
    for pair in range(TOGETHER):
        one, other, value = low[pair], high[pair], column[pair]
        low[pair] = other if value > at else one


@kernel(types.void(
        _INTS, _INTS, _INTS, _INTS, types.float64[:, ::1], _CUTS, _INTS, _FOUND, types.float64[::1], _CUTS, _BINS, _BINS
    ))  # fmt: skip
def add_leaves(
    begin: Numbers, level: Numbers, decides: Numbers, above: Numbers, leaves: npt.NDArray[np.float64], cuts: Found,
    cuts_begin: Numbers, features: Found, result: npt.NDArray[np.float64], column: Found, columns: Bins, reached: Bins,
) -> None:  # fmt: skip
    """Add to ``result`` the leaves that pairs reach; with room for a column of features, for all columns twice, and
    for a row of leaves at each level."""
    for start in range(0, features.shape[0], TOGETHER):
        _binned(cuts, cuts_begin, features, start, column, columns)
        pairs = min(TOGETHER, features.shape[0] - start)
        for tree in range(leaves.shape[0]):
            for step in range(begin[tree], begin[tree + 1]):
                low, feature, at = reached[level[step]], decides[step], above[step]
                if feature < 0:
                    for pair in range(TOGETHER):
                        low[pair] = at
                else:
                    _choose(columns[feature], at, low, reached[level[step] + 1])
            value, first = leaves[tree], reached[0]
            for pair in range(pairs):
                result[start + pair] += value[first[pair]]
