"""Candidate pairs as they are found: in any order and often, then once and in order, more than memory holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from bibld.dedup._keys.key_runs import LEVELS
from bibld.dedup._keys.spool import Spool, groups, together
from bibld.dedup._pairs.sieve import REFINED_BY
from bibld.parallel import map_in_threads

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from bibld.dedup._pairs.sieve_trees import Trees

    Flags = npt.NDArray[np.bool_]
    Numbers = npt.NDArray[np.uint64]
    Offsets = npt.NDArray[np.int64]
    Rows = npt.NDArray[np.uint32]

_RANGES = 256
_WAITING = 1 << 22


class Counts(msgspec.Struct, frozen=True):
    """What became of the keys of a blocker that too many records have.

    ``refined`` counts oversized keys, ``cut`` those that were so with all fields and make no candidates, ``cut_rows``
    the records that had them; ``grown`` counts keys that became oversized since the statistics were counted.
    """

    name: str
    refined: int = 0
    cut: int = 0
    cut_rows: int = 0
    grown: int = 0

    def plus(self, level: int, met: Offsets) -> Counts:
        """With the keys that some parts of a level met: oversized, grown."""
        oversized, grown = met.tolist()
        refined, cut = (0, oversized) if level == LEVELS - 1 else (oversized, 0)
        return msgspec.structs.replace(
            self, refined=self.refined + refined, cut=self.cut + cut, grown=self.grown + grown
        )

    def plus_rows(self, rows: int) -> Counts:
        """With the rows of keys that were cut."""
        return msgspec.structs.replace(self, cut_rows=self.cut_rows + rows)

    def message(self) -> str:
        """What was refined and cut, in a sentence; empty where there is nothing to say."""
        parts = []
        if self.refined:
            parts.append(f"{self.refined} oversized keys were refined by {', '.join(REFINED_BY)}")
        if self.cut:
            parts.append(f"{self.cut} keys of {self.cut_rows} records stayed oversized and make no candidates")
        if self.grown:
            parts.append(f"{self.grown} keys grew oversized since the statistics were counted; renew them (--restat)")
        return f"dedup: {self.name}: {'; '.join(parts)}" if parts else ""


class Candidates:
    """Candidate pairs, to be walked as often as one likes until they are closed; ``counts`` tells of the keys.

    They come by the neighbourhood of their rows, so that who looks at some pairs finds most of their rows again and
    again: where ``signatures`` are given, those of the sieve by flat position, rows with like titles are neighbours;
    else those with like positions. ``trees`` sift what was added, each pair once.
    """

    def __init__(
        self, rows: int, memory: int, workers: int, signatures: Numbers | None = None, trees: Trees | None = None
    ) -> None:
        from bibld.dedup._pairs.neighbours import Neighbours

        self.counts: list[Counts] = []
        self._signatures = signatures
        self._trees = trees
        self._neighbours = None if signatures is None else Neighbours.of(signatures[:, 0])
        self._shift = 32 + max(rows.bit_length() - _RANGES.bit_length() + 1, 0)
        self._spool, self._certain = Spool(memory - memory // 4), Spool(memory // 4)
        self._workers = workers
        self._waiting: list[Numbers] = []
        self._held = 0

    def prepared(self, pairs: Numbers) -> Numbers:
        """Pairs, ``left << 32 | right``, as :meth:`add` takes them; several threads may ask."""
        return pairs if self._neighbours is None else self._neighbours.numbered(pairs)

    def add_certain(self, pairs: Numbers) -> None:
        """Take prepared pairs that nothing sifts, in any order and as often as they were met."""
        from bibld.dedup._keys.key_kernels import apart

        self._certain.add(*apart(pairs, self._shift, _RANGES))

    def add(self, pairs: Numbers) -> None:
        """Take prepared pairs, in any order and as often as they were met."""
        self._waiting.append(pairs)
        self._held += len(pairs)
        if self._held >= _WAITING:
            self.flush()

    def flush(self) -> None:
        """Put what waits apart by its left positions."""
        import numpy as np

        from bibld.dedup._keys.key_kernels import apart

        if self._held:
            self._spool.add(*apart(np.concatenate(self._waiting), self._shift, _RANGES))
        self._waiting, self._held = [], 0

    def messages(self) -> list[str]:
        """What there is to say of the keys of each blocker."""
        return [message for message in (counts.message() for counts in self.counts) if message]

    def packed(self) -> Iterator[Numbers]:
        """The pairs as ``left << 32 | right``, each once with left < right, in portions."""
        parts = groups(self._spool.sizes(_RANGES) + self._certain.sizes(_RANGES), _WAITING)
        yield from map_in_threads(self._part, parts, self._workers)

    def _part(self, part: tuple[int, int]) -> Numbers:
        import numpy as np

        pairs = self._spool.sorted(*part, is_set=True)[1]
        if self._trees is not None:
            pairs = pairs[self._are_likely(self._rows(pairs), self._trees)]
        certain = self._certain.sorted(*part, is_set=True)[1]
        if len(certain):
            pairs = together([(np.array([0, len(one)]), one) for one in (pairs, certain)], is_set=True)[1]
        return self._rows(pairs)

    def _rows(self, pairs: Numbers) -> Numbers:
        return pairs if self._neighbours is None else self._neighbours.pairs(pairs)

    def _are_likely(self, pairs: Numbers, trees: Trees) -> Flags:
        import numpy as np

        from bibld.dedup._keys.kernels import halves
        from bibld.dedup._pairs.sieve_trees import likely

        assert self._signatures is not None  # there are no trees without
        left, right = halves(pairs)
        return likely(self._signatures, left.astype(np.int64), right.astype(np.int64), trees)

    def __iter__(self) -> Iterator[tuple[Rows, Rows]]:
        """Left and right flat positions, each pair once with left < right, in portions."""
        from bibld.dedup._keys.kernels import halves

        for pairs in self.packed():
            yield halves(pairs)

    def __enter__(self) -> Candidates:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the pairs."""
        self._spool.close()
        self._certain.close()
