"""The description of the dataset in VoID (https://www.w3.org/TR/void/), counted from the store itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bibld.model import rdf
from bibld.model.iris import Iris
from bibld.model.rdf import expand, iri, literal, quad, term, typed
from bibld.model.release import DatasetDescription, SourceFigures
from bibld.protocols import Store
from bibld.publish._dumps import DUMPS

PREFIXES = {prefix: rdf.PREFIXES[prefix] for prefix in ("void", "dcterms", "foaf", "skos")}
"""The prefixes that the description is written with in Turtle."""

VOCABULARIES = tuple(rdf.PREFIXES[prefix] for prefix in ("bf", "bibo", "dcterms", "schema", "foaf", "skos", "prov"))
"""The vocabularies that the description declares, besides bibld's own ontology."""


def void_quads(
    store: Store, iris: Iris, dataset: DatasetDescription, sources: Iterable[SourceFigures], examples: Iterable[str]
) -> set[str]:
    """The lines that describe the dataset, in the graph ``dataset``; all numbers are of the default graph."""
    graph = iri(iris.graph("dataset"))
    subject = iri(iris.dataset)
    lines = [
        *_about(dataset, iris, subject),
        *(quad(subject, term("void:exampleResource"), iri(example)) for example in examples),
        *_sources(sources, iris, subject),
        *_counts(store, iris, subject),
        *_linksets(store, iris, subject),
    ]
    return {in_graph(line, graph) for line in lines}


def in_graph(line: str, graph: str) -> str:
    """Move a line of the default graph to a named one."""
    return line.removesuffix(".\n") + f"{graph} .\n"


def _about(dataset: DatasetDescription, iris: Iris, subject: str) -> Iterator[str]:
    yield quad(subject, term("rdf:type"), term("void:Dataset"))
    for language, text in dataset.title.items():
        yield quad(subject, term("dcterms:title"), literal(text, language))
    for language, text in dataset.description.items():
        yield quad(subject, term("dcterms:description"), literal(text, language))
    yield quad(subject, term("dcterms:license"), iri(dataset.license))
    yield quad(subject, term("dcterms:publisher"), iri(f"{iris.dataset}#publisher"))
    yield quad(iri(f"{iris.dataset}#publisher"), term("rdf:type"), term("foaf:Organization"))
    for predicate in ("foaf:name", "skos:prefLabel"):
        yield quad(iri(f"{iris.dataset}#publisher"), term(predicate), literal(dataset.publisher))
    yield quad(subject, term("void:uriSpace"), literal(dataset.base))
    yield quad(subject, term("void:sparqlEndpoint"), iri(f"{dataset.base}sparql"))
    for name in DUMPS:
        yield quad(subject, term("void:dataDump"), iri(f"{dataset.base}dumps/{name}"))
    for media_type in ("Turtle", "N-Triples", "RDF_XML", "JSON-LD"):
        yield quad(subject, term("void:feature"), iri(f"http://www.w3.org/ns/formats/{media_type}"))
    for vocabulary in (*VOCABULARIES, f"{iris.ontology}#"):
        yield quad(subject, term("void:vocabulary"), iri(vocabulary))
    yield quad(subject, term("foaf:homepage"), iri(dataset.base))


def _sources(sources: Iterable[SourceFigures], iris: Iris, subject: str) -> Iterator[str]:
    for source in sources:
        part = iri(iris.source(source.source))
        yield quad(subject, term("dcterms:source"), part)
        yield quad(part, term("void:entities"), _number(source.records or source.converted))


def _counts(store: Store, iris: Iris, subject: str) -> Iterator[str]:
    """The partitions by class and by property, and what follows from them; then what has to be counted by itself."""
    classes = _ranked(store, "SELECT ?c (COUNT(?s) AS ?n) { ?s a ?c } GROUP BY ?c")
    properties = _ranked(store, "SELECT ?p (COUNT(?s) AS ?n) { ?s ?p ?o } GROUP BY ?p")
    yield from _partition(iris, subject, ("class", "entities"), classes)
    yield from _partition(iris, subject, ("property", "triples"), properties)
    yield quad(subject, term("void:triples"), _number(sum(count for _, count in properties)))
    yield quad(subject, term("void:properties"), _number(len(properties)))
    yield quad(subject, term("void:classes"), _number(len(classes)))
    for name, variable in (("distinctSubjects", "?s"), ("distinctObjects", "?o")):
        query = f"SELECT (COUNT(DISTINCT {variable}) AS ?n) {{ ?s ?p ?o }}"
        yield quad(subject, term(f"void:{name}"), _number(_only(store, query)))


def _partition(iris: Iris, subject: str, names: tuple[str, str], found: list[tuple[str, int]]) -> Iterator[str]:
    by, what = names
    for number, (value, count) in enumerate(found, 1):
        part = iri(f"{iris.dataset}#{by}{number}")
        yield quad(subject, term(f"void:{by}Partition"), part)
        yield quad(part, term(f"void:{by}"), value)
        yield quad(part, term(f"void:{what}"), _number(count))


def _linksets(store: Store, iris: Iris, subject: str) -> Iterator[str]:
    same_as = expand("owl:sameAs")
    found = _ranked(store, f"SELECT ?g (COUNT(?s) AS ?n) {{ GRAPH ?g {{ ?s <{same_as}> ?o }} }} GROUP BY ?g")
    for graph, count in found:
        part = iri(f"{iris.dataset}#{graph.rstrip('>').rpartition('/')[2]}")
        yield quad(subject, term("void:subset"), part)
        yield quad(part, term("rdf:type"), term("void:Linkset"))
        yield quad(part, term("void:linkPredicate"), iri(same_as))
        yield quad(part, term("void:subjectsTarget"), subject)
        yield quad(part, term("void:triples"), _number(count))


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
