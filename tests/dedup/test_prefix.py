"""The prefix join finds all similar pairs and no others, whatever its settings, the order of rows and what is new."""

import math
import random
from types import SimpleNamespace

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bibld.config import DedupConfig
from bibld.dedup.arrays import unpack_pairs
from bibld.dedup.block import _prefix_kernels as kernels
from bibld.dedup.block import prefix
from bibld.dedup.block.prefix import Settings, similar_pairs
from bibld.dedup.candidates import all_pairs, pairs_of
from bibld.dedup.key_tables import KeyTables
from bibld.dedup.memory import find_duplicates
from bibld.dedup.method import MethodOptions
from bibld.errors import StageError
from bibld.model.features import FeatureColumns, Features
from bibld.model.mods import Mods, TitleInfo
from bibld.model.origin import RecordId
from tests.dedup import twins
from tests.dedup.blocking import Blocking

MEASURES = ("jaccard", "cosine", "edit")
TEXTS = st.lists(st.text("ab ", max_size=12) | st.text("abcde ", max_size=9), max_size=12)
THRESHOLDS = st.sampled_from((0.3, 0.5, 0.6, 2 / 3, 0.75, 0.8, 0.9, 1.0))


def brute_force(texts, measure, threshold, gram):
    pairs = {}
    for right, text in enumerate(texts):
        for left in range(right):
            similarity = twins.text_similarity(texts[left], text, measure, gram)
            if similarity is not None and similarity >= threshold:
                pairs[left, right] = similarity
    return pairs


def found(result):
    return dict(zip(zip(result.left.tolist(), result.right.tolist(), strict=True), result.similarity, strict=True))


@given(TEXTS, st.sampled_from(MEASURES), THRESHOLDS, st.sampled_from((1, 2, 4, 10)), st.sampled_from((0, 1, 2, 3)))
def test_the_pairs_are_those_of_brute_force(texts, measure, threshold, levels, gram):
    expected = brute_force(texts, measure, threshold, gram)
    assert found(similar_pairs(texts, measure, threshold, levels, gram)) == pytest.approx(expected)


