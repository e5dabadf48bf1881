"""Semantic matching: similar texts are found in any order of rows, and what cannot be used is reported."""

import json
import random
import sys
from types import SimpleNamespace

import msgspec
import numpy as np
import pytest

from bibld.config import DedupConfig
from bibld.dedup.block import semantic
from bibld.dedup.block.semantic import Settings
from bibld.errors import ConfigError, StageError
from bibld.model.features import TextColumn
from tests.dedup.blocking import Blocking
from tests.dedup.test_prefix import candidates, columns

WORDS = ("voina", "i", "mir", "istoria", "rossii", "trudy", "mathematics", "of", "computation", "annual", "report")


def titles(count, seed=1):
    draw = random.Random(seed)
    made = [" ".join(draw.choices(WORDS, k=draw.randint(1, 8))) for _ in range(count // 2)]
    return made + [title[:-1] + draw.choice("aeiou") for title in made]


def statistics(texts, settings):
    return SimpleNamespace(fitted={"semantic": semantic.fit(columns(texts), settings)})


def joined(texts, settings, frozen, fresh=None):
    left, right = semantic.join(columns(texts), settings, frozen, fresh)
    assert left.dtype == right.dtype == np.uint32
    pairs = list(zip(left.tolist(), right.tolist(), strict=True))
    assert len(set(pairs)) == len(pairs)
    return set(pairs)


@pytest.fixture
def cells(monkeypatch):
    """Divide into cells from a hundred records on, so that tests stay small."""
    pytest.importorskip("faiss")
    monkeypatch.setattr(semantic, "_ONE_CELL", 100)


def cosines(texts, model):
    vectors = semantic.embed(TextColumn.from_texts(texts), model, "").astype(np.float64)
    return (vectors @ vectors.T) / semantic.SCALE**2


def test_without_cells_all_pairs_of_the_cosine_are_found():
    pytest.importorskip("faiss")
    texts, settings = titles(300), Settings(dimensions=16, candidates=0.9)
    frozen = statistics(texts, settings)
    products = cosines(texts, msgspec.msgpack.decode(frozen.fitted["semantic"], type=semantic.EmbeddingModel))
    left, right = np.nonzero(np.triu(products >= 0.9, 1))
    assert joined(texts, settings, frozen) == set(zip(left.tolist(), right.tolist(), strict=True))
    assert {(row, row + 150) for row in range(150)} & joined(texts, settings, frozen)


def test_with_cells_the_pairs_do_not_depend_on_the_order_of_rows(cells):
    texts, settings = titles(300), Settings(dimensions=16, candidates=0.85, probes=2)
    frozen = statistics(texts, settings)
    assert frozen.fitted == statistics(texts[::-1], settings).fitted
    model = msgspec.msgpack.decode(frozen.fitted["semantic"], type=semantic.EmbeddingModel)
    assert len(model.cells) == 2 * 16 * int(4 * 300**0.5)
    forwards, backwards = joined(texts, settings, frozen), joined(texts[::-1], settings, frozen)
    assert forwards == {(299 - right, 299 - left) for left, right in backwards}


def test_a_run_over_new_rows_finds_what_a_run_over_all_rows_finds(cells):
    texts, settings = titles(200), Settings(dimensions=16, candidates=0.8, probes=1)
    frozen = statistics(texts, settings)
    all_pairs, draw = joined(texts, settings, frozen), random.Random(4)
    for share in (0.0, 0.02, 0.1, 0.5, 0.9):
        fresh = np.array([draw.random() < share for _ in texts])
        assert joined(texts, settings, frozen, fresh) == {pair for pair in all_pairs if fresh[list(pair)].any()}


def test_as_a_filter_it_drops_pairs_below_the_cosine_but_none_without_text():
    texts = [*titles(100), "", "qqqqqq"]
    settings = Settings(dimensions=16, least=0.7)
    frozen = statistics(texts[:100], settings)
    left, right = np.triu_indices(len(texts), 1)
    passed = semantic.passes(columns(texts), left.astype(np.uint32), right.astype(np.uint32), settings, frozen)
    products = cosines(texts, msgspec.msgpack.decode(frozen.fitted["semantic"], type=semantic.EmbeddingModel))
    assert passed.tolist() == ((products[left, right] >= 0.7) | (right >= 100)).tolist()
    assert 0 < passed.sum() < len(passed)
    no_filter = semantic.passes(columns(texts), left, right, Settings(), frozen)
    assert no_filter.all()


def test_sums_of_rows_are_those_of_the_twin():
    draw = np.random.default_rng(2)
    table = draw.normal(size=(50, 7)).astype(np.float32)
    starts = np.array([0, 3, 3, 40])
    rows = draw.integers(0, 50, 40).astype(np.uint32)
    expected = [
        sum((table[row].astype(float) for row in rows[a:b].tolist()), np.zeros(7)) for a, b in ((0, 3), (3, 3), (3, 40))
    ]
    assert np.allclose(semantic.add_rows(starts, rows, table, 0.0), expected, atol=1e-4)
    stretched = semantic.add_rows(starts, rows, table, 100.0)
    for found, one in zip(stretched, expected, strict=True):
        assert np.allclose(found, np.rint(100 * one / (np.linalg.norm(one) or 1)), atol=1)


def test_empty_texts_and_one_word_titles_have_a_clear_result():
    pytest.importorskip("faiss")
    settings = Settings(dimensions=16)
    for texts in ([], ["", ""], ["a"]):
        assert joined(texts, settings, statistics(texts, settings)) == set()
    texts = ["voina", "voina", "", "mir", ""]
    assert joined(texts, settings, statistics(texts, settings)) == {(0, 1)}
    assert joined(texts, Settings(candidates=0), SimpleNamespace(fitted={})) == set()


def test_very_many_equal_titles_are_an_error():
    texts = ["annual report"] * 20_000
    with pytest.raises(StageError, match=r'semantic: more than 50,000,000 .*"annual report"'):
        semantic.join(columns(texts), Settings(), SimpleNamespace(fitted={}), None)


def test_too_many_similar_titles_are_an_error():
    pytest.importorskip("faiss")
    texts = [f"annual report of the society number {number}" for number in range(300)]
    settings = Settings(dimensions=16, candidates=0.3, most_pairs=500)
    with pytest.raises(StageError, match="semantic: more than 500"):
        joined(texts, settings, statistics(texts, settings))


def test_statistics_without_a_model_are_an_error():
    with pytest.raises(StageError, match="--restat"):
        joined(["a title"], Settings(), SimpleNamespace(fitted={}))


@pytest.mark.parametrize("content", [None, {}, {"config.json": "no json"}, {"config.json": '{"model_type": "bert"}'}])
def test_a_path_that_is_no_model_is_an_error_that_states_what_is_expected(tmp_path, content):
    folder = tmp_path / "model"
    if content is not None:
        folder.mkdir()
        for name, text in content.items():
            (folder / name).write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"semantic\.model: .*model is no .*sentence-transformers .*model2vec"):
        semantic.fit(columns(["a title"]), Settings(model=str(folder)))


def test_packages_that_are_not_installed_are_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "faiss", None)
    settings = Settings(dimensions=16)
    frozen = statistics(["a title", "another"], settings)
    with pytest.raises(ConfigError, match=r'needs faiss, .*pip install "bibld\[semantic\]"'):
        joined(["a title", "another"], settings, frozen)
    monkeypatch.setitem(sys.modules, "model2vec", None)
    (tmp_path / "config.json").write_text('{"model_type": "model2vec"}', encoding="utf-8")
    with pytest.raises(ConfigError, match="pip install model2vec"):
        semantic.fit(columns(["a title"]), Settings(model=str(tmp_path)))


