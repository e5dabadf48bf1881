"""The description of the dataset in VoID (https://www.w3.org/TR/void/).

Each graph is a subset with its number of quads (``void:triples``); that of the dataset, which counts all graphs, is in
the graph ``run``. The default graph has the counts of classes, properties, subjects and objects, as the triple store
has them: with provenance, unless the store has this in a named graph as the dumps do.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator

import msgspec

from bibld.model import rdf
from bibld.model.iris import LINK_GRAPH, Iris, dataset_of_authority
from bibld.model.rdf import iri, literal, quad, term
from bibld.model.release import DatasetDescription, LinkSet, QuadCounts, SourceFigures
from bibld.protocols import ReleaseDraft
from bibld.publish._files import add_run_statements, number

NEEDS: tuple[str, ...] = ()

VOCABULARIES = tuple(rdf.PREFIXES[prefix] for prefix in ("bf", "bibo", "dcterms", "schema", "foaf", "skos", "prov"))
"""The vocabularies that the description declares, besides bibld's own ontology."""

_LOCAL_NAME = re.compile(r"[A-Za-z0-9_-]+")
_UNSAFE = re.compile(r"[^A-Za-z0-9]+")
_DIGEST_BYTES = 6

_Statement = tuple[str, str, str]


class Settings(msgspec.Struct, frozen=True):
    """There is nothing to choose."""


def write(draft: ReleaseDraft, settings: Settings) -> ReleaseDraft:
    """Describe the dataset, and write all statements of the graph ``dataset`` to ``void.ttl``."""
    manifest = draft.manifest
    counts = draft.counts()
    iris = Iris(manifest.dataset.base)
    own = iri(iris.graph("dataset"))
    others = set(draft.description)
    if "dcat" in draft.settings.parts:
        others.add(quad(iri(iris.dataset), term("rdfs:seeAlso"), iri(f"{iris.base}dumps/dcat.ttl"), own))
    sources = manifest.figures.sources
    lines = void_quads(counts, manifest.dataset, sources, draft.examples, frozenset(others))
    figures = msgspec.structs.replace(manifest.figures, quads=counts.quads_without(own) + len(lines))
    manifest = msgspec.structs.replace(manifest, figures=figures, counts=counts)
    return add_run_statements(msgspec.structs.replace(draft, description=lines, manifest=manifest), ())


def void_quads(
    counts: QuadCounts,
    dataset: DatasetDescription,
    sources: Iterable[SourceFigures],
    examples: Iterable[str],
    others: frozenset[str] = frozenset(),
) -> frozenset[str]:
    """Return the lines of the graph ``dataset``: those that describe the dataset, and ``others``, which are there."""
    iris = Iris(dataset.base)
    subject, graph = iri(iris.dataset), iri(iris.graph("dataset"))
    statements: list[_Statement] = [
        *_statements_about(dataset, iris, subject),
        *((subject, "void:exampleResource", iri(example)) for example in examples),
        *_graph_statements(counts, dataset, iris),
        *_count_statements(counts, iris),
        *_linkset_statements(counts, iris, subject),
    ]
    for source in sources:
        part = iri(iris.source(source.source))
        statements.append((subject, "dcterms:source", part))
        statements.append((part, "void:entities", number(source.records or source.converted)))
    lines = {quad(about, term(predicate), value, graph) for about, predicate, value in statements} | others
    count = len(lines) + 1  # the statement of the count is in the graph, too
    lines.add(quad(graph, term("void:triples"), number(count), graph))
    return frozenset(lines)


