"""Gradient boosted trees as they are kept in a file and walked by compiled loops."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np
from numba import types

from bibld.dedup._kernel_types import inner, kernel
from bibld.dedup.match._comparison import COUNT, NAMES
from bibld.dedup.match._strings import MISSING

if TYPE_CHECKING:
    import numpy.typing as npt

    from bibld.dedup.match._words import Rarity

FORMAT = 1
_TOGETHER = 256
_DEEPEST = 8
_ALWAYS = 255


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

    The same trees without what was filled up, as steps: those of tree t from ``begin[t]`` to ``begin[t + 1]``, what
    lies below a node before it. A leaf (``decides`` is -1) puts its number, ``above``, into a row ``level``; a node
    leaves there what ``level`` or, where the feature ``decides`` is above its threshold, the next row has. Leaf l of
    tree t adds ``leaves[t, l]``. The threshold is a number, too: that of item ``above`` of the different thresholds of
    the feature, ``cuts[cuts_begin[f]:cuts_begin[f + 1]]``, ascending.
    """

    depth: int
    feature: npt.NDArray[np.int32]
    threshold: npt.NDArray[np.float32]
    value: npt.NDArray[np.float64]
    begin: npt.NDArray[np.int32]
    level: npt.NDArray[np.int32]
    decides: npt.NDArray[np.int32]
    above: npt.NDArray[np.int32]
    leaves: npt.NDArray[np.float64]
    cuts: npt.NDArray[np.float32]
    cuts_begin: npt.NDArray[np.int32]


_FOREST = types.NamedTuple(  # type: ignore[no-untyped-call]
    (types.int64, types.int32[:, ::1], types.float32[:, ::1], types.float64[:, ::1],
     types.int32[::1], types.int32[::1], types.int32[::1], types.int32[::1], types.float64[:, ::1],
     types.float32[::1], types.int32[::1]),
    Forest,
)  # fmt: skip
_FOUND = types.Array(types.float32, 2, "C", readonly=True)
_SUMS = types.float64[::1]
_BIN, _BINS = types.uint8[::1], types.uint8[:, ::1]


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
    leaves = np.zeros((len(model.trees), inner_nodes + 1), np.float64)
    cuts = _cuts(model.trees)
    begin, steps = [0], list[tuple[int, int, int]]()
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
                feature[number, place] = _decides(tree, node)
                threshold[number, place] = tree.threshold[node]
        ends = [node for node, decides in enumerate(tree.feature) if decides < 0]
        leaves[number, : len(ends)] = [tree.value[node] for node in ends]
        steps.extend(_steps(tree, 0, 0, cuts, {node: leaf for leaf, node in enumerate(ends)}))
        begin.append(len(steps))
    level, decides, above = np.array(steps, np.int32).reshape(-1, 3).T.copy()
    flat = np.array([cut for held in cuts for cut in held], np.float32)
    cuts_begin = np.cumsum([0] + [len(held) for held in cuts]).astype(np.int32)
    return Forest(
        depth, feature, threshold, value, np.array(begin, np.int32), level, decides, above, leaves, flat, cuts_begin
    )


def _cuts(trees: list[Tree]) -> list[list[float]]:
    """The different thresholds of each feature, ascending; raises ``ValueError`` for too many."""
    found: list[set[float]] = [set() for _ in range(COUNT)]
    for tree in trees:
        for feature, threshold in zip(tree.feature, tree.threshold, strict=True):
            if feature >= 0:
                found[feature].add(float(np.float32(threshold)))
    if max(map(len, found)) >= _ALWAYS:
        raise ValueError(f"has a feature with {_ALWAYS} thresholds or more")
    return [sorted(held) for held in found]


def _decides(tree: Tree, node: int) -> int:
    """The feature of a node, in the half of a row where what is missing leads where it belongs."""
    return tree.feature[node] + (0 if tree.missing_left[node] else COUNT)


def _steps(
    tree: Tree, node: int, level: int, cuts: list[list[float]], leaves: dict[int, int]
) -> Iterator[tuple[int, int, int]]:
    """The steps of a node and of all below it."""
    if node in leaves:
        yield level, -1, leaves[node]
        return
    yield from _steps(tree, tree.left[node], level, cuts, leaves)
    yield from _steps(tree, tree.right[node], level + 1, cuts, leaves)
    yield level, _decides(tree, node), cuts[tree.feature[node]].index(float(np.float32(tree.threshold[node])))


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


