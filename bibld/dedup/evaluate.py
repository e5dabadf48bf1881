"""How well matching does on pairs that people judged.

A pairs file is CSV with a header: the first two columns are record ids (``source:control number``, or the bare control
number where it is unique), the column ``label`` is 1 or 0 (or ``duplicate``/``not_duplicate``); without a label column
every row is a true pair. A column ``kind`` groups the results. A pair that stands there again, in whatever order,
counts once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from time import perf_counter
from typing import TYPE_CHECKING, Literal

import msgspec

from bibld import dedup
from bibld.catalog import Catalog
from bibld.config import Config
from bibld.dedup._candidates import all_keys, candidate_pairs, proposed
from bibld.dedup._judge import Judge
from bibld.dedup._keys import Keys
from bibld.dedup._labels import LabelledPair, read_pairs
from bibld.model.linkage import Edge, Pair, Verdict
from bibld.model.origin import RecordId
from bibld.progress import Progress

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Evaluation", "LabelledPair", "Mode", "evaluate", "rates", "read_pairs"]

Mode = Literal["pairs", "full"]

THRESHOLDS = (*(step / 20 for step in range(1, 20)), 0.97, 0.98, 0.99, 0.995, 0.999)
"""The thresholds of a sweep."""


class KindResult(msgspec.Struct, frozen=True):
    """The pairs of one kind: how many there are, and about how many the matcher is right."""

    kind: str
    is_duplicate: bool
    pairs: int
    right: int


class MaterialResult(msgspec.Struct, frozen=True):
    """The confusion for one type of material (of both records where they differ).

    ``joined`` true pairs were found, ``lost`` were not; ``wrongly_joined`` pairs are not true, ``rightly_apart`` ones
    are labelled as different.
    """

    material: str
    joined: int
    lost: int
    wrongly_joined: int
    rightly_apart: int


Step = Literal["blocking", "threshold", "exception", "cluster", "person"]


class Loss(msgspec.Struct, frozen=True):
    """What lost true pairs, and which: ``by`` is a verdict with the rule that gave it, ``step`` where it belongs.

    ``blocking``: never compared; ``threshold``: the score is too low; ``exception``: a rule stands above the score;
    ``cluster``: a constraint on clusters, or a better cluster; ``person``: someone said so.
    """

    by: str
    step: Step
    pairs: tuple[tuple[str, str], ...]


class Wrong(msgspec.Struct, frozen=True):
    """A pair judged otherwise than labelled: ``is_joined`` but not true, or true but not joined, and by what."""

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
    """The figures. ``pairs`` counts the labelled pairs; ``wrong`` lists those judged otherwise than labelled.

    Mode ``pairs``: every labelled pair is scored, whether or not blocking proposes it. Mode ``full``: what the whole
    pipeline joins, against all true pairs; a joined pair that the file does not hold as true counts as wrong.
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


class Judged(msgspec.Struct, frozen=True, eq=False):
    """What was joined, and the edges that tell why or why not."""

    joined: set[Pair]
    edges: dict[Pair, Edge]

    def review(self) -> set[Pair]:
        """The pairs that wait for a person."""
        return {pair for pair, edge in self.edges.items() if edge.verdict.decision == "review"}


