"""The pre-filter: which pairs it must never drop, and which it drops."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bibld.config import DedupConfig
from bibld.dedup import prefilter
from bibld.dedup.candidates import all_pairs
from bibld.dedup.decisions import are_of_one_work
from bibld.dedup.key_tables import KeyTables
from bibld.dedup.prefilter import likely, passes, shipped_trees
from bibld.dedup.score import model
from bibld.model.features import FeatureColumns, Features
from tests.dedup.blocking import Blocking

ALL = ("identifier", "composite", "simhash")
WORDS = st.lists(st.sampled_from(["voina", "mir", "roman", "anna", "kniga", "i", "v"]), max_size=5).map(" ".join)
RECORD = st.builds(
    Features,
    main_title=WORDS, remainder=WORDS, set_title=WORDS, part=st.sampled_from(["", "1", "2"]),
    names=st.sampled_from(["", "tolstoi lev", "tolstaia sofia", "vern zhiul|tolstoi lev"]),
    year=st.sampled_from([0, 1970, 1971, 1980, 99999]), last_year=st.sampled_from([0, 1971]),
    pages=st.sampled_from([0, 512, 70000]), identifiers=st.sampled_from(["", "isbn:1"]),
)  # fmt: skip


def passed(columns):
    count = len(columns)
    left, right = (side.astype(np.int64) for side in np.triu_indices(count, 1))
    signatures = prefilter.signatures(columns)
    by_rules = np.array([passes(signatures, one, other) for one, other in zip(left, right, strict=True)], np.bool_)
    return left, right, by_rules & likely(signatures, left, right, shipped_trees())


@given(st.lists(RECORD, min_size=2, max_size=8))
@settings(max_examples=40)
def test_pairs_of_one_work_pass_whatever_the_other_records_are(records):
    columns = FeatureColumns.from_features(enumerate(records))
    left, right, found = passed(columns)
    agree = are_of_one_work(columns, left, right)
    assert (found | ~agree).all()
    for i, j, is_passed in zip(left.tolist(), right.tolist(), found.tolist(), strict=True):
        for pair in ((records[i], records[j]), (records[j], records[i])):
            assert passed(FeatureColumns.from_features(enumerate(pair)))[2].tolist() == [is_passed]


@given(st.lists(RECORD, min_size=2, max_size=10))
@settings(max_examples=12)
def test_candidates_are_those_that_pass_or_share_an_identifier(records):
    columns = FeatureColumns.from_features(enumerate(records))
    found = {}
    for scorer in ("jaccard", "model"):
        config = Blocking(DedupConfig(block=ALL, score=scorer), {})
        with KeyTables(None, config) as tables, all_pairs(tables, columns, tables.rebuild(columns)) as pairs:
            found[scorer] = {pair for left, right in pairs for pair in zip(left.tolist(), right.tolist(), strict=True)}
    left, right, is_passed = passed(columns)
    passing = set(zip(left[is_passed].tolist(), right[is_passed].tolist(), strict=True))
    by_identifier = {pair for pair in found["jaccard"] if all(records[row].identifiers for row in pair)}
    assert found["model"] == (found["jaccard"] & passing) | by_identifier


def test_misprints_and_truncated_titles_pass_and_unrelated_ones_do_not():
    base = Features(
        main_title="istoria gosudarstva rossiskogo", remainder="ot drevneishih vremen", names="karamzin n",
        year=1818, last_year=1829, pages=300,
    )  # fmt: skip
    others = {
        "misprint": (Features(main_title="istoria gosudarstva rosiskogo", names="karamzin n", year=1819), True),
        "cut": (Features(main_title="istoria gosudarstva", year=1818), True),
        "no year": (Features(main_title="istoria gosudarstva rossiskogo v tomah"), True),
        "edition": (Features(main_title="istoria gosudarstva rossiskogo", names="karamzin n", year=1998), True),
        "stranger": (Features(main_title="zapiski pskovskogo ohotnika", names="karamzin n", year=1818), False),
        "late": (Features(main_title="istoria drevnego mira", names="karamzin n", year=1998), False),
    }
    for name, (other, expected) in others.items():
        assert passed(FeatureColumns.from_features(enumerate([base, other])))[2].tolist() == [expected], name


def test_the_pre_filter_is_used_only_if_pairs_below_a_fifth_are_never_needed():
    for score, chosen, expected in (
        ("model", {}, True),
        ("model", {"model": model.Settings(review=0.1)}, False),
        ("jaccard", {}, False),
    ):
        assert prefilter.is_applied(Blocking(DedupConfig(score=score), chosen)) is expected
