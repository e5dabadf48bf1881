"""Measure matching on labelled pairs: precision, recall, and which step lost which pairs.

``read_pairs`` (``labels``) reads the labelled pairs, ``evaluate`` matches the records of a catalog as configured and
compares the result with the labels. Nothing is stored.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations
from time import perf_counter
from typing import Literal

import msgspec
import numpy as np
import numpy.typing as npt

from bibld.catalog import Catalog
from bibld.config import Config
from bibld.dedup.candidates import proposed_pairs
from bibld.dedup.clustering import ClusteredPairs, PersonDecisions, cluster_pairs
from bibld.dedup.decisions import DIFFERENT, SAME, DecidedPairs, Decider
from bibld.dedup.edges import Edges
from bibld.dedup.keys import keys_of_all
from bibld.dedup.labels import LabelledPair, read_pairs
from bibld.dedup.memory import Prepared, prepare
from bibld.dedup.packed_pairs import pack_pairs, unpack_pairs
from bibld.model.linkage import Pair, Verdict
from bibld.progress import Progress

__all__ = ["Evaluation", "LabelledPair", "Mode", "evaluate", "rates", "read_pairs"]

Mode = Literal["pairs", "full"]
Step = Literal["blocking", "threshold", "exception", "cluster", "person"]

THRESHOLDS = (*(step / 20 for step in range(1, 20)), 0.97, 0.98, 0.99, 0.995, 0.999)
"""The thresholds of a sweep."""

_EXCEPTIONS = ("level", "set_and_volume", "nested_parts", "edition", "year", "carrier", "language")
_CONSTRAINTS = ("one_record_per_source", "identifiers", "related", "medoid", "largest_cluster")
_LEVELS = {"m": "monograph", "v": "volume", "c": "set", "s": "serial", "i": "issue", "a": "article"}


class KindResult(msgspec.Struct, frozen=True):
    """The labelled pairs of one kind: how many there are, and how many were decided as labelled."""

    kind: str
    is_duplicate: bool
    pairs: int
    right: int


class MaterialResult(msgspec.Struct, frozen=True):
    """The confusion matrix for one type of material, or for two where the records of a pair differ.

    ``joined`` counts the true positives, ``lost`` the false negatives, ``wrongly_joined`` the false positives and
    ``rightly_separate`` the true negatives among the labelled pairs.
    """

    material: str
    joined: int
    lost: int
    wrongly_joined: int
    rightly_separate: int


class Loss(msgspec.Struct, frozen=True):
    """The true pairs that one rule lost: ``by`` is the decision with its rule, ``step`` the step that it belongs to.

    ``blocking``: never compared; ``threshold``: the score is too low; ``exception``: a rule outweighs the score;
    ``cluster``: a constraint on clusters, or a better cluster; ``person``: a person decided.
    """

    by: str
    step: Step
    pairs: tuple[tuple[str, str], ...]


class Wrong(msgspec.Struct, frozen=True):
    """A pair decided otherwise than labelled: ``is_joined`` but not true, or true but not joined; ``by``: the rule."""

    left: str
    right: str
    is_joined: bool
    by: str


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


class Evaluation(msgspec.Struct, frozen=True):
    """The figures. ``pairs`` counts the labelled pairs; ``wrong`` lists those decided otherwise than labelled.

    Mode ``pairs``: every labelled pair is scored, whether or not blocking proposes it. Mode ``full``: what the whole
    pipeline joins, against all true pairs; a joined pair that is not labelled as true counts as wrong.
    ``review`` counts the pairs that wait for a person, and ``review_true`` the true ones among them. ``materials`` are
    by carrier and level together, ``carriers`` and ``levels`` by each alone.
    """

    mode: str
    precision: float
    recall: float
    f1: float
    candidate_recall: float
    candidates_per_record: float
    pairs: int
    true_pairs: int
    records: int
    candidates: int
    review: int
    review_true: int
    seconds: float
    kinds: tuple[KindResult, ...]
    materials: tuple[MaterialResult, ...]
    carriers: tuple[MaterialResult, ...]
    levels: tuple[MaterialResult, ...]
    losses: tuple[Loss, ...]
    wrong: tuple[Wrong, ...]
    blockers: tuple[BlockerResult, ...] = ()
    sweep: tuple[SweepPoint, ...] = ()


class Outcome(msgspec.Struct, frozen=True, eq=False):
    """The pairs that are in one cluster (mode ``pairs``: those decided as the same), and the verdict of each pair."""

    joined: set[Pair]
    verdicts: dict[Pair, Verdict]

    def review(self) -> set[Pair]:
        """Return the pairs that wait for a person."""
        return {pair for pair, verdict in self.verdicts.items() if verdict.decision == "review"}


def evaluate(
    catalog: Catalog,
    config: Config,
    labelled: Sequence[LabelledPair],
    mode: Mode,
    progress: Progress,
    blockers: bool = False,
    sweep: bool = False,
) -> Evaluation:
    """Match all records as configured and compare the result with the labels; nothing is stored.

    With ``blockers`` the result has the recall of each blocker and each kind of key, with ``sweep`` the figures at
    other thresholds.
    """
    begin = perf_counter()
    with prepare(catalog, config, progress) as ready:
        trial = Trial(ready, config, catalog.register.verdicts())
        outcome = trial.match_all() if mode == "full" else trial.match_pairs(labelled)
        seconds = perf_counter() - begin
        true = {item.pair for item in labelled if item.is_duplicate}
        candidates = trial.pairs_among(true, trial.candidates)
        lost = _losses(trial, outcome, true, candidates if mode == "full" else true, config.dedup.score)
        labels = dict.fromkeys(outcome.joined, False) | {item.pair: item.is_duplicate for item in labelled}
        precision, recall, f1 = rates(outcome.joined, true)
        count, records = len(trial.candidates), len(ready.rows.table)
        return Evaluation(
            mode=mode,
            precision=precision,
            recall=recall,
            f1=f1,
            candidate_recall=share(len(candidates), len(true)),
            candidates_per_record=round(count / records, 4) if records else 0.0,
            pairs=len(labelled),
            true_pairs=len(true),
            records=records,
            candidates=count,
            review=len(outcome.review()),
            review_true=len(outcome.review() & true),
            seconds=round(seconds, 3),
            kinds=_kinds(labelled, outcome.joined),
            materials=_materials(labels, outcome.joined, ready, ("carrier", "level")),
            carriers=_materials(labels, outcome.joined, ready, ("carrier",)),
            levels=_materials(labels, outcome.joined, ready, ("level",)),
            losses=lost,
            wrong=_wrong(lost, outcome, true),
            blockers=trial.measure_blockers(true) if blockers else (),
            sweep=trial.sweep(labelled, true, mode) if sweep else (),
        )


def rates(joined: set[Pair], true: set[Pair]) -> tuple[float, float, float]:
    """Return precision, recall and F1 of joined pairs against the true ones, to four decimals."""
    hits = len(joined & true)
    precision = hits / len(joined) if joined else 1.0
    recall = hits / len(true) if true else 1.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return round(precision, 4), round(recall, 4), round(f1, 4)


def share(part: int, total: int) -> float:
    """Return a part of a total to four decimals; 1 of nothing."""
    return round(part / total, 4) if total else 1.0


class Trial:
    """One method of matching, tried on prepared records; ``people`` are the verdicts that outweigh scores.

    ``candidates`` are the pairs of positions that blocking proposes, ascending, as ``left << 32 | right``.
    """

    def __init__(self, ready: Prepared, config: Config, people: dict[Pair, Verdict]) -> None:
        self._ready = ready
        self._config = config
        self._people = people
        self._decider = Decider(ready.rows.table, ready.sources, config)
        self._edges = Edges(self._decider, ready.rows.records_of, "evaluation")
        self._by_people = PersonDecisions.from_verdicts(ready.rows.verdicts(people))
        with ready.candidates() as found:
            self.candidates = np.sort(np.concatenate([np.empty(0, np.uint64), *found.packed()]))

    def cluster(self) -> ClusteredPairs:
        """Score and cluster all candidates, as a run does."""
        return self._clustered(self._decider.edges([unpack_pairs(self.candidates)]))

    def match_all(self) -> Outcome:
        """Score and cluster all candidates, and give each pair its verdict."""
        found = self.cluster()
        verdicts = dict(self._edges.verdicts(found.pairs))
        pairs = list(verdicts)
        for place, outcome in self._edges.outcomes(found).items():
            verdicts[pairs[place]] = outcome.apply(verdicts[pairs[place]])
        return Outcome(self._joined(found), verdicts | self._verdicts_of_people(verdicts))

    def match_pairs(self, labelled: Iterable[LabelledPair]) -> Outcome:
        """Decide about the labelled pairs, each independently of the others."""
        verdicts = self.verdicts([item.pair for item in labelled])
        verdicts |= self._verdicts_of_people(verdicts)
        return Outcome({pair for pair, verdict in verdicts.items() if verdict.decision == "same"}, verdicts)

    def verdicts(self, pairs: Sequence[Pair]) -> dict[Pair, Verdict]:
        """Decide about any pairs by their scores and exceptions."""
        return dict(self._edges.verdicts(self._decider.decide(*self._ends(pairs))))

    def sweep(self, labelled: Sequence[LabelledPair], true: set[Pair], mode: Mode) -> tuple[SweepPoint, ...]:
        """Score once, then decide at each threshold."""
        if mode == "full":
            scored = self._decider.edges([unpack_pairs(self.candidates)], least=THRESHOLDS[0])
        else:
            scored = self._decider.decide(*self._ends([item.pair for item in labelled]), least=THRESHOLDS[0])
        points = []
        for threshold in THRESHOLDS:
            decider = self._decider.with_threshold(threshold)
            decided = decider.decide_again(scored)
            if mode == "full":
                joined = self._joined(self._clustered(decided.take(decided.decisions != DIFFERENT), decider))
            else:
                same = decided.take(decided.decisions == SAME)
                ends = (self._ready.rows.records_of(side) for side in (same.left, same.right))
                joined = set(map(Pair.from_records, *ends))
            points.append(SweepPoint(threshold, *rates(joined, true)))
        return tuple(points)

    def pairs_among(self, pairs: set[Pair], candidates: npt.NDArray[np.uint64]) -> set[Pair]:
        """Return those pairs that are among the candidates."""
        ordered = sorted(pairs)
        is_candidate = np.isin(pack_pairs(*self._ends(ordered)), candidates).tolist()
        return {pair for pair, found in zip(ordered, is_candidate, strict=True) if found}

    def measure_blockers(self, true: set[Pair]) -> tuple[BlockerResult, ...]:
        """Measure each blocker, each of its kinds of keys where it has several, and the union of all."""
        columns = self._ready.rows.table.chunk(0, len(self._ready.rows.table))
        results = []

        def add(name: str, pairs: npt.NDArray[np.uint64], refined: int = 0, cut: int = 0) -> None:
            recall = share(len(self.pairs_among(true, pairs)), len(true))
            per_record = round(len(pairs) / max(len(columns), 1), 4)
            results.append(BlockerResult(name, recall, len(pairs), per_record, refined, cut))

        all_keys = keys_of_all(columns, self._config, self._ready.statistics)
        for keys in all_keys:
            add(keys.blocker.name, proposed_pairs(keys, columns, self._config), keys.refined, keys.cut)
            families = keys.families()
            for part in families if len(families) > 1 else ():
                add(f"  {part.family}", proposed_pairs(part, columns, self._config))
        add("all", self.candidates, sum(keys.refined for keys in all_keys), sum(keys.cut for keys in all_keys))
        return tuple(results)

    def _clustered(self, decided: DecidedPairs, decider: Decider | None = None) -> ClusteredPairs:
        return cluster_pairs(decider or self._decider, decided, self._by_people, self._ready.rows.order_of)

    def _joined(self, found: ClusteredPairs) -> set[Pair]:
        members = (self._ready.rows.records_of(cluster) for cluster in found.clusters())
        return {Pair.from_records(*pair) for cluster in members for pair in combinations(cluster, 2)}

    def _verdicts_of_people(self, pairs: Iterable[Pair]) -> dict[Pair, Verdict]:
        return {pair: self._people[pair] for pair in pairs if pair in self._people}

    def _ends(self, pairs: Sequence[Pair]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the positions of pairs, the smaller one left."""
        row_of = self._ready.rows.row_of
        ends = np.array([(row_of(pair.left), row_of(pair.right)) for pair in pairs], np.int64).reshape(-1, 2)
        return ends.min(axis=1), ends.max(axis=1)


