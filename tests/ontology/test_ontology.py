"""The ontology, its shapes, context and example queries."""

import re
import warnings
from pathlib import Path

import msgspec
import pyoxigraph as ox
import pytest
import rdflib
from msgspec.structs import replace
from rdflib.namespace import OWL, RDF, RDFS

from bibld.config import TriplifyConfig
from bibld.link._linking import describe_link
from bibld.link._values import AuthorityRecord, Match
from bibld.model.linkage import Cluster, Merged
from bibld.model.mods import Identifier, Language, LanguageTerm, Mods
from bibld.model.rdf import PREFIXES, expand
from bibld.serve.ontology import PLACEHOLDER, context, example_queries, folder, ontology_text
from bibld.triplify import cluster_statements, dataset_statements, entity_statements
from tests.triplify.merged_book import BASE, EDGE, IRIS, MERGED, NLR

BIBLD = Path(__file__).parents[2] / "bibld"
TERM = f"{BASE}ontology#"
CLASSES = (OWL.Class, OWL.ObjectProperty, OWL.DatatypeProperty)


def graph(name: str) -> rdflib.Graph:
    return rdflib.Graph().parse(data=ontology_text(name, IRIS), format="turtle")


DATASET = (
    f'<{BASE}dataset> <{expand("dcterms:title")}> "Books"@en .\n',
    f"<{BASE}dataset> <{expand('dcterms:license')}> <https://creativecommons.org/publicdomain/zero/1.0/> .\n",
)
"""What a release states about the dataset, among other things."""


PARTS = (
    *("translation", "intermediate translation", "summary", "table of contents", "libretto", "subtitles"),
    "accompanying material",
)
"""Parts of a publication, and its original, that may be in another language than its text."""


def published(*dialects: str) -> list[str]:
    english = (LanguageTerm("eng", type="code"),)
    languages = (*MERGED.mods.language, *(Language(english, object_part=part) for part in PARTS))
    merged = replace(MERGED, mods=replace(MERGED.mods, language=languages))
    made = cluster_statements(merged, [EDGE], IRIS, TriplifyConfig(dialects=dialects))
    lines = [*made.quads, *dataset_statements([], IRIS), *DATASET]
    for entity in sorted({claim.entity for claim in made.claims}):
        lines += entity_statements(entity, made.claims, IRIS, dialects)
    found = Match(AuthorityRecord("http://viaf.org/viaf/96987389"), 0.998, ("the same name and years",))
    return [*lines, *describe_link("viaf", made.claims[0].entity, found, IRIS)]


@pytest.fixture(scope="module")
def ontology() -> rdflib.Graph:
    return rdflib.Graph().parse(data=ontology_text("bibld.ttl", IRIS), format="turtle")


@pytest.fixture(scope="module")
def declared(ontology) -> set[str]:
    return {str(term) for kind in CLASSES for term in ontology.subjects(RDF.type, kind)}


@pytest.mark.parametrize("name", ["bibld.ttl", "terms.ttl", "alignment.ttl", "shapes.ttl"])
def test_the_files_use_the_base_of_the_site(name):
    assert PLACEHOLDER not in ontology_text(name, IRIS)
    assert (rdflib.URIRef(f"{BASE}ontology"), RDF.type, OWL.Ontology) in graph("bibld.ttl")
    assert len(graph(name)) > 20


def test_every_term_has_label_and_comment_in_both_languages(ontology, declared):
    assert declared
    for term in sorted(declared):
        for predicate in (RDFS.label, RDFS.comment):
            languages = {text.language for text in ontology.objects(rdflib.URIRef(term), predicate)}
            assert languages == {"en", "ru"}, (term, predicate)
        assert term.startswith(TERM)


def test_every_term_that_the_data_use_is_declared(declared):
    used = set(re.findall(rf"{re.escape(TERM)}[A-Za-z]+", "".join(published())))
    called = {
        f"{TERM}{name}"
        for stage in ("triplify", "link")
        for file in (BIBLD / stage).rglob("*.py")
        for name in re.findall(r'(?:\.own_term|\.term)\("([A-Za-z]+)"', file.read_text("utf-8"))
    }
    assert used and called
    assert used | called <= declared


