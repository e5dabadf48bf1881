"""Measure matching on labelled pairs: precision, recall, and which step lost which pairs.

``evaluate`` matches the records of a catalog as configured and compares the result with labelled pairs. Nothing is
stored. Pairs are numbers (``pack_pairs``) of rows.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from time import perf_counter
from typing import Any, Literal, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from bibld.catalog import Catalog
from bibld.config import Config
from bibld.dedup.arrays import means_by_bin, pack_pairs, unpack_pairs
from bibld.dedup.candidates import proposed_pairs
from bibld.dedup.clustering import ClusteredPairs, PersonDecisions, cluster_pairs, pairs_in_clusters
from bibld.dedup.decisions import DIFFERENT, REVIEW, SAME, DecidedPairs, Decider
from bibld.dedup.edges import ClusterRefusal, Edges
from bibld.dedup.exceptions import RULES, Effect
from bibld.dedup.index import RecordRows
from bibld.dedup.keys import keys_of_all
from bibld.dedup.memory import Prepared, prepare
from bibld.dedup.pair_files import LabelledPair
from bibld.errors import StageError
from bibld.model.brief import brief
from bibld.model.linkage import Pair, Verdict
from bibld.progress import Progress

Mode = Literal["auto", "full", "pairs"]
Step = Literal["blocking", "threshold", "exception", "cluster", "person"]
Numbers = npt.NDArray[np.uint64]
Flags = npt.NDArray[np.bool_]

THRESHOLDS = (*(step / 20 for step in range(1, 20)), 0.97, 0.98, 0.99, 0.995, 0.999)
"""The thresholds of a sweep."""

_MAX_CANDIDATES = 200_000_000
"""The most pairs that are kept in memory; sorted and scored they take 5 GB."""

_BINS = (0.0, 0.05, *(step / 10 for step in range(1, 10)), 0.95, 0.99)
"""The lower ends of the bins of scores whose calibration is measured."""

_EXCEPTIONS = frozenset(rule.name for rule in RULES if rule.effect != Effect.SEPARATE)
CONSTRAINTS = ("one_record_per_source", "identifiers", "related", "medoid", "largest_cluster")
LEVELS = {"m": "monograph", "v": "volume", "c": "set", "s": "serial", "i": "issue", "a": "article"}


class Measures(msgspec.Struct, frozen=True):
    """What to measure, and among which pairs.

    ``across``: only pairs of records of different sources count. ``blockers``: also the recall of each blocker and each
    kind of key. ``sweep``: also the figures at other thresholds, and the calibration of the scores.
    """

    across: bool = False
    blockers: bool = False
    sweep: bool = False


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
    """A pair decided otherwise than labelled: ``is_joined`` but not true, or true but not joined; ``by``: the rule.

    ``step`` is that of a lost pair, as in :class:`Loss`.
    """

    left: str
    right: str
    is_joined: bool
    by: str
    step: Step | None = None


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


class CalibrationBin(msgspec.Struct, frozen=True):
    """Pairs with a score from ``least`` up to the next bin: how many, their mean score, and the share that is true.

    The scores are calibrated if both agree.
    """

    least: float
    pairs: int
    score: float
    share: float


class Evaluation(msgspec.Struct, frozen=True):
    """The figures. ``pairs`` counts the labelled pairs; ``wrong`` lists those decided otherwise than labelled.

    Mode ``pairs``: every labelled pair is scored, whether or not blocking proposes it. Mode ``full``: what the whole
    pipeline joins, against all true pairs; a joined pair that is not labelled as true counts as wrong. Mode ``auto`` is
    ``full``, unless the labels are incomplete: some are of different records, and some joined pairs have none. These
    do not count then; ``unlabelled`` is their number.
    ``review`` counts the pairs that wait for a person, and ``review_true`` the true ones among them. ``materials`` are
    by carrier and level together, ``carriers`` and ``levels`` by each alone. ``within`` counts the labelled pairs of
    one source that were left out, ``skipped`` has a message for each labelled pair with an unknown or deleted record.
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
    calibration: tuple[CalibrationBin, ...] = ()
    within: int = 0
    skipped: tuple[str, ...] = ()
    unlabelled: int = 0

    __repr__ = brief


class Labels(NamedTuple):
    """Labelled pairs, ascending, with whether each is true, and its kind; ``within`` counts those left out."""

    pairs: Numbers
    is_true: Flags
    kinds: Sequence[str]
    within: int

    @classmethod
    def from_pairs(cls, labelled: Iterable[LabelledPair], rows: RecordRows, across: bool) -> Labels:
        """Return labels by rows; ``across``: only those of pairs of different sources."""
        by_rows = {tuple(sorted(map(rows.row_of, (one.pair.left, one.pair.right)))): one for one in labelled}
        ends = np.array(sorted(by_rows), np.int64).reshape(-1, 2)
        counts = are_across(ends[:, 0], ends[:, 1], rows) | (not across)
        chosen = [by_rows[left, right] for left, right in ends[counts].tolist()]
        is_true = np.array([one.is_duplicate for one in chosen], np.bool_)
        return cls(pack_pairs(*ends[counts].T), is_true, [one.kind for one in chosen], len(ends) - len(chosen))

    @property
    def true(self) -> Numbers:
        """Return the true pairs."""
        return self.pairs[self.is_true]


