"""The catalog as a release knows it.

A run changes the catalog before there is a new release. So what is linked to what (clusters, founders, matches) is read
from the release's store, and the records themselves (MODS, originals) from the catalog, where they may be newer. Every
IRI that the release mentions is answered, whatever a run has done to the catalog since.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import get_args

import msgspec

from bibld.model.iris import Iris, record_of_path
from bibld.model.linkage import Cluster, Decision, Edge, Feature, Merged, Pair, Score, ValueSource, Verdict
from bibld.model.mods import Mods
from bibld.model.origin import RecordId
from bibld.model.rdf import expand
from bibld.protocols import CatalogView, SourceRecord
from bibld.serve._graph import ReleaseGraph

_SAME_AS = expand("owl:sameAs")
_DERIVED_FROM = expand("prov:wasDerivedFrom")
_LABEL = expand("rdfs:label")
_DECISIONS: tuple[Decision, ...] = get_args(Decision)
_SCORE = "{:.6f}".format
"""As many digits as the store has."""


class ReleaseView:
    """A view of the catalog (``bibld.protocols.CatalogView``) whose links are those of a release."""

    def __init__(self, catalog: CatalogView, graph: ReleaseGraph, iris: Iris) -> None:
        self._catalog = catalog
        self._graph = graph
        self._iris = iris

    def record(self, record: RecordId) -> SourceRecord | None:
        """One source record, as the catalog has it now."""
        return self._catalog.record(record)

    def cluster_of(self, record: RecordId) -> Cluster | None:
        """The cluster of a record in the release; its founder first, the others in the order of their ids."""
        resource = self._iris.resource(record)
        for founding in (resource, *self._graph.subjects(_SAME_AS, resource)):
            founder = self._named(founding, "resource/")
            members = {self._named(each, "record/") for each in self._graph.objects(founding, _DERIVED_FROM)}
            others = sorted(member for member in members if member is not None and member != founder)
            if founder is not None and founder in members:
                return Cluster(founder, (founder, *others))
        return None

    def merged(self, founder: RecordId) -> Merged | None:
        """The description of a cluster of the release.

        It is the catalog's for a cluster with the same founder, whatever members it has gained or lost since, else what
        the founder's own record says.
        """
        cluster = self.cluster_of(founder)
        if cluster is None or cluster.founder != founder:
            return None
        held = self._catalog.merged(founder)
        if held is None:
            record = self._catalog.record(founder)
            return Merged(cluster, record.mods if record is not None else Mods(), ())
        if set(held.cluster.members) == set(cluster.members):
            return held
        sources = tuple(_within(source, cluster.members) for source in held.sources)
        return Merged(cluster, held.mods, sources)

    def edges_of(self, records: Iterable[RecordId]) -> list[Edge]:
        """The matches of the release with both ends among these records, in the order of their pairs."""
        wanted = set(records)
        pairs = set()
        for record in wanted:
            for match in self._graph.subjects(self._iris.term("left"), self._iris.record(record)):
                for end in self._graph.objects(match, self._iris.term("right")):
                    other = self._named(end, "record/")
                    if other in wanted and other is not None and other != record:
                        pairs.add(Pair.from_records(record, other))
        return [edge for edge in map(self.edge, sorted(pairs)) if edge is not None]

    def edge(self, pair: Pair) -> Edge | None:
        """A match of the release, in the catalog's words where the catalog still says the same about it."""
        stored = self._stored(pair)
        held = self._catalog.edge(pair) if stored is not None else None
        if stored is None or held is None or held.verdict.decision != stored.verdict.decision:
            return stored
        return held if _SCORE(held.score.value) == _SCORE(stored.score.value) else stored

    def redirect_target(self, record: RecordId) -> RecordId | None:
        """For a deleted record the living one that answers in its place."""
        return self._catalog.redirect_target(record)

    def sample_founders(self, count: int) -> list[RecordId]:
        """Founders of up to ``count`` clusters of the release."""
        clusters = ((founder, self.cluster_of(founder)) for founder in self._catalog.sample_founders(count))
        return [founder for founder, cluster in clusters if cluster is not None and cluster.founder == founder]

    def _stored(self, pair: Pair) -> Edge | None:
        match = self._iris.match(pair)
        decision = _decision(self._literals(match, "decision"))
        if decision is None:
            return None
        features: list[Feature] = []
        for node in self._graph.objects(match, self._iris.term("feature")):
            names = self._graph.literals(node, _LABEL)
            features.extend(Feature(name, self._number(node)) for name in names[:1])
        verdict = Verdict(decision, "".join(self._literals(match, "rule")), tuple(self._literals(match, "reason")))
        keys = tuple(self._literals(match, "blockingKey"))
        return Edge(pair, Score(self._number(match), tuple(features), keys), verdict, "")

    def _literals(self, thing: str, term: str) -> list[str]:
        return self._graph.literals(thing, self._iris.term(term))

    def _number(self, thing: str) -> float:
        return next((float(text) for text in self._literals(thing, "score")), 0.0)

    def _named(self, iri: str, folder: str) -> RecordId | None:
        """The record that an IRI in this folder names."""
        path = self._iris.path(iri)
        if path is None or not path.startswith(folder) or "#" in iri:
            return None
        return record_of_path(path.removeprefix(folder))


def _decision(texts: Iterable[str]) -> Decision | None:
    return next((decision for text in texts for decision in _DECISIONS if text == decision), None)


def _within(source: ValueSource, members: tuple[RecordId, ...]) -> ValueSource:
    return msgspec.structs.replace(source, records=tuple(record for record in source.records if record in members))
