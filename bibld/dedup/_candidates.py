"""Candidate pairs: what blockers' keys bring together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from bibld.config import Config
from bibld.dedup._keys import Keys, kept, keys_of, oversized_keys
from bibld.dedup._statistics import word_counts
from bibld.model.features import FeatureColumns, Statistics

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_PAIRS_AT_ONCE = 20_000_000


def statistics_of(columns: FeatureColumns, config: Config) -> Statistics:
    """Count what the configured blockers must know of all records."""
    words = word_counts(columns)
    oversized = {name: oversized_keys(name, columns, config, words) for name in dict.fromkeys(config.dedup.block)}
    return msgspec.structs.replace(words, oversized=oversized)


def all_keys(columns: FeatureColumns, config: Config, statistics: Statistics) -> list[Keys]:
    """The keys of each configured blocker."""
    return [keys_of(name, columns, config, statistics) for name in dict.fromkeys(config.dedup.block)]


def candidate_pairs(blockers: list[Keys], columns: FeatureColumns, config: Config) -> npt.NDArray[np.uint64]:
    """The pairs of rows that any of the blockers proposes, ascending, as ``left << 32 | right``."""
    import numpy as np

    found = np.empty(0, dtype=np.uint64)
    for blocker in blockers:
        found = np.union1d(found, proposed(blocker, columns, config))
    return found


def proposed(blocker: Keys, columns: FeatureColumns, config: Config) -> npt.NDArray[np.uint64]:
    """The pairs of rows that one blocker proposes, ascending."""
    from bibld.dedup._kernels import halves

    pairs = joined(blocker.keys, blocker.rows)
    return pairs[kept(blocker.name, columns, config, *halves(pairs))]


def joined(keys: npt.NDArray[np.uint64], rows: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint64]:
    """The pairs of rows that have a key in common, ascending, each once."""
    import numpy as np

    from bibld.dedup._kernels import pairs_of_buckets

    order = np.argsort(keys, kind="stable")
    ordered, held = keys[order], rows[order]
    edges = np.flatnonzero(np.diff(ordered)) + 1
    starts = np.concatenate(([0], edges)).astype(np.int64)
    ends = np.concatenate((edges, [len(ordered)])).astype(np.int64)
    shared = ends - starts > 1
    starts, ends = starts[shared], ends[shared]
    found = np.empty(0, dtype=np.uint64)
    for chunk_starts, chunk_ends in _chunks(starts, ends):
        found = np.union1d(found, pairs_of_buckets(chunk_starts, chunk_ends, held))
    return found


def _chunks(
    starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]
) -> list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
    """Groups of buckets that give about so many pairs, which bounds the memory for pairs met more than once."""
    import numpy as np

    sizes = ends - starts
    running = np.cumsum(sizes * (sizes - 1) // 2)
    if len(running) == 0:
        return []
    cuts = np.unique(np.searchsorted(running, np.arange(_PAIRS_AT_ONCE, running[-1], _PAIRS_AT_ONCE)) + 1)
    return list(zip(np.split(starts, cuts), np.split(ends, cuts), strict=True))
