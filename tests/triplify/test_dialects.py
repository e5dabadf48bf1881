"""Whoever knows the data of the German or the French national library finds their properties where they are chosen."""

from __future__ import annotations

from bibld.config import TriplifyConfig
from bibld.triplify import cluster_statements
from tests.triplify.merged_book import EDGE, IRIS, MERGED, Quads


def book(*dialects) -> Quads:
    return Quads(cluster_statements(MERGED, [EDGE], IRIS, TriplifyConfig(dialects=dialects)).quads)


def test_a_user_of_dnb_finds_plain_texts_and_the_iri_of_the_authority():
    made = book("dnb")
    assert made.values("dc:title") == ["Anna Karenina", "Анна Каренина"]
    assert made.values("dc:publisher") == ["Наука"]
    assert made.values("rdau:P60163") == ["М."]
    assert made.values("rdau:P60333") == made.values("bf:publicationStatement")
    assert made.values("dcterms:issued") == ["1970^gYear"]
    assert made.values("dc:identifier") == ["(OCoLC)35782"]
    assert "http://id.loc.gov/authorities/names/n79068416" in made.values("dcterms:creator")


def test_a_user_of_bnf_finds_its_elements_and_the_isbn_as_printed():
    made = book("bnf")
    assert made.values("bnf-onto:isbn") == ["5-7107-6512-0"]
    assert made.values("rdagroup1elements:publishersName") == ["Наука"]
    assert made.values("rdagroup1elements:dateOfPublicationManifestation") == ["1970"]
    assert made.values("dc:title") == []


def test_dialects_only_add_statements():
    assert set(book().lines) < set(book("bnf").lines) < set(book("dnb", "bnf").lines)
