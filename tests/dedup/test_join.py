"""The join over segments: the same pairs however the records are cut, in whatever memory, by however many threads."""

import sys
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bibld.config import DedupConfig
from bibld.dedup._keys.indexing import index_base, index_segment
from bibld.dedup._keys.key_runs import open_runs
from bibld.dedup._keys.keys import families_met, keys_of_all
from bibld.dedup._keys.spool import Spool, together
from bibld.dedup._keys.statistics import Held
from bibld.dedup._pairs.join import join
from bibld.dedup.block import composite, identifier, simhash
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


def blocking(score="model", largest=4):
    bounded = {"largest_bucket": largest}
    chosen = {
        "composite": composite.Settings(**bounded),
        "simhash": simhash.Settings(**bounded),
        "identifier": identifier.Settings(**bounded),
    }
    return Blocking(DedupConfig(block=EVERY, score=score), chosen)


def cut(records, cuts):
    """The records as segments."""
    edges = [0, *sorted(min(cut, len(records)) for cut in cuts), len(records)]
    return [Held(FeatureColumns.from_features(enumerate(records[begin:end], begin))) for begin, end in pairwise(edges)]


def pairs(runs, config, statistics, **asked):
    with join(runs, config, statistics, **asked) as found:
        packed = [left.astype(np.uint64) << np.uint64(32) | right for left, right in found]
        assert [pair.tolist() for pair in found.packed()] == [pair.tolist() for pair in packed]
    found = np.concatenate([np.empty(0, np.uint64), *packed]).tolist()
    assert len(found) == len(set(found))
    return {(pair >> 32, pair & 0xFFFFFFFF) for pair in found}


def indexed(records, cuts, config, **asked):
    segments = cut(records, cuts)
    return index_base(segments, [None] * len(segments), config, **asked)


@given(RECORDS, CUTS, st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=40)
def test_exactly_the_pairs_that_share_a_key_are_found_in_any_order_and_segmentation(records, cuts, random):
    config = blocking(score="jaccard")
    statistics, runs = indexed(records, cuts, config)
    found = pairs(runs, config, statistics)
    columns = FeatureColumns.from_features(enumerate(records))
    every = np.array(list(combinations(range(len(records)), 2)), dtype=np.uint32).reshape(-1, 2)
    keys = keys_of_all(columns, config, statistics)
    met = families_met(keys, columns, config, every[:, 0].copy(), every[:, 1].copy())
    assert found == {tuple(pair) for pair, names in zip(every.tolist(), met, strict=True) if names}
    order = list(range(len(records)))
    random.shuffle(order)
    again, others = indexed([records[row] for row in order], cuts[:1], config)
    assert again.words.tolist() == statistics.words.tolist()
    assert again.counts.tolist() == statistics.counts.tolist()
    for name in EVERY:
        assert again.oversized[name].tolist() == statistics.oversized[name].tolist()
    shuffled = {(min(pair), max(pair)) for pair in ((order[i], order[j]) for i, j in pairs(others, config, again))}
    assert shuffled == found


@given(RECORDS, CUTS, st.sampled_from([1, 2]), st.sampled_from([0, 64, 1 << 20]))
@settings(deadline=None, max_examples=40)
def test_threads_memory_and_segmentation_do_not_change_the_pairs(records, cuts, workers, memory):
    config = blocking()
    statistics, runs = indexed(records, [], config, workers=1)
    others, cut_runs = indexed(records, cuts, config, workers=workers, memory=memory)
    assert others.words.tolist() == statistics.words.tolist()
    assert pairs(cut_runs, config, others, workers=workers, memory=memory) == pairs(runs, config, statistics)


@given(RECORDS, CUTS, RECORDS)
@settings(deadline=None, max_examples=40)
def test_segments_probed_one_by_one_give_the_pairs_of_one_join(records, cuts, counted):
    """Whatever the statistics were counted on."""
    config = blocking(largest=2)
    statistics, _ = indexed(counted, [], config)
    runs = [index_segment(segment, None, config, statistics) for segment in cut(records, cuts)]
    found = set()
    for number in range(1, len(runs) + 1):
        found |= pairs(runs[:number], config, statistics, new_from=number - 1)
    assert found == pairs(runs, config, statistics)
    assert pairs(runs, config, statistics, new_from=len(runs)) == set()
    if len(runs) > 2:
        behind = pairs(runs, config, statistics, new_from=1) | pairs(runs[:1], config, statistics)
        assert behind == found


@given(RECORDS, CUTS, st.sets(st.integers(0, 15)), st.booleans())
@settings(deadline=None, max_examples=40)
def test_deleted_rows_make_no_pairs_and_change_no_others(records, cuts, deleted, is_probe):
    config = blocking()
    statistics, runs = indexed(records, cuts, config)
    live = np.array([row not in deleted for row in range(len(records))], dtype=np.bool_)
    new_from = len(runs) - 1 if is_probe else 0
    every = pairs(runs, config, statistics, new_from=new_from)
    found = pairs(runs, config, statistics, new_from=new_from, alive=live)
    assert found == {pair for pair in every if not deleted & set(pair)}


