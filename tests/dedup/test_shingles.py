"""Shingles: sets, resemblance and containment of texts; a text that is part of another is related to it."""

import itertools
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bibld.dedup._shingle_kernels import band_hashes, count_shared
from bibld.dedup.score import shingles as scorer
from bibld.dedup.texts import field_texts, shingles
from bibld.model.features import FeatureColumns, Features
from tests.dedup import twins

WORDS = " ".join(f"w{number}" for number in range(400)).split()
ONE, OTHER = np.array([0], np.uint32), np.array([1], np.uint32)


def columns_of(*records):
    return FeatureColumns.from_features(enumerate(records))


def sets_of(texts, size, unit, window=1):
    columns = columns_of(*(Features(text=text) for text in texts))
    starts, hashes = shingles(columns, ("text",), unit, size, window)
    return [hashes[begin:end].tolist() for begin, end in itertools.pairwise(starts)]


def compared(one, other, **chosen):
    """Score and relation of two records."""
    columns, chosen = columns_of(one, other), scorer.Settings(**chosen)
    score = scorer.scores(columns, ONE, OTHER, chosen)[0]
    return pytest.approx(float(score), abs=1e-6), int(scorer.part_of(columns, ONE, OTHER, chosen)[0])


some_texts = st.lists(st.text("abв |\U0001f600", max_size=30), max_size=4)


@given(some_texts, st.integers(1, 5), st.sampled_from(["words", "characters"]), st.integers(1, 4))
@settings(deadline=None)
def test_the_kernels_of_shingles_are_equal_to_their_twins(texts, size, unit, window):
    expected = twins.shingle_sets(texts, size, unit == "words", window)
    assert sets_of(texts, size, unit, window) == expected
    starts = np.cumsum([0, *map(len, expected)])
    hashes = np.array([value for shingle_set in expected for value in shingle_set], dtype=np.uint64)
    rows = range(len(texts))
    left, right = ([pair[side] for pair in ((one, other) for one in rows for other in rows)] for side in (0, 1))
    counts = count_shared(starts, hashes, np.array(left, np.uint32), np.array(right, np.uint32))
    assert counts.tolist() == twins.count_shared(expected, left, right)
    seeds = list(range(1, 7))
    assert band_hashes(starts, hashes, np.array(seeds, np.uint64), 2).tolist() == twins.band_hashes(expected, seeds, 2)


@given(st.lists(st.tuples(*[st.text("ab ", max_size=5)] * 3), max_size=4))
@settings(deadline=None)
def test_fields_that_are_not_empty_are_joined_with_blanks(records):
    columns = columns_of(*(Features(title=one, author=two, text=three) for one, two, three in records))
    joined = field_texts(columns, ("title", "author", "text"))
    assert [joined.text(row) for row in range(len(records))] == [" ".join(filter(None, texts)) for texts in records]


@pytest.mark.parametrize(
    "one, other, same",
    [("", "", []), ("", "a", []), ("a", "a", [1]), ("a b", "a b", [1]), ("a b", "b a", [0]), ("a b", "a b c", [0])],
)
def test_a_text_shorter_than_a_shingle_is_its_only_shingle(one, other, same):
    left, right = sets_of([one, other], 3, "words")
    assert len(left) == bool(one) and len(right) == bool(other)
    assert [int(left == right)] == same or not (left and right)


def test_the_score_is_the_resemblance_of_word_trigrams():
    # 18 and 18 trigrams, 8 of them shared
    one, other = " ".join(WORDS[:20]), " ".join(WORDS[10:30])
    assert compared(Features(text=one), Features(text=other)) == (8 / 28, 0)
    assert compared(Features(text=one), Features(text=one)) == (1.0, 0)
    assert compared(Features(text=one), Features(text="")) == (0.0, 0)
    assert compared(Features(), Features()) == (0.0, 0)


def test_records_without_text_are_compared_by_title_and_author():
    text = " ".join(WORDS[:50])
    one = Features(title="a history of the world", author="gombrich e h", text=text)
    other = Features(title="a history of the world", author="gombrich e")
    assert compared(one, other) == (5 / 6, 0)
    assert compared(one, other, otherwise=()) == (0.0, 0)


@pytest.mark.parametrize("begin, end", [(0, 60), (100, 140), (340, 400)])
def test_a_text_wholly_in_a_longer_one_is_part_of_it(begin, end):
    part, longer = Features(text=" ".join(WORDS[begin:end])), Features(text=" ".join(WORDS))
    resemblance = (end - begin - 2) / 398
    assert compared(part, longer) == (resemblance, 1)
    assert compared(longer, part) == (resemblance, 2)


def test_what_is_the_same_or_very_short_is_no_part():
    longer = Features(text=" ".join(WORDS))
    assert compared(Features(text=" ".join(WORDS[:300])), longer)[1] == 0  # above `same`
    assert compared(Features(text=" ".join(WORDS[:9])), longer)[1] == 0  # 7 trigrams
    assert compared(Features(text=" ".join(WORDS[:10])), longer)[1] == 1
    assert compared(Features(title=longer.text), Features(title=" ".join(WORDS[:50])))[1] == 0  # titles


def test_the_explanation_states_resemblance_containment_and_counts():
    columns = columns_of(Features(text=" ".join(WORDS)), Features(text=" ".join(WORDS[:42])))
    (score,) = scorer.explain(columns, ONE, OTHER, scorer.Settings())
    assert score.value == round(40 / 398, 6)
    assert [(feature.name, feature.value) for feature in score.features] == [
        ("resemblance", round(40 / 398, 6)),
        ("containment", 1.0),
        ("shingles of the shorter text", 40),
        ("shingles of the longer text", 398),
        ("shared shingles", 40),
    ]


def test_texts_of_ten_megabytes_are_compared_in_seconds():
    rng = np.random.default_rng(1)
    words = rng.integers(0, 10**6, 1_500_000).astype(str)
    longer, part = " ".join(words), " ".join(words[400_000:700_000])
    assert len(longer) > 10_000_000
    start = time.perf_counter()
    assert compared(Features(text=part), Features(text=longer))[1] == 1
    assert time.perf_counter() - start < 30
