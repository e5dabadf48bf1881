"""Process dirty queues: worker processes read the catalog and compute, this process alone writes.

The results are stored in the order of the queue, so they are the same for any number of workers.
"""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, wait
from itertools import islice
from pathlib import Path
from typing import Self, TypeVar

from bibld.catalog import MAX_LOG_BYTES, Catalog, DirtyQueue
from bibld.parallel import ProcessPool, worker_count
from bibld.progress import Progress

ITEMS_AT_ONCE = 500
"""Items that are computed at once, and stored in one commit."""

WORTH_PROCESSES = 2_000
"""A queue of fewer items is processed without starting other processes, which takes as long."""

Portion = TypeVar("Portion")
Result = TypeVar("Result")


class CatalogReaders:
    """Processes that read the catalog and compute; use it in a ``with`` statement.

    ``workers`` is the number of processes, 0 for one for each core. ``purpose`` names in error messages what they do,
    ``preload`` the modules that they need.
    """

    def __init__(self, catalog: Catalog, workers: int, purpose: str, preload: Sequence[str]) -> None:
        self._catalog = catalog
        self._log_bound = MAX_LOG_BYTES
        arguments = (catalog.workspace,)
        self._pool = ProcessPool(worker_count(workers), purpose, [__name__, *preload], _open_catalog, arguments)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self._pool.__exit__(*failure)

    def results(
        self, compute: Callable[[Catalog, Portion], Result], portions: Iterable[Portion], here: int
    ) -> Iterator[tuple[Portion, Result]]:
        """Yield portions of work with their results, in order; the first ``here`` portions are computed here.

        ``compute`` reads what has been committed and writes nothing; it is a function that other processes can import,
        or a ``functools.partial`` of one. The processes are started when there are more portions, and used for further
        calls. When the write-ahead log of the catalog has grown large, the next portions wait until nobody reads, and
        the log is emptied. Raises ``StageError`` when a process dies.
        """
        remaining = iter(portions)
        for portion in remaining if self._pool.workers == 1 else islice(remaining, here):
            yield portion, _compute(compute, self._catalog, portion)
        waiting: deque[tuple[Portion, Future[Result]]] = deque()

        def submit() -> Iterator[Future[Result]]:
            for portion in remaining:
                if self._catalog.log_bytes() > self._log_bound:
                    wait(future for _, future in waiting)
                    self._empty_log()
                future = self._pool.submit(_compute_in_worker, compute, portion)
                waiting.append((portion, future))
                yield future

        for result in self._pool.results(submit()):
            yield waiting.popleft()[0], result

    def _empty_log(self) -> None:
        """Empty the log of the catalog, which no process of the pool is reading now.

        Where another program is reading, it is tried again when the log has grown as much once more.
        """
        self._catalog.empty_log()
        self._log_bound = self._catalog.log_bytes() + MAX_LOG_BYTES


class QueueProcessor(CatalogReaders):
    """Processes the dirty queues of a stage; use it in a ``with`` statement."""

    def process(
        self,
        dirty: DirtyQueue,
        compute: Callable[[Catalog, list[int]], Result],
        store: Callable[[Result], None],
        progress: Progress,
    ) -> int:
        """Compute and store the results of all items of a queue, and remove the items; return their number.

        What ``compute`` reads of an item must not depend on the results of other items in the queue. ``store`` is
        called in this process, inside the commit that removes the items.

        Raises ``CatalogError`` when the disk is full, ``StageError`` when a process dies.
        """
        done = 0
        total = len(dirty)
        # Of a long queue the first items are computed here: the compression is trained on them.
        here = 1 if total >= WORTH_PROCESSES else total
        for items, result in self.results(compute, dirty.batches(ITEMS_AT_ONCE), here):
            with self._catalog.commit():
                store(result)
                dirty.remove(items)
            progress.advance(len(items))
            done += len(items)
        return done


_CATALOG: list[Catalog] = []
"""The catalog that a worker process reads."""


def _open_catalog(workspace: Path) -> None:
    gc.disable()  # records, descriptions and quads contain no cycles
    _CATALOG.append(Catalog(workspace, read_only=True))


def _compute_in_worker(compute: Callable[[Catalog, Portion], Result], portion: Portion) -> Result:
    return _compute(compute, _CATALOG[0], portion)


def _compute(compute: Callable[[Catalog, Portion], Result], catalog: Catalog, portion: Portion) -> Result:
    with catalog.snapshot():
        return compute(catalog, portion)