def test_every_declared_term_is_used(declared):
    assert declared == set(re.findall(rf"{re.escape(TERM)}[A-Za-z]+", "".join(published())))


def test_a_version_and_a_licence_are_stated(ontology):
    subject = rdflib.URIRef(f"{BASE}ontology")
    assert ontology.value(subject, OWL.versionIRI) is not None
    licence = ontology.value(subject, rdflib.DCTERMS.license)
    assert str(licence) == "https://creativecommons.org/publicdomain/zero/1.0/"


@pytest.mark.parametrize("name", ["alignment.ttl", "shapes.ttl"])
def test_other_files_speak_of_declared_terms_only(name, declared):
    terms = {str(term) for triple in graph(name) for term in triple if str(term).startswith(TERM)}
    assert terms
    assert terms <= declared


def shacl_report(lines: list[str]) -> tuple[bool, str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pyshacl's own deprecations are not ours
        import pyshacl

        data = rdflib.Graph()
        for quad in ox.parse("".join(lines), ox.RdfFormat.N_QUADS):
            data.parse(data=f"{quad.triple} .\n", format="nt")
        conforms, _, text = pyshacl.validate(data, shacl_graph=graph("shapes.ttl"))
        return conforms, text


@pytest.mark.parametrize("dialects", [(), ("bnf", "dnb", "schema")])
def test_a_typical_publication_has_the_promised_shape(dialects):
    conforms, text = shacl_report(published(*dialects))
    assert conforms, text


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (f'<{IRIS.resource(NLR)}> <{expand("bibo:isbn13")}> "978-5-7107-6512-8" .\n', "thirteen digits"),
        (f'<{IRIS.resource(NLR)}> <{expand("dcterms:creator")}> "Толстой" .\n', "agent with an IRI"),
        (f'<{IRIS.resource(NLR)}> <{expand("dcterms:issued")}> "1970"^^<{expand("xsd:integer")}> .\n', "exact year"),
        (f'<{IRIS.resource(NLR)}> <{expand("dcterms:issued")}> "[198-?]" .\n', "doubt in EDTF"),
        (f'<{IRIS.resource(NLR)}> <{expand("dcterms:title")}> "Карамазовы"@ru .\n', "one title proper"),
        (f'<{IRIS.resource(NLR)}> <{expand("bibo:edition")}> "Изд. 2-е /" .\n', "no marks of ISBD"),
        (f'<{IRIS.resource(NLR)}> <{expand("isbd:P1053")}> "5 p. &amp; map" .\n', "characters in place"),
        (f'<{IRIS.resource(NLR)}> <{expand("bibo:edition")}> "[2-е изд." .\n', "has its partner"),
        (f"<{BASE}x> <{expand('prov:wasDerivedFrom')}> <{IRIS.record(NLR)}> .\n", "has a class"),
        (f"<{IRIS.resource(NLR)}> <{RDF.type}> <{expand('bf:Serial')}> .\n", "no class of works"),
        (f"<{IRIS.resource(NLR)}> <{expand('bf:content')}> <{BASE}x> .\n", "for works only"),
        (f"<{IRIS.resource(NLR)}> <{expand('bf:language')}> <{BASE}x> .\n", "dcterms:language"),
        (f"<{IRIS.resource(NLR)}#title1> <{expand('bf:carrier')}> <{BASE}x> .\n", "for instances only"),
        (f"<{IRIS.resource(NLR)}> <{expand('bf:heldBy')}> <{BASE}x> .\n", "for copies only"),
        (f"<{IRIS.resource(NLR)}> <{expand('bf:note')}> <{IRIS.resource(NLR)}#title1> .\n", "its class and a label"),
        (f"<{BASE}x> <{expand('rdf:type')}> <{expand('bf:Item')}> .\n", "a library, a place or a shelf mark"),
        (
            f"<{BASE}x> <{expand('rdf:type')}> <{expand('bf:Item')}> .\n"
            f"<{BASE}x> <{expand('bf:heldBy')}> <{BASE}a> .\n"
            f"<{BASE}x> <{expand('bf:heldBy')}> <{BASE}b> .\n",
            "in one library",
        ),
        (
            f"<{BASE}x> <{expand('bf:heldBy')}> <{BASE}a> .\n"
            f'<{BASE}a> <{expand("skos:notation")}> "XX-1" .\n'
            f'<{BASE}a> <{expand("skos:prefLabel")}> "XX-1" .\n'
            f'<{BASE}a> <{expand("skos:prefLabel")}> "Library"@en .\n',
            "is not its name",
        ),
    ],
)
def test_the_shapes_find_what_is_wrong(line, what):
    conforms, text = shacl_report([*published(), line])
    assert not conforms
    assert what in text


