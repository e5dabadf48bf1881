"""The keys and signatures of all rows, as tables.

``keys_<blocker>(key, row)``   the keys of all rows, of all levels (:mod:`bibld.dedup.keys`), in a DuckDB file
``keyed(rows)``                how many rows have keys: written in the transaction that adds them
signatures                     five or more numbers a row (:mod:`bibld.dedup.prefilter`), in a file of numbers beside it

DuckDB stores keys, scans them by ranges and finds those that some new rows share. Sorting is done on packed words, by
numpy, which is ten times faster.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path

import duckdb
import msgspec
import numpy as np

from bibld.dedup.arrays import Numbers, RowNumbers, once
from bibld.dedup.columns import Rows
from bibld.dedup.database import connect, reported
from bibld.dedup.keys import HASH_BITS, LEVELS, MOST_ROWS, ROW_BITS, ConfiguredBlocker, KeyMaker, refined
from bibld.dedup.method import Method
from bibld.dedup.statistics import COLUMNS as COUNTED_COLUMNS
from bibld.dedup.statistics import IndexedStatistics, WordCounter
from bibld.errors import CatalogError, StageError
from bibld.model.features import LONG, Statistics
from bibld.parallel import map_in_threads, worker_count

MEMORY = 1 << 30
"""Bytes that tables and sorted keys may take, beside 48 bytes a row."""
CHUNK = 50_000
"""Rows whose keys are made together."""
_LONG_TEXTS_AT_ONCE = 32_000_000
"""Bytes of their long texts; a row with more is in a separate chunk."""
INSERTED = 4_000_000
"""Numbers that are sorted and inserted together."""
_ROW, _LOW = np.uint64(ROW_BITS), np.uint64(MOST_ROWS - 1)
_NOTHING = np.empty(0, np.uint64)


class KeyTables:
    """Keys and signatures of rows 0 to ``len(tables) - 1``, in a DuckDB file with a file of numbers beside it.

    Without a file they are in memory. One process at a time may open a file. ``memory`` bounds what tables and sorted
    keys take, in bytes. Raises ``CatalogError`` if the files are damaged or cannot be written.
    """

    def __init__(self, file: Path | None, method: Method, memory: int = MEMORY) -> None:
        self.file = file
        self.method = method
        self.memory = memory
        self.workers = worker_count(method.workers)
        self.maker = KeyMaker(method)
        self.blockers = self.maker.blockers
        self._with_keys = self.maker.with_keys
        self.width = self.maker.width
        self.signatures: Numbers = np.empty((0, self.width), np.uint64)
        with reported(file):
            self.database = connect(file, memory, self.workers)
            self.database.execute("create table if not exists keyed (rows ubigint)")
            for blocker in self._with_keys:
                self.database.execute(f"create table if not exists {_table(blocker)} (key ubigint, row uinteger)")
            self._open_signatures()

    def __enter__(self) -> KeyTables:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database."""
        self.database.close()

    def __len__(self) -> int:
        row = self.database.execute("select coalesce(max(rows), 0) from keyed").fetchall()
        return int(row[0][0])

    def rebuild(self, rows: Rows) -> IndexedStatistics:
        """Count the statistics of all rows, and make their keys again."""
        with reported(self.file):
            self._clear()
            words = WordCounter(self.database)
            for start in range(0, len(rows), CHUNK):
                words.add(rows.chunk(start, min(start + CHUNK, len(rows)), COUNTED_COLUMNS))
            fitted = {
                blocker.name: blocker.adapter.fit(rows, blocker.settings)
                for blocker in self.blockers
                if hasattr(blocker.adapter, "fit")
            }
            statistics = msgspec.structs.replace(words.statistics(), fitted=fitted)
            self._add_rows(rows, 0, statistics)
            oversized = {blocker.name: self._refine(blocker) for blocker in self._with_keys}
            self.database.execute("insert into keyed values (?)", [len(rows)])
        return msgspec.structs.replace(statistics, oversized=oversized)

    def _clear(self) -> None:
        self.database.execute("delete from keyed")
        for blocker in self._with_keys:
            self.database.execute(f"delete from {_table(blocker)}")

    def add(self, rows: Rows, statistics: Statistics) -> None:
        """Make the keys of the rows that have none yet, by frozen statistics, in one transaction."""
        start = len(self)
        if start < len(rows):
            with reported(self.file):
                if not start:
                    self._clear()
                self.database.execute("begin")
                self._add_rows(rows, start, statistics)
                self.database.execute("insert into keyed values (?)", [len(rows)])
                self.database.execute("commit")

    def _add_rows(self, rows: Rows, start: int, statistics: Statistics) -> None:
        """Add the keys of all levels, and the signatures, of the rows from ``start`` on."""
        if len(rows) > MOST_ROWS:
            raise StageError(f"dedup: {len(rows)} rows are more than an index has room for ({MOST_ROWS})")
        waiting: dict[str, list[Numbers]] = {blocker.name: [] for blocker in self._with_keys}
        self._cut_signatures(start)
        tables: list[Numbers] = [self.signatures[:start]] if self.file is None else []
        with contextlib.ExitStack() as stack:
            file = stack.enter_context(_signature_file(self.file).open("ab")) if self.file else None
            make = partial(self._made, rows, statistics)
            for table, words in map_in_threads(make, self._spans(rows, start), self.workers):
                if file is None:
                    tables.append(table)
                else:
                    file.write(table.data)
                for blocker in self._with_keys:
                    waiting[blocker.name].append(words[blocker.name])
                    if sum(map(len, waiting[blocker.name])) >= INSERTED:
                        self._insert_keys(blocker, waiting[blocker.name])
            for blocker in self._with_keys:
                self._insert_keys(blocker, waiting[blocker.name])
            if file is not None:
                file.flush()
                os.fsync(file.fileno())
        self._open_signatures(np.concatenate(tables) if tables else None)

    def _spans(self, rows: Rows, start: int) -> Iterator[tuple[int, int]]:
        """Yield start and end of chunks of rows, which are shorter if their long texts need memory."""
        reads_long = any(name in LONG for name in self.maker.columns_read() or ())
        while start < len(rows):
            stop = min(start + CHUNK, len(rows))
            if reads_long:
                sizes = np.cumsum(rows.long_text_sizes(np.arange(start, stop)))
                stop = start + max(1, int(np.searchsorted(sizes, _LONG_TEXTS_AT_ONCE)))
            yield start, stop
            start = stop

    def _made(self, rows: Rows, statistics: Statistics, span: tuple[int, int]) -> tuple[Numbers, dict[str, Numbers]]:
        """Return the signatures of a chunk of rows, and their keys as words."""
        start, stop = span
        columns = rows.chunk(start, stop, self.maker.columns_read())
        table = self.maker.signatures(columns)
        return table, {
            blocker.name: words for blocker, words, _ in self.maker.words(columns, table, np.uint64(start), statistics)
        }

    def _insert_keys(self, blocker: ConfiguredBlocker, waiting: list[Numbers]) -> None:
        """Insert words in order, so that a range of keys is found in few blocks."""
        words = once(np.concatenate([_NOTHING, *waiting]))
        waiting.clear()
        sorted_keys = {"key": words >> _ROW, "row": (words & _LOW).astype(np.uint32)}
        self.database.execute(f"insert into {_table(blocker)} select * from sorted_keys")
        del sorted_keys  # DuckDB found it by its name

    def _refine(self, blocker: ConfiguredBlocker) -> Numbers:
        """Add the refined keys of all levels, and return the oversized keys of all, ascending."""
        found = [_NOTHING]
        for level in range(LEVELS if blocker.largest else 0):
            for keys, rows in map_in_threads(
                partial(self._oversized_entries, blocker), self.ranges(blocker, level), self.workers
            ):
                found.append(once(keys))
                if level + 1 < LEVELS and len(keys):
                    words = (refined(keys, rows, self.signatures) << _ROW) | rows.astype(np.uint64)
                    self._insert_keys(blocker, [words])
        return np.concatenate(found)

    def _oversized_entries(self, blocker: ConfiguredBlocker, bounds: tuple[int, int]) -> tuple[Numbers, RowNumbers]:
        """Return the keys in a range that too many rows have, each as often as rows have it, with the rows."""
        words = self.sorted_words(blocker, bounds)
        keys = words >> _ROW
        starts = np.flatnonzero(np.diff(keys, prepend=keys[:1] ^ np.uint64(1)))
        sizes = np.diff(np.append(starts, len(keys)))
        chosen = np.repeat(sizes > blocker.largest, sizes)
        return keys[chosen], (words[chosen] & _LOW).astype(np.uint32)

    def ranges(self, blocker: ConfiguredBlocker, level: int) -> list[tuple[int, int]]:
        """Cut the keys of a level into ranges that memory has room for several times."""
        low, high = level << HASH_BITS, level + 1 << HASH_BITS
        rows = self.database.execute(
            f"select count(*) from {_table(blocker)} where key between {low} and {high - 1}"
        ).fetchall()
        parts = -(-int(rows[0][0]) * 8 * 16 // max(self.memory, 1)) if rows[0][0] else 0
        edges = [low + (part << HASH_BITS) // parts for part in range(parts)] + [high]
        return [(begin, end - 1) for begin, end in pairwise(edges)]

    def sorted_words(self, blocker: ConfiguredBlocker, bounds: tuple[int, int]) -> Numbers:
        """Return the keys in a range as words, ascending."""
        with self.database.cursor() as cursor:
            words: Numbers = cursor.execute(
                f"select (key << {ROW_BITS}) | row as word from {_table(blocker)} where key between ? and ?", bounds
            ).fetchnumpy()["word"]
        words.sort(kind="stable")  # they were inserted as sorted runs
        return words

    def entries_of(self, blocker: ConfiguredBlocker, keys: Numbers) -> Numbers:
        """Return the entries of some keys as words, ascending."""
        wanted = {"key": keys}  # noqa: F841 - read by name in SQL
        words: Numbers = self.database.execute(
            f"select (key << {ROW_BITS}) | row as word from {_table(blocker)} semi join wanted using (key)"
        ).fetchnumpy()["word"]
        words.sort(kind="stable")  # they were inserted as sorted runs
        return words

    def pairs_database(self) -> duckdb.DuckDBPyConnection:
        """Return a database in memory for pairs, which uses the disk beyond the bound of memory."""
        return connect(None, self.memory, self.workers, self.file.parent if self.file else None)

    # -- signatures ----------------------------------------------------------------------------------------------------

    def _open_signatures(self, table: Numbers | None = None) -> None:
        if self.file is None:
            self.signatures = self.signatures if table is None else table
            return
        path = _signature_file(self.file)
        if not path.exists():
            path.touch()
        count = path.stat().st_size // (8 * self.width)
        if count < len(self):
            raise CatalogError(f"{path}: has {count} rows instead of {len(self)}")
        shape = (count, self.width)
        self.signatures = np.memmap(path, np.uint64, "r", shape=shape) if count else np.empty(shape, np.uint64)

    def _cut_signatures(self, rows: int) -> None:
        """Remove what a run that was stopped has written."""
        if self.file is not None:
            self.signatures = np.empty((0, self.width), np.uint64)
            os.truncate(_signature_file(self.file), rows * 8 * self.width)


def _table(blocker: ConfiguredBlocker) -> str:
    return f'"keys_{blocker.name}"'


def _signature_file(file: Path) -> Path:
    return file.with_suffix(".signatures")
