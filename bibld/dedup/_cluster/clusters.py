"""Clusters out of links: joined the most alike first, under constraints, and checked against the middle of each.

Bare union-find would chain: one wrong link in a hundred unites publications that nobody would. Here a join is made only
where all constraints hold between all members, and a member that is not like the medoid of its cluster leaves it. The
clusters of a component depend on its links and on its records alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import msgspec

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from bibld.dedup._cluster.cluster_kernels import Components

    Nodes = npt.NDArray[np.int64]

NOTHING, PERSON, SOURCE, RELATION, PARTS, ISBNS, MEDOID, CUT = range(8)
"""What keeps two records out of one cluster."""

_PAIRS_AT_ONCE = 2_000_000


class ClusterRules(msgspec.Struct, frozen=True):
    """What must hold inside a cluster.

    Sources in ``several`` may have more than one record in it. A component of more than ``largest`` records is cut at a
    higher score. ``review``: the least score of a member and the medoid; None: neither this nor relations, parts and
    ISBNs are asked about (the paper's method).
    """

    several: frozenset[str] = frozenset()
    largest: int = 50
    review: float | None = None


class Inside(NamedTuple):
    """The scores of any pairs of nodes, and what bars them from one cluster; shape (pairs,)."""

    scores: npt.NDArray[np.float64]
    bars: npt.NDArray[np.uint8]


class Links(NamedTuple):
    """Pairs of nodes that are the same, each once; ``must`` are those that people said to be, ``bars`` what speaks
    against one cluster nevertheless. All of shape (links,)."""

    left: Nodes
    right: Nodes
    scores: npt.NDArray[np.float64]
    must: npt.NDArray[np.bool_]
    bars: npt.NDArray[np.uint8]


class Known(NamedTuple):
    """Pairs of nodes, each once, that need not be asked about; shape (pairs,)."""

    left: Nodes
    right: Nodes
    inside: Inside

    def where(self, chosen: npt.NDArray[np.bool_] | Nodes) -> Known:
        """Some of the pairs."""
        inside = Inside(self.inside.scores[chosen], self.inside.bars[chosen])
        return Known(self.left[chosen], self.right[chosen], inside)


class Cut(msgspec.Struct, frozen=True):
    """A component of so many nodes was cut below a score; ``node`` is one of it."""

    node: int
    size: int
    score: float


class Grouped(NamedTuple):
    """The first node of the cluster of each node; for each link what refused it (0: nothing), and the two nodes that
    the refusal is about (of a cut: the place in ``cuts``, twice)."""

    clusters: Nodes
    refused: npt.NDArray[np.uint8]
    witness: Nodes
    cuts: tuple[Cut, ...]


def grouped(
    links: Links,
    sources: Nodes,
    rules: ClusterRules,
    order: Callable[[Nodes], Nodes],
    known: Known,
    inside: Callable[[Nodes, Nodes], Inside],
    apart: tuple[Nodes, Nodes],
) -> Grouped:
    """Join nodes 0 to n - 1 by links.

    ``sources`` (n,): the number of each node's source, -1 for one of ``several``. ``order`` gives numbers by which
    nodes that tie are put in order. ``inside`` tells about any pairs, ``known`` about some of them at no cost;
    ``apart`` are the pairs that people said not to be the same, of which these say so too.
    """
    return _Grouping(links, sources, rules, order, known, inside, apart).done()


class _Grouping:
    def __init__(
        self,
        links: Links,
        sources: Nodes,
        rules: ClusterRules,
        order: Callable[[Nodes], Nodes],
        known: Known,
        inside: Callable[[Nodes, Nodes], Inside],
        apart: tuple[Nodes, Nodes],
    ) -> None:
        import numpy as np

        self._links = links
        self._sources = sources
        self._rules = rules
        self._order = order
        self._known = known
        self._inside = inside
        self._apart = apart
        self._clusters = np.arange(len(sources))
        self._refused = np.zeros(len(links.left), dtype=np.uint8)
        self._witness = np.zeros((len(links.left), 2), dtype=np.int64)
        self._cuts: list[Cut] = []
        self._of_known = np.empty(0, dtype=np.int64)

    def done(self) -> Grouped:
        import numpy as np

        from bibld.dedup._cluster.cluster_kernels import roots

        count = len(self._sources)
        component = roots(self._links.left, self._links.right, count)
        if self._rules.review is not None and self._cut(component):
            kept = self._refused == 0
            component = roots(self._links.left[kept], self._links.right[kept], count)
        sizes = np.bincount(component, minlength=count)[component]
        wanted = self._refused == 0
        two = wanted & (sizes[self._links.left] == 2)
        self._join_two(np.flatnonzero(two))
        self._hold_known(component, sizes)
        for chosen in _portions(component, sizes, self._links.left, wanted & ~two):
            self._join_many(chosen, component)
        return Grouped(self._clusters, self._refused, self._witness, tuple(self._cuts))

    # -- components of two: nothing but the pair itself can speak against it -------------------------------------------

    def _join_two(self, chosen: Nodes) -> None:
        import numpy as np

        for start in range(0, len(chosen), _PAIRS_AT_ONCE):
            links = chosen[start : start + _PAIRS_AT_ONCE]
            left, right = self._links.left[links], self._links.right[links]
            bars = self._links.bars[links]
            one_source = (self._sources[left] == self._sources[right]) & (self._sources[left] >= 0)
            bars[one_source] = SOURCE
            bars[self._links.must[links]] = NOTHING
            self._refused[links] = bars
            self._witness[links] = np.stack([left, right], axis=1)
            joined = bars == NOTHING
            low, high = np.minimum(left, right), np.maximum(left, right)
            self._clusters[high[joined]] = low[joined]

    # -- larger ones --------------------------------------------------------------------------------------------------

    def _join_many(self, chosen: Nodes, component: Nodes) -> None:
        """Join the components that these links belong to."""
        import numpy as np

        from bibld.dedup._cluster.cluster_kernels import constrained

        links, held, must = self._links, component[self._links.left[chosen]], self._links.must[chosen]
        members = np.unique(np.concatenate((links.left[chosen], links.right[chosen])))
        members = members[np.lexsort((self._order(members), component[members]))]
        place = np.empty(len(self._sources), dtype=np.int64)
        place[members] = np.arange(len(members))
        starts = np.concatenate(([0], np.flatnonzero(np.diff(component[members])) + 1, [len(members)]))
        ends = place[links.left[chosen]], place[links.right[chosen]]
        low, high = np.minimum(*ends), np.maximum(*ends)
        turn = np.searchsorted(starts, low, side="right") - 1
        best = np.lexsort((high, low, -links.scores[chosen], ~must, turn))
        chosen, low, high, must, turn = chosen[best], low[best], high[best], must[best], turn[best]
        with_apart = np.unique(turn[np.isin(held[best], self._said(component))])
        data = self._told(starts, members, place, self._known_inside(component[members[starts[:-1]]]), with_apart)
        bounds = np.searchsorted(turn, np.arange(len(starts)))
        made = data._replace(
            source=self._sources[members], links=bounds, left=low - starts[turn], right=high - starts[turn], must=must
        )
        is_checked = self._rules.review is not None
        clusters, refused, witness = constrained(made, self._rules.review or 0.0, is_checked)
        named = np.minimum.reduceat(members[np.argsort(clusters, kind="stable")], _firsts(np.sort(clusters)))
        self._clusters[members] = named[np.unique(clusters, return_inverse=True)[1]]
        self._refused[chosen], self._witness[chosen] = refused, members[witness]

    def _said(self, component: Nodes) -> Nodes:
        """The components in which people said that something is not the same."""
        return component[self._apart[0]]

    def _told(self, starts: Nodes, members: Nodes, place: Nodes, known: Known, with_apart: Nodes) -> Components:
        """Scores and bars inside components: of all, or for the paper of those that people spoke about.

        ``place`` says of each node at which place among the members it stands; what is not ``known`` is asked.
        """
        import numpy as np

        from bibld.dedup._cluster.cluster_kernels import Components

        nothing = np.empty(0, dtype=np.int64)
        sizes = np.diff(starts)
        asked = np.ones(len(sizes), dtype=np.bool_)
        if self._rules.review is None:
            asked[:] = False
            asked[with_apart] = True
        counts = np.where(asked, sizes * (sizes - 1) // 2, 0)
        triangle = np.where(asked, np.concatenate(([0], np.cumsum(counts)[:-1])), -1)
        left, right = _pairs_inside(starts)
        if not asked.all():
            wanted = asked[np.searchsorted(starts, left, side="right") - 1]
            left, right = left[wanted], right[wanted]
        scores, bars = np.zeros(len(left)), np.zeros(len(left), dtype=np.uint8)
        is_unknown = np.ones(len(left), dtype=np.bool_)
        ends = place[known.left], place[known.right]
        low, high = np.minimum(*ends), np.maximum(*ends)
        turn = np.searchsorted(starts, low, side="right") - 1
        at, row = triangle[turn], low - starts[turn]
        at += row * sizes[turn] - row * (row + 1) // 2 + high - low - 1
        is_asked = triangle[turn] >= 0
        at = at[is_asked]
        scores[at], bars[at], is_unknown[at] = known.inside.scores[is_asked], known.inside.bars[is_asked], False
        scores[is_unknown], bars[is_unknown] = self._inside(members[left[is_unknown]], members[right[is_unknown]])
        return Components(starts, nothing, nothing, nothing, nothing, np.empty(0, np.bool_), triangle, scores, bars)

    def _hold_known(self, component: Nodes, sizes: Nodes) -> None:
        """Keep what is known inside components of three and more, by component."""
        import numpy as np

        of_left = component[self._known.left]
        chosen = np.flatnonzero((of_left == component[self._known.right]) & (sizes[self._known.left] > 2))
        chosen = chosen[np.argsort(of_left[chosen], kind="stable")]
        self._known, self._of_known = self._known.where(chosen), of_left[chosen]

    def _known_inside(self, held: Nodes) -> Known:
        """What is known inside some components, which are neighbours."""
        import numpy as np

        first, last = np.searchsorted(self._of_known, [held[0], held[-1] + 1])
        return self._known.where(np.arange(first, last))

    # -- too large ones -----------------------------------------------------------------------------------------------

    def _cut(self, component: Nodes) -> bool:
        """Refuse the weakest links of components that are too large; whether there were any."""
        import numpy as np

        sizes = np.bincount(component)
        large = np.flatnonzero(sizes > self._rules.largest)
        held = component[self._links.left]
        for root in large:
            self._cut_one(np.flatnonzero(held == root), int(root), int(sizes[root]))
        return len(large) > 0

    def _cut_one(self, links: Nodes, root: int, size: int) -> None:
        """Refuse the links of a component below the least score that leaves no part of it too large, else below the
        highest; what people joined stays."""
        import numpy as np

        scores = self._links.scores[links]
        levels = np.unique(scores)
        low, high = 0, len(levels) - 1
        while low < high:
            middle = (low + high) // 2
            if self._largest_part(links[scores >= levels[middle]]) <= self._rules.largest:
                high = middle
            else:
                low = middle + 1
        weak = links[(scores < levels[low]) & ~self._links.must[links]]
        self._refused[weak], self._witness[weak] = CUT, len(self._cuts)
        self._cuts.append(Cut(root, size, float(levels[low])))

    def _largest_part(self, links: Nodes) -> int:
        import numpy as np

        from bibld.dedup._cluster.cluster_kernels import roots

        nodes, ends = np.unique(
            np.concatenate((self._links.left[links], self._links.right[links])), return_inverse=True
        )
        found = roots(ends[: len(links)].copy(), ends[len(links) :].copy(), len(nodes))
        return int(np.bincount(found).max())


def _portions(component: Nodes, sizes: Nodes, left: Nodes, wanted: npt.NDArray[np.bool_]) -> Iterator[Nodes]:
    """Links of whole components, together with about so many pairs inside."""
    import numpy as np

    chosen = np.flatnonzero(wanted)
    if not len(chosen):
        return
    held = component[left[chosen]]
    order = np.argsort(held, kind="stable")
    chosen, held = chosen[order], held[order]
    firsts = _firsts(held)
    size = sizes[left[chosen[firsts]]]
    running = np.cumsum(size * (size - 1) // 2)
    cuts = np.unique(np.searchsorted(running, np.arange(_PAIRS_AT_ONCE, running[-1], _PAIRS_AT_ONCE)) + 1)
    yield from np.split(chosen, firsts[cuts[cuts < len(firsts)]])


def _pairs_inside(starts: Nodes) -> tuple[Nodes, Nodes]:
    """All pairs of nodes of components that are ``starts[c]:starts[c + 1]``, component by component."""
    import numpy as np

    nodes = np.arange(starts[-1])
    following = np.repeat(starts[1:], np.diff(starts)) - nodes - 1
    left = np.repeat(nodes, following)
    first = np.cumsum(following) - following
    return left, left + 1 + np.arange(len(left)) - np.repeat(first, following)


def _firsts(ordered: Nodes) -> Nodes:
    """Where each run of equal numbers begins."""
    import numpy as np

    return np.concatenate(([0], np.flatnonzero(np.diff(ordered)) + 1))
