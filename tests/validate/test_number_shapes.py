"""The shapes of the ontology see empty identifiers, sources as qualifiers, two playing times, two towns as one."""

import pytest

from bibld.model.rdf import expand, iri, literal, quad, typed_literal
from bibld.serve.ontology import ontology_text
from tests.triplify.merged_book import IRIS
from tests.validate.agreement import found_by_bibld

SHAPES = ontology_text("shapes.ttl", IRIS)
NODE = iri("https://data.example.org/resource/s/1#identifier1")


def violations(*statements: tuple[str, str], severity: str = "violation") -> set[str]:
    """Return the components of SHACL that statements about one node violate."""
    lines = "".join(quad(NODE, iri(expand(predicate)), value) for predicate, value in statements)
    found = found_by_bibld(lines, SHAPES)
    return {component.rpartition("#")[2] for focus, _, component, _, level in found if level == severity}


def identifier(class_: str, value: str, **others: str) -> set[str]:
    return violations(
        ("rdf:type", iri(expand(class_))),
        ("rdf:value", literal(value)),
        *((f"bf:{name}", literal(text)) for name, text in others.items()),
    )


@pytest.mark.parametrize("value", ["-", "()", "(OCoLC)", "…"])
def test_an_empty_identifier_is_seen(value):
    assert any("Pattern" in one for one in identifier("bf:Local", value))


@pytest.mark.parametrize("value", ["1", "(DE-599)DNB1", "А-17", "12 (a)", "(1"])
def test_an_identifier_with_a_number_is_right(value):
    assert not identifier("bf:Local", value)


def test_a_bibliography_as_a_qualifier_is_seen():
    assert any("MaxCount" in one for one in identifier("bf:Nbn", "05,N01", qualifier="dnb"))
    assert not identifier("bf:Isbn", "9785710765128", qualifier="v. 1")


def test_two_playing_times_are_seen():
    times = [("bf:duration", typed_literal(text, "duration")) for text in ("PT1H", "PT2H")]
    instance = ("rdf:type", iri(expand("bf:Instance")))
    assert any("MaxCount" in one for one in violations(instance, *times))


@pytest.mark.parametrize(("numbers", "is_seen"), [([], False), ([524901], False), ([524901, 498817], True)])
def test_two_towns_taken_for_one_are_seen(numbers, is_seen):
    links = [("owl:sameAs", iri(f"https://sws.geonames.org/{number}/")) for number in numbers]
    found = violations(("rdf:type", iri(expand("bf:Place"))), *links, severity="warning")
    assert any("Qualified" in one for one in found) == is_seen
