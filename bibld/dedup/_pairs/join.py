"""The join: candidate pairs out of the key runs of all segments, each pair once, in order.

A flat position is the row of a segment plus the rows of all segments before it. Memory is bounded: parts of the runs
are joined one after the other, and pairs beyond the bound wait in a temporary file, put apart by the left position.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from bibld import adapters
from bibld.dedup._keys.indexing import MEMORY, WORKERS, parts_of
from bibld.dedup._keys.key_runs import SegmentRuns
from bibld.dedup._keys.levels import Level, levels_of
from bibld.dedup._pairs.pairs import Candidates, Counts
from bibld.dedup._pairs.probe import probe
from bibld.dedup._pairs.sieve import WIDTH, is_sieved, trees_for
from bibld.dedup.method import Method
from bibld.model.features import Statistics
from bibld.parallel import map_in_threads

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.uint64]
    Flags = npt.NDArray[np.bool_]


def join(
    runs: Sequence[SegmentRuns],
    config: Method,
    statistics: Statistics,
    alive: Flags | None = None,
    new_from: int = 0,
    memory: int = MEMORY,
    workers: int = WORKERS,
) -> Candidates:
    """The pairs of living rows that any blocker proposes and the sieve lets through.

    ``alive`` says so of each flat position, None: of all. ``new_from``: only pairs with a row of this segment or a
    later one, in time that depends on how many these are. Beyond ``memory`` bytes pairs lie in a temporary file. Raises
    ``CatalogError`` when a run is damaged or there is no room.
    """
    import numpy as np

    rows = sum(held.rows for held in runs)
    living = np.ones(rows, np.bool_) if alive is None else alive
    sieve = np.empty((0, WIDTH), np.uint64)
    if is_sieved(config) and runs and not new_from:
        sieve = runs[0].sieve if len(runs) == 1 else np.concatenate([held.sieve for held in runs])
    sifted = (sieve, trees_for(config)) if len(sieve) else (None, None)
    found = Candidates(rows, memory, workers, *sifted)
    try:
        for name in runs[0].runs if runs else ():
            if new_from:
                probe(found, name, runs, new_from, config, statistics, living, workers)
            else:
                _join(found, name, runs, config, statistics, living, sieve, workers)
        found.flush()
    except BaseException:
        found.close()
        raise
    return found


def _join(
    found: Candidates,
    name: str,
    runs: Sequence[SegmentRuns],
    config: Method,
    statistics: Statistics,
    alive: Flags,
    sieve: Numbers,
    workers: int,
) -> None:
    """Add the pairs that one blocker proposes and the rules of the sieve let through, if it asks them."""
    import numpy as np

    blocker, near, bits = adapters.load_adapter("dedup.block", name), np.empty(0, np.uint64), 64
    if hasattr(blocker, "signatures") and runs:
        near = np.concatenate([held.near[name] for held in runs])
        bits = blocker.distance(config.settings("dedup.block", name))
    counts = Counts(name)
    is_certain = getattr(blocker, "IS_CERTAIN", False)
    add = found.add_certain if is_certain else found.add
    for level in levels_of(name, runs, config, statistics, alive):
        tested = msgspec.structs.replace(level, near=near, bits=bits, sieve=sieve[:0] if is_certain else sieve)
        for pairs, met in map_in_threads(partial(_prepared, found, tested), parts_of(level.runs), workers):
            add(pairs)
            counts = counts.plus(level.number, met)
        counts = counts.plus_rows(level.cut_rows())
    found.counts.append(counts)


def _prepared(found: Candidates, level: Level, part: tuple[int, int]) -> tuple[Numbers, npt.NDArray[np.int64]]:
    """The pairs of some parts as they are added, and the counts of their keys."""
    pairs, met = level.pairs(part)
    return found.prepared(pairs), met
