"""The stage over a catalog: make the statements of queued clusters and entities again, and record what changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial

import msgspec

from bibld.catalog import Catalog, DirtyQueue, Queue, StageQueue, digest
from bibld.model.iris import Iris
from bibld.model.origin import RecordId
from bibld.progress import Progress
from bibld.triplify._claims import Assertion, Claim, count_assertions
from bibld.triplify._cluster import Settings, cluster_statements
from bibld.triplify._entities import describe_entity

VERSION = 5
"""To be raised when the same input gives other statements, of clusters or of entities."""

_ITEMS_PER_COMMIT = 500

_Update = Callable[[int], tuple[bytes, bytes]]
"""Makes the quads of one item again; returns the quads before and after."""

_ENCODER = msgspec.json.Encoder()
_ASSERTIONS = msgspec.json.Decoder(Assertion)


def settings_digest(base: str, settings: Settings) -> str:
    """Return a hash of the version and of all settings that the statements depend on."""
    return digest(VERSION, base, settings)


def requeue_all(catalog: Catalog, queue: StageQueue) -> None:
    """Requeue all clusters and entities, since the settings or the version changed. Call it inside a commit."""
    queue.dirty.add(catalog.linkage.founders())
    queue.dirty.add(catalog.statements.founders())
    catalog.dirty[Queue.UNDESCRIBED_ENTITIES].add(catalog.entities.numbers())


def is_pending(catalog: Catalog, queue: StageQueue) -> bool:
    """Whether any cluster or entity is queued."""
    return not (queue.dirty.is_empty() and catalog.dirty[Queue.UNDESCRIBED_ENTITIES].is_empty())


def triplify(catalog: Catalog, iris: Iris, settings: Settings, queue: StageQueue, progress: Progress) -> int:
    """Make the statements of the queued clusters again, then those of the entities whose claims changed thereby.

    The statements of dissolved clusters are deleted. Returns the number of clusters.
    """
    update_cluster = partial(_update_cluster, catalog, settings_digest(iris.base, settings), iris, settings)
    train = catalog.statements.train_dictionary
    clusters = _process(catalog, queue.dirty, "clusters", update_cluster, train, progress)
    update_entity, train = partial(_update_entity, catalog, iris), catalog.entities.train_dictionary
    _process(catalog, catalog.dirty[Queue.UNDESCRIBED_ENTITIES], "entities", update_entity, train, progress)
    return clusters


def _process(
    catalog: Catalog,
    dirty: DirtyQueue,
    what: str,
    update: _Update,
    train_dictionary: Callable[[list[bytes]], None],
    progress: Progress,
) -> int:
    """Process a queue; in each commit the results, the patch and the removal of the items are stored together."""
    total = len(dirty)
    progress.stage("triplify", what, total)
    while items := dirty.items(_ITEMS_PER_COMMIT):
        with catalog.commit():
            is_awaited = catalog.patches.are_awaited()
            owners: Counter[bytes] = Counter()
            blocks: list[bytes] = []
            for item in items:
                before, after = update(item)
                if after:
                    blocks.append(after)
                if is_awaited and before != after:
                    owners.update(after.splitlines())
                    owners.subtract(before.splitlines())
            catalog.patches.add(owners)
            dirty.remove(items)
            train_dictionary(blocks)
        progress.advance(len(items))
    return total


def _update_cluster(
    catalog: Catalog, made_with: str, iris: Iris, settings: Settings, founder: int
) -> tuple[bytes, bytes]:
    before = catalog.statements.quads(founder)
    if not catalog.records.is_live(founder) or catalog.linkage.founder(founder) != founder:
        catalog.statements.drop(founder)
        _replace_claims(catalog, founder, ())
        return before, b""
    members = catalog.linkage.members(founder)
    edges = catalog.linkage.edges_among(members) if len(members) > 1 else []
    hashes = [catalog.records.fingerprint(ordinal).hex() for ordinal in members]
    made_by = digest(made_with, hashes, catalog.descriptions.made_by(founder), edges)

    def exists(record: RecordId) -> bool:
        ordinal = catalog.register.ordinal(record)
        return ordinal is not None and catalog.records.is_live(ordinal)

    dependencies = catalog.statements.existence_dependencies(founder)
    if catalog.statements.made_by(founder) == made_by and all(exists(record) == did for record, did in dependencies):
        return before, before
    statements = cluster_statements(catalog.descriptions.merged(founder), edges, iris, settings, exists)
    after = "".join(statements.quads).encode()
    existing = [(record, exists(record)) for record in statements.existence_dependencies]
    catalog.statements.put(founder, after, existing, made_by)
    _replace_claims(catalog, founder, statements.claims)
    return before, after


def _replace_claims(catalog: Catalog, founder: int, claims: Iterable[Claim]) -> None:
    """Store the claims of a cluster in place of its earlier ones, and queue the entities whose claims changed."""
    votes = count_assertions(claims)
    rows = [(entity, _ENCODER.encode(assertion), number) for (entity, assertion), number in votes.items()]
    catalog.dirty[Queue.UNDESCRIBED_ENTITIES].add(sorted(catalog.entities.replace_assertions(founder, rows)))


def _update_entity(catalog: Catalog, iris: Iris, entity: int) -> tuple[bytes, bytes]:
    before = catalog.entities.quads(entity)
    entity_iri = catalog.entities.iri(entity)
    assertions = [(_ASSERTIONS.decode(body), votes) for body, votes in catalog.entities.assertions(entity)]
    if entity_iri is None or not assertions:
        catalog.entities.drop(entity)
        return before, b""
    after = "".join(describe_entity(entity_iri, assertions, iris)).encode()
    if after != before:
        catalog.entities.put(entity, after)
    return before, after
