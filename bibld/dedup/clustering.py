"""Clusters of decided pairs: the one implementation for runs, evaluation and the preview of a review.

Joining all linked records would chain: one wrong link in a hundred unites different publications. So each connected
component is clustered under constraints (:func:`~bibld.dedup._cluster_kernels.cluster_components`): the best
links first, a join only where nothing bars two members from one cluster, and a member that is not similar to the medoid
of its cluster is released. What people decided counts before everything else. A component with more than
``largest_cluster`` records is first cut at a higher score; of a part with very many records that all have the same
score, none is joined.

The clusters of a component depend on its links and on its records alone, whatever their order.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bibld.dedup.arrays import Numbers, pack_pairs
from bibld.dedup.decisions import DECISIONS, RELATED, REVIEW, SAME, DecidedPairs, Decider, Refusal
from bibld.dedup.exceptions import Exceptions
from bibld.model.linkage import Decision
from bibld.model.origin import RecordId

Nodes = npt.NDArray[np.int64]
"""Numbers of the records that are linked to others; or positions in other arrays."""

Order = Callable[[Nodes], Nodes]
"""Returns numbers that put positions in the order of their records' ids, which decides ties."""

MAX_PART_RECORDS = 5_000
"""Records that are compared all with all, if no score divides them: half a gigabyte. Larger parts are not joined."""

_PAIRS_AT_ONCE = 2_000_000


class PersonDecisions(NamedTuple):
    """Pairs of positions that people decided, ``left < right``, with positions in ``DECISIONS``; shape (pairs,)."""

    left: Nodes
    right: Nodes
    decisions: npt.NDArray[np.uint8]

    @classmethod
    def from_verdicts(cls, verdicts: Mapping[tuple[int, int], Decision]) -> PersonDecisions:
        """Build them from pairs of positions."""
        pairs = np.array(sorted(verdicts), dtype=np.int64).reshape(-1, 2)
        decisions = [DECISIONS.index(verdicts[left, right]) for left, right in pairs.tolist()]
        return cls(pairs[:, 0].copy(), pairs[:, 1].copy(), np.array(decisions, dtype=np.uint8))


class Cut(NamedTuple):
    """A component of ``size`` records, one of them at ``position``, whose links below ``score`` were ignored.

    The score is infinite if no score divides it, so that all its links were.
    """

    position: int
    size: int
    score: float


class ClusteredPairs(NamedTuple):
    """Decided pairs with their final decisions, and the clusters.

    ``decisions`` (pairs,) are final; ``is_by_person`` (pairs,): a person decided. ``refusals`` (pairs,): the
    :class:`~bibld.dedup.decisions.Refusal` that keeps the records of a link out of one cluster; 0: nothing.
    ``witnesses`` (pairs, 2): the positions that this is about; of a cut its place in ``cuts``. Clusters of two and more
    are ``members[starts[c]:starts[c + 1]]``, positions ascending, in the order of their first members.
    """

    pairs: DecidedPairs
    decisions: npt.NDArray[np.uint8]
    is_by_person: npt.NDArray[np.bool_]
    refusals: npt.NDArray[np.uint8]
    witnesses: Nodes
    members: Nodes
    starts: Nodes
    cuts: tuple[Cut, ...]

    def clusters(self) -> Iterator[Nodes]:
        """Yield the members of each cluster."""
        yield from np.split(self.members, self.starts[1:-1]) if len(self.members) else ()


