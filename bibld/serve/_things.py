"""The things that a release describes: what is opened for it, its catalog, and what an address leads to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, get_args

import msgspec

from bibld.documents import Document, PublishedView
from bibld.model.iris import Iris, pair_of_match, record_of_path
from bibld.model.linkage import Cluster, Decision, Edge, Merged, Pair, Score, Verdict
from bibld.model.marc import MarcRecord
from bibld.model.mods import Mods
from bibld.model.origin import RecordId
from bibld.model.rdf import expand
from bibld.model.release import Manifest
from bibld.model.report import Report, Validation
from bibld.protocols import CatalogView, RecordEvent, SourceRecord
from bibld.search import SearchView
from bibld.serve._addresses import Addresses
from bibld.serve._forms import Kind, forms_of, is_document, split_suffix
from bibld.serve._graph import ReleaseGraph, objects_of
from bibld.serve._persons import Persons
from bibld.serve.ontology import CONTEXT, ONTOLOGIES, Vocabulary

_SAME_AS = expand("owl:sameAs")
_OF_A_DESCRIPTION = (expand("rdf:type"), expand("prov:wasDerivedFrom"))
_DECISIONS: tuple[Decision, ...] = get_args(Decision)
_SCORE = "{:.6f}".format
"""As many digits as the store has."""


class ReleaseView:
    """A view of the catalog (``bibld.protocols.CatalogView``) whose links are those of a release.

    ``view`` has the prepared documents, which are read faster than the store; None if the release has none.
    """

    def __init__(
        self, catalog: CatalogView, graph: ReleaseGraph, iris: Iris, view: PublishedView | None = None
    ) -> None:
        self._catalog = catalog
        self._graph = graph
        self._iris = iris
        self._view = view

    def record(self, record: RecordId) -> SourceRecord | None:
        """Return a source record, as the catalog has it now."""
        return self._catalog.record(record)

    def cluster_of(self, record: RecordId) -> Cluster | None:
        """Return the cluster of a record in the release; its founder first, the others in the order of their ids."""
        resource = self._iris.resource(record)
        document = self._document(resource)
        if document is not None:
            return self._prepared_cluster(record, document)
        for founding in (resource, *self._graph.subjects(_SAME_AS, resource)):
            founder = self._record_of(founding, "resource/")
            if founder is not None and any(self._graph.objects(founding, each) for each in _OF_A_DESCRIPTION):
                members = {self._record_of(each, "resource/") for each in self._graph.objects(founding, _SAME_AS)}
                return Cluster(founder, (founder, *sorted(member for member in members if member is not None)))
        return None

    def _document(self, resource: str) -> Document | None:
        """Return the prepared document that answers for a publication."""
        path = self._iris.path(resource)
        document = self._view.document(path) if self._view is not None and path is not None else None
        if self._view is not None and document is not None and document.status == 303:
            return self._view.document(document.target)
        return document

    def _prepared_cluster(self, record: RecordId, document: Document) -> Cluster | None:
        founding = self._iris.base + document.path
        founder = self._record_of(founding, "resource/")
        if document.status != 200 or founder is None:
            return None
        same = (self._record_of(each, "resource/") for each in objects_of(document.quads, founding, _SAME_AS))
        members = (founder, *sorted({member for member in same if member is not None}))
        return Cluster(founder, members) if record in members else None  # a deleted record is answered for, too

    def merged(self, founder: RecordId) -> Merged | None:
        """Return the description of a cluster of the release.

        It is the catalog's for a cluster with the same founder, even if its members have changed since, else that of
        the founder's record.
        """
        cluster = self.cluster_of(founder)
        if cluster is None or cluster.founder != founder:
            return None
        merged = self._catalog.merged(founder)
        if merged is None:
            record = self._catalog.record(founder)
            return Merged(cluster, record.mods if record is not None else Mods(), ())
        if set(merged.cluster.members) == set(cluster.members):
            return merged
        sources = tuple(
            msgspec.structs.replace(source, records=tuple(each for each in source.records if each in cluster.members))
            for source in merged.sources
        )
        return Merged(cluster, merged.mods, sources)

    def edges_of(self, records: Iterable[RecordId]) -> list[Edge]:
        """Return the matches of the release with both ends among these records, in the order of their pairs."""
        wanted = set(records)
        pairs = set()
        for record in wanted:
            for match in self._graph.subjects(self._iris.term("left"), self._iris.record(record)):
                for end in self._graph.objects(match, self._iris.term("right")):
                    other = self._record_of(end, "record/")
                    if other in wanted and other is not None and other != record:
                        pairs.add(Pair.from_records(record, other))
        return [edge for edge in map(self.edge, sorted(pairs)) if edge is not None]

    def edge(self, pair: Pair) -> Edge | None:
        """Return a match of the release; the catalog's, which has the features, if decision and score are equal."""
        released = self._released_edge(pair)
        current = self._catalog.edge(pair) if released is not None else None
        if released is None or current is None or current.verdict.decision != released.verdict.decision:
            return released
        return current if _SCORE(current.score.value) == _SCORE(released.score.value) else released

    def redirect_target(self, record: RecordId) -> RecordId | None:
        """Return the live record that answers in the place of a deleted one."""
        return self._catalog.redirect_target(record)

    def events_of(self, record: RecordId) -> list[RecordEvent]:
        """Return the history of the IRI of a record, as the catalog has it now."""
        return self._catalog.events_of(record)

    def sample_founders(self, count: int) -> list[RecordId]:
        """Return founders of up to ``count`` clusters of the release."""
        clusters = ((founder, self.cluster_of(founder)) for founder in self._catalog.sample_founders(count))
        return [founder for founder, cluster in clusters if cluster is not None and cluster.founder == founder]

    def _released_edge(self, pair: Pair) -> Edge | None:
        match = self._iris.match(pair)
        texts = self._literals(match, "decision")
        decision = next((decision for decision in _DECISIONS if decision in texts), None)
        if decision is None:
            return None
        verdict = Verdict(decision, "".join(self._literals(match, "rule")), tuple(self._literals(match, "reason")))
        score = Score(self._number(match), scorer="".join(self._literals(match, "scorer")))
        return Edge(pair, score, verdict, "")

    def _literals(self, thing: str, term: str) -> list[str]:
        return self._graph.literals(thing, self._iris.term(term))

    def _number(self, thing: str) -> float:
        return next((float(text) for text in self._literals(thing, "score")), 0.0)

    def _record_of(self, iri: str, folder: str) -> RecordId | None:
        """Return the record that an IRI in this folder names."""
        path = self._iris.path(iri)
        if path is None or not path.startswith(folder) or "#" in iri:
            return None
        return record_of_path(path.removeprefix(folder))


