"""The index of a workspace: features, keys and signatures of all records, on disk between runs.

The folder ``index/<number>/`` contains the feature table (:mod:`bibld.dedup.columns`) and the tables of keys made with
one version of the statistics (:mod:`bibld.dedup.key_tables`). The catalog states which folder is valid and how many of
its rows; other folders were left by a run that was stopped. A new or changed record gets a row at the end of the table,
a deleted one a row without features. When more than a quarter of the rows is outdated, the others are copied to a new
folder.

The order is: rows on the disk, number of rows in the catalog, keys in a separate transaction, results in the
catalog. So a run can be killed at any moment: the next one keeps the rows that are valid and makes what is missing.

Features are extracted in as many processes as there are cores, each of which reads the catalog itself; a few records
are done in this process.
"""

from __future__ import annotations

import gc
import shutil
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from bibld.catalog import Catalog, IndexState, Queue, digest
from bibld.catalog.check import FoundFault, abbreviate
from bibld.config import Config
from bibld.dedup.clustering import rank_by_id
from bibld.dedup.columns import TOMBSTONE, FeatureTable, FeatureWriter, StoredRows, damaged, stored_rows, tombstones
from bibld.dedup.features import features_of
from bibld.dedup.key_tables import IndexedStatistics, KeyTables, from_bytes
from bibld.dedup.method import INDEX_VERSION, blocking_digest
from bibld.errors import CatalogError, DamagedIndexError
from bibld.model.features import FeatureColumns, Statistics
from bibld.model.finding import Finding
from bibld.model.linkage import Decision, Pair, Verdict
from bibld.model.origin import RecordId
from bibld.parallel import ProcessPool, batches, worker_count
from bibld.progress import Progress

Numbers = npt.NDArray[np.int64]

_COPIED = 50_000
"""Rows that compaction copies together."""


class RecordRows:
    """The rows of a feature table, by record. ``live`` (rows,): whether a row is the last of a record that is live.

    The first rows ascend by ordinal, as an index is built, and are searched as they are mapped; only the *tail*, the
    rows behind them that later runs appended, is sorted here.
    """

    def __init__(
        self,
        table: FeatureTable,
        record_of: Callable[[int], RecordId],
        ordinal_of: Callable[[RecordId], int | None],
    ) -> None:
        self.table = table
        self._record_of = record_of
        self._ordinal_of = ordinal_of
        ordinals, is_lower = table.ordinals, table.ordinals[1:] <= table.ordinals[:-1]
        first = int(is_lower.argmax()) + 1 if is_lower.any() else len(table)
        self._ascending = ordinals[:first]
        self._tail, positions = np.unique(ordinals[first:][::-1], return_index=True)
        self._tail_rows: Numbers = len(table) - 1 - positions  # the last one of several rows of a record
        is_last = np.ones(len(table), np.bool_)
        is_last[first:] = False
        is_last[self._tail_rows] = True
        outdated = _positions_in(self._ascending, self._tail)
        is_last[outdated[outdated >= 0]] = False
        self.live: npt.NDArray[np.bool_] = is_last & (table.source != TOMBSTONE)

    def sources_of(self, left: npt.NDArray[Any], right: npt.NDArray[Any]) -> npt.NDArray[np.uint64]:
        """Return a number for the two sources of each pair of rows, whichever is on which side."""
        one, other = (self.table.source[side].astype(np.uint64) for side in (left, right))
        result: npt.NDArray[np.uint64] = np.minimum(one, other) << np.uint64(16) | np.maximum(one, other)
        return result

    @property
    def last_ordinal(self) -> int:
        """The greatest ordinal of all rows."""
        return max([*self._ascending[-1:].tolist(), *self._tail[-1:].tolist()], default=0)

    def rows_of(self, ordinals: Sequence[int] | npt.NDArray[Any]) -> Numbers:
        """Return the live row of each record, -1 for records that have none."""
        wanted = np.asarray(ordinals, dtype=np.uint64)
        found, in_tail = _positions_in(self._ascending, wanted), _positions_in(self._tail, wanted)
        found[in_tail >= 0] = self._tail_rows[in_tail[in_tail >= 0]]
        found[found >= 0] = np.where(self.live[found[found >= 0]], found[found >= 0], -1)
        return found

    def row_of(self, record: RecordId) -> int:
        """Return the live row of a record, -1 if it has none."""
        ordinal = self._ordinal_of(record)
        return -1 if ordinal is None else int(self.rows_of([ordinal])[0])

    def ordinals_of(self, rows: npt.NDArray[Any]) -> list[int]:
        """Return the ordinals of the records of some rows."""
        found: list[int] = self.table.ordinals[rows].tolist()
        return found

    def records_of(self, rows: npt.NDArray[Any]) -> list[RecordId]:
        """Return the records of some rows."""
        return [self._record_of(ordinal) for ordinal in self.ordinals_of(rows)]

    def order_of(self, rows: npt.NDArray[Any]) -> Numbers:
        """Return numbers that sort rows by the ids of their records."""
        return rank_by_id(self.records_of(rows))

    def sources(self, with_duplicates: Iterable[int]) -> npt.NDArray[np.int32]:
        """Return the number of the source of each row as ``Decider`` takes it; ``with_duplicates`` are those of which a
        cluster may contain two records."""
        numbers = np.arange(TOMBSTONE + 1, dtype=np.int32)
        chosen = np.fromiter(with_duplicates, np.int64)
        numbers[chosen] = ~numbers[chosen]
        found: npt.NDArray[np.int32] = numbers[self.table.source]
        return found

    def verdicts(
        self, people: Mapping[Pair, Verdict], reached: set[int] | None = None
    ) -> dict[tuple[int, int], Decision]:
        """Return what people decided about pairs of rows; only if both records are among those ``reached``."""
        found: dict[tuple[int, int], Decision] = {}
        for pair, verdict in people.items():
            ends = [self._ordinal_of(record) for record in (pair.left, pair.right)]
            if None in ends or (reached is not None and not reached.issuperset(ends)):
                continue
            left, right = sorted(self.rows_of([end for end in ends if end is not None]).tolist())
            if left >= 0:
                found[left, right] = verdict.decision
        return found


