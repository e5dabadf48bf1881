"""The ontologies: their terms for people, and as a site publishes them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import msgspec
import pyoxigraph as ox

from bibld.config import folder as folder
from bibld.model.iris import Iris
from bibld.model.rdf import PREFIXES, expand
from bibld.text.translations import languages

LANGUAGES = languages("pages")
"""The languages of pages; labels and definitions are in some of them. The first is used if no other is asked for."""

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


class OntologyTerm(msgspec.Struct, frozen=True):
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


class OntologyShape(msgspec.Struct, frozen=True):
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

    def terms(self, is_wanted: Callable[[str], bool] = lambda iri: True) -> list[OntologyTerm]:
        """Return the declared terms that are wanted, classes first, each kind in the order of the names."""
        kinds = {expand(curie): kind for curie, kind in KINDS.items()}
        declared = {
            subject: kinds[value] for subject, value in self._pairs("rdf:type") if value in kinds and is_wanted(subject)
        }
        labels, comments = self._texts("rdfs:label"), self._texts("rdfs:comment")
        related = {name: self._related(*how) for name, how in RELATIONS.items()}
        terms = [
            OntologyTerm(
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

    def shapes(self) -> list[OntologyShape]:
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
            shapes.append(OntologyShape(iri, labels.get(iri, {}), tuple(sorted(targets.get(iri, ()))), conditions))
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


def by_vocabulary(terms: Sequence[OntologyTerm]) -> list[tuple[str, list[OntologyTerm]]]:
    """Group terms by the prefix of their names, in the order of the prefixes."""
    groups: dict[str, list[OntologyTerm]] = defaultdict(list)
    for term in terms:
        groups[term.name.partition(":")[0]].append(term)
    return sorted(groups.items())


def _text(node: object) -> str:
    return node.value if isinstance(node, ox.NamedNode) else str(node)


PLACEHOLDER = "https://bibld.example/"
"""The base in the files, which is replaced by that of a site."""

VERSION = "2026-11-23"
"""The version of the ontologies: the date from which they are as they are."""

CONTEXT = "context.jsonld"

ONTOLOGIES = {
    "": "bibld.ttl",
    "terms": "terms.ttl",
    "alignment": "alignment.ttl",
    "shapes": "shapes.ttl",
    VERSION: "bibld.ttl",
    f"{VERSION}/terms": "terms.ttl",
    f"{VERSION}/alignment": "alignment.ttl",
    f"{VERSION}/shapes": "shapes.ttl",
    "2026-11-20": "versions/2026-11-20.ttl",
}
"""What follows ``{base}ontology/`` in the IRI of an ontology or a version → its file."""


class ExampleQuery(msgspec.Struct, frozen=True):
    """A SPARQL query to try: ``title`` in a few words, ``description`` in a sentence.

    Most queries start from a value in their ``VALUES``. ``variable`` (with its question mark) is its variable, and
    ``values`` a graph pattern that finds other values; both are empty for the other queries.
    """

    name: str
    title: str
    description: str
    sparql: str
    variable: str = ""
    values: str = ""


def ontology_text(name: str, iris: Iris) -> str:
    """Return a file of the ontology's folder, such as ``shapes.ttl``, under the base of a site.

    Raises ``FileNotFoundError`` for any other name.
    """
    return (folder("ontology") / name).read_text(encoding="utf-8").replace(PLACEHOLDER, iris.base)


@cache
def term_labels() -> Mapping[str, Mapping[str, str]]:
    """Return the labels of the terms of other vocabularies by IRI, each by language."""
    text = (folder("ontology") / ONTOLOGIES["terms"]).read_text(encoding="utf-8")
    return {term.iri: term.labels for term in Ontology.from_turtle(text).terms()}


def context(iris: Iris) -> dict[str, object]:
    """Return the ``@context`` of the site's JSON-LD: prefixes, and terms with their types."""
    document = msgspec.json.decode(ontology_text(CONTEXT, iris), type=dict[str, dict[str, object]])
    return document["@context"]


def prefixes(iris: Iris) -> dict[str, str]:
    """Return prefix → namespace of all vocabularies of a site, its own among them."""
    own = {name: space for name, space in context(iris).items() if isinstance(space, str) and not name.startswith("@")}
    return {**PREFIXES, **own}


def example_queries(iris: Iris) -> tuple[ExampleQuery, ...]:
    """Return the example queries, ordered by file name."""
    files = sorted((folder("ontology") / "queries").glob("*.rq"))
    return tuple(_example(file.stem, ontology_text(f"queries/{file.name}", iris)) for file in files)


_OTHER_VALUES = re.compile(r"# Other values: (\?\w+) ({.*})$")


def _example(name: str, text: str) -> ExampleQuery:
    """Read a query whose first line is ``# title``; further comments before the query describe it.

    A comment ``# Other values: ?variable { pattern }`` states how to find other values to start from.
    """
    comments: list[str] = []
    variable = values = ""
    lines = text.splitlines()
    while lines and lines[0].startswith("#"):
        line = lines.pop(0)
        if found := _OTHER_VALUES.match(line):
            variable, values = found.groups()
        else:
            comments.append(line.lstrip("#").strip())
    title, *description = comments or [name]
    return ExampleQuery(name, title, " ".join(description), text, variable, values)


class Vocabulary(msgspec.Struct, frozen=True):
    """``ontologies`` maps what follows ``{base}ontology/`` to Turtle.

    ``context`` is the value of ``@context``; ``prefixes`` maps names to namespaces.
    """

    ontologies: Mapping[str, str]
    context: dict[str, object]
    prefixes: Mapping[str, str]
    examples: tuple[ExampleQuery, ...]


def load_vocabulary(iris: Iris) -> Vocabulary:
    """Read the ontology's folder; raises ``FileNotFoundError`` for an incomplete installation."""
    ontologies = {name: ontology_text(file, iris) for name, file in ONTOLOGIES.items()}
    return Vocabulary(ontologies, context(iris), prefixes(iris), example_queries(iris))
