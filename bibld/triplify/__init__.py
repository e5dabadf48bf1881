"""Triplify: merged records in, quads out.

``statements`` turns the merged description of a cluster into lines of N-Quads and into *claims* about agents, concepts,
places, publishers and series; ``entity_statements`` turns all claims about one of these into the lines that describe
it; ``dataset_statements`` describes the sources. All three are pure functions.

The data speak several vocabularies at once, so that queries written for other libraries' data find what they expect:
DCMI terms, BIBO and ISBD elements flat on the resource, BIBFRAME 2 with nodes for contributions, identifiers,
provision activities and copies, and schema.org. Nodes are hash IRIs of their resource; there are no blank nodes.
Resources, entities and ``owl:sameAs`` between the records of a cluster stand in the default graph, provenance (PROV-O
and bibld's own ontology) in ``graph/provenance``, links to each authority file in a graph of its own
(``graph/links-viaf``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from bibld.model.iris import Iris
from bibld.model.linkage import Edge, Merged
from bibld.model.origin import RecordId
from bibld.triplify._agents import describe_names
from bibld.triplify._claims import Claim, EntityClaim, Form, Kind, Statements
from bibld.triplify._dataset import SourceDescription, dataset_statements
from bibld.triplify._description import (
    describe_body,
    describe_kind,
    describe_languages,
    describe_locations,
    describe_notes,
)
from bibld.triplify._draft import Draft, in_order
from bibld.triplify._entities import entity_statements
from bibld.triplify._identifiers import describe_identifiers
from bibld.triplify._origin import describe_origin
from bibld.triplify._provenance import describe_matches, describe_members, describe_values
from bibld.triplify._related import describe_related
from bibld.triplify._subjects import describe_subjects
from bibld.triplify._titles import describe_titles

__all__ = (
    "Claim",
    "EntityClaim",
    "Form",
    "Kind",
    "Settings",
    "SourceDescription",
    "Statements",
    "dataset_statements",
    "entity_statements",
    "statements",
)


class Settings(msgspec.Struct, frozen=True):
    """What can be chosen.

    ``value_sources``: whether to say of every value that only some members of a cluster hold, which records hold it.
    """

    value_sources: bool = True


def statements(
    merged: Merged,
    edges: Sequence[Edge],
    iris: Iris,
    settings: Settings | None = None,
    exists: Callable[[RecordId], bool] = lambda record: False,
) -> Statements:
    """The lines that belong to a cluster, in a stable order and none twice, and what its records claim about entities.

    ``edges`` are those between members of the cluster. ``exists`` says whether a record is, or was, in the catalog:
    related resources are linked by IRI only where it is so, since every IRI of the dataset must be answered.
    """
    draft = Draft(merged, iris, exists)
    describe_kind(draft)
    describe_titles(draft)
    describe_names(draft)
    describe_origin(draft)
    describe_languages(draft)
    describe_body(draft)
    describe_notes(draft)
    describe_subjects(draft)
    describe_locations(draft)
    describe_related(draft)
    describe_identifiers(draft)
    describe_members(draft)
    describe_matches(draft, edges)
    if settings is None or settings.value_sources:
        describe_values(draft)
    return Statements(
        quads=in_order(draft.quads, draft.subject),
        claims=tuple(dict.fromkeys(draft.claims)),
        sought=tuple(sorted(set(draft.sought))),
    )
