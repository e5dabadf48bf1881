"""Blockers: which records share keys, and how keys of too many records are treated."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bibld.config import DedupConfig
from bibld.dedup._keys.hash_kernels import prefixes
from bibld.dedup._keys.indexing import index_segment
from bibld.dedup._keys.kernels import halves
from bibld.dedup._keys.keys import families_met, key_names
from bibld.dedup._keys.statistics import Counted, Held, from_bytes, title, to_bytes
from bibld.dedup._keys.text_kernels import rarest, title_prefixes, trigram_simhash, values, words
from bibld.dedup._pairs.candidates import all_keys, candidate_pairs, statistics_of
from bibld.dedup._pairs.join import join
from bibld.dedup.block import composite, identifier, simhash
from bibld.errors import CatalogError
from bibld.model.features import FeatureColumns, Features, Statistics, TextColumn
from tests.dedup.blocking import Blocking


def blocking(*names, **chosen):
    return Blocking(DedupConfig(block=names, score="jaccard"), chosen)


def columns(*records: Features):
    return FeatureColumns.from_features(enumerate(records))


def candidates(config, *records, statistics=None):
    feature_columns = columns(*records)
    known = statistics or statistics_of(feature_columns, config)
    left, right = halves(candidate_pairs(all_keys(feature_columns, config, known), feature_columns, config))
    return set(zip(left.tolist(), right.tolist(), strict=True))


def book(**changes):
    base = {
        "main_title": "voina i mir",
        "remainder": "roman v chetireh tomah",
        "names": "tolstoi lev|izdatel ivan",
        "year": 1970,
        "last_year": 1970,
        "pages": 512,
    }
    return Features(**(base | changes))


OTHER = {
    "main_title": "anna karenina",
    "remainder": "",
    "names": "chehov a",
    "year": 1900,
    "last_year": 1900,
    "pages": 9,
}


@pytest.mark.parametrize(
    ("family", "kept"),
    [
        ("title 12 and author 4", ("main_title", "remainder", "names")),
        ("title 12 and year", ("main_title", "remainder", "year", "last_year")),
        ("two rare title words", ("main_title", "remainder")),
        ("surname and rare title word", ("main_title", "remainder", "names")),
        ("year, pages and title 4", ("main_title", "remainder", "year", "last_year", "pages")),
        ("year, pages and author 4", ("names", "year", "last_year", "pages")),
        ("full title", ("main_title", "remainder")),
        ("title 18", ("main_title", "remainder")),
    ],
)
def test_records_share_a_key_of_a_family_only_when_its_fields_agree(family, kept):
    config = blocking("composite", composite=composite.Settings(families=(family,)))
    other = {name: value for name, value in OTHER.items() if name not in kept}
    assert candidates(config, book(), book(**other)) == {(0, 1)}
    for name in ("main_title", "names", "year", "pages"):
        if name in kept:
            changed = other | {name: OTHER[name]} | ({"last_year": 1900} if name == "year" else {})
            changed |= {"remainder": ""} if name == "main_title" else {}
            assert candidates(config, book(), book(**changed)) == set()


@pytest.mark.parametrize("family", composite.FAMILIES)
def test_missing_fields_never_make_a_key(family):
    config = blocking("composite", composite=composite.Settings(families=(family,)))
    assert candidates(config, Features(), Features()) == set()
    assert candidates(config, Features(year=1970, pages=100), Features(year=1970, pages=100)) == set()
    assert candidates(config, Features(names="ivanov i"), Features(names="ivanov i")) == set()


def test_a_range_of_years_shares_keys_with_its_first_and_last_year():
    config = blocking("composite", composite=composite.Settings(families=("title 12 and year",)))
    assert candidates(config, book(year=1868, last_year=1870), book(year=1870, last_year=1870)) == {(0, 1)}
    assert candidates(config, book(year=1868, last_year=1870), book(year=1868, last_year=1868)) == {(0, 1)}


def test_a_volume_shares_a_key_with_a_record_titled_like_its_set():
    config = blocking("composite")
    volume = Features(main_title="t 1", set_title="obshchaa teora prava", part="1", year=1981, last_year=1981)
    other = Features(main_title="obshchaa teora prava", part="1", year=1981, last_year=1981)
    second = Features(main_title="t 2", set_title="obshchaa teora prava", part="2", year=1981, last_year=1981)
    assert candidates(config, volume, other, second) == {(0, 1)}


def test_titles_without_authors_share_a_key_by_their_pages():
    config = blocking("composite", composite=composite.Settings(families=("title 12 and pages, no author",)))
    assert candidates(config, book(names=""), book(names="", year=1)) == {(0, 1)}
    assert candidates(config, book(names=""), book()) == set()


def test_identifiers_are_keys_except_those_of_sets():
    config = blocking("identifier")
    one, two = Features(identifiers="isbn:9781|setisbn:9789"), Features(identifiers="setisbn:9789|isbn:9782")
    assert candidates(config, one, two) == set()
    assert candidates(config, one, Features(identifiers="issn:1|isbn:9781")) == {(0, 1)}
    assert candidates(config, Features(), Features()) == set()


def test_an_oversized_identifier_is_refined_and_counted():
    settings_ = identifier.Settings(largest_bucket=3)
    config = blocking("identifier", identifier=settings_)
    records = [Features(identifiers="issn:1", year=2000 + number // 2, pages=100) for number in range(8)]
    feature_columns = columns(*records)
    (keys,) = all_keys(feature_columns, config, statistics_of(feature_columns, config))
    assert candidates(config, *records) == {(0, 1), (2, 3), (4, 5), (6, 7)}
    assert (keys.counts.refined, keys.counts.cut) == (1, 0)
    assert "1 oversized keys were refined" in keys.counts.message()


def test_a_key_that_stays_oversized_makes_no_candidates_and_is_reported():
    config = blocking("identifier", identifier=identifier.Settings(largest_bucket=3))
    records = [Features(identifiers="issn:1", year=2000)] * 5
    feature_columns = columns(*records)
    (keys,) = all_keys(feature_columns, config, statistics_of(feature_columns, config))
    assert candidates(config, *records) == set()
    assert (keys.counts.cut, keys.counts.cut_rows) == (1, 5)
    assert "1 keys of 5 records stayed oversized" in keys.counts.message()


def test_a_key_that_grew_after_the_statistics_were_counted_is_used_and_reported():
    config = blocking("identifier", identifier=identifier.Settings(largest_bucket=3))
    few = columns(*[Features(identifiers="issn:1")] * 3)
    many = [Features(identifiers="issn:1")] * 4
    known = statistics_of(few, config)
    assert candidates(config, *many, statistics=known) == set(combinations(range(4), 2))
    with join([index_segment(Held(columns(*many)), None, config, known)], config, known) as found:
        assert "1 keys grew oversized" in found.messages()[0]


TITLES = st.sampled_from(["voina i mir", "anna karenina", "deti kapitana granta", "mir i voina", ""])
RECORDS = st.lists(
    st.builds(
        book, main_title=TITLES, remainder=TITLES, names=st.sampled_from(["", "tolstoi lev", "vern zh|tolstoi"]),
        year=st.sampled_from([0, 1970, 1971]), pages=st.sampled_from([0, 512]),
        identifiers=st.sampled_from(["", "isbn:1", "isbn:2|isbn:1"]), part=st.sampled_from(["", "1"]),
    ),
    min_size=2, max_size=14,
)  # fmt: skip
EVERY = ("identifier", "composite", "simhash", "paper")


@given(RECORDS, st.integers(2, 5))
@settings(deadline=None, max_examples=30)
def test_with_frozen_statistics_the_keys_of_a_record_do_not_depend_on_others(records, largest):
    """Records that a later run adds do not change the pairs of the earlier ones."""
    config = blocking(
        *EVERY, composite=composite.Settings(largest_bucket=largest), simhash=simhash.Settings(largest_bucket=largest)
    )
    all_columns = columns(*records)
    known = statistics_of(all_columns, config)
    found = candidates(config, *records, statistics=known)
    half = len(records) // 2
    assert candidates(config, *records[:half], statistics=known) == {pair for pair in found if pair[1] < half}


@given(RECORDS)
@settings(deadline=None, max_examples=30)
def test_shared_keys_are_named_for_candidates_and_no_other_pairs(records):
    config = blocking(*EVERY)
    feature_columns = columns(*records)
    keys = all_keys(feature_columns, config, statistics_of(feature_columns, config))
    pairs = list(combinations(range(len(records)), 2))
    left, right = (np.array(side, np.uint32) for side in zip(*pairs, strict=True))
    met = families_met(keys, feature_columns, config, left, right)
    proposed = candidates(config, *records)
    for (one, other), names in zip(pairs, met, strict=True):
        assert bool(names) == ((one, other) in proposed)
        own = [{name for blocker in keys for name in key_names(blocker, row)} for row in (one, other)]
        assert set(names) <= own[0] & own[1]


def test_simhash_finds_misprints_and_filters_by_distance():
    good = "istora gosudarstva rossiskogo ot drevneishih vremen do nashih dnei"
    bad = good.replace("dnei", "dneii")
    config = blocking("simhash")
    assert candidates(config, book(main_title=good, remainder=""), book(main_title=bad, remainder="")) == {(0, 1)}
    strict = blocking("simhash", simhash=simhash.Settings(distance=0))
    assert candidates(strict, book(main_title=good, remainder=""), book(main_title=bad, remainder="")) == set()


def test_statistics_are_read_from_bytes_and_damage_is_reported():
    config = blocking("composite", composite=composite.Settings(largest_bucket=2))
    made = statistics_of(columns(*[book()] * 4, Features(main_title="drugaa kniga")), config)
    again = from_bytes(to_bytes(made))
    assert again.records == made.records == 5
    assert again.words.tolist() == made.words.tolist()
    assert again.counts.tolist() == made.counts.tolist() == [4] * len(made.counts)
    assert {name: keys.tolist() for name, keys in again.oversized.items()} == {
        name: keys.tolist() for name, keys in made.oversized.items()
    }
    assert len(made.oversized["composite"])
    with pytest.raises(CatalogError, match="--restat"):
        from_bytes(b"no statistics")


# -- kernels -----------------------------------------------------------------------------------------------------------

texts = st.lists(st.text(st.sampled_from("abc| "), max_size=12), max_size=6)


@given(texts, st.integers(1, 5))
@settings(deadline=None)
def test_prefixes_are_equal_when_the_first_characters_are(rows, length):
    column = TextColumn.from_texts(rows)
    found = prefixes(column.offsets, column.codes, length).tolist()
    short = [row.replace(" ", "")[:length] for row in rows]
    assert [value == 0 for value in found] == [text == "" for text in short]
    for (one, first), (other, second) in combinations(zip(found, short, strict=True), 2):
        assert (one == other) == (first == second)


@given(texts, texts)
@settings(deadline=None)
def test_a_title_is_read_as_one_text(mains, rests):
    rows = [Features(main_title=main, remainder=rest) for main, rest in zip(mains, rests, strict=False)]
    fields = title(FeatureColumns.from_features(enumerate(rows)))
    one = TextColumn.from_texts(f"{row.main_title} {row.remainder}" for row in rows)
    for number, length in enumerate((4, 12, 18, 99)):
        assert title_prefixes(*fields)[number].tolist() == prefixes(one.offsets, one.codes, length).tolist()
    offsets, hashes = words(*fields)
    found = [set(hashes[begin:end].tolist()) for begin, end in pairwise(offsets)]
    expected = [set(f"{row.main_title} {row.remainder}".replace("|", " ").split()) for row in rows]
    assert list(map(len, found)) == list(map(len, expected))
    for (one_found, one_row), (other_found, other_row) in combinations(zip(found, expected, strict=True), 2):
        assert len(one_found & other_found) == len(one_row & other_row)
    alone = title(FeatureColumns.from_features(enumerate(Features(main_title=row.main_title) for row in rows)))
    together = title(
        FeatureColumns.from_features(enumerate(Features(main_title=row.main_title + row.remainder) for row in rows))
    )
    main, full = trigram_simhash(*fields)
    assert main.tolist() == trigram_simhash(*alone)[1].tolist()
    assert full.tolist() == trigram_simhash(*together)[0].tolist()


@given(texts, st.sampled_from(["", "a", "ab"]))
@settings(deadline=None)
def test_values_with_a_given_beginning_are_left_out(rows, without):
    column = TextColumn.from_texts(rows)
    codes = np.array([ord(letter) for letter in without], dtype=np.uint32)
    offsets, _ = values(column.offsets, column.codes, -2, 2, codes)
    limited = [[one.replace(" ", "") for one in row.split("|") if one.strip()][:2] for row in rows]
    expected = [sum(not (without and one.startswith(without)) for one in row) for row in limited]
    assert np.diff(offsets).tolist() == expected


@given(st.lists(st.integers(0, 2**64 - 1), max_size=40, unique=True), st.lists(st.integers(0, 2**64 - 1), max_size=9))
@settings(deadline=None)
def test_the_hash_table_returns_the_counted_frequencies(known, others):
    words_ = np.array(sorted(known), dtype=np.uint64)
    plain = Statistics(9, words_, np.arange(2, len(known) + 2, dtype=np.int32), {})
    asked = np.array(others + known, dtype=np.uint64)
    assert Counted.of(plain).frequencies(asked).tolist() == plain.frequencies(asked).tolist()


@given(st.lists(st.integers(0, 5), min_size=1, max_size=8), st.integers(1, 4))
@settings(deadline=None)
def test_the_rarest_words_come_first_and_unseen_ones_last(frequencies, most):
    hashes = np.arange(1, len(frequencies) + 1, dtype=np.uint64)
    offsets = np.array([0, len(frequencies)])
    found = rarest(offsets, hashes, np.array(frequencies, np.int32), most)[0]
    order = sorted(range(len(frequencies)), key=lambda i: (frequencies[i] if frequencies[i] > 1 else 99, i))
    assert found.tolist() == (order[:most] + [-1] * most)[:most]


def test_simhashes_of_different_texts_use_all_bits():
    rows = ["", *(chr(97 + one) + chr(97 + other) + "a" for one in range(26) for other in range(26))]
    hashes = trigram_simhash(*title(FeatureColumns.from_features(enumerate(Features(main_title=row) for row in rows))))[
        0
    ]
    assert hashes[0] == 0
    assert len(set(hashes.tolist())) == len(rows)
    for bit in range(64):
        share = np.mean((hashes[1:] >> np.uint64(bit)) & np.uint64(1))
        assert 0.4 < share < 0.6, f"bit {bit} is biased"
