"""The score is the share of the words of both titles that they have in common."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np

from bibld.model.features import FeatureColumns
from bibld.model.linkage import Feature, Score


class Settings(msgspec.Struct, frozen=True):
    """``same``: at or above this score two records are the same; ``review``: at or above it they are for review."""

    same: float = 0.75
    review: float = 0.5


def scores(columns: FeatureColumns, left: Any, right: Any, settings: Settings) -> Any:
    """Return the scores of pairs of rows, shape (pairs,)."""
    pairs = zip(left.tolist(), right.tolist(), strict=True)
    return np.array([_share(columns, one, other) for one, other in pairs], np.float32)


def explain(columns: FeatureColumns, left: Any, right: Any, settings: Settings) -> Iterator[Score]:
    """Yield the scores of pairs of rows with their only feature."""
    for one, other in zip(left.tolist(), right.tolist(), strict=True):
        share = round(_share(columns, one, other), 6)
        yield Score(share, (Feature("title", share),))


def _share(columns: FeatureColumns, left: int, right: int) -> float:
    one, other = (set(columns.title.text(row).split()) for row in (left, right))
    return len(one & other) / len(one | other) if one | other else 0.0
