"""The page about a match states in words what agrees: values that mean the same agree, however they are written."""

from __future__ import annotations

import pytest

from bibld.model.mods import Date, Extent, Mods, OriginInfo, PhysicalDescription, Place, PlaceTerm, Publisher
from bibld.serve._language import language_named
from bibld.serve._pages.matches import agreement


def description(place: str, publisher: str, date: str, extent: str) -> Mods:
    origin = OriginInfo(
        place=(Place(place_term=(PlaceTerm(value=place, type="text"),)),),
        publisher=(Publisher(value=publisher),),
        date_issued=(Date(value=date),),
    )
    return Mods(origin_info=(origin,), physical_description=(PhysicalDescription(extent=(Extent(value=extent),)),))


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
