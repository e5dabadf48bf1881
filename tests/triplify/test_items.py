"""Copies: which library has them, under what name, where in it, and what of the publication it has."""

from typing import NamedTuple

import pytest

from bibld.model.mods import (
    CopyInformation,
    EnumerationAndChronology,
    HoldingSimple,
    ItemIdentifier,
    Location,
    Mods,
    Note,
    PhysicalLocation,
)
from bibld.triplify import to_quads
from tests.triplify.merged_book import BASE, IRIS, RESOURCE, Quads, alone

LOC_ORGANISATIONS = "http://id.loc.gov/vocabulary/organizations/"


class Row(NamedTuple):
    """What a librarian sees of a copy."""

    library: list[str]
    places: list[str]
    marks: list[str]


def publish(*locations: Location) -> Quads:
    return Quads(to_quads([alone(Mods(location=locations))], IRIS))


def labels(made: Quads, predicate: str, item: str) -> list[str]:
    return [label for node in made.values(predicate, item) for label in made.values("rdfs:label", BASE + node[1:])]


def items(made: Quads) -> list[str]:
    return [BASE + item[1:] for item in made.values("bf:hasItem", RESOURCE)]


def rows(*locations: Location) -> list[Row]:
    made = publish(*locations)
    return [
        Row(
            [
                name
                for library in made.values("bf:heldBy", item)
                for name in (
                    made.values("skos:prefLabel", BASE + library[1:])
                    or made.values("dcterms:identifier", BASE + library[1:])
                )
            ],
            made.values("bf:physicalLocation", item),
            labels(made, "bf:shelfMark", item),
        )
        for item in items(made)
    ]


def located(*places: PhysicalLocation, shelf: str = "", copies: tuple[CopyInformation, ...] = ()) -> Location:
    holding = HoldingSimple(copies) if copies else None
    return Location(physical_location=places, shelf_locator=(shelf,) if shelf else (), holding_simple=holding)


def library_of(*places: PhysicalLocation) -> tuple[list[str], list[str], list[str]]:
    """Return names, code and links of the library."""
    made = publish(located(*places))
    (library,) = made.agents()
    linked = [link for link in made.values("owl:sameAs", library) if not link.startswith(":")]
    return made.values("skos:prefLabel", library), made.values("dcterms:identifier", library), linked


@pytest.mark.parametrize(
    "location",
    [
        located(PhysicalLocation("ЦНБ"), copies=(CopyInformation(sub_location=("FB",)),), shelf="A 1"),
        located(PhysicalLocation("ЦНБ"), PhysicalLocation("FB"), shelf="A 1"),
        located(PhysicalLocation("ЦНБ FB"), shelf="A 1"),
    ],
)
def test_the_library_and_the_place_in_it_are_distinguished_in_all_three_forms(location):
    assert rows(location) == [Row(["ЦНБ"], ["FB"], ["A 1"])]


@pytest.mark.parametrize(
    ("text", "library", "places"),
    [
        ("ЦНБ ОРК", "ЦНБ", ["ОРК"]),
        ("ЦНБ MK XIX", "ЦНБ", ["MK XIX"]),
        ("ЦНБ", "ЦНБ", []),
        ("MIT Libraries", "MIT Libraries", []),
        ("Центральная научная библиотека", "Центральная научная библиотека", []),
    ],
)
def test_one_text_is_split_only_if_it_consists_of_codes(text, library, places):
    assert rows(located(PhysicalLocation(text))) == [Row([library], places, [])]


@pytest.mark.parametrize(
    ("places", "names", "codes", "links"),
    [
        (["DLC"], ["Library of Congress@en"], ["US-DLC"], ["dlc"]),
        (["Library of Congress"], ["Library of Congress@en"], ["US-DLC"], ["dlc"]),
        (["MH-H"], ["Houghton Library, Harvard University@en"], ["US-MH-H"], ["mhh"]),
        (["DE-12"], ["Bavarian State Library@en", "Bayerische Staatsbibliothek@de"], ["DE-12"], []),
        (["D-Mbs"], ["Bavarian State Library@en", "Bayerische Staatsbibliothek@de"], ["DE-12"], []),
        (["РГБ"], ["Russian State Library@en", "Российская государственная библиотека@ru"], ["RuMoRGB"], []),
        (["XX-12"], [], ["XX-12"], []),
        (["US-NYj"], [], ["US-NYj"], []),
        (["D-WÜu"], [], ["D-WÜu"], []),
        (["I-BRq"], [], ["I-BRq"], []),
        (["NN"], ["NN"], [], []),
        (["ЦБ"], ["ЦБ"], [], []),
        (["КЦ ОРК"], ["КЦ"], [], []),
    ],
)
def test_a_code_has_the_name_of_its_library_if_it_is_known_and_no_name_otherwise(places, names, codes, links):
    found = library_of(*map(PhysicalLocation, places))
    assert found == (names, codes, [LOC_ORGANISATIONS + link for link in links])


