"""What a path under the base names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from bibld.documents import PublishedView
from bibld.model.iris import Iris, pair_of_match, record_of_path
from bibld.model.linkage import Edge, Merged
from bibld.model.marc import MarcRecord
from bibld.model.origin import RecordId
from bibld.model.rdf import expand
from bibld.model.release import Manifest
from bibld.model.report import Report, Validation
from bibld.protocols import CatalogView, SourceRecord
from bibld.search import SearchView
from bibld.serve._addresses import Addresses
from bibld.serve._forms import Kind, forms_of, is_document, split_suffix
from bibld.serve._graph import ReleaseGraph
from bibld.serve._vocabulary import Vocabulary
from bibld.serve.ontology import CONTEXT, ONTOLOGIES

_ENTITY_FOLDERS = ("agent/", "concept/", "place/", "publisher/", "series/", "work/")
_ONTOLOGY = "ontology"
_LINKS_TO_SAME = ("owl:sameAs", "skos:exactMatch")


class OpenRelease(msgspec.Struct, frozen=True):
    """What pages and documents are made from.

    ``void`` is the ``void.ttl`` of the release; ``contact`` the mail address of those who run the site, empty if it is
    not known. ``search`` has the names of the release, for the thread that makes pages; None if the release has none.
    ``report`` are its figures; None for a release that was made without the part ``report``. ``has_services``: whether
    a server answers queries; none does for a site of files. ``beside_mods``: see ``bibld.serve.Site``.
    ``validation`` reads the results of the last validation. ``published`` has the prepared documents, for the thread
    that makes pages; None if the release has none.
    """

    manifest: Manifest
    catalog: CatalogView
    graph: ReleaseGraph
    addresses: Addresses
    vocabulary: Vocabulary
    original: Callable[[SourceRecord], MarcRecord | None]
    void: bytes
    contact: str = ""
    search: SearchView | None = None
    report: Report | None = None
    has_services: bool = True
    beside_mods: Callable[[SourceRecord], Sequence[tuple[str, str]]] = lambda _: ()
    validation: Callable[[], Validation] = Validation
    published: PublishedView | None = None


class Thing(msgspec.Struct, frozen=True):
    """Something with an IRI that has a document.

    ``path`` follows the base. Depending on the kind it is ``merged``, a ``record`` or an ``edge``.
    """

    kind: Kind
    path: str
    iri: str
    merged: Merged | None = None
    record: SourceRecord | None = None
    edge: Edge | None = None

    @property
    def forms(self) -> tuple[str, ...]:
        """The suffixes of the forms of its document, best first."""
        return forms_of(self.kind)

    @property
    def ontology(self) -> str:
        """What follows ``{base}ontology/`` in the IRI of an ontology; empty for the ontology of bibld."""
        return self.path.removeprefix(_ONTOLOGY).removeprefix("/")

    @property
    def is_document(self) -> bool:
        """Whether its IRI answers 200 (metadata), not 303 (what metadata is about)."""
        return is_document(self.kind)


class Moved(msgspec.Struct, frozen=True):
    """Another resource answers: its path and its IRI."""

    path: str
    iri: str


class Gone(msgspec.Struct, frozen=True):
    """The record was deleted, and no other one answers in its place.

    ``last`` is its last state; its tombstone states whether it may be shown.
    """

    iri: str
    record: RecordId
    last: SourceRecord | None = None


class Finder:
    """Finds what a path names.

    The links of ``catalog`` are those of the release: a record that a run has only now read is not there yet, one that
    it has just deleted still is. ``graph`` is that of the release, ``sources`` are the sources' ids.
    """

    def __init__(self, iris: Iris, catalog: CatalogView, graph: ReleaseGraph, sources: Iterable[str]) -> None:
        self._iris = iris
        self._catalog = catalog
        self._graph = graph
        self._mentions = graph.mentions
        self._datasets = {"dataset", *(f"dataset/{source}" for source in sources)}

    def find(self, path: str) -> Thing | Moved | Gone | None:
        """Return what ``path`` (which follows the base) names; None if it never existed."""
        folder, _, rest = path.partition("/")
        iri = self._iris.base + path
        try:
            if folder == "resource":
                return self._resource(path, iri, record_of_path(rest))
            if folder == "record":
                return self._record(path, iri, record_of_path(rest))
            if folder == "match":
                edge = self._catalog.edge(pair_of_match(rest))
                return Thing("match", path, iri, edge=edge) if edge is not None else None
        except ValueError:
            return None
        if folder == _ONTOLOGY and rest in ONTOLOGIES and path != f"{_ONTOLOGY}/":
            return Thing("ontology", path, iri)
        if path == f"{_ONTOLOGY}/{split_suffix(CONTEXT)[0]}":
            return Thing("context", path, iri)
        if path in self._datasets or (folder == "dataset" and self._mentions(iri)):
            return Thing("dataset", path, iri)
        if not path or not self._mentions(iri):
            return None
        if not path.startswith(_ENTITY_FOLDERS):
            return Thing("graph", path, iri)
        founder = self._founder(iri)
        return Thing("entity", path, iri) if founder is None else Moved(founder[len(self._iris.base) :], founder)

    def _founder(self, iri: str) -> str | None:
        """Return the IRI that carries the description of an entity; None if it is this one."""
        if self._graph.has_description(iri):
            return None
        found = [same for link in _LINKS_TO_SAME for same in self._graph.subjects(expand(link), iri)]
        return next((same for same in found if same.startswith(self._iris.base)), None)

    def _resource(self, path: str, iri: str, record: RecordId) -> Thing | Moved | Gone | None:
        if self._iris.resource(record) != iri:
            return None
        cluster = self._catalog.cluster_of(record)
        stored = None
        if cluster is None:
            stored = self._catalog.record(record)
            if stored is None or not stored.deleted:
                return None
            target = self._catalog.redirect_target(record)
            cluster = self._catalog.cluster_of(target) if target is not None else None
        merged = self._catalog.merged(cluster.founder) if cluster is not None else None
        if cluster is None or merged is None:
            return Gone(iri, record, stored)
        if cluster.founder == record:
            return Thing("resource", path, iri, merged=merged)
        return Moved(f"resource/{cluster.founder.path}", self._iris.resource(cluster.founder))

    def _record(self, path: str, iri: str, record: RecordId) -> Thing | Gone | None:
        stored = self._catalog.record(record)
        if stored is None or self._iris.record(record) != iri:
            return None
        if self._catalog.cluster_of(record) is not None:
            return Thing("record", path, iri, record=stored)
        return Gone(iri, record, stored) if stored.deleted else None
