"""Whoever knows the data of the German or the French national library finds their properties where they are chosen."""

from __future__ import annotations

import pytest

from bibld.config import TriplifyConfig
from bibld.model.mods import Date, Extent, Identifier, Mods, Name, NamePart, OriginInfo, PhysicalDescription
from bibld.triplify import cluster_statements, entity_statements
from tests.triplify.merged_book import EDGE, IRIS, MERGED, Quads, alone, code, person


def book(*dialects) -> Quads:
    return Quads(cluster_statements(MERGED, [EDGE], IRIS, TriplifyConfig(dialects=dialects)).quads)


def test_a_user_of_dnb_finds_plain_texts_and_the_iri_of_the_authority():
    made = book("dnb")
    assert made.values("dc:title") == ["Anna Karenina", "Анна Каренина"]
    assert made.values("dc:publisher") == ["Наука"]
    assert made.values("rdau:P60163") == ["М."]
    assert made.values("rdau:P60333") == made.values("bf:publicationStatement")
    assert made.values("dcterms:issued") == ["1970^gYear"]
    assert "(OCoLC)35782" in made.values("dc:identifier")
    assert "http://id.loc.gov/authorities/names/n79068416" in made.values("dcterms:creator")


def test_a_user_of_bnf_finds_its_elements_and_the_isbn_as_printed():
    made = book("bnf")
    assert made.values("bnf-onto:isbn") == ["5-7107-6512-0"]
    assert made.values("rdagroup1elements:publishersName") == ["Наука"]
    assert made.values("rdagroup1elements:dateOfPublicationManifestation") == ["1970"]
    assert made.values("dc:title") == []


def test_a_user_of_schema_org_finds_its_properties():
    made = book("schema")
    assert made.values("schema:name") == ["Anna Karenina : roman@ru-latn", "Анна Каренина : роман@ru"]
    assert made.values("schema:isbn") == ["9785710765128"]
    assert made.values("schema:datePublished") == ["1970^gYear"]
    assert made.values("schema:inLanguage") == ["ru"]
    assert made.values("schema:author") == made.values("relators:aut")
    assert made.values("schema:editor") == made.values("relators:edt")
    assert made.values("schema:publisher") == made.values("dcterms:publisher")


@pytest.mark.parametrize(
    ("property_", "description"),
    [
        ("schema:isbn", Mods(identifier=(Identifier("5-7107-6512-0", type="isbn"),))),
        ("schema:issn", Mods(identifier=(Identifier("0131-2332", type="issn"),))),
        ("schema:numberOfPages", Mods(physical_description=(PhysicalDescription(extent=(Extent("12 с."),)),))),
        ("schema:datePublished", Mods(origin_info=(OriginInfo(date_issued=(Date("not before the war"),)),))),
        ("schema:illustrator", Mods(name=(person("Билибин, И. Я.", role=code("ill")),))),
        ("schema:editor", Mods(name=(Name((NamePart("Академия наук"),), type="corporate", role=code("edt")),))),
        ("schema:author", Mods(name=(Name((NamePart("Съезд"),), type="conference", role=code("aut")),))),
    ],
)
def test_schema_org_is_stated_only_where_it_allows_it(property_, description):
    """An ISBN and an illustrator are those of a book, a number of pages too; no organisation is an editor."""
    chosen = TriplifyConfig(dialects=("schema",))
    made = Quads(cluster_statements(alone(description), [], IRIS, chosen).quads)
    assert made.values("rdf:type") != []
    assert made.values(property_) == []


@pytest.mark.parametrize(("dialect", "property_"), [("bnf", "foaf:name"), ("schema", "schema:name")])
def test_names_of_agents_and_publishers_have_the_property_of_the_dialect(dialect, property_):
    claims = cluster_statements(MERGED, [EDGE], IRIS).claims
    for agent in {claim.entity for claim in claims if claim.kind in ("agent", "publisher")}:
        assert Quads(entity_statements(agent, claims, IRIS)).values(property_, agent) == []
        made = Quads(entity_statements(agent, claims, IRIS, (dialect,)))
        assert made.values(property_, agent) == made.values("rdfs:label", agent) != []


def test_dialects_only_add_statements():
    assert set(book().lines) < set(book("bnf").lines) < set(book("dnb", "bnf").lines)
