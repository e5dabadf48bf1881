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
    """The trees of a model behind each other, for the kernels.

    A row of features is read twice, with what is missing below and above all thresholds; ``feature`` names the one that
    leads a missing one where it belongs. ``child`` holds the left and the right node of each node; a leaf leads to
    itself, so that every pair takes as many steps through a tree as the tree is deep.
    """

    roots: npt.NDArray[np.int32]
    depths: npt.NDArray[np.int32]
    feature: npt.NDArray[np.int32]
    threshold: npt.NDArray[np.float32]
    child: npt.NDArray[np.int32]
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
    roots: list[int] = []
    depths: list[int] = []
    feature: list[int] = []
    threshold: list[float] = []
    child: list[int] = []
    value: list[float] = []
    for tree in model.trees:
        root, size = len(feature), len(tree.feature)
        columns = (tree.threshold, tree.left, tree.right, tree.missing_left, tree.value)
        if size == 0 or any(len(column) != size for column in columns) or max(tree.feature) >= COUNT:
            raise ValueError("has a tree whose nodes are incomplete")
        depth = [0] * size
        for node, held in enumerate(tree.feature):
            left, right = (tree.left[node], tree.right[node]) if held >= 0 else (node, node)
            if held >= 0 and not (node < left < size and node < right < size):
                raise ValueError("has a tree whose nodes do not lead downwards")
            depth[left] = depth[right] = depth[node] + (held >= 0)
            feature.append(max(0, held) + (0 if held < 0 or tree.missing_left[node] else COUNT))
            threshold.append(tree.threshold[node])
            child += [root + left, root + right]
        value += tree.value
        roots.append(root)
        depths.append(max(depth))
    return Forest(
        np.array(roots, np.int32),
        np.array(depths, np.int32),
        np.array(feature, np.int32),
        np.array(threshold, np.float32),
        np.array(child, np.int32),
        np.array(value, np.float64),
    )


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
        for tree in range(held.roots.shape[0]):
            root, depth = held.roots[tree], held.depths[tree]
            for pair in range(pairs):
                node = root
                for _ in range(depth):
                    node = held.child[2 * node + (rows[pair, held.feature[node]] > held.threshold[node])]
                result[start + pair] += held.value[node]
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
    for tree in range(held.roots.shape[0]):
        node = held.roots[tree]
        result[width] += held.value[node]
        for _ in range(held.depths[tree]):
            following = held.child[2 * node + (both[held.feature[node]] > held.threshold[node])]
            result[held.feature[node] % width] += held.value[following] - held.value[node]
            node = following
    return result
