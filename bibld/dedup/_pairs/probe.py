"""The probe: pairs of new rows with stored ones and among themselves, in time that depends on the new ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bibld import adapters
from bibld.dedup._keys.key_runs import Run, SegmentRuns
from bibld.dedup._keys.levels import Level, bases_of, levels_of
from bibld.dedup._keys.spool import together
from bibld.dedup._pairs.pairs import Candidates, Counts
from bibld.dedup._pairs.sieve import is_sieved, trees_for
from bibld.dedup.method import Method
from bibld.model.features import Statistics
from bibld.parallel import map_in_threads

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.uint64]
    Offsets = npt.NDArray[np.int64]
    Flags = npt.NDArray[np.bool_]

_ROOM = 1 << 18
_PARTS = 1024


def probe(
    found: Candidates,
    name: str,
    runs: Sequence[SegmentRuns],
    new_from: int,
    config: Method,
    statistics: Statistics,
    alive: Flags,
    workers: int,
) -> None:
    """Add the pairs that one blocker proposes with a row of segment ``new_from`` or a later one."""
    import numpy as np

    if new_from == len(runs):
        return
    bases = bases_of(runs)
    counts, pairs = Counts(name), [np.empty(0, np.uint64)]
    for level in levels_of(name, runs, config, statistics, alive, new_from):
        among, met = level.pairs((0, _PARTS))
        stored = [held.runs[name][level.number] for held in runs[:new_from]]
        with_stored, grown = _with_stored(level, stored, bases, workers)
        pairs += [among, *with_stored]
        counts = counts.plus(level.number, met + np.array([0, grown])).plus_rows(level.cut_rows())
    found.counts.append(counts)
    every = np.concatenate(pairs)
    if len(every):
        whole = np.array([0, len(every)], dtype=np.int64)
        found.add(_tested(name, together([(whole, every)], is_set=True)[1], runs, new_from, config))


def _with_stored(level: Level, stored: Sequence[Run], bases: Sequence[int], workers: int) -> tuple[list[Numbers], int]:
    """The pairs with the rows of stored runs, and how many keys have grown by the new rows."""
    import numpy as np

    from bibld.dedup._pairs.probe_kernels import pairs_with

    offsets, entries = together([run.parts(0, _PARTS) for run in level.runs], level.bases, low=32)

    def of_run(item: tuple[Run, int]) -> tuple[Numbers, Offsets]:
        run, base = item
        met, start, pairs = np.zeros(len(entries), np.int64), 0, [np.empty(0, np.uint64)]
        room = np.empty(max(_ROOM, int(np.diff(run.offsets).max())), np.uint64)
        while start < len(entries):
            start, filled = pairs_with(
                offsets, entries, run.offsets, run.entries, base, level.oversized, level.alive, start, room, met
            )
            pairs.append(room[:filled].copy())
        return np.concatenate(pairs), met

    total, found = np.zeros(len(entries), np.int64), []
    for pairs, met in map_in_threads(of_run, zip(stored, bases, strict=False), workers):
        found.append(pairs)
        total += met
    if not level.largest:
        return found, 0
    parts = np.repeat(np.arange(_PARTS, dtype=np.uint64), np.diff(offsets))
    _, first, counts = np.unique(
        (parts << np.uint64(32)) | (entries >> np.uint64(32)), return_index=True, return_counts=True
    )
    grown = (counts <= level.largest) & (total[first] > 0) & (total[first] + counts > level.largest)
    return found, int(grown.sum())


def _tested(name: str, pairs: Numbers, runs: Sequence[SegmentRuns], new_from: int, config: Method) -> Numbers:
    """Those of some pairs (ascending) that the blocker and the sieve let through."""
    from bibld.dedup._pairs.probe_kernels import distances, sifted

    blocker = adapters.load_adapter("dedup.block", name)
    if hasattr(blocker, "signatures"):
        rows = _Places(pairs, runs, new_from)
        near = rows.gathered([held.near[name] for held in runs])
        pairs = pairs[distances(near, rows.left, rows.right) <= blocker.distance(config.settings("dedup.block", name))]
    if is_sieved(config) and not getattr(blocker, "IS_CERTAIN", False):
        rows = _Places(pairs, runs, new_from)
        table = rows.gathered([held.sieve for held in runs])
        passing = sifted(table, rows.left, rows.right)
        trees = trees_for(config)
        if trees is not None:
            from bibld.dedup._pairs.sieve_trees import likely

            passing &= likely(table, rows.left, rows.right, trees)
        pairs = pairs[passing]
    return pairs


class _Places:
    """The rows of some pairs (ascending) gathered: first the left ones, each once, then all new ones.

    ``left`` and ``right`` are the places of each pair in what is gathered.
    """

    def __init__(self, pairs: Numbers, runs: Sequence[SegmentRuns], new_from: int) -> None:
        import numpy as np

        from bibld.dedup._keys.kernels import halves

        left, right = halves(pairs)
        is_first = np.ones(len(left), np.bool_)
        is_first[1:] = left[1:] != left[:-1]
        self._lefts = left[is_first].astype(np.int64)
        self._bases = np.array(bases_of(runs), dtype=np.int64)
        self._new_from = new_from
        self.left = np.cumsum(is_first) - 1
        self.right = right.astype(np.int64) - self._bases[new_from] + len(self._lefts)

    def gathered(self, columns: Sequence[Numbers]) -> Numbers:
        """The items of columns, one for each segment, for these rows."""
        import numpy as np

        edges = np.searchsorted(self._lefts, self._bases)
        parts = [
            column[self._lefts[begin:end] - base]
            for column, base, begin, end in zip(
                columns, self._bases, edges, (*edges[1:], len(self._lefts)), strict=True
            )
        ]
        return np.concatenate([*parts, *columns[self._new_from :]])
