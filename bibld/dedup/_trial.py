"""One way of matching, tried on records of a catalog, with what it joins and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Literal

import msgspec

from bibld.config import Config
from bibld.dedup._cluster.link import Linked, Said, halves, linked, packed
from bibld.dedup._judge.edges import Edges, with_outcome
from bibld.dedup._judge.judge import DIFFERENT, SAME, Judge
from bibld.dedup._judge.judge import Judged as JudgedPairs
from bibld.dedup._pairs.candidates import all_keys, proposed
from bibld.dedup._pairs.join import join
from bibld.dedup._prepared import Prepared
from bibld.dedup.labels import LabelledPair
from bibld.model.linkage import Pair, Verdict

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Mode = Literal["pairs", "full"]

THRESHOLDS = (*(step / 20 for step in range(1, 20)), 0.97, 0.98, 0.99, 0.995, 0.999)
"""The thresholds of a sweep."""


class BlockerResult(msgspec.Struct, frozen=True):
    """Candidate recall and cost of a blocker, of one of its kinds of keys, or of the union of all.

    ``refined`` oversized keys were refined, ``cut`` make no candidates.
    """

    blocker: str
    candidate_recall: float
    candidates: int
    candidates_per_record: float
    refined: int
    cut: int


class SweepPoint(msgspec.Struct, frozen=True):
    """The figures at one threshold."""

    threshold: float
    precision: float
    recall: float
    f1: float


class Judged(msgspec.Struct, frozen=True, eq=False):
    """What was joined, and the verdicts that tell why or why not."""

    joined: set[Pair]
    verdicts: dict[Pair, Verdict]

    def review(self) -> set[Pair]:
        """The pairs that wait for a person."""
        return {pair for pair, verdict in self.verdicts.items() if verdict.decision == "review"}


class Trial:
    """One way of matching, over records that are ready for it."""

    def __init__(self, ready: Prepared, config: Config, people: dict[Pair, Verdict]) -> None:
        import numpy as np

        self._ready = ready
        self._config = config
        self._people = people
        self._judge = Judge(ready.segments, ready.sources, config)
        self._edges = Edges(self._judge, ready.named, "evaluation")
        self._said = Said.of(ready.said(people))
        with join(ready.runs, config, ready.statistics) as found:
            self.candidates = np.sort(np.concatenate([np.empty(0, np.uint64), *found.packed()]))

    def full(self) -> Judged:
        """What the whole pipeline joins."""
        found = self._linked(self._judge.edges([halves(self.candidates)]))
        outcomes = {place: (rule, reason) for place, rule, reason in self._edges.outcomes(found)}
        verdicts = {}
        for place, (pair, verdict) in enumerate(self._edges.verdicts(found.judged)):
            verdicts[pair] = with_outcome(verdict, *outcomes[place]) if place in outcomes else verdict
        return Judged(self._joined(found), verdicts | self._spoken(verdicts))

    def pairs(self, labelled: Iterable[LabelledPair]) -> Judged:
        """What is said of labelled pairs, each on its own."""
        verdicts = self.verdicts([item.pair for item in labelled])
        verdicts |= self._spoken(verdicts)
        return Judged({pair for pair, verdict in verdicts.items() if verdict.decision == "same"}, verdicts)

    def verdicts(self, pairs: Sequence[Pair]) -> dict[Pair, Verdict]:
        """The judge's verdicts about any pairs."""
        return dict(self._edges.verdicts(self._judge.judged(*self._ends(pairs))))

    def _spoken(self, verdicts: Mapping[Pair, Verdict]) -> dict[Pair, Verdict]:
        return {pair: verdict for pair, verdict in self._people.items() if pair in verdicts}

    def _linked(self, judged: JudgedPairs, judge: Judge | None = None) -> Linked:
        return linked(judge or self._judge, judged, self._said, self._ready.order)

    def _joined(self, found: Linked) -> set[Pair]:
        members = (self._ready.named(cluster) for cluster in found.clusters())
        return {Pair.from_records(*pair) for cluster in members for pair in combinations(cluster, 2)}

    def sweep(self, labelled: Sequence[LabelledPair], true: set[Pair], mode: Mode) -> tuple[SweepPoint, ...]:
        """Judge the same scores anew at each threshold."""
        if mode == "full":
            scored = self._judge.edges([halves(self.candidates)], least=THRESHOLDS[0])
        else:
            scored = self._judge.judged(*self._ends([item.pair for item in labelled]), least=THRESHOLDS[0])
        points = []
        for threshold in THRESHOLDS:
            judge = self._judge.at(threshold)
            judged = judge.decided(scored)
            if mode == "full":
                joined = self._joined(self._linked(judged.where(judged.decisions != DIFFERENT), judge))
            else:
                same = judged.where(judged.decisions == SAME)
                left, right = self._ready.named(same.left), self._ready.named(same.right)
                joined = set(map(Pair.from_records, left, right))
            points.append(SweepPoint(threshold, *rates(joined, true)))
        return tuple(points)

    # -- candidates --------------------------------------------------------------------------------------------------

    def met(self, true: set[Pair], candidates: npt.NDArray[np.uint64]) -> set[Pair]:
        """The true pairs among candidates."""
        import numpy as np

        pairs = sorted(true)
        is_met = np.isin(packed(*self._ends(pairs)), candidates).tolist()
        return {pair for pair, one in zip(pairs, is_met, strict=True) if one}

    def blockers(self, true: set[Pair]) -> tuple[BlockerResult, ...]:
        """Each blocker, each of its kinds of keys where it has several, and the union of all."""
        columns = self._ready.segments.chunk(0, len(self._ready.segments))
        keys = all_keys(columns, self._config, self._ready.statistics)
        found = []
        for blocker in keys:
            pairs = proposed(blocker, columns, self._config)
            found.append((blocker.name, pairs, blocker.counts.refined, blocker.counts.cut))
            families = blocker.families()
            if len(families) > 1:
                found += ((f"  {part.family}", proposed(part, columns, self._config), 0, 0) for part in families)
        refined, cut = (
            sum(counts) for counts in zip(*((one.counts.refined, one.counts.cut) for one in keys), strict=True)
        )
        found.append(("all", self.candidates, refined, cut))
        records = max(len(columns), 1)
        return tuple(
            BlockerResult(
                name, share(len(self.met(true, pairs)), len(true)), len(pairs), round(len(pairs) / records, 4), *counts
            )
            for name, pairs, *counts in found
        )

    def _ends(self, pairs: Sequence[Pair]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The positions of pairs, the smaller one left."""
        import numpy as np

        places = self._ready.positions
        ends = np.array([sorted((places[pair.left], places[pair.right])) for pair in pairs], np.int64).reshape(-1, 2)
        return ends[:, 0].copy(), ends[:, 1].copy()


def rates(joined: set[Pair], true: set[Pair]) -> tuple[float, float, float]:
    """Precision, recall and F1 of joined pairs against the true ones, to four decimals."""
    hits = len(joined & true)
    precision = hits / len(joined) if joined else 1.0
    recall = hits / len(true) if true else 1.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return round(precision, 4), round(recall, 4), round(f1, 4)


def share(part: int, whole: int) -> float:
    """A part of a whole to four decimals; 1 of nothing."""
    return round(part / whole, 4) if whole else 1.0
