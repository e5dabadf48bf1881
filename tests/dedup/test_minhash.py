"""MinHash and passages: candidates follow the S-curve; short and empty texts; common passages are always found."""

import msgspec
import numpy as np
import pytest

from bibld.dedup.block import minhash, passages
from bibld.model.features import FeatureColumns, Features, Statistics

NONE = Statistics.empty()


def columns_of(*texts):
    return FeatureColumns.from_features(enumerate(Features(main_title=text, text=text) for text in texts))


def keys_by_row(blocker, columns, settings):
    keys, rows = blocker.keys(columns, settings, NONE)
    return [set(keys[rows == row].tolist()) for row in range(len(columns))]


def pairs_of_resemblance(resemblance, pairs, length, rng):
    """Texts in pairs, each two of which the sets of words have this resemblance, and that resemblance exactly."""
    shared = round(2 * length * resemblance / (1 + resemblance))
    texts = []
    for words in rng.integers(0, 1 << 60, (pairs, 2 * length - shared)):
        texts += [" ".join(map(str, words[:length])), " ".join(map(str, words[length - shared :]))]
    return texts, shared / (2 * length - shared)


@pytest.mark.parametrize("bands, rows", [(20, 5), (16, 2), (40, 3)])
def test_the_share_of_pairs_found_follows_the_s_curve(bands, rows):
    rng, settings = np.random.default_rng(7), minhash.Settings(("text",), "words", 1, bands=bands, rows=rows)
    for wanted in (0.2, 0.4, 0.5, 0.6, 0.8):
        texts, resemblance = pairs_of_resemblance(wanted, 4000, 40, rng)
        keys, _ = minhash.keys(columns_of(*texts), settings, NONE)
        keys = keys.reshape(-1, 2, bands)
        found = (keys[:, 0] == keys[:, 1]).any(axis=1).mean()
        expected = minhash.s_curve(bands, rows, np.array([resemblance]))[1][0]
        assert found == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize(
    "similarity, permutations, chosen",
    [(0.5, 128, (25, 5)), (0.9, 128, (5, 25)), (0.2, 16, (8, 1)), (0.5, 1, (1, 1))],
)
def test_bands_and_rows_are_chosen_for_a_similarity(similarity, permutations, chosen):
    found = minhash.bands_and_rows(minhash.Settings(similarity=similarity, permutations=permutations))
    assert found == chosen


def test_bands_and_rows_are_given_together():
    assert minhash.bands_and_rows(minhash.Settings(bands=7, rows=3)) == (7, 3)
    with pytest.raises(msgspec.ValidationError, match="state both"):
        msgspec.convert({"bands": 7}, minhash.Settings)


def test_the_s_curve_rises_from_nought_to_one():
    similarities, probabilities = minhash.s_curve(20, 5)
    assert (similarities[0], probabilities[0], similarities[-1], probabilities[-1]) == (0, 0, 1, 1)
    assert (np.diff(probabilities) >= 0).all()


@pytest.mark.parametrize("blocker", [minhash, passages])
def test_short_texts_meet_only_if_they_are_equal_and_empty_ones_never(blocker):
    settings = blocker.Settings(unit="words", size=3)
    columns = columns_of("poems", "poems", "verse", "", "", "two words", "two words", "words two")
    found = keys_by_row(blocker, columns, settings)
    assert [[bool(one & other) for other in found] for one in found] == [
        [
            bool(one) and one == other
            for other in ["poems"] * 2 + ["verse", "", "", "two words", "two words", "words two"]
        ]
        for one in ["poems"] * 2 + ["verse", "", "", "two words", "two words", "words two"]
    ]


def test_titles_with_misprints_share_a_band():
    columns = columns_of("the complete works of lev tolstoy", "the complet works of lev tolstoi", "a garden book")
    one, two, three = keys_by_row(minhash, columns, minhash.Settings())
    assert one & two and not one & three


@pytest.mark.parametrize("blocker", [minhash, passages])
def test_keys_depend_on_the_row_alone(blocker):
    texts = [f"text number {number} of a collection of some texts" for number in range(50)]
    together = keys_by_row(blocker, columns_of(*texts), blocker.Settings())
    assert together == [keys_by_row(blocker, columns_of(text), blocker.Settings())[0] for text in texts]


@pytest.mark.parametrize("passage, size", [(10, 3), (3, 3), (30, 5)])
def test_texts_with_a_common_passage_share_a_key(passage, size):
    rng, settings = np.random.default_rng(3), passages.Settings(passage=passage, size=size)
    for _ in range(50):
        common = " ".join(rng.integers(0, 10**9, passage).astype(str))
        one, other = (" ".join(rng.integers(0, 10**9, rng.integers(0, 400)).astype(str)) for _ in range(2))
        first, second = keys_by_row(
            passages, columns_of(f"{one} {common} {other}", f"{other} {common} {one}"), settings
        )
        assert first & second


def test_a_passage_contains_a_shingle():
    with pytest.raises(msgspec.ValidationError, match="shorter than a shingle"):
        msgspec.convert({"passage": 2}, passages.Settings)
