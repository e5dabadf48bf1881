"""Read a shapes graph; what cannot be checked is refused, so that nothing is left out unnoticed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import rdflib
from rdflib.collection import Collection
from rdflib.namespace import OWL, RDF, RDFS
from rdflib.namespace import SH as SHACL
from rdflib.term import Identifier, Node

from bibld.errors import ConfigError
from bibld.model.rdf import iri, literal
from bibld.validate._shapes import (
    SH,
    Closed,
    Constraint,
    Pattern,
    PropertyPath,
    Qualified,
    Severity,
    Shape,
    ShapesGraph,
    Targets,
)

_SEVERITIES: dict[Node, Severity] = {
    SHACL.Violation: "violation",
    SHACL.Warning: "warning",
    SHACL.Info: "info",
}
_DESCRIPTIVE = frozenset(
    SHACL[name]
    for name in (
        *("path", "severity", "message", "deactivated", "name", "description", "order", "group", "defaultValue"),
        *("targetClass", "targetSubjectsOf", "targetObjectsOf", "targetNode"),
        *("flags", "ignoredProperties", "qualifiedMinCount", "qualifiedMaxCount", "declare", "prefixes"),
    )
)
"""Properties of a shape that are not constraints, or that are read together with one."""

_NODE_KINDS: dict[Node, str] = {
    SHACL.IRI: "I",
    SHACL.BlankNode: "B",
    SHACL.Literal: "L",
    SHACL.BlankNodeOrIRI: "BI",
    SHACL.BlankNodeOrLiteral: "BL",
    SHACL.IRIOrLiteral: "IL",
}
"""Which kinds of terms each node kind allows: IRIs, blank nodes, literals."""


def to_term(node: Node) -> str:
    """Write a node of rdflib as bibld writes it in N-Quads."""
    if isinstance(node, rdflib.URIRef):
        return iri(str(node))
    if isinstance(node, rdflib.Literal):
        return literal(str(node), node.language, str(node.datatype) if node.datatype and not node.language else None)
    return f"_:{node}"


def read_shapes(turtle: str, name: str) -> ShapesGraph:
    """Read shapes in Turtle; ``name`` is the file for messages.

    Raises ``ConfigError`` with a message for each construct that is not supported.
    """
    try:
        graph = rdflib.Graph().parse(data=turtle, format="turtle")
    except Exception as error:  # rdflib raises what its parsers raise
        raise ConfigError([f"{name}: is not Turtle: {error}"]) from error
    return _Reader(graph, name).read()


class _Reader:
    def __init__(self, graph: rdflib.Graph, name: str) -> None:
        self._graph = graph
        self._name = name
        self._faults: list[str] = []
        self._numbers = 0
        self._open: list[Node] = []
        self._source: Node | None = None
        self._classes: dict[str, None] = {}

    def read(self) -> ShapesGraph:
        roots = []
        for node in self._shapes_with_targets():
            targets = Targets(
                self._terms(node, SHACL.targetClass) + ((to_term(node),) if self._is_class(node) else ()),
                self._terms(node, SHACL.targetSubjectsOf),
                self._terms(node, SHACL.targetObjectsOf),
                self._terms(node, SHACL.targetNode),
            )
            if self._graph.value(node, SHACL.target) is not None:
                self._refuse(node, "sh:target (targets by SPARQL)")
            shape = self._shape(node)
            if shape is not None:
                roots.append((targets, shape))
        if not roots and not self._faults:
            self._faults.append(f"{self._name}: contains no shape with a target; name a file of SHACL shapes")
        if self._faults:
            raise ConfigError(self._faults)
        return ShapesGraph(tuple(roots), tuple(self._classes))

    def _shapes_with_targets(self) -> list[Node]:
        found: dict[Node, None] = {}
        for name in ("targetClass", "targetSubjectsOf", "targetObjectsOf", "targetNode", "target"):
            found.update(dict.fromkeys(self._graph.subjects(SHACL[name])))
        for kind in (SHACL.NodeShape, SHACL.PropertyShape):
            found.update({node: None for node in self._graph.subjects(RDF.type, kind) if self._is_class(node)})
        return sorted(found, key=str)

    def _is_class(self, node: Node) -> bool:
        return any((node, RDF.type, kind) in self._graph for kind in (RDFS.Class, OWL.Class))

    def _refuse(self, node: Node, what: str) -> None:
        named = node if isinstance(node, rdflib.URIRef) else self._source
        self._faults.append(
            f"{self._name}: shape {named}: {what} is not supported by `bibld validate`; write it with the constraints"
            " that the reference page lists, or check it with pyshacl"
        )

    def _terms(self, node: Node, predicate: Node) -> tuple[str, ...]:
        return tuple(sorted(map(to_term, self._graph.objects(node, predicate))))

    def _shape(self, node: Node) -> Shape | None:
        """Read a shape; None if it is deactivated."""
        if node in self._open:
            self._refuse(node, "a shape that refers to itself")
            return None
        if self._graph.value(node, SHACL.deactivated) == rdflib.Literal(True):
            return None
        before = self._source
        self._source = node if isinstance(node, rdflib.URIRef) else self._source
        self._open.append(node)
        try:
            path_node = self._graph.value(node, SHACL.path)
            path = None if path_node is None else self._path(node, path_node)
            severity = self._graph.value(node, SHACL.severity)
            if severity is not None and severity not in _SEVERITIES:
                self._refuse(node, f"the severity {severity}")
            messages = sorted(self._graph.objects(node, SHACL.message), key=_english_first)
            return Shape(
                name=to_term(node),
                source=to_term(self._source or node),
                label=self._label(node),
                path=path,
                severity=_SEVERITIES.get(severity or SHACL.Violation, "violation"),
                messages=tuple(map(to_term, messages)),
                text=str(messages[0]) if messages else "",
                constraints=tuple(self._constraints(node)),
            )
        finally:
            self._open.pop()
            self._source = before

    def _label(self, node: Node) -> str:
        labels = sorted(self._graph.objects(self._source or node, RDFS.label), key=_english_first)
        return str(labels[0]) if labels else str(self._source or node).rpartition("#")[2]

    def _path(self, node: Node, path: Node) -> PropertyPath:
        if isinstance(path, rdflib.URIRef):
            return PropertyPath("predicate", iri(str(path)))
        if self._graph.value(path, RDF.first) is not None:
            return PropertyPath("sequence", parts=self._paths(node, path))
        alternatives = self._graph.value(path, SHACL.alternativePath)
        if alternatives is not None:
            return PropertyPath("alternative", parts=self._paths(node, alternatives))
        optional = self._graph.value(path, SHACL.zeroOrOnePath)
        if optional is not None:
            return PropertyPath("zero or one", parts=(self._path(node, optional),))
        kinds = ", ".join(sorted(_short(predicate) for predicate in self._graph.predicates(path)))
        self._refuse(node, f"the path {kinds}")
        return PropertyPath("predicate", "<>")

    def _paths(self, node: Node, items: Node) -> tuple[PropertyPath, ...]:
        return tuple(self._path(node, item) for item in Collection(self._graph, _identifier(items)))

    # -- constraints ---------------------------------------------------------------------------------------------------

    def _constraints(self, node: Node) -> Iterable[Constraint]:
        pairs = sorted(self._graph.predicate_objects(node), key=lambda pair: (str(pair[0]), _stable_key(pair[1])))
        for predicate, value in pairs:
            if not str(predicate).startswith(SH) or predicate in _DESCRIPTIVE:
                continue
            parameter = _short(predicate)
            read = _PARAMETERS.get(parameter)
            if read is None:
                self._refuse(node, parameter)
                continue
            for component, argument in read(self, node, value):
                self._numbers += 1
                yield Constraint(self._numbers, component, argument)

    def integer(self, node: Node, value: Node) -> int:
        try:
            return int(str(value))
        except ValueError:
            self._refuse(node, f"the number {value}")
            return 0

    def members(self, node: Node, value: Node) -> list[Node]:
        return list(Collection(self._graph, _identifier(value)))

    def shapes(self, node: Node, values: Iterable[Node]) -> tuple[Shape, ...]:
        found = (self._shape(value) for value in values)
        return tuple(shape for shape in found if shape is not None)

    def shape(self, node: Node, value: Node) -> tuple[Shape, ...]:
        return self.shapes(node, [value])

    def class_(self, value: Node) -> str:
        term = to_term(value)
        self._classes[term] = None
        return term

    def node_kind(self, node: Node, value: Node) -> str:
        kinds = _NODE_KINDS.get(value)
        if kinds is None:
            self._refuse(node, f"the node kind {value}")
        return kinds or ""

    def pattern(self, node: Node, value: Node) -> Pattern:
        flags = str(self._graph.value(node, SHACL.flags) or "")
        try:
            re.compile(str(value))
            if set(flags) - set("imsxq"):
                raise ValueError("unknown flag")
        except (re.error, ValueError) as error:
            self._refuse(node, f"the pattern {value} with the flags '{flags}' ({error})")
        return Pattern(str(value), flags)

    def closed(self, node: Node) -> Closed:
        properties = (self._graph.value(shape, SHACL.path) for shape in self._graph.objects(node, SHACL.property))
        allowed: list[Node] = [path for path in properties if isinstance(path, rdflib.URIRef)]
        for ignored in self._graph.objects(node, SHACL.ignoredProperties):
            allowed += self.members(node, ignored)
        return Closed(frozenset(map(to_term, allowed)))

    def qualified(self, node: Node, value: Node) -> Iterable[tuple[str, Qualified]]:
        if self._graph.value(node, SHACL.qualifiedValueShapesDisjoint) == rdflib.Literal(True):
            self._refuse(node, "sh:qualifiedValueShapesDisjoint")
        for shape in self.shape(node, value):
            for end in ("Min", "Max"):
                count = self._graph.value(node, SHACL[f"qualified{end}Count"])
                if count is not None:
                    yield f"Qualified{end}Count", Qualified(shape, self.integer(node, count))


_Read = Callable[[_Reader, Node, Node], Iterable[tuple[str, Any]]]

_SHAPE_LISTS = {"sh:and": "And", "sh:or": "Or", "sh:xone": "Xone"}
_ONE_SHAPE = {"sh:not": "Not", "sh:node": "Node", "sh:property": "Property"}
_INTEGERS = {
    "sh:minCount": "MinCount",
    "sh:maxCount": "MaxCount",
    "sh:minLength": "MinLength",
    "sh:maxLength": "MaxLength",
}
_TERMS = {
    "sh:datatype": "Datatype",
    "sh:minInclusive": "MinInclusive",
    "sh:maxInclusive": "MaxInclusive",
    "sh:minExclusive": "MinExclusive",
    "sh:maxExclusive": "MaxExclusive",
    "sh:hasValue": "HasValue",
    "sh:equals": "Equals",
    "sh:disjoint": "Disjoint",
    "sh:lessThan": "LessThan",
    "sh:lessThanOrEquals": "LessThanOrEquals",
}


def _parameters() -> dict[str, _Read]:
    """Return, for each parameter of a constraint, the function that reads it as components with their arguments."""

    def integer(component: str) -> _Read:
        return lambda reader, node, value: [(component, reader.integer(node, value))]

    def term(component: str) -> _Read:
        return lambda reader, node, value: [(component, to_term(value))]

    def shape(component: str) -> _Read:
        return lambda reader, node, value: [(component, found) for found in reader.shape(node, value)]

    def shape_list(component: str) -> _Read:
        return lambda reader, node, value: [(component, reader.shapes(node, reader.members(node, value)))]

    return {
        **{name: integer(component) for name, component in _INTEGERS.items()},
        **{name: term(component) for name, component in _TERMS.items()},
        **{name: shape(component) for name, component in _ONE_SHAPE.items()},
        **{name: shape_list(component) for name, component in _SHAPE_LISTS.items()},
        "sh:class": lambda reader, node, value: [("Class", reader.class_(value))],
        "sh:nodeKind": lambda reader, node, value: [("NodeKind", reader.node_kind(node, value))],
        "sh:pattern": lambda reader, node, value: [("Pattern", reader.pattern(node, value))],
        "sh:in": lambda reader, node, value: [("In", tuple(map(to_term, reader.members(node, value))))],
        "sh:languageIn": lambda reader, node, value: [("LanguageIn", tuple(map(str, reader.members(node, value))))],
        "sh:uniqueLang": lambda reader, node, value: [("UniqueLang", True)] if _is_true(value) else [],
        "sh:closed": lambda reader, node, value: [("Closed", reader.closed(node))] if _is_true(value) else [],
        "sh:qualifiedValueShape": lambda reader, node, value: reader.qualified(node, value),
        "sh:qualifiedValueShapesDisjoint": lambda reader, node, value: [],
    }


def _is_true(value: Node) -> bool:
    return isinstance(value, rdflib.Literal) and value.toPython() is True


def _short(node: Node) -> str:
    return str(node).replace(SH, "sh:")


def _identifier(node: Node) -> Identifier:
    assert isinstance(node, Identifier)
    return node


def _english_first(node: Node) -> tuple[bool, str]:
    return not (isinstance(node, rdflib.Literal) and (node.language or "en") == "en"), str(node)


def _stable_key(node: Node) -> str:
    """Return a key for sorting; blank nodes keep the order of the file, because their names depend on the process."""
    return "" if isinstance(node, rdflib.BNode) else str(node)


_PARAMETERS = _parameters()
