"""The trained scorer: what it promises of scores, of explanations, and of a model file."""

import math
from itertools import combinations, pairwise

import msgspec
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bibld.dedup import similarity, trees
from bibld.dedup.compilation import MISSING
from bibld.dedup.score import model
from bibld.dedup.similarity import COUNT, NAMES, rows
from bibld.dedup.similarity.texts import edit_similarity
from bibld.errors import ConfigError
from bibld.model.features import FeatureColumns, Features, TextColumn
from bibld.model.linkage import Score
from tests.dedup.twins import (
    plain_edits,
    plain_is_misprint,
    plain_name_similarities,
    plain_number_similarities,
    plain_part_similarity,
)

SETTINGS = model.Settings()
PAIR = np.array([0], np.uint32), np.array([1], np.uint32)
WAR = Features(
    title="война и мир роман",
    author="толстой лев николаевич",
    main_title="voina i mir",
    remainder="roman",
    names="tolstoi lev nikolaevich",
    publisher="hudozhestvenna literatura",
    place="moskva",
    language="rus",
    carrier="print",
    level="m",
    identifiers="isbn:9785280000001",
    year=1978,
    last_year=1978,
    pages=605,
)

words = st.text("abcdvoinamr", max_size=6)
texts = st.lists(words, max_size=4).map(lambda words: " ".join(word for word in words if word))
records = st.builds(
    Features,
    main_title=texts,
    remainder=texts,
    names=st.lists(texts, max_size=3).map(lambda names: "|".join(name for name in names if name)),
    publisher=texts,
    place=texts,
    part=st.sampled_from(["", "1", "2", "1 2"]),
    part_name=texts,
    set_title=texts,
    variant_titles=st.lists(texts, max_size=2).map(lambda titles: "|".join(title for title in titles if title)),
    responsibility=texts,
    edition_text=texts,
    series=texts,
    language=st.sampled_from(["", "rus", "eng"]),
    carrier=st.sampled_from(["", "print", "electronic"]),
    level=st.sampled_from(["", "m", "v", "c", "s", "a"]),
    identifiers=st.sampled_from(["", "isbn:9785280000001", "isbn:9785280000002|issn:12345678", "setisbn:1"]),
    year=st.sampled_from([0, 1868, 1978]),
    last_year=st.sampled_from([0, 1978]),
    pages=st.sampled_from([0, 100, 605]),
    volumes=st.sampled_from([0, 1, 30]),
    edition=st.sampled_from([0, 1, 2]),
)


def changed(**fields):
    return msgspec.structs.replace(WAR, **fields)


def scored(*records: Features) -> float:
    return explained(*records).value


def explained(*records: Features) -> Score:
    (score,) = model.explain(FeatureColumns.from_features(enumerate(records)), *PAIR, SETTINGS)
    return score


def compared(*records: Features) -> dict[str, float]:
    row = model.features(FeatureColumns.from_features(enumerate(records)), *PAIR, SETTINGS)[0]
    return dict(zip(NAMES, row.tolist(), strict=True))


@given(st.lists(records, min_size=2, max_size=6))
@settings(deadline=None, max_examples=40)
def test_scores_are_probabilities_and_equal_in_bulk_alone_and_in_either_order(records):
    columns = FeatureColumns.from_features(enumerate(records))
    pairs = list(combinations(range(len(records)), 2))
    left, right = (np.array(side, np.uint32) for side in zip(*pairs, strict=True))
    bulk = model.scores(columns, left, right, SETTINGS)
    assert bulk.dtype == np.float32
    assert ((bulk >= 0) & (bulk <= 1)).all()
    assert model.scores(columns, right, left, SETTINGS).tolist() == bulk.tolist()
    single = [score.value for score in model.explain(columns, left, right, SETTINGS)]
    assert single == np.round(bulk.astype(np.float64), 6).tolist()
    assert [scored(records[i], records[j]) for i, j in pairs] == single
    assert [scored(records[j], records[i]) for i, j in pairs] == single


@given(records, records)
@settings(deadline=None, max_examples=40)
def test_the_contributions_add_up_to_the_logit_of_the_score(one, other):
    score = explained(one, other)
    logit = sum(feature.contribution for feature in score.features)
    assert score.value == pytest.approx(1 / (1 + math.exp(-logit)), abs=1e-4)
    assert {feature.name for feature in score.features} <= {*NAMES, model.START}


@given(records, records)
@settings(deadline=None, max_examples=40)
def test_features_are_between_0_and_1_or_missing(one, other):
    found = compared(one, other)
    found.pop("title_weight")
    assert {name: value for name, value in found.items() if value != MISSING and not 0 <= value <= 1} == {}


