"""Shapes as read from a shapes graph (SHACL, https://www.w3.org/TR/shacl/); what cannot be checked is refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Literal

import msgspec
import rdflib
from rdflib.collection import Collection
from rdflib.namespace import OWL, RDF, RDFS
from rdflib.namespace import SH as SHACL
from rdflib.term import Identifier, Node

from bibld.errors import ConfigError
from bibld.model.rdf import iri, literal

SH = "http://www.w3.org/ns/shacl#"

Severity = Literal["violation", "warning", "info"]

SEVERITIES: tuple[Severity, ...] = ("violation", "warning", "info")
"""The severities of SHACL, the gravest first."""

PathKind = Literal["predicate", "sequence", "alternative", "zero or one"]


class PropertyPath(msgspec.Struct, frozen=True):
    """A property path: a predicate (a term), or a combination of other paths."""

    kind: PathKind
    predicate: str = ""
    parts: tuple[PropertyPath, ...] = ()

    def __str__(self) -> str:
        if self.kind == "predicate":
            return self.predicate
        if self.kind == "zero or one":
            return f"({self.parts[0]})?"
        return f"({('/' if self.kind == 'sequence' else '|').join(map(str, self.parts))})"

    def to_triples(self, node: str) -> tuple[str, list[str]]:
        """Return the node that SHACL uses for the path, and the triples about it; ``node`` is a free blank node."""
        if self.kind == "predicate":
            return self.predicate, []
        parts = [part.to_triples(f"{node}p{number}") for number, part in enumerate(self.parts)]
        triples = [triple for _, found in parts for triple in found]
        if self.kind == "zero or one":
            return node, [*triples, f"{node} <{SH}zeroOrOnePath> {parts[0][0]} .\n"]
        cells = [f"{node}c{number}" for number in range(len(parts))]
        for cell, rest, (part, _) in zip(cells, [*cells[1:], f"<{RDF.nil}>"], parts, strict=True):
            triples += [f"{cell} <{RDF.first}> {part} .\n", f"{cell} <{RDF.rest}> {rest} .\n"]
        if self.kind == "sequence":
            return cells[0], triples
        return node, [*triples, f"{node} <{SH}alternativePath> {cells[0]} .\n"]


class Constraint(msgspec.Struct, frozen=True):
    """One constraint of a shape: the local name of its component, such as ``MinCount``, and its parameter.

    ``number`` is unique among all constraints of the shapes. ``argument`` is an integer, a term, some terms, a
    shape, a tuple of shapes, a compiled pattern, or a :class:`Qualified`, depending on the component.
    """

    number: int
    component: str
    argument: Any

    @property
    def component_iri(self) -> str:
        """The IRI of the constraint component."""
        return f"{SH}{self.component}ConstraintComponent"


class Qualified(msgspec.Struct, frozen=True):
    """The argument of ``sh:qualifiedMinCount`` or ``sh:qualifiedMaxCount``: how many values conform to a shape."""

    shape: Shape
    least: int
    most: int


class Shape(msgspec.Struct, frozen=True):
    """A node shape, or with ``path`` a property shape.

    ``name`` is the term of the shape in the shapes graph (a blank node's has no meaning outside it), ``label`` what to
    call it in a report, ``source`` the term of the shape with an IRI that contains it. ``messages`` and ``texts`` are
    terms and their texts in English if there are such.
    """

    name: str
    source: str
    label: str
    path: PropertyPath | None
    severity: Severity
    messages: tuple[str, ...]
    text: str
    constraints: tuple[Constraint, ...]


class Targets(msgspec.Struct, frozen=True):
    """Which nodes a shape applies to: those of classes, with a predicate, that are objects of one, or named ones.

    All members are terms.
    """

    classes: tuple[str, ...] = ()
    subjects_of: tuple[str, ...] = ()
    objects_of: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()


class ShapesGraph(msgspec.Struct, frozen=True):
    """All shapes that have targets. ``classes`` are the classes (terms) whose instances have to be known."""

    roots: tuple[tuple[Targets, Shape], ...]
    classes: tuple[str, ...]

    def constraints(self) -> dict[int, tuple[Shape, Constraint]]:
        """Return every constraint with its shape, by number."""
        found: dict[int, tuple[Shape, Constraint]] = {}

        def visit(shape: Shape) -> None:
            for constraint in shape.constraints:
                found[constraint.number] = (shape, constraint)
                for part in parts_of(constraint):
                    visit(part)

        for _, root in self.roots:
            visit(root)
        return found


def parts_of(constraint: Constraint) -> Iterator[Shape]:
    """Yield the shapes in the argument of a constraint."""
    argument = constraint.argument
    if isinstance(argument, Qualified):
        yield argument.shape
    elif isinstance(argument, Shape):
        yield argument
    elif isinstance(argument, tuple):
        yield from (part for part in argument if isinstance(part, Shape))


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

_NODE_KINDS: dict[Node, tuple[str, ...]] = {
    SHACL.IRI: ("<",),
    SHACL.BlankNode: ("_",),
    SHACL.Literal: ('"',),
    SHACL.BlankNodeOrIRI: ("_", "<"),
    SHACL.BlankNodeOrLiteral: ("_", '"'),
    SHACL.IRIOrLiteral: ("<", '"'),
}
"""What the terms of each node kind begin with."""

_FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, "x": re.VERBOSE, "q": re.RegexFlag(0)}

_MAX_COUNT = 1 << 62


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
    return _ShapesReader(graph, name).read()


class _ShapesReader:
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
        kinds = ", ".join(sorted(str(one).replace(SH, "sh:") for one in self._graph.predicates(path)))
        self._refuse(node, f"the path {kinds}")
        return PropertyPath("predicate", "<>")

    def _paths(self, node: Node, items: Node) -> tuple[PropertyPath, ...]:
        return tuple(self._path(node, item) for item in self._members(items))

    # -- constraints ---------------------------------------------------------------------------------------------------

    def _constraints(self, node: Node) -> Iterator[Constraint]:
        pairs = sorted(self._graph.predicate_objects(node), key=lambda pair: (str(pair[0]), _stable_key(pair[1])))
        for predicate, value in pairs:
            if str(predicate).startswith(SH) and predicate not in _DESCRIPTIVE:
                for component, argument in self._components(node, str(predicate).removeprefix(SH), value):
                    self._numbers += 1
                    yield Constraint(self._numbers, component, argument)

    def _components(self, node: Node, parameter: str, value: Node) -> Iterator[tuple[str, Any]]:
        """Yield the components that a parameter of a shape states, each with its argument."""
        component = parameter[:1].upper() + parameter[1:]
        if parameter in _ARGUMENTS:
            yield component, _ARGUMENTS[parameter](self, node, value)
        elif parameter in ("not", "node", "property"):
            yield from ((component, shape) for shape in self._shapes(value))
        elif parameter in ("and", "or", "xone"):
            yield component, self._shapes(*self._members(value))
        elif parameter in ("uniqueLang", "closed"):
            if isinstance(value, rdflib.Literal) and value.toPython() is True:
                yield component, self._allowed(node) if parameter == "closed" else True
        elif parameter == "qualifiedValueShape":
            yield from self._qualified(node, value)
        elif parameter != "qualifiedValueShapesDisjoint":
            self._refuse(node, f"sh:{parameter}")

    def _members(self, value: Node) -> list[Node]:
        assert isinstance(value, Identifier)
        return list(Collection(self._graph, value))

    def _shapes(self, *values: Node) -> tuple[Shape, ...]:
        found = (self._shape(value) for value in values)
        return tuple(shape for shape in found if shape is not None)

    def _allowed(self, node: Node) -> frozenset[str]:
        """Return the predicates that a node of a closed shape may have."""
        properties = (self._graph.value(shape, SHACL.path) for shape in self._graph.objects(node, SHACL.property))
        allowed: list[Node] = [path for path in properties if isinstance(path, rdflib.URIRef)]
        for ignored in self._graph.objects(node, SHACL.ignoredProperties):
            allowed += self._members(ignored)
        return frozenset(map(to_term, allowed))

    def _qualified(self, node: Node, value: Node) -> Iterator[tuple[str, Qualified]]:
        if self._graph.value(node, SHACL.qualifiedValueShapesDisjoint) == rdflib.Literal(True):
            self._refuse(node, "sh:qualifiedValueShapesDisjoint")
        for shape in self._shapes(value):
            least, most = (self._graph.value(node, SHACL[f"qualified{end}Count"]) for end in ("Min", "Max"))
            if least is not None:
                yield "QualifiedMinCount", Qualified(shape, self.integer(node, least), _MAX_COUNT)
            if most is not None:
                yield "QualifiedMaxCount", Qualified(shape, 0, self.integer(node, most))

    # Each returns the argument of a component.

    def integer(self, node: Node, value: Node) -> int:
        try:
            return int(str(value))
        except ValueError:
            self._refuse(node, f"the number {value}")
            return 0

    def term(self, node: Node, value: Node) -> str:
        return to_term(value)

    def class_(self, node: Node, value: Node) -> str:
        self._classes[to_term(value)] = None
        return to_term(value)

    def node_kind(self, node: Node, value: Node) -> tuple[str, ...]:
        if value not in _NODE_KINDS:
            self._refuse(node, f"the node kind {value}")
        return _NODE_KINDS.get(value, ())

    def pattern(self, node: Node, value: Node) -> re.Pattern[str]:
        flags, expression = str(self._graph.value(node, SHACL.flags) or ""), str(value)
        try:
            if set(flags) - set(_FLAGS):
                raise ValueError("unknown flag")
            expression = re.escape(expression) if "q" in flags else expression
            return re.compile(expression, sum((_FLAGS[flag] for flag in flags), re.RegexFlag(0)))
        except (re.error, ValueError) as error:
            self._refuse(node, f"the pattern {value} with the flags '{flags}' ({error})")
            return re.compile("")

    def terms(self, node: Node, value: Node) -> frozenset[str]:
        return frozenset(map(to_term, self._members(value)))

    def languages(self, node: Node, value: Node) -> tuple[str, ...]:
        return tuple(map(str, self._members(value)))


_ARGUMENTS: dict[str, Callable[[_ShapesReader, Node, Node], Any]] = {
    **dict.fromkeys(("minCount", "maxCount", "minLength", "maxLength"), _ShapesReader.integer),
    **dict.fromkeys(("minInclusive", "maxInclusive", "minExclusive", "maxExclusive"), _ShapesReader.term),
    **dict.fromkeys(("datatype", "hasValue", "equals", "disjoint", "lessThan"), _ShapesReader.term),
    "lessThanOrEquals": _ShapesReader.term,
    "class": _ShapesReader.class_,
    "nodeKind": _ShapesReader.node_kind,
    "pattern": _ShapesReader.pattern,
    "in": _ShapesReader.terms,
    "languageIn": _ShapesReader.languages,
}
"""What reads the argument of a component that has one, by the parameter of the shape."""


def _english_first(node: Node) -> tuple[bool, str]:
    return not (isinstance(node, rdflib.Literal) and (node.language or "en") == "en"), str(node)


def _stable_key(node: Node) -> str:
    """Return a key for sorting; blank nodes keep the order of the file, because their names depend on the process."""
    return "" if isinstance(node, rdflib.BNode) else str(node)
