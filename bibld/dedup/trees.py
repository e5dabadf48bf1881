"""Gradient boosted trees: the sum of the leaves that each of many pairs reaches, and what each feature adds to it.

A model is a readable file with its trees and the data it was trained on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from bibld.dedup.compilation import MISSING, kernel, types
from bibld.dedup.similarity import NAMES

if TYPE_CHECKING:
    import numpy.typing as npt

    Features = npt.NDArray[np.float32]
    Sums = npt.NDArray[np.float64]
    Numbers = npt.NDArray[np.int32]


_PAIRS = 256
"""The number of pairs that go through the trees at once."""

_ALWAYS = 255
"""A number above the numbers of all thresholds."""


class Tree(msgspec.Struct, frozen=True):
    """The nodes of a tree, the root first. ``feature`` is -1 at a leaf.

    A pair goes to the node ``left`` where its feature is at most ``threshold``, else to ``right``; where the feature is
    missing, to the left if ``missing_left`` is 1. ``value`` of a leaf is what it adds to the sum, of another node the
    mean of the leaves below it, weighted by the pairs of the training that reached them.
    """

    feature: list[int]
    threshold: list[float]
    left: list[int]
    right: list[int]
    missing_left: list[int]
    value: list[float]


class Steps(NamedTuple):
    """Trees as steps from their leaves up to their roots: tree t has those from ``begin[t]`` to ``begin[t + 1]``.

    Step s writes row ``level[s]`` of a table with a column for each pair. At a leaf (``decides`` is -1) it writes the
    leaf's number, ``above``; at another node, the next row where the feature is above the threshold, else the row stays
    as it is. Leaf l of tree t adds ``leaves[t, l]``.

    The thresholds of feature f, each once and ascending, are ``cuts[cuts_begin[f]:cuts_begin[f + 1]]``; ``above`` is
    the number of one of them. There are two columns of each feature, in which a missing value is below and above all
    thresholds; ``decides`` is the number of the column.
    """

    begin: Numbers
    level: Numbers
    decides: Numbers
    above: Numbers
    leaves: Sums
    cuts: Features
    cuts_begin: Numbers


class Nodes(NamedTuple):
    """The nodes of all trees one after another, with the fields of :class:`Tree`; ``root[t]`` is the root of tree t."""

    root: Numbers
    feature: Numbers
    threshold: Features
    left: Numbers
    right: Numbers
    missing_left: Numbers
    value: Sums


_INTS, _FLOATS, _SUMS, _BINS = types.int32[::1], types.float32[::1], types.float64[::1], types.uint8[:, ::1]
_STEPS = types.NamedTuple((_INTS, _INTS, _INTS, _INTS, types.float64[:, ::1], _FLOATS, _INTS), Steps)  # type: ignore[no-untyped-call]
_NODES = types.NamedTuple((_INTS, _INTS, _FLOATS, _INTS, _INTS, _INTS, _SUMS), Nodes)  # type: ignore[no-untyped-call]
_FEATURES = types.Array(types.float32, 2, "C", readonly=True)


def steps(trees: Sequence[Tree], features: int) -> Steps:
    """Return trees over a number of features as steps; raises ``ValueError`` for unusable trees."""
    cuts: list[set[float]] = [set() for _ in range(features)]
    for tree in trees:
        _check(tree, features)
        for feature, threshold in zip(tree.feature, tree.threshold, strict=True):
            if feature >= 0:
                cuts[feature].add(float(np.float32(threshold)))
    if max(map(len, cuts), default=0) >= _ALWAYS:
        raise ValueError(f"has a feature with {_ALWAYS} thresholds or more")
    ends = [[node for node, decides in enumerate(tree.feature) if decides < 0] for tree in trees]
    most = max(map(len, ends), default=0)
    if most > _ALWAYS:
        raise ValueError(f"has a tree with more than {_ALWAYS} leaves")
    ordered = [sorted(values) for values in cuts]
    leaves = np.zeros((len(trees), most), np.float64)
    begin, found = [0], list[tuple[int, int, int]]()
    for number, tree in enumerate(trees):
        leaves[number, : len(ends[number])] = [tree.value[node] for node in ends[number]]
        found.extend(_steps_of_node(tree, 0, 0, ordered, {node: leaf for leaf, node in enumerate(ends[number])}))
        begin.append(len(found))
    level, decides, above = np.array(found, np.int32).reshape(-1, 3).T.copy()
    flat = np.array([cut for values in ordered for cut in values], np.float32)
    cuts_begin = np.cumsum([0] + [len(values) for values in ordered]).astype(np.int32)
    return Steps(np.array(begin, np.int32), level, decides, above, leaves, flat, cuts_begin)


def _check(tree: Tree, features: int) -> None:
    size = len(tree.feature)
    columns = (tree.threshold, tree.left, tree.right, tree.missing_left, tree.value)
    if size == 0 or any(len(column) != size for column in columns) or max(tree.feature) >= features:
        raise ValueError("has a tree whose nodes are incomplete")
    for node in range(size):
        if tree.feature[node] >= 0 and not (node < tree.left[node] < size and node < tree.right[node] < size):
            raise ValueError("has a tree whose nodes do not lead downwards")


def _steps_of_node(
    tree: Tree, node: int, level: int, cuts: list[list[float]], leaves: dict[int, int]
) -> Iterator[tuple[int, int, int]]:
    """Yield the steps of all nodes below a node, and then its own."""
    if node in leaves:
        yield level, -1, leaves[node]
        return
    yield from _steps_of_node(tree, tree.left[node], level, cuts, leaves)
    yield from _steps_of_node(tree, tree.right[node], level + 1, cuts, leaves)
    feature = tree.feature[node]
    above = cuts[feature].index(float(np.float32(tree.threshold[node])))
    yield level, feature + (0 if tree.missing_left[node] else len(cuts)), above


def nodes(trees: Sequence[Tree]) -> Nodes:
    """Return the nodes of trees that :func:`steps` accepts."""
    sizes = [len(tree.feature) for tree in trees]
    root = np.cumsum([0, *sizes], dtype=np.int32)[:-1]

    def column(name: str, kind: type[np.generic]) -> npt.NDArray[Any]:
        return np.array([item for tree in trees for item in getattr(tree, name)], kind)

    left, right = (np.repeat(root, sizes) + column(side, np.int32) for side in ("left", "right"))
    threshold, value = column("threshold", np.float32), column("value", np.float64)
    return Nodes(root, column("feature", np.int32), threshold, left, right, column("missing_left", np.int32), value)


def sums(trees: Steps, features: Features) -> Sums:
    """Return the sum of the leaves that each pair reaches, by its features (pairs, features); shape (pairs,).

    Many pairs go through a tree at once, from its leaves up to its root: each inner node chooses for all of them
    between the leaves that they would reach below it. That takes more steps than a walk down, but the same ones for all
    pairs, so that one instruction computes many pairs.
    """
    result = np.zeros(len(features), np.float64)
    bins = np.zeros((2 * features.shape[1], _PAIRS), np.uint8)
    reached = np.zeros((int(trees.level.max(initial=0)) + 2, _PAIRS), np.uint8)
    _add_leaves(trees, features, result, np.zeros(_PAIRS, np.float32), bins, reached)
    return result


@kernel(types.void(_STEPS, _FEATURES, _SUMS, _FLOATS, _BINS, _BINS))
def _add_leaves(  # noqa: C901 - one compiled loop
    steps: Steps,
    features: Features,
    result: Sums,
    values: Features,
    bins: npt.NDArray[np.uint8],
    reached: npt.NDArray[np.uint8],
) -> None:
    """Add to ``result`` the leaves that pairs reach; the other arrays are room for one portion of pairs."""
    width = features.shape[1]
    for start in range(0, features.shape[0], _PAIRS):
        pairs = min(_PAIRS, features.shape[0] - start)
        # Replace each value by the number of thresholds that it is above.
        for feature in range(width):
            for pair in range(pairs):
                values[pair] = features[start + pair, feature]
            low, high = bins[feature], bins[width + feature]
            for pair in range(_PAIRS):
                low[pair] = 0
            for cut in range(steps.cuts_begin[feature], steps.cuts_begin[feature + 1]):
                threshold = steps.cuts[cut]
                for pair in range(_PAIRS):
                    low[pair] += np.uint8(values[pair] > threshold)
            for pair in range(_PAIRS):
                high[pair] = _ALWAYS if values[pair] == np.float32(MISSING) else low[pair]
        # Find the leaf that each pair reaches in each tree.
        for tree in range(steps.leaves.shape[0]):
            for step in range(steps.begin[tree], steps.begin[tree + 1]):
                level, column, above = steps.level[step], steps.decides[step], np.uint8(steps.above[step])
                one = reached[level]
                if column < 0:
                    for pair in range(_PAIRS):
                        one[pair] = above
                else:
                    other, number = reached[level + 1], bins[column]
                    for pair in range(_PAIRS):
                        left, right, at = one[pair], other[pair], number[pair]
                        one[pair] = right if at > above else left
            added, leaf = steps.leaves[tree], reached[0]
            for pair in range(pairs):
                result[start + pair] += added[leaf[pair]]


@kernel(types.float64[:, ::1](_NODES, _FEATURES))
def contributions(nodes: Nodes, features: Features) -> Sums:
    """Return what each feature of pairs adds to their sums, shape (pairs, features + 1); the last is what none adds.

    Along the path through each tree, the step from a node to the next adds the difference of their values to the
    feature that decides it.
    """
    result = np.zeros((features.shape[0], features.shape[1] + 1), np.float64)
    for pair in range(features.shape[0]):
        row, found = features[pair], result[pair]
        for root in nodes.root:
            node = root
            found[row.shape[0]] += nodes.value[root]
            while nodes.feature[node] >= 0:
                feature = nodes.feature[node]
                value = row[feature]
                if value == np.float32(MISSING) and not nodes.missing_left[node]:
                    value = np.float32(np.inf)
                below = nodes.right[node] if value > nodes.threshold[node] else nodes.left[node]
                found[feature] += nodes.value[below] - nodes.value[node]
                node = below
    return result


FORMAT = 1


class Provenance(msgspec.Struct, frozen=True):
    """What a model was trained on: labels, their licence, day, command; ``figures`` are of clusters it had not seen.

    ``features_version`` is that of the features (``bibld.dedup.method.INDEX_VERSION``), 0 if it is not known.
    """

    data: str
    licence: str
    date: str
    command: str
    pairs: int
    made_up_pairs: int
    seed: int
    figures: dict[str, float]
    features_version: int = 0


class Model(msgspec.Struct, frozen=True):
    """A trained model. The probability that a pair is the same is the logistic function of ``scale`` times the sum of
    ``start`` and the leaves that the pair reaches, plus ``shift``. ``words`` are the weights of frequent words.
    """

    format: int
    provenance: Provenance
    features: dict[str, str]
    start: float
    scale: float
    shift: float
    other_word: float
    words: dict[str, float]
    trees: list[Tree]


def from_json(data: bytes) -> Model:
    """Read a model; raises ``ValueError`` for one that does not fit the features of this version."""
    try:
        model = msgspec.json.decode(data, type=Model)
    except msgspec.MsgspecError as error:
        raise ValueError(f"is no model: {error}") from error
    if model.format != FORMAT or list(model.features) != list(NAMES):
        raise ValueError("was trained for other features than this version compares; train it again")
    return model


def to_json(model: Model) -> bytes:
    """Write a model with one line for each feature and tree."""
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
