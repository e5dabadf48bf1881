"""Trees walked by many pairs together: the fast way to the sum of the leaves that each pair reaches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

TOGETHER = 256
"""So many pairs walk together."""

ALWAYS = 255
"""A number above those of all thresholds."""


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


class Steps(NamedTuple):
    """Trees as steps: those of tree t from ``begin[t]`` to ``begin[t + 1]``, what lies below a node before it.

    A leaf (``decides`` is -1) puts its number, ``above``, into a row ``level``; a node leaves there what ``level`` or,
    where the feature ``decides`` is above its threshold, the next row has. Leaf l of tree t adds ``leaves[t, l]``. The
    threshold is a number, too: that of item ``above`` of the different thresholds of the feature,
    ``cuts[cuts_begin[f]:cuts_begin[f + 1]]``, ascending. Features are read twice, with what is missing below and above
    all thresholds; ``decides`` names the one that leads a missing one where it belongs.
    """

    begin: npt.NDArray[np.int32]
    level: npt.NDArray[np.int32]
    decides: npt.NDArray[np.int32]
    above: npt.NDArray[np.int32]
    leaves: npt.NDArray[np.float64]
    cuts: npt.NDArray[np.float32]
    cuts_begin: npt.NDArray[np.int32]


def steps(trees: Sequence[Tree], features: int) -> Steps:
    """Trees over so many features as steps; raises ``ValueError`` for too many leaves or thresholds."""
    ends = [[node for node, decides in enumerate(tree.feature) if decides < 0] for tree in trees]
    most = max(map(len, ends), default=0)
    if most > ALWAYS:
        raise ValueError(f"has a tree with more than {ALWAYS} leaves")
    cuts = _cuts(trees, features)
    leaves = np.zeros((len(trees), most), np.float64)
    begin, found = [0], list[tuple[int, int, int]]()
    for number, tree in enumerate(trees):
        leaves[number, : len(ends[number])] = [tree.value[node] for node in ends[number]]
        found.extend(_of_node(tree, 0, 0, cuts, {node: leaf for leaf, node in enumerate(ends[number])}))
        begin.append(len(found))
    level, decides, above = np.array(found, np.int32).reshape(-1, 3).T.copy()
    flat = np.array([cut for held in cuts for cut in held], np.float32)
    cuts_begin = np.cumsum([0] + [len(held) for held in cuts]).astype(np.int32)
    return Steps(np.array(begin, np.int32), level, decides, above, leaves, flat, cuts_begin)


def _cuts(trees: Sequence[Tree], features: int) -> list[list[float]]:
    """The different thresholds of each feature, ascending; raises ``ValueError`` for too many."""
    found: list[set[float]] = [set() for _ in range(features)]
    for tree in trees:
        for feature, threshold in zip(tree.feature, tree.threshold, strict=True):
            if feature >= 0:
                found[feature].add(float(np.float32(threshold)))
    if max(map(len, found), default=0) >= ALWAYS:
        raise ValueError(f"has a feature with {ALWAYS} thresholds or more")
    return [sorted(held) for held in found]


def decides(tree: Tree, node: int, features: int) -> int:
    """The feature of a node, in the half of a row where what is missing leads where it belongs."""
    return tree.feature[node] + (0 if tree.missing_left[node] else features)


def _of_node(
    tree: Tree, node: int, level: int, cuts: list[list[float]], leaves: dict[int, int]
) -> Iterator[tuple[int, int, int]]:
    """The steps of a node and of all below it."""
    if node in leaves:
        yield level, -1, leaves[node]
        return
    yield from _of_node(tree, tree.left[node], level, cuts, leaves)
    yield from _of_node(tree, tree.right[node], level + 1, cuts, leaves)
    yield level, decides(tree, node, len(cuts)), cuts[tree.feature[node]].index(float(np.float32(tree.threshold[node])))


def sums(held: Steps, features: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """The sum of the leaves that each pair reaches; ``features`` has the shape (pairs, features).

    Many pairs go through a tree together, from its leaves up to its root: each inner node chooses for all of them
    between the leaves that they would reach below it. That is more than a walk down, but the same for all pairs, so
    that one instruction does it for many.
    """
    from bibld.dedup.score._step_kernels import add_leaves

    result = np.zeros(len(features), dtype=np.float64)
    column, columns = np.zeros(TOGETHER, np.float32), np.zeros((2 * features.shape[1], TOGETHER), np.uint8)
    levels = int(held.level.max(initial=0)) + 2
    add_leaves(*held, features, result, column, columns, np.zeros((levels, TOGETHER), np.uint8))
    return result
