"""Headings: concepts, and the places that they name."""

import pytest

from bibld.model.mods import (
    Geographic,
    GeographicCode,
    HierarchicalGeographic,
    Mods,
    Name,
    Subject,
    Temporal,
    Topic,
)
from bibld.triplify import cluster_statements
from tests.triplify.merged_book import BASE, IRIS, WORK, Quads, alone, describe, person

COUNTRIES = "http://id.loc.gov/vocabulary/countries/"


def described(*subjects: Subject) -> Quads:
    return describe(Mods(subject=subjects))


def labels(made: Quads, kind: str) -> list[str]:
    entities = sorted(subject for subject in made.subjects() if subject.startswith(f"{BASE}{kind}/"))
    described = [entity for entity in entities if not is_scheme(made, entity)]
    return [label for entity in described for label in made.values("skos:prefLabel", entity)]


def is_scheme(made: Quads, entity: str) -> bool:
    return any(kind.endswith("#ConceptScheme") for kind in made.values("rdf:type", entity))


@pytest.mark.parametrize(
    "subject",
    [
        Subject((Geographic("Российская Федерация -- Конституция -- Официальные издания"),)),
        Subject((Geographic("Российская Федерация--Конституция--Официальные издания"),)),
        Subject((Geographic("Российская Федерация"), Topic("Конституция"), Topic("Официальные издания"))),
    ],
)
def test_of_a_heading_with_subdivisions_the_first_element_is_a_place_and_all_of_it_a_concept(subject):
    made = described(subject)
    assert labels(made, "place") == ["Российская Федерация"]
    assert labels(made, "concept") == ["Российская Федерация--Конституция--Официальные издания"]
    (concept,) = made.values("dcterms:subject")
    (place,) = made.values("dcterms:spatial")
    assert concept.startswith(":concept/")
    assert place.startswith(":place/rossiiskaia-federatsiia-")
    assert made.values("dcterms:hasPart", concept) == [place]


def test_an_identifier_of_a_compound_heading_is_not_that_of_its_place():
    uri = "http://id.loc.gov/authorities/subjects/sh85115861"
    made = described(Subject((Geographic("Россия -- История", value_uri=uri),), authority="lcsh"))
    assert made.values("dcterms:subject") == [":concept/lcsh/lcsh-sh85115861"]
    assert "sh85115861" not in made.values("dcterms:spatial")[0]


def test_a_heading_of_one_element_has_no_parts():
    made = described(Subject((Geographic("Россия"),)))
    (concept,) = made.values("dcterms:subject")
    assert made.values("dcterms:hasPart", concept) == []
    assert labels(made, "place") == ["Россия"]


def test_the_levels_of_a_hierarchy_are_places_each():
    made = described(Subject((HierarchicalGeographic(country=("Россия",), city=("Санкт-Петербург",)),)))
    assert sorted(labels(made, "place")) == ["Россия", "Санкт-Петербург"]
    assert made.values("dcterms:subject") == []


def test_a_person_in_a_compound_heading_is_linked_from_it():
    made = described(Subject((person("Толстой, Л. Н.", "1828-1910"), Topic("Письма"))))
    agent, concept = made.values("dcterms:subject")
    assert made.values("dcterms:hasPart", concept) == [agent]


def test_country_codes_of_iso_are_those_of_marc():
    made = described(Subject((GeographicCode("RU", authority="iso3166"), GeographicCode("aw", authority="marcgac"))))
    assert made.values("dcterms:spatial") == [f"{COUNTRIES}ru", "http://id.loc.gov/vocabulary/geographicAreas/aw"]


@pytest.mark.parametrize("text", ["--", " -- ", ""])
def test_a_heading_without_words_has_no_statements(text):
    made = cluster_statements(alone(Mods(subject=(Subject((Geographic(text), Name())),))), [], IRIS)
    assert [(claim.entity, claim.value.entities) for claim in made.claims] == [(WORK, ())]


def test_a_single_topic_has_its_identifier_and_one_of_the_complete_heading_comes_first():
    part, complete = (f"http://id.loc.gov/authorities/subjects/sh8511586{number}" for number in (1, 2))
    made = described(Subject((Topic("История", value_uri=part),), authority="lcsh"))
    assert made.values("dcterms:subject") == [":concept/lcsh/lcsh-sh85115861"]
    made = described(Subject((Topic("История", value_uri=part),), authority="lcsh", value_uri=complete))
    assert made.values("dcterms:subject") == [":concept/lcsh/lcsh-sh85115862"]


def test_a_coded_period_is_one_value_and_no_heading():
    start, end = (
        Temporal("1930", encoding="iso8601", point="start"),
        Temporal("1969", encoding="iso8601", point="end"),
    )
    made = described(Subject((start, end)))
    assert made.values("dcterms:temporal") == ["1930/1969"]
    assert made.values("dcterms:subject") == []


def test_a_period_in_words_is_a_heading():
    made = described(Subject((Temporal("19th century"),), authority="fast"))
    assert made.values("dcterms:temporal") == ["19th century"]
    assert len(made.values("dcterms:subject")) == 1
