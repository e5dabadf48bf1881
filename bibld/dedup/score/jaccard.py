"""The score of Kosolapov, Serebryakov, Teymurazov and Shorin.

It is the mean of the Jaccard similarities of the sets of character bigrams of author and title. If neither record has
an author, it is the similarity of the titles; if one has none, the similarity of the authors is 0. Two records
are the same when the score is above ``same`` and their part numbers do not conflict.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from bibld.config import Share
from bibld.dedup.arrays import RowNumbers
from bibld.model.features import FeatureColumns
from bibld.model.linkage import Feature, Score

if TYPE_CHECKING:
    import numpy.typing as npt


class Settings(msgspec.Struct, frozen=True):
    """``same``: above this score two records are the same."""

    same: Share = 0.8


def scores(columns: FeatureColumns, left: RowNumbers, right: RowNumbers, settings: Settings) -> npt.NDArray[np.float32]:
    """Return the scores of pairs of rows, shape (pairs,)."""
    title, author = similarities(columns, left, right)
    return _score(title, author)


def similarities(
    columns: FeatureColumns, left: RowNumbers, right: RowNumbers
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Return the Jaccard similarities of titles and of authors of pairs of rows; -1 if neither row has an author."""
    from bibld.dedup._shingle_kernels import count_shared
    from bibld.dedup.texts import shingles

    left, right = (np.ascontiguousarray(side, dtype=np.uint32) for side in (left, right))
    results = []
    for field in ("title", "author"):
        starts, bigrams = shingles(columns, (field,), "characters", 2)
        one, other = np.diff(starts)[left], np.diff(starts)[right]
        shared = count_shared(starts, bigrams, left, right)
        similarity = (shared / np.maximum(one + other - shared, 1)).astype(np.float32)
        results.append(np.where((one == 0) & (other == 0), np.float32(-1), similarity))
    return np.maximum(results[0], np.float32(0)), results[1]


def explain(columns: FeatureColumns, left: RowNumbers, right: RowNumbers, settings: Settings) -> Iterator[Score]:
    """Yield the scores of pairs of rows, each with the two similarities that it is the mean of."""
    titles, authors = similarities(columns, left, right)
    rounded = (np.round(found.astype(np.float64), 6).tolist() for found in (_score(titles, authors), titles, authors))
    for value, title, author in zip(*rounded, strict=True):
        features = [Feature("title", title)]
        if author >= 0:
            features.append(Feature("author", author))
        yield Score(value, tuple(features))


def _score(title: npt.NDArray[np.float32], author: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    mean: npt.NDArray[np.float32] = np.where(author < 0, title, (title + author) / np.float32(2)).astype(np.float32)
    return mean