def evaluate(
    catalog: Catalog,
    config: Config,
    labelled: Sequence[LabelledPair],
    mode: Mode,
    progress: Progress,
    blockers: bool = False,
    sweep: bool = False,
) -> Evaluation:
    """Match as configured and compare with the labels.

    ``blockers``: also what each blocker and each of its kinds of keys finds; ``sweep``: also the figures at other
    thresholds.
    """
    begin = perf_counter()
    loaded = dedup.load(catalog, progress)
    statistics = dedup.statistics(catalog, config, loaded.columns)
    keys = all_keys(loaded.columns, config, statistics)
    candidates = candidate_pairs(keys, loaded.columns, config)
    people = dedup.people_of(catalog, loaded)
    judge = Judge(loaded.columns, loaded.ids, config, "evaluation")
    judged = _full(judge, candidates, people) if mode == "full" else _pairs(judge, labelled, people, loaded)
    seconds = perf_counter() - begin
    true = {item.pair for item in labelled if item.is_duplicate}
    met = _met(true, candidates, loaded)
    precision, recall, f1 = rates(judged.joined, true)
    lost = _losses(true, judged, met if mode == "full" else true, judge, config.dedup.match)
    return Evaluation(
        mode=mode,
        precision=precision,
        recall=recall,
        f1=f1,
        candidate_recall=_share(len(met), len(true)),
        candidates_per_record=round(len(candidates) / len(loaded.columns), 4) if len(loaded.columns) else 0.0,
        pairs=len(labelled),
        true_pairs=len(true),
        records=len(loaded.columns),
        candidates=len(candidates),
        review=len(judged.review()),
        review_true=len(judged.review() & true),
        seconds=round(seconds, 3),
        kinds=_kinds(labelled, judged.joined),
        materials=_materials(judged.joined, labelled, loaded, ("carrier", "level")),
        carriers=_materials(judged.joined, labelled, loaded, ("carrier",)),
        levels=_materials(judged.joined, labelled, loaded, ("level",)),
        losses=lost,
        wrong=_wrong(lost, judged, true),
        blockers=_blockers(keys, candidates, true, loaded, config) if blockers else (),
        sweep=_sweep(judge, candidates, labelled, people, mode, loaded) if sweep else (),
    )


def rates(joined: set[Pair], true: set[Pair]) -> tuple[float, float, float]:
    """Precision, recall and F1 of joined pairs against the true ones, to four decimals."""
    hits = len(joined & true)
    precision = hits / len(joined) if joined else 1.0
    recall = hits / len(true) if true else 1.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return round(precision, 4), round(recall, 4), round(f1, 4)


# -- matching ----------------------------------------------------------------------------------------------------------


def _full(judge: Judge, candidates: npt.NDArray[np.uint64], people: dict[Pair, Verdict]) -> Judged:
    return _of_clusters(judge, {edge.pair: edge for edge in judge.edges(candidates)}, people)


def _of_clusters(judge: Judge, edges: dict[Pair, Edge], people: dict[Pair, Verdict]) -> Judged:
    found = dedup.joined(judge, edges, people)
    joined = {Pair.of(*pair) for members in found.clusters for pair in combinations(members, 2)}
    return Judged(joined, {edge.pair: edge for edge in found.edges})


def _pairs(
    judge: Judge, labelled: Iterable[LabelledPair], people: Mapping[Pair, Verdict], loaded: dedup.Loaded
) -> Judged:
    import numpy as np

    packed = np.array([_packed(item.pair, loaded.rows) for item in labelled], dtype=np.uint64)
    edges = {edge.pair: edge for edge in judge.edges(packed, least=0.0)}
    edges |= {pair: msgspec.structs.replace(edges[pair], verdict=people[pair]) for pair in people if pair in edges}
    return Judged({pair for pair, edge in edges.items() if edge.verdict.decision == "same"}, edges)


def _sweep(
    judge: Judge,
    candidates: npt.NDArray[np.uint64],
    labelled: Sequence[LabelledPair],
    people: dict[Pair, Verdict],
    mode: Mode,
    loaded: dedup.Loaded,
) -> tuple[SweepPoint, ...]:
    """Judge the same scores anew at each threshold."""
    true = {item.pair for item in labelled if item.is_duplicate}
    if mode == "full":
        scored = {edge.pair: edge for edge in judge.edges(candidates, least=THRESHOLDS[0])}
    else:
        scored = _pairs(judge, labelled, {}, loaded).edges
    points = []
    for threshold in THRESHOLDS:
        other = judge.at(threshold)
        edges = {edge.pair: edge for edge in other.decided(scored.values())}
        if mode == "full":
            joined = _of_clusters(other, edges, people).joined
        else:
            joined = {pair for pair, edge in edges.items() if edge.verdict.decision == "same"}
        points.append(SweepPoint(threshold, *rates(joined, true)))
    return tuple(points)


# -- figures -----------------------------------------------------------------------------------------------------------


