"""Extraction: features of records of the catalog as rows, in as many processes as there are cores.

Each process reads the catalog itself; only a few batches are under way at a time. A few records are done in this
process, without starting others.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from itertools import chain, islice
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt

from bibld.catalog import Catalog
from bibld.config import Config
from bibld.dedup.columns import FeatureWriter, StoredRows, stored_rows
from bibld.dedup.features import features_of
from bibld.model.features import FeatureColumns
from bibld.parallel import ProcessPool, batches, worker_count
from bibld.progress import Progress

BATCH = 1_000
"""Records that go to a process at once."""

WORTH_PROCESSES = 2_000
"""Fewer records than this are done in this process."""

_MADE = 8
"""Bytes of the hash of what a record was made from that are stored in its row."""


class ExtractedRows(msgspec.Struct, frozen=True):
    """Rows of records, with a number (n,) for what each was made from, and the id of the source of each."""

    rows: StoredRows
    made: npt.NDArray[np.uint64]
    sources: list[str]


def extract(
    catalog: Catalog,
    config: Config,
    writer: FeatureWriter,
    source_number: Callable[[str], int],
    progress: Progress,
    ordinals: Iterable[int] | None = None,
) -> None:
    """Append the features of live records to a table; the same bytes for any number of workers.

    ``ordinals`` name the records, in their order and without the deleted ones; all by default, ascending. Records are
    read as they were committed. Raises ``CatalogError`` when the disk is full, ``StageError`` when a process dies.
    """
    for batch in extracted_rows(catalog, config, ordinals):
        writer.add(batch.rows, batch.made, np.array([source_number(one) for one in batch.sources], dtype=np.uint16))
        progress.advance(len(batch.sources))


def extracted_rows(catalog: Catalog, config: Config, ordinals: Iterable[int] | None = None) -> Iterator[ExtractedRows]:
    """Yield the features of live records in batches; see :func:`extract`."""
    workers = worker_count(config.workers)
    with closing(_live_ordinals(catalog, ordinals)) as live:
        few = list(islice(live, WORTH_PROCESSES))
        portions = batches(chain(few, live), BATCH)
        if workers == 1 or len(few) < WORTH_PROCESSES:
            yield from (_rows_of(catalog, batch) for batch in portions)
            return
        with ProcessPool(workers, "extract features", [__name__], _open_catalog, (config.workspace,)) as pool:
            yield from pool.results(pool.submit(_rows_in_process, batch) for batch in portions)


def made_number(made_by: bytes) -> int:
    """Return the number, for a row, of what a record was made from."""
    return int.from_bytes(made_by[:_MADE], "little")


def _live_ordinals(catalog: Catalog, ordinals: Iterable[int] | None) -> Generator[int, None, None]:
    if ordinals is None:
        yield from (ordinal for ordinal, _ in catalog.records.made_by())
    else:
        yield from filter(catalog.records.is_live, ordinals)


def _rows_of(catalog: Catalog, ordinals: list[int]) -> ExtractedRows:
    columns = FeatureColumns.from_features(
        (ordinal, features_of(catalog.records.mods(ordinal))) for ordinal in ordinals
    )
    fingerprints = list(catalog.records.fingerprints(ordinals))
    made = np.array([made_number(made_by) for _, made_by, _ in fingerprints], dtype=np.uint64)
    return ExtractedRows(stored_rows(columns), made, [source for _, _, source in fingerprints])


_CATALOG: list[Catalog] = []
"""The catalog of a process that extracts features, open while the process lives."""


def _rows_in_process(ordinals: list[int]) -> ExtractedRows:
    with _CATALOG[0].snapshot():
        return _rows_of(_CATALOG[0], ordinals)


def _open_catalog(workspace: Path) -> None:
    gc.disable()  # descriptions contain no cycles, and looking for some takes a tenth of the time
    _CATALOG.append(Catalog(workspace, read_only=True))
