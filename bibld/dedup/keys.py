"""The keys of records by the configured blockers.

A blocker gives each record some keys; two records that share one are a candidate pair. A key that too many records
share (an *oversized* one) makes no pairs; its records get a *refined* key instead: the key with the year, and if that
is oversized too, with the pages, then with the first letters of the author. What is oversized is part of the frozen
statistics, so that the keys of a record depend on the record and the statistics alone.

In tables a key is a number of 38 bits: its level (0: as the blocker made it, 3: refined by three fields) and a hash of
36 bits. With the number of the row in 26 bits it fits into one word, which sorts by key, then row.

Keys can be cut into parts by their hashes (:func:`cut_keys`): what all records have given for one part of one blocker
has all the pairs of the keys in it (:func:`bibld.dedup.candidates.pairs_of_part`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from bibld.dedup.arrays import Counts, Flags, Numbers, Places, RowNumbers, once
from bibld.dedup.hashes import finalise
from bibld.dedup.method import Method, columns_read
from bibld.dedup.prefilter import COLUMNS as SIGNATURE_COLUMNS
from bibld.dedup.prefilter import REFINED_BY, WIDTH, field, signatures
from bibld.errors import StageError
from bibld.model.features import FeatureColumns, Statistics
from bibld.protocols import adapters

if TYPE_CHECKING:
    import numpy.typing as npt

    from bibld.model.features import FeatureColumns, Statistics


LEVELS = 4
HASH_BITS = 36
ROW_BITS = 26
MAX_ROWS = 1 << ROW_BITS
"""An index has room for this many rows."""
_FAMILY = 56


class ConfiguredBlocker(msgspec.Struct, frozen=True):
    """A blocker with its settings.

    A key of more than ``largest`` records is refined (0: no bound). ``is_certain``: its pairs pass every filter.
    ``compares``: it compares hashes of rows; ``joins``: it finds pairs itself, without keys. ``columns`` are the
    columns that it reads, None for all.
    """

    name: str
    adapter: Any
    settings: Any
    largest: int
    is_certain: bool
    compares: bool
    joins: bool
    columns: tuple[str, ...] | None

    def distance(self) -> int:
        """Return in how many of 64 bits the hashes that it compares may differ."""
        found: int = self.adapter.distance(self.settings) if self.compares else 64
        return found


def configured_blockers(method: Method) -> list[ConfiguredBlocker]:
    """Return the blockers of a configuration, in its order."""
    found = []
    for name in dict.fromkeys(method.dedup.block):
        adapter, settings = adapters.load_adapter("dedup.block", name), method.settings("dedup.block", name)
        found.append(
            ConfiguredBlocker(
                name,
                adapter,
                settings,
                largest=getattr(settings, "largest_bucket", 0),
                is_certain=getattr(adapter, "IS_CERTAIN", False),
                compares=hasattr(adapter, "signatures"),
                joins=hasattr(adapter, "join"),
                columns=columns_read(method, "dedup.block", name),
            )
        )
    return found


class KeyLevel(msgspec.Struct, frozen=True, eq=False):
    """The keys of one level, ``keys`` (n,) with their level and ``positions`` (n,) among those of the blocker.

    ``is_oversized`` (n,): too many records have the key, so it makes no pairs.
    """

    keys: Numbers
    positions: Places
    is_oversized: Flags


def key_levels(
    blocker: ConfiguredBlocker, keys: Numbers, rows: RowNumbers, table: Numbers, statistics: Statistics
) -> Iterator[KeyLevel]:
    """Yield the keys of rows by level. ``keys`` are those of the blocker, ``table`` the signatures of all rows."""
    hashes, positions = finalise(keys) >> np.uint64(64 - HASH_BITS), np.arange(len(keys))
    oversized = statistics.oversized.get(blocker.name, np.empty(0, np.uint64))
    for level in range(LEVELS if blocker.largest else 1):
        found = hashes | np.uint64(level << HASH_BITS)
        is_oversized = is_in(found, oversized)
        yield KeyLevel(found, positions, is_oversized)
        positions = positions[is_oversized]
        if level + 1 == LEVELS or not len(positions):
            return
        hashes = refined(found[is_oversized], rows[positions], table) & np.uint64((1 << HASH_BITS) - 1)


def refined(keys: Numbers, rows: RowNumbers, table: Numbers) -> Numbers:
    """Return keys of one level refined by the next field of their rows, of which ``table`` has the signatures: the keys
    of the level above."""
    if not len(keys):
        return keys
    level = int(keys[0]) >> HASH_BITS
    fields = finalise(field(table[rows], REFINED_BY[level]) + np.uint64(0x9E3779B97F4A7C15))
    hashes = finalise((keys << np.uint64(64 - HASH_BITS)) ^ fields) >> np.uint64(64 - HASH_BITS)
    return hashes | np.uint64(level + 1 << HASH_BITS)


def is_in(keys: Numbers, known: Numbers) -> Flags:
    """Return which keys are among the known ones, which ascend."""
    if not len(known):
        return np.zeros(len(keys), np.bool_)
    positions = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    found: Flags = known[positions] == keys
    return found


class KeyMaker:
    """Makes the keys and the signatures of rows by the configured blockers."""

    def __init__(self, method: Method) -> None:
        self.blockers = configured_blockers(method)
        self.with_keys = [blocker for blocker in self.blockers if not blocker.joins]
        self._comparing = [blocker.name for blocker in self.with_keys if blocker.compares]
        self.width = WIDTH + len(self._comparing)

    def columns_read(self) -> tuple[str, ...] | None:
        """Return the columns that keys and signatures are made of; None for all, if a blocker does not name its own."""
        names = [blocker.columns for blocker in self.with_keys]
        if any(columns is None for columns in names):
            return None
        return tuple(dict.fromkeys([name for columns in (*names, SIGNATURE_COLUMNS) for name in columns or ()]))

    def signatures(self, columns: FeatureColumns) -> Numbers:
        """Return the signatures of rows, with the hashes that blockers compare: shape (n, width)."""
        compared = [
            blocker.adapter.signatures(columns, blocker.settings) for blocker in self.with_keys if blocker.compares
        ]
        return np.ascontiguousarray(np.column_stack([signatures(columns), *compared]))

    def near_column(self, blocker: ConfiguredBlocker) -> int:
        """Return the column of ``signatures`` with the hashes that a blocker compares, -1 if it does not."""
        return WIDTH + self._comparing.index(blocker.name) if blocker.compares else -1

    def words(
        self, columns: FeatureColumns, table: Numbers, rows: Numbers | np.uint64, statistics: Statistics
    ) -> Iterator[tuple[ConfiguredBlocker, Numbers, Flags]]:
        """Yield the keys of each blocker as words; ``rows``: the numbers of the rows, or that of the first.

        ``table`` are the signatures of the rows. With the words comes which of them are oversized.
        """
        numbers = rows + np.arange(len(columns), dtype=np.uint64) if isinstance(rows, np.uint64) else rows
        for blocker in self.with_keys:
            keys, at = blocker.adapter.keys(columns, blocker.settings, statistics)
            levels = [
                ((level.keys << np.uint64(ROW_BITS)) | numbers[at[level.positions]], level.is_oversized)
                for level in key_levels(blocker, keys, at, table, statistics)
            ]
            words, is_oversized = (np.concatenate(column) for column in zip(*levels, strict=True))
            yield blocker, words, is_oversized


# -- keys of some records, for explanations and evaluation -------------------------------------------------------------


class Keys(msgspec.Struct, frozen=True, eq=False):
    """The keys of one blocker and the rows that have them, ascending by row, then key; without oversized ones.

    A key is the number of its family in the first byte, and the key as tables have it. ``near`` are the hashes (rows,)
    that the blocker compares, empty if it does not. ``family`` is empty for all together. ``refined`` keys were
    oversized and refined, ``cut`` ones stayed oversized.
    """

    blocker: ConfiguredBlocker
    keys: Numbers
    rows: RowNumbers
    near: Numbers
    refined: int
    cut: int
    family: str = ""

    def families(self) -> list[Keys]:
        """Return the keys of each family that has any, apart."""
        numbers = (self.keys >> np.uint64(_FAMILY)).astype(np.int64)
        return [
            msgspec.structs.replace(self, family=name, keys=self.keys[chosen], rows=self.rows[chosen])
            for number, name in enumerate(self.blocker.adapter.FAMILIES)
            if (chosen := numbers == number).any()
        ]

    def names_of(self, row: int) -> list[str]:
        """Return the names of the kinds of keys that a row has, as ``composite: title 18``."""
        numbers = {int(key) >> _FAMILY for key in self.keys[self.rows == row].tolist()}
        return [f"{self.blocker.name}: {self.blocker.adapter.FAMILIES[number]}" for number in sorted(numbers)]


def keys_of_all(columns: FeatureColumns, method: Method, statistics: Statistics) -> list[Keys]:
    """Return the keys of some records by each configured blocker that makes keys."""
    table, found = signatures(columns), []
    for blocker in configured_blockers(method):
        if blocker.joins:
            continue
        keys, rows = blocker.adapter.keys(columns, blocker.settings, statistics)
        families, parts, counts = keys >> np.uint64(_FAMILY), [], [0, 0]
        for number, level in enumerate(key_levels(blocker, keys, rows, table, statistics)):
            kept = ~level.is_oversized
            positions = level.positions[kept]
            parts.append((families[positions] << np.uint64(_FAMILY) | level.keys[kept], rows[positions]))
            counts[number == LEVELS - 1] += len(np.unique(level.keys[level.is_oversized]))
        all_keys, all_rows = (np.concatenate(column) for column in zip(*parts, strict=True))
        order = np.lexsort((all_keys, all_rows))
        near = blocker.adapter.signatures(columns, blocker.settings) if blocker.compares else np.empty(0, np.uint64)
        found.append(Keys(blocker, all_keys[order], all_rows[order], near, counts[0], counts[1]))
    return found


def shared_key_names(
    keys: Iterable[Keys], rows: int, left: npt.NDArray[Any], right: npt.NDArray[Any]
) -> list[tuple[str, ...]]:
    """Return the names of the key families that each pair of rows shares, as ``composite: title 18``.

    ``rows`` is the number of rows that the keys are of.
    """
    names: list[list[str]] = [[] for _ in range(len(left))]
    for of_blocker in keys:
        blocker = of_blocker.blocker
        of_rows = np.split(of_blocker.keys, np.searchsorted(of_blocker.rows, np.arange(1, rows)))
        sets = [frozenset(found.tolist()) for found in of_rows]
        for position, (one, other) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
            if blocker.compares and (of_blocker.near[one] ^ of_blocker.near[other]).bit_count() > blocker.distance():
                continue
            shared = sorted({key >> _FAMILY for key in sets[one] & sets[other]})
            names[position] += (f"{blocker.name}: {blocker.adapter.FAMILIES[number]}" for number in shared)
    return [tuple(found) for found in names]


MAX_ORDINALS = 1 << 32
"""A pair of ordinals fits into one number if they are smaller than this."""

_ROW, _LOW = np.uint64(ROW_BITS), np.uint64(MAX_ROWS - 1)
_HASH = np.uint64((1 << HASH_BITS) - 1)
_LEVEL = np.uint64(HASH_BITS + ROW_BITS)
_NOTHING = np.empty(0, np.uint64)


class KeyPart(NamedTuple):
    """Keys of some records that are in one part: record ``positions[i]`` has the key ``keys[i]``.

    ``records`` (records, 1 + width): the ordinal and the signatures of each.
    """

    keys: Numbers
    positions: RowNumbers
    records: Numbers


class CutKeys(NamedTuple):
    """The keys of some records by one blocker, by part; ``cut_rows`` records have a key that stayed oversized."""

    blocker: int
    parts: list[tuple[int, KeyPart]]
    cut_rows: int


def part_numbers(keys: Numbers, parts: int) -> Numbers:
    """Return the number of the part that each key is in; ``parts`` is how many there are."""
    return ((keys & _HASH) * np.uint64(parts)) >> np.uint64(HASH_BITS)


def cut_keys(maker: KeyMaker, columns: FeatureColumns, statistics: Statistics, parts: int) -> Iterator[CutKeys]:
    """Yield the keys of some records that make pairs, of each blocker that makes keys; raises ``StageError``."""
    if len(columns) and int(columns.ordinals.max()) >= MAX_ORDINALS:
        raise StageError(f"dedup: ordinal {int(columns.ordinals.max())} is more than pairs have room for")
    table = maker.signatures(columns)
    records = np.column_stack([columns.ordinals, table])
    for number, (_, words, is_oversized) in enumerate(maker.words(columns, table, np.uint64(0), statistics)):
        usable, oversized = once(words[~is_oversized]), words[is_oversized]
        cut = once(oversized[oversized >> _LEVEL == np.uint64(LEVELS - 1)] & _LOW)
        keys, rows = usable >> _ROW, usable & _LOW
        numbers = part_numbers(keys, parts)
        order = np.argsort(numbers, kind="stable")
        starts = np.searchsorted(numbers[order], np.arange(parts + 1))
        found = []
        for part in np.flatnonzero(np.diff(starts)).tolist():
            chosen = order[starts[part] : starts[part + 1]]
            used, positions = np.unique(rows[chosen], return_inverse=True)
            found.append((part, KeyPart(keys[chosen], positions.astype(np.uint32), records[used.astype(np.int64)])))
        yield CutKeys(number, found, len(cut))


# -- counting keys, to find those that too many records have -----------------------------------------------------------


def count_keys(
    maker: KeyMaker, columns: FeatureColumns, statistics: Statistics, level: int, parts: int
) -> Iterator[tuple[int, int, Numbers, Counts]]:
    """Yield the keys of one level that some records have, by blocker and part, and how many of the records have each.

    ``statistics`` contain the oversized keys of the levels below. Blockers whose keys have no bound are left out.
    """
    table = maker.signatures(columns)
    for number, (blocker, words, _) in enumerate(maker.words(columns, table, np.uint64(0), statistics)):
        if not blocker.largest:
            continue
        chosen = once(words[words >> _LEVEL == np.uint64(level)]) >> _ROW
        keys, counts = np.unique(chosen, return_counts=True)
        numbers = part_numbers(keys, parts)
        for part in np.unique(numbers).tolist():
            is_inside = numbers == part
            yield number, part, keys[is_inside], counts[is_inside].astype(np.int32)


def sum_counts(counted: Iterable[tuple[Numbers, Counts]]) -> tuple[Numbers, Counts]:
    """Return all keys, ascending and each once, and the sums of their counts."""
    columns = list(counted)
    keys = np.concatenate([_NOTHING, *(keys for keys, _ in columns)])
    counts = np.concatenate([np.empty(0, np.int64), *(counts.astype(np.int64) for _, counts in columns)])
    found, positions = np.unique(keys, return_inverse=True)
    sums = np.bincount(positions, counts, len(found)).astype(np.int64)
    return found, np.minimum(sums, np.iinfo(np.int32).max).astype(np.int32)
