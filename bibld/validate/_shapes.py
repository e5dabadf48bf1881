"""Shapes as read from a shapes graph (SHACL, https://www.w3.org/TR/shacl/), as plain values without behaviour."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import msgspec

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


class Constraint(msgspec.Struct, frozen=True):
    """One constraint of a shape: the local name of its component, such as ``MinCount``, and its parameter.

    ``number`` is unique among all constraints of the shapes. ``argument`` is an integer, a term, a tuple of terms, a
    shape, a tuple of shapes, or a struct, depending on the component.
    """

    number: int
    component: str
    argument: Any

    @property
    def component_iri(self) -> str:
        """The IRI of the constraint component."""
        return f"{SH}{self.component}ConstraintComponent"


class Pattern(msgspec.Struct, frozen=True):
    """The argument of ``sh:pattern``: a regular expression and its flags."""

    expression: str
    flags: str


class Closed(msgspec.Struct, frozen=True):
    """The argument of ``sh:closed``: the predicates (terms) that a node may have."""

    allowed: frozenset[str]


class Qualified(msgspec.Struct, frozen=True):
    """The argument of ``sh:qualifiedMinCount`` and ``sh:qualifiedMaxCount``: how many values conform to a shape."""

    shape: Shape
    count: int


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
