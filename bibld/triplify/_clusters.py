"""Make the statements of queued clusters again: computed from what the catalog contains, then stored in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import msgspec

from bibld.catalog import AssertionChange, Catalog, DependencyRow, Queue, StatementRow, digest
from bibld.config import TriplifyConfig
from bibld.model.iris import Iris
from bibld.model.linkage import Edge, Merged
from bibld.model.origin import RecordId
from bibld.triplify._claims import Claim, ClusterStatements, encode_assertions
from bibld.triplify._describe.agents import describe_names
from bibld.triplify._describe.authorities import authority_statements
from bibld.triplify._describe.description import (
    describe_body,
    describe_kind,
    describe_languages,
    describe_notes,
    describe_types,
)
from bibld.triplify._describe.dialects import describe_in_dialects
from bibld.triplify._describe.identifiers import describe_identifiers
from bibld.triplify._describe.items import describe_locations
from bibld.triplify._describe.origin import describe_origin
from bibld.triplify._describe.provenance import describe_matches, describe_records, describe_values, link_members
from bibld.triplify._describe.related import describe_related, tie_abbreviations, tie_agents
from bibld.triplify._describe.subjects import describe_subjects
from bibld.triplify._describe.titles import describe_titles
from bibld.triplify._describe.works import describe_work
from bibld.triplify._draft import Draft, sort_quads
from bibld.triplify._entity_batch import count_changes, keys_of_assertion, point_new_clusters_to_founders
from bibld.triplify._tombstones import tombstone
from bibld.triplify._works import find_works


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
    chosen = settings or TriplifyConfig()
    draft = Draft(merged, find_works(merged.mods), iris, exists, chosen.properties)
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
    describe_work(draft)
    tie_agents(draft)
    tie_abbreviations(draft)
    link_members(draft)
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


class ClusterBatch(msgspec.Struct):
    """What to store of some clusters: rows by table, and what changes in entities and quads.

    ``statements`` contain the tombstones of deleted records too. ``dropped`` are founders of clusters that were
    dissolved; ``changes`` states by how much the number of owners of each line changed, if anybody waits for patches;
    ``samples`` are quads to train the compression on.
    """

    statements: list[StatementRow] = []
    dependencies: list[DependencyRow] = []
    dropped: list[int] = []
    assertions: list[AssertionChange] = []
    changes: Counter[bytes] = msgspec.field(default_factory=Counter)
    samples: list[bytes] = []


def statements_digest(
    made_with: str, fingerprints: Iterable[bytes], description: str | None, edges: Sequence[Edge]
) -> str:
    """Return a hash of what the statements of a cluster are made from, without the records that they depend on.

    ``fingerprints`` are those of its members, ``description`` is ``made_by`` of the merged description (None: it has
    one member), ``edges`` are brief ones.
    """
    return digest(made_with, [fingerprint.hex() for fingerprint in fingerprints], description, edges)


def describe_clusters(
    made_with: str, iris: Iris, settings: TriplifyConfig, catalog: Catalog, founders: list[int]
) -> ClusterBatch:
    """Make the statements of clusters whose inputs have changed; ``made_with`` is the digest of the settings."""
    batch = ClusterBatch()
    is_awaited = catalog.patches.are_awaited()
    is_trained = catalog.statements.is_trained()
    for founder in founders:
        stored = catalog.statements.made_by(founder)
        if not catalog.records.is_live(founder) or catalog.linkage.founder(founder) != founder:
            quads = tombstone(iris, catalog, founder)
            claims: tuple[Claim, ...] = ()
            if quads:
                batch.statements.append(catalog.statements.row(founder, quads, digest(made_with, quads.decode())))
            else:
                batch.dropped.append(founder)
        else:
            result = _describe_cluster(made_with, iris, settings, catalog, founder, stored)
            if result is None:
                continue
            statement, dependencies, quads, claims = result
            batch.statements.append(statement)
            batch.dependencies += dependencies
            if not is_trained:
                batch.samples.append(quads)
        if is_awaited:
            count_changes(batch.changes, catalog.statements.quads(founder), quads)
        asserted = catalog.entities.asserted_by(founder)
        batch.assertions += _assertion_changes(founder, asserted, claims)
    return batch


def store_clusters(catalog: Catalog, batch: ClusterBatch) -> None:
    """Store the statements and assertions of clusters, and queue the entities whose assertions changed."""
    catalog.statements.drop(batch.dropped)
    catalog.statements.put(batch.statements, batch.dependencies)
    changed = catalog.entities.change_assertions(batch.assertions, keys_of_assertion)
    catalog.dirty[Queue.UNDESCRIBED_ENTITIES].add(changed)
    point_new_clusters_to_founders(catalog, (founder for founder, _, _ in batch.statements), batch.changes)
    catalog.patches.add(batch.changes)
    catalog.statements.train_dictionary(batch.samples)


def _describe_cluster(
    made_with: str, iris: Iris, settings: TriplifyConfig, catalog: Catalog, founder: int, stored: str | None
) -> tuple[StatementRow, list[DependencyRow], bytes, tuple[Claim, ...]] | None:
    """Return the rows, quads and claims of a cluster; None if those made by the hash ``stored`` are current."""
    members = catalog.linkage.members(founder)
    is_merged = len(members) > 1
    edges = catalog.linkage.edges_among(members, is_brief=True) if is_merged else []
    hashes = [catalog.records.fingerprint(ordinal) for ordinal in members]
    made_by = statements_digest(made_with, hashes, catalog.descriptions.made_by(founder) if is_merged else None, edges)

    def exists(record: RecordId) -> bool:
        ordinal = catalog.register.ordinal(record)
        return ordinal is not None and catalog.records.is_live(ordinal)

    if stored == made_by:
        dependencies = catalog.statements.existence_dependencies(founder)
        if all(exists(record) == existed for record, existed in dependencies):
            return None
    authority = catalog.records.authority(founder) if catalog.records.is_authority(founder) else None
    if authority is not None:
        result = authority_statements(catalog.register.record(founder), authority, iris, settings, exists)
    else:
        result = cluster_statements(catalog.descriptions.merged(founder, members), edges, iris, settings, exists)
    quads = "".join(result.quads).encode()
    rows = [(record.source, record.control_number, founder, exists(record)) for record in result.existence_dependencies]
    return catalog.statements.row(founder, quads, made_by), rows, quads, result.claims


def _assertion_changes(
    founder: int, before: Mapping[tuple[str, bytes], int], claims: Iterable[Claim]
) -> Iterator[AssertionChange]:
    """Yield the assertions of a cluster that are new, not made any more, or have another number of votes."""
    after = encode_assertions(claims)
    for entity, body in sorted(before.keys() | after.keys()):
        votes = before.get((entity, body)), after.get((entity, body))
        if votes[0] != votes[1]:
            yield founder, entity, body, *votes
