"""Check that the index on disk is complete and agrees with the catalog."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from bibld.catalog import Catalog, Queue, SegmentRow
from bibld.catalog.check import Fault, abbreviate
from bibld.config import Config
from bibld.dedup._index.index import Index, mark
from bibld.dedup._index.segments import Segment
from bibld.dedup._keys.key_runs import open_runs
from bibld.errors import CatalogError
from bibld.progress import Progress

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.uint64]

_REBUILT = "the next run builds it again"


def index_faults(catalog: Catalog, config: Config, progress: Progress) -> Iterator[Fault]:
    """Yield what is wrong with the segments and their keys; the caller must have locked the catalog.

    The repair of a damaged segment removes it and requeues its records; that of damaged keys removes them.
    """
    index = Index(catalog, config)
    rows = catalog.segments.all()
    if any(row.made_by != index.made_by for row in rows):
        return  # another version made them, so the next run builds all of them again
    progress.stage("check", "segments", len(rows))
    opened: list[tuple[SegmentRow, Segment]] = []
    for row in rows:
        try:
            segment = Segment.open(index.path(row.number))
            for name in ("made", "source"):
                segment.array(name)
            if len(segment) != row.records:
                raise CatalogError(f"{segment.folder}: has {len(segment)} rows instead of {row.records}")
        except (CatalogError, KeyError) as error:
            what = str(error) if isinstance(error, CatalogError) else f"has no column {error}"
            yield Fault(
                f"index/{row.number}", what.partition("; run")[0], _REBUILT, _segment_removal(catalog, index, row)
            )
        else:
            opened.append((row, segment))
            yield from _key_faults(catalog, config, index, row)
        progress.advance()
    if len(opened) == len(rows) and rows:
        yield from _row_faults(catalog, opened)


def _segment_removal(catalog: Catalog, index: Index, row: SegmentRow) -> Callable[[], None]:
    """Return the repair that removes a segment and requeues all records that no other segment contains."""

    def repair() -> None:
        with catalog.commit():
            catalog.segments.remove(row.number)
        index.sweep()
        others = [(one, Segment.open(index.path(one.number))) for one in catalog.segments.all()]
        known = set(_live_rows(catalog, others)[0].tolist())
        with catalog.commit():
            catalog.dirty[Queue.UNMATCHED_RECORDS].add(
                [ordinal for ordinal, _ in catalog.records.made_by() if ordinal not in known]
            )

    return repair


def _key_faults(catalog: Catalog, config: Config, index: Index, row: SegmentRow) -> Iterator[Fault]:
    statistics = catalog.linkage.statistics()
    if statistics is None:
        return
    folder = index.path(row.number) / f"keys-{statistics[0]}"
    try:
        open_runs(folder, row.records, config)
    except CatalogError as error:
        what = str(error).partition("; run")[0]
        yield Fault(f"index/{row.number}", what, _REBUILT, lambda: shutil.rmtree(folder))


def _row_faults(catalog: Catalog, opened: Sequence[tuple[SegmentRow, Segment]]) -> Iterator[Fault]:
    """Yield the live records that are not queued and have no live row or two, and live rows of deleted records."""
    import numpy as np

    waiting = np.array(catalog.dirty[Queue.UNMATCHED_RECORDS].items(), dtype=np.uint64)
    ordinals, made = _live_rows(catalog, opened)
    marks = [(ordinal, mark(made_by)) for ordinal, made_by, _ in catalog.records.fingerprints()]
    wanted = np.array([ordinal for ordinal, _ in marks], dtype=np.uint64)
    wanted_made = np.array([number for _, number in marks], dtype=np.uint64)
    order = np.argsort(ordinals, kind="stable")
    ordinals, made = ordinals[order], made[order]
    twice = np.unique(ordinals[1:][ordinals[1:] == ordinals[:-1]])
    absent, deleted = np.setdiff1d(wanted, ordinals), np.setdiff1d(ordinals, wanted)
    both, here, there = np.intersect1d(ordinals, wanted, return_indices=True)
    stale = both[made[here] != wanted_made[there]]
    for what, found in (
        ("records {} have two live rows", twice),
        ("live records {} have no row", absent),
        ("records {} are deleted, but have live rows", deleted),
        ("the rows of records {} were made from another version of them", stale),
    ):
        wrong = np.setdiff1d(found, waiting).tolist()
        if wrong:
            yield Fault("index", what.format(abbreviate(wrong)), _REBUILT, _requeue(catalog, opened, wrong))


def _live_rows(catalog: Catalog, opened: Sequence[tuple[SegmentRow, Segment]]) -> tuple[Numbers, Numbers]:
    """Return the ordinals of the live rows and the marks of what made them."""
    import numpy as np

    ordinals, made = [np.empty(0, np.uint64)], [np.empty(0, np.uint64)]
    for row, segment in opened:
        counts = np.ones(len(segment), dtype=np.bool_)
        tombstones = np.array(catalog.segments.tombstones(row.number), dtype=np.int64)
        counts[tombstones[tombstones < len(segment)]] = False
        ordinals.append(segment.ordinals[counts])
        made.append(segment.array("made")[counts])
    return np.concatenate(ordinals), np.concatenate(made)


def _requeue(
    catalog: Catalog, opened: Sequence[tuple[SegmentRow, Segment]], ordinals: Sequence[int]
) -> Callable[[], None]:
    """Return the repair that deletes all rows of some records and requeues the records."""
    import numpy as np

    def repair() -> None:
        wanted = np.array(ordinals, dtype=np.uint64)
        with catalog.commit():
            for row, segment in opened:
                catalog.segments.add_tombstones(row.number, np.flatnonzero(np.isin(segment.ordinals, wanted)).tolist())
            catalog.dirty[Queue.UNMATCHED_RECORDS].add(ordinals)

    return repair
