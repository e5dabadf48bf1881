"""What blocking knows about the catalogue as a whole: word counts, oversized keys and fitted models.

They are counted once and then frozen, because the keys of a record must depend on that record alone: otherwise one new
record would change the candidates of others. They are counted at the first run, again if the settings of blocking
change, and when a run is asked to (``--restat``), and are stored in the catalog under a version that is part of what
made the edges.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from bibld.dedup import hashes
from bibld.dedup.arrays import Counts, Numbers, Places
from bibld.dedup.compilation import COUNTS, NEW_COUNTS, NUMBERS, OFFSETS, kernel
from bibld.errors import CatalogError
from bibld.model.features import FeatureColumns, Statistics

if TYPE_CHECKING:
    import duckdb


COLUMNS = ("main_title", "remainder")
"""The columns whose words are counted."""
_GROWTH = 2
"""Statistics are counted again when there are this many times more records than when they were counted."""

_MOST_BITS = 22
_NO_WORDS = np.zeros(2, np.int64)


class IndexedStatistics(Statistics, frozen=True, eq=False):
    """Statistics that find the frequencies of many words fast.

    ``starts`` (2**k + 1,) are the positions in ``words`` of the first word whose upper k bits are a number or more.
    """

    starts: Places = _NO_WORDS

    @classmethod
    def from_statistics(cls, statistics: Statistics) -> IndexedStatistics:
        """Index the words."""
        bits = min(max(len(statistics.words).bit_length() - 2, 1), _MOST_BITS)
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
        place = starts[slot]
        while place < starts[slot + 1] and known[place] < wanted[i]:
            place += 1
        is_known = place < starts[slot + 1] and known[place] == wanted[i]
        result[i] = counts[place] if is_known else np.int32(1)
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
