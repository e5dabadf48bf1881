"""Compiled: connected components, and clusters of a component under constraints."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bibld.dedup.arrays import Flags
from bibld.dedup.compilation import NEW_OFFSETS, OFFSETS, inner, kernel, types
from bibld.dedup.decisions import Refusal

if TYPE_CHECKING:
    import numpy.typing as npt

    Nodes = npt.NDArray[np.int64]

_INT, _FLAGS, _CODES, _PAIRS = types.int64, types.boolean[::1], types.uint8[::1], types.int64[:, ::1]


@kernel(NEW_OFFSETS(OFFSETS, OFFSETS, _INT))
def connected_components(left: Nodes, right: Nodes, count: int) -> Nodes:
    """Return the smallest node of the connected component of each of ``count`` nodes, shape (count,)."""
    parents = np.arange(count)
    for link in range(left.shape[0]):
        one, other = left[link], right[link]
        while parents[one] != one:
            parents[one] = parents[parents[one]]
            one = parents[one]
        while parents[other] != other:
            parents[other] = parents[parents[other]]
            other = parents[other]
        if one < other:
            parents[other] = one
        else:
            parents[one] = other
    for node in range(parents.shape[0]):
        parents[node] = parents[parents[node]]
    return parents


class Components(NamedTuple):
    """Connected components, what is known about their nodes, and their clusters.

    Component ``c`` has the nodes ``nodes[c]:nodes[c + 1]``, in the order that decides ties; all other numbers of nodes
    are counted from its first one. ``source`` (nodes,) is the number of a record's source, negative if a cluster may
    contain several records of it. The component's links are ``links[c]:links[c + 1]`` between ``low`` and ``high``,
    those that people made (``must``) first, then the best first. People separated the pairs
    ``separations[c]:separations[c + 1]`` of ``separated``, shape (2, pairs). ``scores`` and ``bars`` (a
    :class:`Refusal` or 0) of all pairs of its nodes are square matrices, one after another, that of ``c`` at
    ``squares[c]``; both are empty if they are not used.

    Results: ``clusters`` (nodes,), the first node of each node's cluster; ``refusals`` (links,) and ``witnesses``
    (2, links), why a link joins nothing, and the two nodes that this is about.
    """

    nodes: Nodes
    source: Nodes
    links: Nodes
    low: Nodes
    high: Nodes
    must: Flags
    separations: Nodes
    separated: Nodes
    squares: Nodes
    scores: npt.NDArray[np.float64]
    bars: npt.NDArray[np.uint8]
    clusters: Nodes
    refusals: npt.NDArray[np.uint8]
    witnesses: Nodes


_SCORES = types.float64[::1]
_TYPES = (*(NEW_OFFSETS,) * 5, _FLAGS, NEW_OFFSETS, _PAIRS, NEW_OFFSETS, _SCORES, _CODES, NEW_OFFSETS, _CODES, _PAIRS)
_COMPONENTS = types.NamedTuple(_TYPES, Components)  # type: ignore[no-untyped-call]
_PERSON, _SOURCE, _MEDOID = int(Refusal.PERSON), int(Refusal.SOURCE), int(Refusal.MEDOID)
_FINISHED = -1
_MIN_MEDOID_MEMBERS = 3
"""Members of the smallest group that has a medoid."""


@inner(types.boolean(_COMPONENTS, _INT, _INT, NEW_OFFSETS))
def _refuse_if_barred(c: Components, component: int, link: int, group: Nodes) -> bool:
    """Refuse a link if a member of its one group and one of the other may not be in one cluster.

    Only people keep groups separate that people joined. Of several reasons a person's counts first, then the source.
    """
    base, size = c.nodes[component], c.nodes[component + 1] - c.nodes[component]
    one, other = group[c.low[link]], group[c.high[link]]
    code = 0
    for pair in range(c.separations[component], c.separations[component + 1]):
        low, high = c.separated[0, pair], c.separated[1, pair]
        if (group[low] == one and group[high] == other) or (group[low] == other and group[high] == one):
            c.refusals[link], c.witnesses[0, link], c.witnesses[1, link] = _PERSON, base + low, base + high
            return True
    if c.must[link]:
        return False
    for low in range(size):
        for high in range(size):
            if group[low] != one or group[high] != other:
                continue
            bar = 0
            if c.bars.shape[0]:
                bar = c.bars[c.squares[component] + low * size + high]
            if c.source[base + low] >= 0 and c.source[base + low] == c.source[base + high]:
                bar = _SOURCE
            if bar and (code == 0 or (bar == _SOURCE and code != _SOURCE)):
                code = bar
                c.refusals[link], c.witnesses[0, link] = code, base + min(low, high)
                c.witnesses[1, link] = base + max(low, high)
    return code != 0


@inner(types.void(_COMPONENTS, _INT, types.boolean, NEW_OFFSETS))
def _join(c: Components, component: int, only_must: bool, group: Nodes) -> None:
    """Join the groups of nodes that are not finished, link by link, or refuse the link."""
    for link in range(c.links[component], c.links[component + 1]):
        if only_must and not c.must[link]:
            return
        one, other = group[c.low[link]], group[c.high[link]]
        if one in (_FINISHED, other) or other == _FINISHED or c.refusals[link]:
            continue
        if not _refuse_if_barred(c, component, link, group):
            for node in range(group.shape[0]):
                if group[node] == max(one, other):
                    group[node] = min(one, other)


@inner(types.void(_COMPONENTS, _INT, types.float64, _INT, NEW_OFFSETS, NEW_OFFSETS, _FLAGS))
def _release_dissimilar(  # noqa: C901 - one compiled loop
    c: Components, component: int, least: float, root: int, group: Nodes, unit: Nodes, leaves: Flags
) -> None:
    """Mark the members of a group that are not similar to its medoid, until all others are.

    The medoid is the member with the highest sum of scores. Members that people joined (``unit``) leave together.
    """
    base, size, square = c.nodes[component], group.shape[0], c.squares[component]
    similarity = np.zeros(size)
    is_similar = False
    while not is_similar:
        medoid, best, members = 0, -1.0, 0
        for node in range(size):
            if group[node] == root and not leaves[node]:
                total = 0.0
                for other in range(size):
                    if group[other] == root and not leaves[other]:
                        total += c.scores[square + node * size + other]
                if total > best:
                    medoid, best = node, total
                members += 1
                similarity[unit[node]] = 0.0
        is_similar = True
        if members < _MIN_MEDOID_MEMBERS:
            return
        for node in range(size):
            if group[node] == root and not leaves[node]:
                similarity[unit[node]] = max(similarity[unit[node]], c.scores[square + node * size + medoid])
        for node in range(size):
            if group[node] == root and not leaves[node] and similarity[unit[node]] < least:
                leaves[node], is_similar = True, False
        for link in range(c.links[component], c.links[component + 1]):
            low, high = c.low[link], c.high[link]
            if group[low] == root and group[high] == root and leaves[low] != leaves[high] and not c.refusals[link]:
                c.refusals[link], c.witnesses[1, link] = _MEDOID, base + medoid
                c.witnesses[0, link] = base + (low if leaves[low] else high)


@kernel(types.void(_COMPONENTS, types.float64))
def cluster_components(c: Components, least: float) -> None:
    """Cluster each component: join the best links first unless something bars it; then release the members of a group
    that score below ``least`` with its medoid, and start again with these alone.

    A negative ``least`` releases nobody.
    """
    for component in range(c.nodes.shape[0] - 1):
        base, size = c.nodes[component], c.nodes[component + 1] - c.nodes[component]
        group, leaves = np.arange(size), np.zeros(size, dtype=np.bool_)
        _join(c, component, True, group)
        unit = group.copy()
        unfinished = size
        while unfinished:
            _join(c, component, False, group)
            for root in range(size if least >= 0 else 0):
                if group[root] == root:
                    _release_dissimilar(c, component, least, root, group, unit, leaves)
            first = np.full(size, -1)
            for node in range(size):
                root = group[node]
                if leaves[node]:
                    group[node], leaves[node] = node, False
                elif root != _FINISHED:
                    unfinished -= 1
                    if first[root] < 0:
                        first[root] = node
                    c.clusters[base + node] = base + first[root]
                    group[node] = _FINISHED
