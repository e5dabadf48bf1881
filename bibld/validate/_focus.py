"""Which nodes each shape applies to, and the check of all focus nodes among some statements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bibld.validate._evaluation import Check, Result, compile_shape
from bibld.validate._shapes import ShapesGraph
from bibld.validate._statements import KnownStatements, Node, NodeElsewhereError, group_by_subject, subclass_closure
from bibld.validate._terms import RDF_TYPE, SUBCLASS_OF

Deferred = tuple[int, str, str]
"""A focus node that could not be checked: number of the root shape, the node, and the node that is elsewhere."""


class FocusChecks:
    """The compiled shapes, and for each kind of target the shapes (by number) that it selects."""

    def __init__(self, shapes: ShapesGraph, subclasses: Mapping[str, frozenset[str]]) -> None:
        self.checks: list[Check] = [compile_shape(shape) for _, shape in shapes.roots]
        self._by_class: dict[str, list[int]] = {}
        self._by_predicate: dict[str, list[int]] = {}
        self._by_object: dict[str, list[int]] = {}
        self._by_node: dict[str, list[int]] = {}
        for number, (targets, _) in enumerate(shapes.roots):
            classes = {each for class_ in targets.classes for each in subclasses.get(class_, {class_})}
            for selected, terms in (
                (self._by_class, classes),
                (self._by_predicate, targets.subjects_of),
                (self._by_object, targets.objects_of),
                (self._by_node, targets.nodes),
            ):
                for term in terms:
                    selected.setdefault(term, []).append(number)

    def shapes_of(self, node: Node) -> list[int]:
        """Return the shapes that apply to a node because of statements about it."""
        found = [number for type_ in node.get(RDF_TYPE, ()) for number in self._by_class.get(type_, ())]
        for predicate, numbers in self._by_predicate.items():
            if predicate in node:
                found += numbers
        return found if len(found) < 2 else sorted(set(found))

    def named_nodes(self) -> set[tuple[int, str]]:
        """Return the nodes that shapes name as targets, each with the shape."""
        return {(number, node) for node, numbers in self._by_node.items() for number in numbers}

    def nodes_pointed_at(self, node: Node) -> Iterator[tuple[int, str]]:
        """Yield the targets that are values of a node's statements, each with the shape."""
        for predicate, numbers in self._by_object.items():
            for value in node.get(predicate, ()):
                yield from ((number, value) for number in numbers)

    def check(self, focus: str, numbers: list[int], statements: KnownStatements) -> tuple[list[Result], list[Deferred]]:
        """Check a node against shapes; what cannot be decided without other nodes is deferred."""
        results: list[Result] = []
        deferred: list[Deferred] = []
        for number in numbers:
            try:
                results += self.checks[number](focus, statements)
            except NodeElsewhereError as error:
                deferred.append((number, focus, error.node))
        return results, deferred


def check_all(lines: str, shapes: ShapesGraph) -> list[Result]:
    """Check lines of N-Quads that are all the data; returns the results in the order of the lines."""
    nodes = group_by_subject(lines)
    subclasses = subclass_closure(
        {(child, parent) for child, node in nodes.items() for parent in node.get(SUBCLASS_OF, ())}
    )
    checks = FocusChecks(shapes, subclasses)
    statements = KnownStatements(nodes, subclasses, is_complete=True)
    focuses = {(number, focus) for focus, node in nodes.items() for number in checks.shapes_of(node)}
    focuses |= checks.named_nodes()
    focuses |= {pair for node in nodes.values() for pair in checks.nodes_pointed_at(node)}
    results: list[Result] = []
    for number, focus in sorted(focuses):
        results += checks.check(focus, [number], statements)[0]
    return results
