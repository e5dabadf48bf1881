"""The score of Kosolapov, Serebryakov, Teymurazov and Shorin: the mean of the Jaccard similarities of the sets of
character bigrams of author and title.

Where both records have no author, the title's similarity alone; where one has none, its author counts as 0. Two records
are the same when the score is above ``same`` and their part numbers do not conflict.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from bibld.config import Share
from bibld.model.features import FeatureColumns
from bibld.model.linkage import Feature, Score

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class Settings(msgspec.Struct, frozen=True):
    """``same``: above this score two records are the same."""

    same: Share = 0.8


def scores(
    columns: FeatureColumns,
    left: npt.NDArray[np.uint32],
    right: npt.NDArray[np.uint32],
    settings: Settings,
) -> npt.NDArray[np.float32]:
    """The scores of pairs of rows, shape (pairs,)."""
    title, author = similarities(columns, left, right)
    return _score(title, author)


def similarities(
    columns: FeatureColumns, left: npt.NDArray[np.uint32], right: npt.NDArray[np.uint32]
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Jaccard similarity of title and author for pairs of rows; an author's is -1 where both have none."""
    import numpy as np

    from bibld.dedup._kernels import bigrams, jaccard

    results = []
    for column in (columns.title, columns.author):
        offsets, values = bigrams(column.offsets, column.codes)
        similarity = jaccard(offsets, values, left, right)
        lengths = np.diff(column.offsets)
        one_is_empty = (lengths[left] == 0) != (lengths[right] == 0)
        results.append(np.where(one_is_empty, np.float32(0), similarity))
    return np.maximum(results[0], np.float32(0)), results[1]


def explain(columns: FeatureColumns, left: int, right: int, settings: Settings) -> Score:
    """The score of one pair of rows with the two similarities that it is the mean of."""
    import numpy as np

    pair = columns.rows((left, right))
    title, author = similarities(pair, np.array([0], np.uint32), np.array([1], np.uint32))
    features = [Feature("title", rounded(title[0]))]
    if author[0] >= 0:
        features.append(Feature("author", rounded(author[0])))
    return Score(rounded(_score(title, author)[0]), tuple(features))


def rounded(value: np.float32) -> float:
    """A similarity as it is stored and shown: six decimals."""
    return round(float(value), 6)


def _score(title: npt.NDArray[np.float32], author: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    import numpy as np

    mean: npt.NDArray[np.float32] = np.where(author < 0, title, (title + author) / np.float32(2)).astype(np.float32)
    return mean
