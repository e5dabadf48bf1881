"""Provenance: source records and matches."""

from __future__ import annotations

import math
from collections.abc import Sequence

from bibld.model.linkage import Edge
from bibld.model.mods import RecordInfo
from bibld.model.origin import RecordId
from bibld.model.rdf import decimal_literal, iri, literal
from bibld.text.folding import tidy
from bibld.triplify._dates import record_date
from bibld.triplify._draft import Draft

GRAPH = "provenance"
"""The name of the graph for provenance."""


def link_members(draft: Draft) -> None:
    """Link the resource IRIs of the other members to that of the merged resource."""
    cluster = draft.merged.cluster
    for member in cluster.members:
        if member != cluster.founder:
            draft.add("owl:sameAs", iri(draft.iris.resource(member)))


def describe_records(draft: Draft) -> None:
    """Describe the source records. The topic of each is the merged resource, whose IRI has the description."""
    for member in draft.merged.cluster.members:
        record = draft.record_term(member)
        draft.add("prov:wasDerivedFrom", record, graph=GRAPH)
        draft.add_class(draft.own_term("SourceRecord"), record, GRAPH)
        draft.add("foaf:primaryTopic", draft.subject, record, GRAPH)
        draft.add("void:inDataset", iri(draft.iris.source(member.source)), record, GRAPH)
        draft.add("dcterms:identifier", literal(member.control_number), record, GRAPH)
    for index, info in enumerate(draft.mods.record_info):
        described = _member_described_by(draft, info, f"record_info/{index}")
        if described is None:
            continue
        for predicate, dates in (
            ("dcterms:created", info.record_creation_date),
            ("dcterms:modified", info.record_change_date),
        ):
            for term in dict.fromkeys(filter(None, map(record_date, dates))):
                draft.add(predicate, term, draft.record_term(described), GRAPH)


def _member_described_by(draft: Draft, info: RecordInfo, path: str) -> RecordId | None:
    members = draft.records_at(path)
    for identifier in info.record_identifier:
        for member in members:
            if RecordId.from_control_number(member.source, identifier.value) == member:
                return member
    return members[0] if len(members) == 1 else None


def describe_matches(draft: Draft, edges: Sequence[Edge]) -> None:
    """Describe each match by a node: the records, score, scorer, decision, who or what decided, and the reasons.

    Features and blocking keys are not published: they are of use to one who looks at a pair, whom its page,
    ``bibld explain`` and the Python API show them.
    """
    for edge in edges:
        match = iri(draft.iris.match(edge.pair))
        draft.add_class(draft.own_term("Match"), match, GRAPH)
        draft.add(draft.own_term("left"), draft.record_term(edge.pair.left), match, GRAPH)
        draft.add(draft.own_term("right"), draft.record_term(edge.pair.right), match, GRAPH)
        if math.isfinite(edge.score.value):
            draft.add(draft.own_term("score"), decimal_literal(edge.score.value), match, GRAPH)
        draft.add(draft.own_term("decision"), literal(edge.verdict.decision), match, GRAPH)
        draft.add(draft.own_term("rule"), literal(edge.verdict.by), match, GRAPH)
        for reason in filter(None, map(tidy, edge.verdict.reasons)):
            draft.add(draft.own_term("reason"), literal(reason), match, GRAPH)
        if edge.score.scorer:
            draft.add(draft.own_term("scorer"), literal(edge.score.scorer), match, GRAPH)