def _met(true: set[Pair], candidates: npt.NDArray[np.uint64], loaded: dedup.Loaded) -> set[Pair]:
    """The true pairs among the candidates."""
    import numpy as np

    pairs = sorted(true)
    packed = np.array([_packed(pair, loaded.rows) for pair in pairs], dtype=np.uint64)
    return {pair for pair, is_met in zip(pairs, np.isin(packed, candidates).tolist(), strict=True) if is_met}


def _blockers(
    keys: Sequence[Keys], candidates: npt.NDArray[np.uint64], true: set[Pair], loaded: dedup.Loaded, config: Config
) -> tuple[BlockerResult, ...]:
    """Each blocker, each of its kinds of keys where it has several, and the union of all."""
    found = []
    for blocker in keys:
        pairs = proposed(blocker, loaded.columns, config)
        found.append((blocker.name, pairs, blocker.refined, blocker.cut))
        families = blocker.families()
        if len(families) > 1:
            found += ((f"  {part.family}", proposed(part, loaded.columns, config), 0, 0) for part in families)
    found.append(("all", candidates, sum(one.refined for one in keys), sum(one.cut for one in keys)))
    records = max(len(loaded.columns), 1)
    return tuple(
        BlockerResult(
            name, _share(len(_met(true, pairs, loaded)), len(true)), len(pairs), round(len(pairs) / records, 4), *counts
        )
        for name, pairs, *counts in found
    )


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
    joined: set[Pair], labelled: Iterable[LabelledPair], loaded: dedup.Loaded, features: Sequence[str]
) -> tuple[MaterialResult, ...]:
    """The confusion for each value of some features together, over labelled and joined pairs."""
    labels = dict.fromkeys(joined, False) | {item.pair: item.is_duplicate for item in labelled}
    counts: defaultdict[str, Counter[tuple[bool, bool]]] = defaultdict(Counter)
    for pair, is_true in labels.items():
        kinds = {_material(loaded, record, features) for record in (pair.left, pair.right)}
        counts[" / ".join(sorted(kinds))][is_true, pair in joined] += 1
    return tuple(
        MaterialResult(material, count[True, True], count[True, False], count[False, True], count[False, False])
        for material, count in sorted(counts.items())
    )


_LEVELS = {"m": "monograph", "v": "volume", "c": "set", "s": "serial", "i": "issue", "a": "article"}


def _material(loaded: dedup.Loaded, record: RecordId, features: Sequence[str]) -> str:
    row = loaded.rows[record]
    texts = (loaded.columns.texts[name].text(row) or "unknown" for name in features)
    return " ".join(_LEVELS.get(text, text) for text in texts)


def _losses(true: set[Pair], judged: Judged, met: set[Pair], judge: Judge, scorer: str) -> tuple[Loss, ...]:
    """Which step and rule lost which true pairs, the greatest losses first; ``met`` are the true candidates."""
    lost: defaultdict[tuple[str, Step], list[tuple[str, str]]] = defaultdict(list)
    for pair in sorted(true - judged.joined):
        edge = judged.edges.get(pair) or judge.between(pair)
        verdict = edge.verdict
        by, step = f"{verdict.decision}: {verdict.by}", _step(verdict, scorer)
        if pair not in met and pair not in judged.edges:
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


def _wrong(lost: Iterable[Loss], judged: Judged, true: set[Pair]) -> tuple[Wrong, ...]:
    """The true pairs that were lost, then those wrongly joined, by their own score or through other records."""
    missed = sorted((left, right, loss.by) for loss in lost for left, right in loss.pairs)
    false = []
    for pair in sorted(judged.joined - true):
        edge = judged.edges.get(pair)
        by = "through others"
        if edge is not None and edge.verdict.decision == "same":
            by = f"same: {edge.verdict.by}"
        false.append(Wrong(str(pair.left), str(pair.right), is_joined=True, by=by))
    return (*(Wrong(left, right, is_joined=False, by=by) for left, right, by in missed), *false)


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 1.0


def _packed(pair: Pair, rows: Mapping[RecordId, int]) -> int:
    low, high = sorted((rows[pair.left], rows[pair.right]))
    return low << 32 | high
