"""Publication: places, countries, and how each record states it."""

import msgspec
import pytest

from bibld.config import TriplifyConfig
from bibld.model.linkage import ValueSource
from bibld.model.mods import (
    Date,
    Mods,
    Name,
    NamePart,
    OriginInfo,
    Place,
    PlaceTerm,
    Publisher,
    Role,
    RoleTerm,
)
from bibld.triplify._dates import date_literal
from tests.triplify.merged_book import LOC, MERGED, NLR, RESOURCE, Quads, describe

EDTF = "http://id.loc.gov/datatypes/edtf"
COUNTRIES = "http://id.loc.gov/vocabulary/countries/"


def in_place(*terms: PlaceTerm, **more) -> Mods:
    return Mods(origin_info=(OriginInfo(place=tuple(Place((term,)) for term in terms), **more),))


def described(*infos: OriginInfo) -> Quads:
    return describe(Mods(origin_info=infos))


def of_two(description: Mods, *sources: ValueSource) -> Quads:
    return describe(msgspec.structs.replace(MERGED, mods=description, sources=sources))


@pytest.mark.parametrize(
    ("code", "country"), [("RU", "ru"), ("SU", "ur"), ("GB", "xxk"), ("us", "xxu"), ("DE", "gw"), ("UA", "un")]
)
def test_a_country_in_a_code_of_iso_3166_is_that_of_marc(code, country):
    made = describe(in_place(PlaceTerm(code, type="code", authority="iso3166")))
    assert made.values("bf:place", f"{RESOURCE}#provision1") == [COUNTRIES + country]
    assert not any("#place" in line for line in made.lines)


def test_a_code_of_no_country_is_a_node_with_the_code():
    made = describe(in_place(PlaceTerm("QQ", type="code", authority="iso3166")))
    assert made.values("bf:code", f"{RESOURCE}#place1") == ["QQ"]


def test_one_country_in_two_codes_is_one_place():
    terms = (PlaceTerm("RU", type="code", authority="iso3166"), PlaceTerm("ru", type="code", authority="marccountry"))
    made = describe(in_place(*terms))
    assert made.values("bf:place", f"{RESOURCE}#provision1") == [f"{COUNTRIES}ru"]


def test_of_different_statements_the_preferred_one_is_published_and_all_have_their_records():
    description = in_place(PlaceTerm("Москва", type="text"), publisher=(Publisher("Худож. лит."), Publisher("Дрофа")))
    made = of_two(
        description,
        ValueSource("origin_info/0#1", (LOC,), "Москва : Худож. лит."),
        ValueSource("origin_info/0#2", (NLR,), "М. : Дрофа"),
    )
    assert made.values("bf:publicationStatement") == ["Москва : Худож. лит."]


@pytest.mark.parametrize(
    ("info", "statement"),
    [
        (
            OriginInfo(date_issued=(Date("1974", "w3cdtf", point="start"), Date("1983", "w3cdtf", point="end"))),
            "1974-1983",
        ),
        (OriginInfo(date_issued=(Date("1974", "w3cdtf", point="start"), Date("9999", "marc", point="end"))), "1974-"),
        (OriginInfo(date_issued=(Date("1974", "w3cdtf", "inferred"),)), "[1974]"),
        (OriginInfo(date_issued=(Date("198u", "marc", "questionable"), Date("[198-?]"))), "[198-?]"),
        (OriginInfo(date_issued=(Date("1974", "marc"),)), ""),
        (OriginInfo(publisher=(Publisher("Наука", supplied="yes"),)), "[Наука]"),
    ],
)
def test_a_statement_has_what_is_printed_and_brackets_around_what_is_not(info, statement):
    place = Place((PlaceTerm("Москва", type="text"),))
    made = described(msgspec.structs.replace(info, place=(place,))).values("bf:publicationStatement")
    assert made == [f"Москва{', ' if info.date_issued and statement else ' : ' if statement else ''}{statement}"]


@pytest.mark.parametrize(
    ("dates", "published"),
    [
        ((Date("1993", "w3cdtf", point="start"), Date("9999", "marc", point="end")), []),
        ((Date("1956", "w3cdtf"),), ["1956^gYear"]),
        ((Date("198u", "marc", "questionable"), Date("[198-?]")), []),
    ],
)
def test_only_an_exact_date_is_a_date_of_schema_org(dates, published):
    description = Mods(origin_info=(OriginInfo(date_issued=dates),))
    made = describe(description, settings=TriplifyConfig(dialects=("schema",)))
    assert made.values("schema:datePublished") == published


