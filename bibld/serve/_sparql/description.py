"""The description of the service (SPARQL 1.1 Service Description), with its graphs and their sizes."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import pyoxigraph as ox

from bibld.model.rdf import PREFIXES, XSD
from bibld.serve._graph import triple

GRAPH_NAMES = "SELECT ?g { GRAPH ?g {} }"
GRAPH_SIZES = "SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g"
DEFAULT_SIZE = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"
"""Queries for the named graphs, their sizes, and the size of the default graph (without ``union``)."""

_FORMATS = "http://www.w3.org/ns/formats/"
_RESULT_FORMATS = (
    *("SPARQL_Results_JSON", "SPARQL_Results_XML", "SPARQL_Results_CSV", "SPARQL_Results_TSV"),
    *("Turtle", "N-Triples", "RDF_XML", "JSON-LD"),
)


class Sizes(msgspec.Struct, frozen=True):
    """The triples of the default graph and of each named graph; None where they are not known."""

    default: int | None = None
    named: Mapping[str, int | None] = {}


def describe_service(base: str, sizes: Sizes) -> list[ox.Triple]:
    """Return the triples about the endpoint of a site. There are no extension functions, so none is named."""
    service = f"{base}sparql"
    dataset = f"{base}dataset"
    default = f"{service}#default-graph"
    sd = PREFIXES["sd"]
    triples = [
        triple(service, "rdf:type", sd + "Service"),
        triple(service, "sd:endpoint", service),
        triple(service, "sd:supportedLanguage", sd + "SPARQL11Query"),
        triple(service, "sd:feature", sd + "UnionDefaultGraph"),
        triple(service, "sd:defaultDataset", dataset),
        triple(dataset, "rdf:type", sd + "Dataset"),
        triple(dataset, "sd:defaultGraph", default),
        triple(default, "rdf:type", sd + "Graph"),
    ]
    triples += _size(default, sizes.default)
    triples += [triple(service, "sd:resultFormat", _FORMATS + name) for name in _RESULT_FORMATS]
    for name, size in sizes.named.items():
        graph = name if name.startswith(base) else f"{service}#{len(triples)}"
        named = f"{service}#graph-{graph.removeprefix(base).removeprefix('graph/')}"
        triples += [
            triple(dataset, "sd:namedGraph", named),
            triple(named, "rdf:type", sd + "NamedGraph"),
            triple(named, "sd:name", name),
            triple(named, "sd:graph", name),
            triple(name, "rdf:type", sd + "Graph"),
            *_size(name, size),
        ]
    return triples


def _size(graph: str, size: int | None) -> list[ox.Triple]:
    if size is None:
        return []
    return [triple(graph, "void:triples", ox.Literal(str(size), datatype=ox.NamedNode(f"{XSD}integer")))]
