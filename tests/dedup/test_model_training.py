"""Training: made-up pairs, and that the same labels give the same model."""

from importlib import resources
from random import Random

import msgspec
import numpy as np
import pytest

from bibld.dedup import train as training
from bibld.dedup import trees
from bibld.dedup.compilation import MISSING
from bibld.dedup.features import features_of
from bibld.dedup.pair_files import LabelledPair
from bibld.dedup.similarity import NAMES
from bibld.dedup.train._made_up_pairs import made_up_isbn, make_pairs
from bibld.dedup.train._rewording import abbreviate, misspell, pre_reform
from bibld.errors import ConfigError
from bibld.model.identifiers import has_isbn_check_digit
from bibld.model.linkage import Pair
from bibld.model.mods import (
    Date,
    Edition,
    Extent,
    Mods,
    Name,
    NamePart,
    OriginInfo,
    PhysicalDescription,
    Publisher,
    TitleInfo,
)
from bibld.model.origin import RecordId
from bibld.text.names import initial_form
from bibld.text.romanisation import romanise, romanise_ala_lc

ABOUT = training.TrainingSetup("made up", "CC0-1.0", "2026-01-01", "bibld train")
TITLES = ("Мёртвые души", "Ревизор", "Тарас Бульба", "Вечера на хуторе близ Диканьки", "Женитьба", "Шинель")


def book(number: int) -> Mods:
    return Mods(
        title_info=(TitleInfo(title=f"{TITLES[number % len(TITLES)]} {number}", sub_title=("повесть",)),),
        name=(Name(type="personal", name_part=(NamePart(value="Гоголь, Николай Васильевич"),)),),
        origin_info=(
            OriginInfo(
                publisher=(Publisher(value="Художественная литература"),),
                date_issued=(Date(value=str(1900 + number)),),
                edition=(Edition(value="2-е изд."),),
                issuance=("monographic",),
            ),
        ),
        physical_description=(PhysicalDescription(extent=(Extent(value=f"{100 + number} с."),)),),
    )


BOOKS = [book(number) for number in range(80)]


def test_generated_pairs_are_of_both_kinds_and_the_same_for_a_seed():
    made = list(make_pairs(BOOKS[0], BOOKS[1:], Random(1)))
    assert made == list(make_pairs(BOOKS[0], BOOKS[1:], Random(1)))
    assert {labelled_pair.is_duplicate for labelled_pair in made} == {True, False}
    assert {"wording", "volume", "other volume", "reprint", "other author"} <= {
        labelled_pair.kind for labelled_pair in made
    }


@pytest.mark.parametrize("seed", range(20))
def test_another_volume_has_another_number(seed):
    for labelled_pair in make_pairs(BOOKS[seed], BOOKS[40:], Random(seed)):
        if labelled_pair.kind == "other volume":
            one, other = features_of(labelled_pair.left).part, features_of(labelled_pair.right).part
            assert one and other and one != other


def test_a_description_without_a_title_gives_no_pairs():
    assert list(make_pairs(Mods(), BOOKS, Random(1))) == []


def test_each_kind_of_wording_changes_what_its_name_states():
    assert initial_form("Толстой, Лев Николаевич") == "Толстой, Л. Н."
    assert romanise(romanise_ala_lc("Преступление и наказание")) == romanise("Преступление и наказание")
    assert romanise(romanise_ala_lc("Щётка")) == romanise("Щетка")
    assert pre_reform("История нового Рима") == "Исторія новаго Рима"
    assert has_isbn_check_digit(made_up_isbn(Random(3)))
    assert abbreviate("Художественная литература", Random(1)) != "Художественная литература"
    assert misspell("а", Random(1)) == "а"


def labelled_pairs():
    records = {RecordId("a", str(number)): book for number, book in enumerate(BOOKS)}
    records |= {RecordId("b", str(number)): book for number, book in enumerate(BOOKS)}
    for number in range(80):
        pair = Pair.from_records(RecordId("a", str(number)), RecordId("b", str(number)))
        yield records, LabelledPair(pair, True, "")
        pair = Pair.from_records(RecordId("a", str(number)), RecordId("b", str((number + 7) % 80)))
        yield records, LabelledPair(pair, False, "")


