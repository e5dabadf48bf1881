"""The same data checked by bibld and by pyshacl, with results in a form that can be compared."""

from __future__ import annotations

import warnings
from collections import Counter

import pyoxigraph as ox
import rdflib
from rdflib.namespace import RDF, SH

from bibld.model.rdf import iri, literal
from bibld.validate import ShapesGraph, read_shapes
from bibld.validate._evaluation import FocusChecks, ValidationResult
from bibld.validate._terms import SUBCLASS_OF, KnownStatements, group_by_subject, subclass_closure

Found = tuple[str, str, str, str | None, str]
"""Focus node, property (``path`` for any other path), constraint component, value, severity."""

PREFIXES = """
@prefix ex: <http://example.org/> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""


def term(node: rdflib.term.Node) -> str:
    if isinstance(node, rdflib.URIRef):
        return iri(str(node))
    assert isinstance(node, rdflib.Literal)
    return literal(str(node), node.language, str(node.datatype) if node.datatype and not node.language else None)


def check_all(lines: str, shapes: ShapesGraph) -> list[ValidationResult]:
    """Check lines of N-Quads that are all the data, in one go instead of in batches."""
    nodes = group_by_subject(lines)
    subclasses = subclass_closure(
        {(child, parent) for child, node in nodes.items() for parent in node.get(SUBCLASS_OF, ())}
    )
    checks = FocusChecks(shapes, subclasses)
    statements = KnownStatements(nodes, subclasses, is_known=lambda _: True)
    focuses = {(number, focus) for focus, node in nodes.items() for number in checks.shapes_of(node)}
    focuses |= checks.named_nodes()
    focuses |= {pair for node in nodes.values() for pair in checks.nodes_pointed_at(node)}
    return [result for number, focus in sorted(focuses) for result in checks.check(focus, [number], statements)[0]]


def found_by_bibld(lines: str, shapes: str) -> Counter[Found]:
    graph = read_shapes(shapes, "shapes.ttl")
    constraints = graph.constraints()
    found: Counter[Found] = Counter()
    for result in check_all(lines, graph):
        shape, constraint = constraints[result.constraint]
        path = result.path if result.path.startswith("<") or not result.path else "path"
        found[(result.focus, path, constraint.component_iri, result.value, shape.severity)] += 1
    return found


def found_by_pyshacl(lines: str, shapes: str) -> Counter[Found]:
    triples = {quad.triple for quad in ox.parse(lines.encode(), ox.RdfFormat.N_QUADS)}
    data = rdflib.Graph().parse(data=ox.serialize(triples, format=ox.RdfFormat.N_TRIPLES), format="nt")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pyshacl's own deprecations are not ours
        import pyshacl

        _, report, _ = pyshacl.validate(data, shacl_graph=rdflib.Graph().parse(data=shapes, format="turtle"))
    found: Counter[Found] = Counter()
    for result in report.objects(None, SH.result):  # not the details of a result
        path, value = report.value(result, SH.resultPath), report.value(result, SH.value)
        severity = str(report.value(result, SH.resultSeverity)).rpartition("#")[2].lower()
        found[
            (
                term(report.value(result, SH.focusNode)),
                "" if path is None else term(path) if isinstance(path, rdflib.URIRef) else "path",
                str(report.value(result, SH.sourceConstraintComponent)),
                None if value is None else term(value),
                severity,
            )
        ] += 1
    assert (None, RDF.type, SH.ValidationReport) in report
    return found


def found_by_rudof(lines: str, shapes: str) -> Counter[tuple[str, str, str]]:
    """Return focus node, constraint component and severity of each result; raises what refuses the shapes."""
    import pyrudof

    triples = {quad.triple for quad in ox.parse(lines.encode(), ox.RdfFormat.N_QUADS)}
    rudof = pyrudof.Rudof(pyrudof.RudofConfig())
    strict = pyrudof.ReaderMode.Strict
    data = ox.serialize(triples, format=ox.RdfFormat.N_TRIPLES).decode()
    rudof.read_data(data, pyrudof.RDFFormat.NTriples, reader_mode=strict)
    rudof.read_shacl(shapes, pyrudof.ShaclFormat.Turtle, reader_mode=strict)
    return Counter(
        (iri(each.focus_node), each.constraint_component, each.severity.lower()) for each in rudof.validate_shacl()
    )
