"""Documents are the same statements in every syntax, whatever a record contains."""

from __future__ import annotations

import json

import pyoxigraph as ox
import pytest
import rdflib
from hypothesis import given
from hypothesis import strategies as st

from bibld.model.iris import Iris
from bibld.model.rdf import PREFIXES, XSD, iri, literal, quad
from bibld.serve._writers import Writers
from bibld.serve.ontology import load_vocabulary

BASE = "https://data.example.org/lod/"
THING = f"{BASE}resource/rsl/1"
DOCUMENT = f"{BASE}doc/resource/rsl/1"
GRAPH = iri(f"{BASE}graph/provenance")
VOCABULARY = load_vocabulary(Iris(BASE))
WRITERS = Writers(VOCABULARY.prefixes, VOCABULARY.context, BASE)
SYNTAXES = {
    "ttl": (ox.RdfFormat.TURTLE, "turtle"),
    "nt": (ox.RdfFormat.N_TRIPLES, "nt"),
    "jsonld": (ox.RdfFormat.JSON_LD, "json-ld"),
    "rdf": (ox.RdfFormat.RDF_XML, "xml"),
}

# What XML cannot contain is in no RDF/XML either; the model replaces the rest that RDF cannot represent.
TEXTS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\x00\ufffe\uffff")) | st.sampled_from(
    [
        'a "quoted" <b> @en ^^<x> .',
        "\\u0041 \\n",
        "a\nb\r\tc",
        "\u2028\u0085\x0b\x0c\x1c\x7f",
        " <https://data.example.org/lod/graph/provenance> .",
        THING,
        f"{THING}#title1",
        "_:b0",
        "@id",
        "",
    ]
)
XML_TEXTS = TEXTS.filter(lambda text: all(character >= " " or character in "\t\n" for character in text))
# rdflib's parser of N-Triples takes other characters for the end of a line.
ONE_LINE = TEXTS.filter(lambda text: not set(text) & set("\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"))
LOCAL_NAMES = ["title", "a.b", "a-", "~D0", "1", "", "x%20y", "é", "a/b", "label"]
SPACES = sorted({*PREFIXES.values(), f"{BASE}ontology#", f"{BASE}agent/", f"{THING}#", "http://other.example/x:"})
IRIS = st.builds(str.__add__, st.sampled_from(SPACES), st.sampled_from(LOCAL_NAMES)) | st.sampled_from(
    [
        THING,
        "schema:Book",
        "dc:title",
        "bf://x",
        "void:",
        "urn:isbn:1",
        "mailto:a@b.example",
        f"{BASE}graph/provenance",
        "http://e.example/é?a=b#c",
    ]
)
PREDICATES = st.sampled_from(
    [
        PREFIXES[prefix] + name
        for prefix, name in (
            ("rdf", "type"),
            ("rdf", "value"),
            ("bf", "title"),
            ("bf", "agent"),
            ("dcterms", "title"),
            ("dcterms", "creator"),
            ("schema", "birthDate"),
            ("schema", "numberOfPages"),
            ("owl", "sameAs"),
            ("relators", "aut"),
        )
    ]
    + [f"{BASE}ontology#score", "http://other.example/a_b"]
)
DATATYPES = st.sampled_from(
    # xsd:string is the datatype of a plain literal, and is never written.
    [f"{XSD}{name}" for name in ("gYear", "integer", "decimal", "boolean", "dateTime")]
    + ["http://id.loc.gov/datatypes/edtf", "http://other.example/a.b", PREFIXES["rdf"] + "JSON"]
)
NUMBERS = st.sampled_from(["1", "01", "+1", "-0", ".5", "1.", "1.0", "1e5", "true", "false", "1970", ""])
SUBJECTS = st.sampled_from([THING, *(f"{THING}#{name}" for name in ("title1", "title2", "a.b", "value-x--1", "~D0"))])


