"""Merge: from the records of a cluster to one description, which states for each value the records that have it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

import msgspec

from bibld.catalog import Catalog, DescriptionRow, StageQueue, digest
from bibld.catalog.processing import QueueProcessor
from bibld.config import Config
from bibld.merge._age import age_key, last_change
from bibld.merge._merger import Merger
from bibld.merge._policies import Policies, default_policies
from bibld.model.linkage import Cluster, Merged
from bibld.model.mods import Mods
from bibld.model.origin import RecordId
from bibld.progress import Progress
from bibld.protocols import Holder

__all__ = ["Policies", "input_digest", "merge", "merge_records", "requeue_all", "settings_digest"]

VERSION = 6


def merge_records(
    cluster: Cluster, records: Sequence[tuple[RecordId, Mods]], policies: Policies | None = None
) -> Merged:
    """Merge the descriptions of a cluster's members, given in any order; without ``policies`` by the paper's rule."""
    policies = policies or default_policies()
    descriptions = [
        (Holder(record, last_change(mods), policies.trust(record.source)), mods)
        for record, mods in sorted(records, key=lambda record: age_key(*record))
    ]
    mods, sources = Merger(policies, descriptions).merge(descriptions)
    return Merged(cluster, mods, tuple(sources))


def settings_digest(config: Config) -> str:
    """Return a hash of the version and of all settings that the result depends on."""
    return digest(VERSION, Policies.from_config(config).inputs())


def input_digest(made_with: str, fingerprints: Iterable[bytes]) -> str:
    """Return a hash of what a merged description is made from: the settings, and its records in their order."""
    return digest(made_with, [fingerprint.hex() for fingerprint in fingerprints])


def requeue_all(catalog: Catalog, queue: StageQueue) -> None:
    """Requeue all clusters, because the settings or the version changed. Call it inside a commit."""
    queue.dirty.add(catalog.linkage.founders(least=2))


def merge(catalog: Catalog, config: Config, queue: StageQueue, progress: Progress) -> int:
    """Merge the dirty clusters on all cores; return the number of founders that were processed.

    The merged description of a cluster that no longer exists, or has only one member, is deleted. The results are the
    same for any number of workers.
    """

    def store(batch: _Batch) -> None:
        catalog.descriptions.drop(batch.dropped)
        catalog.descriptions.put(batch.rows)
        queue.mark_dirty(batch.founders)

    compute = partial(_merge_clusters, settings_digest(config), Policies.from_config(config))
    progress.stage("merge", "clusters", len(queue.dirty))
    with QueueProcessor(catalog, config.workers, "merge records", [__name__]) as processor:
        return processor.process(queue.dirty, compute, store, progress)


class _Batch(msgspec.Struct):
    """The rows of some clusters, and the founders that have none; descriptions that are current are in neither."""

    founders: list[int]
    rows: list[DescriptionRow] = []
    dropped: list[int] = []


def _merge_clusters(made_with: str, policies: Policies, catalog: Catalog, founders: list[int]) -> _Batch:
    batch = _Batch(founders)
    for founder in founders:
        members = catalog.linkage.members(founder)
        if len(members) < 2:
            batch.dropped.append(founder)
            continue
        made_by = input_digest(made_with, map(catalog.records.fingerprint, members))
        if catalog.descriptions.made_by(founder) == made_by:
            continue
        cluster = catalog.linkage.cluster(founder, members)
        records = [
            (record, catalog.records.mods(ordinal)) for record, ordinal in zip(cluster.members, members, strict=True)
        ]
        batch.rows.append(catalog.descriptions.row(founder, merge_records(cluster, records, policies), made_by))
    return batch