@given(records, records)
@settings(deadline=None, max_examples=60)
def test_numbers_and_parts_have_the_similarities_of_a_plain_reading(one, other):
    found, expected = compared(one, other), plain_number_similarities(one, other)
    assert {name: found[name] for name in expected} == pytest.approx(expected)
    assert found["part_number"] == pytest.approx(plain_part_similarity(one.part.split(), other.part.split()))


names = st.lists(st.text("qxj", min_size=1, max_size=6), min_size=1, max_size=4).map(" ".join)
forms = st.lists(names | names.map("{} =".format), max_size=4).map(lambda found: "|".join(found).removesuffix(" ="))


@given(forms, forms)
@example("qxqx", "xxxx|qxqx =")
@example("qxqx xxxx j q", "qxqx j q")  # a second family name
@example("qxqx xxxx jjjj", "qxqx jjjj")
@example("qxqx xxxx j", "qxqx j")
@example("qxqx i p", "qxqx ohn filip")
@example("qxqx charles", "qxqx ts")
@settings(deadline=None, max_examples=150)
def test_names_have_the_similarities_of_a_plain_reading(one, other):
    one, other = (first.replace(" =", "", 1) if " =" in first.split("|")[0] else first for first in (one, other))
    found = compared(Features(names=one), Features(names=other))
    expected = plain_name_similarities(one, other)
    assert {name: found[name] for name in expected} == pytest.approx(expected)


@given(st.text("qx", min_size=1, max_size=8), st.text("qx", min_size=1, max_size=8))
@example("qqqxx", "qqxqx")
@settings(deadline=None, max_examples=200)
def test_a_misprint_is_an_edit_or_an_exchange_and_counts_four_fifths(one, other):
    is_shared = one == other or (min(len(one), len(other)) >= 3 and (one.startswith(other) or other.startswith(one)))
    divides_otherwise = plain_jaccard(one, other) == 1 and plain_edits(one, other) <= 0.1 * max(len(one), len(other))
    expected = 1 if is_shared or divides_otherwise else 0.8 * (one[0] == other[0] and plain_is_misprint(one, other))
    assert compared(Features(main_title=one), Features(main_title=other))["title_words"] == pytest.approx(expected)


@given(st.lists(st.text(st.characters(exclude_characters=" |", exclude_categories=("Cs",)), min_size=1), max_size=5))
@settings(deadline=None, max_examples=40)
def test_the_kernels_and_the_table_of_weights_give_a_word_one_hash(given_words):
    columns = FeatureColumns.from_features([(0, Features(main_title=" ".join(given_words)))])
    rarity = rows.Rarity.from_weights(dict.fromkeys(given_words, 0.25), 1.0)
    prepared = rows.prepare_rows(columns, np.array([0]), rarity)
    found = prepared.words[: len(given_words)]
    assert found["hash"].tolist() == [rows.hash_of_word(word) for word in given_words]
    assert (found["weight"] == 0.25).all()


def plain_jaccard(one: str, other: str) -> float:
    letters = [text.replace(" ", "") for text in (one, other)]
    sets = [{text} if len(text) == 1 else {*pairwise(text)} for text in letters]
    return len(sets[0] & sets[1]) / len(sets[0] | sets[1]) if all(sets) else MISSING


@given(records, records)
@settings(deadline=None, max_examples=60)
def test_the_similarity_of_titles_is_that_of_their_sets_of_bigrams(one, other):
    one, other = (msgspec.structs.replace(record, variant_titles="", series="") for record in (one, other))

    def titles(record: Features) -> tuple[str, str, str]:
        full = " ".join(filter(None, (record.main_title, record.remainder)))
        return record.main_title, full, " ".join(filter(None, (record.set_title, full, record.part_name)))

    found, pairs = compared(one, other), list(zip(titles(one), titles(other), strict=True))
    similarities = [plain_jaccard(*pair) for pair in pairs]
    assert [found[name] for name in ("main_title", "full_title", "whole_title")] == pytest.approx(similarities)
    (main, other_main), (full, other_full), (with_set, other_with_set) = pairs
    across = ((main, other_full), (full, other_main), (with_set, other_full), (full, other_with_set))
    assert found["any_title"] == pytest.approx(max(*similarities, *(plain_jaccard(*pair) for pair in across)))


