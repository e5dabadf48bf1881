"""Candidate pairs of records in memory: evaluation, comparison and tests go the way of the great join."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bibld.dedup._keys.indexing import index_base
from bibld.dedup._keys.key_runs import LEVELS, SegmentRuns, write_run
from bibld.dedup._keys.keys import Keys, keys_of_all
from bibld.dedup._keys.spool import together
from bibld.dedup._keys.statistics import Held
from bibld.dedup._pairs import sieve as _sieve
from bibld.dedup._pairs.join import join
from bibld.dedup.method import Method
from bibld.model.features import FeatureColumns, Statistics

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_HASH = (1 << 42) - 1


def statistics_of(columns: FeatureColumns, config: Method) -> Statistics:
    """Count what the configured blockers must know of all records."""
    return index_base([Held(columns)], [None], config)[0]


def all_keys(columns: FeatureColumns, config: Method, statistics: Statistics) -> list[Keys]:
    """The keys of each configured blocker."""
    return keys_of_all(columns, config, statistics)


def candidate_pairs(blockers: list[Keys], columns: FeatureColumns, config: Method) -> npt.NDArray[np.uint64]:
    """The pairs of rows that any of the blockers proposes, ascending, as ``left << 32 | right``."""
    import numpy as np

    from bibld.dedup._keys.key_kernels import entries_of

    runs, near = {}, {}
    for blocker in blockers:
        entries = together([entries_of(blocker.keys & np.uint64(_HASH), blocker.rows)], is_set=True)
        empty = np.zeros(len(entries[0]), np.int64), np.empty(0, np.uint64)
        levels = [entries, *[empty] * (LEVELS - 1)]
        runs[blocker.name] = tuple(write_run(None, blocker.name, level, [held]) for level, held in enumerate(levels))
        near[blocker.name] = blocker.near
    held = SegmentRuns(len(columns), runs, near, _sieve.signatures(columns))
    with join([held], config, Statistics.empty()) as found:
        return np.sort(np.concatenate([np.empty(0, np.uint64), *found.packed()]))


def proposed(blocker: Keys, columns: FeatureColumns, config: Method) -> npt.NDArray[np.uint64]:
    """The pairs of rows that one blocker proposes, ascending."""
    return candidate_pairs([blocker], columns, config)