def _positions_in(known: npt.NDArray[np.uint64], wanted: npt.NDArray[np.uint64]) -> Numbers:
    """Return where each wanted number is among the known ones, which ascend; -1 if it is not."""
    found: Numbers = np.searchsorted(known, wanted)
    found[found == len(known)] = -1
    found[found >= 0] = np.where(known[found[found >= 0]] == wanted[found >= 0], found[found >= 0], -1)
    return found


class Index:
    """The index of a workspace; for a run, which has locked the catalog."""

    def __init__(self, catalog: Catalog, config: Config) -> None:
        self._catalog = catalog
        self._config = config
        self._sources: dict[str, int] = {}
        self.made_by = digest("index", INDEX_VERSION)

    def path(self, number: int) -> Path:
        """Return the folder with a number."""
        return self._config.workspace / "index" / str(number)

    def is_current(self) -> bool:
        """Return whether there is an index that this version made."""
        state = self._catalog.matching.index()
        return state is not None and state.made_by == self.made_by

    def open(self) -> RecordRows | None:
        """Open the rows; None if this version has made none. Raises ``DamagedIndexError``."""
        state = self._catalog.matching.index()
        if state is None or state.made_by != self.made_by:
            return None
        return self._rows(FeatureTable(self.path(state.folder), state.rows))

    def frozen_statistics(self) -> tuple[int, IndexedStatistics | None]:
        """Return the version of the statistics, 0 if there are none, and the statistics if they serve these settings.

        Raises ``CatalogError``.
        """
        stored = self._catalog.linkage.statistics()
        if stored is None:
            return 0, None
        return stored[0], from_bytes(stored[2]) if stored[1] == blocking_digest(self._config) else None

    def sweep(self) -> None:
        """Remove what the catalog does not know: folders with other numbers, and keys of other statistics."""
        state, statistics = self._catalog.matching.index(), self._catalog.linkage.statistics()
        valid = self.path(state.folder) if state else None
        for path in self.path(0).parent.glob("*"):
            if path != valid and path.name.isdecimal():
                _remove(path)
        for path in valid.glob("keys-*") if valid else ():
            if statistics is None or not path.name.startswith(f"keys-{statistics[0]}."):
                _remove(path)

    def discard(self) -> None:
        """Remove the index."""
        with self._catalog.commit():
            self._catalog.matching.set_index(None)
        self.sweep()

    def build(self, progress: Progress) -> RecordRows:
        """Make an index of all live records in a new folder."""
        with self._new_folder() as writer:
            extract(self._catalog, self._config, writer, self._source_number, progress)
        opened = self.open()
        assert opened is not None  # it was made just now
        return opened

    def update(self, rows: RecordRows, ordinals: Sequence[int], progress: Progress) -> RecordRows:
        """Append rows for those of some records (ascending) that changed or were deleted; others keep their rows."""
        state = self._catalog.matching.index()
        assert state is not None  # the rows are those of the index
        fingerprints = {
            ordinal: made_number(made_by) for ordinal, made_by, _ in self._catalog.records.fingerprints(ordinals)
        }
        positions = zip(ordinals, rows.rows_of(ordinals).tolist(), strict=True)
        stored = {ordinal: int(rows.table.made[row]) for ordinal, row in positions if row >= 0}
        changed = [
            ordinal for ordinal in ordinals if ordinal in fingerprints and fingerprints[ordinal] != stored.get(ordinal)
        ]
        deleted = [ordinal for ordinal in ordinals if ordinal in stored and ordinal not in fingerprints]
        if not changed and not deleted:
            return rows
        with FeatureWriter(rows.table.folder, len(rows.table)) as writer:
            extract(self._catalog, self._config, writer, self._source_number, progress, changed)
            nothing, source = np.zeros(len(deleted), np.uint64), np.full(len(deleted), TOMBSTONE, np.uint16)
            writer.add(tombstones(deleted), nothing, source)
            table = writer.close()
        self._commit(state.folder, len(table))
        return self._rows(table)

    def compact(self, rows: RecordRows) -> RecordRows:
        """Copy the live rows into a new folder, by ascending ordinal."""
        live = np.flatnonzero(rows.live)
        live = live[np.argsort(rows.table.ordinals[live], kind="stable")]
        with self._new_folder() as writer:
            for start in range(0, len(live), _COPIED):
                some = live[start : start + _COPIED]
                writer.add(rows.table.stored(some), rows.table.made[some], rows.table.source[some])
        opened = self.open()
        assert opened is not None  # it was made just now
        return opened

    def key_tables(self, rows: RecordRows, statistics: Statistics, version: int, progress: Progress) -> KeyTables:
        """Open the keys that were made with a version of the statistics, and add those of rows that have none.

        If the tables are damaged, they are made again. Raises ``CatalogError`` if the disk is full.
        """
        try:
            tables = self.open_key_tables(rows, version)
        except CatalogError as error:
            progress.warn(f"dedup: {str(error).partition('; run')[0]}; the keys are made again")
            tables = self.new_key_tables(rows, version)
        try:
            tables.add(rows.table, statistics)
        except BaseException:
            tables.close()
            raise
        return tables

    def open_key_tables(self, rows: RecordRows, version: int) -> KeyTables:
        """Open the keys that were made with a version of the statistics; raises ``CatalogError`` if damaged."""
        file = self.key_file(rows, version)
        tables = KeyTables(file, self._config)
        if (count := len(tables)) > len(rows.table):  # the catalog lost its last commit in a power cut
            tables.close()
            raise DamagedIndexError(f"{file}: has keys of {count} rows instead of {len(rows.table)}")
        return tables

    def new_key_tables(self, rows: RecordRows, version: int) -> KeyTables:
        """Return empty tables for the keys of a version of the statistics."""
        file = self.key_file(rows, version)
        self.remove_keys(file)
        return KeyTables(file, self._config)

    def remove_keys(self, file: Path) -> None:
        """Remove the tables of keys in a file, and the files beside it."""
        for path in file.parent.glob(f"{file.stem}.*"):
            _remove(path)

    def key_file(self, rows: RecordRows, version: int) -> Path:
        """Return the file with the keys that were made with a version of the statistics."""
        return rows.table.folder / f"keys-{version}.duckdb"

    def _rows(self, table: FeatureTable) -> RecordRows:
        rows = RecordRows(table, self._catalog.register.record, self._catalog.register.ordinal)
        try:
            if len(table):
                self._catalog.register.record(rows.last_ordinal)
        except (KeyError, OverflowError) as error:
            raise damaged(table.folder, "has rows of a record that the catalog does not contain") from error
        return rows

    @contextmanager
    def _new_folder(self) -> Iterator[FeatureWriter]:
        """Yield a writer for a new folder, which replaces the index when the block ends."""
        state = self._catalog.matching.index()
        number = state.folder + 1 if state else 1
        _remove(self.path(number))
        with FeatureWriter(self.path(number)) as writer:
            yield writer
            rows = len(writer.close())
        self._commit(number, rows)
        self.sweep()

    def _commit(self, number: int, rows: int) -> None:
        with self._catalog.commit():
            self._catalog.matching.set_index(IndexState(number, rows, self.made_by))

    def _source_number(self, source: str) -> int:
        if source not in self._sources:
            with self._catalog.commit():
                self._sources[source] = self._catalog.matching.source_number(source)
        return self._sources[source]


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


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
    location = f"index/{state.folder}"
    progress.stage("check", "rows", state.rows)
    try:
        rows = index.open()
        assert rows is not None  # it is current
        for start in range(0, len(rows.table), _CHUNK):
            progress.advance(len(rows.table.chunk(start, start + _CHUNK)))
    except CatalogError as error:
        yield Finding(location, str(error).partition("; run")[0], _REBUILT), index.discard
        return
    if statistics is not None:
        try:
            index.open_key_tables(rows, statistics[0]).close()
        except CatalogError as error:
            key_file = index.key_file(rows, statistics[0])
            yield Finding(location, str(error), _REBUILT), partial(index.remove_keys, key_file)
    yield from _row_faults(catalog, rows)


