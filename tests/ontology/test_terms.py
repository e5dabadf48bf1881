"""Every class and property that is published is in one of the ontologies, with values of the right kind."""

import os
import re
import warnings
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import pyoxigraph as ox
import pytest
import rdflib
from rdflib.namespace import OWL, RDF, RDFS

import bibld
from bibld.model.linkage import Cluster, Merged
from bibld.model.origin import RecordId
from bibld.model.rdf import PREFIXES, expand
from bibld.model.relators import TERM_OF_RELATOR
from bibld.serve.ontology import ONTOLOGIES, VERSION, ontology_text
from bibld.triplify import to_quads
from tests.triplify.merged_book import BASE, EDGE, IRIS, MERGED

CODE = Path(bibld.__file__).parent
DATA = os.environ.get("BIBLD_TEST_DATA")
REAL_FILES = ("marc21/loc_testbed_utf8.mrc", "marc21/rism_music_prints.xml.gz", "rusmarc/tatarstan_utf8.mrc")
FROM_EACH_FILE = 60

LITERAL, IRI, EITHER = "literals", "IRIs", "either"
VALUES_OF = {OWL.ObjectProperty: IRI, OWL.DatatypeProperty: LITERAL, OWL.AnnotationProperty: EITHER}
BUILT_IN = {str(term): EITHER for term in (RDF.type, RDF.value, RDFS.label, RDFS.comment, RDFS.seeAlso)} | {
    str(OWL.sameAs): IRI,
    str(OWL.deprecated): LITERAL,
}
"""Terms of RDF and OWL, which no ontology in OWL 2 DL declares."""

RELATORS = {f"{PREFIXES['relators']}{code}": IRI for code in TERM_OF_RELATOR}
"""The roles of the Library of Congress, of which ``terms.ttl`` names those that the alignment needs."""

NOT_VOCABULARIES = {"owl", "rdf", "rdfs", "xsd", "sd", "relators"}
"""Prefixes of terms that are built in, or are in no document and no dump (the description of the endpoint)."""


@pytest.fixture(scope="module")
def known() -> tuple[set[str], dict[str, str]]:
    """The classes, and the properties with the kind of their values."""
    graph = rdflib.Graph()
    for name in ("", "terms"):
        graph.parse(data=ontology_text(ONTOLOGIES[name], IRIS), format="turtle")
    classes = {str(term) for term in graph.subjects(RDF.type, OWL.Class)}
    properties = {str(term): values for kind, values in VALUES_OF.items() for term in graph.subjects(RDF.type, kind)}
    return classes, {**BUILT_IN, **RELATORS, **properties}


def unknown_terms(blocks: Iterable[bytes | str], known: tuple[set[str], dict[str, str]]) -> set[str]:
    """What is in the quads and in no ontology, and properties whose values are of another kind than declared."""
    classes, properties = known
    found = set()
    data = b"".join(block.encode() if isinstance(block, str) else block for block in blocks)
    for quad in ox.parse(data, ox.RdfFormat.N_QUADS):
        predicate, value = quad.predicate.value, quad.object
        if predicate == str(RDF.type):
            found |= {f"class {value.value}"} - {f"class {each}" for each in classes}
        elif predicate not in properties:
            found.add(f"property {predicate}")
        elif properties[predicate] not in (EITHER, LITERAL if isinstance(value, ox.Literal) else IRI):
            found.add(f"{predicate} with a value that is not of {properties[predicate]}")
    return found


def real_descriptions(name: str) -> Iterator[Merged]:
    for number, mods in enumerate(islice(bibld.to_mods(Path(DATA) / name), FROM_EACH_FILE)):
        record = RecordId("real", mods.record_identifier or f"x{number}")
        yield Merged(Cluster(record, (record,)), mods, ())


def test_every_term_of_a_typical_publication_is_known(known):
    assert unknown_terms(to_quads([MERGED], IRIS, [EDGE]), known) == set()