class TrialOutcome(NamedTuple):
    """What was decided: pairs with their final decisions, and the pairs that are in one cluster (``joined``).

    In the mode ``pairs`` the pairs decided as the same are joined. ``refused``: why clustering changed the decision
    about a pair.
    """

    pairs: Numbers
    decisions: npt.NDArray[np.uint8]
    joined: Numbers
    refused: Mapping[int, ClusterRefusal]


def evaluate(
    catalog: Catalog,
    config: Config,
    labelled: Sequence[LabelledPair],
    mode: Mode,
    progress: Progress,
    measures: Measures | None = None,
) -> Evaluation:
    """Match all records as configured and compare the result with the labels; nothing is stored."""
    begin, measures = perf_counter(), measures or Measures()
    with prepare(catalog, config, progress) as ready:
        labels = Labels.from_pairs(labelled, ready.rows, measures.across)
        trial = Trial(ready, config, catalog.register.verdicts(), measures.across, labels.pairs)
        trial.only = labels.pairs if mode == "auto" and not labels.is_true.all() else None
        outcome = trial.match_pairs(labels.pairs) if mode == "pairs" else trial.match_all()
        unlabelled = trial.unlabelled
        seconds = perf_counter() - begin
        precision, recall, f1 = rates(outcome.joined, labels.true)
        count, records = len(trial.candidates), len(ready.rows.table)
        waiting = trial.counted(outcome.pairs[outcome.decisions == REVIEW])
        wrong = trial.wrong(labels.true, outcome)
        scored = trial.scored(labels.pairs, mode) if measures.sweep else None
        return Evaluation(
            mode=mode,
            precision=precision,
            recall=recall,
            f1=f1,
            candidate_recall=found_share(labels.true, trial.candidates),
            candidates_per_record=round(count / records, 4) if records else 0.0,
            pairs=len(labels.pairs),
            true_pairs=len(labels.true),
            records=records,
            candidates=count,
            review=len(waiting),
            review_true=int(np.isin(waiting, labels.true).sum()),
            seconds=round(seconds, 3),
            kinds=_kinds(labels, outcome.joined),
            materials=_materials(labels, outcome.joined, ready, ("carrier", "level")),
            carriers=_materials(labels, outcome.joined, ready, ("carrier",)),
            levels=_materials(labels, outcome.joined, ready, ("level",)),
            losses=_losses(wrong),
            wrong=tuple(wrong),
            blockers=trial.measure_blockers(labels.true) if measures.blockers else (),
            sweep=trial.sweep(scored, labels.true, mode) if scored else (),
            calibration=trial.calibration(scored, labels.true, mode) if scored else (),
            within=labels.within,
            unlabelled=unlabelled,
        )


def rates(joined: Numbers, true: Numbers) -> tuple[float, float, float]:
    """Return precision, recall and F1 of joined pairs against the true ones, to four decimals."""
    hits = int(np.isin(joined, true).sum())
    return share(hits, len(joined)), share(hits, len(true)), share(2 * hits, len(joined) + len(true))


def share(part: int, total: int) -> float:
    """Return a part of a total to four decimals; 1 of nothing."""
    return round(part / total, 4) if total else 1.0


def found_share(pairs: Numbers, candidates: Numbers) -> float:
    """Return the share of pairs that are among the candidates."""
    return share(int(np.isin(pairs, candidates).sum()), len(pairs))


def _in_memory(portions: Iterable[Numbers]) -> Numbers:
    """Return all candidates, ascending; raises ``StageError`` where they are too many to be looked up one by one."""
    found = [np.empty(0, np.uint64)]
    for portion in portions:
        if sum(map(len, found)) + len(portion) > _MAX_CANDIDATES:
            raise StageError(
                f"blocking proposes more than {_MAX_CANDIDATES:,} pairs, which is more than an evaluation keeps in"
                " memory; evaluate fewer records, or keys that fewer records share"
            )
        found.append(portion)
    return np.sort(np.concatenate(found))


