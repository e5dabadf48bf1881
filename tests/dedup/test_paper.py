"""The method of Kosolapov, Serebryakov, Teymurazov and Shorin, checked against a plain reading of its definition."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bibld.config import DedupConfig
from bibld.dedup.block import paper
from bibld.dedup.block._paper_kernels import java_simhash
from bibld.dedup.candidates import all_pairs
from bibld.dedup.key_tables import KeyTables
from bibld.dedup.score import jaccard as scorer
from bibld.model.features import FeatureColumns, Features, Statistics, TextColumn
from tests.dedup.blocking import Blocking

words = st.text(
    st.characters(codec="utf-8", exclude_characters=" |", exclude_categories=("Cs", "Zs", "Cc")), min_size=1
)
texts = st.lists(words, max_size=6).map(" ".join)


def java_hash(word: str) -> int:
    value = 0
    data = word.encode("utf-16-be")
    for high, low in zip(data[::2], data[1::2], strict=True):
        value = (31 * value + (high << 8 | low)) & 0xFFFFFFFF
    return value


def plain_simhash(text: str) -> int:
    hashes = [java_hash(word) for word in text.split(" ") if word]
    return sum(1 << bit for bit in range(32) if sum(1 if h >> bit & 1 else -1 for h in hashes) > 0)


def plain_bigrams(text: str) -> set[str]:
    return {text} if len(text) == 1 else {text[i : i + 2] for i in range(len(text) - 1)}


def columns(*rows: tuple[str, str]):
    return FeatureColumns.from_features(
        (number, Features(title=title, author=author)) for number, (title, author) in enumerate(rows)
    )


@pytest.mark.parametrize(
    ("word", "expected"),
    [("", 0), ("a", 97), ("polygenelubricants", 0x80000000), ("война", java_hash("война")), ("𝄞", java_hash("𝄞"))],
)
def test_a_word_has_the_hash_that_java_gives_it(word, expected):
    assert java_hash(word) == expected
    column = TextColumn.from_texts([word])
    assert java_simhash(column.offsets, column.codes)[0] == expected


@given(st.lists(texts, max_size=5))
@settings(deadline=None)
def test_simhash_is_the_majority_of_the_bits_of_the_words(rows):
    column = TextColumn.from_texts(rows)
    assert java_simhash(column.offsets, column.codes).tolist() == [plain_simhash(text) for text in rows]


@given(texts, texts)
@settings(deadline=None)
def test_jaccard_is_common_bigrams_over_all_bigrams(left, right):
    _, (found,) = scorer.similarities(columns(("", left), ("", right)), np.array([0]), np.array([1]))
    one, other = plain_bigrams(left), plain_bigrams(right)
    expected = len(one & other) / len(one | other) if one or other else -1
    assert found == pytest.approx(expected)


@given(st.lists(st.tuples(texts, texts), min_size=2, max_size=12), st.booleans())
@settings(max_examples=20)
def test_candidates_agree_in_two_of_four_bytes_of_title_and_of_author(rows, title_only):
    def agree(one: str, other: str) -> bool:
        first, second = plain_simhash(one).to_bytes(4, "big"), plain_simhash(other).to_bytes(4, "big")
        return sum(x == y for x, y in zip(first, second, strict=True)) >= 2

    expected = {
        (i, j)
        for i, j in combinations(range(len(rows)), 2)
        if rows[i][0] and rows[j][0] and agree(rows[i][0], rows[j][0]) and (title_only or agree(rows[i][1], rows[j][1]))
    }
    asked = DedupConfig(block=("paper",), score="jaccard")
    config = Blocking(asked, {"paper": paper.Settings(title_only=title_only)})
    feature_columns = columns(*rows)
    with KeyTables(None, config) as tables:
        tables.add(feature_columns, Statistics.empty())
        with all_pairs(tables, feature_columns, Statistics.empty()) as found:
            pairs = {pair for left, right in found for pair in zip(left.tolist(), right.tolist(), strict=True)}
    assert pairs == expected


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (("война и мир", "толстой л н"), ("война и мир", "толстой л н"), 1.0),
        (("война и мир", ""), ("война и мир", ""), 1.0),
        (("война и мир", "толстой л н"), ("война и мир", ""), 0.5),
        (("война и мир", ""), ("мир и война", ""), 8 / 12),
        (("", "толстой"), ("", "толстой"), 0.5),
    ],
)
def test_the_score_is_the_mean_of_title_and_author_if_either_has_one(left, right, expected):
    pair = np.array([0], np.uint32), np.array([1], np.uint32)
    (score,) = scorer.explain(columns(left, right), *pair, scorer.Settings())
    assert score.value == pytest.approx(expected, abs=1e-4)


@given(st.lists(st.tuples(texts, texts), min_size=2, max_size=6))
@settings(deadline=None)
def test_scores_and_their_explanations_agree(rows):
    feature_columns = columns(*rows)
    pairs = list(combinations(range(len(rows)), 2))
    left, right = (np.array(side, np.uint32) for side in zip(*pairs, strict=True))
    bulk = scorer.scores(feature_columns, left, right, scorer.Settings())
    single = [score.value for score in scorer.explain(feature_columns, left, right, scorer.Settings())]
    assert bulk.tolist() == pytest.approx(single, abs=1e-6)
