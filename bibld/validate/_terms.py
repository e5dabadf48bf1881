"""RDF terms in the syntax of N-Triples, the statements about nodes, and the tests of SHACL that look at one term alone.

Statements are lines of N-Quads, grouped by subject. A statement in two graphs counts once."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any, NamedTuple

from bibld.errors import StageError
from bibld.model.rdf import PREFIXES, XSD, unescape

RDF_TYPE = f"<{PREFIXES['rdf']}type>"
SUBCLASS_OF = f"<{PREFIXES['rdfs']}subClassOf>"
LANGUAGE_STRING = f"{PREFIXES['rdf']}langString"

_LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"(?:@([A-Za-z0-9-]+)|\^\^<([^>]*)>)?', re.DOTALL)

_ZONE = r"(?:Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00))?"
_YEAR = r"-?(?:[1-9]\d{3,}|0\d{3})"
_MONTH = r"(?:0[1-9]|1[0-2])"
_DAY = r"(?:0[1-9]|[12]\d|3[01])"
_TIME = r"(?:(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?|24:00:00(?:\.0+)?)"
_LEXICAL_FORMS = {
    name: re.compile(pattern)
    for name, pattern in {
        "boolean": "true|false|0|1",
        **dict.fromkeys(("integer", "long", "int", "short", "byte"), r"[+-]?\d+"),
        "nonNegativeInteger": r"\+?\d+|-0+",
        "positiveInteger": r"\+?0*[1-9]\d*",
        "nonPositiveInteger": r"-\d+|\+?0+",
        "negativeInteger": r"-0*[1-9]\d*",
        **dict.fromkeys(("unsignedInt", "unsignedLong", "unsignedShort", "unsignedByte"), r"\+?\d+"),
        "decimal": r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)",
        **dict.fromkeys(("double", "float"), r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|[+-]?INF|NaN"),
        "gYear": _YEAR + _ZONE,
        "gYearMonth": f"{_YEAR}-{_MONTH}{_ZONE}",
        "gMonth": f"--{_MONTH}{_ZONE}",
        "gMonthDay": f"--{_MONTH}-{_DAY}{_ZONE}",
        "gDay": f"---{_DAY}{_ZONE}",
        "date": f"{_YEAR}-{_MONTH}-{_DAY}{_ZONE}",
        "dateTime": f"{_YEAR}-{_MONTH}-{_DAY}T{_TIME}{_ZONE}",
        "time": _TIME + _ZONE,
    }.items()
}
_NUMBERS = frozenset(
    f"{XSD}{name}"
    for name in _LEXICAL_FORMS
    if name in ("decimal", "double", "float") or name.endswith(("nteger", "ong", "nt", "hort", "yte"))
)
_YEARS = frozenset({f"{XSD}gYear", f"{XSD}gYearMonth"})
_TIMES = frozenset({f"{XSD}date", f"{XSD}dateTime"})


class LiteralParts(NamedTuple):
    """A literal: its text without escapes, its language tag in lower case or empty, and the IRI of its datatype."""

    text: str
    language: str
    datatype: str


@lru_cache(maxsize=1 << 16)
def to_literal(term: str) -> LiteralParts | None:
    """Return the parts of a literal; None for an IRI or blank node."""
    found = _LITERAL.fullmatch(term)
    if found is None:
        return None
    text, language, datatype = found.groups()
    text = unescape(text)
    if language:
        return LiteralParts(text, language.lower(), LANGUAGE_STRING)
    return LiteralParts(text, "", datatype or f"{XSD}string")


def is_iri(term: str) -> bool:
    """Return whether a term is an IRI."""
    return term.startswith("<")


def is_literal(term: str) -> bool:
    """Return whether a term is a literal."""
    return term.startswith('"')


def text_of(term: str) -> str | None:
    """Return what SPARQL's function STR returns: the IRI or the text of a literal; None for a blank node."""
    if is_iri(term):
        return term[1:-1]
    found = to_literal(term)
    return None if found is None else found.text


def has_datatype(term: str, datatype: str) -> bool:
    """Return whether a term is a literal of a datatype (an IRI) whose text is in the lexical space of the datatype."""
    found = to_literal(term)
    if found is None or found.datatype != datatype:
        return False
    form = _LEXICAL_FORMS.get(datatype.removeprefix(XSD)) if datatype.startswith(XSD) else None
    return form is None or form.fullmatch(found.text) is not None


def language_matches(language: str, wanted: str) -> bool:
    """Return whether a language tag matches a basic language range (RFC 4647, 3.3.1)."""
    wanted = wanted.lower()
    return language == wanted or language.startswith(f"{wanted}-") or (wanted == "*" and bool(language))


