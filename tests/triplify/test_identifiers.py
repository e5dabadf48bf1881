"""Numbers: which are properties of the resource, and what the nodes contain."""

import pytest

from bibld.model.mods import Identifier, Location, Mods, Url
from bibld.triplify import cluster_statements
from tests.triplify.merged_book import BASE, IRIS, RESOURCE, Quads, alone

NODE = f"{RESOURCE}#identifier1"


def describe(*identifiers: Identifier) -> Quads:
    return Quads(cluster_statements(alone(Mods(identifier=identifiers)), [], IRIS).quads)


@pytest.mark.parametrize(
    ("kind", "text", "number", "source"),
    [
        ("issue number", "33Д-4451 Мелодия", "33Д-4451", "Мелодия"),
        ("issue number", "Мелодия SUCD 10-00119", "SUCD 10-00119", "Мелодия"),
        ("music plate", "11875 Музыка", "11875", "Музыка"),
        ("matrix number", "12-345", "12-345", None),
        ("local", "12 Музыка", "12 Музыка", None),
    ],
)
def test_the_number_of_a_publisher_and_its_name_are_separate(kind, text, number, source):
    made = describe(Identifier(text, type=kind))
    assert made.values("rdf:value", NODE) == [number]
    nodes = made.values("bf:source", NODE)
    assert [made.values("rdfs:label", BASE + node[1:]) for node in nodes] == ([[source]] if source else [])


@pytest.mark.parametrize("kind", ["legal deposit", "legal deposit number"])
def test_a_scheme_has_one_name(kind):
    assert describe(Identifier("90-1867", type=kind)).values("dc:type", NODE) == ["legal deposit"]


@pytest.mark.parametrize("text", ["5-7107-6512-0", "978-5-7107-6512-8"])
def test_both_forms_of_an_isbn_are_published(text):
    made = describe(Identifier(text, type="isbn"))
    assert made.values("bibo:isbn10") == ["5710765120"]
    assert made.values("bibo:isbn13") == ["9785710765128"]


def test_an_isbn_of_the_prefix_979_has_no_short_form():
    made = describe(Identifier("979-10-90636-07-1", type="isbn"))
    assert made.values("bibo:isbn13") == ["9791090636071"]
    assert made.values("bibo:isbn10") == []


@pytest.mark.parametrize(
    ("kind", "label", "predicate", "value"),
    [
        ("nbn", "dnb", "bf:source", "http://id.loc.gov/vocabulary/nationalbibschemes/dnb"),
        ("nbn", "Книжная летопись", "bf:source", "#source1"),
        ("legal deposit number", "U.S. Copyright Office", "bf:source", "#source1"),
        ("isbn", "v. 1", "bf:qualifier", "v. 1"),
    ],
)
def test_who_gave_a_number_is_its_source_and_no_qualifier(kind, label, predicate, value):
    made = describe(Identifier("9787107651", type=kind, display_label=label))
    other = "bf:qualifier" if predicate == "bf:source" else "bf:source"
    (stated,) = made.values(predicate, NODE)
    assert stated.endswith(value)
    assert made.values(other, NODE) == []
    if value.startswith("#"):
        assert made.values("rdfs:label", RESOURCE + value) == [label]


@pytest.mark.parametrize(
    ("code", "names"),
    [("DE-101", ["Deutsche Nationalbibliothek@de", "German National Library@en"]), ("XX-599", [])],
)
def test_a_library_that_gave_a_number_has_its_code_and_the_names_in_the_table(code, names):
    made = describe(Identifier("9787107651", type="nbn", display_label=code))
    source = f"{RESOURCE}#source1"
    assert (made.values("bf:code", source), made.values("rdfs:label", source)) == ([code], names)


@pytest.mark.parametrize("text", ["-", "()", "(OCoLC)", " . ", "—"])
def test_a_text_without_letters_and_figures_is_no_identifier(text):
    assert describe(Identifier(text, type="local")).values("bf:identifiedBy") == []


@pytest.mark.parametrize(
    ("text", "number", "predicate", "source"),
    [
        ("(XX-1)DNB1", "DNB1", "bf:code", "XX-1"),
        ("(Sirsi) a190962", "a190962", "rdfs:label", "Sirsi"),
        ("(DLC)   83240067", "83240067", "rdfs:label", "Library of Congress@en"),
    ],
)
def test_a_number_behind_parentheses_is_an_identifier_of_the_system_in_them(text, number, predicate, source):
    made = describe(Identifier(text, type="local"))
    assert made.values("rdf:value", NODE) == [number]
    assert made.values(predicate, f"{RESOURCE}#source1") == [source]


def test_a_doi_that_is_an_address_of_the_resource_is_not_stated_again():
    doi = Identifier("10.1000/182", type="doi")
    link = Url(value="https://doi.org/10.1000/182", usage="primary")
    for location, links in (((), ["https://doi.org/10.1000/182"]), ((Location(url=(link,)),), [])):
        made = Quads(cluster_statements(alone(Mods(identifier=(doi,), location=location)), [], IRIS).quads)
        assert made.values("bibo:doi") == ["10.1000/182"]
        assert made.values("rdfs:seeAlso") == links