def cluster_pairs(decider: Decider, pairs: DecidedPairs, people: PersonDecisions, order: Order) -> ClusteredPairs:
    """Cluster decided pairs, each once and with ``left < right``.

    ``decider`` also decides about pairs inside of components that are not among ``pairs``. Pairs that people decided
    and that are not among ``pairs`` are added behind them.
    """
    pairs, positions = _add_decided_by_people(decider, pairs, people)
    decisions, is_by_person = pairs.decisions.copy(), np.zeros(len(pairs.left), dtype=np.bool_)
    decisions[positions], is_by_person[positions] = people.decisions, True
    clustering = _Clustering(decider, pairs, people, order, np.flatnonzero(decisions == SAME), is_by_person)
    clusters = clustering.run()
    nodes, links = clustering.nodes, clustering.links
    refusals, witnesses = np.zeros(len(decisions), dtype=np.uint8), np.zeros((len(decisions), 2), dtype=np.int64)
    is_torn = clusters[clustering.left] != clusters[clustering.right]
    refusals[links[is_torn]] = clustering.refusals[is_torn]
    witnesses[links[is_torn]] = clustering.witnesses[is_torn]
    decisions[links[is_torn & ~clustering.must]] = REVIEW
    # Clusters of two and more, by their first members.
    sizes = np.bincount(clusters, minlength=len(nodes))
    members = np.flatnonzero(sizes[clusters] > 1)
    members = members[np.argsort(clusters[members], kind="stable")]
    starts = np.append(np.flatnonzero(np.diff(clusters[members], prepend=-1)), len(members))
    cuts = tuple(clustering.cuts)
    return ClusteredPairs(pairs, decisions, is_by_person, refusals, witnesses, nodes[members], starts, cuts)


def _add_decided_by_people(
    decider: Decider, pairs: DecidedPairs, people: PersonDecisions
) -> tuple[DecidedPairs, Nodes]:
    """Return the pairs with those that people decided, and the places of these."""
    if not len(people.left):
        return pairs, np.empty(0, dtype=np.int64)
    known, decided = pack_pairs(pairs.left, pairs.right), pack_pairs(people.left, people.right)
    nearest = np.minimum(np.searchsorted(decided, known), len(decided) - 1)
    found = np.flatnonzero(decided[nearest] == known)
    positions = np.full(len(decided), -1, dtype=np.int64)
    positions[nearest[found]] = found
    is_new = positions < 0
    positions[is_new] = len(known) + np.arange(np.count_nonzero(is_new))
    if is_new.any():
        pairs = DecidedPairs.concatenate([pairs, decider.decide(people.left[is_new], people.right[is_new])])
    return pairs, positions


def connected_records(left: Nodes, right: Nodes) -> tuple[Nodes, Nodes]:
    """Return the records that links connect, ascending, and the smallest record of the component of each."""
    from bibld.dedup._cluster_kernels import connected_components

    nodes, ends = np.unique(np.concatenate((left, right)), return_inverse=True)
    one, other = np.split(ends.astype(np.int64), 2)
    return nodes, nodes[connected_components(one, other, len(nodes))]


