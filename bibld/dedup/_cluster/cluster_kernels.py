"""Compiled: connected components, and clusters inside one under constraints."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bibld.dedup._cluster.clusters import MEDOID, NOTHING, PERSON, SOURCE
from bibld.dedup._compiling import njit

if TYPE_CHECKING:
    import numpy.typing as npt


class Components(NamedTuple):
    """Connected components, and what is known inside them.

    Nodes of component c are ``nodes[c]:nodes[c + 1]`` in the order that decides ties; ``source`` (nodes,) is the number
    of a record's source, -1 where a cluster may hold several of it. Its links are ``links[c]:links[c + 1]``, the best
    first, between the nodes ``left`` and ``right`` (counted from the component's first); ``must``: people said so.
    ``triangle[c]``: where the scores and bars of all its pairs begin, in the order (0, 1), (0, 2) …; -1: none is known.
    """

    nodes: npt.NDArray[np.int64]
    source: npt.NDArray[np.int64]
    links: npt.NDArray[np.int64]
    left: npt.NDArray[np.int64]
    right: npt.NDArray[np.int64]
    must: npt.NDArray[np.bool_]
    triangle: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float64]
    bars: npt.NDArray[np.uint8]


@njit(cache=True, nogil=True)
def roots(left: npt.NDArray[np.int64], right: npt.NDArray[np.int64], count: int) -> npt.NDArray[np.int64]:
    """The smallest node of the connected component of each of ``count`` nodes, shape (count,)."""
    parent = np.arange(count)
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
    for node in range(count):
        parent[node] = parent[parent[node]]
    return parent


@njit(cache=True, nogil=True)
def pairs_inside(nodes: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """All pairs of nodes of components that are ``nodes[c]:nodes[c + 1]``, component by component."""
    total = 0
    for one in range(nodes.shape[0] - 1):
        size = nodes[one + 1] - nodes[one]
        total += size * (size - 1) // 2
    left, right = np.empty(total, dtype=np.int64), np.empty(total, dtype=np.int64)
    filled = 0
    for one in range(nodes.shape[0] - 1):
        for low in range(nodes[one], nodes[one + 1]):
            for high in range(low + 1, nodes[one + 1]):
                left[filled], right[filled] = low, high
                filled += 1
    return left, right


@njit(cache=True, nogil=True)
def constrained(
    held: Components, least: float, is_checked: bool
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """Join the best links first where nothing bars it, and let go of what is not like the middle.

    ``least``: the least score of a member and the medoid, asked about where ``is_checked``. Gives for each node the
    first node of its cluster; for each link what refused it (0: nothing); and the two nodes that the refusal is about.
    """
    cluster = np.arange(held.source.shape[0])
    refused = np.zeros(held.left.shape[0], dtype=np.uint8)
    witness = np.zeros((held.left.shape[0], 2), dtype=np.int64)
    for one in range(held.nodes.shape[0] - 1):
        _one_component(held, one, least, is_checked, cluster, refused, witness)
    return cluster, refused, witness


@njit(cache=True, nogil=True)
def _one_component(
    held: Components,
    one: int,
    least: float,
    is_checked: bool,
    cluster: npt.NDArray[np.int64],
    refused: npt.NDArray[np.uint8],
    witness: npt.NDArray[np.int64],
) -> None:
    base, size = held.nodes[one], held.nodes[one + 1] - held.nodes[one]
    group = np.arange(size)
    is_active = np.ones(size, dtype=np.bool_)
    is_waiting = True
    while is_waiting:
        is_waiting = False
        for link in range(held.links[one], held.links[one + 1]):
            i, j = held.left[link], held.right[link]
            if not is_active[i] or not is_active[j] or refused[link] or group[i] == group[j]:
                continue
            code, low, high = _bar(held, one, group, i, j, held.must[link])
            if code:
                refused[link], witness[link, 0], witness[link, 1] = code, base + low, base + high
                continue
            target, gone = min(group[i], group[j]), max(group[i], group[j])
            for node in range(size):
                if group[node] == gone:
                    group[node] = target
        leaving = np.zeros(size, dtype=np.bool_)
        if is_checked:
            for root in range(size):
                if is_active[root] and group[root] == root:
                    _check(held, one, group, root, least, is_active, leaving, refused, witness)
        first = np.full(size, -1, dtype=np.int64)
        for node in range(size):
            if leaving[node]:
                group[node], is_waiting = node, True
            elif is_active[node]:
                if first[group[node]] < 0:
                    first[group[node]] = node
                cluster[base + node] = base + first[group[node]]
                is_active[node] = False


@njit(cache=True, nogil=True)
def _place(held: Components, one: int, i: int, j: int) -> int:
    """Where the score and the bar of two nodes of a component stand."""
    size = held.nodes[one + 1] - held.nodes[one]
    low, high = min(i, j), max(i, j)
    return int(held.triangle[one] + low * size - low * (low + 1) // 2 + high - low - 1)


@njit(cache=True, nogil=True)
def _bar(
    held: Components, one: int, group: npt.NDArray[np.int64], i: int, j: int, is_must: bool
) -> tuple[int, int, int]:
    """What keeps the groups of two nodes apart, and between which two; what people said counts first."""
    base, size = held.nodes[one], held.nodes[one + 1] - held.nodes[one]
    found, first, second = NOTHING, 0, 0
    for low in range(size):
        if group[low] != group[i]:
            continue
        for high in range(size):
            if group[high] != group[j]:
                continue
            code = NOTHING
            if held.triangle[one] >= 0:
                code = held.bars[_place(held, one, low, high)]
            if code != PERSON and held.source[base + low] == held.source[base + high] >= 0:
                code = SOURCE
            if code == PERSON or (code and not is_must and (found == NOTHING or (code == SOURCE and found > SOURCE))):
                found, first, second = code, min(low, high), max(low, high)
            if found == PERSON:
                return found, first, second
    return found, first, second


@njit(cache=True, nogil=True)
def _check(
    held: Components,
    one: int,
    group: npt.NDArray[np.int64],
    root: int,
    least: float,
    is_active: npt.NDArray[np.bool_],
    leaving: npt.NDArray[np.bool_],
    refused: npt.NDArray[np.uint8],
    witness: npt.NDArray[np.int64],
) -> None:
    """Let the members of one group leave that are not like its medoid, until all are."""
    base, size = held.nodes[one], held.nodes[one + 1] - held.nodes[one]
    inside = np.zeros(size, dtype=np.bool_)
    count = 0
    for node in range(size):
        if is_active[node] and group[node] == root:
            inside[node] = True
            count += 1
    while count > 2:
        medoid, best = -1, -1.0
        for node in range(size):
            if inside[node]:
                total = 0.0
                for other in range(size):
                    if inside[other]:
                        total += 1.0 if other == node else held.scores[_place(held, one, node, other)]
                if total > best:
                    medoid, best = node, total
        unit = _units(held, one, inside, refused)
        likeness = np.zeros(size)
        for node in range(size):
            if inside[node]:
                score = 1.0 if node == medoid else held.scores[_place(held, one, node, medoid)]
                likeness[unit[node]] = max(likeness[unit[node]], score)
        gone = 0
        for node in range(size):
            if inside[node] and likeness[unit[node]] < least:
                inside[node], leaving[node] = False, True
                gone += 1
        if gone == 0:
            return
        count -= gone
        for link in range(held.links[one], held.links[one + 1]):
            i, j = held.left[link], held.right[link]
            is_torn = (inside[i] and leaving[j]) or (inside[j] and leaving[i])
            if is_torn and group[i] == group[j] and refused[link] == NOTHING:
                refused[link] = MEDOID
                witness[link, 0], witness[link, 1] = base + (j if inside[i] else i), base + medoid


@njit(cache=True, nogil=True)
def _units(
    held: Components, one: int, inside: npt.NDArray[np.bool_], refused: npt.NDArray[np.uint8]
) -> npt.NDArray[np.int64]:
    """The members of a group, those under one number that people said to be the same."""
    unit = np.arange(inside.shape[0])
    for link in range(held.links[one], held.links[one + 1]):
        i, j = held.left[link], held.right[link]
        if held.must[link] and refused[link] == NOTHING and inside[i] and inside[j]:
            keep, lose = min(unit[i], unit[j]), max(unit[i], unit[j])
            for node in range(unit.shape[0]):
                if unit[node] == lose:
                    unit[node] = keep
    return unit