class Trial:
    """One method of matching, tried on prepared records; ``people`` are the verdicts that outweigh scores.

    ``candidates`` are the pairs that blocking proposes, ascending. ``across``: pairs of one source do not count. Of two
    sources only such pairs count as the ``labelled`` pairs cover: nobody labelled those with a third source. ``only``:
    no other pairs count as joined or are calibrated; ``unlabelled`` is how many were joined last.
    """

    only: Numbers | None = None
    unlabelled = 0

    def __init__(
        self,
        ready: Prepared,
        config: Config,
        people: dict[Pair, Verdict],
        across: bool = False,
        labelled: Numbers | None = None,
    ) -> None:
        self._ready = ready
        self._config = config
        self._people = people
        self._across = across
        self._covered = None if labelled is None else np.unique(ready.rows.sources_of(*unpack_pairs(labelled)))
        self._decider = Decider(ready.rows.table, ready.sources, config, ready.statistics)
        self._edges = Edges(self._decider, ready.rows.records_of, "evaluation")
        self._by_people = PersonDecisions.from_verdicts(ready.rows.verdicts(people))
        with ready.candidates() as found:
            self.candidates = _in_memory(found.packed())

    def counted(self, pairs: Numbers) -> Numbers:
        """Return those pairs that count."""
        is_across = are_across(*unpack_pairs(pairs), self._ready.rows)
        counts = is_across | (not self._across)
        if self._covered is not None:
            counts &= ~is_across | np.isin(self._ready.rows.sources_of(*unpack_pairs(pairs)), self._covered)
        return pairs[counts]

    def cluster(self) -> ClusteredPairs:
        """Score and cluster all candidates, as a run does."""
        return self._clustered(self._decider.edges([unpack_pairs(self.candidates)]))

    def joined(self, found: ClusteredPairs) -> Numbers:
        """Return the pairs that count and are in one cluster, ascending."""
        joined = self.counted(pairs_in_clusters(found.members, found.starts))
        kept = joined if self.only is None else np.intersect1d(joined, self.only)
        self.unlabelled = len(joined) - len(kept)
        return kept

    def match_all(self) -> TrialOutcome:
        """Score and cluster all candidates."""
        found = self.cluster()
        pairs = pack_pairs(found.pairs.left, found.pairs.right)
        refused = {int(pairs[position]): outcome for position, outcome in self._edges.outcomes(found).items()}
        return TrialOutcome(pairs, found.decisions, self.joined(found), refused)

    def match_pairs(self, pairs: Numbers) -> TrialOutcome:
        """Decide about some pairs, each independently of the others."""
        by_people = pack_pairs(self._by_people.left, self._by_people.right)
        _, here, there = np.intersect1d(pairs, by_people, return_indices=True)
        decisions = self._decider.decide(*unpack_pairs(pairs)).decisions
        decisions[here] = self._by_people.decisions[there]
        return TrialOutcome(pairs, decisions, pairs[decisions == SAME], {})

    def verdicts(self, pairs: Numbers, outcome: TrialOutcome) -> Iterator[tuple[int, Pair, Verdict]]:
        """Yield each pair with its records and its verdict; pairs without a decision are decided now."""
        decided = self._decider.decide(*unpack_pairs(pairs))
        for number, (pair, verdict) in zip(pairs.tolist(), self._edges.verdicts(decided), strict=True):
            refused = outcome.refused.get(number)
            yield number, pair, self._people.get(pair) or (refused.apply(verdict) if refused else verdict)

    def wrong(self, true: Numbers, outcome: TrialOutcome) -> list[Wrong]:
        """Return the true pairs that were lost, then the wrongly joined ones, each in the order of their ids."""
        lost, joined = np.setdiff1d(true, outcome.joined), np.setdiff1d(outcome.joined, true)
        unseen = set(np.setdiff1d(lost, np.union1d(self.candidates, outcome.pairs)).tolist())
        same = set(outcome.pairs[outcome.decisions == SAME].tolist())
        found = []
        for number, pair, verdict in self.verdicts(lost, outcome):
            by, step = f"{verdict.decision}: {verdict.by}", _step(verdict, self._config.dedup.score)
            if number in unseen:
                by, step = "not a candidate", "blocking"
            elif verdict.decision == "same":
                by, step = "in another cluster", "cluster"
            found.append(Wrong(str(pair.left), str(pair.right), False, by, step))
        for number, pair, verdict in self.verdicts(joined, outcome):
            by = f"same: {verdict.by}" if number in same else "through others"
            found.append(Wrong(str(pair.left), str(pair.right), True, by))
        return sorted(found, key=lambda one: (one.is_joined, one.left, one.right))

    # -- thresholds, scores, blockers ----------------------------------------------------------------------------------

    def scored(self, pairs: Numbers, mode: Mode) -> DecidedPairs:
        """Score these pairs, unless the mode is ``pairs`` all candidates but those below all thresholds."""
        if mode != "pairs":
            return self._decider.edges([unpack_pairs(self.candidates)], least=THRESHOLDS[0])
        return self._decider.decide(*unpack_pairs(pairs), least=THRESHOLDS[0])

    def sweep(self, scored: DecidedPairs, true: Numbers, mode: Mode) -> tuple[SweepPoint, ...]:
        """Decide about scored pairs at each threshold."""
        points = []
        for threshold in THRESHOLDS:
            decider = self._decider.with_threshold(threshold)
            decided = decider.decide_again(scored)
            if mode != "pairs":
                joined = self.joined(self._clustered(decided.take(decided.decisions != DIFFERENT), decider))
            else:
                joined = pack_pairs(*decided.take(decided.decisions == SAME)[:2])
            points.append(SweepPoint(threshold, *rates(joined, true)))
        return tuple(points)

    def calibration(self, scored: DecidedPairs, true: Numbers, mode: Mode) -> tuple[CalibrationBin, ...]:
        """Return the share of true pairs by score, of each bin that has any pairs."""
        pairs = pack_pairs(scored.left, scored.right)
        counts = np.isin(pairs, self.counted(pairs) if self.only is None else self.only)
        counts &= scored.scores >= (0 if mode == "pairs" else THRESHOLDS[0])
        scores, is_true = scored.scores[counts], np.isin(pairs[counts], true)
        return tuple(CalibrationBin(*one) for one in means_by_bin(scores, _BINS, scores, is_true))

    def measure_blockers(self, true: Numbers) -> tuple[BlockerResult, ...]:
        """Measure each blocker, each of its kinds of keys where it has several, and the union of all."""
        columns = self._ready.rows.table.chunk(0, len(self._ready.rows.table))
        results = []

        def add(name: str, pairs: Numbers, refined: int = 0, cut: int = 0) -> None:
            per_record = round(len(pairs) / max(len(columns), 1), 4)
            results.append(BlockerResult(name, found_share(true, pairs), len(pairs), per_record, refined, cut))

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