@given(st.text(max_size=40), st.text(max_size=40))
@settings(deadline=None, max_examples=40)
def test_a_record_of_any_text_is_the_same_as_itself_and_has_one_score_with_others(text, other):
    one, two = (
        Features(main_title=value, names=value, responsibility=value, identifiers=value) for value in (text, other)
    )
    assert scored(one, two) == scored(two, one)
    assert compared(one, one)["main_title"] == (1 if text else MISSING)


def test_a_title_of_many_words_and_a_word_of_many_letters_are_compared():
    long = changed(main_title=" ".join(map(str, range(20_000))) + " " + "x" * 70_000)
    found = compared(long, msgspec.structs.replace(long, pages=606))
    assert found["main_title"] == found["all_title_words"] == 1
    assert compared(long, WAR)["title_numbers"] == 0.5


def walked(tree: trees.Tree, row: list[float]) -> float:
    node = 0
    while tree.feature[node] >= 0:
        value = row[tree.feature[node]]
        is_left = tree.missing_left[node] if value == MISSING else value <= np.float32(tree.threshold[node])
        node = (tree.left if is_left else tree.right)[node]
    return tree.value[node]


def test_sums_and_contributions_are_those_of_a_walk_down_each_tree():
    loaded = model._load("")
    random = np.random.default_rng(1)
    pairs = random.choice([MISSING, 0, 0.25, 0.5, 0.9, 1, *random.random(20)], (300, COUNT)).astype(np.float32)
    expected = [sum(walked(tree, row) for tree in loaded.model.trees) for row in pairs.tolist()]
    assert trees.sums(loaded.steps, pairs).tolist() == expected
    assert trees.contributions(loaded.nodes, pairs).sum(axis=1) == pytest.approx(np.array(expected))


def test_a_feature_with_more_thresholds_than_fit_is_refused():
    many = [
        trees.Tree([0, -1, -1], [cut / 300, 0, 0], [1, 0, 0], [2, 0, 0], [1, 0, 0], [0, -1, 1]) for cut in range(256)
    ]
    with pytest.raises(ValueError, match="thresholds"):
        trees.steps(many, COUNT)
    trees.steps(many[:254], COUNT)


def test_the_positions_of_the_similarities_are_those_of_their_names():
    other_names = {"whole_title": "ALL_TITLES", "names": "ALL_NAMES", "pages_apart": "PAGE_DIFFERENCE"}
    constants = [other_names.get(name, name.upper()) for name in NAMES]
    assert [getattr(similarity, constant) for constant in constants] == list(range(COUNT))


def test_values_that_a_record_lacks_are_missing_and_not_different():
    found = compared(WAR, Features(main_title="voina i mir"))
    for name in ("name", "year", "pages", "publisher", "place", "language", "carrier", "level", "isbn", "remainder"):
        assert found[name] == MISSING, name
    assert found["main_title"] == 1


@pytest.mark.parametrize(
    "other",
    [
        changed(names="tolstoi l n", publisher="hudozh lit"),
        changed(remainder="", identifiers=""),
        changed(main_title="voina i mir roman", remainder=""),
        changed(pages=607),
    ],
    ids=["abbreviated", "less detailed", "subtitle joined", "pages counted otherwise"],
)
def test_two_descriptions_of_one_book_are_the_same(other):
    assert scored(WAR, other) >= SETTINGS.same


@pytest.mark.parametrize(
    "other",
    [
        changed(part="2", level="v", identifiers=""),
        changed(main_title="anna karenina", identifiers="isbn:9785280000018", pages=412),
        changed(names="garshin vsevolod", publisher="detgiz", year=1951, last_year=1951, pages=88, identifiers=""),
        changed(year=1868, last_year=1868, publisher="tip ris", identifiers="", pages=1200),
        changed(level="s", identifiers="issn:12345678", pages=0, year=1990, last_year=1990),
    ],
    ids=["volume", "other title", "other author", "first edition", "serial"],
)
def test_a_similar_book_is_not_merged(other):
    one = changed(part="1", level="v", identifiers="") if other.part else WAR
    assert scored(one, other) < SETTINGS.same


