"""The stage over a catalog: what is pending is said anew, and what changed by it is noted as a patch."""

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

VERSION = 4
"""To be raised when the same input gives other statements, of clusters or of entities."""

_AT_ONCE = 500

Restating = Callable[[int], tuple[bytes, bytes]]
"""Says anew what belongs to one item; gives its quads before and after."""


_ENCODER = msgspec.json.Encoder()
_ASSERTIONS = msgspec.json.Decoder(Assertion)


def settings_digest(base: str, settings: Settings) -> str:
    """A hash of the version and of all settings that the statements depend on."""
    return digest(VERSION, base, settings)


def requeue_all(catalog: Catalog, queue: StageQueue) -> None:
    """Requeue all clusters and entities, since the settings or the version changed. Call it inside a commit."""
    queue.dirty.add(catalog.linkage.founders())
    queue.dirty.add(catalog.statements.founders())
    catalog.dirty[Queue.UNDESCRIBED_ENTITIES].add(catalog.entities.numbers())


def is_pending(catalog: Catalog, queue: StageQueue) -> bool:
    """Whether there is anything to do."""
    return not (queue.dirty.is_empty() and catalog.dirty[Queue.UNDESCRIBED_ENTITIES].is_empty())


def triplify(catalog: Catalog, iris: Iris, settings: Settings, queue: StageQueue, progress: Progress) -> int:
    """Say anew what belongs to the pending clusters, then to the entities about which they claim something else.

    Clusters that are no more lose what was said about them. Gives the number of clusters.
    """
    made_with = settings_digest(iris.base, settings)
    done = _work_off(catalog, queue.dirty, "clusters", partial(_cluster, catalog, made_with, iris, settings), progress)
    _work_off(catalog, catalog.dirty[Queue.UNDESCRIBED_ENTITIES], "entities", partial(_entity, catalog, iris), progress)
    return done


def _work_off(catalog: Catalog, dirty: DirtyQueue, what: str, restate: Restating, progress: Progress) -> int:
    total = len(dirty)
    progress.stage("triplify", what, total)
    learn = (
        catalog.statements.train_dictionary
        if dirty.queue is Queue.UNDESCRIBED_CLUSTERS
        else catalog.entities.train_dictionary
    )
    while items := dirty.items(_AT_ONCE):
        with catalog.commit():
            is_awaited = catalog.patches.are_awaited()
            owners: Counter[bytes] = Counter()
            said: list[bytes] = []
            for item in items:
                before, after = restate(item)
                if after:
                    said.append(after)
                if is_awaited and before != after:
                    owners.update(after.splitlines())
                    owners.subtract(before.splitlines())
            catalog.patches.add(owners)
            dirty.remove(items)
            learn(said)
        progress.advance(len(items))
    return total


# -- clusters ----------------------------------------------------------------------------------------------------------


def _cluster(catalog: Catalog, made_with: str, iris: Iris, settings: Settings, founder: int) -> tuple[bytes, bytes]:
    before = catalog.statements.quads(founder)
    if not catalog.records.is_live(founder) or catalog.linkage.founder(founder) != founder:
        catalog.statements.drop(founder)
        _claim(catalog, founder, ())
        return before, b""
    members = catalog.linkage.members(founder)
    edges = catalog.linkage.edges_among(members) if len(members) > 1 else []
    hashes = [catalog.records.fingerprint(ordinal).hex() for ordinal in members]
    made_by = digest(made_with, hashes, catalog.descriptions.made_by(founder), edges)
    exists = partial(_exists, catalog)
    sought = catalog.statements.existence_dependencies(founder)
    if catalog.statements.made_by(founder) == made_by and all(exists(record) == did for record, did in sought):
        return before, before
    made = cluster_statements(catalog.descriptions.merged(founder), edges, iris, settings, exists)
    after = "".join(made.quads).encode()
    catalog.statements.put(
        founder, after, [(record, exists(record)) for record in made.existence_dependencies], made_by
    )
    _claim(catalog, founder, made.claims)
    return before, after


def _claim(catalog: Catalog, founder: int, claims: Iterable[Claim]) -> None:
    bodies = [
        (entity, _ENCODER.encode(assertion), votes) for (entity, assertion), votes in count_assertions(claims).items()
    ]
    catalog.dirty[Queue.UNDESCRIBED_ENTITIES].add(sorted(catalog.entities.replace_assertions(founder, bodies)))


def _exists(catalog: Catalog, record: RecordId) -> bool:
    ordinal = catalog.register.ordinal(record)
    return ordinal is not None and catalog.records.is_live(ordinal)


# -- entities ----------------------------------------------------------------------------------------------------------


def _entity(catalog: Catalog, iris: Iris, entity: int) -> tuple[bytes, bytes]:
    before = catalog.entities.quads(entity)
    name = catalog.entities.iri(entity)
    claimed = [(_ASSERTIONS.decode(body), votes) for body, votes in catalog.entities.assertions(entity)]
    if name is None or not claimed:
        catalog.entities.drop(entity)
        return before, b""
    after = "".join(describe_entity(name, claimed, iris)).encode()
    if after != before:
        catalog.entities.put(entity, after)
    return before, after
