"""Extraction: the features of records of the catalog, into a segment, in as many processes as there are cores.

Each process reads the catalog for itself and gives back rows as they stand in a segment, in the order of the ordinals;
only a few batches are under way at any time. A few records are done in this process, without starting others.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from bibld.catalog import Catalog
from bibld.config import Config
from bibld.dedup._features import features_of
from bibld.dedup._index.segments import Packed, Segment, SegmentWriter, packed
from bibld.errors import StageError
from bibld.model.features import NUMBERS, TEXTS, FeatureColumns, Features, TextColumn
from bibld.progress import Progress

if TYPE_CHECKING:
    import numpy.typing as npt

BATCH = 1_000
"""Records that go to a process at once."""

WORTH_PROCESSES = 2_000
"""Fewer records than this are done in this process."""

_BATCHES_AHEAD = 2
"""Batches under way for each process."""

Further = Callable[[FeatureColumns], Mapping[str, "npt.NDArray[Any]"]]
"""Makes further columns, one item a row, out of the features alone; processes must be able to import it."""


def extract(
    catalog: Catalog,
    config: Config,
    folder: Path,
    progress: Progress,
    ordinals: Iterable[int] | None = None,
    arrays: Mapping[str, npt.DTypeLike] | None = None,
    further: Further | None = None,
) -> Segment:
    """Write the features of living records into a segment; the same bytes for any number of workers.

    ``ordinals`` ascend and name the records, the deleted among them are left out; all living ones by default. The
    columns that ``further`` makes have the types that ``arrays`` says. The records are read as they were committed.
    Raises ``CatalogError`` when the disk is full, ``StageError`` when a process dies.
    """
    with SegmentWriter(folder, arrays) as writer:
        for rows in extracted(catalog, config, ordinals, further):
            writer.add(rows)
            progress.advance(len(rows.ordinals))
        return writer.close()


def extracted(
    catalog: Catalog, config: Config, ordinals: Iterable[int] | None = None, further: Further | None = None
) -> Iterator[Packed]:
    """The features of living records in batches, for other uses than :func:`extract`, whose arguments these are."""
    workers = config.workers or len(os.sched_getaffinity(0))
    with closing(_living(catalog, ordinals)) as living:
        few = list(islice(living, WORTH_PROCESSES))
        if workers == 1 or len(few) < WORTH_PROCESSES:
            for batch in _batches(few, living):
                yield _rows(catalog, batch, further)
        else:
            yield from _extracted_in_processes(config.workspace, workers, _batches(few, living), further)


def _extracted_in_processes(
    workspace: Path, workers: int, batches: Iterator[list[int]], further: Further | None
) -> Iterator[Packed]:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    pool = ProcessPoolExecutor(workers, context, initializer=_prepare_process, initargs=(workspace,))
    try:
        waiting: deque[Future[Packed]] = deque()
        for batch in batches:
            waiting.append(pool.submit(_rows_in_process, batch, further))
            if len(waiting) >= workers * _BATCHES_AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BrokenProcessPool as error:
        raise StageError(f"a process that takes features died ({error}); run again with workers = 1") from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def columns_of(records: Iterable[tuple[int, Features]]) -> FeatureColumns:
    """What ``FeatureColumns.from_features`` gives, column by column and some times as fast."""
    import numpy as np

    held = list(records)
    rows = [msgspec.structs.astuple(features) for _, features in held]
    values = dict(zip(Features.__struct_fields__, zip(*rows, strict=True), strict=False))
    return FeatureColumns(
        ordinals=np.array([ordinal for ordinal, _ in held], dtype=np.uint64),
        texts={name: TextColumn.from_texts(values.get(name, ())) for name in TEXTS},
        numbers={name: np.array(values.get(name, ()), dtype=np.int32) for name in NUMBERS},
    )


def _living(catalog: Catalog, ordinals: Iterable[int] | None) -> Generator[int, None, None]:
    if ordinals is None:
        yield from (ordinal for ordinal, _ in catalog.records.made_by())
    else:
        yield from filter(catalog.records.is_live, ordinals)


def _batches(first: list[int], others: Iterator[int]) -> Iterator[list[int]]:
    for start in range(0, len(first), BATCH):
        yield first[start : start + BATCH]
    while batch := list(islice(others, BATCH)):
        yield batch


def _rows(catalog: Catalog, ordinals: list[int], further: Further | None) -> Packed:
    columns = columns_of((ordinal, features_of(catalog.records.mods(ordinal))) for ordinal in ordinals)
    return packed(columns, further(columns) if further else None)


_OPEN: list[Catalog] = []
"""The catalog of a process that takes features, open while the process lives."""


def _rows_in_process(ordinals: list[int], further: Further | None) -> Packed:
    return _rows(_OPEN[0], ordinals, further)


def _prepare_process(workspace: Path) -> None:
    """Ctrl-C reaches all processes of a terminal; the one that started the others ends them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    gc.disable()  # descriptions hold no cycles, and looking for some takes a tenth of the time
    _OPEN.append(Catalog(workspace, read_only=True))


def _end_with_parent() -> None:
    """Nobody waits for a result any more when the process that asked for it was killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