_ENTITY_FOLDERS = ("agent/", "concept/", "place/", "publisher/", "series/", "work/")
_ONTOLOGY = "ontology"
_LINKS_TO_SAME = ("owl:sameAs", "skos:exactMatch")


class OpenRelease(msgspec.Struct, frozen=True):
    """What pages and documents are made from.

    ``void`` is the ``void.ttl`` of the release; ``contact`` the mail address of those who run the site, empty if it is
    not known. ``search`` has the names of the release, for the thread that makes pages; None if the release has none.
    ``report`` are its figures; None for a release that was made without the part ``report``. ``has_services``: whether
    a server answers queries; none does for a site of files; ``has_matching``: whether it matches files.
    ``beside_mods``: see ``bibld.serve.Site``.
    ``validation`` reads the results of the last validation. ``published`` has the prepared documents, for the thread
    that makes pages; None if the release has none. ``to_marc`` and ``returned``: see ``bibld.serve.Site``,
    ``covers`` and ``persons``: see ``bibld.serve.Settings``.
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
    has_matching: bool = False
    beside_mods: Callable[[SourceRecord], Sequence[tuple[str, str]]] = lambda _: ()
    validation: Callable[[], Validation] = Validation
    published: PublishedView | None = None
    to_marc: Callable[[Mods, Literal["marc21", "rusmarc"]], MarcRecord] | None = None
    returned: Callable[[SourceRecord], MarcRecord | None] | None = None
    covers: str = ""
    persons: Persons = Persons()


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
    it has just deleted still is. ``graph`` is that of the release, ``sources`` are the sources' ids, ``published`` has
    the prepared documents; None if the release has none.
    """

    def __init__(
        self,
        iris: Iris,
        catalog: CatalogView,
        graph: ReleaseGraph,
        sources: Iterable[str],
        published: PublishedView | None = None,
    ) -> None:
        self._iris = iris
        self._catalog = catalog
        self._graph = graph
        self._mentions = graph.mentions
        self._published = published
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
            return self._respelled(path)
        if not path.startswith(_ENTITY_FOLDERS):
            return Thing("graph", path, iri)
        founder = self._founder(iri)
        return Thing("entity", path, iri) if founder is None else Moved(founder[len(self._iris.base) :], founder)

    def _respelled(self, path: str) -> Moved | None:
        """Return the entity whose IRI was spelled otherwise; None if it is not known."""
        if self._published is None or not path.startswith(_ENTITY_FOLDERS):
            return None
        answering = self._published.respelled(path)
        return Moved(answering, self._iris.base + answering) if answering is not None else None

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
            if stored is None or not stored.deleted or stored.authority is not None:
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
        is_heading = stored.authority is not None and not stored.deleted and self._mentions(iri)
        if is_heading or self._catalog.cluster_of(record) is not None:
            return Thing("record", path, iri, record=stored)
        return Gone(iri, record, stored) if stored.deleted else None
