"""Measure matching on labelled pairs: precision, recall, and which step lost which pairs.

A pairs file is CSV with a header: the first two columns are record ids (``source:control number``, or the bare control
number where it is unique), the column ``label`` is 1 or 0 (or ``duplicate``/``not_duplicate``); without a label column
every row is a true pair. A column ``kind`` groups the results. A repeated pair counts once, in either order.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from time import perf_counter
from typing import Literal

import msgspec

from bibld.catalog import Catalog
from bibld.config import Config
from bibld.dedup._prepared import Prepared, prepared
from bibld.dedup._trial import BlockerResult, Judged, Mode, SweepPoint, Trial, rates, share
from bibld.dedup.labels import LabelledPair, read_pairs
from bibld.model.linkage import Pair, Verdict
from bibld.model.origin import RecordId
from bibld.progress import Progress

__all__ = ["Evaluation", "LabelledPair", "Mode", "evaluate", "rates", "read_pairs"]


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


Step = Literal["blocking", "threshold", "exception", "cluster", "person"]


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
    with prepared(catalog, config, progress) as ready:
        trial = Trial(ready, config, catalog.register.verdicts())
        decided = trial.full() if mode == "full" else trial.pairs(labelled)
        seconds = perf_counter() - begin
        true = {item.pair for item in labelled if item.is_duplicate}
        found_by_blocking = trial.met(true, trial.candidates)
        lost = _losses(true, decided, found_by_blocking if mode == "full" else true, trial, config.dedup.score)
        precision, recall, f1 = rates(decided.joined, true)
        count, records = len(trial.candidates), len(ready.records)
        return Evaluation(
            mode=mode,
            precision=precision,
            recall=recall,
            f1=f1,
            candidate_recall=share(len(found_by_blocking), len(true)),
            candidates_per_record=round(count / records, 4) if records else 0.0,
            pairs=len(labelled),
            true_pairs=len(true),
            records=records,
            candidates=count,
            review=len(decided.review()),
            review_true=len(decided.review() & true),
            seconds=round(seconds, 3),
            kinds=_kinds(labelled, decided.joined),
            materials=_materials(decided.joined, labelled, ready, ("carrier", "level")),
            carriers=_materials(decided.joined, labelled, ready, ("carrier",)),
            levels=_materials(decided.joined, labelled, ready, ("level",)),
            losses=lost,
            wrong=_wrong(lost, decided, true),
            blockers=trial.blockers(true) if blockers else (),
            sweep=trial.sweep(labelled, true, mode) if sweep else (),
        )


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
    joined: set[Pair], labelled: Iterable[LabelledPair], ready: Prepared, features: Sequence[str]
) -> tuple[MaterialResult, ...]:
    """Return the confusion matrix for each combination of values of these features, over labelled and joined pairs."""
    labels = dict.fromkeys(joined, False) | {item.pair: item.is_duplicate for item in labelled}
    materials = _of_material(ready, {record for pair in labels for record in (pair.left, pair.right)}, features)
    counts: defaultdict[str, Counter[tuple[bool, bool]]] = defaultdict(Counter)
    for pair, is_true in labels.items():
        kinds = {materials[record] for record in (pair.left, pair.right)}
        counts[" / ".join(sorted(kinds))][is_true, pair in joined] += 1
    return tuple(
        MaterialResult(material, count[True, True], count[True, False], count[False, True], count[False, False])
        for material, count in sorted(counts.items())
    )


_LEVELS = {"m": "monograph", "v": "volume", "c": "set", "s": "serial", "i": "issue", "a": "article"}


def _of_material(ready: Prepared, records: set[RecordId], features: Sequence[str]) -> dict[RecordId, str]:
    """Return the material of each record, in words made from these features."""
    import numpy as np

    ordered = sorted(records)
    columns = ready.segments.rows(np.array([ready.positions[record] for record in ordered], np.int64), features)
    found = {}
    for row, record in enumerate(ordered):
        texts = (columns.texts[name].text(row) or "unknown" for name in features)
        found[record] = " ".join(_LEVELS.get(text, text) for text in texts)
    return found


def _losses(true: set[Pair], decided: Judged, candidates: set[Pair], trial: Trial, scorer: str) -> tuple[Loss, ...]:
    """Return the rules that lost true pairs, the greatest losses first; ``candidates`` are the true candidate pairs."""
    lost: defaultdict[tuple[str, Step], list[tuple[str, str]]] = defaultdict(list)
    missed = sorted(true - decided.joined)
    verdicts = trial.verdicts([pair for pair in missed if pair not in decided.verdicts]) | decided.verdicts
    for pair in missed:
        verdict = verdicts[pair]
        by, step = f"{verdict.decision}: {verdict.by}", _step(verdict, scorer)
        if pair not in candidates and pair not in decided.verdicts:
            by, step = "not a candidate", "blocking"
        elif verdict.decision == "same":
            by, step = "in another cluster", "cluster"
        lost[by, step].append((str(pair.left), str(pair.right)))
    ordered = sorted(lost.items(), key=lambda one: (-len(one[1]), one[0]))
    return tuple(Loss(by, step, tuple(pairs)) for (by, step), pairs in ordered)


_EXCEPTIONS = ("level", "set_and_volume", "nested_parts", "edition", "year", "carrier", "language")
_CONSTRAINTS = ("one_record_per_source", "identifiers", "related", "medoid", "largest_cluster")


def _step(verdict: Verdict, scorer: str) -> Step:
    if verdict.by == scorer:
        return "threshold"
    if verdict.by == "part_numbers":
        return "exception" if verdict.decision == "related" else "cluster"
    if verdict.by in _EXCEPTIONS:
        return "exception"
    return "cluster" if verdict.by in _CONSTRAINTS else "person"


def _wrong(lost: Iterable[Loss], decided: Judged, true: set[Pair]) -> tuple[Wrong, ...]:
    """Return the lost true pairs, then the wrongly joined ones: by their score or through other records."""
    missed = sorted((left, right, loss.by) for loss in lost for left, right in loss.pairs)
    false = []
    for pair in sorted(decided.joined - true):
        verdict = decided.verdicts.get(pair)
        by = "through others"
        if verdict is not None and verdict.decision == "same":
            by = f"same: {verdict.by}"
        false.append(Wrong(str(pair.left), str(pair.right), is_joined=True, by=by))
    return (*(Wrong(left, right, is_joined=False, by=by) for left, right, by in missed), *false)