@pytest.mark.parametrize(
    ("name", "one", "other", "expected"),
    [
        ("part_number", {"part": "1"}, {"part": "1"}, 1),
        ("part_number", {"part": "1"}, {"part": "1 2"}, 0.7),
        ("part_number", {"part": "1"}, {}, 0.5),
        ("part_number", {"part": "1"}, {"part": "2"}, 0),
        ("part_number", {}, {}, MISSING),
        ("name", {"names": "tolstoi lev"}, {"names": "tolstoi l"}, 0.95),
        ("name", {"names": "tolstoi lev"}, {"names": "tolstoi"}, 0.9),
        ("name", {"names": "tolstoi lev"}, {"names": "tolstoi aleksei"}, 0.25),
        ("name", {"names": "tolstoi lev"}, {"names": "garshin lev"}, 0),
        ("name", {"names": "saltikov shchedrin m e"}, {"names": "saltikov mihail evgrafovich"}, 0.95 * 0.95),
        ("name", {"names": "petrov ivan nikolaevich"}, {"names": "petrov n"}, 0.25),
        ("name", {"names": "freund oav"}, {"names": "freund i"}, 0.95),  # Yoav, Y.
        ("name", {"names": "smit ohn"}, {"names": "smit i"}, 0.95),  # John, J.
        ("name", {"names": "smit charles"}, {"names": "smit ts"}, 0.95),  # C.
        ("name", {"names": "smit filip"}, {"names": "smit p"}, 0.95),  # Philip
        ("name", {"names": "smit ohn"}, {"names": "smit a"}, 0.25),
        ("first_name", {"names": "gorki m|peshkov aleksei ="}, {"names": "peshkov aleksei"}, 1),
        ("first_name", {"names": "gorki m|peshkov aleksei"}, {"names": "peshkov aleksei"}, 0),
        ("names", {"names": "gorki m|peshkov aleksei =|bunin i"}, {"names": "peshkov aleksei|kuprin a"}, 0.5),
        ("isbn", {"identifiers": "isbn:1|isbn:2"}, {"identifiers": "isbn:2"}, 1),
        ("isbn", {"identifiers": "isbn:1"}, {"identifiers": "isbn:2"}, 0),
        ("isbn", {"identifiers": "isbn:1"}, {"identifiers": "issn:1"}, MISSING),
        ("other_identifier", {"identifiers": "setisbn:1"}, {"identifiers": "setisbn:1"}, 0.5),
        ("year", {"year": 1868, "last_year": 1869}, {"year": 1869, "last_year": 1869}, 1),
        ("edition", {"edition": 0}, {"edition": 1}, 0.9),
        ("edition", {"edition": 2}, {"edition": 3}, 0),
        ("publisher", {"publisher": "hudozh lit"}, {"publisher": "mir|hudozhestvenna literatura"}, 1),
        ("level", {"level": "m"}, {"level": "v"}, 0.5),
        ("level", {"level": "a"}, {"level": "m"}, 0),
        ("set_or_volume", {"part": "1"}, {"level": "c"}, 0),
        ("title_numbers", {"main_title": "plan 1925"}, {"main_title": "plan 1926"}, 0),
        ("title_numbers", {"main_title": "92 congress s 501"}, {"main_title": "92 congress s 1970"}, 0.25),
        ("title_numbers", {"main_title": "plan"}, {"main_title": "plan 1926"}, 0.5),
        ("title_numbers", {"main_title": "plan 1926"}, {"main_title": "plan 2 1926"}, 0.75),
        ("title_words", {"main_title": "moskva turist plan"}, {"main_title": "moskva turistski plan"}, 1),
        ("title_words", {"main_title": "kvazar zu"}, {"main_title": "kvazar zuavov"}, 0.5),
        ("title_start", {"main_title": "voina"}, {"main_title": "voina i mir"}, 1),
        ("title_start", {"main_title": "voina i mir"}, {"main_title": "voi"}, 1),
        ("title_start", {"main_title": "voda"}, {"main_title": "voina i mir"}, 0.5),
        ("title_start", {"main_title": "voina"}, {"main_title": "mir"}, 0),
        ("title_start", {"main_title": "voina"}, {}, MISSING),
        ("remainder", {"remainder": "turist plan"}, {"remainder": "turistski plan"}, 1),
        ("publisher", {"publisher": "gugk"}, {"publisher": "gl upr geodezi i kartografi"}, 0.9),
        ("publisher", {"publisher": "gugk"}, {"publisher": "gl upr geodezi"}, 0),
        ("publisher", {"publisher": "gugk"}, {"publisher": "gl upr geodezi i kartografi sssr"}, 0),
        ("name_in_statement", {"names": "tolstoi lev"}, {"responsibility": "l n tolstoi"}, 1),
        ("name_in_statement", {"names": "pushkin a s"}, {"main_title": "sochinena pushkina"}, 0.8),
        ("name_in_statement", {"names": "tolstoi l n"}, {"main_title": "pisma tolstogo"}, 0.8),
        ("name_in_statement", {"names": "petrov a"}, {"main_title": "petrovskoe", "responsibility": "a"}, 0),
        ("title_words", {"main_title": "kvazar"}, {"main_title": "kvzaar"}, 0.8),
        ("title_words", {"main_title": "kvaz"}, {"main_title": "kvas"}, 0),
        ("any_title", {"main_title": "gorod", "remainder": "roman"}, {"main_title": "gorod roman"}, 1),
        ("any_title", {"main_title": "gorod", "variant_titles": "mat|mother"}, {"main_title": "mother"}, 1),
        ("any_title", {"main_title": "gorod", "variant_titles": "mat"}, {"variant_titles": "mat"}, 0),
        ("titles_found", {"main_title": "mat", "series": "fauna"}, {"main_title": "fauna", "part_name": "mat"}, 1),
        ("titles_found", {"main_title": "mat", "variant_titles": "mother"}, {"main_title": "mother mat"}, 1),
        ("titles_found", {"main_title": "stihi pushkina"}, {"main_title": "stihi", "names": "pushkin a s"}, 1),
        ("titles_found", {"main_title": "kvazar zuzu"}, {"main_title": "kvazar", "names": "lermontov m"}, 0.5),
        ("titles_found", {"main_title": "gorod"}, {}, MISSING),
        ("any_title", {"main_title": "gorod", "variant_titles": "kvazar zu"}, {"main_title": "kvazar mat"}, 0.5),
        ("set_title", {"series": "seria kvazar|istora mira"}, {"main_title": "istora mira", "part": "1"}, 1),
        ("set_title", {"series": "istora mira"}, {"main_title": "mat", "set_title": "istora mira", "part": "1"}, 1),
        ("set_title", {"series": "istora zu"}, {"main_title": "istora mira", "part": "1"}, MISSING),
    ],
)  # fmt: skip
def test_a_feature_has_the_value_that_its_description_promises(name, one, other, expected):
    assert compared(Features(**one), Features(**other))[name] == pytest.approx(expected)


