"""The ontologies as a reference: their terms with labels, definitions and relations, and the shapes with conditions."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec
import pyoxigraph as ox

from bibld.model.rdf import expand

LANGUAGES = ("en", "ru")
"""The languages of the labels and definitions; the first is used where no other is asked for."""

KINDS = {
    "owl:Class": "class",
    "owl:ObjectProperty": "object property",
    "owl:DatatypeProperty": "datatype property",
    "owl:AnnotationProperty": "annotation property",
}
"""The kinds of terms."""

RELATIONS = {
    "domain": ("rdfs:domain", False),
    "range": ("rdfs:range", False),
    "above": ("rdfs:subClassOf rdfs:subPropertyOf", False),
    "below": ("rdfs:subClassOf rdfs:subPropertyOf", True),
    "equivalent": ("owl:equivalentClass owl:equivalentProperty skos:exactMatch", None),
    "inverse": ("owl:inverseOf", None),
    "disjoint": ("owl:disjointWith", None),
    "close": ("skos:closeMatch", None),
}
"""Relation → the properties that state it, and whether they are read from value to subject (None: both ways)."""

_PREFIX = re.compile(r"^@prefix (\w*): <([^>]*)> \.$", re.MULTILINE)
_SHACL = "http://www.w3.org/ns/shacl#"


class Term(msgspec.Struct, frozen=True):
    """A class or property.

    ``name`` is compact (``bf:title``), ``kind`` one of ``KINDS``. ``labels`` and ``definitions`` are by language.
    ``relations`` maps names of ``RELATIONS`` to IRIs, sorted.
    """

    iri: str
    name: str
    kind: str
    labels: Mapping[str, str]
    definitions: Mapping[str, str]
    relations: Mapping[str, tuple[str, ...]]


class Condition(msgspec.Struct, frozen=True):
    """What a shape demands: of which property (compact; empty: of the thing itself), how severely, in which words."""

    path: str
    severity: str
    messages: Mapping[str, str]


class Shape(msgspec.Struct, frozen=True):
    """A shape: ``targets`` are the IRIs of the classes or properties that choose what it is about."""

    iri: str
    labels: Mapping[str, str]
    targets: tuple[str, ...]
    conditions: tuple[Condition, ...]


class Ontology(msgspec.Struct, frozen=True):
    """The triples of one or more ontologies."""

    prefixes: Mapping[str, str]
    triples: tuple[ox.Triple, ...]

    @classmethod
    def from_turtle(cls, *texts: str) -> Ontology:
        """Read ontologies; raises ``SyntaxError`` for what is not Turtle.

        Blank nodes are numbered in the order of the files, so that the same files give the same triples.
        """
        numbers: dict[str, ox.BlankNode] = {}

        def numbered(node: Any) -> Any:  # noqa: ANN401
            if not isinstance(node, ox.BlankNode):
                return node
            return numbers.setdefault(node.value, ox.BlankNode(f"b{len(numbers) + 1}"))

        triples = [
            ox.Triple(numbered(quad.subject), quad.predicate, numbered(quad.object))
            for text in texts
            for quad in ox.parse(text.encode(), format=ox.RdfFormat.TURTLE, rename_blank_nodes=True)
        ]
        prefixes = {name: space for text in texts for name, space in _PREFIX.findall(text)}
        return cls(prefixes, tuple(triples))

    def compact(self, iri: str) -> str:
        """Shorten an IRI to prefix and local name; one without a prefix is returned as it is."""
        found = max(
            ((space, name) for name, space in self.prefixes.items() if iri.startswith(space) and iri != space),
            key=lambda pair: len(pair[0]),
            default=None,
        )
        return iri if found is None else f"{found[1]}:{iri[len(found[0]) :]}"

    def terms(self, is_wanted: Callable[[str], bool] = lambda iri: True) -> list[Term]:
        """Return the declared terms that are wanted, classes first, each kind in the order of the names."""
        kinds = {expand(curie): kind for curie, kind in KINDS.items()}
        declared = {
            subject: kinds[value] for subject, value in self._pairs("rdf:type") if value in kinds and is_wanted(subject)
        }
        labels, comments = self._texts("rdfs:label"), self._texts("rdfs:comment")
        related = {name: self._related(*how) for name, how in RELATIONS.items()}
        terms = [
            Term(
                iri,
                self.compact(iri),
                kind,
                labels.get(iri, {}),
                comments.get(iri, {}),
                {name: tuple(sorted(values[iri])) for name, values in related.items() if iri in values},
            )
            for iri, kind in declared.items()
        ]
        return sorted(terms, key=lambda term: (term.kind != "class", term.name))

    def shapes(self) -> list[Shape]:
        """Return the shapes that have a label, in the order of the file."""
        labels = self._texts("rdfs:label")
        messages = self._texts(f"{_SHACL}message")
        subjects = dict.fromkeys(subject for subject, value in self._pairs("rdf:type") if value == f"{_SHACL}NodeShape")
        targets = self._related(f"{_SHACL}targetClass {_SHACL}targetSubjectsOf", False)
        properties = self._related(f"{_SHACL}property", False)
        paths, severities = (self._related(_SHACL + name, False) for name in ("path", "severity"))
        shapes = []
        for iri in subjects:
            nodes = [iri, *properties.get(iri, ())]
            conditions = tuple(
                Condition(
                    ", ".join(self.compact(path) for path in sorted(paths.get(node, ()))),
                    next(iter(severities.get(node, ())), f"{_SHACL}Violation").removeprefix(_SHACL),
                    messages[node],
                )
                for node in nodes
                if node in messages
            )
            shapes.append(Shape(iri, labels.get(iri, {}), tuple(sorted(targets.get(iri, ()))), conditions))
        return shapes

    def values(self, subject: str, predicate: str) -> tuple[str, ...]:
        """Return the IRIs that a subject has for a property, which is a compact IRI."""
        return tuple(value for each, value in self._pairs(predicate) if each == subject)

    def _pairs(self, predicate: str) -> Iterable[tuple[str, str]]:
        wanted = ox.NamedNode(predicate if "://" in predicate else expand(predicate))
        for triple in self.triples:
            if triple.predicate == wanted and not isinstance(triple.object, ox.Literal):
                yield _text(triple.subject), _text(triple.object)

    def _texts(self, predicate: str) -> dict[str, dict[str, str]]:
        """Return the literals of a property by subject and language."""
        wanted = ox.NamedNode(predicate if "://" in predicate else expand(predicate))
        found: dict[str, dict[str, str]] = {}
        for triple in self.triples:
            if triple.predicate == wanted and isinstance(triple.object, ox.Literal):
                found.setdefault(_text(triple.subject), {})[triple.object.language or ""] = triple.object.value
        return found

    def _related(self, predicates: str, is_inverse: bool | None) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for predicate in predicates.split():
            for subject, value in self._pairs(predicate):
                if is_inverse is not True:
                    found[subject].append(value)
                if is_inverse is not False:
                    found[value].append(subject)
        return {subject: list(dict.fromkeys(values)) for subject, values in found.items()}


def best_text(texts: Mapping[str, str], language: str) -> str:
    """Return the text in a language, else in the first of ``LANGUAGES``, else in any."""
    for wanted in (language, *LANGUAGES):
        if wanted in texts:
            return texts[wanted]
    return next((texts[each] for each in sorted(texts)), "")


def by_vocabulary(terms: Sequence[Term]) -> list[tuple[str, list[Term]]]:
    """Group terms by the prefix of their names, in the order of the prefixes."""
    groups: dict[str, list[Term]] = defaultdict(list)
    for term in terms:
        groups[term.name.partition(":")[0]].append(term)
    return sorted(groups.items())


def _text(node: object) -> str:
    return node.value if isinstance(node, ox.NamedNode) else str(node)