def partition_iri(kind: str, value: str, iris: Iris) -> str:
    """Return the IRI of the partition by a class or property (its IRI), which does not depend on any count.

    It ends with the compact IRI where there is one (``#class-bf-Person``), else with the end of the IRI and a hash.
    """
    prefixes = {**rdf.PREFIXES, "bibld": f"{iris.ontology}#"}
    for prefix, namespace in prefixes.items():
        local = value.removeprefix(namespace)
        if value.startswith(namespace) and _LOCAL_NAME.fullmatch(local):
            return f"{iris.dataset}#{kind}-{prefix}-{local}"
    name = _UNSAFE.sub("-", re.split(r"[/#:]", value.rstrip("/#:"))[-1]).strip("-")
    digest = hashlib.blake2b(value.encode(), digest_size=_DIGEST_BYTES).hexdigest()
    return f"{iris.dataset}#{kind}-iri-{name}-{digest}"


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
    for media_type in ("Turtle", "N-Triples", "RDF_XML", "JSON-LD"):
        yield subject, "void:feature", iri(f"http://www.w3.org/ns/formats/{media_type}")
    for vocabulary in (*VOCABULARIES, f"{iris.ontology}#"):
        yield subject, "void:vocabulary", iri(vocabulary)
    yield subject, "foaf:homepage", iri(dataset.base)


def _graph_statements(counts: QuadCounts, dataset: DatasetDescription, iris: Iris) -> Iterator[_Statement]:
    """Yield a subset for each graph; the graph of this description is counted when all its lines are known."""
    own, default = iri(iris.graph("dataset")), iri(f"{iris.dataset}#default-graph")
    titles = {default: ("Default graph", "Граф по умолчанию")}
    for name in sorted({*counts.graphs, own}):
        short = name.rstrip(">").rpartition("/")[2]
        titles[name] = (f"Named graph {short}", f"Именованный граф {short}")
    for graph, (english, russian) in titles.items():
        yield iri(iris.dataset), "void:subset", graph
        yield graph, "rdf:type", term("void:Dataset")
        yield graph, "dcterms:title", literal(english, "en")
        yield graph, "dcterms:title", literal(russian, "ru")
        yield graph, "dcterms:license", iri(dataset.license)
        if graph != own:
            yield graph, "void:triples", number(counts.graphs.get(graph, counts.default_graph))


def _count_statements(counts: QuadCounts, iris: Iris) -> Iterator[_Statement]:
    """Yield the partitions of the default graph by class and by property, and its counts."""
    subject = iri(f"{iris.dataset}#default-graph")
    kinds = (("class", "entities", counts.classes), ("property", "triples", counts.properties))
    for kind, unit, numbers in kinds:
        for value, count in numbers.items():
            part = iri(partition_iri(kind, value[1:-1], iris))
            yield subject, f"void:{kind}Partition", part
            yield part, f"void:{kind}", value
            yield part, f"void:{unit}", number(count)
    yield subject, "void:properties", number(len(counts.properties))
    yield subject, "void:classes", number(len(counts.classes))
    yield subject, "void:distinctSubjects", number(counts.subjects)
    yield subject, "void:distinctObjects", number(counts.objects)
    yield subject, "void:entities", number(counts.entities)


def _linkset_statements(counts: QuadCounts, iris: Iris, subject: str) -> Iterator[_Statement]:
    for link_set in counts.links:
        part = iri(link_set_iri(link_set, iris))
        yield subject, "void:subset", part
        yield part, "rdf:type", term("void:Linkset")
        yield part, "void:linkPredicate", link_set.predicate
        yield part, "void:subjectsTarget", subject
        target = _target_of(link_set, iris)
        if target is not None:
            yield part, "void:objectsTarget", iri(target)
        yield part, "void:triples", number(link_set.links)


def link_set_iri(link_set: LinkSet, iris: Iris) -> str:
    """Return the IRI of a link set, such as ``#links-resource-sameAs`` or ``#links-viaf-sameAs``."""
    local = re.split(r"[/#]", link_set.predicate[1:-1])[-1]
    name = link_set.graph.rstrip(">").rpartition("/")[2] or f"{LINK_GRAPH}{link_set.kind or 'elsewhere'}"
    return f"{iris.dataset}#{name}-{local}"


def _target_of(link_set: LinkSet, iris: Iris) -> str | None:
    """Return the dataset that the objects belong to; None where they belong to more than one."""
    if link_set.kind:
        return iris.dataset
    start = iris.graph(LINK_GRAPH)
    graph = link_set.graph[1:-1]
    return dataset_of_authority(graph.removeprefix(start), iris) if graph.startswith(start) else None