def are_across(left: npt.NDArray[Any], right: npt.NDArray[Any], rows: RecordRows) -> Flags:
    """Return whether the records of each pair are of different sources."""
    source: npt.NDArray[Any] = rows.table.source
    return np.asarray(source[left] != source[right])


# -- figures -----------------------------------------------------------------------------------------------------------


def _kinds(labels: Labels, joined: Numbers) -> tuple[KindResult, ...]:
    pairs: Counter[tuple[bool, str]] = Counter()
    right: Counter[tuple[bool, str]] = Counter()
    is_right = np.isin(labels.pairs, joined) == labels.is_true
    for kind, is_true, fits in zip(labels.kinds, labels.is_true.tolist(), is_right.tolist(), strict=True):
        pairs[not is_true, kind] += 1
        right[not is_true, kind] += fits
    return tuple(
        KindResult(kind, not negative, count, right[negative, kind])
        for (negative, kind), count in sorted(pairs.items())
    )


def _materials(labels: Labels, joined: Numbers, ready: Prepared, features: Sequence[str]) -> tuple[MaterialResult, ...]:
    """Return the confusion matrix for each combination of values of these features."""
    pairs = np.union1d(labels.pairs, joined)
    rows, ends = np.unique(np.stack(unpack_pairs(pairs), axis=1).astype(np.int64), return_inverse=True)
    columns = ready.rows.table.rows(rows, features)
    texts = [[columns.texts[name].text(row) or "unknown" for name in features] for row in range(len(rows))]
    material = [" ".join(LEVELS.get(text, text) for text in of_row) for of_row in texts]
    counts: defaultdict[str, Counter[tuple[bool, bool]]] = defaultdict(Counter)
    cells: Any = (ends.reshape(-1, 2), np.isin(pairs, labels.true), np.isin(pairs, joined))
    for (left, right), is_true, is_joined in zip(*(cell.tolist() for cell in cells), strict=True):
        counts[" / ".join(sorted({material[left], material[right]}))][is_true, is_joined] += 1
    return tuple(
        MaterialResult(name, count[True, True], count[True, False], count[False, True], count[False, False])
        for name, count in sorted(counts.items())
    )


def _step(verdict: Verdict, scorer: str) -> Step:
    if verdict.by == scorer:
        return "threshold"
    if verdict.by in CONSTRAINTS or (verdict.by == "part_numbers" and verdict.decision != "related"):
        return "cluster"
    return "exception" if verdict.by in _EXCEPTIONS else "person"


def _losses(wrong: Iterable[Wrong]) -> tuple[Loss, ...]:
    """Return the rules that lost true pairs, the greatest losses first."""
    lost: defaultdict[tuple[str, Step], list[tuple[str, str]]] = defaultdict(list)
    for one in wrong:
        if one.step is not None:
            lost[one.by, one.step].append((one.left, one.right))
    ordered = sorted(lost.items(), key=lambda one: (-len(one[1]), one[0]))
    return tuple(Loss(by, step, tuple(pairs)) for (by, step), pairs in ordered)
