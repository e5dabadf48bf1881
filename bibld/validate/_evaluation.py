"""Check nodes against shapes. Each constraint becomes a function once; the functions do the work for every node.

The semantics are those of SHACL Core (https://www.w3.org/TR/shacl/, section 4). The values of a constraint are those of
the path of its property shape, or the node itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from bibld.validate._shapes import Closed, Constraint, Pattern, PropertyPath, Qualified, Shape
from bibld.validate._statements import KnownStatements
from bibld.validate._terms import (
    compare,
    has_datatype,
    is_literal,
    language_matches,
    text_of,
    to_literal,
)


class Result(NamedTuple):
    """A node that does not fulfil a constraint.

    ``constraint`` is the number of the constraint; ``path`` is empty for a node shape, ``value`` is None where the
    fault is not one value (too few, for example). Nodes and values are terms.
    """

    constraint: int
    focus: str
    path: str
    value: str | None


class _Fault(NamedTuple):
    """What one constraint finds wrong: the value, if it is one, and the path if it is not that of the shape."""

    value: str | None
    path: str = ""


_Find = Callable[[str, Sequence[str], KnownStatements], Iterator[_Fault]]
"""Yields what is wrong with the values of a focus node."""

Check = Callable[[str, KnownStatements], list[Result]]
"""Returns all results of a shape for a focus node."""

_Test = Callable[[str], bool]
"""Whether one value fulfils a constraint; only the term is looked at."""

_FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, "x": re.VERBOSE}


def compile_shape(shape: Shape) -> Check:
    """Return the function that checks nodes against a shape."""
    values_of = _compile_path(shape.path) if shape.path is not None else None
    path = str(shape.path) if shape.path is not None else ""
    nested = [compile_shape(one.argument) for one in shape.constraints if one.component == "Property"]
    finders = [(one.number, _COMPILERS[one.component](one)) for one in shape.constraints if one.component in _COMPILERS]
    tests = [(one.number, _TESTS[one.component](one)) for one in shape.constraints if one.component in _TESTS]

    def check(focus: str, statements: KnownStatements) -> list[Result]:
        values = (focus,) if values_of is None else values_of(focus, statements)
        results: list[Result] = []
        for number, find in finders:
            for fault in find(focus, values, statements):
                results.append(Result(number, focus, fault.path or path, fault.value))
        if values:
            for number, test in tests:
                for value in values:
                    if not test(value):
                        results.append(Result(number, focus, path, value))
            for check_nested in nested:
                for value in values:
                    results += check_nested(value, statements)
        return results

    return check


# -- paths -------------------------------------------------------------------------------------------------------------

_Values = Callable[[str, KnownStatements], Sequence[str]]


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
        return list(dict.fromkeys(value for part in parts for value in part(focus, statements)))

    def along_one_or_none(focus: str, statements: KnownStatements) -> Sequence[str]:
        return list(dict.fromkeys([focus, *parts[0](focus, statements)]))

    return {"sequence": along_sequence, "alternative": along_any, "zero or one": along_one_or_none}[path.kind]


# -- constraints on one value ------------------------------------------------------------------------------------------


def _node_kind(constraint: Constraint) -> _Test:
    allowed = tuple({"I": "<", "B": "_", "L": '"'}[kind] for kind in constraint.argument)
    return lambda value: value.startswith(allowed)


def _datatype(constraint: Constraint) -> _Test:
    datatype = constraint.argument[1:-1]
    return lambda value: has_datatype(value, datatype)


def _pattern(constraint: Constraint) -> _Test:
    pattern: Pattern = constraint.argument
    expression = re.escape(pattern.expression) if "q" in pattern.flags else pattern.expression
    flags = sum((_FLAGS[flag] for flag in pattern.flags if flag in _FLAGS), re.RegexFlag(0))
    search = re.compile(expression, flags).search

    def test(value: str) -> bool:
        text = text_of(value)
        return text is not None and search(text) is not None

    return test


def _length(constraint: Constraint) -> _Test:
    number = constraint.argument
    is_least = constraint.component == "MinLength"

    def test(value: str) -> bool:
        text = text_of(value)
        return text is not None and (len(text) >= number if is_least else len(text) <= number)

    return test


def _range(constraint: Constraint) -> _Test:
    bound, component = constraint.argument, constraint.component

    def test(value: str) -> bool:
        order = compare(value, bound)
        if order is None:
            return False
        if order == 0:
            return component.endswith("Inclusive")
        return order > 0 if component.startswith("Min") else order < 0

    return test


def _language_in(constraint: Constraint) -> _Test:
    wanted = constraint.argument

    def test(value: str) -> bool:
        found = to_literal(value)
        return found is not None and any(language_matches(found.language, one) for one in wanted)

    return test


def _in(constraint: Constraint) -> _Test:
    return frozenset(constraint.argument).__contains__


_TESTS: dict[str, Callable[[Constraint], _Test]] = {
    "NodeKind": _node_kind,
    "Datatype": _datatype,
    "Pattern": _pattern,
    "MinLength": _length,
    "MaxLength": _length,
    "MinInclusive": _range,
    "MaxInclusive": _range,
    "MinExclusive": _range,
    "MaxExclusive": _range,
    "LanguageIn": _language_in,
    "In": _in,
}


# -- constraints on all values, or on other nodes ----------------------------------------------------------------------


def _min_count(constraint: Constraint) -> _Find:
    least = constraint.argument

    def find(focus: str, values: Sequence[str], statements: KnownStatements) -> Iterator[_Fault]:
        return iter((_Fault(None),) if len(values) < least else ())

    return find


def _max_count(constraint: Constraint) -> _Find:
    most = constraint.argument

    def find(focus: str, values: Sequence[str], statements: KnownStatements) -> Iterator[_Fault]:
        return iter((_Fault(None),) if len(values) > most else ())

    return find


def _unique_language(constraint: Constraint) -> _Find:
    def find(focus: str, values: Sequence[str], statements: KnownStatements) -> Iterator[_Fault]:
        if len(values) < 2:
            return
        found = [part.language for value in values if (part := to_literal(value)) is not None and part.language]
        for language in dict.fromkeys(found):
            if found.count(language) > 1:
                yield _Fault(None)

    return find


def _class(constraint: Constraint) -> _Find:
    class_ = constraint.argument

    def find(focus: str, values: Sequence[str], statements: KnownStatements) -> Iterator[_Fault]:
        for value in values:
            if is_literal(value) or not statements.is_instance(value, class_):
                yield _Fault(value)

    return find


def _has_value(constraint: Constraint) -> _Find:
    wanted = constraint.argument

    def find(focus: str, values: Sequence[str], statements: KnownStatements) -> Iterator[_Fault]:
        if wanted not in values:
            yield _Fault(None)

    return find


def _compared_sets(constraint: Constraint) -> _Find:
    predicate, is_equality = constraint.argument, constraint.component == "Equals"

    def find(focus: str, values: Sequence[str], statements: KnownStatements) -> Iterator[_Fault]:
        others = statements.about(focus).get(predicate, [])
        if is_equality:
            yield from (_Fault(value) for value in values if value not in others)
            yield from (_Fault(other) for other in others if other not in values)
        else:
            yield from (_Fault(value) for value in values if value in others)

    return find


def _less_than(constraint: Constraint) -> _Find:
    predicate, most = constraint.argument, -1 if constraint.component == "LessThan" else 0

    def find(focus: str, values: Sequence[str], statements: KnownStatements) -> Iterator[_Fault]:
        for value in values:
            for other in statements.about(focus).get(predicate, ()):
                order = compare(value, other)
                if order is None or order > most:
                    yield _Fault(value)

    return find


def _closed(constraint: Constraint) -> _Find:
    closed: Closed = constraint.argument

    def find(focus: str, values: Sequence[str], statements: KnownStatements) -> Iterator[_Fault]:
        for node in values:
            for predicate, objects in statements.about(node).items():
                if predicate not in closed.allowed:
                    yield from (_Fault(value, predicate) for value in objects)

    return find


def _combined(constraint: Constraint) -> _Find:
    """Return the function for constraints that count how many of some shapes a value conforms to."""
    argument = constraint.argument
    checks = [compile_shape(shape) for shape in (argument if isinstance(argument, tuple) else (argument,))]
    is_fulfilled: Callable[[Iterator[bool]], bool] = {
        "And": all,
        "Or": any,
        "Not": lambda conforms: not any(conforms),
        "Node": all,
        "Xone": lambda conforms: sum(conforms) == 1,
    }[constraint.component]

    def find(focus: str, values: Sequence[str], statements: KnownStatements) -> Iterator[_Fault]:
        for value in values:
            if not is_fulfilled(not check(value, statements) for check in checks):
                yield _Fault(value)

    return find


def _qualified(constraint: Constraint) -> _Find:
    qualified: Qualified = constraint.argument
    check, is_least = compile_shape(qualified.shape), constraint.component == "QualifiedMinCount"

    def find(focus: str, values: Sequence[str], statements: KnownStatements) -> Iterator[_Fault]:
        count = sum(not check(value, statements) for value in values)
        if count < qualified.count if is_least else count > qualified.count:
            yield _Fault(None)

    return find


_COMPILERS: dict[str, Callable[[Constraint], _Find]] = {
    "MinCount": _min_count,
    "MaxCount": _max_count,
    "UniqueLang": _unique_language,
    "Class": _class,
    "HasValue": _has_value,
    "Equals": _compared_sets,
    "Disjoint": _compared_sets,
    "LessThan": _less_than,
    "LessThanOrEquals": _less_than,
    "Closed": _closed,
    **dict.fromkeys(("And", "Or", "Not", "Node", "Xone"), _combined),
    **dict.fromkeys(("QualifiedMinCount", "QualifiedMaxCount"), _qualified),
}
