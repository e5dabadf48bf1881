"""Documents of a release that has no prepared ones, made from its triple store and the catalog when they are asked for.

Each costs some milliseconds. Releases of an earlier bibld are served so, and what no release prepares: the dataset, its
graphs and the ontology.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import lru_cache

from bibld.documents import Document
from bibld.model.release import Manifest
from bibld.serve._graph import ReleaseGraph, lines_of
from bibld.serve._statements import tombstone
from bibld.serve._things import Finder, Gone, Moved

_CACHED_DOCUMENTS = 512
_DIGEST_BYTES = 16


class StoreDocuments:
    """Makes documents from the store of a release."""

    def __init__(self, manifest: Manifest, graph: ReleaseGraph, finder: Finder) -> None:
        self._manifest = manifest
        self._graph = graph
        self._finder = finder
        self._base = manifest.dataset.base
        self.document = lru_cache(maxsize=_CACHED_DOCUMENTS)(self._document)

    def titles(self, paths: Iterable[str]) -> dict[str, str]:
        """Return the titles of documents by path; none that are empty."""
        found = {}
        for path in paths:
            labels = self._graph.labels(self._base + path)
            if labels:
                found[path] = labels[0].text
        return found

    def close(self) -> None:
        """Close nothing: the store belongs to the release."""

    def _document(self, path: str) -> Document | None:
        found = self._finder.find(path)
        if found is None:
            return None
        if isinstance(found, Moved):
            return self._made(path, 303, found.path, b"")
        if isinstance(found, Gone):
            return self._made(path, 410, "", tombstone(found.iri, str(found.record)))
        return self._made(path, 200, "", lines_of(self._graph.description(found.iri)))

    def _made(self, path: str, status: int, target: str, quads: bytes) -> Document:
        title = self.titles([path]).get(path, "") if status == 200 else ""
        digest = hashlib.blake2b(quads, digest_size=_DIGEST_BYTES).digest()
        return Document(path, status, target, title, self._manifest.number, self._manifest.created, digest, quads)
