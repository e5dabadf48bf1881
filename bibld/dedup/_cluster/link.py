"""From decisions about pairs to clusters: what people said stands above what was judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from bibld.dedup._cluster.clusters import CUT, ISBNS, NOTHING, PERSON, Cut, Inside, Known, Links, grouped
from bibld.dedup._judge.judge import DECISIONS, REVIEW, SAME, Judge, Judged
from bibld.model.linkage import Decision

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Nodes = npt.NDArray[np.int64]

_NODE = 32


class Said(NamedTuple):
    """Pairs of positions that people spoke about, ``left < right``, and their decisions as places in ``DECISIONS``."""

    left: Nodes
    right: Nodes
    decisions: npt.NDArray[np.uint8]

    @classmethod
    def of(cls, verdicts: Mapping[tuple[int, int], Decision]) -> Said:
        """From pairs of positions."""
        import numpy as np

        pairs = np.array(sorted(verdicts), dtype=np.int64).reshape(-1, 2)
        decisions = [DECISIONS.index(verdicts[left, right]) for left, right in pairs.tolist()]
        return cls(pairs[:, 0], pairs[:, 1], np.array(decisions, dtype=np.uint8))


class Linked(NamedTuple):
    """Judged pairs as they stand when all clusters are known.

    ``decisions`` (pairs,) are final. ``is_said`` (pairs,): people decided it. ``refused`` (pairs,): what keeps a pair
    that was judged the same out of one cluster (``_clusters``, 0: nothing); ``witness`` (pairs, 2): the positions
    that this is about, of a cut twice the place in ``cuts``. Clusters of two and more are
    ``members[starts[c]:starts[c + 1]]``, positions ascending; a cluster stands where its first member would.
    """

    judged: Judged
    decisions: npt.NDArray[np.uint8]
    is_said: npt.NDArray[np.bool_]
    refused: npt.NDArray[np.uint8]
    witness: Nodes
    members: Nodes
    starts: Nodes
    cuts: tuple[Cut, ...]

    def clusters(self) -> Iterator[Nodes]:
        """The members of each cluster."""
        import numpy as np

        yield from np.split(self.members, self.starts[1:-1]) if len(self.members) else ()


def linked(judge: Judge, judged: Judged, said: Said, order: Callable[[Nodes], Nodes]) -> Linked:
    """Cluster judged pairs, each once and with ``left < right``.

    ``order`` gives numbers by which positions that tie are put in order.
    """
    import numpy as np

    judged, places = _with_said(judge, judged, said)
    decisions, is_said = judged.decisions.copy(), np.zeros(len(judged.left), dtype=np.bool_)
    decisions[places], is_said[places] = said.decisions, True
    chosen = np.flatnonzero(decisions == SAME)
    nodes, place = _nodes(judged.left[chosen], judged.right[chosen], len(judge.sources))
    links = Links(
        place[judged.left[chosen]],
        place[judged.right[chosen]],
        judged.scores[chosen],
        is_said[chosen],
        np.where(judged.isbns_differ[chosen], np.uint8(ISBNS), np.uint8(NOTHING)),
    )
    apart = _apart(said, nodes)

    def inside(left: Nodes, right: Nodes) -> Inside:
        return _barred(judge.inside(nodes[left], nodes[right]), left, right, apart)

    between = np.flatnonzero((place[judged.left] >= 0) & (place[judged.right] >= 0))
    left, right = place[judged.left[between]], place[judged.right[between]]
    known = Known(left, right, _barred(judge.known(judged.where(between)), left, right, apart))

    found = grouped(
        links,
        judge.sources[nodes].astype(np.int64),
        judge.rules,
        lambda some: order(nodes[some]),
        known,
        inside,
        apart,
    )
    refused = np.zeros(len(decisions), dtype=np.uint8)
    witness = np.zeros((len(decisions), 2), dtype=np.int64)
    is_torn = found.clusters[links.left] != found.clusters[links.right]
    refused[chosen[is_torn]] = found.refused[is_torn]
    witness[chosen[is_torn]] = _positions(found.refused[is_torn], found.witness[is_torn], nodes)
    decisions[chosen[is_torn & ~links.must]] = REVIEW
    cuts = tuple(Cut(int(nodes[cut.node]), cut.size, cut.score) for cut in found.cuts)
    return Linked(judged, decisions, is_said, refused, witness, *_members(found.clusters, nodes), cuts)


def _with_said(judge: Judge, judged: Judged, said: Said) -> tuple[Judged, Nodes]:
    """The pairs with those that people spoke of and no blocker proposed; and where all that they spoke of stand."""
    import numpy as np

    if not len(said.left):
        return judged, np.empty(0, dtype=np.int64)
    held, spoken = packed(judged.left, judged.right), packed(said.left, said.right)
    nearest = np.minimum(np.searchsorted(spoken, held), len(spoken) - 1)
    met = np.flatnonzero(spoken[nearest] == held)
    places = np.full(len(spoken), -1, dtype=np.int64)
    places[nearest[met]] = met
    new = places < 0
    places[new] = len(held) + np.arange(np.count_nonzero(new))
    if new.any():
        judged = Judged.together([judged, judge.judged(said.left[new], said.right[new])])
    return judged, places


def _nodes(left: Nodes, right: Nodes, positions: int) -> tuple[Nodes, Nodes]:
    """The positions that stand in pairs, ascending; and of all ``positions`` the place there, -1 for the others."""
    import numpy as np

    is_node = np.zeros(positions, dtype=np.bool_)
    is_node[left] = is_node[right] = True
    nodes = np.flatnonzero(is_node)
    place = np.full(positions, -1, dtype=np.int64)
    place[nodes] = np.arange(len(nodes))
    return nodes, place


def _apart(said: Said, nodes: Nodes) -> tuple[Nodes, Nodes]:
    """The pairs of nodes that people said not to be the same."""
    import numpy as np

    ends = np.stack([said.left, said.right])[:, said.decisions != SAME]
    ends = ends[:, np.isin(ends, nodes).all(axis=0)]
    places = np.searchsorted(nodes, ends)
    return places[0], places[1]


def _barred(known: Inside, left: Nodes, right: Nodes, apart: tuple[Nodes, Nodes]) -> Inside:
    import numpy as np

    is_apart = np.isin(packed(np.minimum(left, right), np.maximum(left, right)), packed(*apart))
    return known._replace(bars=np.where(is_apart, np.uint8(PERSON), known.bars))


def _positions(refused: npt.NDArray[np.uint8], witness: Nodes, nodes: Nodes) -> Nodes:
    """Witnesses as positions, but for those of cuts."""
    import numpy as np

    is_cut = (refused == CUT)[:, None]
    return np.where(is_cut, witness, nodes[np.where(is_cut, 0, witness)] if len(nodes) else witness)


def _members(clusters: Nodes, nodes: Nodes) -> tuple[Nodes, Nodes]:
    """The positions of the clusters of two and more, cluster by cluster, and where each begins."""
    import numpy as np

    sizes = np.bincount(clusters, minlength=len(clusters))
    held = np.flatnonzero(sizes[clusters] > 1) if len(clusters) else np.empty(0, dtype=np.int64)
    held = held[np.lexsort((held, clusters[held]))]
    firsts = np.flatnonzero(np.diff(clusters[held], prepend=-1))
    return nodes[held], np.concatenate((firsts, [len(held)]))


def packed(left: Nodes, right: Nodes) -> npt.NDArray[np.uint64]:
    """Pairs as ``left << 32 | right``."""
    import numpy as np

    return (left.astype(np.uint64) << np.uint64(_NODE)) | right.astype(np.uint64)


def halves(pairs: npt.NDArray[np.uint64]) -> tuple[Nodes, Nodes]:
    """The ends of pairs that are ``left << 32 | right``."""
    import numpy as np

    return (pairs >> np.uint64(_NODE)).astype(np.int64), (pairs & np.uint64((1 << _NODE) - 1)).astype(np.int64)
