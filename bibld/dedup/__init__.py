"""Find the records that describe the same publication: scored pairs with reasons, and clusters.

The method consists of blockers (``block/``), which propose candidate pairs, and a scorer (``score/``). That of
Kosolapov, Serebryakov, Teymurazov and Shorin, "Algorithm for merging duplicate bibliographic records", is
``block = ["paper"]`` with ``score = "jaccard"``.

A run matches new and changed records against an index of all records, and clusters again the connected components that
it touches. :func:`find_duplicates` matches records in memory.
"""

from __future__ import annotations

import msgspec

from bibld.catalog import Catalog, StageQueue
from bibld.config import Config
from bibld.dedup.decisions import Decider
from bibld.dedup.edges import Edges
from bibld.dedup.exceptions import explain
from bibld.dedup.features import features_of
from bibld.dedup.keys import keys_of_all, shared_key_names
from bibld.dedup.memory import Duplicates, find_duplicates, frozen_statistics, prepare
from bibld.dedup.method import MethodOptions, settings_digest
from bibld.dedup.stage import DedupSummary, MatchingRun
from bibld.dedup.warm_up import KernelWarmUp
from bibld.model.features import NUMBERS, TEXTS, Features, Statistics
from bibld.model.linkage import Edge
from bibld.model.origin import RecordId
from bibld.progress import Progress

__all__ = [
    "Comparison",
    "DedupSummary",
    "Duplicates",
    "KernelWarmUp",
    "MethodOptions",
    "compare",
    "dedup",
    "features_of",
    "find_duplicates",
    "is_pending",
    "settings_digest",
]


class Comparison(msgspec.Struct, frozen=True):
    """Two records compared, whether or not a blocker proposes the pair.

    ``left_keys`` and ``right_keys`` name the kinds of blocking keys that each has, ``exceptions`` are sentences; the
    score of the edge names the keys that the two share.
    """

    edge: Edge
    left: Features
    right: Features
    left_keys: tuple[str, ...]
    right_keys: tuple[str, ...]
    exceptions: tuple[str, ...]


def is_pending(catalog: Catalog, queue: StageQueue) -> bool:
    """Return whether records changed, or people decided about pairs, since the last matching."""
    seen = catalog.matching.state().verdict_change
    last, _ = catalog.register.changed_verdicts(seen)
    return last != seen or not queue.dirty.is_empty()


def dedup(
    catalog: Catalog,
    config: Config,
    progress: Progress,
    run_time: str,
    queue: StageQueue,
    restat: bool = False,
    rematch_all: bool = False,
) -> DedupSummary:
    """Match the dirty records against all live records, and store edges and clusters.

    ``run_time`` is the time of the run (ISO 8601), for the history of the records. ``restat``: count the statistics of
    blocking again instead of using the frozen ones; ``rematch_all``: match all records, not only the dirty ones.
    """
    return MatchingRun(catalog, config, progress, run_time, queue, rematch_all).run(restat)


def compare(catalog: Catalog, config: Config, left: RecordId, right: RecordId, progress: Progress) -> Comparison | None:
    """Compare any two live records; None if one of them is not in the catalog."""
    import numpy as np

    records = [catalog.record(record) for record in sorted((left, right))]
    live = [record for record in records if record is not None and not record.deleted]
    if len(live) < 2:
        return None
    decider = Decider.from_records([(record.id, record.mods) for record in live], config)
    columns = decider.rows.rows(np.arange(2), (*TEXTS, *NUMBERS))
    features = columns.features(0), columns.features(1)
    keys = keys_of_all(columns, config, _statistics(catalog, config, progress))
    edges = Edges(decider, lambda some: [live[row].id for row in some.tolist()], settings_digest(config))
    found = decider.decide(np.array([0]), np.array([1]), least=0.0)
    (edge,) = edges.explain(
        found,
        lambda some, one, other: shared_key_names(keys, len(some), one.astype(np.uint32), other.astype(np.uint32)),
    )
    left_keys, right_keys = (tuple(name for one in keys for name in one.names_of(row)) for row in (0, 1))
    exceptions = tuple(sentence for _, sentence in explain(int(found.exceptions[0]), *features))
    return Comparison(edge, *features, left_keys, right_keys, exceptions)


def _statistics(catalog: Catalog, config: Config, progress: Progress) -> Statistics:
    """Return the frozen statistics if they were counted for these settings, else count them."""
    frozen = frozen_statistics(catalog, config)
    if frozen is not None:
        return frozen
    with prepare(catalog, config, progress) as ready:
        return ready.statistics