def test_the_same_labels_and_seed_give_the_same_model(monkeypatch):
    pytest.importorskip("sklearn", reason="needs scikit-learn: pip install 'bibld[train]'")
    monkeypatch.setitem(training._TREES, "max_iter", 8)
    examples = list(labelled_pairs())
    records, labelled = examples[0][0], [pair for _, pair in examples]
    models = [training.fit(training.make_examples(records, labelled, BOOKS[:5], 3), 3, ABOUT)[0] for _ in range(2)]
    assert trees.to_json(models[0]) == trees.to_json(models[1])
    assert models[0].provenance.pairs == len(labelled)
    assert models[0].provenance.figures["f1"] > 0.9
    assert trees.from_json(trees.to_json(models[0])) == models[0]
    trees.steps(models[0].trees, len(models[0].features))


def test_pairs_that_share_a_record_are_on_one_side_of_the_split(monkeypatch):
    pytest.importorskip("sklearn", reason="needs scikit-learn: pip install 'bibld[train]'")
    examples = list(labelled_pairs())
    given = training.make_examples(examples[0][0], [pair for _, pair in examples], BOOKS[:5], 3)
    ends = list(zip(given.left.tolist(), given.right.tolist(), given.groups.tolist(), strict=True))
    labelled = {row: group for left, right, group in ends[: len(examples)] for row in (left, right)}
    assert all(labelled[left] == labelled[right] == group for left, right, group in ends[: len(examples)])
    seen = []

    class Trees:
        def logits(self, unseen):
            fitted = seen[-1]
            assert set(unseen[:, 0].tolist()).isdisjoint(fitted), "a group is in the training and in the validation"
            return unseen[:, 0]

    def fit(found, labels, weights, seed):
        seen.append(set(found[:, 0].tolist()))
        return Trees()

    monkeypatch.setattr(training, "fitted", fit)
    # Many small groups, with their number as the first feature.
    groups = np.arange(len(given.labels)) // 2
    found = np.repeat(groups[:, None], 3, axis=1).astype(np.float32)
    examples = msgspec.structs.replace(given, groups=groups)
    assert training.cross_validate(found, examples, 1).tolist() == groups.tolist()
    assert len(seen) > 1


def test_too_few_labels_are_reported():
    examples = list(labelled_pairs())[:20]
    with pytest.raises(ConfigError, match=r"at least 50 pairs that are the same.*labelled 10 and 10: decide"):
        training.fit(training.make_examples(examples[0][0], [pair for _, pair in examples], [], 1), 1, ABOUT)


def test_sources_are_taken_in_turn():
    order = training.interleave([BOOKS[:2], BOOKS[10:14]], 1)
    assert len(order) == 6 and set(map(id, order[:2])) & set(map(id, BOOKS[:2]))
    assert msgspec.json.encode(order) == msgspec.json.encode(training.interleave([BOOKS[:2], BOOKS[10:14]], 1))


def test_a_greater_similarity_never_lowers_the_score():
    loaded = trees.from_json(resources.files("bibld.dedup.score").joinpath("model.json").read_bytes())
    nodes = trees.nodes(loaded.trees)
    names = list(NAMES)
    random = np.random.default_rng(5)
    found = random.choice(np.array([MISSING, 0, 0.3, 0.7, 1], np.float32), (400, len(names)))
    for number in (names.index(name) for name in names if name not in training.WITHOUT_ORDER):
        sums = []
        for value in (0.0, MISSING, 1.0):
            given = found.copy()
            given[:, number] = value
            sums.append(trees.contributions(nodes, given).sum(axis=1))
        assert (sums[0] <= sums[1] + 1e-5).all(), f"{names[number]}: another value scores more than a missing one"
        assert (sums[1] <= sums[2] + 1e-5).all(), f"{names[number]}: an equal value scores less than a missing one"
