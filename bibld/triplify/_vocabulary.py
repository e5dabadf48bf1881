"""The vocabularies of others that the published statements use, by the prefixes of ``ontology/context.jsonld``."""

from __future__ import annotations

from functools import cache

from bibld.model.rdf import iri

PREFIXES = {
    "bf": "http://id.loc.gov/ontologies/bibframe/",
    "bibo": "http://purl.org/ontology/bibo/",
    "dc": "http://purl.org/dc/elements/1.1/",
    "dcat": "http://www.w3.org/ns/dcat#",
    "dcterms": "http://purl.org/dc/terms/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "isbd": "http://iflastandards.info/ns/isbd/elements/",
    "owl": "http://www.w3.org/2002/07/owl#",
    "prov": "http://www.w3.org/ns/prov#",
    "rdau": "http://rdaregistry.info/Elements/u/",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "relators": "http://id.loc.gov/vocabulary/relators/",
    "schema": "http://schema.org/",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "void": "http://rdfs.org/ns/void#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
"""Prefix → namespace."""

LOC = "http://id.loc.gov/vocabulary/"
"""Where the code lists of the Library of Congress are."""

EDTF = "http://id.loc.gov/datatypes/edtf"
"""The datatype of dates that are no XSD dates: ranges, say."""


@cache
def name(curie: str) -> str:
    """The term that a compact IRI such as ``dcterms:title`` stands for; raises ``KeyError`` for an unknown prefix."""
    prefix, _, local = curie.partition(":")
    return iri(PREFIXES[prefix] + local)


def loc(scheme: str, code: str) -> str:
    """The term for a code of a code list of the Library of Congress."""
    return iri(f"{LOC}{scheme}/{code}")
