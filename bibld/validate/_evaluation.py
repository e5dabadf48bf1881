"""Check nodes against shapes. Each constraint becomes a function once; the functions do the work for every node.

The semantics are those of SHACL Core (https://www.w3.org/TR/shacl/, section 4). The values of a constraint are those of
the path of its property shape, or the node itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from bibld.validate._shapes import Constraint, PropertyPath, Qualified, Shape, ShapesGraph, parts_of
from bibld.validate._terms import (
    RDF_TYPE,
    KnownStatements,
    Node,
    NodeElsewhereError,
    compare,
    has_datatype,
    is_literal,
    language_matches,
    text_of,
    to_literal,
)


class ValidationResult(NamedTuple):
    """A node that does not fulfil a constraint.

    ``constraint`` is the number of the constraint; ``path`` is empty for a node shape, ``value`` is None where the
    fault is not one value (too few, for example). Nodes and values are terms.
    """

    constraint: int
    focus: str
    path: str
    value: str | None


Check = Callable[[str, KnownStatements], list[ValidationResult]]
"""Returns all results of a shape for a focus node."""

_Values = Callable[[str, KnownStatements], Sequence[str]]

_Wrong = Iterable[tuple[str | None, str]]
"""What a constraint finds wrong: the value, if it is one, and the path if it is not that of the shape."""

_ALL_VALUES_TOGETHER: _Wrong = ((None, ""),)


def compile_shape(shape: Shape) -> Check:
    """Return the function that checks nodes against a shape."""
    values_of = _compile_path(shape.path) if shape.path is not None else None
    path = str(shape.path) if shape.path is not None else ""
    nested = [compile_shape(one.argument) for one in shape.constraints if one.component == "Property"]
    finders = [
        (one.number, partial(_FINDERS[one.component], _compile_argument(one)))
        for one in shape.constraints
        if one.component in _FINDERS
    ]
    tests = [
        (one.number, partial(_TESTS[one.component], one.argument))
        for one in shape.constraints
        if one.component in _TESTS
    ]

    def check(focus: str, statements: KnownStatements) -> list[ValidationResult]:
        values = (focus,) if values_of is None else values_of(focus, statements)
        results: list[ValidationResult] = []
        for number, find in finders:
            for wrong, other_path in find(focus, values, statements):
                results.append(ValidationResult(number, focus, other_path or path, wrong))
        if values:
            for number, test in tests:
                for value in values:
                    if not test(value):
                        results.append(ValidationResult(number, focus, path, value))
            for check_nested in nested:
                for value in values:
                    results += check_nested(value, statements)
        return results

    return check


def _compile_argument(constraint: Constraint) -> Any:  # noqa: ANN401
    """Return the argument of a constraint with checks in place of shapes."""
    argument = constraint.argument
    if isinstance(argument, Qualified):
        return compile_shape(argument.shape), argument.least, argument.most
    shapes = list(parts_of(constraint))
    return [compile_shape(shape) for shape in shapes] if shapes else argument


def _compile_path(path: PropertyPath) -> _Values:
    if path.kind == "predicate":
        predicate = path.predicate
        return lambda focus, statements: statements.about(focus).get(predicate, ())
    parts = [_compile_path(part) for part in path.parts]

    def along_sequence(focus: str, statements: KnownStatements) -> Sequence[str]:
        nodes: Sequence[str] = (focus,)
        for part in parts:
            nodes = list(dict.fromkeys(value for node in nodes for value in part(node, statements)))
        return nodes

    def along_any(focus: str, statements: KnownStatements) -> Sequence[str]:
        own = (focus,) if path.kind == "zero or one" else ()
        return list(dict.fromkeys([*own, *(value for part in parts for value in part(focus, statements))]))

    return along_sequence if path.kind == "sequence" else along_any


# -- constraints on one value: the argument of the constraint, and the value ------------------------------------------


def _matches(search: Callable[[str], object], value: str) -> bool:
    text = text_of(value)
    return text is not None and search(text) is not None


def _is_long_enough(least: int, value: str) -> bool:
    text = text_of(value)
    return text is not None and len(text) >= least


def _is_short_enough(most: int, value: str) -> bool:
    text = text_of(value)
    return text is not None and len(text) <= most


def _has_order(allowed: tuple[int, ...], bound: str, value: str) -> bool:
    return compare(value, bound) in allowed


def _has_language(wanted: Sequence[str], value: str) -> bool:
    found = to_literal(value)
    return found is not None and any(language_matches(found.language, one) for one in wanted)


_TESTS: dict[str, Callable[[Any, str], bool]] = {
    "NodeKind": lambda beginnings, value: value.startswith(beginnings),
    "Datatype": lambda datatype, value: has_datatype(value, datatype[1:-1]),
    "Pattern": lambda pattern, value: _matches(pattern.search, value),
    "MinLength": _is_long_enough,
    "MaxLength": _is_short_enough,
    "MinInclusive": partial(_has_order, (0, 1)),
    "MaxInclusive": partial(_has_order, (0, -1)),
    "MinExclusive": partial(_has_order, (1,)),
    "MaxExclusive": partial(_has_order, (-1,)),
    "LanguageIn": _has_language,
    "In": lambda allowed, value: value in allowed,
}


# -- constraints on all values, or on other nodes: the argument, the focus node, its values, and the statements -------


def _unique_language(_: bool, focus: str, values: Sequence[str], statements: KnownStatements) -> _Wrong:
    if len(values) < 2:
        return ()
    found = [part.language for value in values if (part := to_literal(value)) is not None and part.language]
    return [(None, "") for language in dict.fromkeys(found) if found.count(language) > 1]


def _class(class_: str, focus: str, values: Sequence[str], statements: KnownStatements) -> _Wrong:
    return [(one, "") for one in values if is_literal(one) or not statements.is_instance(one, class_)]


def _equals(predicate: str, focus: str, values: Sequence[str], statements: KnownStatements) -> _Wrong:
    others = statements.about(focus).get(predicate, [])
    different = [*(one for one in values if one not in others), *(one for one in others if one not in values)]
    return [(one, "") for one in different]


def _disjoint(predicate: str, focus: str, values: Sequence[str], statements: KnownStatements) -> _Wrong:
    others = statements.about(focus).get(predicate, [])
    return [(one, "") for one in values if one in others]


def _less(
    allowed: tuple[int, ...], predicate: str, focus: str, values: Sequence[str], statements: KnownStatements
) -> _Wrong:
    others = statements.about(focus).get(predicate, ())
    return [(one, "") for one in values for other in others if compare(one, other) not in allowed]


def _closed(allowed: frozenset[str], focus: str, values: Sequence[str], statements: KnownStatements) -> _Wrong:
    for node in values:
        for predicate, objects in statements.about(node).items():
            if predicate not in allowed:
                yield from ((value, predicate) for value in objects)


def _combined(
    is_fulfilled: Callable[[Iterator[bool]], bool],
    checks: Sequence[Check],
    focus: str,
    values: Sequence[str],
    statements: KnownStatements,
) -> _Wrong:
    """Find the values for which a condition on the shapes that they conform to is not fulfilled."""
    return [(one, "") for one in values if not is_fulfilled(not check(one, statements) for check in checks)]


def _qualified(
    qualified: tuple[Check, int, int], focus: str, values: Sequence[str], statements: KnownStatements
) -> _Wrong:
    check, least, most = qualified
    return () if least <= sum(not check(one, statements) for one in values) <= most else _ALL_VALUES_TOGETHER


_Find = Callable[[Any, str, Sequence[str], KnownStatements], _Wrong]

_FINDERS: dict[str, _Find] = {
    "MinCount": lambda least, focus, values, statements: _ALL_VALUES_TOGETHER if len(values) < least else (),
    "MaxCount": lambda most, focus, values, statements: _ALL_VALUES_TOGETHER if len(values) > most else (),
    "UniqueLang": _unique_language,
    "Class": _class,
    "HasValue": lambda wanted, focus, values, statements: () if wanted in values else _ALL_VALUES_TOGETHER,
    "Equals": _equals,
    "Disjoint": _disjoint,
    "LessThan": partial(_less, (-1,)),
    "LessThanOrEquals": partial(_less, (-1, 0)),
    "Closed": _closed,
    "And": partial(_combined, all),
    "Or": partial(_combined, any),
    "Not": partial(_combined, lambda conforms: not any(conforms)),
    "Node": partial(_combined, all),
    "Xone": partial(_combined, lambda conforms: sum(conforms) == 1),
    "QualifiedMinCount": _qualified,
    "QualifiedMaxCount": _qualified,
}


# -- focus nodes -------------------------------------------------------------------------------------------------------

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

    def check(
        self, focus: str, numbers: list[int], statements: KnownStatements
    ) -> tuple[list[ValidationResult], list[Deferred]]:
        """Check a node against shapes; what cannot be decided without other nodes is deferred."""
        results: list[ValidationResult] = []
        deferred: list[Deferred] = []
        for number in numbers:
            try:
                results += self.checks[number](focus, statements)
            except NodeElsewhereError as error:
                deferred.append((number, focus, error.node))
        return results, deferred
