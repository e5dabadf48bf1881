"""The ontologies are in OWL 2 DL, and the check finds what is not."""

import pytest
import rdflib
from rdflib.namespace import OWL

from bibld.serve.ontology import ONTOLOGIES, ontology_text
from tests.ontology.owl_dl import violations
from tests.triplify.merged_book import BASE, IRIS

PREFIXES = """
@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:A a owl:Class . :B a owl:Class . :o a owl:ObjectProperty . :p a owl:ObjectProperty .
:d a owl:DatatypeProperty . :a a owl:AnnotationProperty . :i a owl:NamedIndividual .
"""


def with_imports(name: str) -> rdflib.Graph:
    """The graph of an ontology and of all that it imports, directly or not."""
    graph = rdflib.Graph().parse(data=ontology_text(ONTOLOGIES[name], IRIS), format="turtle")
    for imported in list(graph.objects(None, OWL.imports)):
        graph += with_imports(str(imported).removeprefix(f"{BASE}ontology").removeprefix("/"))
    return graph


@pytest.mark.parametrize("name", ["", "terms", "alignment"])
def test_the_ontologies_are_in_owl_2_dl(name):
    assert violations(with_imports(name)) == []


def test_all_vocabularies_together_are_in_owl_2_dl():
    assert len(with_imports("alignment")) > 1500
    assert violations(with_imports("alignment")) == []


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        (":d rdfs:subPropertyOf rdfs:comment .", "not properties of one kind"),
        (":o rdfs:subPropertyOf :d .", "not properties of one kind"),
        (":unknown rdfs:subPropertyOf :o .", "not properties of one kind"),
        (":a owl:equivalentProperty rdfs:label .", "is an axiom about it"),
        (":o a owl:DatatypeProperty .", "is declared as datatype property and object property"),
        (":A a rdfs:Datatype .", "is declared as class and datatype"),
        (":A rdfs:subClassOf :C .", "used as class"),
        (":i a :C .", "used as class"),
        (":i :q :i .", "used as object property or datatype property or annotation property"),
        (':i :o "text" .', "has a literal"),
        (":i :d :i .", "has an IRI"),
        (":d rdfs:range :A .", "used as datatype"),
        (":d rdfs:range xsd:gYear .", "used as datatype"),
        (":o rdfs:range xsd:string .", "used as class"),
        (":d owl:inverseOf :o .", "used as object property"),
        (":d a owl:TransitiveProperty .", "used as object property"),
        (":o a owl:TransitiveProperty ; rdfs:subPropertyOf :p . :p a owl:FunctionalProperty .", "is not simple"),
        (":i :o rdfs:label .", "used as an individual"),
        ("rdfs:label a owl:AnnotationProperty . rdfs:member a owl:ObjectProperty .", "is a reserved term"),
        (":A rdfs:subClassOf [ a owl:Restriction ] .", "a blank node"),
        (":i owl:imports :other .", "is no ontology"),
    ],
)
def test_the_check_finds_what_owl_2_dl_does_not_allow(statement, found):
    graph = rdflib.Graph().parse(data=PREFIXES + statement, format="turtle")
    assert any(found in each for each in violations(graph)), violations(graph)


def test_a_name_may_be_a_class_and_an_individual():
    graph = rdflib.Graph().parse(data=f"{PREFIXES} :A :o :B . :A rdfs:subClassOf :B .", format="turtle")
    assert violations(graph) == []