class _Clustering:
    """Clusters nodes 0 to n - 1, which are the records at the positions ``nodes``.

    Links are the pairs that are the same, at the places ``links``: between the nodes ``left`` and ``right``; people
    made those with ``must``.
    """

    def __init__(
        self,
        decider: Decider,
        pairs: DecidedPairs,
        people: PersonDecisions,
        order: Order,
        links: Nodes,
        is_by_person: npt.NDArray[np.bool_],
    ) -> None:
        self._decider, self._pairs, self._order = decider, pairs, order
        is_node = np.zeros(len(decider.sources), dtype=np.bool_)
        is_node[pairs.left[links]] = is_node[pairs.right[links]] = True
        self.nodes = np.flatnonzero(is_node)
        self._number = np.full(len(is_node), -1, dtype=np.int32)
        self._number[self.nodes] = np.arange(len(self.nodes))
        self._source = decider.sources[self.nodes].astype(np.int64)
        self.links, self.must, self._scores = links, is_by_person[links], pairs.scores[links]
        self.left, self.right = (self._number[side[links]].astype(np.int64) for side in (pairs.left, pairs.right))
        self.clusters = np.arange(len(self.nodes))
        self.refusals = np.zeros(len(links), dtype=np.uint8)
        self.witnesses = np.zeros((len(links), 2), dtype=np.int64)
        self.cuts: list[Cut] = []
        separated = self._number[np.stack([people.left, people.right])[:, people.decisions != SAME]]
        self._separated = separated[:, (separated >= 0).all(axis=0)]

    def run(self) -> Nodes:
        """Return the first node of the cluster of each node, shape (nodes,)."""
        from bibld.dedup._cluster_kernels import connected_components

        count = len(self.nodes)
        component = connected_components(self.left, self.right, count)
        if self._decider.review is not None and self._cut_large(component):
            kept = self.refusals == 0
            component = connected_components(self.left[kept], self.right[kept], count)
        sizes = np.bincount(component, minlength=count)[component]
        is_link, is_single = self.refusals == 0, sizes[self.left] == 2
        self._join_two(np.flatnonzero(is_link & is_single))
        known = self._pairs_in_components(component, sizes)
        links = np.flatnonzero(is_link & ~is_single)
        for portion in _portions(links, component[self.left[links]], sizes[self.left[links]]):
            self._join_many(portion, component, known)
        return self.clusters

    def _join_two(self, links: Nodes) -> None:
        """Join components of two records: only the pair itself can bar them."""
        left, right = self.left[links], self.right[links]
        bars = self._bars(self._pairs.take(self.links[links]))
        bars[(self._source[left] == self._source[right]) & (self._source[left] >= 0)] = Refusal.SOURCE
        bars[self.must[links]] = 0
        self.refusals[links] = bars
        self.witnesses[links] = self.nodes[np.stack([left, right], axis=1)]
        joined = bars == 0
        self.clusters[np.maximum(left, right)[joined]] = np.minimum(left, right)[joined]

    def _bars(self, pairs: DecidedPairs) -> npt.NDArray[np.uint8]:
        """Return what bars pairs from one cluster, apart from sources and people; nothing for the paper's method."""
        bars = np.zeros(len(pairs.left), dtype=np.uint8)
        if self._decider.review is not None:
            bars[pairs.exceptions & np.uint16(Exceptions.IDENTIFIERS) > 0] = Refusal.IDENTIFIERS
            parts = Exceptions.PART_NUMBERS | Exceptions.NESTED_PARTS
            bars[pairs.exceptions & np.uint16(parts) > 0] = Refusal.PARTS
            bars[pairs.decisions == RELATED] = Refusal.RELATION
        return bars

    def _pairs_in_components(self, component: Nodes, sizes: Nodes) -> tuple[Nodes, Nodes]:
        """Return the places of the pairs inside of components of three and more, by component, and their components."""
        left, right = self._number[self._pairs.left], self._number[self._pairs.right]
        positions = np.flatnonzero((left >= 0) & (right >= 0))
        left, right = left[positions], right[positions]
        is_inside = (component[left] == component[right]) & (sizes[left] > 2)
        positions, found = positions[is_inside], component[left[is_inside]]
        by_component = np.argsort(found, kind="stable")
        return positions[by_component], found[by_component]

    def _join_many(self, links: Nodes, component: Nodes, known: tuple[Nodes, Nodes]) -> None:
        """Cluster the components of some links, which are all links of these components."""
        from bibld.dedup._cluster_kernels import Components, cluster_components

        members = np.unique(np.concatenate((self.left[links], self.right[links])))
        members = members[np.lexsort((self._order(self.nodes[members]), component[members]))]
        layout = _Layout.from_components(component[members])
        position = np.empty(len(self.nodes), dtype=np.int64)
        position[members] = np.arange(len(members))

        low, high = _ordered(position[self.left[links]], position[self.right[links]])
        best_first = np.lexsort((high, low, -self._scores[links], ~self.must[links], layout.owner[low]))
        links, low, high = links[best_first], low[best_first], high[best_first]
        is_inside = np.isin(component[self._separated[0]], component[members[layout.starts[:-1]]])
        is_inside &= component[self._separated[0]] == component[self._separated[1]]
        separated = np.stack(_ordered(*position[self._separated[:, is_inside]]))
        separated = separated[:, np.lexsort((separated[1], separated[0]))]
        squares, scores, bars = np.zeros(1, np.int64), np.empty(0), np.empty(0, np.uint8)
        if self._decider.review is not None:
            first, last = np.searchsorted(known[1], component[members[[0, -1]]] + [0, 1])
            squares, scores, bars = self._compare_members(
                members, layout, self._pairs.take(known[0][first:last]), position
            )
        components = Components(
            layout.starts,
            self._source[members],
            np.searchsorted(layout.owner[low], np.arange(len(layout.starts))),
            layout.local[low],
            layout.local[high],
            self.must[links],
            np.searchsorted(layout.owner[separated[0]], np.arange(len(layout.starts))),
            np.ascontiguousarray(layout.local[separated]),
            squares,
            scores,
            bars,
            np.arange(len(members)),
            np.zeros(len(links), dtype=np.uint8),
            np.zeros((2, len(links)), dtype=np.int64),
        )
        cluster_components(components, -1.0 if self._decider.review is None else self._decider.review)
        first_node = np.full(len(members), len(self.nodes), dtype=np.int64)
        np.minimum.at(first_node, components.clusters, members)
        self.clusters[members] = first_node[components.clusters]
        self.refusals[links] = components.refusals
        self.witnesses[links] = self.nodes[members[components.witnesses.T]]

    def _compare_members(
        self, members: Nodes, layout: _Layout, known: DecidedPairs, position: Nodes
    ) -> tuple[Nodes, npt.NDArray[np.float64], npt.NDArray[np.uint8]]:
        """Return where the square of each component starts, and the scores and bars of all pairs of its members.

        Pairs that are not ``known`` are decided now.
        """
        starts, sizes, owner, local = layout
        squares = np.concatenate(([0], np.cumsum(sizes**2)))
        scores, bars = np.full(squares[-1], -1.0), np.zeros(squares[-1], dtype=np.uint8)

        def fill(left: Nodes, right: Nodes, pairs: DecidedPairs) -> None:
            for one, other in ((left, right), (right, left)):
                cells = squares[owner[one]] + local[one] * sizes[owner[one]] + local[other]
                scores[cells], bars[cells] = pairs.scores, self._bars(pairs)

        fill(position[self._number[known.left]], position[self._number[known.right]], known)
        cells = np.flatnonzero(scores < 0)
        component = np.searchsorted(squares, cells, side="right") - 1
        row, column = np.divmod(cells - squares[component], sizes[component])
        scores[cells[row == column]] = 1.0
        left, right = (starts[component] + side for side in (row, column))
        left, right = left[row < column], right[row < column]
        fill(left, right, self._decider.decide(self.nodes[members[left]], self.nodes[members[right]]))
        return squares, scores, bars

    # -- components that are too large ---------------------------------------------------------------------------------

    def _cut_large(self, component: Nodes) -> bool:
        """Refuse the weakest links of components that are too large; return whether there are any.

        These are the links below the least score that leaves no part too large, or else below the highest score. What
        people joined stays.
        """
        largest = self._decider.largest_cluster
        sizes = np.bincount(component)
        large = np.flatnonzero(sizes[component[self.left]] > largest)
        large = large[np.argsort(component[self.left[large]], kind="stable")]
        for links in _runs(large, component[self.left[large]]):
            scores = self._scores[links]
            levels = np.unique(scores).tolist()
            position = bisect_left(
                levels, x=True, key=lambda level: self._largest_part(links[scores >= level]) <= largest
            )
            level = levels[min(position, len(levels) - 1)]
            weak = links[(scores < level) & ~self.must[links]]
            self.refusals[weak], self.witnesses[weak] = Refusal.CUT, len(self.cuts)
            root = component[self.left[links[0]]]
            self.cuts.append(Cut(int(self.nodes[root]), int(sizes[root]), level))
            if position == len(levels):
                self._refuse_indivisible(links[scores >= level])
        return len(large) > 0

    def _refuse_indivisible(self, links: Nodes) -> None:
        """Refuse the links of parts that no score divides and that have too many records to compare all with all."""
        nodes, parts = connected_records(self.left[links], self.right[links])
        roots, sizes = np.unique(parts, return_counts=True)
        part_of_link = parts[np.searchsorted(nodes, self.left[links])]
        for root, size in zip(roots.tolist(), sizes.tolist(), strict=True):
            if size > MAX_PART_RECORDS:
                refused = links[(part_of_link == root) & ~self.must[links]]
                self.refusals[refused], self.witnesses[refused] = Refusal.CUT, len(self.cuts)
                self.cuts.append(Cut(int(self.nodes[root]), size, math.inf))

    def _largest_part(self, links: Nodes) -> int:
        _, components = connected_records(self.left[links], self.right[links])
        return int(np.unique(components, return_counts=True)[1].max())


