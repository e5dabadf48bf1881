"""From candidate pairs to edges: scores, and the rules that stand above them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from bibld import adapters
from bibld.config import Config
from bibld.model.features import FeatureColumns
from bibld.model.linkage import Edge, Pair, Verdict
from bibld.model.origin import RecordId

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_PAIRS_AT_ONCE = 4_000_000


class Judge:
    """Scores pairs of rows and decides about those that are alike enough."""

    def __init__(self, columns: FeatureColumns, ids: Mapping[int, RecordId], config: Config, made_by: str) -> None:
        """``ids`` maps each row to its record."""
        self._columns = columns
        self._ids = ids
        self._name = config.dedup.match
        self._scorer = adapters.find("dedup.match", self._name)
        self._settings = config.settings("dedup.match", self._name)
        self._several = {source.id for source in config.sources if source.config.duplicates}
        self._made_by = made_by

    def edges(self, candidates: npt.NDArray[np.uint64]) -> Iterator[Edge]:
        """The edges of the candidates whose score is above ``same``, in the order of the candidates."""
        import numpy as np

        from bibld.dedup._kernels import halves

        for start in range(0, len(candidates), _PAIRS_AT_ONCE):
            left, right = halves(candidates[start : start + _PAIRS_AT_ONCE])
            scores = self._scorer.scores(self._columns, left, right, self._settings)
            for position in np.flatnonzero(np.round(scores.astype(np.float64), 6) > self._settings.same):
                yield self.edge(int(left[position]), int(right[position]))

    def edge(self, left: int, right: int) -> Edge:
        """Score and verdict of any two rows."""
        score = self._scorer.explain(self._columns, left, right, self._settings)
        pair = Pair.of(self._ids[left], self._ids[right])
        return Edge(pair, score, self._verdict(pair, score.value, left, right), self._made_by)

    def _verdict(self, pair: Pair, score: float, left: int, right: int) -> Verdict:
        same = self._settings.same
        if score <= same:
            return Verdict("different", self._name, (f"score {score:.3f} is not above {same}",))
        alike = f"score {score:.3f} is above {same}"
        first, second = self._columns.part.text(left), self._columns.part.text(right)
        if first and second and first != second:
            return Verdict("related", "part_numbers", (alike, f"part numbers conflict: {first} and {second}"))
        if pair.left.source == pair.right.source and pair.left.source not in self._several:
            return Verdict("review", "one_record_per_source", (alike, f"both are records of {pair.left.source}"))
        return Verdict("same", self._name, (alike,))
