"""What is said of the sources in the dataset's own description."""

from __future__ import annotations

from collections.abc import Iterable

from bibld.model.iris import Iris
from bibld.model.rdf import iri, literal, term
from bibld.model.release import SourceFigures
from bibld.triplify._draft import Quad, in_order
from bibld.triplify._links import web_iri

GRAPH = "dataset"
"""The name of the graph of the dataset's description."""


def dataset_statements(sources: Iterable[SourceFigures], iris: Iris) -> tuple[str, ...]:
    """The lines that describe the dataset's parts: one for each source, with label and licence."""
    graph = iri(iris.graph(GRAPH))
    dataset = iri(iris.dataset)
    quads: list[Quad] = [(graph, dataset, term("rdf:type"), term("void:Dataset"))]
    for source in sources:
        subject = iri(iris.source(source.source))
        license_iri = web_iri(source.license)
        quads += [
            (graph, dataset, term("void:subset"), subject),
            (graph, subject, term("rdf:type"), term("void:Dataset")),
            (graph, subject, term("rdf:type"), term("dcat:Dataset")),
            (graph, subject, term("dcterms:isPartOf"), dataset),
            (graph, subject, term("dcterms:identifier"), literal(source.source)),
        ]
        if license_iri is not None:
            quads.append((graph, subject, term("dcterms:license"), iri(license_iri)))
        else:
            quads.append((graph, subject, term("dc:rights"), literal(source.license)))
        for language, label in source.label.items():
            for predicate in ("rdfs:label", "dcterms:title"):
                quads.append((graph, subject, term(predicate), literal(label, language)))
    return in_order(quads, dataset)
