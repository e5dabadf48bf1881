"""The statements of one cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bibld.config import TriplifyConfig
from bibld.model.iris import Iris
from bibld.model.linkage import Edge, Merged
from bibld.model.origin import RecordId
from bibld.triplify._claims import ClusterStatements
from bibld.triplify._describe.agents import describe_names
from bibld.triplify._describe.description import (
    describe_body,
    describe_kind,
    describe_languages,
    describe_locations,
    describe_notes,
    describe_types,
)
from bibld.triplify._describe.dialects import describe_in_dialects
from bibld.triplify._describe.identifiers import describe_identifiers
from bibld.triplify._describe.origin import describe_origin
from bibld.triplify._describe.provenance import describe_matches, describe_records, link_members
from bibld.triplify._describe.related import describe_related
from bibld.triplify._describe.subjects import describe_subjects
from bibld.triplify._describe.ties import tie_abbreviations, tie_agents
from bibld.triplify._describe.titles import describe_titles
from bibld.triplify._describe.value_sources import describe_values
from bibld.triplify._draft import Draft, sort_quads


def cluster_statements(
    merged: Merged,
    edges: Sequence[Edge],
    iris: Iris,
    settings: TriplifyConfig | None = None,
    exists: Callable[[RecordId], bool] = lambda record: False,
) -> ClusterStatements:
    """Return the lines that belong to a cluster, and what its records assert about entities.

    The lines are in a stable order, each once.

    ``edges`` are those between members of the cluster. ``exists`` answers whether a record is in the catalog:
    related resources are linked by IRI only if it is, since every IRI of the dataset must be answered.
    """
    draft = Draft(merged, iris, exists)
    describe_kind(draft)
    describe_titles(draft)
    describe_names(draft)
    describe_origin(draft)
    describe_languages(draft)
    describe_body(draft)
    describe_types(draft)
    describe_notes(draft)
    describe_subjects(draft)
    describe_locations(draft)
    describe_related(draft)
    describe_identifiers(draft)
    tie_agents(draft)
    tie_abbreviations(draft)
    link_members(draft)
    chosen = settings or TriplifyConfig()
    describe_in_dialects(draft, chosen.dialects)
    if chosen.provenance != "none":
        describe_records(draft)
    if chosen.provenance == "full":
        describe_matches(draft, edges)
        describe_values(draft)
    return ClusterStatements(
        quads=sort_quads(draft.quads, draft.subject),
        claims=tuple(dict.fromkeys(draft.claims)),
        existence_dependencies=tuple(sorted(set(draft.existence_dependencies))),
    )
