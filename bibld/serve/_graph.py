"""Reads what the triple store of a release states about one thing, its names, and writes it in each RDF syntax."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Protocol

import msgspec
import pyoxigraph as ox

from bibld.documents import LABELS as LABEL_TERMS
from bibld.documents import PublishedView
from bibld.errors import StoreError
from bibld.model.iris import Iris
from bibld.model.rdf import expand, unescape
from bibld.protocols import ReadableStore
from bibld.serve._forms import MEDIA_TYPES, RDF_FORMS, kind_of
from bibld.serve._writers import Writers, sort_namespaces
from bibld.serve._writers.terms import ends_of

LABELS = tuple(label[1:-1].decode() for label in LABEL_TERMS)
"""The properties whose values are names of a thing, the best first."""

_RANKS = {label: rank for rank, label in enumerate(LABELS)}


class Label(msgspec.Struct, frozen=True):
    """A name of a thing; ``language`` is a tag or empty."""

    text: str
    language: str


class Names(Protocol):
    """Knows how things are called."""

    def labels(self, thing: str) -> list[Label]:
        """Return the names of a thing, the best first."""
        ...

    def titles(self, things: Iterable[str]) -> dict[str, str]:
        """Return the best name of each thing that has one."""
        ...


class PreparedNames:
    """The names in the documents of a release: all titles of a page are found with one query.

    ``others`` knows the names of what has no document: the dataset, its graphs.
    """

    def __init__(self, view: PublishedView, iris: Iris, others: Names) -> None:
        self._view = view
        self._iris = iris
        self._others = others

    def labels(self, thing: str) -> list[Label]:
        """Return the names of a thing, the best first."""
        path = self._iris.path(thing)
        if path is None or kind_of(path) is None or "#" in thing:
            return self._others.labels(thing)
        document = self._view.document(path)
        if document is not None and document.status == 303:
            document = self._view.document(document.target)
        if document is None:
            return []
        thing = self._iris.base + document.path
        start = f"<{thing}> ".encode()
        quads = document.quads
        lines = b"".join(
            line for line in quads[quads.find(start) :].splitlines(keepends=True) if line.startswith(start)
        )
        return labels_among(quad.triple for quad in ox.parse(lines, format=ox.RdfFormat.N_QUADS)).get(thing, [])

    def titles(self, things: Iterable[str]) -> dict[str, str]:
        """Return the best name of each thing that has one."""
        paths = {thing: self._iris.path(thing) or "" for thing in things}
        others = [thing for thing, path in paths.items() if kind_of(path) is None]
        found = self._view.titles(path for path in paths.values() if kind_of(path) is not None)
        return self._others.titles(others) | {thing: found[path] for thing, path in paths.items() if path in found}


def labels_among(triples: Iterable[ox.Triple]) -> dict[str, list[Label]]:
    """Return the names that triples state, by thing, the best first.

    Those of a better property come first, then those in a stated language, and its own script before a romanised one.
    """
    found: dict[str, list[tuple[int, bool, bool, str, str]]] = {}
    for each in triples:
        rank = _RANKS.get(each.predicate.value)
        if rank is None or not isinstance(each.object, ox.Literal) or not isinstance(each.subject, ox.NamedNode):
            continue
        language = each.object.language or ""
        key = (rank, not language, "-" in language, language, each.object.value)
        found.setdefault(each.subject.value, []).append(key)
    return {
        thing: list(dict.fromkeys(Label(text, language) for _, _, _, language, text in sorted(keys)))
        for thing, keys in found.items()
    }


Subject = ox.NamedNode | ox.BlankNode | ox.Triple
Term = ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple

_SAME_AS = expand("owl:sameAs")
_TYPE = expand("rdf:type")
_LINK = re.compile(rb"^<[^<>]*> <[^<>]*> <([^<>]*)>", re.MULTILINE)
_PARSED_AT_ONCE = 500
_MANY_NODES = 20_000
_INCOMING_COUNTED = 10_000
_REMEMBERED_INCOMING = 4
"""Lists of up to 10,000 things: a crawler that reads the pages of one finds it there."""

_FORMS = {MEDIA_TYPES[form]: form for form in RDF_FORMS}


class PointingThing(msgspec.Struct, frozen=True):
    """A thing that points to another: its IRI, the best predicate, and all (subject, predicate) that do.

    The subjects are the thing and hash IRIs of it.
    """

    iri: str
    predicate: str
    statements: tuple[tuple[str, str], ...]


class Incoming(msgspec.Struct, frozen=True):
    """Things that point to a thing: some of them, how many there are before and after these, and in all.

    ``is_all`` is false where counting was given up.
    """

    things: tuple[PointingThing, ...]
    before: int
    more: int
    is_all: bool

    @property
    def links(self) -> tuple[tuple[str, str], ...]:
        """The pairs of predicate and thing."""
        return tuple((each.predicate, each.iri) for each in self.things)

    @property
    def total(self) -> int:
        """How many things point there, as far as they were counted."""
        return self.before + len(self.things) + self.more


class ReleaseGraph:
    """Reads the store of a release."""

    def __init__(self, store: ReadableStore) -> None:
        self._store = store
        self._pointing = lru_cache(maxsize=_REMEMBERED_INCOMING)(self._find_pointing)

    def _quads(
        self, subject: str | None = None, predicate: str | None = None, value: str | None = None
    ) -> Iterator[ox.Quad]:
        lines = self._store.quads(subject, predicate, value)
        while chunk := "".join(itertools.islice(lines, _PARSED_AT_ONCE)):
            yield from ox.parse(chunk.encode(), format=ox.RdfFormat.N_QUADS)

    def objects(self, subject: str, predicate: str) -> list[str]:
        """Return the IRIs that a thing points to with a predicate in any graph, sorted."""
        return sorted(
            {quad.object.value for quad in self._quads(subject, predicate) if isinstance(quad.object, ox.NamedNode)}
        )

    def subjects(self, predicate: str, value: str, most: int | None = None) -> list[str]:
        """Return the IRIs that point to an IRI with a predicate in any graph, sorted, from at most ``most`` quads."""
        quads = itertools.islice(self._quads(None, predicate, value), most)
        return sorted({quad.subject.value for quad in quads if isinstance(quad.subject, ox.NamedNode)})

    def pointing(self, things: Iterable[str], most: int) -> dict[str, list[str]]:
        """Return the IRIs that point to any of some things in any graph, sorted, by their predicates.

        Of what points to one thing, at most ``most`` quads are read.
        """
        quads = (quad for thing in things for quad in itertools.islice(self._quads(None, None, thing), most))
        found: dict[str, set[str]] = {}
        for quad in quads:
            if isinstance(quad.subject, ox.NamedNode):
                found.setdefault(quad.predicate.value, set()).add(quad.subject.value)
        return {predicate: sorted(subjects) for predicate, subjects in found.items()}

    def literals(self, subject: str, predicate: str) -> list[str]:
        """Return the texts that a thing has for a predicate in any graph, sorted."""
        quads = self._quads(subject, predicate)
        return sorted({quad.object.value for quad in quads if isinstance(quad.object, ox.Literal)})

    def description(self, thing: str) -> list[ox.Triple]:
        """Return the triples of all graphs whose subject is the thing or a hash IRI of it that they lead to, sorted.

        ``owl:sameAs`` from others is among them.
        """
        found = {quad.triple for quad in self._quads(None, _SAME_AS, thing)}
        seen = {thing}
        waiting = [thing]
        while waiting and len(seen) < _MANY_NODES:
            for quad in self._quads(waiting.pop()):
                found.add(quad.triple)
                value = quad.object
                if isinstance(value, ox.NamedNode) and value.value not in seen and value.value.startswith(f"{thing}#"):
                    seen.add(value.value)
                    waiting.append(value.value)
        return sorted(found, key=str)

    def mentions(self, thing: str) -> bool:
        """Whether any quad has this IRI (as subject, object, predicate or graph); false for what is not an IRI."""
        patterns = ((thing,), (None, None, thing), (None, thing), (None, None, None, thing))
        return any(next(self._store.quads(*pattern), None) is not None for pattern in patterns)

    def example(self, term: str, is_class: bool) -> ox.Triple | None:
        """Return a statement with a property, or about a thing of a class, the first that the store finds."""
        quads = self._quads(None, _TYPE, term) if is_class else self._quads(None, term)
        found = next(quads, None)
        return found.triple if found is not None else None

    def has_description(self, thing: str) -> bool:
        """Whether any quad has this IRI as its subject."""
        return next(self._store.quads(thing), None) is not None

    def labels(self, thing: str) -> list[Label]:
        """Return the names of a thing, the best first."""
        found = [quad.triple for predicate in LABELS for quad in self._quads(thing, predicate)]
        return labels_among(found).get(thing, [])

    def titles(self, things: Iterable[str]) -> dict[str, str]:
        """Return the best name of each thing that has one."""
        found = ((thing, self.labels(thing)) for thing in things)
        return {thing: labels[0].text for thing, labels in found if labels}

    def incoming(
        self, thing: str, shown: int, start: int = 0, leaves_out: Callable[[PointingThing], bool] = lambda _: False
    ) -> Incoming:
        """Return what points to a thing, by predicate and IRI: ``shown`` things at most, from ``start`` on.

        Things that ``leaves_out`` is true of are left out, and not counted.
        """
        every, is_all = self._pointing(thing)
        ordered = [each for each in every if not leaves_out(each)]
        chosen = ordered[start : start + shown]
        return Incoming(tuple(chosen), min(start, len(ordered)), max(0, len(ordered) - start - shown), is_all)

    def _find_pointing(self, thing: str) -> tuple[list[PointingThing], bool]:
        quads = self._quads(None, None, thing)
        found: dict[str, set[tuple[bool, str, str]]] = {}
        for quad in itertools.islice(quads, _INCOMING_COUNTED):
            if isinstance(quad.subject, ox.NamedNode):
                iri, mark, _ = quad.subject.value.partition("#")
                if iri != thing:
                    found.setdefault(iri, set()).add((bool(mark), quad.predicate.value, quad.subject.value))
        ordered = []
        for iri, statements in found.items():
            best = sorted(statements)  # statements of the thing itself before those of its hash IRIs
            pairs = tuple((subject, predicate) for _, predicate, subject in best)
            ordered.append(PointingThing(iri, best[0][1], pairs))
        ordered.sort(key=lambda each: (each.predicate, each.iri))
        return ordered, next(quads, None) is None


def triple(subject: str, predicate: str, value: str | Term) -> ox.Triple:
    """Return a triple about a thing; ``predicate`` is a compact IRI, a text value is an IRI."""
    return ox.Triple(
        ox.NamedNode(subject),
        ox.NamedNode(expand(predicate)),
        ox.NamedNode(value) if isinstance(value, str) else value,
    )


def write(triples: Iterable[ox.Triple], media_type: str, prefixes: Mapping[str, str], context: object) -> bytes:
    """Write triples in an RDF syntax; the same triples give the same bytes.

    ``context`` is the ``@context`` of JSON-LD (1.1), which is written compacted.
    """
    writers = Writers(prefixes, context if isinstance(context, dict) else {})
    return writers.write(_FORMS[media_type], lines_of(triples), "")


def lines_of(triples: Iterable[ox.Triple]) -> bytes:
    """Return triples as lines of N-Triples, sorted."""
    return "".join(sorted({f"{each} .\n" for each in triples})).encode()


def triples_of(lines: bytes) -> list[ox.Triple]:
    """Return the triples of lines of N-Quads in their order, each once."""
    return list(dict.fromkeys(quad.triple for quad in ox.parse(lines, format=ox.RdfFormat.N_QUADS)))


def objects_among(lines: bytes) -> list[str]:
    """Return the IRIs that things point to in lines of N-Quads, each once, in the order of the lines."""
    return [unescape(iri.decode()) for iri in dict.fromkeys(_LINK.findall(lines))]


def objects_of(lines: bytes, subject: str, predicate: str) -> list[str]:
    """Return the IRIs that a thing points to with a predicate in lines of N-Quads, each once."""
    start = b"<%b> <%b> <" % (subject.encode(), predicate.encode())
    found = (lines[position : lines.index(b">", position)] for position in ends_of(start, lines))
    return [unescape(iri.decode()) for iri in dict.fromkeys(found)]


def with_prefixes_in_order(written: bytes, media_type: str) -> bytes:
    """Turtle or RDF/XML as Oxigraph writes it, with the declarations of prefixes in order (it gives them in any).

    In Turtle those that are not used are left out. Other media types are given back as they are.
    """
    if media_type == "text/turtle":
        lines = written.splitlines(keepends=True)
        count = next((at for at, line in enumerate(lines) if not line.startswith(b"@prefix ")), len(lines))
        body = b"".join(lines[count:])
        used = sorted(line for line in lines[:count] if line.split()[1] in body)
        return b"".join((*used, body))
    return sort_namespaces(written) if media_type == "application/rdf+xml" else written


def read_turtle(data: bytes, base: str) -> Iterator[ox.Triple]:
    """Return the triples of a Turtle document; raises ``StoreError``."""
    try:
        for quad in ox.parse(data, format=ox.RdfFormat.TURTLE, base_iri=base):
            yield quad.triple
    except SyntaxError as error:
        raise StoreError(f"a Turtle document of the release cannot be read: {error}") from error
