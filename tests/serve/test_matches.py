"""The page about a match states in words what agrees: values that mean the same agree, however they are written."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from bibld.model.linkage import Feature
from bibld.model.mods import Date, Extent, Mods, OriginInfo, PhysicalDescription, Place, PlaceTerm, Publisher
from bibld.model.origin import RecordId
from bibld.serve._language import PageLanguage, language_named
from bibld.serve._pages import fields, matches


def description(place: str, publisher: str, date: str, extent: str) -> Mods:
    origin = OriginInfo(
        place=(Place(place_term=(PlaceTerm(value=place, type="text"),)),),
        publisher=(Publisher(value=publisher),),
        date_issued=(Date(value=date),),
    )
    return Mods(origin_info=(origin,), physical_description=(PhysicalDescription(extent=(Extent(value=extent),)),))


def agreement(one: Mods, other: Mods, language: PageLanguage, features: Sequence[Feature] = ()) -> matches.Agreement:
    return matches.agreement(fields.values(one, language), fields.values(other, language), language, features)


LEFT = description("Ленинград", "Наука", "1970", "911 с.")


@pytest.mark.parametrize("tag", ["en", "ru"])
def test_abbreviations_scripts_and_units_are_no_differences(tag: str) -> None:
    language = language_named(tag)
    found = agreement(LEFT, description("Л.", 'Изд-во "Наука"', "[1970]", "911 p. ; 21 cm"), language)
    assert set(found.same) == {language.text(label) for label in ("Place", "Publisher", "Year", "Extent")}
    assert not found.different
    romanised = agreement(LEFT, description("Leningrad", "Nauka", "1970", "911 p."), language)
    assert not romanised.different


def test_what_means_something_else_is_a_difference():
    found = agreement(LEFT, description("Москва", "Мысль", "1971", "910 с."), language_named("en"))
    assert {"Place", "Publisher", "Year"} <= set(found.different)
    assert "Extent" not in found.same


def test_what_has_no_meaning_is_compared_as_a_text():
    one, other = (description("М.", "Наука", "[б. г.]", extent) for extent in ("разд. паг.", "various pagings"))
    found = agreement(one, other, language_named("en"))
    assert "Extent" in found.different
    assert "Extent" in agreement(one, one, language_named("en")).same


@pytest.mark.parametrize(
    ("feature", "amount", "label", "words"),
    [
        ("main_title", 1.8, None, None),  # neither record states a title here: nothing counts for what is not shown
        ("year", 0.97, "Year", "slightly for"),
        ("pages", 1.2, "Extent", "strongly for"),
        ("publisher", -0.3, "Publisher", "slightly against"),
        ("publisher", -1.5, "Publisher", "strongly against"),
        ("place", 0.1, None, None),
        ("edition", 1.5, None, None),
        ("part_number", -2.0, "Volumes and parts", "strongly against"),
    ],
)
def test_what_counts_for_and_against_is_in_words_beside_its_value(feature, amount, label, words):
    other = description("Ленинград", "Мысль", "1970", "911 с.")
    found = agreement(LEFT, other, language_named("en"), [Feature(feature, 1.0, amount)])
    assert found.weights == ({label: words} if label else {})
    if amount < 0:
        assert label in found.different
        assert f"({words})" in matches.labels_in_words(found.different, found.weights)


def test_a_value_that_differs_counts_for_nothing_in_words():
    other = description("Москва", "Мысль", "1971", "1 пластинка")
    found = agreement(LEFT, other, language_named("en"), [Feature("pages", 1.0, 1.5), Feature("year", 0.5, 0.4)])
    assert {"Year", "Extent"} <= set(found.different)
    assert not found.weights


def test_records_side_by_side_have_the_sign_that_agrees_least():
    english = language_named("en")
    mods = (LEFT, description("Л.", "Наука", "1970", "911 с."), description("Л.", "Мысль", "1970", "911 p."))
    records = [(RecordId("a", str(number)), fields.values(each, english)) for number, each in enumerate(mods)]
    found, agreed = matches.compare(records, english)
    assert {label: sign for label, (sign, _) in found.signs.items()} == {
        "Place": "=",
        "Publisher": "≠",
        "Year": "=",
        "Extent": "=",
    }
    assert found.signs["Place"][1] == "other form"
    assert [label for label, cells in found.rows if cells[0].differs] == ["Publisher"]
    assert agreed is not None
    assert matches.compare(records[:1], english)[1] is None


def test_reasons_that_only_state_the_score_are_numbers():
    russian = language_named("ru")
    words, numbers = matches.verdict_reasons(("score 0.964 is at least 0.55", "different editions: 2, 3"), russian)
    assert [len(words), len(numbers)] == [1, 1]
    assert "0,964" in numbers[0]