@pytest.mark.parametrize(("extent", "is_found"), [("С. 239-371", True), ("p. 12", True), ("12 с.", False)])
def test_pages_of_an_article_are_no_extent(extent, is_found):
    article = IRIS.resource(NLR)
    _, text = shacl_report(
        [
            *published(),
            f"<{article}> <{RDF.type}> <{expand('bibo:Article')}> .\n",
            f'<{article}> <{expand("isbd:P1053")}> "{extent}" .\n',
        ]
    )
    assert ("not its extent" in text) == is_found


def test_a_publication_without_a_title_is_found():
    nameless = Merged(Cluster(NLR, (NLR,)), Mods(identifier=(Identifier("1", type="local"),)), ())
    conforms, text = shacl_report(list(cluster_statements(nameless, [], IRIS).quads))
    assert not conforms
    assert "title or a label" in text


def test_the_context_has_the_prefixes_of_the_data_and_reads_as_json_ld():
    terms = context(IRIS)
    prefixes = {name: iri for name, iri in terms.items() if isinstance(iri, str)}
    of_the_endpoint = {"sd"}
    assert prefixes == {"bibld": TERM} | {name: iri for name, iri in PREFIXES.items() if name not in of_the_endpoint}
    document = {"@context": terms, "@id": IRIS.resource(NLR), "dcterms:creator": IRIS.agent("viaf-1")}
    (quad,) = ox.parse(msgspec.json.encode(document), ox.RdfFormat.JSON_LD)
    assert quad.predicate.value == f"{expand('dcterms:creator')}"
    assert quad.object == ox.NamedNode(IRIS.agent("viaf-1"))


def test_every_term_of_the_context_has_a_known_prefix():
    terms = context(IRIS)
    assert all(name.partition(":")[0] in terms for name in terms if ":" in name)


def test_the_context_knows_every_property_whose_values_have_iris(ontology):
    terms = context(IRIS)
    graph_of_all = ontology + graph("terms.ttl")
    properties = {str(term) for term in graph_of_all.subjects(RDF.type, OWL.ObjectProperty)}
    prefixes = {name: iri for name, iri in terms.items() if isinstance(iri, str)}
    typed = {
        prefixes[name.partition(":")[0]] + name.partition(":")[2]
        for name, definition in terms.items()
        if definition == {"@type": "@id"}
    }
    relators = {each for each in properties if each.startswith(PREFIXES["relators"])}
    assert typed == properties - relators | {expand("owl:sameAs"), expand("rdfs:seeAlso"), expand("dcterms:license")}


def test_there_are_enough_examples_and_each_has_a_description():
    examples = example_queries(IRIS)
    assert len(examples) >= 40
    assert len({example.title for example in examples}) == len(examples)
    for example in examples:
        assert example.description.endswith("."), example.name
        assert PLACEHOLDER not in example.sparql


def test_the_folder_is_complete():
    assert {"bibld.ttl", "alignment.ttl", "shapes.ttl", "context.jsonld", "README.md", "queries"} <= {
        path.name for path in folder("ontology").iterdir()
    }
