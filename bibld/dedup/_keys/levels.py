"""One blocker's runs of one level over several segments: the pairs of rows that share a key there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from bibld.dedup._keys.indexing import between, oversized_at, parts_of
from bibld.dedup._keys.key_runs import LEVELS, Run, SegmentRuns, largest_bucket
from bibld.dedup._keys.spool import together
from bibld.dedup._pairs.sieve import WIDTH
from bibld.dedup.method import Method
from bibld.model.features import Statistics

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.uint64]
    Offsets = npt.NDArray[np.int64]
    Flags = npt.NDArray[np.bool_]

_ROOM = 1 << 20


class Level(msgspec.Struct, frozen=True, eq=False):
    """The runs of a level, the flat positions of their first rows, the keys to pass over, and what pairs must be.

    A key of more than ``largest`` rows that is not ``oversized`` has grown. Pairs are of rows that are ``alive``;
    ``near`` (hashes that may differ in so many ``bits``) and ``sieve`` are by flat position, empty where they do not
    count.
    """

    number: int
    runs: Sequence[Run]
    bases: Sequence[int]
    oversized: Numbers
    largest: int
    alive: Flags
    near: Numbers
    sieve: Numbers
    bits: int = 64

    def pairs(self, part: tuple[int, int]) -> tuple[Numbers, Offsets]:
        """The pairs of some parts, ``left << 32 | right``, and how many keys are oversized and have grown."""
        import numpy as np

        from bibld.dedup._pairs.join_kernels import pairs_of

        offsets, entries = together([run.parts(*part) for run in self.runs], self.bases, low=32)
        room = np.empty(max(_ROOM, int(np.diff(offsets).max(initial=0)) + 1), np.uint64)
        oversized = between(self.oversized, *part)
        found, counts, start = [np.empty(0, np.uint64)], np.zeros(2, np.int64), 0
        while start < len(entries):
            start, filled = pairs_of(
                offsets, entries, part[0], oversized, self.largest, self.alive, self.near, self.bits, self.sieve,
                start, room, counts,
            )  # fmt: skip
            found.append(room[:filled].copy())
        return np.concatenate(found), counts

    def cut_rows(self) -> int:
        """How many living rows have a key that is oversized with all fields."""
        import numpy as np

        if self.number < LEVELS - 1 or not len(self.oversized):
            return 0
        from bibld.dedup._keys.refining_kernels import held_by

        count = 0
        for run, base in zip(self.runs, self.bases, strict=True):
            held = [held_by(*run.parts(*part), part[0], between(self.oversized, *part)) for part in parts_of([run])]
            rows = np.unique(np.concatenate([np.empty(0, np.uint32), *(rows for _, rows in held)]))
            count += int(self.alive[rows.astype(np.int64) + base].sum())
        return count


def levels_of(
    name: str, runs: Sequence[SegmentRuns], config: Method, statistics: Statistics, alive: Flags, first: int = 0
) -> Iterator[Level]:
    """The levels of a blocker over the segments from ``first`` on, without tests of pairs."""
    import numpy as np

    bases = bases_of(runs)[first:]
    largest = largest_bucket(name, config)
    for number in range(LEVELS if largest else 1):
        of_level = [held.runs[name][number] for held in runs[first:]]
        oversized = oversized_at(statistics, name, number)
        none = np.empty(0, np.uint64)
        yield Level(number, of_level, bases, oversized, largest, alive, none, none.reshape(0, WIDTH))


def bases_of(runs: Sequence[SegmentRuns]) -> list[int]:
    """The flat positions of the first rows of segments."""
    bases = [0]
    for held in runs:
        bases.append(bases[-1] + held.rows)
    return bases[:-1]
