"""Triples of an answer, and looking into them."""

from __future__ import annotations

import msgspec
import pyoxigraph as ox

from bibld.conformance.checks import FailedError, NotApplicableError
from bibld.conformance.web import Answer
from bibld.model.rdf import expand

FORMATS = {
    "text/turtle": ox.RdfFormat.TURTLE,
    "application/n-triples": ox.RdfFormat.N_TRIPLES,
    "application/rdf+xml": ox.RdfFormat.RDF_XML,
    "application/ld+json": ox.RdfFormat.JSON_LD,
    "application/trig": ox.RdfFormat.TRIG,
    "application/n-quads": ox.RdfFormat.N_QUADS,
}
"""Media types of RDF, best first, and how they are parsed."""

Term = ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple


class Triples(msgspec.Struct, frozen=True):
    """The triples of a document, graph names left out."""

    triples: tuple[ox.Triple, ...]

    @classmethod
    def from_answer(cls, answer: Answer) -> Triples:
        """Parse an answer; raises ``FailedError`` if it is not what its media type states."""
        if answer.media_type not in FORMATS:
            raise FailedError(f"{answer.url}: {answer} is not a media type of RDF")
        if answer.media_type == "application/ld+json" and _has_remote_context(answer.body):
            raise NotApplicableError("the JSON-LD context is in another document")
        try:
            quads = list(ox.parse(answer.body, format=FORMATS[answer.media_type], base_iri=answer.url))
        except (SyntaxError, ValueError) as error:
            raise FailedError(f"{answer.url}: {answer.media_type} does not parse: {error}") from error
        return cls(tuple(quad.triple for quad in quads))

    def __len__(self) -> int:
        return len(self.triples)

    def objects(self, subject: str | None, predicate: str) -> list[str]:
        """Return the values (IRIs, texts of literals) of a property, of one subject or of all."""
        wanted = _full(predicate)
        return [
            text_of(each.object)
            for each in self.triples
            if each.predicate.value == wanted and (subject is None or text_of(each.subject) == subject)
        ]

    def subjects(self, predicate: str, value: str | None = None) -> list[str]:
        """Return the different subjects that have a property, or one value of it."""
        wanted = _full(predicate)
        found = (
            text_of(each.subject)
            for each in self.triples
            if each.predicate.value == wanted and (value is None or text_of(each.object) == value)
        )
        return list(dict.fromkeys(found))

    def instances(self, kind: str) -> list[str]:
        """Return the subjects of a class."""
        return self.subjects("rdf:type", expand(kind))


def text_of(term: Term) -> str:
    """Return an IRI, the name of a blank node, or the text of a literal."""
    return "" if isinstance(term, ox.Triple) else term.value


def _full(predicate: str) -> str:
    return predicate if "//" in predicate else expand(predicate)


def _has_remote_context(body: bytes) -> bool:
    try:
        document = msgspec.json.decode(body)
    except msgspec.DecodeError:
        return False
    contexts = document.get("@context", []) if isinstance(document, dict) else []
    return any(isinstance(each, str) for each in (contexts if isinstance(contexts, list) else [contexts]))
