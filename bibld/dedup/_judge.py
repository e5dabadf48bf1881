"""From candidate pairs to edges: scores, and the exceptions that stand above them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from bibld import adapters
from bibld.config import Config
from bibld.dedup._clusters import ClusterRules, Facts
from bibld.dedup._exceptions import Finding, findings
from bibld.dedup._works import Works
from bibld.model.features import FeatureColumns
from bibld.model.linkage import Edge, Pair, Score, Verdict
from bibld.model.origin import RecordId

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_PAIRS_AT_ONCE = 4_000_000


class Judge:
    """Scores pairs of rows and decides about those that are alike enough.

    A scorer whose settings have ``review`` sorts pairs in three: at or above ``same`` the same, from ``review`` on for
    review, below different; and all exceptions apply. Of the different pairs those with an exception that look like one
    work are related. A scorer without ``review`` is judged as the paper judges: the same above ``same``, unless part
    numbers conflict.
    """

    def __init__(self, columns: FeatureColumns, ids: Mapping[int, RecordId], config: Config, made_by: str) -> None:
        """``ids`` maps each row to its record."""
        self._columns = columns
        self._ids = ids
        self._rows = {record: row for row, record in ids.items()}
        self._name = config.dedup.match
        self._scorer = adapters.find("dedup.match", self._name)
        self._settings = config.settings("dedup.match", self._name)
        self._same: float = self._settings.same
        self._review: float | None = getattr(self._settings, "review", None)
        self._asked: tuple[str, ...] = tuple(config.dedup.exceptions)
        self._several = frozenset(source.id for source in config.sources if source.config.duplicates)
        self._largest = config.dedup.largest_cluster
        self._made_by = made_by
        self._works = None if self._review is None else Works(columns)

    def at(self, same: float) -> Judge:
        """A judge who differs in the threshold alone; ``review`` is no higher than it."""
        other: Judge = object.__new__(Judge)
        other.__dict__.update(self.__dict__)
        other._same = same
        other._review = None if self._review is None else min(self._review, same)
        return other

    @property
    def rules(self) -> ClusterRules:
        """What must hold inside a cluster."""
        return ClusterRules(self._several, self._largest, self._review)

    # -- scores ------------------------------------------------------------------------------------------------------

    def scored(
        self, candidates: npt.NDArray[np.uint64]
    ) -> Iterator[tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32], npt.NDArray[np.float64]]]:
        """Left rows, right rows and scores of candidates, in portions; a score has six decimals."""
        import numpy as np

        from bibld.dedup._kernels import halves

        for start in range(0, len(candidates), _PAIRS_AT_ONCE):
            left, right = halves(candidates[start : start + _PAIRS_AT_ONCE])
            scores = self._scorer.scores(self._columns, left, right, self._settings)
            yield left, right, np.round(scores.astype(np.float64), 6)

    def scores(self, pairs: Sequence[Pair]) -> list[float]:
        """The scores of any pairs of records."""
        import numpy as np

        rows = np.array([sorted((self._rows[pair.left], self._rows[pair.right])) for pair in pairs], dtype=np.uint64)
        packed = (rows[:, 0] << np.uint64(32)) | rows[:, 1] if len(rows) else np.empty(0, np.uint64)
        return [score for _, _, scores in self.scored(packed) for score in scores.tolist()]

    def edges(self, candidates: npt.NDArray[np.uint64], least: float | None = None) -> Iterator[Edge]:
        """The edges of the candidates that are not simply different, in the order of the candidates.

        Scores come without features; ``explained`` adds them. ``least``: also those that score at least so much.
        """
        import numpy as np

        for left, right, scores in self.scored(candidates):
            wanted = scores > self._same if self._review is None else scores >= self._review
            if least is not None:
                wanted |= scores >= least
            elif self._works is not None:
                wanted |= self._works.agree(left, right)
            for position in np.flatnonzero(wanted):
                one, other = int(left[position]), int(right[position])
                pair, score = Pair.of(self._ids[one], self._ids[other]), float(scores[position])
                verdict = self._verdict(pair, score, one, other)
                if least is not None or verdict.decision != "different":
                    yield Edge(pair, Score(score), verdict, self._made_by)

    def edge(self, left: int, right: int) -> Edge:
        """Score, with its features, and verdict of any two rows."""
        score = self._scorer.explain(self._columns, left, right, self._settings)
        pair = Pair.of(self._ids[left], self._ids[right])
        return Edge(pair, score, self._verdict(pair, score.value, left, right), self._made_by)

    def between(self, pair: Pair) -> Edge:
        """Score, with its features, and verdict of two records."""
        return self.edge(*sorted((self._rows[pair.left], self._rows[pair.right])))

    def explained(self, edges: Iterable[Edge], met: Iterable[tuple[str, ...]]) -> Iterator[Edge]:
        """The edges with the features of their scores, and the names of the keys that each pair met by."""
        for edge, keys_met in zip(edges, met, strict=True):
            left, right = sorted((self._rows[edge.pair.left], self._rows[edge.pair.right]))
            score = self._scorer.explain(self._columns, left, right, self._settings)
            score = msgspec.structs.replace(score, value=edge.score.value, keys_met=keys_met)
            yield msgspec.structs.replace(edge, score=score)

    # -- decisions ---------------------------------------------------------------------------------------------------

    def decided(self, edges: Iterable[Edge]) -> Iterator[Edge]:
        """The same edges with this judge's verdicts, without those that are simply different."""
        for edge in edges:
            verdict = self._verdict(
                edge.pair, edge.score.value, self._rows[edge.pair.left], self._rows[edge.pair.right]
            )
            if verdict.decision != "different":
                yield msgspec.structs.replace(edge, verdict=verdict)

    def facts(self, record: RecordId) -> Facts:
        """What the constraints on clusters ask about a record."""
        row = self._rows[record]
        isbns = (value for value in self._columns.texts["identifiers"].values(row) if value.startswith("isbn:"))
        return Facts(self._columns.part.text(row), frozenset(isbns))

    def exceptions(self, left: int, right: int) -> list[Finding]:
        """The exceptions that hold for two rows; the paper knows but one, part numbers that are not equal."""
        if self._review is not None:
            return findings(self._columns.features(left), self._columns.features(right), self._asked)
        first, second = self._columns.part.text(left), self._columns.part.text(right)
        if first and second and first != second:
            return [Finding("part_numbers", "same_set", f"part numbers conflict: {first} and {second}", is_hard=True)]
        return []

    def _verdict(self, pair: Pair, score: float, left: int, right: int) -> Verdict:
        is_same, sentence = self._level(score)
        if is_same is None:
            found = self.exceptions(left, right) if self._is_one_work(left, right) else []
            if not found:
                return Verdict("different", self._name, (sentence,))
            return Verdict("related", found[0].name, (sentence, *(one.reason for one in found)), found[0].relation)
        found = self.exceptions(left, right)
        reasons = (sentence, *(finding.reason for finding in found))
        if found:
            return Verdict("related" if found[0].is_hard else "review", found[0].name, reasons, found[0].relation)
        if not is_same:
            return Verdict("review", self._name, reasons)
        if pair.left.source == pair.right.source and pair.left.source not in self._several:
            return Verdict("review", "one_record_per_source", (*reasons, f"both are records of {pair.left.source}"))
        return Verdict("same", self._name, reasons)

    def _level(self, score: float) -> tuple[bool | None, str]:
        """Whether a score means the same (True), a question (False) or no (None); and that as a sentence."""
        if self._review is None:
            if score > self._same:
                return True, f"score {score:.3f} is above {self._same}"
            return None, f"score {score:.3f} is not above {self._same}"
        if score >= self._same:
            return True, f"score {score:.3f} is at least {self._same}"
        if score >= self._review:
            return False, f"score {score:.3f} is between {self._review} and {self._same}"
        return None, f"score {score:.3f} is below {self._review}"

    def _is_one_work(self, left: int, right: int) -> bool:
        return bool(self._works is not None and self._works.agree([left], [right])[0])
