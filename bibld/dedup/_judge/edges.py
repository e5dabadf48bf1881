"""From columns to edges: decisions with their scores explained and their reasons as sentences for a cataloguer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from bibld.dedup._cluster.clusters import CUT, ISBNS, MEDOID, PARTS, PERSON, RELATION, SOURCE
from bibld.dedup._cluster.link import Linked
from bibld.dedup._judge.exceptions import told
from bibld.dedup._judge.judge import DECISIONS, DIFFERENT, REVIEW, SAME, Judge, Judged
from bibld.model.features import FeatureColumns
from bibld.model.linkage import Edge, Pair, Score, Verdict
from bibld.model.origin import RecordId

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Nodes = npt.NDArray[np.int64]

Named = Callable[["Nodes"], Sequence[RecordId]]
"""Which records stand at some positions."""

_EDGES_AT_ONCE = 2_000
_TOLD = ("part", "level", "carrier", "language")
_RULES = {
    PERSON: "person",
    SOURCE: "one_record_per_source",
    RELATION: "related",
    PARTS: "part_numbers",
    ISBNS: "identifiers",
    MEDOID: "medoid",
    CUT: "largest_cluster",
}


class Edges:
    """Turns judged pairs of positions into edges between records."""

    def __init__(self, judge: Judge, named: Named, made_by: str) -> None:
        self._judge = judge
        self._named = named
        self._made_by = made_by

    def of(
        self, judged: Judged, met: Callable[[FeatureColumns, Nodes, Nodes], Sequence[tuple[str, ...]]] | None = None
    ) -> Iterator[Edge]:
        """An edge with its explained score for each pair, in their order.

        ``met`` gives the names of the keys that rows of columns have in common.
        """
        for some, columns, records, left, right in self._portions(judged):
            described = _described(columns)
            keys = met(columns, left, right) if met else [()] * len(left)
            explained = self._judge.scorer.explain(
                columns, left.astype("uint32"), right.astype("uint32"), self._judge.settings
            )
            ends, values = zip(left.tolist(), right.tolist(), strict=True), some.scores.tolist()
            for pair, ((one, other), score) in enumerate(zip(ends, explained, strict=True)):
                score = Score(values[pair], score.features, keys[pair])
                verdict = self._verdict(some, pair, described, one, other, records[one].source)
                yield Edge(Pair.from_records(records[one], records[other]), score, verdict, self._made_by)

    def verdicts(self, judged: Judged) -> Iterator[tuple[Pair, Verdict]]:
        """Each pair with its verdict, in their order."""
        for some, columns, records, left, right in self._portions(judged):
            described = _described(columns)
            for pair, (one, other) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
                verdict = self._verdict(some, pair, described, one, other, records[one].source)
                yield Pair.from_records(records[one], records[other]), verdict

    def _portions(self, judged: Judged) -> Iterator[tuple[Judged, FeatureColumns, Sequence[RecordId], Nodes, Nodes]]:
        """Some pairs at a time, with the columns and records of their positions, and the rows of their ends."""
        import numpy as np

        for start in range(0, len(judged.left), _EDGES_AT_ONCE):
            some = judged.where(np.arange(start, min(start + _EDGES_AT_ONCE, len(judged.left))))
            positions, ends = np.unique(np.concatenate((some.left, some.right)), return_inverse=True)
            columns, records = self._judge.rows.rows(positions), self._named(positions)
            yield some, columns, records, ends[: len(some.left)], ends[len(some.left) :]

    def _verdict(self, some: Judged, pair: int, columns: FeatureColumns, left: int, right: int, source: str) -> Verdict:
        decision, bits = int(some.decisions[pair]), int(some.exceptions[pair])
        reasons = [self._level(float(some.scores[pair]))]
        found = (
            list(told(bits, columns.features(left), columns.features(right))) if bits and decision != DIFFERENT else []
        )
        reasons += (finding.reason for finding in found)
        if found:
            by, relation = found[0].name, found[0].relation
            return Verdict(DECISIONS[decision], by, tuple(reasons), relation)
        if decision == REVIEW and some.is_one_source[pair] and some.scores[pair] >= self._judge.same:
            return Verdict("review", "one_record_per_source", (*reasons, f"both are records of {source}"))
        return Verdict(DECISIONS[decision], self._judge.name, tuple(reasons))

    def _level(self, score: float) -> str:
        """What a score says, as a sentence."""
        same, review = self._judge.same, self._judge.review
        if review is None:
            return f"score {score:.3f} is above {same}" if score > same else f"score {score:.3f} is not above {same}"
        if score >= same:
            return f"score {score:.3f} is at least {same}"
        return f"score {score:.3f} is {f'between {review} and {same}' if score >= review else f'below {review}'}"

    # -- what clusters made of it --------------------------------------------------------------------------------------

    def outcomes(self, linked: Linked) -> list[tuple[int, str, str]]:
        """The pairs (places among the judged ones) that clustering put up for review: the rule and the reason."""
        import numpy as np

        places = np.flatnonzero((linked.decisions == REVIEW) & (linked.judged.decisions == SAME) & ~linked.is_said)
        return [(int(place), *self._refusal(linked, int(place))) for place in places]

    def messages(self, linked: Linked) -> list[str]:
        """What people should hear: components that were cut, and verdicts of theirs that cannot hold."""
        import numpy as np

        found = []
        for cut in linked.cuts:
            record = self._named(np.array([cut.node]))[0]
            found.append(
                f"dedup: a component of {cut.size} records was cut at the score {cut.score:.3f}; it holds {record}. Is"
                " a key or a description shared by mistake?"
            )
        for place in np.flatnonzero(linked.is_said & (linked.refused > 0)).tolist():
            left, right = self._named(np.array([linked.judged.left[place], linked.judged.right[place]]))
            found.append(f"dedup: {left} and {right} were said to be the same, but {self._refusal(linked, place)[1]}")
        return found

    def _refusal(self, linked: Linked, place: int) -> tuple[str, str]:
        code, witness = int(linked.refused[place]), linked.witness[place]
        rule = _RULES.get(code, "medoid")
        if code == CUT:
            cut = linked.cuts[int(witness[0])]
            return rule, f"a component of {cut.size} records was cut at the score {cut.score:.3f}"
        one, other = self._named(witness)
        if code == PERSON:
            return rule, f"a person said that {one} and {other} are not the same"
        if code == SOURCE:
            return rule, f"the cluster would hold two records of {one.source}"
        if code == RELATION:
            return rule, f"{one} and {other} are related, not the same"
        if code == PARTS:
            first, second = (self._judge.rows.rows(witness, ("part",)).part.text(row) for row in (0, 1))
            return rule, f"part numbers of {one} and {other} conflict: {first} and {second}"
        if code == ISBNS:
            return rule, f"{one} and {other} have no ISBN in common"
        if code == MEDOID:
            return rule, f"{one} is not enough like {other}, the middle of the cluster"
        return rule, "one of them left the cluster of the other"


def _described(columns: FeatureColumns) -> FeatureColumns:
    """The columns that the reasons of exceptions tell of; a row without the others is quickly read."""
    return FeatureColumns(columns.ordinals, {name: columns.texts[name] for name in _TOLD}, columns.numbers)


def with_outcome(verdict: Verdict, rule: str, reason: str) -> Verdict:
    """A verdict *same* that clustering has put up for review."""
    return Verdict("review", rule, (*verdict.reasons, reason), verdict.relation)
