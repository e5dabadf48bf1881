"""The stage over a catalog: make the statements of queued clusters and entities again, and record what changed."""

from __future__ import annotations

from functools import partial

from bibld.catalog import Catalog, Queue, StageQueue, digest
from bibld.catalog.processing import QueueProcessor
from bibld.config import TriplifyConfig
from bibld.model.iris import Iris
from bibld.progress import Progress
from bibld.triplify._cluster_batch import describe_clusters, store_clusters
from bibld.triplify._entity_batch import (
    describe_entities,
    entity_verdicts,
    has_new_verdicts,
    queue_verdicts,
    store_entities,
)

VERSION = 14
"""To be raised when the same input gives other statements, of clusters or of entities."""


def settings_digest(base: str, settings: TriplifyConfig) -> str:
    """Return a hash of the version and of all settings that the statements depend on."""
    return digest(VERSION, base, settings)


def requeue_all(catalog: Catalog, queue: StageQueue) -> None:
    """Requeue all clusters and entities, since the settings or the version changed. Call it inside a commit."""
    queue.dirty.add(catalog.linkage.founders())
    queue.dirty.add(catalog.statements.founders())
    queue.dirty.add(catalog.register.redirected_records())
    catalog.dirty[Queue.UNDESCRIBED_ENTITIES].add(catalog.entities.numbers())


def is_pending(catalog: Catalog, queue: StageQueue) -> bool:
    """Whether any cluster or entity is queued, or people have decided about entities."""
    entities = catalog.dirty[Queue.UNDESCRIBED_ENTITIES]
    return not (queue.dirty.is_empty() and entities.is_empty()) or has_new_verdicts(catalog)


def triplify(
    catalog: Catalog, iris: Iris, settings: TriplifyConfig, queue: StageQueue, progress: Progress, workers: int = 1
) -> int:
    """Make the statements of the queued clusters again, then those of the entities whose claims changed thereby.

    The statements of dissolved clusters are deleted. ``workers`` is the number of processes, 0 for one for each core;
    the results are the same for any. Returns the number of clusters.
    """
    with QueueProcessor(catalog, workers, "make statements", [__name__]) as processor:
        progress.stage("triplify", "clusters", len(queue.dirty))
        compute = partial(describe_clusters, settings_digest(iris.base, settings), iris, settings)
        clusters = processor.process(queue.dirty, compute, partial(store_clusters, catalog), progress)
        queue_verdicts(catalog, iris)
        entities = catalog.dirty[Queue.UNDESCRIBED_ENTITIES]
        progress.stage("triplify", "entities", len(entities))
        describe = partial(describe_entities, iris, entity_verdicts(catalog, iris))
        processor.process(entities, describe, partial(store_entities, catalog), progress)
    return clusters