@pytest.mark.parametrize(
    ("code", "names", "codes", "links"),
    [
        ("NN", ["New York Public Library@en"], ["US-NN"], ["nn"]),
        ("Xx-AB", [], ["Xx-AB"], ["xxab"]),
    ],
)
def test_a_code_that_is_stated_to_be_one_of_marc_links_to_the_library_of_congress(code, names, codes, links):
    found = library_of(PhysicalLocation(code, authority="marcorg"))
    assert found == (names, codes, [LOC_ORGANISATIONS + link for link in links])


def test_a_code_beside_a_name_is_of_the_same_library():
    names, codes, links = library_of(
        PhysicalLocation("Central Library", xml_lang="en"),
        PhysicalLocation("Центральная библиотека", xml_lang="ru"),
        PhysicalLocation("XX-1", authority="isil"),
    )
    assert (names, codes, links) == (["Central Library@en", "Центральная библиотека@ru"], ["XX-1"], [])


def test_libraries_with_one_name_and_different_codes_are_two():
    name = PhysicalLocation("City Library")
    locations = [located(PhysicalLocation(code, authority="isil"), name, shelf="1") for code in ("XX-1", "XX-2")]
    made = publish(*locations, located(name, shelf="2"))
    assert len(made.agents()) == 3
    assert len({library for item in items(made) for library in made.values("bf:heldBy", item)}) == 3


def test_a_name_wins_over_a_code_wherever_it_is_stated():
    code, name = PhysicalLocation("XX-1"), PhysicalLocation("Central Library", xml_lang="en")
    found = {library for row in rows(located(code), located(code, name, shelf="1")) for library in row.library}
    assert found == {"Central Library@en"}


def test_what_is_a_country_or_an_address_holds_no_copies():
    places = (PhysicalLocation("RU", type="country"), PhysicalLocation("Main Street", type="address"))
    assert rows(located(PhysicalLocation("ЦНБ"), *places)) == [Row(["ЦНБ"], [], [])]
    assert rows(located(*places)) == []


def test_copies_without_library_place_and_mark_are_not_published():
    copy = CopyInformation(item_identifier=(ItemIdentifier("1"),))
    assert rows(located(copies=(copy,))) == []
    assert rows(located(copies=(copy,), shelf="A 1")) == [Row([], [], ["A 1"])]


def test_each_copy_is_an_item_and_equal_ones_are_one():
    copies = tuple(CopyInformation(sub_location=("FB",), item_identifier=(ItemIdentifier(n),)) for n in ("1", "2"))
    made = publish(located(PhysicalLocation("ЦНБ"), copies=copies, shelf="A 1"))
    shelf_marks = [made.values("bf:shelfMark", item) for item in items(made)]
    assert len(shelf_marks) == 2
    assert shelf_marks[0] == shelf_marks[1]
    assert len(rows(*[located(PhysicalLocation("ЦНБ"), shelf="A 1")] * 2)) == 1


def test_a_library_that_is_only_named_adds_nothing_to_its_copies():
    assert rows(
        located(PhysicalLocation("DLC", authority="marcorg")), located(PhysicalLocation("DLC"), shelf="A 1")
    ) == [Row(["Library of Congress@en"], [], ["A 1"])]


def test_statements_notes_and_numbers_of_a_copy():
    copy = CopyInformation(
        note=(Note("in a box"),),
        enumeration_and_chronology=(
            EnumerationAndChronology("v.1-5 (1990-1995)", "1"),
            EnumerationAndChronology("v.1-10", "3"),
        ),
        item_identifier=(
            ItemIdentifier("36105237256750", "barcode"),
            ItemIdentifier("317704"),
            ItemIdentifier("2", "copy number"),
        ),
    )
    made = publish(located(PhysicalLocation("ЦНБ"), copies=(copy,)))
    (item,) = items(made)
    assert labels(made, "bf:note", item) == ["in a box"]
    assert labels(made, "bf:enumerationAndChronology", item) == ["v.1-5 (1990-1995)", "v.1-10", "copy 2"]
    assert made.values("bf:part", f"{RESOURCE}#enumeration2") == ["indexes"]
    classes = {
        value: made.values("rdf:type", BASE + node[1:])
        for node in made.values("bf:identifiedBy", item)
        for value in made.values("rdf:value", BASE + node[1:])
    }
    assert classes == {
        "36105237256750": ["http://id.loc.gov/ontologies/bibframe/Barcode"],
        "317704": ["http://id.loc.gov/ontologies/bibframe/Identifier"],
    }
    assert made.values("rdf:type", f"{RESOURCE}#enumeration3") == ["http://id.loc.gov/ontologies/bibframe/Enumeration"]


def test_a_copy_with_library_place_and_mark_costs_few_quads():
    made = publish(located(PhysicalLocation("ЦНБ"), copies=(CopyInformation(sub_location=("FB",)),), shelf="A 1"))
    about = {f"{RESOURCE}#item1", f"{RESOURCE}#shelfmark1"}
    assert sum(quad.subject.value in about for quad in made.quads) == 6
