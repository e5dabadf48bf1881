"""Missing similarities: each counts as the value that is as frequent among duplicates as its absence.

A trained tree sends what is missing to one side of each comparison. If it could choose the side freely, equal values
might lower the score below that without values. So training puts one number in the place of what is missing, and the
constraint that greater similarities never lower the score holds for missing ones too.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bibld.dedup.compilation import MISSING

Similarities = npt.NDArray[np.float32]

_FEWEST = 50
_NEITHER = 0.5
_LOWEST, _HIGHEST = 0.02, 0.98
_STEPS = 200


def neutral_values(
    found: Similarities, labels: npt.NDArray[np.int8], weights: npt.NDArray[np.float64]
) -> npt.NDArray[np.float32]:
    """Return for each similarity the value at which as many pairs are duplicates as of those that lack it.

    The share of duplicates by value is fitted by isotonic regression. The values lie between 0 and 1.
    """
    from sklearn.isotonic import IsotonicRegression

    result = np.full(found.shape[1], _NEITHER, np.float32)
    grid = np.linspace(0, 1, _STEPS + 1)
    for number, values in enumerate(found.T):
        is_missing = values == MISSING
        if min(np.count_nonzero(is_missing), np.count_nonzero(~is_missing)) < _FEWEST:
            continue
        fitted = IsotonicRegression(out_of_bounds="clip")
        fitted.fit(values[~is_missing], labels[~is_missing], sample_weight=weights[~is_missing])
        share = np.average(labels[is_missing], weights=weights[is_missing])
        result[number] = grid[min(np.searchsorted(fitted.predict(grid), share), _STEPS)]
    return np.clip(result, _LOWEST, _HIGHEST)


def filled(found: Similarities, neutral: npt.NDArray[np.float32]) -> Similarities:
    """Return the similarities with the neutral values in the place of what is missing."""
    return np.where(found == MISSING, neutral, found)
