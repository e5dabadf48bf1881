"""Explain decided pairs in the form in which the catalog stores edges, in worker processes where there are many.

Reasons and contributions of features are made pair by pair in Python, which takes a third of matching. The pairs of a
portion depend on nothing but the index and the statistics, so the edges are the same for any number of processes.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import NamedTuple

import msgspec
import numpy as np

from bibld.catalog import Catalog, encode_edge
from bibld.config import Config
from bibld.dedup.decisions import DecidedPairs, Decider
from bibld.dedup.edges import Edges
from bibld.dedup.index import Index
from bibld.errors import CatalogError
from bibld.model.features import Statistics
from bibld.parallel import ProcessPool, worker_count

WORTH_PROCESSES = 50_000
"""Fewer pairs than this are explained in this process: to start others takes as long."""

_PORTION = 2_000
"""Pairs that go to a process at once."""


class ExplainedPair(NamedTuple):
    """The score of a pair, the decision about it alone, and the edge in its stored form."""

    score: float
    decision: str
    body: bytes


def explain_pairs(
    edges: Edges, pairs: DecidedPairs, statistics: Statistics, config: Config, made_by: str
) -> Iterator[ExplainedPair]:
    """Yield each pair explained, in their order; ``made_by`` is that of the edges.

    Processes read the index and the statistics as they were committed. Raises ``StageError`` when a process dies.
    """
    workers = worker_count(config.workers)
    if workers == 1 or len(pairs.left) < WORTH_PROCESSES:
        yield from _explain(edges, pairs, statistics)
        return
    portions = (
        pairs.take(np.arange(start, min(start + _PORTION, len(pairs.left))))
        for start in range(0, len(pairs.left), _PORTION)
    )
    alone = msgspec.structs.replace(config, workers=1)
    with ProcessPool(workers, "explain pairs", [__name__], _open, (alone, made_by)) as pool:
        for explained in pool.results(pool.submit(_explain_portion, portion) for portion in portions):
            yield from explained


def _explain(edges: Edges, pairs: DecidedPairs, statistics: Statistics) -> Iterator[ExplainedPair]:
    for edge in edges.explain(pairs, statistics):
        yield ExplainedPair(edge.score.value, edge.verdict.decision, encode_edge(edge))


# -- in a worker process ---------------------------------------------------------------------------------------------

_WORKER: list[tuple[Edges, Statistics]] = []


def _open(config: Config, made_by: str) -> None:
    gc.disable()  # edges contain no cycles
    index = Index(Catalog(config.workspace, read_only=True), config)
    rows, (_, statistics) = index.open(), index.frozen_statistics()
    if rows is None or statistics is None:
        raise CatalogError(f"{config.workspace}: the index changed while pairs were explained; run again")
    # Which records may be in one cluster was decided before.
    decider = Decider(rows.table, rows.sources(()), config)
    _WORKER.append((Edges(decider, rows.records_of, made_by), statistics))


def _explain_portion(pairs: DecidedPairs) -> list[ExplainedPair]:
    edges, statistics = _WORKER[0]
    return list(_explain(edges, pairs, statistics))
