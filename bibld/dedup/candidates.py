"""Candidate pairs: the pairs of rows that share a key and pass the pre-filter.

The pairs of all rows are a self-join of the keys. DuckDB would do it (:data:`SELF_JOIN` is the SQL, to which tests
compare what is done here), but with ten times the processor time: instead a range of keys is read, sorted as packed
words, and one kernel (:func:`expand`) walks through the runs of equal keys. The pairs of a few fresh rows are those of
the keys that fresh rows have, which DuckDB finds in one scan; the same kernel makes the pairs.

Pairs are collected in two tables, as often as they were found: ``certain_pairs(pair)`` and ``pairs(pair)``, each
``left << 32 | right``. When they are read, each comes once, and the trees and the last filters of blockers have dropped
some of the uncertain ones.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np
from numba import types

from bibld.dedup.arrays import Flags, Numbers, Places, RowNumbers, once, pack_pairs, unpack_pairs
from bibld.dedup.columns import FeatureRows
from bibld.dedup.compilation import FLAGS, NEW_NUMBERS, NEW_OFFSETS, NUMBERS, ROWS, TABLE, kernel, results
from bibld.dedup.database import reported
from bibld.dedup.key_tables import CHUNK, INSERTED, KeyTables
from bibld.dedup.keys import HASH_BITS, LEVELS, MAX_ROWS, ROW_BITS, ConfiguredBlocker, KeyMaker, KeyPart, Keys
from bibld.dedup.method import Method
from bibld.dedup.prefilter import REFINED_BY, WIDTH, bits_set, is_applied, likely, passes, signatures, trees_for
from bibld.errors import StageError
from bibld.model.features import FeatureColumns, Statistics
from bibld.parallel import map_in_threads
from bibld.progress import with_number

if TYPE_CHECKING:
    import numpy.typing as npt


SELF_JOIN = """
select distinct one.row as left, other.row as right
from keys one join keys other on one.key = other.key and one.row < other.row
where one.key not in (select key from oversized)
"""
"""What ``all_pairs`` does for one blocker without a pre-filter, as SQL."""

GROWN_FAR = 10
"""A key of this many times more records than its bound makes no pairs; the statistics must be counted again."""
_HALF, _ROW, _LOW = np.uint64(32), np.uint64(ROW_BITS), np.uint64(MAX_ROWS - 1)
_ROOM = 1 << 20
_NOTHING, _ALL_FRESH = np.empty(0, np.uint64), np.empty(0, np.bool_)
_NOTHING_BEFORE = np.uint64(0xFFFFFFFFFFFFFFFF)


class KeyCounts(msgspec.Struct, frozen=True):
    """What became of the keys of a blocker that too many records have.

    ``refined`` keys were oversized, ``cut`` ones stayed so with all fields and make no candidates, ``cut_rows`` records
    have one of these; ``grown`` keys became oversized since the statistics were counted, ``grown_far`` so much that
    they make no pairs.
    """

    name: str
    refined: int = 0
    cut: int = 0
    cut_rows: int = 0
    grown: int = 0
    grown_far: int = 0

    @classmethod
    def from_oversized(
        cls, name: str, oversized: Numbers, cut_rows: int, grown: int = 0, grown_far: int = 0
    ) -> KeyCounts:
        """Return the counts of a blocker that has these oversized keys."""
        cut = int(np.count_nonzero(oversized >= np.uint64(LEVELS - 1 << HASH_BITS)))
        return cls(name, len(oversized) - cut, cut, cut_rows, grown, grown_far)

    def message(self) -> str:
        """Return what was refined and cut, as a sentence; empty if there is nothing to report."""
        parts = []
        if self.refined:
            verb = "was" if self.refined == 1 else "were"
            parts.append(f"{with_number(self.refined, 'oversized key')} {verb} refined by {', '.join(REFINED_BY)}")
        if self.cut:
            verb = "makes" if self.cut == 1 else "make"
            keys, records = with_number(self.cut, "key"), with_number(self.cut_rows, "record")
            parts.append(f"{keys} of {records} stayed oversized and {verb} no candidates")
        if self.grown:
            keys = with_number(self.grown, "key")
            parts.append(f"{keys} grew oversized since the statistics were counted; count again (--restat)")
        return f"dedup: {self.name}: {'; '.join(parts)}" if parts else ""


# -- making pairs ------------------------------------------------------------------------------------------------------


def all_pairs(
    tables: KeyTables, rows: FeatureRows, statistics: Statistics, live: Flags | None = None
) -> CandidatePairs:
    """Return the pairs of rows that any blocker proposes and the pre-filter lets pass.

    ``live`` (rows,): only pairs of these rows; None for all. Raises ``CatalogError``.
    """
    titles = (tables.signatures[:, 0] >> np.uint64(48)).astype(np.uint16)
    found = CandidatePairs(tables, rows, statistics, np.argsort(titles, kind="stable").astype(np.uint32))
    with found.closed_on_failure(), reported(tables.file):
        for blocker in tables.blockers:
            if blocker.joins:
                _join(found, blocker, rows, statistics, live, None)
                continue
            oversized = statistics.oversized.get(blocker.name, _NOTHING)
            pairs_of_range = partial(_pairs_between, tables, blocker, oversized, live, found.numbers)
            grown = np.zeros(2, np.int64)
            for level in range(LEVELS if blocker.largest else 1):
                for pairs, more in map_in_threads(pairs_of_range, tables.ranges(blocker, level), tables.workers):
                    found.add(pairs, blocker.is_certain)
                    grown += more
            cut = oversized[oversized >= np.uint64(LEVELS - 1 << HASH_BITS)]
            cut_rows = len(once(_live(tables.entries_of(blocker, cut), live) & _LOW)) if len(cut) else 0
            found.counts.append(KeyCounts.from_oversized(blocker.name, oversized, cut_rows, *grown.tolist()))
    return found


def _pairs_between(
    tables: KeyTables,
    blocker: ConfiguredBlocker,
    oversized: Numbers,
    live: Flags | None,
    numbers: RowNumbers,
    bounds: tuple[int, int],
) -> tuple[Numbers, Places]:
    """Return the pairs of a range of keys, and how many keys have grown."""
    words = _live(tables.sorted_words(blocker, bounds), live)
    return _test_of(tables, blocker).pairs(words, oversized, blocker.largest, numbers, _ALL_FRESH)


def pairs_of(
    tables: KeyTables,
    fresh: npt.NDArray[np.integer[Any]],
    rows: FeatureRows,
    statistics: Statistics,
    live: Flags | None = None,
) -> CandidatePairs:
    """Return the pairs that have a fresh row, in time that depends on the number of these.

    ``fresh`` are numbers of rows whose keys are in the tables. ``live`` as for :func:`all_pairs`. Raises
    ``CatalogError``.
    """
    found = CandidatePairs(tables, rows, statistics, np.empty(0, np.uint32))
    is_fresh = np.zeros(len(rows), np.bool_)
    is_fresh[fresh] = True
    with found.closed_on_failure(), reported(tables.file):
        words = _words_of(tables, fresh, rows, statistics)
        for blocker in tables.blockers:
            if blocker.joins:
                _join(found, blocker, rows, statistics, live, is_fresh)
                continue
            usable, oversized = words[blocker.name]
            test, grown = _test_of(tables, blocker), np.zeros(2, np.int64)
            keys = once(usable >> _ROW)
            for start in range(0, len(keys), INSERTED):
                stored = _live(tables.entries_of(blocker, keys[start : start + INSERTED]), live)
                pairs, more = test.pairs(stored, _NOTHING, blocker.largest, found.numbers, is_fresh)
                found.add(pairs, blocker.is_certain)
                grown += more
            cut = oversized[oversized >= np.uint64(LEVELS - 1 << HASH_BITS + ROW_BITS)]
            refined, cut_keys = once(oversized >> _ROW), once(cut >> _ROW)
            counts = len(refined) - len(cut_keys), len(cut_keys), len(once(cut & _LOW))
            found.counts.append(KeyCounts(blocker.name, *counts, *grown.tolist()))
    return found


def _words_of(
    tables: KeyTables, fresh: npt.NDArray[np.integer[Any]], rows: FeatureRows, statistics: Statistics
) -> dict[str, tuple[Numbers, Numbers]]:
    """Return the keys of some rows as words, by blocker: those that make pairs, and the oversized ones."""
    found: dict[str, tuple[list[Numbers], list[Numbers]]] = {
        blocker.name: ([_NOTHING], [_NOTHING]) for blocker in tables.blockers
    }
    for start in range(0, len(fresh), CHUNK):
        numbers = np.asarray(fresh[start : start + CHUNK]).astype(np.uint64)
        columns = rows.rows(numbers.astype(np.int64), tables.maker.columns_read())
        for blocker, words, is_oversized in tables.maker.words(
            columns, tables.signatures[numbers], numbers, statistics
        ):
            found[blocker.name][0].append(words[~is_oversized])
            found[blocker.name][1].append(words[is_oversized])
    return {name: (np.concatenate(usable), np.concatenate(oversized)) for name, (usable, oversized) in found.items()}


def proposed_pairs(keys: Keys, columns: FeatureColumns, method: Method) -> Numbers:
    """Return the pairs of some records that share one of some keys and pass the pre-filter, ascending.

    A pair is ``left << 32 | right``. ``keys`` are those of all records, by one blocker.
    """
    table = signatures(columns)
    near = WIDTH if keys.blocker.compares else -1
    if keys.blocker.compares:
        table = np.ascontiguousarray(np.column_stack([table, keys.near]))
    # A row may have one key twice, for example of two authors.
    words = once((keys.keys & np.uint64((1 << HASH_BITS + 2) - 1)) << _ROW | keys.rows.astype(np.uint64))
    is_filtered = is_applied(method) and not keys.blocker.is_certain
    test = PairTest(table, near, keys.blocker.distance(), is_filtered)
    pairs, _ = test.pairs(words, _NOTHING, 0, np.empty(0, np.uint32), _ALL_FRESH)
    trees = trees_for(method)
    if trees is not None and is_filtered:
        left, right = unpack_pairs(pairs)
        pairs = pairs[likely(table, left.astype(np.int64), right.astype(np.int64), trees)]
    return pairs


def _join(
    found: CandidatePairs,
    blocker: ConfiguredBlocker,
    rows: FeatureRows,
    statistics: Statistics,
    live: Flags | None,
    fresh: Flags | None,
) -> None:
    """Add the pairs that a blocker finds itself."""
    columns = rows.chunk(0, len(rows), blocker.columns)
    left, right = blocker.adapter.join(columns, blocker.settings, statistics, fresh)
    if live is not None:
        is_wanted = live[left] & live[right]
        left, right = left[is_wanted], right[is_wanted]
    found.add(found.numbered(pack_pairs(np.minimum(left, right), np.maximum(left, right))), blocker.is_certain)
    found.counts.append(KeyCounts(blocker.name))


def _live(words: Numbers, live: Flags | None) -> Numbers:
    return words if live is None else words[live[words & _LOW]]


def _renamed(pairs: Numbers, names: RowNumbers) -> Numbers:
    """Return pairs with other numbers, the lesser on the left."""
    left, right = unpack_pairs(pairs)
    left, right = names[left], names[right]
    return pack_pairs(np.minimum(left, right), np.maximum(left, right))


def _test_of(tables: KeyTables, blocker: ConfiguredBlocker) -> PairTest:
    return PairTest.from_blocker(tables.maker, blocker, tables.method, np.asarray(tables.signatures))


class PairTest(NamedTuple):
    """What two rows that share a key must pass: see :func:`expand`."""

    table: Numbers
    near: int
    bits: int
    is_filtered: bool

    @classmethod
    def from_blocker(cls, maker: KeyMaker, blocker: ConfiguredBlocker, method: Method, table: Numbers) -> PairTest:
        """Return the test of the pairs of a blocker; ``table`` are the signatures of all rows."""
        is_filtered = is_applied(method) and not blocker.is_certain
        return cls(table, maker.near_column(blocker), blocker.distance(), is_filtered)

    def pairs(
        self, words: Numbers, oversized: Numbers, largest: int, numbers: RowNumbers, fresh: Flags
    ) -> tuple[Numbers, Places]:
        """Return the pairs of words (ascending), each once, and how many keys have grown, and have grown far."""
        starts = np.append(np.flatnonzero(np.diff(words >> _ROW, prepend=_NOTHING_BEFORE)), len(words))
        room = np.empty(max(_ROOM, int(np.diff(starts).max(initial=0)) + 1), np.uint64)
        found, start, grown = [_NOTHING], 0, np.zeros(2, np.int64)
        while start < len(words):
            start, filled = expand(words, oversized, largest, *self, numbers, fresh, start, room, grown)
            found.append(once(room[:filled]))
        return once(np.concatenate(found), runs=True), grown


@kernel(results(types.int64, types.int64)(
        NUMBERS, NUMBERS, types.int64, TABLE, types.int64, types.int64, types.boolean, ROWS, FLAGS, types.int64,
        NEW_NUMBERS, NEW_OFFSETS,
    ))  # fmt: skip
def expand(  # noqa: C901, PLR0913 - one compiled loop
    words: Numbers, oversized: Numbers, largest: int, table: Numbers, near: int, bits: int, is_filtered: bool,
    numbers: RowNumbers, fresh: Flags, start: int, pairs: Numbers, grown: Places,
) -> tuple[int, int]:  # fmt: skip
    """Fill ``pairs`` with the pairs of rows that share a key, from the word ``start`` on.

    Returns the word to continue from (the end: all is done) and how many pairs there are. ``words`` ascend; ``pairs``
    must have room for the words of any key. A key among the ``oversized`` (ascending) makes none. Two rows must pass
    the rules of the pre-filter if ``is_filtered``, their hashes in column ``near`` (-1: none) may differ in at most
    ``bits``, and one must be ``fresh`` (empty: all are). A pair is written by the ``numbers`` (rows,) of its rows, if
    not empty. ``grown`` counts the keys of more than ``largest`` rows (0: no bound) that are not oversized, and those
    that have grown so far that they make no pairs.
    """
    filled = position = 0
    begin, end = start, words.shape[0]
    while begin < end:
        key, after = words[begin] >> _ROW, begin + 1
        while after < end and words[after] >> _ROW == key:
            after += 1
        while position < oversized.shape[0] and oversized[position] < key:
            position += 1
        is_far = 0 < largest * GROWN_FAR < after - begin
        if begin == 0 or words[begin - 1] >> _ROW != key:
            is_grown = 0 < largest < after - begin and not (
                position < oversized.shape[0] and oversized[position] == key
            )
            grown[0] += is_grown
            grown[1] += is_grown and is_far
        if after - begin == 1 or is_far or (position < oversized.shape[0] and oversized[position] == key):
            begin = after
            continue
        for i in range(begin, after):
            if filled + after - i > pairs.shape[0]:
                return i, filled
            one: Any = np.int64(words[i] & _LOW)
            for j in range(i + 1, after):
                other: Any = np.int64(words[j] & _LOW)
                if fresh.shape[0] and not (fresh[one] or fresh[other]):
                    continue
                if near >= 0 and bits_set(table[one, near] ^ table[other, near]) > bits:
                    continue
                if is_filtered and not passes(table, one, other):
                    continue
                low, high = np.uint64(one), np.uint64(other)
                if numbers.shape[0]:
                    low, high = np.uint64(numbers[one]), np.uint64(numbers[other])
                pairs[filled] = (min(low, high) << _HALF) | max(low, high)
                filled += 1
        begin = after
    return end, filled


def pairs_of_part(
    maker: KeyMaker, blocker: ConfiguredBlocker, method: Method, given: Sequence[KeyPart]
) -> tuple[Numbers, tuple[int, int]]:
    """Return the pairs of ordinals in one part, ``left << 32 | right`` ascending, each once.

    ``given`` is what all records have given for the part of this blocker; no record is in two of them. Also return how
    many keys have grown since the statistics were counted, and how many of them so far that they make no pairs. Raises
    ``StageError``.
    """
    firsts = np.cumsum([0] + [len(one.records) for one in given])
    if firsts[-1] > MAX_ROWS:
        raise StageError(f"dedup: {firsts[-1]} records in one part of the keys are more than it has room for")
    records = np.concatenate([one.records for one in given])
    words = [
        (one.keys << _ROW) | (one.positions.astype(np.uint64) + np.uint64(first))
        for one, first in zip(given, firsts.tolist(), strict=False)
    ]
    table = np.ascontiguousarray(records[:, 1:])
    test = PairTest.from_blocker(maker, blocker, method, table)
    nothing = np.empty(0, np.uint32), np.empty(0, np.bool_)
    pairs, grown = test.pairs(once(np.concatenate(words)), _NOTHING, blocker.largest, *nothing)
    left, right = (rows.astype(np.int64) for rows in unpack_pairs(pairs))
    trees = trees_for(method) if is_applied(method) and not blocker.is_certain else None
    if trees is not None and len(left):
        passing = likely(table, left, right, trees)
        left, right = left[passing], right[passing]
    one, other = records[left, 0], records[right, 0]
    return once(pack_pairs(np.minimum(one, other), np.maximum(one, other))), (int(grown[0]), int(grown[1]))


class CandidatePairs:
    """Candidate pairs, to be read as often as needed until they are closed; ``counts`` reports on the keys.

    They come in portions in the order of ``order``, the rows by title (empty: in their own order): rows with similar
    titles are neighbours, so that who looks at some pairs needs few different rows.
    """

    def __init__(self, tables: KeyTables, rows: FeatureRows, statistics: Statistics, order: RowNumbers) -> None:
        self.counts: list[KeyCounts] = []
        self._tables = tables
        self._rows = rows
        self._statistics = statistics
        self._order = order
        self.numbers: RowNumbers = np.empty(len(order), np.uint32)
        self.numbers[order] = np.arange(len(order), dtype=np.uint32)
        self._trees = trees_for(tables.method)
        self._last_filters = [blocker for blocker in tables.blockers if hasattr(blocker.adapter, "passes")]
        self.database = tables.pairs_database()
        for table in ("pairs", "certain_pairs"):
            self.database.execute(f"create table {table} (pair ubigint)")

    @property
    def is_stale(self) -> bool:
        """Whether a key has grown so far that the statistics must be counted again."""
        return any(counts.grown_far for counts in self.counts)

    def add(self, pairs: Numbers, is_certain: bool) -> None:
        """Add pairs of numbers; certain ones pass every filter."""
        new = {"pair": pairs}  # noqa: F841 - read by name in SQL
        self.database.execute(f"insert into {'certain_pairs' if is_certain else 'pairs'} select * from new")

    def numbered(self, pairs: Numbers) -> Numbers:
        """Return pairs of rows as pairs of numbers."""
        return pairs if not len(self._order) else _renamed(pairs, self.numbers)

    def messages(self) -> list[str]:
        """Return what there is to report on the keys of each blocker."""
        return [message for message in (counts.message() for counts in self.counts) if message]

    def packed(self) -> Iterator[Numbers]:
        """Yield the pairs as ``left << 32 | right``, each once with left < right, in portions."""
        yield from map_in_threads(self._portion, self._portions(), self._tables.workers)

    def __iter__(self) -> Iterator[tuple[RowNumbers, RowNumbers]]:
        """Yield left and right row numbers, each pair once with left < right, in portions."""
        for pairs in self.packed():
            yield unpack_pairs(pairs)

    def _portions(self) -> list[tuple[int, int]]:
        """Cut the pairs into ranges of left numbers with about the same number of pairs each."""
        with reported(None):
            found = self.database.execute(
                "select pair >> 44 as part, count(*) as n from (from pairs union all from certain_pairs)"
                " group by part order by part"
            ).fetchnumpy()
        if not len(found["part"]):
            return []
        portion = np.cumsum(found["n"]) // INSERTED
        firsts = found["part"][np.flatnonzero(np.diff(portion, prepend=-1))].tolist()
        return list(zip(firsts, [first - 1 for first in firsts[1:]] + [(1 << 20) - 1], strict=True))

    def _portion(self, parts: tuple[int, int]) -> Numbers:
        bounds = [parts[0] << 44, (parts[1] + 1 << 44) - 1]
        with reported(None), self.database.cursor() as cursor:
            uncertain, certain = (
                once(
                    cursor.execute(f"select pair from {table} where pair between ? and ?", bounds).fetchnumpy()["pair"],
                    True,
                )
                for table in ("pairs", "certain_pairs")
            )
        if self._trees is not None and len(uncertain):
            left, right = unpack_pairs(self._named(uncertain))
            table = np.asarray(self._tables.signatures)
            uncertain = uncertain[likely(table, left.astype(np.int64), right.astype(np.int64), self._trees)]
        for blocker in self._last_filters:
            uncertain = uncertain[self._passing(blocker, self._named(uncertain))]
        return self._named(once(np.concatenate([uncertain, certain]), True) if len(certain) else uncertain)

    def _passing(self, blocker: ConfiguredBlocker, pairs: Numbers) -> Flags:
        left, right = unpack_pairs(pairs)
        used, ends = np.unique(np.concatenate([left, right]), return_inverse=True)
        columns, ends = self._rows.rows(used.astype(np.int64), blocker.columns), ends.astype(np.uint32)
        found: Flags = blocker.adapter.passes(
            columns, ends[: len(left)], ends[len(left) :], blocker.settings, self._statistics
        )
        return found

    def _named(self, pairs: Numbers) -> Numbers:
        return pairs if not len(self._order) else _renamed(pairs, self._order)

    @contextlib.contextmanager
    def closed_on_failure(self) -> Iterator[None]:
        """Close the database if something fails."""
        try:
            yield
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> CandidatePairs:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove the pairs."""
        self.database.close()
