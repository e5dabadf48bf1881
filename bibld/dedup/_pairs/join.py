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
from bibld.config import Config
from bibld.dedup._keys.indexing import MEMORY, WORKERS, parts_of
from bibld.dedup._keys.key_runs import SegmentRuns
from bibld.dedup._keys.levels import Level, levels_of
from bibld.dedup._keys.threads import in_order
from bibld.dedup._pairs.pairs import Candidates, Counts
from bibld.dedup._pairs.probe import probe
from bibld.dedup._pairs.sieve import WIDTH, is_sieved, trees_for
from bibld.model.features import Statistics

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from bibld.dedup._pairs.sieve_trees import Trees

    Numbers = npt.NDArray[np.uint64]
    Flags = npt.NDArray[np.bool_]


def join(
    runs: Sequence[SegmentRuns],
    config: Config,
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
    found = Candidates(rows, memory, workers, sieve[:, 0] if len(sieve) else None)
    try:
        for name in runs[0].runs if runs else ():
            if new_from:
                probe(found, name, runs, new_from, config, statistics, living, workers)
            else:
                is_certain = getattr(adapters.find("dedup.block", name), "IS_CERTAIN", False)
                sieves = sieve[:0] if is_certain else sieve, None if is_certain else trees_for(config)
                _join(found, name, runs, config, statistics, living, sieves, workers)
        found.flush()
    except BaseException:
        found.close()
        raise
    return found


def _join(
    found: Candidates,
    name: str,
    runs: Sequence[SegmentRuns],
    config: Config,
    statistics: Statistics,
    alive: Flags,
    sieves: tuple[Numbers, Trees | None],
    workers: int,
) -> None:
    """Add the pairs that one blocker proposes and the two halves of the sieve let through."""
    import numpy as np

    blocker, near, bits = adapters.find("dedup.block", name), np.empty(0, np.uint64), 64
    if hasattr(blocker, "signatures") and runs:
        near = np.concatenate([held.near[name] for held in runs])
        bits = blocker.distance(config.settings("dedup.block", name))
    counts = Counts(name)
    for level in levels_of(name, runs, config, statistics, alive):
        tested = msgspec.structs.replace(level, near=near, bits=bits, sieve=sieves[0])
        for pairs, met in in_order(partial(_sifted, found, tested, sieves[1]), parts_of(level.runs), workers):
            found.add(pairs)
            counts = counts.plus(level.number, met)
        counts = counts.plus_rows(level.cut_rows())
    found.counts.append(counts)


def _sifted(
    found: Candidates, level: Level, trees: Trees | None, part: tuple[int, int]
) -> tuple[Numbers, npt.NDArray[np.int64]]:
    """The pairs of some parts that the whole sieve lets through, prepared, and the counts of their keys."""
    import numpy as np

    from bibld.dedup._keys.kernels import halves

    pairs, met = level.pairs(part)
    if trees is not None and len(pairs):
        from bibld.dedup._pairs.sieve_trees import likely

        left, right = halves(pairs)
        pairs = pairs[likely(level.sieve, left.astype(np.int64), right.astype(np.int64), trees)]
    return found.prepared(pairs), met
