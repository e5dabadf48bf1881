"""The description of the dataset in VoID (https://www.w3.org/TR/void/)."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping

import msgspec
import pyoxigraph

from bibld.model import rdf
from bibld.model.iris import Iris
from bibld.model.rdf import iri, literal, quad, term, typed_literal
from bibld.model.release import DatasetDescription, QuadCounts, SourceFigures
from bibld.protocols import ReleaseDraft
from bibld.publish._files import FULL_DUMPS

PREFIXES = {prefix: rdf.PREFIXES[prefix] for prefix in ("void", "dcterms", "foaf", "skos")}
"""The prefixes that the description is written with in Turtle."""

VOCABULARIES = tuple(rdf.PREFIXES[prefix] for prefix in ("bf", "bibo", "dcterms", "schema", "foaf", "skos", "prov"))
"""The vocabularies that the description declares, besides bibld's own ontology."""

_Statement = tuple[str, str, str]


class Settings(msgspec.Struct, frozen=True):
    """There is nothing to choose."""


def write(draft: ReleaseDraft, settings: Settings) -> ReleaseDraft:
    """Describe the dataset, and write all statements of the graph ``dataset`` to ``void.ttl``."""
    dataset = draft.manifest.dataset
    description = draft.description | void_quads(
        draft.counts(), dataset, draft.manifest.figures.sources, draft.examples
    )
    quads = pyoxigraph.parse("".join(sorted(description)).encode(), format=pyoxigraph.RdfFormat.N_QUADS)
    out = io.BytesIO()
    triples = (each.triple for each in quads)
    pyoxigraph.serialize(triples, out, format=pyoxigraph.RdfFormat.TURTLE, prefixes=PREFIXES)
    (draft.folder / "void.ttl").write_bytes(out.getvalue())
    return msgspec.structs.replace(draft, description=description)


def void_quads(
    counts: QuadCounts, dataset: DatasetDescription, sources: Iterable[SourceFigures], examples: Iterable[str]
) -> frozenset[str]:
    """Return the lines that describe the dataset, in the graph ``dataset``; all counts are of the default graph."""
    iris = Iris(dataset.base)
    subject, graph = iri(iris.dataset), iri(iris.graph("dataset"))
    statements: list[_Statement] = [
        *_statements_about(dataset, iris, subject),
        *((subject, "void:exampleResource", iri(example)) for example in examples),
        *_count_statements(counts, iris, subject),
        *_linkset_statements(counts, iris, subject),
    ]
    for source in sources:
        part = iri(iris.source(source.source))
        statements.append((subject, "dcterms:source", part))
        statements.append((part, "void:entities", _number(source.records or source.converted)))
    return frozenset(quad(about, term(predicate), value, graph) for about, predicate, value in statements)


def _statements_about(dataset: DatasetDescription, iris: Iris, subject: str) -> Iterator[_Statement]:
    publisher = iri(f"{iris.dataset}#publisher")
    yield subject, "rdf:type", term("void:Dataset")
    for language, text in dataset.title.items():
        yield subject, "dcterms:title", literal(text, language)
    for language, text in dataset.description.items():
        yield subject, "dcterms:description", literal(text, language)
    yield subject, "dcterms:license", iri(dataset.license)
    yield subject, "dcterms:publisher", publisher
    yield publisher, "rdf:type", term("foaf:Organization")
    yield publisher, "foaf:name", literal(dataset.publisher)
    yield publisher, "skos:prefLabel", literal(dataset.publisher)
    yield subject, "void:uriSpace", literal(dataset.base)
    yield subject, "void:sparqlEndpoint", iri(f"{dataset.base}sparql")
    for name in FULL_DUMPS:
        yield subject, "void:dataDump", iri(f"{dataset.base}dumps/{name}")
    for media_type in ("Turtle", "N-Triples", "RDF_XML", "JSON-LD"):
        yield subject, "void:feature", iri(f"http://www.w3.org/ns/formats/{media_type}")
    for vocabulary in (*VOCABULARIES, f"{iris.ontology}#"):
        yield subject, "void:vocabulary", iri(vocabulary)
    yield subject, "foaf:homepage", iri(dataset.base)


def _count_statements(counts: QuadCounts, iris: Iris, subject: str) -> Iterator[_Statement]:
    """Yield the partitions by class and by property, and the counts of the dataset."""
    kinds = (("class", "entities", counts.classes), ("property", "triples", counts.properties))
    for kind, unit, numbers in kinds:
        for number, (value, count) in enumerate(_largest_first(numbers), 1):
            part = iri(f"{iris.dataset}#{kind}{number}")
            yield subject, f"void:{kind}Partition", part
            yield part, f"void:{kind}", value
            yield part, f"void:{unit}", _number(count)
    yield subject, "void:triples", _number(sum(counts.properties.values()))
    yield subject, "void:properties", _number(len(counts.properties))
    yield subject, "void:classes", _number(len(counts.classes))
    yield subject, "void:distinctSubjects", _number(counts.subjects)
    yield subject, "void:distinctObjects", _number(counts.objects)


def _linkset_statements(counts: QuadCounts, iris: Iris, subject: str) -> Iterator[_Statement]:
    for graph, count in _largest_first(counts.same_as):
        part = iri(f"{iris.dataset}#{graph.rstrip('>').rpartition('/')[2]}")
        yield subject, "void:subset", part
        yield part, "rdf:type", term("void:Linkset")
        yield part, "void:linkPredicate", term("owl:sameAs")
        yield part, "void:subjectsTarget", subject
        yield part, "void:triples", _number(count)


def _largest_first(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def _number(count: int) -> str:
    return typed_literal(str(count), "integer")