def variants(count, seed=3, letters="abcdefghi "):
    """Texts of up to 150 characters, most with one to four characters changed from one before."""
    draw = random.Random(seed)
    texts = ["".join(draw.choices(letters, k=draw.randint(1, 150))) for _ in range(count // 10)]
    while len(texts) < count:
        text = list(draw.choice(texts))
        for _ in range(draw.randint(1, 4)):
            place = draw.randrange(len(text))
            text[place] = draw.choice(("", text[place] + draw.choice(letters), draw.choice(letters)))
        texts.append("".join(text) or "a")
    return texts


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("gram", [0, 3])
def test_long_texts_with_variants(measure, gram):
    texts = variants(24 if measure == "edit" else 40)  # edits are counted in Python, which takes long
    expected = brute_force(texts, measure, 0.7, gram)
    assert len(expected) > 5
    assert found(similar_pairs(texts, measure, 0.7, 4, gram)) == pytest.approx(expected)


def test_five_thousand_names_have_the_pairs_of_brute_force_at_any_number_of_levels():
    """Brute force is the join without levels at a threshold so low that nearly all pairs are compared."""
    texts = [text[:24] for text in variants(5000, letters="abcdefghijklmnopqrstuvwxyz ")]
    all_pairs = similar_pairs(texts, "edit", 0.1, 1, 1, 100_000_000)
    wanted = all_pairs.similarity >= 0.8
    expected = set(zip(all_pairs.left[wanted].tolist(), all_pairs.right[wanted].tolist(), strict=True))
    compared = []
    for levels in (1, 4, 10):
        result = similar_pairs(texts, "edit", 0.8, levels)
        assert found(result).keys() == expected
        compared.append(result.compared)
    assert compared == sorted(compared, reverse=True)


@given(TEXTS.filter(bool), st.sampled_from(MEASURES), st.sampled_from((0.5, 0.8)), st.randoms(use_true_random=False))
def test_prefixes_are_those_of_the_twin(texts, measure, threshold, draw):
    is_edit = measure == "edit"
    rows = [[ord(character) - 32 for character in text] for text in texts]
    rows = sorted(rows if is_edit else ([*dict.fromkeys(sorted(row))] for row in rows), key=len)
    order = list(range(128))
    draw.shuffle(order)
    rule = kernels.JoinRule(MEASURES.index(measure), threshold, 1, 128, True)
    offsets = np.cumsum([0] + [len(row) for row in rows])
    tokens = np.array([token for row in rows for token in row], np.uint32)
    starts, entries = kernels.prefixes(rule, np.diff(offsets), offsets, tokens, np.array(order, np.uint32))
    for row, symbols in enumerate(rows):
        packed = entries[starts[row] : starts[row + 1]].tolist()
        unpacked = [(entry >> 32, entry >> 16 & 0xFFFF, entry & 0xFFFF) for entry in packed]
        assert unpacked == twins.prefix(symbols, measure, threshold, order)


def columns(texts):
    return FeatureColumns.from_features((row, Features(main_title=text)) for row, text in enumerate(texts))


def joined(texts, settings, statistics=None, fresh=None):
    statistics = statistics or SimpleNamespace(fitted={})
    left, right = prefix.join(columns(texts), settings, statistics, fresh)
    assert left.dtype == right.dtype == np.uint32
    return set(zip(left.tolist(), right.tolist(), strict=True))


@pytest.mark.parametrize("measure", MEASURES)
def test_frozen_priorities_change_nothing_and_do_not_depend_on_the_order_of_rows(measure):
    texts = variants(300)
    settings = Settings(measure=measure, fields=("main_title", "names"))
    frozen = prefix.fit(columns(texts[:200]), settings)
    assert frozen == prefix.fit(columns(texts[199::-1]), settings)
    assert len(msgspec.msgpack.decode(frozen, type=prefix.Priorities).levels) == settings.levels
    assert joined(texts, settings, SimpleNamespace(fitted={"prefix": frozen})) == joined(texts, settings)


@given(TEXTS, st.sampled_from(MEASURES), st.data())
def test_with_fresh_rows_only_their_pairs_are_found(texts, measure, data):
    settings = Settings(measure=measure, threshold=0.6, gram=2)
    fresh = np.array(data.draw(st.lists(st.booleans(), min_size=len(texts), max_size=len(texts))), np.bool_)
    expected = {pair for pair in joined(texts, settings) if fresh[list(pair)].any()}
    assert joined(texts, settings, fresh=fresh) == expected


def test_empty_texts_have_no_pairs():
    assert not found(similar_pairs(["", "", " ", " "], "jaccard", 0.5))
    assert not found(similar_pairs([], "edit", 0.5))
    assert not joined(["", ""], Settings(measure="edit"))


def test_titles_of_one_word_are_compared():
    assert found(similar_pairs(["war", "war", "wars"], "jaccard", 0.5)).keys() == {(0, 1)}
    assert found(similar_pairs(["war", "wars", "peace"], "edit", 0.75)).keys() == {(0, 1)}


@pytest.mark.parametrize("measure", MEASURES)
def test_a_million_equal_titles_are_an_error_that_names_them(measure):
    texts = ["annual report"] * 1_000_000 + ["annual reports"]
    with pytest.raises(StageError, match=r'prefix: more than 50,000,000 .*"annual report", .* 1,000,000 .*most_pairs'):
        similar_pairs(texts, measure, 0.8)


def test_many_similar_texts_are_an_error_too():
    texts = [f"annual report of the year {number}" for number in range(200)]
    with pytest.raises(StageError, match="more than 1,000 pairs"):
        similar_pairs(texts, "jaccard", 0.6, most_pairs=1000)
    assert len(similar_pairs(texts, "jaccard", 0.6).left) == math.comb(200, 2)


def test_edit_similarity_refuses_a_text_that_would_take_for_ever():
    with pytest.raises(StageError, match=r"10,001 characters .*jaccard"):
        similar_pairs(["a" * 10_001, "b"], "edit", 0.8)
    words = " ".join(map(str, range(100_000)))
    assert found(similar_pairs([words, words + " more"], "jaccard", 0.8)).keys() == {(0, 1)}


def candidates(config, texts, first=None):
    """The candidate pairs of a catalogue of titles; with ``first`` of its first rows, then of all others added."""
    packed = []
    with KeyTables(None, config) as tables:
        statistics = tables.rebuild(columns(texts[:first]))
        with all_pairs(tables, columns(texts[:first]), statistics) as found:
            packed += found.packed()
        if first is not None:
            tables.add(columns(texts), statistics)
            with pairs_of(tables, np.arange(first, len(texts)), columns(texts), statistics) as found:
                packed += found.packed()
    left, right = unpack_pairs(np.concatenate(packed))
    pairs = list(zip(left.tolist(), right.tolist(), strict=True))
    assert len(set(pairs)) == len(pairs)
    return set(pairs), statistics


def test_candidates_of_a_run_and_of_two_runs_are_the_similar_pairs():
    texts = variants(400)
    config = Blocking(DedupConfig(block=("prefix",), score="jaccard"), {"prefix": Settings(measure="edit")})
    expected = set(found(similar_pairs(texts, "edit", 0.8)))
    assert len(expected) > 20
    assert candidates(config, texts)[0] == candidates(config, texts, 300)[0] == expected


def test_records_are_matched_by_prefix_alone():
    records = {
        RecordId("library", str(number)): Mods(title_info=(TitleInfo(title=title),))
        for number, title in enumerate(("Annual report of the society", "Annual report of the sociaty", "Peace"))
    }
    method = MethodOptions(
        block=("prefix",), score="jaccard", same=0.5, adapter_settings={"prefix": {"measure": "edit"}},
        sources_with_duplicates=frozenset({"library"}),
    )  # fmt: skip
    (cluster,) = find_duplicates(records, method).clusters
    assert sorted(member.control_number for member in cluster.members) == ["0", "1"]
