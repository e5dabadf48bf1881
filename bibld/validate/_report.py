"""What a validation found: a report for people and programs, and as ``sh:ValidationReport``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from bibld.errors import StageError
from bibld.model.brief import brief
from bibld.model.rdf import XSD
from bibld.validate._evaluation import ValidationResult
from bibld.validate._passes import ValidationOutcome
from bibld.validate._shapes import SEVERITIES, SH, Constraint, Severity, Shape, ShapesGraph
from bibld.validate._terms import RDF_TYPE, is_iri, is_literal

_EXAMPLES = 3

_MEANINGS = {
    "Class": "a value is not an instance of {argument}",
    "Datatype": "a value is not a valid literal of the datatype {argument}",
    "NodeKind": "a value is not of the required kind (IRI, literal or blank node)",
    "MinCount": "there are fewer values than {argument}",
    "MaxCount": "there are more values than {argument}",
    "MinLength": "a value has fewer characters than {argument}",
    "MaxLength": "a value has more characters than {argument}",
    "MinInclusive": "a value is less than {argument}",
    "MaxInclusive": "a value is greater than {argument}",
    "MinExclusive": "a value is not greater than {argument}",
    "MaxExclusive": "a value is not less than {argument}",
    "Pattern": "a value does not match its pattern",
    "LanguageIn": "a value has no language tag of those that are allowed",
    "UniqueLang": "two values have the same language tag",
    "In": "a value is not one of those that are allowed",
    "HasValue": "the value {argument} is missing",
    "Equals": "the values differ from those of {argument}",
    "Disjoint": "a value is also a value of {argument}",
    "LessThan": "a value is not less than those of {argument}",
    "LessThanOrEquals": "a value is greater than one of {argument}",
    "Closed": "there is a property that the shape does not allow",
    "Node": "a value does not conform to the shape that it should have",
    "Not": "a value conforms to a shape that it must not have",
    "And": "a value does not conform to all of some shapes",
    "Or": "a value conforms to none of some shapes",
    "Xone": "a value does not conform to exactly one of some shapes",
    "QualifiedMinCount": "too few values conform to a shape",
    "QualifiedMaxCount": "too many values conform to a shape",
}


class Example(msgspec.Struct, frozen=True):
    """A node that does not fulfil a constraint, and the value that is wrong if it is one value; as N-Triples."""

    focus: str
    value: str | None


class ShapeFinding(msgspec.Struct, frozen=True):
    """All results of one constraint: how many there are, what they mean, and some examples.

    ``shape`` is the label of the shape, ``shape_iri`` its IRI; ``path`` is the property or path, empty if the
    constraint is about the node itself; ``component`` is the local name of the component, such as ``MinCount``.
    """

    shape: str
    shape_iri: str
    severity: Severity
    path: str
    component: str
    meaning: str
    count: int
    examples: tuple[Example, ...]


class CheckedShape(msgspec.Struct, frozen=True):
    """How many nodes one shape applied to, and how many results of each severity there were."""

    shape: str
    shape_iri: str
    nodes: int
    violations: int
    warnings: int
    infos: int


class ValidationReport(msgspec.Struct, frozen=True):
    """What a validation found: the number of statements, the shapes, and the findings, the gravest first."""

    statements: int
    shapes: tuple[CheckedShape, ...]
    findings: tuple[ShapeFinding, ...]

    __repr__ = brief

    def count(self, severity: Severity) -> int:
        """Return the number of results of a severity."""
        return sum(finding.count for finding in self.findings if finding.severity == severity)

    @property
    def conforms(self) -> bool:
        """Whether nothing of severity violation was found."""
        return self.count("violation") == 0


def make_report(outcome: ValidationOutcome, shapes: ShapesGraph, least: Severity) -> ValidationReport:
    """Summarise an outcome; results of a lesser severity than ``least`` are left out."""
    reported = SEVERITIES[: SEVERITIES.index(least) + 1]
    constraints = shapes.constraints()
    findings = []
    for number, count in outcome.counts.items():
        shape, constraint = constraints[number]
        if shape.severity in reported:
            examples = (Example(result.focus, result.value) for result in outcome.results[number][:_EXAMPLES])
            findings.append(
                ShapeFinding(
                    shape.label,
                    _plain(shape.source),
                    shape.severity,
                    "" if shape.path is None else _plain(str(shape.path)),
                    constraint.component,
                    shape.text or meaning_of(constraint),
                    count,
                    tuple(examples),
                )
            )
    findings.sort(
        key=lambda each: (SEVERITIES.index(each.severity), -each.count, each.shape, each.path, each.component)
    )
    checked = []
    for number, (_, root) in enumerate(shapes.roots):
        own = [found for found in findings if found.shape_iri == _plain(root.source)]
        counts = (sum(found.count for found in own if found.severity == severity) for severity in SEVERITIES)
        checked.append(CheckedShape(root.label, _plain(root.source), outcome.focuses[number], *counts))
    return ValidationReport(outcome.lines, tuple(checked), tuple(findings))


def meaning_of(constraint: Constraint) -> str:
    """Return what a result of a constraint means."""
    return _MEANINGS[constraint.component].format(argument=constraint.argument)


def _plain(term: str) -> str:
    return term[1:-1] if is_iri(term) else term


# -- sh:ValidationReport -----------------------------------------------------------------------------------------------


def write_shacl_report(outcome: ValidationOutcome, shapes: ShapesGraph, least: Severity, file: Path) -> None:
    """Write the described results as a ``sh:ValidationReport`` in N-Triples, which is Turtle too.

    Raises ``StageError`` if the file cannot be written.
    """
    reported = SEVERITIES[: SEVERITIES.index(least) + 1]
    constraints = shapes.constraints()
    numbers = [number for number in sorted(outcome.results) if constraints[number][0].severity in reported]
    conforms = "false" if any(outcome.counts[number] for number in numbers) else "true"
    try:
        with file.open("w", encoding="utf-8", newline="\n") as out:
            out.write(f"_:report {RDF_TYPE} <{SH}ValidationReport> .\n")
            out.write(f'_:report <{SH}conforms> "{conforms}"^^<{XSD}boolean> .\n')
            results = (result for number in numbers for result in outcome.results[number])
            for count, result in enumerate(results, 1):
                node, (shape, constraint) = f"_:result{count}", constraints[result.constraint]
                out.write(f"_:report <{SH}result> {node} .\n{node} {RDF_TYPE} <{SH}ValidationResult> .\n")
                path, triples = result.path, list[str]()
                if shape.path is not None and str(shape.path) == path:
                    path, triples = shape.path.to_triples(f"_:path{count}")
                for predicate, value in _describe(result, path, shape, constraint):
                    out.write(f"{node} <{SH}{predicate}> {value} .\n")
                out.writelines(triples)
    except OSError as error:
        raise StageError(f"{file}: the report cannot be written: {error.strerror}; name another file") from error


def _describe(result: ValidationResult, path: str, shape: Shape, constraint: Constraint) -> Iterator[tuple[str, str]]:
    yield "focusNode", _as_term(result.focus)
    yield "resultSeverity", f"<{SH}{shape.severity.capitalize()}>"
    yield "sourceConstraintComponent", f"<{constraint.component_iri}>"
    yield "sourceShape", shape.name if is_iri(shape.name) else shape.source
    if path:
        yield "resultPath", path
    if result.value is not None:
        yield "value", _as_term(result.value)
    for message in shape.messages:
        yield "resultMessage", message


def _as_term(term: str) -> str:
    """Write a node of the data; blank nodes of the data have no name outside them, so they become literals."""
    return term if is_iri(term) or is_literal(term) else f'"{term}"'