def compare(left: str, right: str) -> int | None:
    """Compare two literals as the operators of SPARQL do: negative, 0 or positive; None if they cannot be compared.

    Years and months without a time zone are compared too, as most processors do.
    """
    one, other = _comparable(left), _comparable(right)
    if one is None or other is None or one[0] != other[0]:
        return None
    try:
        return int(one[1] > other[1]) - int(one[1] < other[1])
    except (TypeError, InvalidOperation):  # times with and without a zone; not a number
        return None


def _comparable(term: str) -> tuple[str, Any] | None:
    found = to_literal(term)
    if found is None or not has_datatype(term, found.datatype):
        return None
    if found.datatype in _NUMBERS:
        return "number", Decimal(found.text.replace("INF", "Infinity"))
    if found.datatype in _TIMES:
        try:
            return found.datatype, datetime.fromisoformat(found.text)
        except ValueError:  # a year after 9999, or 31 February
            return None
    if found.datatype in _YEARS:
        year, _, month = found.text.lstrip("-").partition("-")
        sign = -1 if found.text.startswith("-") else 1
        return (found.datatype, (sign * int(year), int(month or 0))) if found.text[-1].isdigit() else None
    if found.datatype == f"{XSD}string":
        return "text", found.text
    if found.datatype == f"{XSD}boolean":
        return "boolean", found.text in ("true", "1")
    return None


Node = Mapping[str, list[str]]
"""The statements about a node: values by predicate, all of them terms."""

_TERM = r"<[^>\n]*>|_:[^\s]+"
_TEXT = r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"'
_VALUE = rf"{_TERM}|{_TEXT}(?:@[A-Za-z0-9-]+|\^\^<[^>\n]*>)?"
_LINE = re.compile(rf"^({_TERM}) (<[^>\n]*>) ({_VALUE})(?: (?:{_TERM}))? ?\.$", re.M)
_NOTHING: Node = {}


class NodeElsewhereError(Exception):
    """The statements about a node (``node``) are not among those that are present."""

    def __init__(self, node: str) -> None:
        super().__init__(node)
        self.node = node


def group_by_subject(lines: str) -> dict[str, dict[str, list[str]]]:
    """Group lines of N-Quads by subject and predicate; raises ``StageError`` for a line that is not N-Quads."""
    nodes: dict[str, dict[str, list[str]]] = {}
    count = 0
    for subject, predicate, value in _LINE.findall(lines):
        count += 1
        node = nodes.get(subject)
        if node is None:
            nodes[subject] = {predicate: [value]}
            continue
        values = node.get(predicate)
        if values is None:
            node[predicate] = [value]
        elif value not in values:
            values.append(value)
    if count != lines.count("\n") + (not lines.endswith("\n") and bool(lines)):
        wrong = next(line for line in lines.split("\n") if line and not _LINE.match(line))
        raise StageError(f"a stored line is not N-Quads: {wrong[:200]}; run `bibld check` on the workspace")
    return nodes


class KnownStatements:
    """What is known while nodes are checked: statements of some nodes, and the instances of classes.

    ``is_known`` answers for a node that is not in ``nodes`` whether it is known to have no statements; otherwise they
    are elsewhere. ``is_instance_elsewhere`` answers for a node and a class whether it has been found to be an instance
    in all the data; ``subclasses`` maps a class to itself and all its subclasses, if it has any.
    """

    def __init__(
        self,
        nodes: dict[str, dict[str, list[str]]],
        subclasses: Mapping[str, frozenset[str]],
        is_instance_elsewhere: Callable[[str, str], bool] = lambda node, class_: False,
        is_known: Callable[[str], bool] = lambda node: False,
    ) -> None:
        self.nodes = nodes
        self._subclasses = subclasses
        self._is_instance_elsewhere = is_instance_elsewhere
        self._is_known = is_known

    def about(self, term: str) -> Node:
        """Return the statements about a term; raises ``NodeElsewhereError`` if they are not present."""
        found = self.nodes.get(term)
        if found is not None:
            return found
        if term.startswith('"') or self._is_known(term):
            return _NOTHING
        raise NodeElsewhereError(term)

    def is_instance(self, term: str, class_: str) -> bool:
        """Return whether a term is an instance of a class, or of one of its subclasses."""
        node = self.nodes.get(term)
        if node is not None:
            classes = self._subclasses.get(class_)
            types = node.get(RDF_TYPE, ())
            if class_ in types if classes is None else not classes.isdisjoint(types):
                return True
        return self._is_instance_elsewhere(term, class_)


def subclass_closure(pairs: Collection[tuple[str, str]]) -> dict[str, frozenset[str]]:
    """Return each superclass with itself and all its direct and indirect subclasses, from (subclass, class) pairs."""
    children: dict[str, set[str]] = {}
    for child, parent in pairs:
        children.setdefault(parent, set()).add(child)
    closure = {}
    for parent in children:
        found = {parent}
        queue = [parent]
        while queue:
            new = children.get(queue.pop(), set()) - found
            found |= new
            queue += new
        closure[parent] = frozenset(found)
    return closure