@pytest.mark.parametrize(
    "title",
    [
        "hearing before the committee on the judiciary united states senate 92 d congress on s {}",
        "geological survey circular {}",
        "otchet o rabote za {} god",
    ],
)
def test_titles_that_differ_in_a_number_are_not_merged(title):
    one = Features(main_title=title.format(501), year=1971, last_year=1971, pages=120, level="m", carrier="print")
    other = msgspec.structs.replace(one, main_title=title.format(1970), pages=231)
    assert scored(one, other) < SETTINGS.same
    assert scored(one, msgspec.structs.replace(one, pages=121)) >= SETTINGS.same


@given(st.text("abcd ", min_size=1, max_size=64), st.text("abcd ", min_size=1, max_size=64))
@settings(deadline=None)
def test_the_similarity_of_words_counts_edits(one, other):
    masks = np.zeros(256, np.uint64)
    first, second = TextColumn.from_texts([one]).codes, TextColumn.from_texts([other]).codes
    found = edit_similarity(first, 0, len(one), second, 0, len(other), masks)
    assert found == pytest.approx(1 - plain_edits(one, other) / max(len(one), len(other)))
    assert not masks.any()


def test_the_shipped_model_states_its_provenance_and_features():
    shipped = model._load("").model
    provenance = shipped.provenance
    assert all((provenance.data, provenance.licence, provenance.date, provenance.command.startswith("bibld train ")))
    assert provenance.figures["f1"] >= 0.95
    assert list(shipped.features) == list(NAMES) and len(NAMES) == COUNT
    assert trees.from_json(trees.to_json(shipped)) == shipped


def test_the_file_of_a_model_is_relative_to_the_configuration(configured, tmp_path):
    loaded = configured('[dedup.model]\nfile = "models/own.json"\n', a="bibld.toml")
    assert loaded.settings("dedup.score", "model").file == str(tmp_path / "models" / "own.json")


@pytest.mark.parametrize("data", [b"", b"{}", b'{"format": 2}', b"\xff"])
def test_a_file_that_is_not_a_model_is_refused(tmp_path, data):
    path = tmp_path / "model.json"
    path.write_bytes(data)
    columns = FeatureColumns.from_features(enumerate((WAR, WAR)))
    with pytest.raises(ConfigError, match=r"model\.json"):
        list(model.explain(columns, *PAIR, model.Settings(file=str(path))))


def test_a_tree_with_a_cycle_is_refused():
    with pytest.raises(ValueError, match="downwards"):
        trees.steps([trees.Tree([0, -1], [0.5, 0], [0, 0], [1, 0], [0, 0], [0.0, 1.0])], COUNT)
