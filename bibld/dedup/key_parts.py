"""Keys cut into parts by their hashes, so that the pairs of one part are found without the others.

Some records at a time give their keys by part (:func:`cut_keys`). What all records have given for one part of one
blocker has all the pairs of the keys in it (:func:`pairs_of_part`). The keys, and what two rows must pass, are those of
:mod:`bibld.dedup.candidates`, and so are the pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from bibld.dedup.arrays import Counts, Numbers, RowNumbers, once, pack_pairs, unpack_pairs
from bibld.dedup.candidates import PairTest
from bibld.dedup.keys import HASH_BITS, LEVELS, MOST_ROWS, ROW_BITS, ConfiguredBlocker, KeyMaker
from bibld.dedup.method import Method
from bibld.dedup.prefilter import is_applied, likely, trees_for
from bibld.errors import StageError
from bibld.model.features import FeatureColumns, Statistics

MOST_ORDINALS = 1 << 32
"""A pair of ordinals fits into one number if they are smaller than this."""

_ROW, _LOW = np.uint64(ROW_BITS), np.uint64(MOST_ROWS - 1)
_HASH = np.uint64((1 << HASH_BITS) - 1)
_LEVEL = np.uint64(HASH_BITS + ROW_BITS)
_NOTHING = np.empty(0, np.uint64)


class KeyPart(NamedTuple):
    """Keys of some records that are in one part: record ``places[i]`` has the key ``keys[i]``.

    ``records`` (records, 1 + width): the ordinal and the signatures of each.
    """

    keys: Numbers
    places: RowNumbers
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
    if len(columns) and int(columns.ordinals.max()) >= MOST_ORDINALS:
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
            used, places = np.unique(rows[chosen], return_inverse=True)
            found.append((part, KeyPart(keys[chosen], places.astype(np.uint32), records[used.astype(np.int64)])))
        yield CutKeys(number, found, len(cut))


def pairs_of_part(
    maker: KeyMaker, blocker: ConfiguredBlocker, method: Method, given: Sequence[KeyPart]
) -> tuple[Numbers, tuple[int, int]]:
    """Return the pairs of ordinals in one part, ``left << 32 | right`` ascending, each once.

    ``given`` is what all records have given for the part of this blocker; no record is in two of them. Also return how
    many keys have grown since the statistics were counted, and how many of them so far that they make no pairs. Raises
    ``StageError``.
    """
    firsts = np.cumsum([0] + [len(one.records) for one in given])
    if firsts[-1] > MOST_ROWS:
        raise StageError(f"dedup: {firsts[-1]} records in one part of the keys are more than it has room for")
    records = np.concatenate([one.records for one in given])
    words = [
        (one.keys << _ROW) | (one.places.astype(np.uint64) + np.uint64(first))
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
    found, places = np.unique(keys, return_inverse=True)
    sums = np.bincount(places, counts, len(found)).astype(np.int64)
    return found, np.minimum(sums, np.iinfo(np.int32).max).astype(np.int32)
