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
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from bibld.config import File, Share
from bibld.dedup.method import INDEX_VERSION
from bibld.errors import ConfigError
from bibld.model.features import FeatureColumns
from bibld.model.linkage import Feature, Score

if TYPE_CHECKING:
    import numpy.typing as npt

    from bibld.dedup.similarity.rows import Rarity
    from bibld.dedup.trees import Model, Nodes, Steps

_SHIPPED = "model.json"
START = "start"
"""The name of the first line of an explanation: the logit of a pair without any features."""


class Settings(msgspec.Struct, frozen=True):
    """``same``: two records with at least this probability are the same; ``review``: with at least this one they are
    reviewed by a person. ``file``: a model made by `bibld train`, instead of the one that comes with bibld.
    """

    same: Share = 0.55
    review: Share = 0.2
    file: File = File("")


def scores(
    columns: FeatureColumns,
    left: npt.NDArray[np.uint32],
    right: npt.NDArray[np.uint32],
    settings: Settings,
) -> npt.NDArray[np.float32]:
    """Return the probabilities of pairs of rows, shape (pairs,); raises ``ConfigError`` for an unusable model file."""
    from bibld.dedup.similarity.pairs import similarities_in_portions
    from bibld.dedup.trees import sums

    loaded = _load(settings.file)
    result = np.empty(len(left), dtype=np.float32)
    for pairs, found in similarities_in_portions(columns, left, right, loaded.rarity):
        result[pairs] = _probabilities(loaded.model, sums(loaded.steps, found))
    return result


def identity(settings: Settings) -> str:
    """Return a hash of the model file, on which results depend beside the settings; raises ``ConfigError``."""
    return hashlib.blake2b(_content(settings.file), digest_size=16).hexdigest()


def check(settings: Settings) -> str:
    """Return a warning about a model of another version, or empty; raises ``ConfigError`` for an unusable file."""
    if not settings.file:
        return ""
    trained = _load(settings.file).model.provenance.features_version
    if trained == INDEX_VERSION:
        return ""
    version = f"version {trained}" if trained else "an earlier version"
    return (
        f"dedup.model.file: {settings.file} was trained with features of {version}, but these are of version"
        f" {INDEX_VERSION}, so that its scores may be wrong; train it again: `bibld train`"
    )


def features(
    columns: FeatureColumns,
    left: npt.NDArray[np.uint32],
    right: npt.NDArray[np.uint32],
    settings: Settings,
) -> npt.NDArray[np.float32]:
    """Return the similarities of pairs of rows that the model weighs, shape (pairs, features); -1 for a missing one."""
    from bibld.dedup.similarity.pairs import similarities

    return similarities(columns, left, right, _load(settings.file).rarity)


def explain(
    columns: FeatureColumns, left: npt.NDArray[np.uint32], right: npt.NDArray[np.uint32], settings: Settings
) -> Iterator[Score]:
    """Yield the probabilities of pairs of rows, with the contribution of each feature to the logit, the greatest first.

    The contributions of all features and of ``start`` add up to the logit. A feature with the value -1 is missing.
    """
    from bibld.dedup.similarity import NAMES
    from bibld.dedup.similarity.pairs import similarities_in_portions
    from bibld.dedup.trees import contributions, sums

    loaded = _load(settings.file)
    model, names = loaded.model, sorted(NAMES)
    by_name = np.array([list(NAMES).index(name) for name in names])
    for _, found in similarities_in_portions(columns, left, right, loaded.rarity):
        probabilities = _probabilities(model, sums(loaded.steps, found)).astype(np.float32).astype(np.float64)
        added = contributions(loaded.nodes, found) * model.scale
        starts = np.round(added[:, -1] + model.scale * model.start + model.shift, 6)
        weights, values = np.round(added[:, by_name], 6), np.round(found[:, by_name].astype(np.float64), 6)
        order = np.argsort(-np.abs(weights), axis=1, kind="stable")
        counts = np.count_nonzero(weights, axis=1)
        rows = (array.tolist() for array in (np.round(probabilities, 6), starts, values, weights, order, counts))
        for value, start, numbers, contribution, ranked, count in zip(*rows, strict=True):
            parts = [Feature(names[i], numbers[i], contribution[i]) for i in ranked[:count]]
            yield Score(value, (Feature(START, 1.0, start), *parts))


def _probabilities(model: Model, sums: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    result: npt.NDArray[np.float64] = 1 / (1 + np.exp(-(model.scale * (model.start + sums) + model.shift)))
    return result


class _Loaded(NamedTuple):
    model: Model
    steps: Steps
    nodes: Nodes
    rarity: Rarity


@lru_cache(maxsize=4)
def _load(file: str) -> _Loaded:
    """Load a model file; without a name the model that comes with bibld."""
    from bibld.dedup.similarity import COUNT
    from bibld.dedup.similarity.rows import Rarity
    from bibld.dedup.trees import from_json, nodes, steps

    try:
        model = from_json(_content(file))
        rarity = Rarity.from_weights(model.words, model.other_word)
        return _Loaded(model, steps(model.trees, COUNT), nodes(model.trees), rarity)
    except ValueError as error:
        raise ConfigError([f"dedup.model.file: {file or _SHIPPED} {error}"]) from error


def _content(file: str) -> bytes:
    data: Any = Path(file) if file else resources.files(__package__).joinpath(_SHIPPED)
    try:
        content: bytes = data.read_bytes()
    except OSError as error:
        raise ConfigError([f"dedup.model.file: {file or _SHIPPED} {error}"]) from error
    return content