class Encoder:
    """A model as model2vec loads it: counts of letters."""

    def encode(self, texts):
        return np.array([[text.count(letter) + 0.001 for letter in "abcdefghijklmnop"] for text in texts])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a model of a package that stands in for model2vec."""
    package = SimpleNamespace(StaticModel=SimpleNamespace(from_pretrained=lambda folder: Encoder()))
    monkeypatch.setitem(sys.modules, "model2vec", package)
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "model2vec"}), encoding="utf-8")
    semantic._encoder.cache_clear()
    semantic._digest.cache_clear()
    yield str(tmp_path)
    semantic._encoder.cache_clear()
    semantic._digest.cache_clear()


def test_a_model_in_a_folder_is_used_and_its_change_is_reported(folder, tmp_path):
    pytest.importorskip("faiss")
    settings, texts = Settings(model=folder, candidates=0.99), ["abc abc", "cab cba", "mno", ""]
    frozen = statistics(texts, settings)
    assert joined(texts, settings, frozen) == {(0, 1)}
    (tmp_path / "weights").write_bytes(b"others")
    semantic._digest.cache_clear()
    with pytest.raises(ConfigError, match=r"has changed .*--restat"):
        joined(texts, settings, frozen)


def test_candidates_of_composite_and_semantic_in_one_run_and_in_two(cells):
    texts = titles(400)

    def found(first=None, **chosen):
        config = Blocking(
            DedupConfig(block=("composite", "semantic"), score="jaccard"),
            {"semantic": Settings(dimensions=16, probes=2, **chosen)},
        )
        return candidates(config, texts, first)

    keys_alone, _ = found(candidates=0)
    both, frozen = found(candidates=0.9)
    assert both == keys_alone | joined(texts, Settings(dimensions=16, probes=2, candidates=0.9), frozen) > keys_alone
    filtered, frozen = found(candidates=0, least=0.9)
    left, right = np.array(sorted(keys_alone), np.uint32).T
    passed = semantic.passes(columns(texts), left, right, Settings(dimensions=16, least=0.9), frozen)
    assert filtered == set(zip(left[passed].tolist(), right[passed].tolist(), strict=True)) < keys_alone
    first, frozen = found(first=300, candidates=0.9)
    assert first >= joined(texts, Settings(dimensions=16, probes=2, candidates=0.9), frozen)
