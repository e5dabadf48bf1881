"""The Link header fields of documents (RFC 8288): other forms, licence, and the relations of Signposting."""

from __future__ import annotations

from functools import lru_cache
from typing import get_args

from bibld.model.release import Manifest
from bibld.serve._addresses import Addresses, quoted
from bibld.serve._forms import MEDIA_TYPES, STATEMENTS_FORM, Kind, forms_of, is_document
from bibld.serve._http import link_header

_PATH = "\0"
"""Stands for a path in a header that is prepared for all documents of a kind."""

_MOST_ITEMS = 20
_REMEMBERED = 1024


@lru_cache(maxsize=_REMEMBERED)
def _type_link(iri: str) -> str:
    return ", " + link_header([(iri, "type", None)])


class Links:
    """Writes the Link headers of one release."""

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
                for file, _ in zip(files, range(_MOST_ITEMS), strict=False)
            ]
            links += ", " + link_header(items) if items else ""
        return links.encode()

    def form(self, path: str, form: str) -> str:
        """Return the server's path of a form of a document."""
        return f"{self._documents}{quoted(path)}.{form}"

    def _header(self, kind: Kind) -> str:
        """Return the header of the documents of a kind, in which ``_PATH`` is the path."""
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