@inner(types.void(_FOREST, _FOUND, types.int64, types.float32[::1], _BINS))
def _binned(
    held: Forest,
    features: npt.NDArray[np.float32],
    start: int,
    column: npt.NDArray[np.float32],
    found: npt.NDArray[np.uint8],
) -> None:
    """Write rows of features as columns, twice: each value as how many thresholds it is above, what is missing as below
    and then as above all thresholds."""
    width = features.shape[1]
    for feature in range(width):
        for pair in range(min(_TOGETHER, features.shape[0] - start)):
            column[pair] = features[start + pair, feature]
        low, high = found[feature], found[width + feature]
        for pair in range(_TOGETHER):
            low[pair] = 0
        for cut in range(held.cuts_begin[feature], held.cuts_begin[feature + 1]):
            threshold = held.cuts[cut]
            for pair in range(_TOGETHER):
                low[pair] += np.uint8(column[pair] > threshold)
        for pair in range(_TOGETHER):
            high[pair] = _ALWAYS if column[pair] == np.float32(MISSING) else low[pair]


@inner(types.void(_BIN, types.int32, _BIN, _BIN))
def _choose(
    column: npt.NDArray[np.uint8], threshold: int, low: npt.NDArray[np.uint8], high: npt.NDArray[np.uint8]
) -> None:
    """Where the feature is above the threshold take what lies in ``high``."""
    at = np.uint8(threshold)
    for pair in range(_TOGETHER):
        one, other, value = low[pair], high[pair], column[pair]
        low[pair] = other if value > at else one


@kernel(types.void(_FOREST, _FOUND, _SUMS, types.float32[::1], _BINS, _BINS))
def _sum(
    held: Forest,
    features: npt.NDArray[np.float32],
    result: npt.NDArray[np.float64],
    column: npt.NDArray[np.float32],
    columns: npt.NDArray[np.uint8],
    leaves: npt.NDArray[np.uint8],
) -> None:
    """:func:`sums` with room for a column of features, for all columns twice, and for a row of leaves at each level."""
    for start in range(0, features.shape[0], _TOGETHER):
        _binned(held, features, start, column, columns)
        pairs = min(_TOGETHER, features.shape[0] - start)
        for tree in range(held.leaves.shape[0]):
            for step in range(held.begin[tree], held.begin[tree + 1]):
                low, feature, above = leaves[held.level[step]], held.decides[step], held.above[step]
                if feature < 0:
                    for pair in range(_TOGETHER):
                        low[pair] = above
                else:
                    _choose(columns[feature], above, low, leaves[held.level[step] + 1])
            value, reached = held.leaves[tree], leaves[0]
            for pair in range(pairs):
                result[start + pair] += value[reached[pair]]


def sums(held: Forest, features: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """The sum of the leaves that each pair reaches; ``features`` has the shape (pairs, features).

    Many pairs go through a tree together, from its leaves up to its root: each inner node chooses for all of them
    between the leaves that they would reach below it. That is more than a walk down, but the same for all pairs, so
    that one instruction does it for many.
    """
    result = np.zeros(len(features), dtype=np.float64)
    column, columns = np.zeros(_TOGETHER, np.float32), np.zeros((2 * features.shape[1], _TOGETHER), np.uint8)
    _sum(held, features, result, column, columns, np.zeros((_DEEPEST + 1, _TOGETHER), np.uint8))
    return result


@kernel(types.void(_FOREST, _FOUND, types.float64[:, ::1], types.float32[::1]))
def _contribute(
    held: Forest, features: npt.NDArray[np.float32], result: npt.NDArray[np.float64], both: npt.NDArray[np.float32]
) -> None:
    """:func:`contributions` with room for a row of features, twice."""
    width = features.shape[1]
    for pair in range(features.shape[0]):
        for feature in range(width):
            value = features[pair, feature]
            both[feature] = value
            both[width + feature] = np.float32(np.inf) if value == np.float32(MISSING) else value
        found = result[pair]
        for tree in range(held.value.shape[0]):
            node = 0
            found[width] += held.value[tree, 0]
            for _ in range(held.depth):
                decides = held.feature[tree, node]
                following = 2 * node + 1 + (both[decides] > held.threshold[tree, node])
                found[decides % width] += held.value[tree, following] - held.value[tree, node]
                node = following


def contributions(held: Forest, features: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """What each feature of some pairs adds to their sums, shape (pairs, features + 1); the last is what none adds.

    Along the path of each tree, the step from a node to the next adds the difference of their values to the feature
    that decided it.
    """
    count, width = features.shape
    result = np.zeros((count, width + 1), dtype=np.float64)
    _contribute(held, features, result, np.empty(2 * width, np.float32))
    return result
