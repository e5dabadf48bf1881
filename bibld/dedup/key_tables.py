"""The keys and signatures of all rows, as tables, and the statistics of the catalogue that they depend on.

``keys_<blocker>(key, row)``   the keys of all rows, of all levels (:mod:`bibld.dedup.keys`), in a DuckDB file
``keyed(rows)``                how many rows have keys: written in the transaction that adds them
signatures                     five or more numbers a row (:mod:`bibld.dedup.prefilter`), in a file of numbers beside it

DuckDB stores keys, scans them by ranges and finds those that some new rows share. Sorting is done on packed words, by
numpy, which is ten times faster.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import msgspec
import numpy as np

from bibld.dedup import hashes
from bibld.dedup.arrays import Counts, Numbers, Places, RowNumbers, once
from bibld.dedup.columns import FeatureRows
from bibld.dedup.compilation import COUNTS, NEW_COUNTS, NUMBERS, OFFSETS, kernel
from bibld.dedup.database import connect, reported
from bibld.dedup.keys import HASH_BITS, LEVELS, MAX_ROWS, ROW_BITS, ConfiguredBlocker, KeyMaker, refined
from bibld.dedup.method import Method
from bibld.dedup.other_names import NameCollector
from bibld.errors import CatalogError, StageError
from bibld.model.features import LONG, FeatureColumns, Statistics
from bibld.parallel import map_in_threads, worker_count

if TYPE_CHECKING:
    import duckdb


MEMORY = 1 << 30
"""Bytes that tables and sorted keys may take, beside 48 bytes a row."""
CHUNK = 50_000
"""Rows whose keys are made together."""
_LONG_TEXTS_AT_ONCE = 32_000_000
"""Bytes of their long texts; a row with more is in a separate chunk."""
INSERTED = 4_000_000
"""Numbers that are sorted and inserted together."""
_ROW, _LOW = np.uint64(ROW_BITS), np.uint64(MAX_ROWS - 1)
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

    def rebuild(self, rows: FeatureRows, names_of_persons: Iterable[Sequence[str]] = ()) -> IndexedStatistics:
        """Count the statistics of all rows, and make their keys again; the headings of each of ``names_of_persons`` are
        of one person."""
        with reported(self.file):
            self._clear()
            words, names = WordCounter(self.database), NameCollector(names_of_persons)
            for start in range(0, len(rows), CHUNK):
                columns = rows.chunk(start, min(start + CHUNK, len(rows)), COUNTED_COLUMNS)
                words.add(columns)
                names.add(columns)
            fitted = {
                blocker.name: blocker.adapter.fit(rows, blocker.settings)
                for blocker in self.blockers
                if hasattr(blocker.adapter, "fit")
            }
            statistics = msgspec.structs.replace(words.statistics(), fitted=fitted | names.fitted())
            self._add_rows(rows, 0, statistics)
            oversized = {blocker.name: self._refine(blocker) for blocker in self._with_keys}
            self.database.execute("insert into keyed values (?)", [len(rows)])
        return msgspec.structs.replace(statistics, oversized=oversized)

    def _clear(self) -> None:
        self.database.execute("delete from keyed")
        for blocker in self._with_keys:
            self.database.execute(f"delete from {_table(blocker)}")

    def add(self, rows: FeatureRows, statistics: Statistics) -> None:
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

    def _add_rows(self, rows: FeatureRows, start: int, statistics: Statistics) -> None:
        """Add the keys of all levels, and the signatures, of the rows from ``start`` on."""
        if len(rows) > MAX_ROWS:
            raise StageError(f"dedup: {len(rows)} rows are more than an index has room for ({MAX_ROWS})")
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

    def _spans(self, rows: FeatureRows, start: int) -> Iterator[tuple[int, int]]:
        """Yield start and end of chunks of rows, which are shorter if their long texts need memory."""
        reads_long = any(name in LONG for name in self.maker.columns_read() or ())
        while start < len(rows):
            stop = min(start + CHUNK, len(rows))
            if reads_long:
                sizes = np.cumsum(rows.long_text_sizes(np.arange(start, stop)))
                stop = start + max(1, int(np.searchsorted(sizes, _LONG_TEXTS_AT_ONCE)))
            yield start, stop
            start = stop

    def _made(
        self, rows: FeatureRows, statistics: Statistics, span: tuple[int, int]
    ) -> tuple[Numbers, dict[str, Numbers]]:
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


COUNTED_COLUMNS = ("main_title", "remainder", "names")
"""The columns whose words are counted."""
_GROWTH = 2
"""Statistics are counted again when there are this many times more records than when they were counted."""

_MAX_BITS = 22
_NO_WORDS = np.zeros(2, np.int64)


class IndexedStatistics(Statistics, frozen=True, eq=False):
    """Statistics that find the frequencies of many words fast.

    ``starts`` (2**k + 1,) are the positions in ``words`` of the first word whose upper k bits are a number or more.
    """

    starts: Places = _NO_WORDS

    @classmethod
    def from_statistics(cls, statistics: Statistics) -> IndexedStatistics:
        """Index the words."""
        bits = min(max(len(statistics.words).bit_length() - 2, 1), _MAX_BITS)
        edges = np.arange(1 << bits, dtype=np.uint64) << np.uint64(64 - bits)
        starts = np.append(np.searchsorted(statistics.words, edges), len(statistics.words)).astype(np.int64)
        values = {name: getattr(statistics, name) for name in Statistics.__struct_fields__}
        return cls(**values, starts=starts)

    def frequencies(self, words: Numbers) -> Counts:
        """Return the number of titles that each word occurs in; 1 for those that are not counted."""
        return _frequencies(self.starts, self.words, self.counts, words)


@kernel(NEW_COUNTS(OFFSETS, NUMBERS, COUNTS, NUMBERS))
def _frequencies(starts: Places, known: Numbers, counts: Counts, wanted: Numbers) -> Counts:
    result = np.empty(wanted.shape[0], dtype=np.int32)
    bits, size = 64, starts.shape[0] - 1
    while size > 1:
        bits -= 1
        size >>= 1
    for i in range(wanted.shape[0]):
        slot = np.int64(wanted[i] >> np.uint64(bits))
        position = starts[slot]
        while position < starts[slot + 1] and known[position] < wanted[i]:
            position += 1
        is_known = position < starts[slot + 1] and known[position] == wanted[i]
        result[i] = counts[position] if is_known else np.int32(1)
    return result


def count_words(columns: FeatureColumns) -> tuple[Numbers, Counts]:
    """Return the words of the titles of some records, ascending, and in how many of these titles each occurs."""
    found = np.sort(hashes.words(*hashes.title(columns))[1])
    edges = np.flatnonzero(np.diff(found, prepend=found[:1] ^ np.uint64(1)))
    return found[edges], np.diff(np.append(edges, len(found))).astype(np.int32)


def is_outgrown(statistics: Statistics, records: int) -> bool:
    """Return whether the records have grown so far since the statistics were counted that these are counted again."""
    return records > _GROWTH * max(statistics.records, 1)


class WordCounter:
    """Counts in how many titles each word occurs, in a table ``words(word, count)`` of a database."""

    def __init__(self, database: duckdb.DuckDBPyConnection) -> None:
        self._database = database
        self._database.execute("create or replace table words (word ubigint, count uinteger)")
        self._records = 0

    def add(self, columns: FeatureColumns) -> None:
        """Count the words of some records."""
        words, counts = count_words(columns)
        counted = {"word": words, "count": counts.astype(np.uint32)}  # noqa: F841 - read by name in SQL
        self._database.execute("insert into words select * from counted")
        self._records += len(columns)

    def statistics(self) -> IndexedStatistics:
        """Return the words of more than one title; no key is oversized yet."""
        found = self._database.execute(
            "select word, sum(count)::integer as count from words group by word having sum(count) > 1 order by word"
        ).fetchnumpy()
        self._database.execute("drop table words")
        return IndexedStatistics.from_statistics(Statistics(self._records, found["word"], found["count"], {}))


class _Stored(msgspec.Struct, frozen=True):
    """Statistics as bytes; arrays are little-endian."""

    records: int
    words: bytes
    counts: bytes
    oversized: dict[str, bytes]
    fitted: dict[str, bytes] = {}


def to_bytes(statistics: Statistics) -> bytes:
    """Write statistics for the catalog."""
    return msgspec.msgpack.encode(
        _Stored(
            statistics.records,
            statistics.words.astype("<u8").tobytes(),
            statistics.counts.astype("<i4").tobytes(),
            {name: keys.astype("<u8").tobytes() for name, keys in sorted(statistics.oversized.items())},
            dict(sorted(statistics.fitted.items())),
        )
    )


def from_bytes(data: bytes) -> IndexedStatistics:
    """Read what :func:`to_bytes` wrote; raises ``CatalogError``."""
    try:
        stored = msgspec.msgpack.decode(data, type=_Stored)
    except msgspec.MsgspecError as error:
        raise CatalogError(f"the statistics in the catalog cannot be read: {error}; run with --restat") from error
    return IndexedStatistics.from_statistics(
        Statistics(
            stored.records,
            np.frombuffer(stored.words, dtype="<u8").astype(np.uint64),
            np.frombuffer(stored.counts, dtype="<i4").astype(np.int32),
            {name: np.frombuffer(keys, dtype="<u8").astype(np.uint64) for name, keys in stored.oversized.items()},
            stored.fitted,
        )
    )