# -- figures -----------------------------------------------------------------------------------------------------------


def _kinds(labelled: Iterable[LabelledPair], joined: set[Pair]) -> tuple[KindResult, ...]:
    pairs: Counter[tuple[bool, str]] = Counter()
    right: Counter[tuple[bool, str]] = Counter()
    for item in labelled:
        group = (not item.is_duplicate, item.kind)
        pairs[group] += 1
        right[group] += (item.pair in joined) == item.is_duplicate
    return tuple(
        KindResult(kind, not negative, count, right[negative, kind])
        for (negative, kind), count in sorted(pairs.items())
    )


def _materials(
    labels: dict[Pair, bool], joined: set[Pair], ready: Prepared, features: Sequence[str]
) -> tuple[MaterialResult, ...]:
    """Return the confusion matrix for each combination of values of these features."""
    records = sorted({record for pair in labels for record in (pair.left, pair.right)})
    columns = ready.rows.table.rows(np.array([ready.rows.row_of(record) for record in records], np.int64), features)
    material = {}
    for row, record in enumerate(records):
        texts = [columns.texts[name].text(row) or "unknown" for name in features]
        material[record] = " ".join(_LEVELS.get(text, text) for text in texts)
    counts: defaultdict[str, Counter[tuple[bool, bool]]] = defaultdict(Counter)
    for pair, is_true in labels.items():
        counts[" / ".join(sorted({material[pair.left], material[pair.right]}))][is_true, pair in joined] += 1
    return tuple(
        MaterialResult(name, count[True, True], count[True, False], count[False, True], count[False, False])
        for name, count in sorted(counts.items())
    )


