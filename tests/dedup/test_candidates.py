"""Candidate pairs: the same for any order, threads and memory, at once or added night by night."""

from itertools import combinations, pairwise

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bibld.config import DedupConfig
from bibld.dedup import candidates, key_tables, keys
from bibld.dedup.arrays import unpack_pairs
from bibld.dedup.block import composite, identifier, simhash
from bibld.dedup.candidates import all_pairs, pairs_of
from bibld.dedup.key_tables import KeyTables
from bibld.dedup.keys import keys_of_all, shared_key_names
from bibld.errors import CatalogError
from bibld.model.features import FeatureColumns, Features
from tests.dedup.blocking import Blocking

EVERY = ("identifier", "composite", "simhash", "paper")
TITLES = st.sampled_from(["voina i mir", "anna karenina", "deti kapitana granta", "mir i voina", "voina", ""])
RECORD = st.builds(
    Features,
    main_title=TITLES, remainder=TITLES, names=st.sampled_from(["", "tolstoi lev", "vern zh|tolstoi"]),
    year=st.sampled_from([0, 1970, 1975]), last_year=st.sampled_from([0, 1975]), pages=st.sampled_from([0, 512]),
    identifiers=st.sampled_from(["", "isbn:1", "isbn:2|isbn:1"]), part=st.sampled_from(["", "1"]),
    title=TITLES, author=st.sampled_from(["", "tolstoi"]),
)  # fmt: skip
RECORDS = st.lists(RECORD, min_size=1, max_size=16)
CUTS = st.lists(st.integers(0, 16), max_size=4)


def blocking(score="model", largest=4, workers=2, block=EVERY):
    bounded = {"largest_bucket": largest}
    chosen = {
        "composite": composite.Settings(**bounded),
        "simhash": simhash.Settings(**bounded),
        "identifier": identifier.Settings(**bounded),
    }
    return Blocking(DedupConfig(block=block, score=score), chosen, workers)


def columns(records):
    return FeatureColumns.from_features(enumerate(records))


def pairs(found):
    with found:
        portions = [portion.tolist() for portion in found.packed()]
        assert [side.tolist() for pair in found for side in pair] == [
            side.tolist() for portion in portions for side in unpack_pairs(np.array(portion, np.uint64))
        ]
    every = [pair for portion in portions for pair in portion]
    assert len(every) == len(set(every))
    assert all(pair >> 32 < pair & 0xFFFFFFFF for pair in every)
    return {(pair >> 32, pair & 0xFFFFFFFF) for pair in every}


def matched(records, config, live=None, **asked):
    rows = columns(records)
    with KeyTables(None, config, **asked) as tables:
        statistics = tables.rebuild(rows)
        return statistics, pairs(all_pairs(tables, rows, statistics, live))


@given(RECORDS, st.randoms(use_true_random=False))
@settings(max_examples=12)
def test_exactly_the_pairs_that_share_a_key_are_found_in_any_order(records, random):
    config = blocking(score="jaccard")
    statistics, found = matched(records, config)
    every = np.array(list(combinations(range(len(records)), 2)), dtype=np.uint32).reshape(-1, 2)
    keys = keys_of_all(columns(records), config, statistics)
    names = shared_key_names(keys, len(records), every[:, 0].copy(), every[:, 1].copy())
    assert found == {tuple(pair) for pair, shared in zip(every.tolist(), names, strict=True) if shared}
    order = list(range(len(records)))
    random.shuffle(order)
    again, others = matched([records[row] for row in order], config)
    assert again.words.tolist() == statistics.words.tolist()
    assert again.counts.tolist() == statistics.counts.tolist()
    for name in EVERY:
        assert again.oversized[name].tolist() == statistics.oversized[name].tolist()
    assert {(min(pair), max(pair)) for pair in ((order[i], order[j]) for i, j in others)} == found


@given(RECORDS)
@settings(max_examples=10)
def test_the_pairs_of_one_blocker_are_those_of_the_join_in_sql(records):
    config = blocking(score="jaccard", largest=3, block=("composite",))
    rows = columns(records)
    with KeyTables(None, config) as tables:
        statistics = tables.rebuild(rows)
        found = pairs(all_pairs(tables, rows, statistics))
        database = tables.database.cursor()
        oversized = {"key": statistics.oversized["composite"]}
        database.register("given", oversized)
        database.execute("create temp table oversized as select key from given")
        database.execute("create temp view keys as select key, row from keys_composite")
        assert set(database.execute(candidates.SELF_JOIN).fetchall()) == found


@given(RECORDS, st.sampled_from([1, 2]), st.sampled_from([1 << 11, 1 << 30]))
@settings(max_examples=10)
def test_threads_and_memory_do_not_change_the_pairs(records, workers, memory):
    statistics, found = matched(records, blocking(workers=1))
    others, again = matched(records, blocking(workers=workers), memory=memory)
    assert others.words.tolist() == statistics.words.tolist()
    assert again == found


@given(RECORDS, CUTS, RECORDS)
@settings(max_examples=10)
def test_rows_added_one_after_the_other_give_the_pairs_of_one_join(records, cuts, counted):
    """Whatever the statistics were counted on."""
    config = blocking(largest=2)
    statistics, _ = matched(counted, config)
    rows, found = columns(records), set()
    with KeyTables(None, config) as tables:
        for start, stop in pairwise([0, *sorted(min(cut, len(records)) for cut in cuts), len(records)]):
            some = columns(records[:stop])
            tables.add(some, statistics)
            assert len(tables) == stop
            found |= pairs(pairs_of(tables, np.arange(start, stop), some, statistics))
        assert found == pairs(all_pairs(tables, rows, statistics))


