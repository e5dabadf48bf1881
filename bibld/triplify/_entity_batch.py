"""Cluster queued entities again and describe them: computed from what the catalog contains, then stored in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

import msgspec

from bibld.catalog import AssertionKeys, Catalog, EntityRow, Queue, StoredEntity
from bibld.config import Dialect
from bibld.model.iris import Iris, entity_identity
from bibld.triplify._claims import read_assertion
from bibld.triplify._entities import describe_entity_clusters
from bibld.triplify._entity_clusters import Verdicts, verdicts_by_identity


def count_changes(changes: Counter[bytes], before: bytes, after: bytes) -> None:
    """Add by how much the number of owners of each line (without line end) changed."""
    if before != after:
        changes.update(after.splitlines())
        changes.subtract(before.splitlines())


class DescribedEntities(msgspec.Struct, frozen=True):
    """Entities that are the same, by their numbers in the catalog, the founder first, and the quads that describe them.

    ``parts`` are the IRIs of other entities that the quads point to.
    """

    members: tuple[int, ...]
    quads: bytes
    parts: tuple[str, ...]


class EntityBatch(msgspec.Struct, frozen=True):
    """What to store of some entities and of all that are tied to them.

    ``dropped`` are entities about which nothing is asserted any more.
    """

    clusters: list[DescribedEntities]
    dropped: list[int]


def keys_of_assertion(body: bytes) -> AssertionKeys:
    """Return what a stored assertion refers to."""
    value = read_assertion(body).value
    identities = map(entity_identity, (*value.aliases, *value.former, *value.replaced))
    return AssertionKeys((*identities, *value.all_ties), value.named_entities)


# -- verdicts --------------------------------------------------------------------------------------------------------


def has_new_verdicts(catalog: Catalog) -> bool:
    """Whether people have decided about entities since the last run."""
    return bool(catalog.register.changed_entity_verdicts(catalog.entities.verdict_change())[1])


def queue_verdicts(catalog: Catalog, iris: Iris) -> None:
    """Queue the entities about which people have decided since the last run."""
    last, pairs = catalog.register.changed_entity_verdicts(catalog.entities.verdict_change())
    if pairs:
        found = (catalog.entities.with_identity(entity_identity(iris.base + path)) for pair in pairs for path in pair)
        with catalog.commit():
            catalog.dirty[Queue.UNDESCRIBED_ENTITIES].add(sorted(set().union(*found)))
            catalog.entities.set_verdict_change(last)


def entity_verdicts(catalog: Catalog, iris: Iris) -> dict[tuple[str, str], str]:
    """Return the verdicts about entities that are in force (same or different), by their identities."""
    return verdicts_by_identity(iris, catalog.register.entity_verdicts())


# -- computing -------------------------------------------------------------------------------------------------------


def describe_entities(
    iris: Iris, dialects: Collection[Dialect], verdicts: Verdicts, catalog: Catalog, entities: list[int]
) -> EntityBatch:
    """Cluster entities and all that are tied to them, and make the statements of each cluster."""
    loaded = _load_connected(catalog, verdicts, entities)
    numbers = {entity.iri: entity.entity for entity in loaded}
    assertions = {entity.iri: [(read_assertion(body), votes) for body, votes in entity.assertions] for entity in loaded}
    described = [
        DescribedEntities(tuple(numbers[member] for member in cluster.members), cluster.quads, cluster.parts)
        for cluster in describe_entity_clusters(iris, verdicts, assertions, dialects)
    ]
    return EntityBatch(described, sorted(set(entities) - set(numbers.values())))


def _load_connected(catalog: Catalog, verdicts: Verdicts, entities: Iterable[int]) -> list[StoredEntity]:
    """Load the entities that are connected with some by ties or verdicts, these included."""
    partners: dict[str, set[str]] = {}
    for one, other in verdicts:
        partners.setdefault(one, set()).add(other)
        partners.setdefault(other, set()).add(one)
    found = set(catalog.entities.tied(entities))
    while partners:
        identities = (entity_identity(catalog.entities.iri(entity) or "") for entity in found)
        named = {partner for identity in identities for partner in partners.get(identity, ())}
        more = set().union(*map(catalog.entities.with_identity, named)) - found
        if not more:
            break
        found = set(catalog.entities.tied(found | more))
    return catalog.entities.load(found)


# -- storing ---------------------------------------------------------------------------------------------------------


def store_entities(catalog: Catalog, batch: EntityBatch) -> None:
    """Store clusters and descriptions of entities, and let everything that names an entity point to its founder."""
    entities = catalog.entities
    changes: Counter[bytes] = Counter()
    samples: list[bytes] = []
    before = {entity: entities.quads(entity) for entity in batch.dropped}
    rows: list[EntityRow] = []
    moved: set[int] = set()
    for entity in batch.dropped:
        moved.update(member for member in entities.members(entity) if entities.set_founder(member, member))
    for cluster in batch.clusters:
        founder = cluster.members[0]
        samples.append(cluster.quads)
        for member in cluster.members:
            before[member] = entities.quads(member)
            if entities.set_founder(member, founder):
                moved.add(member)
    for cluster in batch.clusters:
        founders = entities.founders_of_iris(cluster.parts) if cluster.parts else {}
        for member in cluster.members:
            quads = cluster.quads if member == cluster.members[0] else b""
            if quads != before[member] or founders:
                rows.append(entities.row(member, quads, founders if quads else {}))
    entities.put(rows)
    entities.drop(batch.dropped)
    others = [entity for entity in entities.pointing_to(moved) if entity not in before]
    before.update((entity, entities.quads(entity)) for entity in others)
    for entity in others:
        entities.set_moved(entity, entities.founders_of_iris(parts_of_entity(catalog, entity)))
    _point_to_founders(catalog, entities.clusters_asserting(moved), changes)
    if catalog.patches.are_awaited():
        for entity, quads in before.items():
            count_changes(changes, quads, entities.quads(entity))
        catalog.patches.add(changes)
    entities.train_dictionary(samples)


def parts_of_entity(catalog: Catalog, founder: int) -> set[str]:
    """Return the IRIs that the description of an entity points to."""
    bodies = [body for member in catalog.entities.members(founder) for body, _ in catalog.entities.assertions(member)]
    return {part for body in bodies for part in keys_of_assertion(body).parts}


def _point_to_founders(catalog: Catalog, clusters: Iterable[int], changes: Counter[bytes]) -> None:
    """Let the quads of clusters point to the founders of the entities that they name, and count what that changes."""
    wanted = list(clusters)
    founders = catalog.entities.founders_by_cluster(wanted)
    is_awaited = catalog.patches.are_awaited()
    for cluster in wanted:
        before = catalog.statements.quads(cluster) if is_awaited else b""
        catalog.statements.set_moved(cluster, founders.get(cluster, {}))
        if is_awaited:
            count_changes(changes, before, catalog.statements.quads(cluster))


def point_new_clusters_to_founders(catalog: Catalog, clusters: Iterable[int], changes: Counter[bytes]) -> None:
    """Do the same for clusters whose quads have just been stored and point to entities as the records do."""
    _point_to_founders(catalog, sorted(catalog.entities.founders_by_cluster(clusters)), changes)
