"""Gradient boosted trees as they are kept in a file and walked by compiled loops."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np
from numba import types

from bibld.dedup.compilation import MISSING, kernel
from bibld.dedup.score._comparison import COUNT, NAMES
from bibld.dedup.score._steps import Steps, Tree, decides, steps

if TYPE_CHECKING:
    import numpy.typing as npt

    from bibld.dedup.score._words import Rarity

FORMAT = 1
_FOUND = types.Array(types.float32, 2, "C", readonly=True)
_DEEPEST = 8


class Provenance(msgspec.Struct, frozen=True):
    """Where a model comes from: the labels, their licence, the day, the command, and how well it did on pairs of
    clusters that it had not seen."""

    data: str
    licence: str
    date: str
    command: str
    pairs: int
    made_up_pairs: int
    seed: int
    figures: dict[str, float]


class Model(msgspec.Struct, frozen=True, omit_defaults=False):
    """A trained model. The probability of a pair is the logistic function of ``scale`` times the sum of ``start`` and
    the leaves that it reaches, plus ``shift``."""

    format: int
    provenance: Provenance
    features: dict[str, str]
    start: float
    scale: float
    shift: float
    other_word: float
    words: dict[str, float]
    trees: list[Tree]


class Forest(NamedTuple):
    """The trees of a model as ``steps``, and each filled up to a complete tree of the same depth.

    The nodes below node n are 2n + 1 and 2n + 2; ``feature`` and ``threshold`` have the shape (trees, inner nodes),
    ``value`` (trees, nodes). A row of features is read twice, with what is missing below and above all thresholds;
    ``feature`` names the one that leads a missing one where it belongs.
    """

    steps: Steps
    depth: int
    feature: npt.NDArray[np.int32]
    threshold: npt.NDArray[np.float32]
    value: npt.NDArray[np.float64]


def of_json(data: bytes) -> Model:
    """Read a model; raises ``ValueError`` for one that does not fit the features of this version."""
    try:
        model = msgspec.json.decode(data, type=Model)
    except msgspec.MsgspecError as error:
        raise ValueError(f"is no model: {error}") from error
    if model.format != FORMAT or list(model.features) != list(NAMES):
        raise ValueError("was trained for other features than this version compares; train it again")
    return model


def to_json(model: Model) -> bytes:
    """Write a model for people and machines: one line for each feature, word and tree."""
    lines = []
    for field in msgspec.structs.fields(Model):
        value = getattr(model, field.name)
        encoded = msgspec.json.encode(value).decode()
        if field.name == "trees":
            encoded = "[\n" + ",\n".join("  " + msgspec.json.encode(tree).decode() for tree in value) + "\n ]"
        elif field.name in ("features", "provenance"):
            encoded = msgspec.json.format(encoded, indent=2).replace("\n", "\n ")
        lines.append(f' "{field.name}": {encoded}')
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def forest(model: Model) -> Forest:
    """The trees for the kernels; raises ``ValueError`` where a tree names a node or feature that there is not."""
    depth = max((_depth(tree) for tree in model.trees), default=0)
    if depth > _DEEPEST:
        raise ValueError(f"has a tree that is deeper than {_DEEPEST}")
    inner_nodes = 2**depth - 1
    feature = np.zeros((len(model.trees), inner_nodes), np.int32)
    threshold = np.zeros((len(model.trees), inner_nodes), np.float32)
    value = np.zeros((len(model.trees), 2 * inner_nodes + 1), np.float64)
    for number, tree in enumerate(model.trees):
        nodes = [0] * (2 * inner_nodes + 1)
        for place, node in enumerate(nodes):
            value[number, place] = tree.value[node]
            if place >= inner_nodes:
                continue
            is_leaf = tree.feature[node] < 0
            nodes[2 * place + 1], nodes[2 * place + 2] = (
                (node, node) if is_leaf else (tree.left[node], tree.right[node])
            )
            if not is_leaf:
                feature[number, place] = decides(tree, node, COUNT)
                threshold[number, place] = tree.threshold[node]
    return Forest(steps(model.trees, COUNT), depth, feature, threshold, value)


def _depth(tree: Tree) -> int:
    """How many steps lead from the root to the farthest leaf; raises ``ValueError`` for what is no tree."""
    size = len(tree.feature)
    columns = (tree.threshold, tree.left, tree.right, tree.missing_left, tree.value)
    if size == 0 or any(len(column) != size for column in columns) or max(tree.feature) >= COUNT:
        raise ValueError("has a tree whose nodes are incomplete")
    depths = [0] * size
    for node in range(size):
        if tree.feature[node] < 0:
            continue
        for below in (tree.left[node], tree.right[node]):
            if not node < below < size:
                raise ValueError("has a tree whose nodes do not lead downwards")
            depths[below] = depths[node] + 1
    return max(depths)


def rarity(model: Model) -> Rarity:
    """The weights of words that the model was trained with."""
    from bibld.dedup.score._words import Rarity

    return Rarity.of(model.words, model.other_word)


@kernel(
    types.void(
        types.int64,
        types.int32[:, ::1],
        types.float32[:, ::1],
        types.float64[:, ::1],
        _FOUND,
        types.float64[:, ::1],
        types.float32[::1],
    )
)
def _contribute(
    depth: int,
    decided: npt.NDArray[np.int32],
    threshold: npt.NDArray[np.float32],
    mean: npt.NDArray[np.float64],
    features: npt.NDArray[np.float32],
    result: npt.NDArray[np.float64],
    both: npt.NDArray[np.float32],
) -> None:
    """:func:`contributions` with room for a row of features, twice."""
    width = features.shape[1]
    for pair in range(features.shape[0]):
        for feature in range(width):
            value = features[pair, feature]
            both[feature] = value
            both[width + feature] = np.float32(np.inf) if value == np.float32(MISSING) else value
        found = result[pair]
        for tree in range(mean.shape[0]):
            node = 0
            found[width] += mean[tree, 0]
            for _ in range(depth):
                decides = decided[tree, node]
                following = 2 * node + 1 + (both[decides] > threshold[tree, node])
                found[decides % width] += mean[tree, following] - mean[tree, node]
                node = following


def contributions(held: Forest, features: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """What each feature of some pairs adds to their sums, shape (pairs, features + 1); the last is what none adds.

    Along the path of each tree, the step from a node to the next adds the difference of their values to the feature
    that decided it.
    """
    count, width = features.shape
    result = np.zeros((count, width + 1), dtype=np.float64)
    _contribute(held.depth, held.feature, held.threshold, held.value, features, result, np.empty(2 * width, np.float32))
    return result
