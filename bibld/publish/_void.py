"""The description of the dataset in VoID (https://www.w3.org/TR/void/), counted from the store itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bibld.model.iris import Iris
from bibld.model.rdf import iri, literal, quad, typed
from bibld.model.release import DatasetDescription, SourceFigures
from bibld.protocols import Store
from bibld.publish._dumps import DUMPS

_VOID = "http://rdfs.org/ns/void#"
_DCTERMS = "http://purl.org/dc/terms/"
_RDF_TYPE = iri("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
_FOAF = "http://xmlns.com/foaf/0.1/"
_SKOS = "http://www.w3.org/2004/02/skos/core#"

PREFIXES = {"void": _VOID, "dcterms": _DCTERMS, "foaf": _FOAF, "skos": _SKOS}
"""What the description is written with in Turtle."""

VOCABULARIES = (
    "http://id.loc.gov/ontologies/bibframe/",
    "http://purl.org/ontology/bibo/",
    "http://purl.org/dc/terms/",
    "http://schema.org/",
    "http://xmlns.com/foaf/0.1/",
    "http://www.w3.org/2004/02/skos/core#",
    "http://www.w3.org/ns/prov#",
)


def void_quads(
    store: Store, iris: Iris, dataset: DatasetDescription, sources: Iterable[SourceFigures], examples: Iterable[str]
) -> set[str]:
    """The lines that describe the dataset, in the graph ``dataset``; all numbers are of the default graph."""
    graph = iri(iris.graph("dataset"))
    subject = iri(iris.dataset)
    lines = [
        *_about(dataset, iris, subject),
        *(quad(subject, _void("exampleResource"), iri(example)) for example in examples),
        *_sources(sources, iris, subject),
        *_counts(store, iris, subject),
        *_linksets(store, iris, subject),
    ]
    return {in_graph(line, graph) for line in lines}


def in_graph(line: str, graph: str) -> str:
    """Move a line of the default graph to a named one."""
    return line.removesuffix(".\n") + f"{graph} .\n"


def _about(dataset: DatasetDescription, iris: Iris, subject: str) -> Iterator[str]:
    yield quad(subject, _RDF_TYPE, _void("Dataset"))
    for language, text in dataset.title.items():
        yield quad(subject, _dcterms("title"), literal(text, language))
    for language, text in dataset.description.items():
        yield quad(subject, _dcterms("description"), literal(text, language))
    yield quad(subject, _dcterms("license"), iri(dataset.license))
    yield quad(subject, _dcterms("publisher"), iri(f"{iris.dataset}#publisher"))
    yield quad(iri(f"{iris.dataset}#publisher"), _RDF_TYPE, iri(f"{_FOAF}Organization"))
    for predicate in (f"{_FOAF}name", f"{_SKOS}prefLabel"):
        yield quad(iri(f"{iris.dataset}#publisher"), iri(predicate), literal(dataset.publisher))
    yield quad(subject, _void("uriSpace"), literal(dataset.base))
    yield quad(subject, _void("sparqlEndpoint"), iri(f"{dataset.base}sparql"))
    for name in DUMPS:
        yield quad(subject, _void("dataDump"), iri(f"{dataset.base}dumps/{name}"))
    for media_type in ("Turtle", "N-Triples", "RDF_XML", "JSON-LD"):
        yield quad(subject, _void("feature"), iri(f"http://www.w3.org/ns/formats/{media_type}"))
    for vocabulary in (*VOCABULARIES, f"{iris.ontology}#"):
        yield quad(subject, _void("vocabulary"), iri(vocabulary))
    yield quad(subject, iri(f"{_FOAF}homepage"), iri(dataset.base))


def _sources(sources: Iterable[SourceFigures], iris: Iris, subject: str) -> Iterator[str]:
    for source in sources:
        part = iri(iris.source(source.source))
        yield quad(subject, _dcterms("source"), part)
        yield quad(part, _void("entities"), _number(source.records or source.converted))


def _counts(store: Store, iris: Iris, subject: str) -> Iterator[str]:
    """The partitions by class and by property, and what follows from them; then what has to be counted by itself."""
    classes = _ranked(store, "SELECT ?c (COUNT(?s) AS ?n) { ?s a ?c } GROUP BY ?c")
    properties = _ranked(store, "SELECT ?p (COUNT(?s) AS ?n) { ?s ?p ?o } GROUP BY ?p")
    yield from _partition(iris, subject, ("class", "entities"), classes)
    yield from _partition(iris, subject, ("property", "triples"), properties)
    yield quad(subject, _void("triples"), _number(sum(count for _, count in properties)))
    yield quad(subject, _void("properties"), _number(len(properties)))
    yield quad(subject, _void("classes"), _number(len(classes)))
    for name, variable in (("distinctSubjects", "?s"), ("distinctObjects", "?o")):
        query = f"SELECT (COUNT(DISTINCT {variable}) AS ?n) {{ ?s ?p ?o }}"
        yield quad(subject, _void(name), _number(_only(store, query)))


def _partition(iris: Iris, subject: str, names: tuple[str, str], found: list[tuple[str, int]]) -> Iterator[str]:
    by, what = names
    for number, (value, count) in enumerate(found, 1):
        part = iri(f"{iris.dataset}#{by}{number}")
        yield quad(subject, _void(f"{by}Partition"), part)
        yield quad(part, _void(by), value)
        yield quad(part, _void(what), _number(count))


def _linksets(store: Store, iris: Iris, subject: str) -> Iterator[str]:
    same_as = "http://www.w3.org/2002/07/owl#sameAs"
    found = _ranked(store, f"SELECT ?g (COUNT(?s) AS ?n) {{ GRAPH ?g {{ ?s <{same_as}> ?o }} }} GROUP BY ?g")
    for graph, count in found:
        part = iri(f"{iris.dataset}#{graph.rstrip('>').rpartition('/')[2]}")
        yield quad(subject, _void("subset"), part)
        yield quad(part, _RDF_TYPE, _void("Linkset"))
        yield quad(part, _void("linkPredicate"), iri(same_as))
        yield quad(part, _void("subjectsTarget"), subject)
        yield quad(part, _void("triples"), _number(count))


def _ranked(store: Store, query: str) -> list[tuple[str, int]]:
    rows = store.query(query, union=False)
    pairs = [(str(value), _integer(count)) for value, count in rows if value is not None]
    return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))


def _only(store: Store, query: str) -> int:
    return _integer(store.query(query, union=False)[0][0])


def _integer(term: str | None) -> int:
    return int(str(term).split('"')[1])


def _number(count: int) -> str:
    return typed(str(count), "integer")


def _void(name: str) -> str:
    return iri(_VOID + name)


def _dcterms(name: str) -> str:
    return iri(_DCTERMS + name)
