"""Hashes of texts: what is equal, what is a missing value, and that the compiled loops do what plain Python does."""

from itertools import combinations, pairwise

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from bibld.dedup.block._kernels import rarest, word_beginnings
from bibld.dedup.hashes import prefixes, title, title_prefixes, trigram_simhash, values, words
from bibld.dedup.key_tables import IndexedStatistics
from bibld.model.features import FeatureColumns, Features, Statistics, TextColumn

texts = st.lists(st.text(st.sampled_from("abc| "), max_size=12), max_size=6)


@given(texts, st.integers(1, 5))
def test_prefixes_are_equal_when_the_first_characters_are(rows, length):
    column = TextColumn.from_texts(rows)
    found = prefixes(column.offsets, column.codes, length).tolist()
    short = [row.replace(" ", "")[:length] for row in rows]
    assert [value == 0 for value in found] == [text == "" for text in short]
    for (one, first), (other, second) in combinations(zip(found, short, strict=True), 2):
        assert (one == other) == (first == second)


@given(texts, texts)
def test_a_title_is_read_as_one_text(mains, rests):
    rows = [Features(main_title=main, remainder=rest) for main, rest in zip(mains, rests, strict=False)]
    fields = title(FeatureColumns.from_features(enumerate(rows)))
    one = TextColumn.from_texts(f"{row.main_title} {row.remainder}" for row in rows)
    for number, length in enumerate((4, 12, 18)):
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
def test_values_with_a_given_beginning_are_left_out(rows, without):
    column = TextColumn.from_texts(rows)
    codes = np.array([ord(letter) for letter in without], dtype=np.uint32)
    offsets, _ = values(column.offsets, column.codes, -2, 2, codes)
    limited = [[one.replace(" ", "") for one in row.split("|") if one.strip()][:2] for row in rows]
    expected = [sum(not (without and one.startswith(without)) for one in row) for row in limited]
    assert np.diff(offsets).tolist() == expected


@given(st.lists(st.integers(0, 2**64 - 1), max_size=40, unique=True), st.lists(st.integers(0, 2**64 - 1), max_size=9))
def test_the_hash_table_returns_the_counted_frequencies(known, others):
    words_ = np.array(sorted(known), dtype=np.uint64)
    plain = Statistics(9, words_, np.arange(2, len(known) + 2, dtype=np.int32), {})
    asked = np.array(others + known, dtype=np.uint64)
    assert IndexedStatistics.from_statistics(plain).frequencies(asked).tolist() == plain.frequencies(asked).tolist()


@given(st.lists(st.integers(0, 5), min_size=1, max_size=8), st.integers(1, 4))
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


def beginnings(row):
    """The first three letters of the first three words of three letters or more; nothing for fewer than two."""
    main, rest = ([word[:3] for word in part.split(" ") if len(word) >= 3] for part in (row.main_title, row.remainder))
    words = main if len(main) > 1 else main + rest
    return "".join(words[:3]) if len(words) > 1 else ""


@given(texts, texts)
@example(["geol karta sssr", "geologicheskaa karta sssr"], ["", "masshtab"])
@example(["karta", "karta sssr", "karta"], ["sssr", "", ""])
def test_titles_have_one_hash_for_equal_beginnings_of_words(mains, rests):
    rows = [Features(main_title=main, remainder=rest) for main, rest in zip(mains, rests, strict=False)]
    found = word_beginnings(*title(FeatureColumns.from_features(enumerate(rows)))).tolist()
    expected = [beginnings(row) for row in rows]
    assert [value == 0 for value in found] == [not words for words in expected]
    for (one, first), (other, second) in combinations(zip(found, expected, strict=True), 2):
        assert (one == other) == (first == second)