def texts_of(texts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return texts.map(literal) | st.builds(literal, texts, st.sampled_from(["ru", "ru-latn", "en", "x-a1"]))


def typed(texts: st.SearchStrategy[str], datatypes: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(lambda text, datatype: literal(text, datatype=datatype), texts, datatypes)


def documents(literals: st.SearchStrategy[str]) -> st.SearchStrategy[bytes]:
    """Lines as a release has them: about a thing, its hash IRIs and its document; sorted."""
    objects = literals | IRIS.map(iri) | SUBJECTS.map(iri)
    graphs = st.none() | st.just(GRAPH)
    lines = st.builds(quad, SUBJECTS.map(iri), PREDICATES.map(iri), objects, graphs)
    about = quad(iri(DOCUMENT), iri(PREFIXES["foaf"] + "primaryTopic"), iri(THING))
    return st.lists(lines, max_size=30).map(lambda some: "".join([*sorted(set(some)), about]).encode())


def parsed(body: bytes, form: str) -> list[ox.Triple]:
    return [each.triple for each in ox.parse(body, format=SYNTAXES[form][0], base_iri="http://wrong.example/")]


def stated(lines: bytes) -> set[ox.Triple]:
    return {each.triple for each in ox.parse(lines, format=ox.RdfFormat.N_QUADS)}


@pytest.mark.parametrize("form", ["ttl", "nt", "jsonld"])
@given(lines=documents(texts_of(TEXTS) | typed(TEXTS | NUMBERS, DATATYPES)))
def test_a_document_contains_the_statements_of_its_lines_each_once(form, lines):
    found = parsed(WRITERS.write(form, lines, THING), form)
    assert set(found) == stated(lines)
    assert len(found) == len(set(found))


@given(lines=documents(texts_of(XML_TEXTS) | typed(XML_TEXTS | NUMBERS, DATATYPES)))
def test_rdf_xml_contains_the_same_statements(lines):
    assert set(parsed(WRITERS.write("rdf", lines, THING), "rdf")) == stated(lines)


@pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated")  # rdflib's parser of JSON-LD uses it itself
@pytest.mark.parametrize("form", ["ttl", "nt", "jsonld"])
@given(lines=documents(texts_of(ONE_LINE) | typed(st.sampled_from(["1", "350"]), st.just(f"{XSD}integer"))))
def test_another_parser_reads_the_same_graph(form, lines):
    expected = rdflib.Graph().parse(data=WRITERS.write("nt", lines, THING), format="nt")
    found = rdflib.Graph().parse(data=WRITERS.write(form, lines, THING), format=SYNTAXES[form][1])
    assert set(found) == set(expected)


STATEMENTS = "".join(
    sorted(
        [
            quad(iri(THING), iri(PREFIXES["dcterms"] + "title"), literal("Война и мир", "ru")),
            quad(iri(THING), iri(PREFIXES["dcterms"] + "title"), literal("Война и мир", "ru"), GRAPH),
            quad(iri(THING), iri(PREFIXES["dcterms"] + "creator"), iri(f"{BASE}agent/x")),
            quad(iri(THING), iri(PREFIXES["bf"] + "title"), iri(f"{THING}#title1")),
            quad(iri(THING), iri(PREFIXES["rdf"] + "type"), iri(PREFIXES["bibo"] + "Book")),
            quad(iri(f"{THING}#title1"), iri(PREFIXES["rdf"] + "type"), iri(PREFIXES["bf"] + "Title")),
            quad(iri(f"{THING}#title1"), iri(PREFIXES["bf"] + "mainTitle"), literal("Война\nи мир")),
            quad(iri(THING), iri(PREFIXES["schema"] + "numberOfPages"), literal("350", datatype=f"{XSD}integer")),
            quad(iri(THING), iri(PREFIXES["dcterms"] + "issued"), literal("1965", datatype=f"{XSD}gYear")),
        ]
    )
)
LINES = (STATEMENTS + quad(iri(DOCUMENT), iri(PREFIXES["foaf"] + "primaryTopic"), iri(THING))).encode()


def test_turtle_has_the_thing_first_and_only_the_prefixes_that_are_used():
    assert WRITERS.write("ttl", LINES, THING).decode() == (
        "@prefix bf: <http://id.loc.gov/ontologies/bibframe/> .\n"
        "@prefix bibo: <http://purl.org/ontology/bibo/> .\n"
        "@prefix dcterms: <http://purl.org/dc/terms/> .\n"
        "@prefix foaf: <http://xmlns.com/foaf/0.1/> .\n"
        "@prefix schema: <http://schema.org/> .\n"
        "@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n"
        f"@prefix : <{THING}#> .\n"
        "\n"
        f"<{THING}> a bibo:Book ;\n"
        "    bf:title :title1 ;\n"
        f"    dcterms:creator <{BASE}agent/x> ;\n"
        '    dcterms:issued "1965"^^xsd:gYear ;\n'
        '    dcterms:title "Война и мир"@ru ;\n'
        "    schema:numberOfPages 350 .\n"
        "\n"
        ":title1 a bf:Title ;\n"
        '    bf:mainTitle "Война\\nи мир" .\n'
        "\n"
        f"<{DOCUMENT}> foaf:primaryTopic <{THING}> .\n"
    )


def test_json_ld_has_hash_iris_inside_the_thing_and_the_part_of_the_context_that_it_needs():
    assert json.loads(WRITERS.write("jsonld", LINES, THING)) == {
        "@context": {
            "bf": PREFIXES["bf"],
            "bibo": PREFIXES["bibo"],
            "dcterms": PREFIXES["dcterms"],
            "dcterms:creator": {"@type": "@id"},
            "foaf": PREFIXES["foaf"],
            "foaf:primaryTopic": {"@type": "@id"},
            "schema": PREFIXES["schema"],
            "schema:numberOfPages": {"@type": "xsd:integer"},
            "xsd": PREFIXES["xsd"],
        },
        "@graph": [
            {
                "@id": THING,
                "@type": "bibo:Book",
                "bf:title": {"@id": f"{THING}#title1", "@type": "bf:Title", "bf:mainTitle": "Война\nи мир"},
                "dcterms:creator": f"{BASE}agent/x",
                "dcterms:issued": {"@type": "xsd:gYear", "@value": "1965"},
                "dcterms:title": {"@language": "ru", "@value": "Война и мир"},
                "schema:numberOfPages": "350",
            },
            {"@id": DOCUMENT, "foaf:primaryTopic": THING},
        ],
    }


def test_a_long_chain_of_hash_iris_is_not_nested_without_end():
    chain = [
        quad(iri(f"{THING}#{number:05}"), iri(PREFIXES["bf"] + "title"), iri(f"{THING}#{number + 1:05}"))
        for number in range(5000)
    ]
    lines = "".join(chain).encode()
    assert set(parsed(WRITERS.write("jsonld", lines, THING), "jsonld")) == stated(lines)


@pytest.mark.parametrize("form", SYNTAXES)
def test_nothing_is_written_of_nothing(form):
    assert parsed(WRITERS.write(form, b"", THING), form) == []
