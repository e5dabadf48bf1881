"""Process dirty queues: worker processes read the catalog and compute, this process alone writes.

The results are stored in the order of the queue, so they are the same for any number of workers.
"""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import TypeVar

from bibld.catalog import Catalog, DirtyQueue
from bibld.parallel import ProcessPool, worker_count
from bibld.progress import Progress

ITEMS_AT_ONCE = 500
"""Items that are computed at once, and stored in one commit."""

WORTH_PROCESSES = 2_000
"""A queue of fewer items is processed without starting other processes, which takes as long."""

Result = TypeVar("Result")


class QueueProcessor:
    """Processes the dirty queues of a stage; use it in a ``with`` statement.

    ``workers`` is the number of processes, 0 for one for each core; they are started for the first long queue, and used
    for further ones. ``purpose`` names in error messages what they do, ``preload`` the modules that they need.
    """

    def __init__(self, catalog: Catalog, workers: int, purpose: str, preload: Sequence[str]) -> None:
        self._catalog = catalog
        arguments = (catalog.workspace,)
        self._pool = ProcessPool(worker_count(workers), purpose, [__name__, *preload], _open_catalog, arguments)

    def __enter__(self) -> QueueProcessor:
        return self

    def __exit__(self, *failure: object) -> None:
        self._pool.__exit__(*failure)

    def process(
        self,
        dirty: DirtyQueue,
        compute: Callable[[Catalog, list[int]], Result],
        store: Callable[[Result], None],
        progress: Progress,
    ) -> int:
        """Compute and store the results of all items of a queue, and remove the items; return their number.

        ``compute`` reads what has been committed and writes nothing; it is a function that other processes can import,
        or a ``functools.partial`` of one. What it reads of an item must not depend on the results of other items in
        the queue. ``store`` is called in this process, inside the commit that removes the items.

        Raises ``CatalogError`` when the disk is full, ``StageError`` when a process dies.
        """
        done = 0
        for items, result in self._results(dirty, compute):
            with self._catalog.commit():
                store(result)
                dirty.remove(items)
            progress.advance(len(items))
            done += len(items)
        return done

    def _results(
        self, dirty: DirtyQueue, compute: Callable[[Catalog, list[int]], Result]
    ) -> Iterator[tuple[list[int], Result]]:
        portions = dirty.batches(ITEMS_AT_ONCE)
        is_long = len(dirty) >= WORTH_PROCESSES
        for items in portions:
            yield items, compute(self._catalog, items)
            if is_long and self._pool.workers > 1:
                break  # the dictionaries of the compression, trained on the first items, are committed now
        waiting: deque[list[int]] = deque()

        def submit() -> Iterator[Future[Result]]:
            for items in portions:
                waiting.append(items)
                yield self._pool.submit(_compute, compute, items)

        for result in self._pool.results(submit()):
            yield waiting.popleft(), result


_CATALOG: list[Catalog] = []
"""The catalog that a worker process reads."""


def _open_catalog(workspace: Path) -> None:
    gc.disable()  # records, descriptions and quads contain no cycles
    _CATALOG.append(Catalog(workspace, read_only=True))


def _compute(compute: Callable[[Catalog, list[int]], Result], items: list[int]) -> Result:
    return compute(_CATALOG[0], items)
