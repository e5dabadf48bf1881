"""The catalog as a release knows it.

A run changes the catalog before there is a new release. So what is linked to what (clusters, founders, matches) is read
from the release's store, and the records themselves (MODS, originals) from the catalog, where they may be newer. Every
IRI that the release mentions is answered, whatever a run has done to the catalog since.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import get_args

import msgspec

from bibld.documents import Document
from bibld.model.iris import Iris, record_of_path
from bibld.model.linkage import Cluster, Decision, Edge, Merged, Pair, Score, Verdict
from bibld.model.mods import Mods
from bibld.model.origin import RecordId
from bibld.model.rdf import expand
from bibld.protocols import CatalogView, RecordEvent, SourceRecord
from bibld.serve._graph import ReleaseGraph, objects_of
from bibld.serve._names import DocumentView

_SAME_AS = expand("owl:sameAs")
_OF_A_DESCRIPTION = (expand("rdf:type"), expand("prov:wasDerivedFrom"))
_DECISIONS: tuple[Decision, ...] = get_args(Decision)
_SCORE = "{:.6f}".format
"""As many digits as the store has."""


class ReleaseView:
    """A view of the catalog (``bibld.protocols.CatalogView``) whose links are those of a release.

    ``view`` has the prepared documents, which are read faster than the store; None if the release has none.
    """

    def __init__(self, catalog: CatalogView, graph: ReleaseGraph, iris: Iris, view: DocumentView | None = None) -> None:
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