def _row_faults(catalog: Catalog, rows: RecordRows) -> Iterator[FoundFault]:
    """Yield the records that are not queued and whose rows do not agree with the catalog."""
    waiting = np.array(catalog.dirty[Queue.UNMATCHED_RECORDS].items(), dtype=np.int64)
    marks = [(ordinal, made_number(made_by)) for ordinal, made_by, _ in catalog.records.fingerprints()]
    live = np.array([ordinal for ordinal, _ in marks], dtype=np.int64)
    positions = rows.rows_of(live)
    fingerprints = np.array([number for _, number in marks], dtype=np.uint64)
    is_stale = (
        (positions >= 0) & (rows.table.made[positions] != fingerprints)
        if len(rows.table)
        else np.zeros(len(live), np.bool_)
    )
    for what, found in (
        ("live records {records} have no row", live[positions < 0]),
        ("records {records} are deleted, but have live rows", np.setdiff1d(rows.ordinals_of(rows.live), live)),
        ("the rows of records {records} were made from another version of them", live[is_stale]),
    ):
        wrong = np.setdiff1d(found, waiting).tolist()
        if wrong:
            yield Finding("index", what.format(records=abbreviate(wrong)), _REBUILT), _requeue(catalog, wrong)


def _requeue(catalog: Catalog, ordinals: list[int]) -> Callable[[], None]:
    """Return the repair that requeues records; the next run gives them rows."""

    def repair() -> None:
        with catalog.commit():
            catalog.dirty[Queue.UNMATCHED_RECORDS].add(ordinals)

    return repair


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
    numbers = np.array([made_number(made_by) for _, made_by, _ in fingerprints], dtype=np.uint64)
    return ExtractedRows(stored_rows(columns), numbers, [source for _, _, source in fingerprints])


_CATALOG: list[Catalog] = []
"""The catalog of a process that extracts features, open while the process lives."""


def _rows_in_process(ordinals: list[int]) -> ExtractedRows:
    with _CATALOG[0].snapshot():
        return _rows_of(_CATALOG[0], ordinals)


def _open_catalog(workspace: Path) -> None:
    gc.disable()  # descriptions contain no cycles, and looking for some takes a tenth of the time
    _CATALOG.append(Catalog(workspace, read_only=True))
