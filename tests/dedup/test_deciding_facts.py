"""What would have to be known: elements that would decide about an undecided pair, by the scorer itself."""

import re

import numpy as np
import pytest
from msgspec.structs import replace

from bibld.dedup.deciding_facts import deciding_facts
from bibld.dedup.decisions import DECISIONS, Decider
from bibld.dedup.method import MethodOptions
from bibld.dedup.side_by_side import ELEMENTS
from bibld.model.features import FeatureColumns, Features
from bibld.serve._language import language_named, read_words

METHOD = MethodOptions()
BOOK = Features(
    title="сказки",
    main_title="skazki",
    names="andersen hans kristan",
    author="андерсен ханс",
    publisher="det lit",
    place="moskva",
    year=1987,
    last_year=1987,
    edition=1,
    pages=128,
    height=28,
    language="rus",
    carrier="print",
    level="m",
)
CHAPTER = replace(BOOK, main_title="hronika", title="хроника", level="a", names="", author="")
NAMELESS = {"names": "", "author": ""}
IN_SERIES = replace(BOOK, series="biblioteka", series_number="1")
SLIP = "if that is a mistake, the two are the same"

CASES = {
    "a part of a part": (
        replace(BOOK, part="1", designation="v1"),
        replace(BOOK, part="1 2", designation="v1 n2"),
        [f"different part number (volume 1 and volume 1, 2); {SLIP}"],
    ),
    "other translators": (
        replace(BOOK, translator="hanz"),
        replace(BOOK, translator="ganz"),
        [f"different translators; {SLIP}"],
    ),
    "another number": (
        IN_SERIES,
        replace(IN_SERIES, series_number="2"),
        [f"different number in the series (1 and 2); {SLIP}"],
    ),
    "two reasons": (
        replace(IN_SERIES, translator="hanz"),
        replace(IN_SERIES, translator="ganz", series_number="2"),
        [
            "no element decides alone; the two are the same if these are equal in both: number in the series,"
            " translators"
        ],
    ),
    "nothing differs": (
        CHAPTER,
        CHAPTER,
        ["no element of the two records decides; compare the publications themselves"],
    ),
    "the same": (BOOK, BOOK, []),
    "long texts": (
        replace(BOOK, text="a" * 300_000, translator="hanz"),
        replace(BOOK, translator="ganz"),
        [],
    ),
}
LACKING = [
    (replace(BOOK, **NAMELESS), replace(BOOK, year=1986, last_year=1986)),
    (replace(BOOK, **NAMELESS, pages=0), replace(BOOK, year=1985, last_year=1985)),
    (replace(BOOK, **NAMELESS, pages=0, height=0), replace(BOOK, publisher="nauka", place="leningrad")),
    (Features(title="сказки", main_title="skazki", level="m", edition=1), BOOK),
]
COLUMNS = {"names": ("names", "author", "responsibility"), "year": ("year", "last_year")}
MISSING = re.compile(
    r"A does not state the (?P<element>.+?); if it is (?P<is_not>not )?(?P<value>.+?), the two are \w+.*?"
    r"(?P<another>; if it is another, they are different)?"
)


def decision(left: Features, right: Features) -> str:
    columns = FeatureColumns.from_features(enumerate((left, right)))
    decided = Decider(columns, np.array([0, 1]), METHOD).decide(np.array([0]), np.array([1]))
    return DECISIONS[decided.decisions[0]]


@pytest.mark.parametrize("name", CASES)
def test_an_undecided_pair_has_sentences_about_what_would_decide(name):
    left, right, expected = CASES[name]
    assert deciding_facts(left, right, ("A", "B"), METHOD) == expected
    assert (decision(left, right) == "review") == (name != "the same")


def test_what_the_sentences_state_about_a_missing_element_is_what_the_scorer_decides():
    checked = []
    for left, right in LACKING:
        for sentence in deciding_facts(left, right, ("A", "B"), METHOD):
            found = MISSING.fullmatch(sentence)
            if found is None:
                continue
            name = next(name for name, words in ELEMENTS.items() if words == found["element"])
            assert not getattr(left, name) and getattr(right, name)
            assert found["value"] in (str(getattr(right, name)), "as in B")
            columns = {column: getattr(right, column) for column in COLUMNS.get(name, (name,))}
            if not found["is_not"]:
                assert decision(replace(left, **columns), right) == "same", sentence
            if found["is_not"] or found["another"]:
                others = {
                    column: value and (value + 300 if isinstance(value, int) else "something else")
                    for column, value in columns.items()
                }
                assert decision(replace(left, **others), right) in ("different", "related"), sentence
            checked.append(name)
    assert len(set(checked)) > 2


@pytest.mark.parametrize("sentence", sorted({sentence for *_, found in CASES.values() for sentence in found}))
def test_each_sentence_has_a_translation(sentence):
    russian = language_named("ru").sentence(sentence)
    assert russian != sentence
    assert not any(f" {word}" in russian for word in ELEMENTS.values())


def test_every_element_has_words_on_pages():
    assert list(read_words()["compared"]) == list(ELEMENTS.values())


def test_a_scorer_without_review_leaves_nothing_undecided():
    method = MethodOptions(score="jaccard")
    assert deciding_facts(BOOK, replace(BOOK, year=1983, last_year=1983), ("A", "B"), method) == []