def test_the_scripts_of_one_imprint_are_one_event_with_one_date_and_a_publisher_with_two_names():
    infos = (
        OriginInfo(
            place=(Place((PlaceTerm("Dimashq", type="text"),)),), publisher=(Publisher("Dar al-Fikr"),),
            date_issued=(Date("1990", "w3cdtf"),), alt_rep_group="03", script="Latn",
        ),
        OriginInfo(
            place=(Place((PlaceTerm("دمشق", type="text"),)),), publisher=(Publisher("دار الفكر"),),
            alt_rep_group="03", script="Arab",
        ),
    )  # fmt: skip
    made = described(*infos)
    assert len(made.values("bf:provisionActivity")) == 1
    assert made.values("bf:publicationStatement") == ["Dimashq : Dar al-Fikr, 1990", "دمشق : دار الفكر, 1990"]
    (place,) = made.values("bf:place", f"{RESOURCE}#provision1")
    assert {*made.values("skos:prefLabel", place), *made.values("skos:altLabel", place)} == {"Dimashq", "دمشق"}
    (publisher,) = made.values("dcterms:publisher")
    assert {*made.values("skos:prefLabel", publisher), *made.values("skos:altLabel", publisher)} == {
        "Dar al-Fikr", "دار الفكر",
    }  # fmt: skip


def imprint(*pairs: tuple[str, str], **more) -> OriginInfo:
    places = tuple(Place((PlaceTerm(place, type="text"),)) for place, _ in pairs)
    return OriginInfo(place=places, publisher=tuple(Publisher(publisher) for _, publisher in pairs), **more)


def test_as_many_publishers_as_places_are_each_at_the_place_of_its_position():
    made = described(imprint(("Bamberg", "Meisenbach"), ("München", "Hanser"), date_issued=(Date("1985", "w3cdtf"),)))
    assert made.values("bf:publicationStatement") == ["Bamberg : Meisenbach ; München : Hanser, 1985"]


def test_a_distributor_and_its_place_are_no_publication():
    made = described(imprint(("Annapolis", "Agency"), ("Cincinnati", "Centre [distributor]")))
    provisions = [f"{RESOURCE}#provision{number}" for number in (1, 2)]
    types = [made.values("rdf:type", node)[0].rpartition("/")[2] for node in provisions]
    assert types == ["Publication", "Distribution"]
    assert [len(made.values("bf:place", node)) for node in provisions] == [1, 1]
    assert not set(made.values("bf:place", provisions[0])) & set(made.values("bf:place", provisions[1]))


def test_each_publisher_of_a_serial_has_its_own_event_and_date():
    infos = (
        OriginInfo(date_issued=(Date("1903", "marc", point="start"), Date("9999", "marc", point="end"))),
        imprint(("Berlin", "X")),
        imprint(
            ("Giessen", "Y"), date_issued=(Date("1903", "w3cdtf", point="start"), Date("1939", "w3cdtf", point="end"))
        ),
    )
    made = described(*infos)
    dates = [made.values("bf:date", f"{RESOURCE}#provision{number}") for number in (1, 2, 3)]
    assert dates == [[f"1903/..^{EDTF}"], [], [f"1903/1939^{EDTF}"]]
    assert made.values("dcterms:issued") == [f"1903/..^{EDTF}"]
    assert [len(made.values("bf:agent", f"{RESOURCE}#provision{number}")) for number in (1, 2, 3)] == [0, 1, 1]


def test_a_heading_names_the_publisher_that_the_imprint_does_not():
    monti = Name(
        name_part=(NamePart("Monti, Giacomo"),), role=(Role((RoleTerm("pbl", type="code"),)),), type="personal"
    )
    mods = Mods(name=(monti,), origin_info=(OriginInfo(date_issued=(Date("1676", "w3cdtf"),)),))
    made = describe(mods)
    assert made.values("bf:agent", f"{RESOURCE}#provision1") == made.values("dcterms:publisher") != []


def test_a_printer_makes_and_does_not_publish():
    made = described(OriginInfo(publisher=(Publisher("Тип. А. С. Суворина"),), date_issued=(Date("1891", "w3cdtf"),)))
    assert made.values("dcterms:publisher") == []
    types = [made.values("rdf:type", f"{RESOURCE}#provision{number}")[0].rpartition("/")[2] for number in (1, 2)]
    assert types == ["Publication", "Manufacture"]
    assert made.values("bf:agent", f"{RESOURCE}#provision1") == []
    assert len(made.values("bf:agent", f"{RESOURCE}#provision2")) == 1


def test_the_year_of_the_original_is_that_of_another_version():
    made = described(
        OriginInfo(date_issued=(Date("1983", "w3cdtf"),), date_other=(Date("1956", "w3cdtf", type="original"),))
    )
    assert made.values("dcterms:issued") == ["1983^gYear"]
    assert made.values("dcterms:issued", f"{RESOURCE}#original1") == ["1956^gYear"]


def test_a_form_of_a_place_that_is_not_shown_is_another_label_of_it():
    description = in_place(PlaceTerm("Москва", type="text"))
    made = of_two(
        description,
        ValueSource("origin_info/0/place/0", (LOC, NLR)),
        ValueSource("origin_info/0/place/0#1", (NLR,), "М."),
    )
    (place,) = made.values("bf:place", f"{RESOURCE}#provision1")
    assert made.values("skos:prefLabel", place) == ["Москва"]
    assert made.values("skos:altLabel", place) == ["М."]


def test_the_year_0_is_no_date():
    """Neither XML Schema 1.0 nor the Gregorian calendar has one."""
    assert [date_literal(text) for text in ("0000", "0000-05", "0000-05-01")] == ['"0000"', '"0000-05"', '"0000-05-01"']
    assert date_literal("0988").endswith("gYear>")
