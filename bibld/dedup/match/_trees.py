"""Gradient boosted trees as they are kept in a file and walked by compiled loops."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from bibld.dedup._compiling import njit
from bibld.dedup.match._comparison import COUNT, NAMES
from bibld.dedup.match._strings import MISSING

if TYPE_CHECKING:
    import numpy.typing as npt

    from bibld.dedup.match._words import Rarity

FORMAT = 1
_TOGETHER = 64
_DEEPEST = 8


class Tree(msgspec.Struct, frozen=True):
    """The nodes of a tree, the root first. ``feature`` is -1 at a leaf.

    A pair goes to the node ``left`` where its feature is at most ``threshold``, else to ``right``; where the feature is
    missing, to the left if ``missing_left`` is 1. ``value`` of a leaf is what it adds to the logit, of another node the
    mean of the leaves below it, by the pairs of the training that came there.
    """

    feature: list[int]
    threshold: list[float]
    left: list[int]
    right: list[int]
    missing_left: list[int]
    value: list[float]


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
    """The trees of a model, each filled up to a complete tree of the same depth, for the kernels.

    The nodes below node n are 2n + 1 and 2n + 2; ``feature`` and ``threshold`` have the shape (trees, inner nodes),
    ``value`` (trees, nodes). A row of features is read twice, with what is missing below and above all thresholds;
    ``feature`` names the one that leads a missing one where it belongs.
    """

    depth: int
    feature: npt.NDArray[np.uint8]
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
    inner = 2**depth - 1
    feature = np.zeros((len(model.trees), inner), np.uint8)
    threshold = np.zeros((len(model.trees), inner), np.float32)
    value = np.zeros((len(model.trees), 2 * inner + 1), np.float64)
    for number, tree in enumerate(model.trees):
        places = [0] * (2 * inner + 1)
        for place in range(2 * inner + 1):
            node = places[place]
            value[number, place] = tree.value[node]
            if place >= inner:
                continue
            is_leaf = tree.feature[node] < 0
            places[2 * place + 1], places[2 * place + 2] = (
                (node, node) if is_leaf else (tree.left[node], tree.right[node])
            )
            if not is_leaf:
                feature[number, place] = tree.feature[node] + (0 if tree.missing_left[node] else COUNT)
                threshold[number, place] = tree.threshold[node]
    return Forest(depth, feature, threshold, value)


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
    from bibld.dedup.match._words import Rarity

    return Rarity.of(model.words, model.other_word)


@njit(cache=True, nogil=True)
def sums(held: Forest, features: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """The sum of the leaves that each pair reaches; ``features`` has the shape (pairs, features).

    Some pairs go through a tree together, since the nodes of one tree fit into the fastest memory.
    """
    count, width = features.shape
    result = np.zeros(count, dtype=np.float64)
    rows = np.empty((_TOGETHER, 2 * width), dtype=np.float32)
    for start in range(0, count, _TOGETHER):
        pairs = min(_TOGETHER, count - start)
        for pair in range(pairs):
            twice(features[start + pair], rows[pair])
        for tree in range(held.feature.shape[0]):
            feature, threshold, value = held.feature[tree], held.threshold[tree], held.value[tree]
            for pair in range(pairs):
                node = 0
                for _ in range(held.depth):
                    node = 2 * node + 1 + (rows[pair, feature[node]] > threshold[node])
                result[start + pair] += value[node]
    return result


@njit(cache=True, nogil=True)
def twice(row: npt.NDArray[np.float32], found: npt.NDArray[np.float32]) -> None:
    """Write a row of features down twice, with what is missing first below and then above all thresholds."""
    width = row.shape[0]
    for i in range(width):
        found[i] = row[i]
        found[width + i] = np.inf if row[i] == MISSING else row[i]


@njit(cache=True, nogil=True)
def contributions(held: Forest, row: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """What each feature of one pair adds to the sum, shape (features + 1,); the last is what no feature adds.

    Along the path of each tree, the step from a node to the next adds the difference of their values to the feature
    that decided it.
    """
    width = row.shape[0]
    result = np.zeros(width + 1, dtype=np.float64)
    both = np.empty(2 * width, dtype=np.float32)
    twice(row, both)
    for tree in range(held.feature.shape[0]):
        node = 0
        result[width] += held.value[tree, 0]
        for _ in range(held.depth):
            following = 2 * node + 1 + (both[held.feature[tree, node]] > held.threshold[tree, node])
            result[held.feature[tree, node] % width] += held.value[tree, following] - held.value[tree, node]
            node = following
    return result
