"""Extraction: the features of records of the catalog, into a segment, in as many processes as there are cores.

Each process reads the catalog for itself and gives back rows as they stand in a segment, in the order of the ordinals;
only a few batches are under way at any time. A few records are done in this process, without starting others.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from bibld.catalog import Catalog
from bibld.config import Config
from bibld.dedup._index.segments import Packed, Segment, SegmentWriter, packed
from bibld.dedup.features import features_of
from bibld.model.features import NUMBERS, TEXTS, FeatureColumns, Features, TextColumn
from bibld.parallel import ProcessPool, batches, worker_count
from bibld.progress import Progress

if TYPE_CHECKING:
    import numpy.typing as npt

BATCH = 1_000
"""Records that go to a process at once."""

WORTH_PROCESSES = 2_000
"""Fewer records than this are done in this process."""

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
    workers = worker_count(config.workers)
    with closing(_living(catalog, ordinals)) as living:
        few = list(islice(living, WORTH_PROCESSES))
        portions = batches(chain(few, living), BATCH)
        if workers == 1 or len(few) < WORTH_PROCESSES:
            for batch in portions:
                yield _rows(catalog, batch, further)
            return
        with ProcessPool(workers, "extract features", [__name__], _open_catalog, (config.workspace,)) as pool:
            yield from pool.results(pool.submit(_rows_in_process, batch, further) for batch in portions)


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


def _rows(catalog: Catalog, ordinals: list[int], further: Further | None) -> Packed:
    columns = columns_of((ordinal, features_of(catalog.records.mods(ordinal))) for ordinal in ordinals)
    return packed(columns, further(columns) if further else None)


_OPEN: list[Catalog] = []
"""The catalog of a process that takes features, open while the process lives."""


def _rows_in_process(ordinals: list[int], further: Further | None) -> Packed:
    return _rows(_OPEN[0], ordinals, further)


def _open_catalog(workspace: Path) -> None:
    gc.disable()  # descriptions hold no cycles, and looking for some takes a tenth of the time
    _OPEN.append(Catalog(workspace, read_only=True))
