"""Train a model for the scorer ``model`` from labelled pairs, such as the verdicts of people.

Needs scikit-learn (``pip install 'bibld[train]'``). The same labels, records, seed and versions give the same model.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from bibld.catalog import Catalog
from bibld.dedup.compilation import MISSING
from bibld.dedup.features import features_of
from bibld.dedup.method import INDEX_VERSION
from bibld.dedup.pair_files import LabelledPair
from bibld.dedup.score.model import Settings
from bibld.dedup.similarity import NAMES
from bibld.dedup.similarity.pairs import similarities
from bibld.dedup.similarity.rows import Rarity
from bibld.dedup.train._made_up_pairs import make_pairs
from bibld.dedup.trees import FORMAT, Model, Provenance, Tree, to_json
from bibld.errors import ConfigError
from bibld.model.features import VALUE_SEPARATOR, FeatureColumns
from bibld.model.mods import Mods
from bibld.model.origin import RecordId

Similarities = npt.NDArray[np.float32]
Logits = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int8]

_FOLDS = 5
_MIN_LABELS = 50
_MAX_MADE_UP_PAIRS = 26_000
_WEIGHT_OF_MADE_UP = 0.2
_WEIGHT_OF_DIFFERENT = 1.2
"""The weight of a wrong merge in the calibration of probabilities; a missed one has weight 1."""
_FREQUENT = 10
_BEYOND = 1e6
_RARE = 3
WITHOUT_ORDER = frozenset({"title_weight", "title_length", "names_present"})
"""Features that describe the pair; of all others a greater one never lowers the score."""
_SILENT = (
    (0.5, ("height",)),
    (0.3, ("pages", "pages_apart")),
    (0.3, ("publisher", "place")),
    (0.5, ("statement", "name_in_statement")),
    (0.5, ("series", "series_number")),
    (0.2, ("name", "first_name", "given_names", "names")),
    (0.15, ("year", "last_year")),
    (0.3, ("level", "set_or_volume")),
    (0.2, ("host", "host_numbers", "host_page")),
)
"""Features that records of other libraries often lack, and the share of pairs in which training leaves them out."""
_TREES = {
    "max_iter": 180,
    "learning_rate": 0.09,
    "max_leaf_nodes": 24,
    "max_depth": 6,
    "min_samples_leaf": 20,
    "l2_regularization": 2.0,
    "early_stopping": False,
}


class Examples(msgspec.Struct, frozen=True, eq=False):
    """Pairs of rows with labels; ``groups`` are equal if pairs share a cluster. The last ``made_up`` are made up."""

    columns: FeatureColumns
    left: npt.NDArray[np.uint32]
    right: npt.NDArray[np.uint32]
    labels: Labels
    groups: npt.NDArray[np.int64]
    weights: npt.NDArray[np.float64]
    made_up: int

    @property
    def is_labelled(self) -> npt.NDArray[np.bool_]:
        """Return which pairs people labelled."""
        return np.arange(len(self.labels)) < len(self.labels) - self.made_up


class Ensemble(NamedTuple):
    """Fitted trees of scikit-learn, and the values that stand for missing similarities, shape (similarities,)."""

    trees: Any
    neutral: npt.NDArray[np.float32]

    def logits(self, found: Similarities) -> Logits:
        """Return the logits of pairs, shape (pairs,)."""
        result: Logits = self.trees.decision_function(filled(found, self.neutral))
        return result


class TrainingSetup(msgspec.Struct, frozen=True):
    """What a model file states about its training, beside the figures."""

    data: str
    licence: str
    date: str
    command: str


def train(
    catalog: Catalog, labelled: Sequence[LabelledPair], vary: frozenset[str], seed: int, about: TrainingSetup
) -> tuple[Model, dict[str, float]]:
    """Train on labelled pairs, and on pairs synthesised from records of the sources in ``vary``, each equally often.

    Returns the model and its figures on labelled pairs whose clusters were left out of the training. Raises
    ``ConfigError`` if there are too few labels or scikit-learn is not installed.
    """
    records: dict[RecordId, Mods] = {}
    varied: dict[str, list[Mods]] = {source: [] for source in sorted(vary)}
    wanted = {record for item in labelled for record in (item.pair.left, item.pair.right)}
    for ordinal, _, mods in catalog.records.live():
        record = catalog.register.record(ordinal)
        if record in wanted:
            records[record] = mods
        if record.source in vary:
            varied[record.source].append(mods)
    return fit(make_examples(records, labelled, interleave(list(varied.values()), seed), seed), seed, about)


def write_model(model: Model, file: Path) -> None:
    """Write a model to a file that `[dedup.model] file` can name; raises ``ConfigError`` if it cannot be written."""
    try:
        file.write_bytes(to_json(model))
    except OSError as error:
        raise ConfigError([f"{file}: cannot be written: {error.strerror}"]) from error


def interleave(sources: Sequence[Sequence[Mods]], seed: int) -> list[Mods]:
    """Return the records of all sources in random order, one of each in turn, so that none outweighs the others."""
    random = Random(seed)
    shuffled = [random.sample(list(source), len(source)) for source in sources]
    return [mods for round_ in zip_longest(*shuffled) for mods in round_ if mods is not None]


def make_examples(
    records: dict[RecordId, Mods], labelled: Sequence[LabelledPair], varied: Sequence[Mods], seed: int
) -> Examples:
    """Put labelled pairs and synthesised ones into columns."""
    rows = {record: row for row, record in enumerate(records)}
    features = [features_of(mods) for mods in records.values()]
    groups = _components([(rows[item.pair.left], rows[item.pair.right]) for item in labelled], len(rows))
    pairs = [(rows[item.pair.left], rows[item.pair.right], item.is_duplicate, item.weight) for item in labelled]
    of_pairs = [groups[left] for left, *_ in pairs]
    random = Random(seed)
    for number, mods in enumerate(varied):
        if len(pairs) - len(labelled) >= _MAX_MADE_UP_PAIRS:
            break
        for result in make_pairs(mods, varied, random):
            features += [features_of(result.left), features_of(result.right)]
            pairs.append((len(features) - 2, len(features) - 1, result.is_duplicate, _WEIGHT_OF_MADE_UP))
            of_pairs.append(len(rows) + number)
    return Examples(
        FeatureColumns.from_features(enumerate(features)),
        np.array([left for left, *_ in pairs], np.uint32),
        np.array([right for _, right, *_ in pairs], np.uint32),
        np.array([label for *_, label, _ in pairs], np.int8),
        np.array(of_pairs, np.int64),
        np.array([weight for *_, weight in pairs], np.float64),
        len(pairs) - len(labelled),
    )


def fit(given: Examples, seed: int, about: TrainingSetup) -> tuple[Model, dict[str, float]]:
    """Fit the trees, calibrate them by cross-validation, and return the model with its figures."""
    labelled = given.is_labelled
    different, same = (np.count_nonzero(given.labels[labelled] == label) for label in (0, 1))
    if min(different, same) < _MIN_LABELS:
        raise ConfigError(
            [
                f"training needs at least {_MIN_LABELS} pairs that are the same and {_MIN_LABELS} that are not; people"
                f" labelled {same} and {different}: decide about more pairs with `bibld review`, or add labelled ones"
                " with --pairs FILE"
            ]
        )
    words = _weights(given.columns)
    found = similarities(given.columns, given.left, given.right, Rarity.from_weights(words, 1.0))
    logits = cross_validate(found, given, seed)
    scale, shift = calibrated(logits[labelled], given.labels[labelled], given.weights[labelled])
    figures = _figures(logits[labelled] * scale + shift, given.labels[labelled])
    ensemble = fitted(found, given.labels, given.weights, seed)
    model = Model(
        format=FORMAT,
        provenance=Provenance(
            **msgspec.structs.asdict(about),
            pairs=int(labelled.sum()),
            made_up_pairs=int((~labelled).sum()),
            seed=seed,
            figures=figures,
            features_version=INDEX_VERSION,
        ),
        features=dict(NAMES),
        start=_short(float(ensemble.trees._baseline_prediction.ravel()[0])),
        scale=_short(scale),
        shift=_short(shift),
        other_word=1.0,
        words=words,
        trees=[_tree(predictors[0].nodes, ensemble.neutral) for predictors in ensemble.trees._predictors],
    )
    return model, figures


def cross_validate(found: Similarities, given: Examples, seed: int) -> Logits:
    """Return the logit of each pair by trees that were trained on other groups, shape (pairs,)."""
    from sklearn.model_selection import GroupKFold

    logits = np.zeros(len(given.labels))
    for seen, unseen in GroupKFold(_FOLDS).split(found, given.labels, given.groups):
        ensemble = fitted(found[seen], given.labels[seen], given.weights[seen], seed)
        logits[unseen] = ensemble.logits(found[unseen])
    return logits


def fitted(found: Similarities, labels: Labels, weights: npt.NDArray[np.float64], seed: int) -> Ensemble:
    """Fit trees in one thread, since the order of additions changes the result."""
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier
        from threadpoolctl import threadpool_limits
    except ImportError as error:
        raise ConfigError(["training needs scikit-learn: pip install 'bibld[train]'"]) from error
    monotonic = [0 if name in WITHOUT_ORDER else 1 for name in NAMES]
    trees = HistGradientBoostingClassifier(random_state=seed, monotonic_cst=monotonic, **_TREES)
    found, labels, weights = (
        np.concatenate((found, _with_less(found, seed))),
        np.concatenate((labels, labels)),
        np.concatenate((weights, weights / 2)),
    )
    neutral = neutral_values(found, labels, weights)
    with threadpool_limits(limits=1):
        return Ensemble(trees.fit(filled(found, neutral), labels, sample_weight=weights), neutral)


def _with_less(found: Similarities, seed: int) -> Similarities:
    """Return the pairs with some features removed: a short record must not count as another book."""
    random = np.random.default_rng(seed)
    names = list(NAMES)
    result = found.copy()
    for chance, silent in _SILENT:
        rows = random.random(len(found)) < chance
        for name in silent:
            result[rows, names.index(name)] = MISSING
    return result


def calibrated(logits: Logits, labels: Labels, weights: npt.NDArray[np.float64]) -> tuple[float, float]:
    """Return the scale and shift that turn logits into probabilities (Platt 1999), erring against wrong merges."""
    from sklearn.linear_model import LogisticRegression

    weights = weights * np.where(labels == 1, 1.0, _WEIGHT_OF_DIFFERENT)
    fitted = LogisticRegression(C=1e6).fit(logits.reshape(-1, 1), labels, sample_weight=weights)
    return float(fitted.coef_[0, 0]), float(fitted.intercept_[0])


def _figures(logits: Logits, labels: Labels) -> dict[str, float]:
    """Return precision, recall and F1 at 0.5 and at the default threshold for merging."""
    result: dict[str, float] = {}
    for name, threshold in (("", 0.5), (f"_at_{Settings().same:g}", Settings().same)):
        decided = 1 / (1 + np.exp(-logits)) >= threshold
        right = int((decided & (labels == 1)).sum())
        precision, recall = right / max(1, int(decided.sum())), right / max(1, int((labels == 1).sum()))
        result[f"precision{name}"], result[f"recall{name}"] = round(precision, 4), round(recall, 4)
        result[f"f1{name}"] = round(2 * precision * recall / max(1e-9, precision + recall), 4)
    return result


def _weights(columns: FeatureColumns) -> dict[str, float]:
    """Return the weight of frequent words, 0 to 1: the logarithm of their rarity, relative to that of a rare word."""
    counts: Counter[str] = Counter()
    for row in range(len(columns)):
        texts = (columns.texts[name].text(row) for name in ("main_title", "remainder", "publisher", "series"))
        counts.update({word for text in texts for word in text.replace(VALUE_SEPARATOR, " ").split()})
    rows = max(len(columns), _RARE + 1)
    least = max(_FREQUENT, rows // 2000)
    return {
        word: round(min(1.0, math.log(rows / count) / math.log(rows / _RARE)), 3)
        for word, count in sorted(counts.items())
        if count >= least
    }


def _components(pairs: Iterable[tuple[int, int]], count: int) -> list[int]:
    """Return for each row the smallest row that it is connected with."""
    parents = list(range(count))

    def top(row: int) -> int:
        while parents[row] != row:
            parents[row] = parents[parents[row]]
            row = parents[row]
        return row

    for left, right in pairs:
        one, other = sorted((top(left), top(right)))
        parents[other] = one
    return [top(row) for row in range(count)]


def _tree(nodes: Any, neutral: npt.NDArray[np.float32]) -> Tree:  # noqa: ANN401
    """One tree of scikit-learn with the mean of the leaves below as the value of each inner node."""
    values = [float(value) for value in nodes["value"]]
    for node in reversed(range(len(nodes))):
        if not nodes["is_leaf"][node]:
            left, right = int(nodes["left"][node]), int(nodes["right"][node])
            ones, others = int(nodes["count"][left]), int(nodes["count"][right])
            values[node] = (ones * values[left] + others * values[right]) / (ones + others)
    leaf = [bool(node) for node in nodes["is_leaf"]]
    return Tree(
        feature=[-1 if end else int(node) for end, node in zip(leaf, nodes["feature_idx"], strict=True)],
        threshold=[0.0 if end else _short(float(node)) for end, node in zip(leaf, nodes["num_threshold"], strict=True)],
        left=[0 if end else int(node) for end, node in zip(leaf, nodes["left"], strict=True)],
        right=[0 if end else int(node) for end, node in zip(leaf, nodes["right"], strict=True)],
        missing_left=[
            0 if end else int(neutral[feature] <= threshold)
            for end, feature, threshold in zip(leaf, nodes["feature_idx"], nodes["num_threshold"], strict=True)
        ],
        value=[_short(value) for value in values],
    )


def _short(value: float) -> float:
    """Six significant digits, as a model file has them; what parts the missing from all others is infinite before."""
    return float(f"{max(-_BEYOND, min(_BEYOND, value)):.6g}")


_MIN_PAIRS = 50
_NEITHER = 0.5
_MIN_NEUTRAL, _MAX_NEUTRAL = 0.02, 0.98
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
        if min(np.count_nonzero(is_missing), np.count_nonzero(~is_missing)) < _MIN_PAIRS:
            continue
        fitted = IsotonicRegression(out_of_bounds="clip")
        fitted.fit(values[~is_missing], labels[~is_missing], sample_weight=weights[~is_missing])
        share = np.average(labels[is_missing], weights=weights[is_missing])
        result[number] = grid[min(np.searchsorted(fitted.predict(grid), share), _STEPS)]
    return np.clip(result, _MIN_NEUTRAL, _MAX_NEUTRAL)


def filled(found: Similarities, neutral: npt.NDArray[np.float32]) -> Similarities:
    """Return the similarities with the neutral values in the place of what is missing."""
    return np.where(found == MISSING, neutral, found)
