"""Keys in parts: the same pairs and the same oversized keys as from the tables of all keys."""

import numpy as np
import pytest
from msgspec.structs import replace

from bibld.dedup.arrays import pack_pairs
from bibld.dedup.candidates import all_pairs, pairs_of_part
from bibld.dedup.columns import PackedRows, stored_rows
from bibld.dedup.key_tables import KeyTables, count_words
from bibld.dedup.keys import LEVELS, MAX_ORDINALS, KeyMaker, count_keys, cut_keys, sum_counts
from bibld.dedup.method import MethodOptions
from bibld.errors import StageError
from bibld.model.features import FeatureColumns, Features, Statistics

PARTS = 7
SETTINGS = {"identifier": {"largest_bucket": 5}, "composite": {"largest_bucket": 6}}
ORDINALS = [2 + 3 * row for row in range(400)]


def records():
    """Records of which many share a title, an identifier or both, with few years and authors."""
    for row, ordinal in enumerate(ORDINALS):
        title = ("collected works", f"a history of town {row % 23}", f"poems {row}")[row % 3]
        identifiers = f"isbn:978{row % 40:010}" if row % 5 else ""
        names = ("ivanov ivan", "petrova anna", "")[row % 7 % 3]
        yield (
            ordinal,
            Features(
                title=title, main_title=title, names=names, year=1900 + row % 4, pages=row % 3, identifiers=identifiers
            ),
        )


@pytest.fixture
def columns():
    return FeatureColumns.from_features(records())


@pytest.mark.parametrize("blocker", ["identifier", "composite", "simhash"])
def test_parts_give_the_pairs_of_the_tables(columns, blocker):
    chosen = {name: settings for name, settings in SETTINGS.items() if name == blocker}
    method = MethodOptions(block=(blocker,), adapter_settings=chosen)
    with KeyTables(None, method) as tables:
        statistics = tables.rebuild(columns)
        with all_pairs(tables, columns, statistics) as found:
            expected = {
                (ORDINALS[one], ORDINALS[other])
                for left, right in found
                for one, other in zip(left.tolist(), right.tolist(), strict=True)
            }
            counts = found.counts[0]
    maker = KeyMaker(method)
    by_part, cut_rows = {}, 0
    for start in range(0, len(columns), 90):
        some = columns.chunk(start, start + 90)
        for cut in cut_keys(maker, some, statistics, PARTS):
            cut_rows += cut.cut_rows
            for part, keys in cut.parts:
                by_part.setdefault(part, []).append(keys)
    pairs = set()
    for given in by_part.values():
        found, grown = pairs_of_part(maker, maker.blockers[0], method, given)
        assert grown == (0, 0)
        assert len(found) == len(set(found.tolist()))
        pairs |= {(pair >> 32, pair & 0xFFFFFFFF) for pair in found.tolist()}
    assert pairs == expected
    assert len(pairs) > 100
    assert cut_rows == counts.cut_rows


def test_keys_that_have_grown_are_counted(columns):
    method = MethodOptions(block=("identifier",), adapter_settings={"identifier": {"largest_bucket": 2}})
    maker, nothing = KeyMaker(method), Statistics.empty()
    by_part = {}
    for cut in cut_keys(maker, columns, nothing, 2):
        for part, keys in cut.parts:
            by_part.setdefault(part, []).append(keys)
    grown = [pairs_of_part(maker, maker.blockers[0], method, given)[1] for given in by_part.values()]
    shared = {}
    for _, features in records():
        shared.setdefault(features.identifiers, []).append(features)
    sizes = [len(group) for identifier, group in shared.items() if identifier]
    assert [sum(column) for column in zip(*grown, strict=True)] == [
        sum(size > 2 for size in sizes),
        sum(size > 20 for size in sizes),
    ]


def test_counts_by_level_give_the_oversized_keys(columns):
    method = MethodOptions(adapter_settings=SETTINGS)
    with KeyTables(None, method) as tables:
        expected = tables.rebuild(columns)
    maker = KeyMaker(method)
    statistics = replace(expected, oversized={})
    for level in range(LEVELS):
        counted = {}
        for start in range(0, len(columns), 150):
            for blocker, part, keys, counts in count_keys(
                maker, columns.chunk(start, start + 150), statistics, level, PARTS
            ):
                counted.setdefault((blocker, part), []).append((keys, counts))
        oversized = dict(statistics.oversized)
        for (blocker, _), given in counted.items():
            configured = maker.with_keys[blocker]
            keys, sums = sum_counts(given)
            before = oversized.get(configured.name, np.empty(0, np.uint64))
            oversized[configured.name] = np.sort(np.concatenate([before, keys[sums > configured.largest]]))
        statistics = replace(statistics, oversized=oversized)
    assert {name: keys.tolist() for name, keys in statistics.oversized.items()} == {
        name: keys.tolist() for name, keys in expected.oversized.items()
    }
    assert all(len(keys) for keys in statistics.oversized.values())
    words = sum_counts(count_words(columns.chunk(start, start + 33)) for start in range(0, len(columns), 33))
    frequent = words[1] > 1
    assert words[0][frequent].tolist() == expected.words.tolist()
    assert words[1][frequent].tolist() == expected.counts.tolist()


def test_an_ordinal_that_pairs_have_no_room_for_ends_the_run():
    columns = FeatureColumns.from_features([(MAX_ORDINALS, Features(main_title="a"))])
    with pytest.raises(StageError, match="more than pairs have room for"):
        list(cut_keys(KeyMaker(MethodOptions()), columns, Statistics.empty(), 1))


def test_packed_rows_are_read_as_columns(columns):
    packed = PackedRows(stored_rows(columns))
    chosen = np.array([5, 1, 1, 399])
    found, expected = packed.rows(chosen), columns.rows(chosen)
    assert found.ordinals.tolist() == expected.ordinals.tolist()
    assert [found.features(row) for row in range(4)] == [expected.features(row) for row in range(4)]
    assert set(packed.chunk(3, 9, ("title", "year")).texts) == {"title"}
    assert len(packed.chunk(398, 1000)) == 2
    assert packed.long_text_sizes(chosen).tolist() == [1, 1, 1, 1]
    with pytest.raises(ValueError, match="unknown columns"):
        packed.rows(chosen, ["colour"])


def test_pairs_are_packed_with_the_smaller_ordinal_first():
    assert pack_pairs(np.array([1], np.uint64), np.array([MAX_ORDINALS - 1], np.uint64)).tolist() == [
        (1 << 32) | (MAX_ORDINALS - 1)
    ]
