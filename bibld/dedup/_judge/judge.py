"""From candidate pairs to decisions: scores, and the exceptions that stand above them. All in columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec

from bibld import adapters
from bibld.dedup._cluster.clusters import ISBNS, PARTS, RELATION, ClusterRules, Inside
from bibld.dedup._judge.exceptions import HARD, NESTED_PARTS, PARTS_CONFLICT, mask
from bibld.dedup._judge.works import Works
from bibld.dedup.method import Method
from bibld.model.features import FeatureColumns
from bibld.model.linkage import Decision
from bibld.parallel import map_in_threads, worker_count

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from bibld.dedup._judge.exception_kernels import Described

    Nodes = npt.NDArray[np.int64]
    Ends = npt.NDArray[np.integer]

DECISIONS: tuple[Decision, ...] = ("different", "review", "related", "same")
"""Decisions in the order of their numbers."""

DIFFERENT, REVIEW, RELATED, SAME = range(4)
_PAIRS_AT_ONCE = 10_000
_WAITING = 6
_RELEASED_EVERY = 400
"""After so many portions the pages of the index that they touched are let go."""


class Rows(Protocol):
    """Feature columns by position, in memory or on disk."""

    def rows(self, positions: Nodes, names: Iterable[str] | None = None) -> FeatureColumns:
        """The rows at some positions."""


class Judged(NamedTuple):
    """Pairs of positions with what was found about each, all of shape (pairs,).

    ``decisions`` are places in ``DECISIONS``; ``exceptions`` the bits of those that hold and count; ``is_work``:
    whether the two look like one work; ``is_one_source``: whether they are of one source of which a cluster holds but
    one; ``isbns_differ``: whether both have ISBNs and none in common (never for the paper's method).
    """

    left: Nodes
    right: Nodes
    scores: npt.NDArray[np.float64]
    decisions: npt.NDArray[np.uint8]
    exceptions: npt.NDArray[np.uint8]
    is_work: npt.NDArray[np.bool_]
    is_one_source: npt.NDArray[np.bool_]
    isbns_differ: npt.NDArray[np.bool_]

    def where(self, chosen: npt.NDArray[np.bool_] | Nodes) -> Judged:
        """Some of the pairs."""
        columns: list[Any] = [column[chosen] for column in self]
        return Judged(*columns)

    @classmethod
    def together(cls, parts: Iterable[Judged]) -> Judged:
        """Pairs of several, behind each other."""
        import numpy as np

        kinds = (np.int64, np.int64, np.float64, np.uint8, np.uint8, np.bool_, np.bool_, np.bool_)
        nothing = [np.empty(0, kind) for kind in kinds]
        together: list[Any] = [np.concatenate(columns) for columns in zip(nothing, *parts, strict=True)]
        return cls(*together)


class Judge:
    """Scores pairs of positions and decides about them.

    A scorer whose settings have ``review`` sorts pairs in three: at or above ``same`` the same, from ``review`` on for
    review, below different; and all exceptions apply. Of the different pairs those with an exception that look like one
    work are related. A scorer without ``review`` is judged as the paper judges: the same above ``same``, unless part
    numbers conflict.
    """

    def __init__(self, rows: Rows, sources: Ends, config: Method) -> None:
        """``sources``: the number of the source at each position, -1 where a cluster may hold several of it."""
        self.rows = rows
        self.sources = sources
        self.name = config.dedup.score
        self.scorer = adapters.load_adapter("dedup.score", self.name)
        self.settings = config.settings("dedup.score", self.name)
        self.same: float = self.settings.same
        self.review: float | None = getattr(self.settings, "review", None)
        self._asked = mask(tuple(config.dedup.exceptions))
        self._workers = worker_count(config.workers)
        several = frozenset(source.id for source in config.sources if source.config.duplicates)
        self.rules = ClusterRules(several, config.dedup.largest_cluster, self.review)

    def judged(self, left: Ends, right: Ends, least: float | None = None) -> Judged:
        """Decide about pairs; ``least``: know the exceptions also of those that score so low."""
        return Judged.together(self._portions([(left, right)], least))

    def edges(self, candidates: Iterable[tuple[Ends, Ends]], least: float | None = None) -> Judged:
        """Decide about candidates, and leave out those that are simply different; ``least``: but not where they score
        at least so much."""

        def kept(found: Judged) -> Judged:
            wanted = found.decisions != DIFFERENT
            return found.where(wanted if least is None else wanted | found.is_work | (found.scores >= least))

        return Judged.together(map(kept, self._portions(candidates, least)))

    def at(self, same: float) -> Judge:
        """A judge who differs in the threshold alone; ``review`` is no higher than it."""
        other = copy(self)
        other.same = same
        other.review = None if self.review is None else min(self.review, same)
        other.rules = msgspec.structs.replace(self.rules, review=other.review)
        return other

    def decided(self, judged: Judged) -> Judged:
        """The same scores and exceptions, decided by this judge."""
        return judged._replace(decisions=_decided(judged, self.same, self.review))

    def inside(self, left: Nodes, right: Nodes) -> Inside:
        """What the constraints on clusters ask about any pairs."""
        return self.known(self.judged(left, right))

    def known(self, judged: Judged) -> Inside:
        """What the constraints on clusters ask about pairs that are judged."""
        import numpy as np

        bars = np.zeros(len(judged.left), dtype=np.uint8)
        if self.review is not None:
            bars[judged.isbns_differ] = ISBNS
            bars[judged.exceptions & PARTS_CONFLICT > 0] = PARTS
            bars[judged.decisions == RELATED] = RELATION
        return Inside(judged.scores, bars)

    # -- portions ----------------------------------------------------------------------------------------------------

    def _portions(self, pairs: Iterable[tuple[Ends, Ends]], least: float | None) -> Iterator[Judged]:
        """Decisions in the order of the pairs, made by several threads."""
        release = getattr(self.rows, "release", None)

        def portions() -> Iterator[tuple[Nodes, Nodes]]:
            for number, portion in enumerate(_cut(pairs)):
                if release is not None and number % _RELEASED_EVERY == 0:
                    release()
                yield portion

        return map_in_threads(lambda ends: self._portion(*ends, least), portions(), self._workers, _WAITING)

    def _portion(self, left: Nodes, right: Nodes, least: float | None) -> Judged:
        import numpy as np

        from bibld.dedup._judge.exception_kernels import described, isbns_differ

        columns, ones, others = self._gathered(left, right, None)
        scores = np.round(self.scorer.scores(columns, ones, others, self.settings).astype(np.float64), 6)
        held, rows = described(columns), (ones.astype(np.int64), others.astype(np.int64))
        differ = is_work = np.zeros(len(left), dtype=np.bool_)
        if self.review is None:
            bits = np.where(_parts_differ(held, *rows), PARTS_CONFLICT, 0).astype(np.uint8)
        else:
            is_work, differ = Works(columns).agree(ones, others), isbns_differ(held, *rows)
            bits = self._exceptions(held, *rows, is_work | (scores >= min(self.review, least or 1.0)))
        of_left = self.sources[left]
        is_one_source = (of_left == self.sources[right]) & (of_left >= 0)
        nothing = np.zeros(len(left), dtype=np.uint8)
        found = Judged(left, right, scores, nothing, bits, is_work, is_one_source, differ)
        return found._replace(decisions=_decided(found, self.same, self.review))

    def _gathered(self, left: Nodes, right: Nodes, names: Iterable[str] | None) -> tuple[FeatureColumns, Ends, Ends]:
        """The rows that pairs speak of, each once, and the ends of the pairs among them."""
        import numpy as np

        positions, ends = np.unique(np.concatenate((left, right)), return_inverse=True)
        ends = ends.astype(np.uint32)
        return self.rows.rows(positions, names), ends[: len(left)], ends[len(left) :]

    def _exceptions(
        self, held: Described, left: Nodes, right: Nodes, wanted: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.uint8]:
        import numpy as np

        from bibld.dedup._judge.exception_kernels import exceptions

        bits = np.zeros(len(left), dtype=np.uint8)
        bits[wanted] = exceptions(held, left[wanted], right[wanted]) & np.uint8(self._asked)
        return bits

    def isbns_differ(self, left: Nodes, right: Nodes) -> npt.NDArray[np.bool_]:
        """Whether both of each pair have ISBNs and none in common, shape (pairs,); never for the paper's method."""
        import numpy as np

        from bibld.dedup._judge.exception_kernels import COLUMNS, described, isbns_differ

        if self.review is None:
            return np.zeros(len(left), dtype=np.bool_)
        found = [np.empty(0, dtype=np.bool_)]
        for ones, others in _cut([(left, right)]):
            columns, one_rows, other_rows = self._gathered(ones, others, COLUMNS)
            found.append(isbns_differ(described(columns), one_rows.astype(np.int64), other_rows.astype(np.int64)))
        return np.concatenate(found)


def _cut(pairs: Iterable[tuple[Ends, Ends]]) -> Iterator[tuple[Nodes, Nodes]]:
    """Pairs in portions."""
    import numpy as np

    for left, right in pairs:
        for start in range(0, len(left), _PAIRS_AT_ONCE):
            portion = slice(start, start + _PAIRS_AT_ONCE)
            yield left[portion].astype(np.int64), right[portion].astype(np.int64)


def _decided(judged: Judged, same: float, review: float | None) -> npt.NDArray[np.uint8]:
    """The decisions that scores and exceptions make; ``review`` None: as the paper decides."""
    import numpy as np

    bits = judged.exceptions
    decisions = np.full(len(bits), DIFFERENT, dtype=np.uint8)
    if review is None:
        is_same = judged.scores > same
        decisions[is_same] = np.where(bits[is_same] > 0, RELATED, SAME)
    else:
        is_high = judged.scores >= review
        decisions[is_high] = REVIEW
        decisions[(judged.scores >= same) & (bits == 0)] = SAME
        decisions[is_high & (bits & HARD > 0)] = RELATED
        decisions[~is_high & judged.is_work & (bits > 0)] = RELATED
    decisions[(decisions == SAME) & judged.is_one_source] = REVIEW
    return decisions


def _parts_differ(held: Described, left: Nodes, right: Nodes) -> npt.NDArray[np.bool_]:
    """Whether both rows of each pair have part numbers, which are not equal."""
    from bibld.dedup._judge.exception_kernels import exceptions

    differ: npt.NDArray[np.bool_] = exceptions(held, left, right) & (PARTS_CONFLICT | NESTED_PARTS) > 0
    return differ
