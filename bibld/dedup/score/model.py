"""A trained model: gradient boosted trees compute the probability that two descriptions are of one publication.

The trees weigh some forty features. A value that a record lacks counts as missing, not as different. Each score is
explained by the contribution of every feature to its logit. The model is a readable file, which states the data it was
trained on; `bibld train` trains one on other labels.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from bibld.config import File, Share
from bibld.errors import ConfigError
from bibld.model.features import FeatureColumns
from bibld.model.linkage import Feature, Score

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from bibld.dedup.score._trees import Forest, Model
    from bibld.dedup.score._words import Rarity

_PAIRS_AT_ONCE = 16_384
_SHIPPED = "model.json"
START = "start"
"""The name of the first line of an explanation: the logit of a pair without any features."""


class Settings(msgspec.Struct, frozen=True):
    """``same``: two records with at least this probability are the same; ``review``: with at least this one they are
    reviewed by a person. ``file``: a model made by `bibld train`, instead of the one that comes with bibld.
    """

    same: Share = 0.9
    review: Share = 0.5
    file: File = File("")


def scores(
    columns: FeatureColumns,
    left: npt.NDArray[np.uint32],
    right: npt.NDArray[np.uint32],
    settings: Settings,
) -> npt.NDArray[np.float32]:
    """Return the probabilities of pairs of rows, shape (pairs,); raises ``ConfigError`` for an unusable model file."""
    import numpy as np

    from bibld.dedup.score._steps import sums

    model, forest, rarity = _loaded(settings.file)
    result = np.empty(len(left), dtype=np.float32)
    for pairs, found in _in_portions(columns, left, right, rarity):
        result[pairs] = _probability(model, sums(forest.steps, found))
    return result


def identity(settings: Settings) -> str:
    """Return a hash of the model file, on which results depend beside the settings; raises ``ConfigError``."""
    return hashlib.blake2b(_content(settings.file), digest_size=16).hexdigest()


def features(
    columns: FeatureColumns,
    left: npt.NDArray[np.uint32],
    right: npt.NDArray[np.uint32],
    settings: Settings,
) -> npt.NDArray[np.float32]:
    """Return the features of pairs of rows that the model weighs, shape (pairs, features); -1 for a missing one."""
    return compared(columns, left, right, _loaded(settings.file)[2])


def compared(
    columns: FeatureColumns, left: npt.NDArray[np.uint32], right: npt.NDArray[np.uint32], rarity: Rarity
) -> npt.NDArray[np.float32]:
    """Return what :func:`features` returns, with other weights of words."""
    import numpy as np

    from bibld.dedup.score._comparison import COUNT

    result = np.empty((len(left), COUNT), dtype=np.float32)
    for pairs, found in _in_portions(columns, left, right, rarity):
        result[pairs] = found
    return result


def _in_portions(
    columns: FeatureColumns, left: npt.NDArray[np.uint32], right: npt.NDArray[np.uint32], rarity: Rarity
) -> Iterator[tuple[slice, npt.NDArray[np.float32]]]:
    """Yield the features of some pairs at a time."""
    import numpy as np

    from bibld.dedup.score._comparison import COUNT, compare
    from bibld.dedup.score._words import ready

    is_used = np.zeros(len(columns), dtype=np.bool_)
    is_used[left] = is_used[right] = True
    rows = np.flatnonzero(is_used)
    places = np.zeros(len(columns), dtype=np.int32)
    places[rows] = np.arange(len(rows), dtype=np.int32)
    words = ready(columns, rows, rarity)
    for start in range(0, len(left), _PAIRS_AT_ONCE):
        pairs = slice(start, start + _PAIRS_AT_ONCE)
        found = np.empty((len(left[pairs]), COUNT), dtype=np.float32)
        compare(words, places[left[pairs]], places[right[pairs]], found)
        yield pairs, found


def explain(
    columns: FeatureColumns, left: npt.NDArray[np.uint32], right: npt.NDArray[np.uint32], settings: Settings
) -> Iterator[Score]:
    """Yield the probabilities of pairs of rows, with the contribution of each feature to the logit, the greatest first.

    The contributions of all features and of ``start`` add up to the logit. A feature with the value -1 is missing.
    """
    import numpy as np

    from bibld.dedup.score._comparison import NAMES
    from bibld.dedup.score._steps import sums
    from bibld.dedup.score._trees import contributions

    model, forest, rarity = _loaded(settings.file)
    names = sorted(NAMES)
    by_name = np.array([list(NAMES).index(name) for name in names])
    for _, found in _in_portions(columns, left, right, rarity):
        probabilities = np.round(
            _probability(model, sums(forest.steps, found)).astype(np.float32).astype(np.float64), 6
        )
        added = contributions(forest, found) * model.scale
        starts = np.round(added[:, -1] + model.scale * model.start + model.shift, 6)
        weights, values = np.round(added[:, by_name], 6), np.round(found[:, by_name].astype(np.float64), 6)
        order = np.argsort(-np.abs(weights), axis=1, kind="stable")
        counts = np.count_nonzero(weights, axis=1)
        rows = zip(
            probabilities.tolist(), starts.tolist(), values.tolist(), weights.tolist(), order.tolist(), counts.tolist(),
            strict=True,
        )  # fmt: skip
        for value, start, numbers, contribution, ranked, count in rows:
            features = [Feature(names[i], numbers[i], contribution[i]) for i in ranked[:count]]
            yield Score(value, (Feature(START, 1.0, start), *features))


def _probability(model: Model, sums: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    import numpy as np

    result: npt.NDArray[np.float64] = 1 / (1 + np.exp(-(model.scale * (model.start + sums) + model.shift)))
    return result


@lru_cache(maxsize=4)
def _loaded(file: str) -> tuple[Model, Forest, Rarity]:
    """Load a model file; without a name the model that comes with bibld."""
    from bibld.dedup.score._trees import forest, of_json, rarity

    try:
        model = of_json(_content(file))
        return model, forest(model), rarity(model)
    except ValueError as error:
        raise ConfigError([f"dedup.model.file: {file or _SHIPPED} {error}"]) from error


def _content(file: str) -> bytes:
    data: Any = Path(file) if file else resources.files(__package__).joinpath(_SHIPPED)
    try:
        content: bytes = data.read_bytes()
    except OSError as error:
        raise ConfigError([f"dedup.model.file: {file or _SHIPPED} {error}"]) from error
    return content