@given(RECORDS, st.sets(st.integers(0, 15)))
@settings(max_examples=10)
def test_deleted_rows_make_no_pairs_and_change_no_others(records, deleted):
    config, rows = blocking(), columns(records)
    live = np.array([row not in deleted for row in range(len(records))], dtype=np.bool_)
    statistics, every = matched(records, config)
    assert matched(records, config, live=live)[1] == {pair for pair in every if not deleted & set(pair)}
    fresh = np.arange(len(records) // 2, len(records))
    with KeyTables(None, config) as tables:
        tables.add(rows, statistics)
        some = pairs(pairs_of(tables, fresh, rows, statistics, live))
    assert some == {pair for pair in every if not deleted & set(pair) and pair[1] >= len(records) // 2}


def test_tables_in_a_file_are_there_again_and_continue(tmp_path):
    config, file = blocking(), tmp_path / "keys.duckdb"
    records = [Features(main_title=f"voina i mir {number % 5}", year=1970 + number % 3) for number in range(23)]
    with KeyTables(file, config) as tables:
        statistics = tables.rebuild(columns(records[:20]))
    with (tmp_path / "keys.signatures").open("ab") as signatures:
        signatures.write(b"written by a run that was stopped")
    with KeyTables(file, config) as tables:
        assert len(tables) == 20
        tables.add(columns(records), statistics)
        found = pairs(all_pairs(tables, columns(records), statistics))
    with KeyTables(None, config) as tables:
        tables.add(columns(records), statistics)
        assert pairs(all_pairs(tables, columns(records), statistics)) == found != set()


def test_a_damaged_file_is_reported(tmp_path):
    file, config = tmp_path / "keys.duckdb", blocking()
    with KeyTables(file, config) as tables:
        tables.rebuild(columns([Features(main_title="voina i mir")] * 3))
    with pytest.raises(CatalogError, match=r"keys\.signatures: has 2 rows instead of 3"):
        (tmp_path / "keys.signatures").write_bytes((tmp_path / "keys.signatures").read_bytes()[:-8])
        KeyTables(file, config)
    file.write_bytes(b"no database")
    with pytest.raises(CatalogError, match=r"keys\.duckdb: cannot be read"):
        KeyTables(file, config)


def test_a_file_that_another_process_has_open_is_reported(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise duckdb.IOException('Could not set lock on file "keys.duckdb"')

    monkeypatch.setattr(duckdb, "connect", refuse)
    with pytest.raises(CatalogError, match="Could not set lock"):
        KeyTables(tmp_path / "keys.duckdb", blocking())


def test_no_rows_make_no_pairs():
    config = blocking()
    statistics, found = matched([], config)
    assert found == set()
    with KeyTables(None, config) as tables:
        assert pairs(pairs_of(tables, np.empty(0, np.int64), columns([]), statistics)) == set()


def test_reading_and_joining_in_small_portions_gives_the_same_pairs(monkeypatch):
    config = blocking()
    records = [Features(main_title=f"voina i mir {number % 5}", year=1970 + number % 3) for number in range(23)]
    statistics, found = matched(records, config)
    for module, name in ((key_tables, "CHUNK"), (key_tables, "INSERTED"), (candidates, "CHUNK"), (candidates, "_ROOM")):
        monkeypatch.setattr(module, name, 4)
    again, others = matched(records, config)
    assert again.counts.tolist() == statistics.counts.tolist()
    assert others == found
    with KeyTables(None, config) as tables:
        tables.add(columns(records), statistics)
        assert pairs(pairs_of(tables, np.arange(23), columns(records), statistics)) == found


class _Hooks:
    """A blocker that joins by itself: neighbours; and one that filters the candidates of others."""

    FAMILIES = ("neighbours",)
    COLUMNS = ("main_title",)

    def fit(self, rows, settings_):
        return str(len(rows)).encode()

    def join(self, columns_, settings_, statistics, fresh):
        assert statistics.fitted["composite"] == str(len(columns_)).encode()
        left = np.arange(len(columns_) - 1, dtype=np.uint32)
        wanted = np.ones(len(left), bool) if fresh is None else fresh[left] | fresh[left + 1]
        return left[wanted] + 1, left[wanted]

    def passes(self, columns_, left, right, settings_, statistics):
        return np.array([columns_.texts["main_title"].text(row) == "a" for row in left.tolist()], bool)


def test_a_blocker_may_join_by_itself_learn_from_all_rows_and_filter_candidates(monkeypatch):
    hooks, load = _Hooks(), keys.configured_blockers

    def configured(method):
        from msgspec.structs import replace

        (blocker,) = load(method)
        return [replace(blocker, adapter=hooks, joins=True, compares=False, columns=("main_title",))]

    monkeypatch.setattr(keys, "configured_blockers", configured)
    rows = columns([Features(main_title=title) for title in "aaba"])
    with KeyTables(None, blocking(block=("composite",), score="jaccard")) as tables:
        statistics = tables.rebuild(rows)
        assert statistics.fitted == {"composite": b"4"}
        assert pairs(all_pairs(tables, rows, statistics)) == {(0, 1), (1, 2)}
        assert pairs(pairs_of(tables, np.array([0]), rows, statistics)) == {(0, 1)}
        live = np.array([True, False, True, True])
        assert pairs(all_pairs(tables, rows, statistics, live)) == set()
