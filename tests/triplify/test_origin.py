"""Publication: places, countries, and how each record states it."""

import msgspec
import pytest

from bibld.model.linkage import ValueSource
from bibld.model.mods import Date, Mods, OriginInfo, Place, PlaceTerm, Publisher
from bibld.triplify import cluster_statements, entity_statements
from bibld.triplify._dates import date_literal
from tests.triplify.merged_book import BASE, IRIS, LOC, MERGED, NLR, RESOURCE, Quads, alone

COUNTRIES = "http://id.loc.gov/vocabulary/countries/"


def in_place(*terms: PlaceTerm, **more) -> Mods:
    return Mods(origin_info=(OriginInfo(place=tuple(Place((term,)) for term in terms), **more),))


def of_two(description: Mods, *sources: ValueSource):
    return cluster_statements(msgspec.structs.replace(MERGED, mods=description, sources=sources), [], IRIS)


@pytest.mark.parametrize(
    ("code", "country"), [("RU", "ru"), ("SU", "ur"), ("GB", "xxk"), ("us", "xxu"), ("DE", "gw"), ("UA", "un")]
)
def test_a_country_in_a_code_of_iso_3166_is_that_of_marc(code, country):
    made = Quads(cluster_statements(alone(in_place(PlaceTerm(code, type="code", authority="iso3166"))), [], IRIS).quads)
    assert made.values("bf:place", f"{RESOURCE}#provision1") == [COUNTRIES + country]
    assert not any("#place" in line for line in made.lines)


def test_a_code_of_no_country_is_a_node_with_the_code():
    made = Quads(cluster_statements(alone(in_place(PlaceTerm("QQ", type="code", authority="iso3166"))), [], IRIS).quads)
    assert made.values("bf:code", f"{RESOURCE}#place1") == ["QQ"]


def test_one_country_in_two_codes_is_one_place():
    terms = (PlaceTerm("RU", type="code", authority="iso3166"), PlaceTerm("ru", type="code", authority="marccountry"))
    made = Quads(cluster_statements(alone(in_place(*terms)), [], IRIS).quads)
    assert made.values("bf:place", f"{RESOURCE}#provision1") == [f"{COUNTRIES}ru"]


def test_records_that_state_the_publication_differently_keep_their_statements():
    description = in_place(PlaceTerm("Москва", type="text"), publisher=(Publisher("Худож. лит."), Publisher("Дрофа")))
    made = of_two(
        description,
        ValueSource("origin_info/0#1", (LOC,), "Москва : Худож. лит."),
        ValueSource("origin_info/0#2", (NLR,), "М. : Дрофа"),
    )
    assert Quads(made.quads).values("bf:publicationStatement") == ["М. : Дрофа", "Москва : Худож. лит."]


def test_a_statement_has_the_coded_year_where_no_other_date_is_given():
    dates = (Date("1974", encoding="marc", point="start"), Date("1983", encoding="marc", point="end"))
    made = cluster_statements(alone(in_place(PlaceTerm("Москва", type="text"), date_issued=dates)), [], IRIS)
    assert Quads(made.quads).values("bf:publicationStatement") == ["Москва, 1974-1983"]
    made = cluster_statements(alone(Mods(origin_info=(OriginInfo(date_issued=dates),))), [], IRIS)
    assert Quads(made.quads).values("bf:publicationStatement") == []


def test_a_form_of_a_place_that_is_not_shown_is_another_label_of_it():
    description = in_place(PlaceTerm("Москва", type="text"))
    made = of_two(
        description,
        ValueSource("origin_info/0/place/0", (LOC, NLR)),
        ValueSource("origin_info/0/place/0#1", (NLR,), "М."),
    )
    (place,) = {claim.entity for claim in made.claims}
    describe = Quads(entity_statements(place, made.claims, IRIS))
    assert describe.values("skos:prefLabel", place) == ["Москва"]
    assert describe.values("skos:altLabel", place) == ["М."]
    assert Quads(made.quads).values("bf:place", f"{RESOURCE}#provision1") == [place.replace(BASE, ":")]


def test_the_year_0_is_no_date():
    """Neither XML Schema 1.0 nor the Gregorian calendar has one."""
    assert [date_literal(text) for text in ("0000", "0000-05", "0000-05-01")] == ['"0000"', '"0000-05"', '"0000-05-01"']
    assert date_literal("0988").endswith("gYear>")
