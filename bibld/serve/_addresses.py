"""Where the IRIs of the dataset are found on this server, and the links between the forms of documents.

The server may have another address than the base of the dataset (on a test machine, behind a proxy). The path of the
base stays the same, and every link and redirect is a path, so that following one never leaves the server.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import get_args
from urllib.parse import quote, unquote, urlsplit

import msgspec

from bibld.model.iris import Iris
from bibld.model.opac import catalogue_address
from bibld.model.origin import from_slug
from bibld.model.release import Manifest, SourceFigures
from bibld.serve._forms import MEDIA_TYPES, STATEMENTS_FORM, Kind, forms_of, is_document
from bibld.serve._http import link_header

_KEPT_IN_PATHS = "/~:@!$&'()*+,;=%-._"
_CACHED_PATHS = 4096
_CACHED_TYPES = 1024
_PATH = "\0"
"""Stands for a path in a header that is prepared for all documents of a kind."""

_MAX_ITEMS = 20


@lru_cache(maxsize=_CACHED_PATHS)
def quoted(path: str) -> str:
    return quote(path, safe=_KEPT_IN_PATHS)


@lru_cache
def _mount(base: str) -> str:
    path = quoted(urlsplit(base).path) or "/"
    if path.startswith("//"):  # would name another host; /./ is the same path (RFC 3986, 5.2.4)
        path = f"/.{path}"
    return path if path.endswith("/") else path + "/"


class Addresses(msgspec.Struct, frozen=True):
    """Maps between IRIs under a base and paths of the server."""

    iris: Iris

    @property
    def mount(self) -> str:
        """The path of the base as links write it; begins and ends with ``/``, and never begins with ``//``."""
        return _mount(self.iris.base)

    @property
    def route(self) -> str:
        """The path of the base as the server sees it in requests: with its escapes decoded."""
        return unquote(self.mount.removeprefix("/.") if self.mount.startswith("/.//") else self.mount)

    def href(self, iri: str) -> str | None:
        """Return the server's path for an IRI of the dataset (with its fragment); None for an IRI of others."""
        if not iri.startswith(self.iris.base):
            return None
        path, hash_sign, fragment = iri[len(self.iris.base) :].partition("#")
        return self.mount + quoted(path) + hash_sign + quoted(fragment)

    def page(self, path: str) -> str:
        """Return the server's path for the part of an IRI that follows the base."""
        return self.mount + quoted(path)


class CatalogueLinks:
    """The addresses of records in the own catalogues of their libraries, as far as the release states them."""

    def __init__(self, sources: Iterable[SourceFigures]) -> None:
        self._sources = {figures.source: figures for figures in sources if figures.catalogue_url}

    def href(self, source: str, control_number: str, isbn: str = "", call_number: str = "") -> str:
        """Return the address of a record; empty if its library has no catalogue, or this record is not found in it."""
        figures = self._sources.get(source)
        return catalogue_address(figures, control_number, isbn, call_number) if figures is not None else ""

    def libraries(self, records: Iterable[str], isbn: str) -> list[tuple[str, str]]:
        """Return the libraries of the records of a publication, each with the address of its first record or empty.

        ``records`` are paths after ``record/``.
        """
        found: dict[str, str] = {}
        for path in records:
            source, _, slug = path.partition("/")
            if not found.get(source):
                found[source] = self.href(source, from_slug(slug), isbn) if source in self._sources else ""
        return list(found.items())


@lru_cache(maxsize=_CACHED_TYPES)
def _type_link(iri: str) -> str:
    return ", " + link_header([(iri, "type", None)])


class DocumentLinks:
    """Writes the Link headers of the documents of one release (RFC 8288): other forms, licence, Signposting."""

    def __init__(self, addresses: Addresses, manifest: Manifest) -> None:
        self._addresses = addresses
        self._manifest = manifest
        self._documents = addresses.page("doc/")
        self._prepared = {kind: self._header(kind) for kind in get_args(Kind)}

    def of(self, path: str, kind: Kind, type_iri: str = "") -> bytes:
        """Return the header of the document about what a path names; ``type_iri`` is a class of the thing."""
        links = self._prepared[kind].replace(_PATH, quoted(path))
        if type_iri:
            links += _type_link(type_iri)
        if path == "dataset":
            files = (file for file in self._manifest.files if file.media_type != "application/json")
            items = [
                (self._addresses.page(f"dumps/{file.name}"), "item", file.media_type)
                for file, _ in zip(files, range(_MAX_ITEMS), strict=False)
            ]
            links += ", " + link_header(items) if items else ""
        return links.encode()

    def form(self, path: str, form: str) -> str:
        return f"{self._documents}{quoted(path)}.{form}"

    def _header(self, kind: Kind) -> str:
        document = f"{self._addresses.mount}doc/{_PATH}"
        thing = link_header([(self._addresses.iris.base, "", None)]).partition(">")[0].removeprefix("<") + _PATH
        forms = [form for form in forms_of(kind) if form != STATEMENTS_FORM]
        parts = [f'<{document}.{form}>; rel="alternate"; type="{MEDIA_TYPES[form]}"' for form in forms]
        if "ttl" in forms:
            parts.append(f'<{document}.ttl>; rel="describedby"; type="text/turtle"')
        parts.append(link_header([(self._manifest.dataset.license, "license", None)]))
        if not is_document(kind):
            parts.append(f'<{thing}>; rel="about"')
        if kind != "context":
            parts.append(f'<{thing}>; rel="cite-as"')
        if kind in ("resource", "entity", "match"):
            parts.append(link_header([(self._addresses.iris.dataset, "collection", None)]))
        return ", ".join(parts)
