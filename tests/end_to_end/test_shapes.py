"""The published sample conforms to the shapes of its ontology: the dataset, and each document that is served."""

import gzip
import warnings

import pyoxigraph as ox
import pytest
import rdflib

from bibld import pipeline
from bibld.config import Config
from bibld.model.iris import Iris
from bibld.serve.ontology import ontology_text
from tests.serve.client import Client, running

SH = rdflib.Namespace("http://www.w3.org/ns/shacl#")
FOLDERS = ("resource", "record", "agent", "concept", "place", "publisher", "series", "match", "dataset", "work")
OF_EACH = 4


def results(data: rdflib.Graph, base: str) -> list[tuple[str, str, str]]:
    """The results of validation as severity, focus node and message, sorted."""
    shapes = rdflib.Graph().parse(data=ontology_text("shapes.ttl", Iris(base)), format="turtle")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pyshacl's own deprecations are not ours
        import pyshacl

        _, report, _ = pyshacl.validate(data, shacl_graph=shapes)
    return sorted(
        (
            str(report.value(result, SH.resultSeverity)).removeprefix(str(SH)),
            str(report.value(result, SH.focusNode)),
            min(str(text) for text in report.objects(result, SH.resultMessage)),
        )
        for result in report.subjects(rdflib.RDF.type, SH.ValidationResult)
    )


@pytest.fixture(scope="module")
def quads(sample: Config) -> list[ox.Quad]:
    release, _ = pipeline.current_release(sample)
    return list(ox.parse(gzip.decompress((release / "bibld.nq.gz").read_bytes()), ox.RdfFormat.N_QUADS))


@pytest.fixture(scope="module")
def client(site):
    with running(site) as opened:
        yield opened


def test_all_graphs_of_the_sample_conform_to_the_shapes(sample: Config, quads):
    triples = ox.serialize({quad.triple for quad in quads}, format=ox.RdfFormat.N_TRIPLES)
    data = rdflib.Graph().parse(data=triples, format="nt")
    assert len(data) > 10_000
    assert [result for result in results(data, sample.dataset.base) if result[0] != "Info"] == []


def document(client: Client, base: str, iri: str) -> rdflib.Graph:
    """Fetch the document about a thing, redirects followed; empty if it is not RDF."""
    answer = client.get("/" + iri.removeprefix(base), "application/n-triples")
    while answer.status_code == 303:
        answer = client.get(answer.headers["location"], "application/n-triples")
    is_rdf = answer.headers.get("content-type", "").startswith("application/n-triples")
    return rdflib.Graph().parse(data=answer.text, format="nt") if is_rdf else rdflib.Graph()


def with_linked(client: Client, base: str, iri: str) -> rdflib.Graph:
    """A document together with those that it links to."""
    first = document(client, base, iri)
    links = {str(value).partition("#")[0] for value in first.objects() if str(value).startswith(base)}
    documents = rdflib.Graph()
    for graph in (first, *(document(client, base, link) for link in sorted(links - {iri}))):
        documents += graph
    return documents


@pytest.mark.parametrize("folder", FOLDERS)
def test_documents_conform_to_the_shapes(folder, sample: Config, quads, client):
    base = sample.dataset.base
    start = f"{base}{folder}"
    things = sorted(
        {
            quad.subject.value
            for quad in quads
            if quad.subject.value.startswith((f"{start}/", start)) and "#" not in quad.subject.value
        }
    )
    if not things:
        pytest.skip(f"the sample has nothing below {folder}/")
    for thing in things[:: max(1, len(things) // OF_EACH)][:OF_EACH]:
        found = results(with_linked(client, base, thing), base)
        own = (thing, f"{base}doc/{thing.removeprefix(base)}")
        assert [each for each in found if each[0] != "Info" and each[1].startswith(own)] == [], thing


def test_the_document_of_a_record_is_in_one_dataset(sample: Config, quads, client):
    base = sample.dataset.base
    record = next(quad.subject.value for quad in quads if quad.subject.value.startswith(f"{base}record/"))
    datasets = set(document(client, base, record).objects(rdflib.URIRef(record), rdflib.VOID.inDataset))
    assert len(datasets) == 1
