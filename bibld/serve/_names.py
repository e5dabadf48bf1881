"""The names of things, for pages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import msgspec
import pyoxigraph as ox

from bibld.documents import Document
from bibld.model.iris import Iris
from bibld.model.rdf import expand
from bibld.serve._forms import kind_of

LABELS = tuple(
    expand(curie)
    for curie in ("rdfs:label", "skos:prefLabel", "dcterms:title", "schema:name", "foaf:name", "bibo:shortTitle")
)
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


class DocumentView(Protocol):
    """The documents of one release, prepared (``bibld.documents.PublishedView``) or not."""

    def document(self, path: str) -> Document | None:
        """Return the document of the IRI with this path; None if there is none."""
        ...

    def titles(self, paths: Iterable[str]) -> dict[str, str]:
        """Return the titles of documents by path; none that are empty."""
        ...


class PreparedNames:
    """The names in the documents of a release: all titles of a page are found with one query.

    ``others`` knows the names of what has no document: the dataset, its graphs.
    """

    def __init__(self, view: DocumentView, iris: Iris, others: Names) -> None:
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
