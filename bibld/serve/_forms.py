"""What has a document, and in which forms: kinds of things, media types, suffixes, and the choice between them."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from bibld.model.iris import SUFFIXES
from bibld.serve._negotiation import choose

Kind = Literal["resource", "record", "match", "ontology", "context", "dataset", "entity", "graph"]

MEDIA_TYPES = {
    "html": "text/html",
    "ttl": "text/turtle",
    "nt": "application/n-triples",
    "jsonld": "application/ld+json",
    "rdf": "application/rdf+xml",
    "json": "application/json",
    "mods.xml": "application/mods+xml",
    "marcxml": "application/marcxml+xml",
    "mrk": "text/plain",
    "bib": "application/x-bibtex",
    "ris": "application/x-research-info-systems",
    "csl.json": "application/vnd.citationstyles.csl+json",
    "statements.html": "text/html",
}
"""Suffix → media type of the forms."""

RDF_FORMS = ("ttl", "nt", "jsonld", "rdf")
CITATION_FORMS = ("bib", "ris", "csl.json")
"""Files for reference managers."""

STATEMENTS_FORM = "statements.html"
"""The page with all statements as a table; it has an address, but is not negotiated."""

PAGE_FORMS = ("html", STATEMENTS_FORM)
"""The forms for people, which are in a language."""

_FORMS = ("html", *RDF_FORMS)
_FORMS_OF_KIND: dict[str, tuple[str, ...]] = {
    "resource": (*_FORMS, "json", "mods.xml", *CITATION_FORMS, STATEMENTS_FORM),
    "record": (*_FORMS, "json", "mods.xml", "marcxml", "mrk", STATEMENTS_FORM),
    "match": (*_FORMS, "json", STATEMENTS_FORM),
    "entity": (*_FORMS, "json", STATEMENTS_FORM),
    "context": ("jsonld",),
}
_DOCUMENT_KINDS = ("record", "match", "ontology", "context", "dataset", "graph")
_ENTITY_FOLDERS = ("agent", "concept", "place", "publisher", "series", "work")
_KIND_OF_FOLDER: dict[str, Kind] = {"resource": "resource", "record": "record", "match": "match"}
_JSON = "application/json"
_SUFFIXES = (STATEMENTS_FORM, *CITATION_FORMS, *SUFFIXES, "json", "marcxml", "mrk")
"""The endings of addresses of forms, each before one that it ends with."""

_REMEMBERED = 2048
_MAX_REMEMBERED_LENGTH = 1000


def kind_of(path: str) -> Kind | None:
    """Return what a path names by its folder; None where that is not enough to know it."""
    folder, slash, rest = path.partition("/")
    if not slash or not rest:
        return None
    return "entity" if folder in _ENTITY_FOLDERS else _KIND_OF_FOLDER.get(folder)


def forms_of(kind: Kind) -> tuple[str, ...]:
    """Return the suffixes of the forms that a document of this kind has, best first."""
    return _FORMS_OF_KIND.get(kind, _FORMS)


def is_document(kind: Kind) -> bool:
    """Whether an IRI of this kind answers 200 (metadata), not 303 (what metadata is about)."""
    return kind in _DOCUMENT_KINDS


def split_suffix(path: str) -> tuple[str, str | None]:
    """Split a path into the path without the suffix that names a form, and that suffix. No slug contains a dot."""
    for suffix in _SUFFIXES:
        if path.endswith(f".{suffix}"):
            return path[: -len(suffix) - 1], suffix
    return path, None


def negotiate(accept: str, kind: Kind) -> tuple[str, str] | None:
    """Return the form and the media type that a client prefers by its Accept header; None if it accepts none."""
    return _negotiate(accept, kind) if len(accept) > _MAX_REMEMBERED_LENGTH else _remembered(accept, kind)


def _negotiate(accept: str, kind: Kind) -> tuple[str, str] | None:
    offers = {MEDIA_TYPES[form]: form for form in forms_of(kind) if form != STATEMENTS_FORM}
    offers.setdefault(_JSON, "jsonld")
    best = choose(accept, tuple(offers))
    return None if best is None else (offers[best], best)


_remembered = lru_cache(maxsize=_REMEMBERED)(_negotiate)
