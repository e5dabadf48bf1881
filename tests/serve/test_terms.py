"""The ontologies read as terms and shapes."""

import pytest

from bibld.serve.ontology import Condition, Ontology, OntologyShape, OntologyTerm, best_text, by_vocabulary

BASE = "https://data.example.org/ontology"
TERMS = f"""
@prefix : <{BASE}#> .
@prefix ex: <http://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
<{BASE}> a owl:Ontology ; owl:versionIRI <{BASE}/2026-01-01> ; rdfs:label "The ontology" .
ex:Other a owl:Class .
[] a ex:Other .
:part a owl:ObjectProperty ; rdfs:subPropertyOf ex:b , ex:a ; owl:inverseOf ex:whole .
:Work a owl:Class ; rdfs:label "Произведение"@ru , "Work"@en ; rdfs:comment "A work." ; rdfs:subClassOf ex:Other .
:scheme a ex:Scheme .
"""
SHAPES = f"""
@prefix : <{BASE}/shapes#> .
@prefix ex: <http://example.org/> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Work a sh:NodeShape ; rdfs:label "work"@en ; sh:targetClass ex:Work ; sh:severity sh:Warning ;
    sh:message "A work is known."@en ;
    sh:property [ sh:path ex:title ; sh:message "It has a title."@en , "Есть заглавие."@ru ] ,
        [ sh:path ex:silent ] .
"""


def test_terms_have_kind_labels_definitions_and_relations_in_both_directions():
    ontology = Ontology.from_turtle(TERMS)
    work, other, part = ontology.terms()
    assert other == OntologyTerm("http://example.org/Other", "ex:Other", "class", {}, {}, {"below": (f"{BASE}#Work",)})
    assert work == OntologyTerm(
        f"{BASE}#Work",
        ":Work",
        "class",
        {"en": "Work", "ru": "Произведение"},
        {"": "A work."},
        {"above": ("http://example.org/Other",)},
    )
    assert part.kind == "object property"
    assert part.relations == {
        "above": ("http://example.org/a", "http://example.org/b"),
        "inverse": ("http://example.org/whole",),
    }


def test_only_the_terms_that_are_wanted_are_returned():
    assert [term.name for term in Ontology.from_turtle(TERMS).terms(lambda iri: iri.startswith(BASE))] == [
        ":Work",
        ":part",
    ]


def test_shapes_have_targets_and_conditions_with_their_severity():
    (shape,) = Ontology.from_turtle(SHAPES).shapes()
    assert shape == OntologyShape(
        f"{BASE}/shapes#Work",
        {"en": "work"},
        ("http://example.org/Work",),
        (
            Condition("", "Warning", {"en": "A work is known."}),
            Condition("ex:title", "Violation", {"en": "It has a title.", "ru": "Есть заглавие."}),
        ),
    )


def test_the_same_files_give_the_same_triples():
    assert Ontology.from_turtle(TERMS, SHAPES).triples == Ontology.from_turtle(TERMS, SHAPES).triples


def test_values_of_the_ontology_itself():
    ontology = Ontology.from_turtle(TERMS)
    assert ontology.values(BASE, "owl:versionIRI") == (f"{BASE}/2026-01-01",)
    assert ontology.values(BASE, "owl:priorVersion") == ()


def test_what_is_not_turtle_is_refused():
    with pytest.raises(SyntaxError):
        Ontology.from_turtle("this is no Turtle")


@pytest.mark.parametrize(
    ("texts", "language", "best"),
    [
        ({"ru": "р", "en": "e"}, "ru", "р"),
        ({"en": "e"}, "ru", "e"),
        ({"ru": "р"}, "en", "р"),
        ({"": "x", "de": "d"}, "en", "x"),
        ({}, "en", ""),
    ],
)
def test_the_best_text_is_in_the_language_asked_for(texts, language, best):
    assert best_text(texts, language) == best


def test_terms_are_grouped_by_vocabulary():
    groups = by_vocabulary(Ontology.from_turtle(TERMS).terms())
    assert [(prefix, [term.name for term in terms]) for prefix, terms in groups] == [
        ("", [":Work", ":part"]),
        ("ex", ["ex:Other"]),
    ]