class _Layout(NamedTuple):
    """Components of members in their order: component ``c`` has the members ``starts[c]:starts[c + 1]``.

    Of each member ``owner`` is the component, ``local`` its number there.
    """

    starts: Nodes
    sizes: Nodes
    owner: Nodes
    local: Nodes

    @classmethod
    def from_components(cls, component: Nodes) -> _Layout:
        """Build it from the component of each member, equal ones next to each other."""
        starts = np.concatenate(([0], np.flatnonzero(np.diff(component)) + 1, [len(component)]))
        sizes = np.diff(starts)
        owner = np.repeat(np.arange(len(sizes)), sizes)
        return cls(starts, sizes, owner, np.arange(len(component)) - starts[owner])


def _portions(links: Nodes, component: Nodes, sizes: Nodes) -> Iterator[Nodes]:
    """Yield the links of complete components, with some two million pairs of members at a time.

    ``component`` and ``sizes`` are the component of each link and its number of members.
    """
    by_component = np.argsort(component, kind="stable")
    starts = np.flatnonzero(np.diff(component[by_component], prepend=-1))
    pairs = np.cumsum(sizes[by_component[starts]] ** 2) // 2
    portion = np.repeat(pairs // _PAIRS_AT_ONCE, np.diff(np.append(starts, len(links))))
    return _runs(links[by_component], portion)


def _runs(links: Nodes, group: Nodes) -> Iterator[Nodes]:
    """Yield the links of each group; those of one group are next to each other."""
    yield from np.split(links, np.flatnonzero(np.diff(group)) + 1) if len(links) else ()


def _ordered(left: Nodes, right: Nodes) -> tuple[Nodes, Nodes]:
    return np.minimum(left, right), np.maximum(left, right)


def rank_by_id(records: Sequence[RecordId]) -> Nodes:
    """Return the rank of each record in the order of the ids, as an ``Order`` does for positions."""
    ranks = np.empty(len(records), dtype=np.int64)
    ranks[sorted(range(len(records)), key=records.__getitem__)] = np.arange(len(records))
    return ranks


def pairs_in_clusters(members: npt.NDArray[np.int64], starts: npt.NDArray[np.int64]) -> Numbers:
    """Return all pairs of members of the same cluster, ascending; members ascend in each cluster."""
    sizes = np.diff(starts)
    found = [np.empty(0, np.uint64)]
    for size in np.unique(sizes).tolist():
        of_size = members[starts[:-1][sizes == size][:, None] + np.arange(size)]
        left, right = np.triu_indices(size, 1)
        found.append(pack_pairs(of_size[:, left].ravel(), of_size[:, right].ravel()))
    return np.sort(np.concatenate(found))