def test_every_term_that_the_code_names_is_known(known):
    classes, properties = known
    prefixes = "|".join(prefix for prefix in PREFIXES if prefix not in NOT_VOCABULARIES)
    named = {
        name
        for folder in ("triplify", "publish", "serve", "link")
        for file in (CODE / folder).rglob("*.py")
        for name in re.findall(rf'"((?:{prefixes}):[A-Za-z][A-Za-z0-9_-]*)"', file.read_text("utf-8"))
    }
    assert len(named) > 150
    unknown = {name for name in named if expand(name) not in classes and expand(name) not in properties}
    assert not unknown, "declare them in ontology/terms.ttl, with labels in both languages"


@pytest.mark.skipif(not DATA, reason="needs real records: set BIBLD_TEST_DATA")
@pytest.mark.parametrize("name", REAL_FILES)
def test_every_term_in_the_descriptions_of_real_records_is_known(name, known):
    assert unknown_terms(to_quads(real_descriptions(name), IRIS), known) == set()


@pytest.mark.skipif(not DATA, reason="needs real records: set BIBLD_TEST_DATA")
@pytest.mark.parametrize("name", REAL_FILES)
def test_the_descriptions_of_real_records_conform_to_the_shapes(name):
    data = b"".join(block.encode() for block in to_quads(real_descriptions(name), IRIS))
    triples = ox.serialize(
        {quad.triple for quad in ox.parse(data, ox.RdfFormat.N_QUADS)}, format=ox.RdfFormat.N_TRIPLES
    )
    shapes = rdflib.Graph().parse(data=ontology_text("shapes.ttl", IRIS), format="turtle")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pyshacl's own deprecations are not ours
        import pyshacl

        graph = rdflib.Graph().parse(data=triples, format="nt")
        conforms, _, text = pyshacl.validate(graph, shacl_graph=shapes, allow_infos=True)
    assert len(graph) > 1000
    assert conforms, text


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (f"<{BASE}x> <{expand('dcterms:nothing')}> <{BASE}y> .", "property http://purl.org/dc/terms/nothing"),
        (f"<{BASE}x> <{RDF.type}> <{expand('bf:Nothing')}> .", "class http://id.loc.gov/ontologies/bibframe/Nothing"),
        (f'<{BASE}x> <{expand("dcterms:creator")}> "Tolstoy" .', "is not of IRIs"),
        (f"<{BASE}x> <{expand('dcterms:title')}> <{BASE}y> .", "is not of literals"),
    ],
)
def test_what_is_unknown_or_of_another_kind_is_found(line, found, known):
    assert any(found in each for each in unknown_terms([f"{line}\n"], known))


def test_every_term_has_a_label_in_both_languages():
    for name in ("", "terms", "alignment"):
        graph = rdflib.Graph().parse(data=ontology_text(ONTOLOGIES[name], IRIS), format="turtle")
        declared = {term for kind in (OWL.Class, *VALUES_OF) for term in graph.subjects(RDF.type, kind)}
        for term in declared - {term for term in declared if "vann" in term or str(term).endswith("license")}:
            assert {label.language for label in graph.objects(term, RDFS.label)} == {"en", "ru"}, term


def test_the_versions_are_dated_and_lead_to_files():
    for name in ("", "terms", "alignment", "shapes"):
        subject = rdflib.URIRef(f"{IRIS.ontology}/{name}".rstrip("/"))
        graph = rdflib.Graph().parse(data=ontology_text(ONTOLOGIES[name], IRIS), format="turtle")
        version = str(graph.value(subject, OWL.versionIRI))
        assert version == f"{IRIS.ontology}/{VERSION}" + (f"/{name}" if name else "")
        assert ONTOLOGIES[version.removeprefix(f"{IRIS.ontology}/")] == ONTOLOGIES[name]
        for prior in graph.objects(subject, OWL.priorVersion):
            old = ontology_text(ONTOLOGIES[str(prior).removeprefix(f"{IRIS.ontology}/")], IRIS)
            assert (subject, OWL.versionIRI, prior) in rdflib.Graph().parse(data=old, format="turtle")
