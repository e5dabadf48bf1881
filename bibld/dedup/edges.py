"""Edges: decided pairs of positions as pairs of records, with explained scores and reasons as sentences."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from math import isinf
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from bibld.catalog import Catalog, encode_edge
from bibld.config import Config
from bibld.dedup import exceptions
from bibld.dedup.decisions import DECISIONS, DIFFERENT, REVIEW, SAME, DecidedPairs, Decider, Refusal, cut_pairs
from bibld.dedup.index import Index
from bibld.dedup.keys import keys_of_all, shared_key_names
from bibld.errors import CatalogError
from bibld.model.features import FeatureColumns, Statistics
from bibld.model.linkage import Decision, Edge, Pair, Score, Verdict
from bibld.model.origin import RecordId
from bibld.parallel import ProcessPool, worker_count
from bibld.text.designations import describe

if TYPE_CHECKING:
    from bibld.dedup.clustering import ClusteredPairs, Cut

Rows = npt.NDArray[np.int64]
Names = Callable[[Rows], Sequence[RecordId]]
"""Returns the records at positions."""

_PORTION = 2_000
"""Pairs that go to a process at once."""
_DESCRIBED = (
    *("part", "designation", "level", "carrier", "language", "identifiers"),
    *("series", "series_number", "subseries", "host"),
)
_RULES = {
    Refusal.PERSON: "person",
    Refusal.SOURCE: "one_record_per_source",
    Refusal.RELATION: "related",
    Refusal.PARTS: "part_numbers",
    Refusal.IDENTIFIERS: "identifiers",
    Refusal.MEDOID: "medoid",
    Refusal.CUT: "largest_cluster",
}
_SENTENCES = {
    Refusal.PERSON: "a person decided that {one} and {other} are not the same",
    Refusal.SOURCE: "the cluster would hold two records of {source}",
    Refusal.RELATION: "{one} and {other} are related, not the same",
    Refusal.PARTS: "part numbers of {one} and {other} conflict: {parts}",
    Refusal.IDENTIFIERS: "{one} and {other} have no ISBN in common",
    Refusal.MEDOID: "{one} is not enough like {other}, the middle of the cluster",
}


class ClusterRefusal(NamedTuple):
    """Why clustering sent a pair to review that was decided to be the same: the rule and a sentence."""

    rule: str
    reason: str

    def apply(self, verdict: Verdict) -> Verdict:
        """Return the final verdict."""
        return Verdict("review", self.rule, (*verdict.reasons, self.reason), verdict.relation)


def verdict_of_person(decision: Decision, relation: str) -> Verdict:
    """Return the final verdict about a pair that a person decided.

    Who decided, and in which words, stays in the register: edges may be published.
    """
    return Verdict(decision, "person", ("a person decided",), relation)


class _Portion(NamedTuple):
    """Some pairs, the columns and names of their records, and the rows of the ends of each pair."""

    pairs: DecidedPairs
    columns: FeatureColumns
    records: Sequence[RecordId]
    left: Rows
    right: Rows


class Edges:
    """Turns decided pairs of positions into edges between records."""

    def __init__(self, decider: Decider, names: Names, made_by: str) -> None:
        self._decider = decider
        self._names = names
        self._made_by = made_by

    def explain(self, pairs: DecidedPairs, statistics: Statistics | None = None) -> Iterator[Edge]:
        """Yield an edge with its explained score for each pair, in their order.

        With the ``statistics`` of blocking a score has the names of the keys that both records have.
        """
        scorer, settings, version = self._decider.scorer, self._decider.settings, self._decider.scorer_version
        for portion in self._portions(pairs):
            some, columns, _, left, right = portion
            keys: Sequence[tuple[str, ...]] = [()] * len(left)
            if statistics is not None:
                all_keys = keys_of_all(columns, self._decider.method, statistics)
                keys = shared_key_names(all_keys, len(columns), left, right)
            scores = scorer.explain(columns, left.astype(np.uint32), right.astype(np.uint32), settings)
            rows = zip(self._verdicts(*portion), scores, some.scores.tolist(), keys, strict=True)
            for (pair, verdict), score, value, names in rows:
                yield Edge(pair, Score(value, score.features, names, version), verdict, self._made_by)

    def verdicts(self, pairs: DecidedPairs) -> Iterator[tuple[Pair, Verdict]]:
        """Yield each pair with its verdict, in their order."""
        for portion in self._portions(pairs):
            yield from self._verdicts(*portion)

    def _portions(self, pairs: DecidedPairs) -> Iterator[_Portion]:
        rows, names = self._decider.rows, self._decider.columns
        for portion in cut_pairs(rows, names, pairs.left, pairs.right, _PORTION):
            some = pairs.take(np.arange(portion.start, portion.stop))
            positions, ends = np.unique(np.concatenate((some.left, some.right)).astype(np.int64), return_inverse=True)
            columns = rows.rows(positions, names)
            yield _Portion(some, columns, self._names(positions), *np.split(ends, [len(some.left)]))

    def _verdicts(
        self, pairs: DecidedPairs, columns: FeatureColumns, records: Sequence[RecordId], left: Rows, right: Rows
    ) -> Iterator[tuple[Pair, Verdict]]:
        contained = np.flatnonzero(pairs.exceptions & exceptions.Exceptions.CONTAINED)
        contained_ends = left[contained].astype(np.uint32), right[contained].astype(np.uint32)
        parts = self._decider.scorer.part_of(columns, *contained_ends, self._decider.settings) if len(contained) else []
        sentences = {
            int(position): f"the text of {records[part]} is part of the text of {records[longer]}"
            for position, number, one, other in zip(contained, parts, *contained_ends, strict=True)
            for part, longer in [(one, other) if number == 1 else (other, one)]
        }
        # A row with few columns is read faster.
        texts = {name: columns.texts[name] for name in _DESCRIBED}
        columns = FeatureColumns(columns.ordinals, texts, columns.numbers)
        for position, (one, other) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
            decision, bits = int(pairs.decisions[position]), int(pairs.exceptions[position])
            score = float(pairs.scores[position])
            reasons, by, relation = [self._describe_score(score)], self._decider.name, ""
            found = []
            if bits and decision != DIFFERENT:
                ends = sorted((one, other), key=records.__getitem__)  # sentences name the left record of the pair first
                found = list(exceptions.explain(bits, *map(columns.features, ends)))
            if found:
                by, relation = found[0][0].name, found[0][0].relation
                reasons += (
                    sentences[position] if rule.exception == exceptions.Exceptions.CONTAINED else sentence
                    for rule, sentence in found
                )
            elif decision == REVIEW and pairs.is_one_source[position] and score >= self._decider.same:
                by = _RULES[Refusal.SOURCE]
                reasons.append(f"both are records of {records[one].source}")
            yield (
                Pair.from_records(records[one], records[other]),
                Verdict(DECISIONS[decision], by, tuple(reasons), relation),
            )

    def _describe_score(self, score: float) -> str:
        same, review = self._decider.same, self._decider.review
        if review is None:
            return f"score {score:.3f} is above {same}" if score > same else f"score {score:.3f} is not above {same}"
        if score >= same:
            return f"score {score:.3f} is at least {same}"
        if score >= review:
            return f"score {score:.3f} is between {review} and {same}"
        return f"score {score:.3f} is below {review}"

    # -- what clustering changed ---------------------------------------------------------------------------------------

    def outcomes(self, clustered: ClusteredPairs) -> dict[int, ClusterRefusal]:
        """Return the outcomes of the pairs that clustering sent to review, by their positions."""
        is_changed = (clustered.decisions == REVIEW) & (clustered.pairs.decisions == SAME) & ~clustered.is_by_person
        return {
            position: self._describe_refusal(clustered, position) for position in np.flatnonzero(is_changed).tolist()
        }

    def messages(self, clustered: ClusteredPairs) -> list[str]:
        """Return messages about components that were cut, and about verdicts of people that cannot be followed."""
        return [text for _, text in (*self.cut_messages(clustered), *self.refused_verdicts(clustered))]

    def cut_messages(self, clustered: ClusteredPairs) -> list[tuple[int, str]]:
        """Return a message about each component that was cut, with the position of a record in it."""
        found = []
        for cut in clustered.cuts:
            record = self._names(np.array([cut.position]))[0]
            text = f"dedup: {_describe_cut(cut)}; it contains {record}. Is a key or a description shared by mistake?"
            found.append((cut.position, text))
        return found

    def refused_verdicts(self, clustered: ClusteredPairs) -> list[tuple[int, str]]:
        """Return a message about each verdict of a person that cannot be followed, with the place of the pair."""
        found = []
        for position in np.flatnonzero(clustered.is_by_person & (clustered.refusals > 0)).tolist():
            ends = np.array([clustered.pairs.left[position], clustered.pairs.right[position]], dtype=np.int64)
            left, right = self._names(ends)
            reason = self._describe_refusal(clustered, position).reason
            found.append((position, f"dedup: a person decided that {left} and {right} are the same, but {reason}"))
        return found

    def _describe_refusal(self, clustered: ClusteredPairs, position: int) -> ClusterRefusal:
        refusal, witnesses = Refusal(int(clustered.refusals[position])), clustered.witnesses[position]
        if refusal == Refusal.CUT:
            return ClusterRefusal(_RULES[refusal], _describe_cut(clustered.cuts[int(witnesses[0])]))
        one, other = self._names(witnesses)
        parts = ""
        if refusal == Refusal.PARTS:
            column = self._decider.rows.rows(witnesses, ("designation",)).texts["designation"]
            parts = " and ".join(describe(column.text(row)) for row in range(len(column)))
        sentence = _SENTENCES[refusal].format(one=one, other=other, parts=parts, source=one.source)
        return ClusterRefusal(_RULES[refusal], sentence)


def _describe_cut(cut: Cut) -> str:
    if isinf(cut.score):
        return f"{cut.size} records are linked with the same score, and no score divides them, so none was joined"
    return f"a component of {cut.size} records was cut at the score {cut.score:.3f}"


WORTH_PROCESSES = 50_000
"""Fewer pairs than this are explained in this process: to start others takes as long."""


class ExplainedPair(NamedTuple):
    """The score of a pair, the decision about it alone, and the edge in its stored form."""

    score: float
    decision: str
    body: bytes


def explain_pairs(
    edges: Edges, pairs: DecidedPairs, statistics: Statistics, config: Config, made_by: str
) -> Iterator[ExplainedPair]:
    """Yield each pair explained, in their order; ``made_by`` is that of the edges.

    Processes read the index and the statistics as they were committed. Raises ``StageError`` when a process dies.
    """
    workers = worker_count(config.workers)
    if workers == 1 or len(pairs.left) < WORTH_PROCESSES:
        yield from _explain(edges, pairs, statistics)
        return
    portions = (
        pairs.take(np.arange(start, min(start + _PORTION, len(pairs.left))))
        for start in range(0, len(pairs.left), _PORTION)
    )
    alone = msgspec.structs.replace(config, workers=1)
    with ProcessPool(workers, "explain pairs", [__name__], _open, (alone, made_by)) as pool:
        for explained in pool.results(pool.submit(_explain_portion, portion) for portion in portions):
            yield from explained


def _explain(edges: Edges, pairs: DecidedPairs, statistics: Statistics) -> Iterator[ExplainedPair]:
    for edge in edges.explain(pairs, statistics):
        yield ExplainedPair(edge.score.value, edge.verdict.decision, encode_edge(edge))


# -- in a worker process ---------------------------------------------------------------------------------------------

_WORKER: list[tuple[Edges, Statistics]] = []


def _open(config: Config, made_by: str) -> None:
    gc.disable()  # edges contain no cycles
    index = Index(Catalog(config.workspace, read_only=True), config)
    rows, (_, statistics) = index.open(), index.frozen_statistics()
    if rows is None or statistics is None:
        raise CatalogError(f"{config.workspace}: the index changed while pairs were explained; run again")
    # Which records may be in one cluster was decided before.
    decider = Decider(rows.table, rows.sources(()), config, statistics)
    _WORKER.append((Edges(decider, rows.records_of, made_by), statistics))


def _explain_portion(pairs: DecidedPairs) -> list[ExplainedPair]:
    edges, statistics = _WORKER[0]
    return list(_explain(edges, pairs, statistics))
