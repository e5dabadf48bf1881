"""What documents state: about the thing, about themselves, and their links."""

from __future__ import annotations

import re

import pytest

from tests.site.site import FORMATS, HTML, Link, Site, expand, value_of

pytestmark = pytest.mark.server

TOPICS = ("foaf:primaryTopic", "foaf:topic", "schema:about", "schema:mainEntity")
OF_THING = {
    "label": ("rdfs:label", "skos:prefLabel", "dcterms:title", "foaf:name", "schema:name"),
    "class": ("rdf:type",),
}
OF_DOCUMENT = {
    "licence": ("dcterms:license", "dcterms:rights", "schema:license"),
    "date": ("dcterms:modified", "dcterms:created", "dcterms:issued", "schema:dateModified"),
    "dataset": ("void:inDataset", "dcterms:isPartOf", "schema:isPartOf", "skos:inScheme"),
}
"""What is stated, and properties that may state it (Best Practices for Publishing Linked Data, 6 and 7; VoID, 7.1)."""


@pytest.mark.parametrize("name", OF_THING)
def test_the_document_describes_the_thing(site: Site, name: str) -> None:
    """Linked Data Principles, 3."""
    assert site.rdf.triples.objects(site.thing, *OF_THING[name])


def documents(site: Site) -> list[str]:
    found = [subject for name in TOPICS for subject in site.rdf.triples.subjects(name, site.thing)]
    return [each for each in found if each != site.thing]


@pytest.mark.parametrize("name", OF_DOCUMENT)
def test_the_document_states_what_it_is_about_and_its(site: Site, name: str) -> None:
    """Cool URIs for the Semantic Web, 4.3; Data on the Web Best Practices, 4 and 7."""
    assert documents(site)
    assert [value for each in documents(site) for value in site.rdf.triples.objects(each, *OF_DOCUMENT[name])]


def test_all_forms_contain_the_same_number_of_triples(site: Site) -> None:
    """RFC 9110, 3.2."""
    found = [site.follow(site.thing_url, media_type) for media_type in FORMATS]
    numbers = {each.media_type: len(set(each.triples.triples)) for each in found if each.status == 200}
    assert len(set(numbers.values())) == 1, numbers


def test_terms_of_the_site_are_described_at_their_iris(site: Site) -> None:
    """Best Practice Recipes, 1."""
    used = {each.predicate.value for each in site.rdf.triples.triples} | set(site.rdf.triples.objects(None, "rdf:type"))
    own = sorted(iri for iri in used if iri.startswith(site.base))
    if not own:
        site.lacks("term in the document")
    described = site.follow(site.address(own[0]), site.rdf.media_type).triples
    about = {value_of(each.subject) for each in described.triples}
    assert {iri for iri in own if iri.partition("#")[0] == own[0].partition("#")[0]} <= about


def test_it_links_to_other_things_and_those_of_the_site_answer(site: Site) -> None:
    """Linked Data Principles, 2 and 4."""
    targets = {
        value_of(each.object)
        for each in site.rdf.triples.triples
        if each.predicate.value != expand("rdf:type") and value_of(each.object).startswith("http")
    }
    targets = {iri for iri in targets if iri.partition("#")[0] not in (site.thing, *documents(site))}
    assert targets
    own = sorted(iri for iri in targets if iri.startswith(site.base) and " " not in iri)
    asked = own[:: max(1, len(own) // 5)][:5]
    found = {iri: site.follow(site.address(iri), site.rdf.media_type).status for iri in asked}
    assert set(found.values()) <= {200}, found


# -- headers and pages -------------------------------------------------------------------------------------------------


def relations(site: Site, relation: str) -> list[Link]:
    responses = (site.rdf, site.other, site.get(site.thing_url, site.rdf.media_type))
    return [link for response in responses for link in site.links(response, relation) if link.target]


@pytest.mark.parametrize("relation", ["alternate", "describedby", "license", "cite-as", "type"])
def test_the_header_link_names(site: Site, relation: str) -> None:
    """RFC 8288, 3; FAIR Signposting, level 1."""
    assert site.rdf.header("link").isascii()
    assert relations(site, relation)


def test_the_description_that_it_names_answers(site: Site) -> None:
    """RFC 8288, 3.3."""
    link = next(link for link in relations(site, "describedby") if site.is_own(link.target))
    response = site.follow(link.target, link.type or None)
    assert (response.status, response.media_type) == (200, link.type or response.media_type)


def test_pages_link_to_the_data_and_load_nothing_from_other_hosts(site: Site) -> None:
    """Best Practices for Publishing Linked Data, 8; Data on the Web Best Practices, 35."""
    page = site.follow(site.thing_url, HTML).body.decode()
    links = re.findall(r"<link\b[^>]*>", page)
    assert any("alternate" in each and any(kind in each for kind in FORMATS) and "href=" in each for each in links)
    loaded = re.findall(r"""<(?:script|img|iframe)\b[^>]*\bsrc=["']?(https?://[^"'\s>]+)""", page)
    loaded += re.findall(r"""href=["']?(https?://[^"'\s>]+)""", "".join(each for each in links if "stylesheet" in each))
    assert [each for each in loaded if not site.is_own(each)] == []