def _losses(trial: Trial, outcome: Outcome, true: set[Pair], candidates: set[Pair], scorer: str) -> tuple[Loss, ...]:
    """Return the rules that lost true pairs, the greatest losses first; ``candidates`` are the true candidate pairs."""
    lost: defaultdict[tuple[str, Step], list[tuple[str, str]]] = defaultdict(list)
    missed = sorted(true - outcome.joined)
    verdicts = trial.verdicts([pair for pair in missed if pair not in outcome.verdicts]) | outcome.verdicts
    for pair in missed:
        verdict = verdicts[pair]
        by, step = f"{verdict.decision}: {verdict.by}", _step(verdict, scorer)
        if pair not in candidates and pair not in outcome.verdicts:
            by, step = "not a candidate", "blocking"
        elif verdict.decision == "same":
            by, step = "in another cluster", "cluster"
        lost[by, step].append((str(pair.left), str(pair.right)))
    ordered = sorted(lost.items(), key=lambda one: (-len(one[1]), one[0]))
    return tuple(Loss(by, step, tuple(pairs)) for (by, step), pairs in ordered)


def _step(verdict: Verdict, scorer: str) -> Step:
    if verdict.by == scorer:
        return "threshold"
    if verdict.by == "part_numbers":
        return "exception" if verdict.decision == "related" else "cluster"
    if verdict.by in _EXCEPTIONS:
        return "exception"
    return "cluster" if verdict.by in _CONSTRAINTS else "person"


def _wrong(lost: Iterable[Loss], outcome: Outcome, true: set[Pair]) -> tuple[Wrong, ...]:
    """Return the lost true pairs, then the wrongly joined ones: by their score or through other records."""
    missed = sorted((left, right, loss.by) for loss in lost for left, right in loss.pairs)
    wrong = [Wrong(left, right, is_joined=False, by=by) for left, right, by in missed]
    for pair in sorted(outcome.joined - true):
        verdict = outcome.verdicts.get(pair)
        by = f"same: {verdict.by}" if verdict is not None and verdict.decision == "same" else "through others"
        wrong.append(Wrong(str(pair.left), str(pair.right), is_joined=True, by=by))
    return tuple(wrong)
