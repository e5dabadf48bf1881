"""Check that the index on disk is complete and agrees with the catalog."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from bibld.catalog import Catalog, Queue
from bibld.catalog.check import FoundFault, abbreviate
from bibld.config import Config
from bibld.dedup.extraction import made_number
from bibld.dedup.index import Index, RecordRows
from bibld.errors import CatalogError
from bibld.model.finding import Finding
from bibld.progress import Progress

_REBUILT = "the next run builds it again"
_CHUNK = 50_000


def index_faults(catalog: Catalog, config: Config, progress: Progress) -> Iterator[FoundFault]:
    """Yield what is wrong with rows and keys; the caller must have locked the catalog.

    The repair of damaged files removes them; that of rows that do not agree with the catalog requeues their records.
    """
    index = Index(catalog, config)
    state, statistics = catalog.matching.index(), catalog.linkage.statistics()
    if state is None or not index.is_current():
        return  # the next run builds the index
    place = f"index/{state.folder}"
    progress.stage("check", "rows", state.rows)
    try:
        rows = index.open()
        assert rows is not None  # it is current
        for start in range(0, len(rows.table), _CHUNK):
            progress.advance(len(rows.table.chunk(start, start + _CHUNK)))
    except CatalogError as error:
        yield Finding(place, str(error).partition("; run")[0], _REBUILT), index.discard
        return
    if statistics is not None:
        try:
            index.open_key_tables(rows, statistics[0]).close()
        except CatalogError as error:
            key_file = index.key_file(rows, statistics[0])
            yield Finding(place, str(error), _REBUILT), partial(index.remove_keys, key_file)
    yield from _row_faults(catalog, rows)


def _row_faults(catalog: Catalog, rows: RecordRows) -> Iterator[FoundFault]:
    """Yield the records that are not queued and whose rows do not agree with the catalog."""
    waiting = np.array(catalog.dirty[Queue.UNMATCHED_RECORDS].items(), dtype=np.int64)
    marks = [(ordinal, made_number(made_by)) for ordinal, made_by, _ in catalog.records.fingerprints()]
    live = np.array([ordinal for ordinal, _ in marks], dtype=np.int64)
    places = rows.rows_of(live)
    made = np.array([number for _, number in marks], dtype=np.uint64)
    is_stale = (places >= 0) & (rows.table.made[places] != made) if len(rows.table) else np.zeros(len(live), np.bool_)
    for what, found in (
        ("live records {} have no row", live[places < 0]),
        ("records {} are deleted, but have live rows", np.setdiff1d(rows.ordinals_of(rows.live), live)),
        ("the rows of records {} were made from another version of them", live[is_stale]),
    ):
        wrong = np.setdiff1d(found, waiting).tolist()
        if wrong:
            yield Finding("index", what.format(abbreviate(wrong)), _REBUILT), _requeue(catalog, wrong)


def _requeue(catalog: Catalog, ordinals: list[int]) -> Callable[[], None]:
    """Return the repair that requeues records; the next run gives them rows."""

    def repair() -> None:
        with catalog.commit():
            catalog.dirty[Queue.UNMATCHED_RECORDS].add(ordinals)

    return repair
