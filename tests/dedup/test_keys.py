"""Blockers: which records share keys, and how keys of too many records are treated."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bibld.config import DedupConfig
from bibld.dedup.block import composite, identifier, simhash
from bibld.dedup.candidates import all_pairs, pairs_of, proposed_pairs
from bibld.dedup.key_tables import KeyTables, from_bytes, to_bytes
from bibld.dedup.keys import keys_of_all, shared_key_names
from bibld.errors import CatalogError
from bibld.model.features import FeatureColumns, Features
from tests.dedup.blocking import Blocking


def blocking(*names, **chosen):
    return Blocking(DedupConfig(block=names, score="jaccard"), chosen)


def columns(*records: Features):
    return FeatureColumns.from_features(enumerate(records))


def statistics_of(feature_columns, config):
    with KeyTables(None, config) as tables:
        return tables.rebuild(feature_columns)


def matched(config, *records, statistics=None):
    """The candidate pairs, and the messages about their keys."""
    rows = columns(*records)
    with KeyTables(None, config) as tables:
        known = statistics
        if known is None:
            known = tables.rebuild(rows)
        else:
            tables.add(rows, known)
        with all_pairs(tables, rows, known) as found:
            pairs = {pair for left, right in found for pair in zip(left.tolist(), right.tolist(), strict=True)}
            return pairs, found.messages()


def candidates(config, *records, statistics=None):
    return matched(config, *records, statistics=statistics)[0]


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
        ("title 18", ("main_title", "remainder")),
        ("word beginnings and year", ("main_title", "year", "last_year")),
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


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"main_title": "geol karta sssr"}, {"main_title": "geologicheskaa karta sssr"}),  # abbreviated
        ({"main_title": "stihi"}, {"main_title": "stihi", "remainder": "izbrannoe"}),  # main title alone
        ({"main_title": "mat", "variant_titles": "roman|mother and son"}, {"main_title": "mother and son"}),
        ({"main_title": "kurs fiziki", "variant_titles": "mehanika"}, {"main_title": "mehanika"}),  # name of the part
        ({"main_title": "tom", "set_title": "kurs fiziki", "pages": 9}, {"main_title": "kurs fiziki", "pages": 9}),
        (
            {"main_title": "mehanika", "series": "kurs fiziki", "series_number": "1"},
            {"main_title": "kurs fiziki", "part": "1"},
        ),
    ],
)
def test_a_book_shares_a_key_with_its_description_under_another_title(one, other):
    config = blocking("composite")
    rows = Features(year=1981, last_year=1981, **one), Features(year=1981, last_year=1981, **other)
    assert candidates(config, *rows, Features(main_title="drugaa kniga", year=1981, last_year=1981)) == {(0, 1)}


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
    config = blocking("identifier", identifier=identifier.Settings(largest_bucket=3))
    records = [Features(identifiers="issn:1", year=2000 + number // 2, pages=100) for number in range(8)]
    pairs, messages = matched(config, *records)
    assert pairs == {(0, 1), (2, 3), (4, 5), (6, 7)}
    assert messages == ["dedup: identifier: 1 oversized key was refined by year, pages, author 4"]
    feature_columns = columns(*records)
    (keys,) = keys_of_all(feature_columns, config, statistics_of(feature_columns, config))
    assert (keys.refined, keys.cut) == (1, 0)


def test_a_key_that_stays_oversized_makes_no_candidates_and_is_reported():
    config = blocking("identifier", identifier=identifier.Settings(largest_bucket=3))
    records = [Features(identifiers="issn:1", year=2000)] * 5
    pairs, (message,) = matched(config, *records)
    assert pairs == set()
    assert "3 oversized keys were refined" in message
    assert "1 key of 5 records stayed oversized and makes no candidates" in message


def test_a_key_that_grew_after_the_statistics_were_counted_is_used_and_reported():
    config = blocking("identifier", identifier=identifier.Settings(largest_bucket=3))
    known = statistics_of(columns(*[Features(identifiers="issn:1")] * 3), config)
    pairs, (message,) = matched(config, *[Features(identifiers="issn:1")] * 4, statistics=known)
    assert pairs == set(combinations(range(4), 2))
    assert "1 key grew oversized" in message


def test_a_key_that_grew_far_makes_no_pairs_and_asks_for_new_statistics():
    config = blocking("identifier", identifier=identifier.Settings(largest_bucket=2))
    known = statistics_of(columns(*[Features(identifiers="issn:1")] * 2), config)
    rows = columns(*[Features(identifiers="issn:1")] * 21)
    with KeyTables(None, config) as tables:
        tables.add(rows, known)
        for made in (all_pairs(tables, rows, known), pairs_of(tables, np.array([20]), rows, known)):
            with made as found:
                assert found.is_stale
                assert not [pairs for pairs in found.packed() if len(pairs)]


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
@settings(max_examples=12)
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
@settings(max_examples=12)
def test_shared_keys_are_named_for_candidates_and_no_other_pairs(records):
    config = blocking(*EVERY)
    feature_columns = columns(*records)
    keys = keys_of_all(feature_columns, config, statistics_of(feature_columns, config))
    pairs = list(combinations(range(len(records)), 2))
    left, right = (np.array(side, np.uint32) for side in zip(*pairs, strict=True))
    met = shared_key_names(keys, len(records), left, right)
    proposed = candidates(config, *records)
    for (one, other), names in zip(pairs, met, strict=True):
        assert bool(names) == ((one, other) in proposed)
        own = [{name for of_blocker in keys for name in of_blocker.names_of(row)} for row in (one, other)]
        assert set(names) <= own[0] & own[1]
    one_by_one = [pair for of_blocker in keys for pair in proposed_pairs(of_blocker, feature_columns, config).tolist()]
    assert {(pair >> 32, pair & 0xFFFFFFFF) for pair in one_by_one} == proposed


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