def test_stored_runs_are_reproducible_and_can_be_opened(tmp_path):
    config = blocking()
    rows = cut(
        [Features(main_title="voina i mir", names="tolstoi", year=1970, pages=number // 3) for number in range(9)], []
    )
    folders = [tmp_path / name for name in ("one", "other")]
    for folder in folders:
        folder.mkdir()
    statistics, (runs,) = index_base(rows, folders[:1], config)
    made = {path.name: path.read_bytes() for path in folders[0].iterdir()}
    index_segment(rows[0], folders[1], config, statistics)
    assert made == {path.name: path.read_bytes() for path in folders[1].iterdir()}
    opened = open_runs(folders[0], 9, config)
    assert pairs([opened], config, statistics) == pairs([runs], config, statistics) != set()
    (folders[0] / "composite.2.keys").unlink()
    assert open_runs(folders[0], 9, config) is None


def test_a_damaged_run_is_reported(tmp_path):
    config = blocking()
    index_base(cut([Features(main_title="voina i mir")] * 3, []), [tmp_path], config)
    path = tmp_path / "composite.0.keys"
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(CatalogError, match=r"composite.0.keys.*whole run"):
        open_runs(tmp_path, 3, config)
    path.unlink()
    path.write_bytes(b"")
    with pytest.raises(CatalogError, match=r"composite.0.keys"):
        open_runs(tmp_path, 3, config)


def test_no_rows_make_no_pairs(tmp_path):
    config = blocking()
    statistics, runs = index_base(cut([], [0]), [tmp_path, None], config)
    assert pairs(runs, config, statistics) == set()
    assert pairs([], config, statistics) == set()
    assert pairs([open_runs(tmp_path, 0, config)], config, statistics) == set()


def test_keys_that_grow_are_reported_by_a_join_and_by_a_probe():
    config = blocking(largest=3)
    few = [Features(identifiers="issn:1")] * 3
    statistics, runs = indexed(few, [], config)
    more = index_segment(cut([Features(identifiers="issn:1")] * 2, [])[0], None, config, statistics)
    for new_from in (0, 1):
        with join([*runs, more], config, statistics, new_from=new_from) as found:
            assert [message for message in found.messages() if "1 keys grew oversized" in message]


def test_joining_in_chunks_gives_the_same_pairs(monkeypatch):
    config = blocking()
    records = [Features(main_title=f"voina i mir {number % 5}", year=1970 + number % 3) for number in range(23)]
    statistics, runs = indexed(records, [], config)
    for module, name in (
        ("_keys.statistics", "CHUNK"), ("_keys.statistics", "AT_ONCE"), ("_keys.indexing", "AT_ONCE"),
        ("_keys.levels", "_ROOM"), ("_pairs.pairs", "_WAITING"),
    ):  # fmt: skip
        monkeypatch.setattr(sys.modules[f"bibld.dedup.{module}"], name, 4)
    again, others = indexed(records, [9], config)
    assert again.counts.tolist() == statistics.counts.tolist()
    assert pairs(others, config, again) == pairs(runs, config, statistics)


# -- numbers put apart and sorted --------------------------------------------------------------------------------------


@given(st.lists(st.lists(st.lists(st.integers(0, 2**64 - 1), max_size=60), min_size=3, max_size=3), max_size=4))
@settings(deadline=None, max_examples=60)
def test_spooled_parts_are_returned_sorted(pieces):
    for memory in (0, 1 << 20):
        spool = Spool(memory)
        for piece in pieces:
            offsets = np.cumsum([0, *map(len, piece)])
            spool.add(offsets, np.array([number for part in piece for number in part], dtype=np.uint64))
        for first, last in ((0, 3), (1, 2)):
            offsets, numbers = spool.sorted(first, last)
            for part in range(first, last):
                part_numbers = numbers[offsets[part - first] : offsets[part - first + 1]].tolist()
                assert part_numbers == sorted(number for piece in pieces for number in piece[part])
        assert spool.sizes(3).tolist() == [sum(len(piece[part]) for piece in pieces) for part in range(3)]
        spool.close()


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=300), st.sampled_from([0, 32]))
@settings(deadline=None, max_examples=60)
def test_sorting_by_the_upper_bits_keeps_the_order_of_equal_ones(numbers, low):
    offsets = np.array([0, len(numbers)])
    halves = np.array(numbers, dtype=np.uint64) >> np.uint64(1)
    _, found = together([(offsets, halves), (offsets, halves)], low=low)
    assert found.tolist() == sorted([*halves.tolist()] * 2, key=lambda number: number >> low)
    _, once = together([(offsets, halves), (offsets, halves)], is_set=True)
    assert once.tolist() == sorted(set(halves.tolist()))
