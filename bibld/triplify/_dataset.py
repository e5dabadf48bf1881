"""What is said of the sources in the dataset's own description."""

from __future__ import annotations

from collections.abc import Iterable

from bibld.model.iris import Iris
from bibld.model.rdf import iri, literal
from bibld.model.release import SourceFigures
from bibld.triplify._draft import Quad, in_order
from bibld.triplify._links import web_iri
from bibld.triplify._vocabulary import name

GRAPH = "dataset"
"""The name of the graph of the dataset's description."""


def dataset_statements(sources: Iterable[SourceFigures], iris: Iris) -> tuple[str, ...]:
    """The lines that describe the dataset's parts: one for each source, with label and licence."""
    graph = iri(iris.graph(GRAPH))
    dataset = iri(iris.dataset)
    quads: list[Quad] = [(graph, dataset, name("rdf:type"), name("void:Dataset"))]
    for source in sources:
        subject = iri(iris.source(source.source))
        license_iri = web_iri(source.license)
        quads += [
            (graph, dataset, name("void:subset"), subject),
            (graph, subject, name("rdf:type"), name("void:Dataset")),
            (graph, subject, name("rdf:type"), name("dcat:Dataset")),
            (graph, subject, name("dcterms:isPartOf"), dataset),
            (graph, subject, name("dcterms:identifier"), literal(source.source)),
        ]
        if license_iri is not None:
            quads.append((graph, subject, name("dcterms:license"), iri(license_iri)))
        else:
            quads.append((graph, subject, name("dc:rights"), literal(source.license)))
        for language, label in source.label.items():
            for predicate in ("rdfs:label", "dcterms:title"):
                quads.append((graph, subject, name(predicate), literal(label, language)))
    return in_order(quads, dataset)
