"""Reads what the triple store of a release states about one thing, and writes it in each RDF syntax."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping

import msgspec
import pyoxigraph as ox

from bibld.errors import StoreError
from bibld.model.rdf import expand
from bibld.protocols import ReadableStore
from bibld.serve._writers import Writers

Subject = ox.NamedNode | ox.BlankNode | ox.Triple
Term = ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple

_LABELS = tuple(
    expand(curie)
    for curie in ("rdfs:label", "skos:prefLabel", "dcterms:title", "schema:name", "foaf:name", "bibo:shortTitle")
)
_SAME_AS = expand("owl:sameAs")
_TYPE = expand("rdf:type")
_XML_ROOT = re.compile(rb"(<rdf:RDF) ([^>]*)>")
_PARSED_AT_ONCE = 500
_MANY_NODES = 20_000
_INCOMING_COUNTED = 10_000
_FORMS = {
    "text/turtle": "ttl",
    "application/n-triples": "nt",
    "application/rdf+xml": "rdf",
    "application/ld+json": "jsonld",
    "application/json": "jsonld",
}


class Label(msgspec.Struct, frozen=True):
    """A name of a thing; ``language`` is a tag or empty."""

    text: str
    language: str


class Incoming(msgspec.Struct, frozen=True):
    """Things that point to a thing, as (predicate, subject without fragment); ``more`` are not among ``links``.

    ``is_all`` is false where counting was given up.
    """

    links: tuple[tuple[str, str], ...]
    more: int
    is_all: bool


class ReleaseGraph:
    """Reads the store of a release."""

    def __init__(self, store: ReadableStore) -> None:
        self._store = store

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

    def subjects(self, predicate: str, value: str) -> list[str]:
        """Return the IRIs that point to an IRI with a predicate in any graph, sorted."""
        quads = self._quads(None, predicate, value)
        return sorted({quad.subject.value for quad in quads if isinstance(quad.subject, ox.NamedNode)})

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
        found: list[Label] = []
        for predicate in _LABELS:
            literals = [quad.object for quad in self._quads(thing, predicate) if isinstance(quad.object, ox.Literal)]
            literals.sort(key=_by_language)
            found.extend(Label(literal.value, literal.language or "") for literal in literals)
        return list(dict.fromkeys(found))

    def incoming(self, thing: str, shown: int) -> Incoming:
        """Return what points to a thing, up to ``shown`` of it, in the order of the IRIs."""
        quads = self._quads(None, None, thing)
        links = {
            ("#" in str(quad.subject), quad.predicate.value, _without_fragment(quad.subject))
            for quad in itertools.islice(quads, _INCOMING_COUNTED)
        }
        subjects: dict[str, str] = {}
        for _, predicate, subject in sorted(links):  # statements of the thing itself before those of its hash IRIs
            if subject != thing and subject:
                subjects.setdefault(subject, predicate)
        ordered = sorted((predicate, subject) for subject, predicate in subjects.items())
        return Incoming(tuple(ordered[:shown]), max(0, len(ordered) - shown), next(quads, None) is None)


def _by_language(literal: ox.Literal) -> tuple[bool, bool, str, str]:
    """Names in a stated language first, in its own script before a romanised one."""
    language = literal.language or ""
    return not language, "-" in language, language, literal.value


def _without_fragment(subject: object) -> str:
    return subject.value.partition("#")[0] if isinstance(subject, ox.NamedNode) else ""


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
    if media_type == "application/rdf+xml":
        return _XML_ROOT.sub(lambda root: b" ".join((root[1], *sorted(root[2].split()))) + b">", written, count=1)
    return written


def read_turtle(data: bytes, base: str) -> Iterator[ox.Triple]:
    """Return the triples of a Turtle document; raises ``StoreError``."""
    try:
        for quad in ox.parse(data, format=ox.RdfFormat.TURTLE, base_iri=base):
            yield quad.triple
    except SyntaxError as error:
        raise StoreError(f"a Turtle document of the release cannot be read: {error}") from error
