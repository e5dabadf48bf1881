"""Compiled: connected components, and clusters inside one under constraints."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import types

from bibld.dedup._cluster.clusters import MEDOID, NOTHING, PERSON, SOURCE
from bibld.dedup.compilation import FLAGS, NEW_OFFSETS, OFFSETS, inner, kernel, results

if TYPE_CHECKING:
    import numpy.typing as npt

    Nodes = npt.NDArray[np.int64]
    Flags = npt.NDArray[np.bool_]
    Scores = npt.NDArray[np.float64]
    Codes = npt.NDArray[np.uint8]

_INT = types.int64
_SCORES = types.Array(types.float64, 1, "C", readonly=True)
_BARS = types.Array(types.uint8, 1, "C", readonly=True)
_CODES, _LIKENESS, _PAIRS = types.uint8[::1], types.float64[::1], types.int64[:, ::1]
_SETTLED, _FREE, _INSIDE, _LEAVING = range(4)
"""What is known of a node while a component is clustered; all but the settled ones take part."""


class Components(NamedTuple):
    """Connected components, and what is known inside them.

    Nodes of component c are ``nodes[c]:nodes[c + 1]`` in the order that decides ties; ``source`` (nodes,) is the number
    of a record's source, -1 where a cluster may hold several of it. Its links are ``links[c]:links[c + 1]``, the best
    first, between the nodes ``left`` and ``right`` (counted from the component's first); ``must``: people said so.
    ``triangle[c]``: where the scores and bars of all its pairs begin, in the order (0, 1), (0, 2) …; -1: none is known.
    """

    nodes: Nodes
    source: Nodes
    links: Nodes
    left: Nodes
    right: Nodes
    must: Flags
    triangle: Nodes
    scores: Scores
    bars: Codes


def roots(left: Nodes, right: Nodes, count: int) -> Nodes:
    """The smallest node of the connected component of each of ``count`` nodes, shape (count,)."""
    parent = np.arange(count, dtype=np.int64)
    _unite(np.ascontiguousarray(left), np.ascontiguousarray(right), parent)
    return parent


def constrained(held: Components, least: float, is_checked: bool) -> tuple[Nodes, Codes, Nodes]:
    """Join the best links first where nothing bars it, and let go of what is not like the middle.

    ``least``: the least score of a member and the medoid, asked about where ``is_checked``. Gives for each node the
    first node of its cluster; for each link what refused it (0: nothing); and the two nodes that the refusal is about.
    """
    cluster = np.arange(len(held.source), dtype=np.int64)
    refused = np.zeros(len(held.left), dtype=np.uint8)
    witness = np.zeros((len(held.left), 2), dtype=np.int64)
    largest = int(np.diff(held.nodes).max(initial=0))
    group, state, unit = (np.empty(largest, dtype=np.int64) for _ in range(3))
    likeness = np.empty(largest, dtype=np.float64)
    _constrain(*held, least, is_checked, cluster, refused, witness, group, state, unit, likeness)
    return cluster, refused, witness


@kernel(types.void(OFFSETS, OFFSETS, NEW_OFFSETS))
def _unite(left: Nodes, right: Nodes, parent: Nodes) -> None:
    for link in range(left.shape[0]):
        one, other = left[link], right[link]
        while parent[one] != one:
            parent[one] = parent[parent[one]]
            one = parent[one]
        while parent[other] != other:
            parent[other] = parent[parent[other]]
            other = parent[other]
        if one < other:
            parent[other] = one
        else:
            parent[one] = other
    for node in range(parent.shape[0]):
        parent[node] = parent[parent[node]]


@inner(_INT(_INT, _INT, _INT, _INT))
def _place(triangle: int, size: int, i: int, j: int) -> int:
    """Where the score and the bar of two nodes of a component stand."""
    low, high = (i, j) if i < j else (j, i)
    return triangle + low * size - low * (low + 1) // 2 + high - low - 1


@inner(results(_INT, _INT, _INT)(OFFSETS, _BARS, NEW_OFFSETS, _INT, _INT, _INT, _INT, _INT, types.boolean))
def _bar(
    source: Nodes, bars: Codes, group: Nodes, base: int, size: int, triangle: int, one: int, other: int, is_must: bool
) -> tuple[int, int, int]:
    """What keeps two groups apart, and between which two; what people said counts first."""
    found, first, second = NOTHING, 0, 0
    for low in range(size):
        if group[low] != one:
            continue
        for high in range(size):
            if group[high] != other:
                continue
            code = NOTHING
            if triangle >= 0:
                code = int(bars[_place(triangle, size, low, high)])
            if code != PERSON and source[base + low] >= 0 and source[base + low] == source[base + high]:
                code = SOURCE
            if code == PERSON or (
                code != NOTHING and not is_must and (found == NOTHING or (code == SOURCE and found > SOURCE))
            ):
                found, first, second = (code, low, high) if low < high else (code, high, low)
            if found == PERSON:
                return found, first, second
    return found, first, second


@inner(types.void(_INT, _INT, _INT, OFFSETS, OFFSETS, FLAGS, _CODES, NEW_OFFSETS, NEW_OFFSETS))
def _unite_said(
    begin: int, end: int, size: int, left: Nodes, right: Nodes, must: Flags, refused: Codes, state: Nodes, unit: Nodes
) -> None:
    """Number the members of a group, those alike that people said to be the same."""
    for node in range(size):
        unit[node] = node
    for link in range(begin, end):
        i, j = left[link], right[link]
        if must[link] and refused[link] == NOTHING and state[i] == _INSIDE and state[j] == _INSIDE:
            keep, lose = unit[i], unit[j]
            if lose < keep:
                keep, lose = lose, keep
            for node in range(size):
                if unit[node] == lose:
                    unit[node] = keep


@inner(results(_INT, _INT)(_INT, _INT, _SCORES, types.float64, NEW_OFFSETS, NEW_OFFSETS, _LIKENESS))
def _part(
    triangle: int, size: int, scores: Scores, least: float, state: Nodes, unit: Nodes, likeness: Scores
) -> tuple[int, int]:
    """Mark as leaving the members of a group that are not like its medoid; gives the medoid and how many stay."""
    medoid, best = -1, -1.0
    for node in range(size):
        likeness[node] = 0.0
        if state[node] == _INSIDE:
            total = 0.0
            for other in range(size):
                if state[other] == _INSIDE:
                    total += 1.0 if other == node else scores[_place(triangle, size, node, other)]
            if total > best:
                medoid, best = node, total
    for node in range(size):
        if state[node] == _INSIDE:
            score = 1.0 if node == medoid else scores[_place(triangle, size, node, medoid)]
            if score > likeness[unit[node]]:
                likeness[unit[node]] = score
    stay = 0
    for node in range(size):
        if state[node] == _INSIDE:
            if likeness[unit[node]] < least:
                state[node] = _LEAVING
            else:
                stay += 1
    return medoid, stay


@inner(types.void(
        _INT, _INT, _INT, _INT, OFFSETS, OFFSETS, _CODES, _PAIRS, NEW_OFFSETS, NEW_OFFSETS
    ))  # fmt: skip
def _refuse(
    begin: int, end: int, base: int, medoid: int, left: Nodes, right: Nodes, refused: Codes, witness: Nodes,
    group: Nodes, state: Nodes,
) -> None:  # fmt: skip
    """Refuse the links between those that stay in a group and those that leave it."""
    for link in range(begin, end):
        i, j = left[link], right[link]
        if state[i] == _LEAVING:
            i, j = j, i
        if state[i] == _INSIDE and state[j] == _LEAVING and group[i] == group[j] and refused[link] == NOTHING:
            refused[link] = MEDOID
            witness[link, 0], witness[link, 1] = base + j, base + medoid


@inner(types.void(
        _INT, _INT, _INT, _INT, _INT, _INT, OFFSETS, OFFSETS, FLAGS, _SCORES, types.float64, _CODES, _PAIRS,
        NEW_OFFSETS, NEW_OFFSETS, NEW_OFFSETS, _LIKENESS,
    ))  # fmt: skip
def _check(
    begin: int, end: int, base: int, size: int, triangle: int, root: int, left: Nodes, right: Nodes, must: Flags,
    scores: Scores, least: float, refused: Codes, witness: Nodes, group: Nodes, state: Nodes, unit: Nodes,
    likeness: Scores,
) -> None:  # fmt: skip
    """Let the members of one group leave that are not like its medoid, until all are."""
    count = 0
    for node in range(size):
        if state[node] == _INSIDE:
            state[node] = _FREE
        if state[node] == _FREE and group[node] == root:
            state[node] = _INSIDE
            count += 1
    while count > 2:
        _unite_said(begin, end, size, left, right, must, refused, state, unit)
        medoid, stay = _part(triangle, size, scores, least, state, unit, likeness)
        if stay == count:
            return
        count = stay
        _refuse(begin, end, base, medoid, left, right, refused, witness, group, state)


@inner(types.boolean(_INT, NEW_OFFSETS, NEW_OFFSETS, NEW_OFFSETS, _INT, NEW_OFFSETS))
def _settle(size: int, group: Nodes, state: Nodes, first: Nodes, base: int, cluster: Nodes) -> bool:
    """Write down the clusters of those that stay; whether others are left, which then stand alone."""
    is_waiting = False
    for node in range(size):
        first[node] = -1
    for node in range(size):
        if state[node] == _LEAVING:
            group[node], state[node], is_waiting = node, _FREE, True
        elif state[node] != _SETTLED:
            if first[group[node]] < 0:
                first[group[node]] = node
            cluster[base + node] = base + first[group[node]]
            state[node] = _SETTLED
    return is_waiting


@inner(types.void(
        _INT, _INT, _INT, _INT, _INT, OFFSETS, OFFSETS, OFFSETS, FLAGS, _BARS, _CODES, _PAIRS, NEW_OFFSETS, NEW_OFFSETS
    ))  # fmt: skip
def _join(
    begin: int, end: int, base: int, size: int, triangle: int, source: Nodes, left: Nodes, right: Nodes, must: Flags,
    bars: Codes, refused: Codes, witness: Nodes, group: Nodes, state: Nodes,
) -> None:  # fmt: skip
    """Join the groups of the nodes that take part, link by link, or refuse the link."""
    for link in range(begin, end):
        one, other = group[left[link]], group[right[link]]
        if state[left[link]] == _SETTLED or state[right[link]] == _SETTLED or refused[link] != NOTHING or one == other:
            continue
        code, low, high = _bar(source, bars, group, base, size, triangle, one, other, must[link])
        if code != NOTHING:
            refused[link], witness[link, 0], witness[link, 1] = code, base + low, base + high
            continue
        target, gone = (one, other) if one < other else (other, one)
        for node in range(size):
            if group[node] == gone:
                group[node] = target


@kernel(types.void(
        OFFSETS, OFFSETS, OFFSETS, OFFSETS, OFFSETS, FLAGS, OFFSETS, _SCORES, _BARS, types.float64, types.boolean,
        NEW_OFFSETS, _CODES, _PAIRS, NEW_OFFSETS, NEW_OFFSETS, NEW_OFFSETS, _LIKENESS,
    ))  # fmt: skip
def _constrain(
    nodes: Nodes, source: Nodes, links: Nodes, left: Nodes, right: Nodes, must: Flags, triangles: Nodes, scores: Scores,
    bars: Codes, least: float, is_checked: bool, cluster: Nodes, refused: Codes, witness: Nodes, group: Nodes,
    state: Nodes, unit: Nodes, likeness: Scores,
) -> None:  # fmt: skip
    """:func:`constrained` with room for the nodes of a component."""
    for one in range(nodes.shape[0] - 1):
        base, size = nodes[one], nodes[one + 1] - nodes[one]
        begin, end, triangle = links[one], links[one + 1], triangles[one]
        for node in range(size):
            group[node], state[node] = node, _FREE
        is_waiting = True
        while is_waiting:
            _join(begin, end, base, size, triangle, source, left, right, must, bars, refused, witness, group, state)
            for root in range(size if is_checked else 0):
                if state[root] != _SETTLED and group[root] == root:
                    _check(
                        begin, end, base, size, triangle, root, left, right, must, scores, least, refused, witness,
                        group, state, unit, likeness,
                    )  # fmt: skip
            is_waiting = _settle(size, group, state, unit, base, cluster)
