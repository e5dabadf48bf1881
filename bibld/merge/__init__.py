"""Merge: from the records of a cluster to one description, which states for each value the records that have it."""

from __future__ import annotations

from collections.abc import Sequence

from bibld.catalog import Catalog, StageQueue, digest
from bibld.config import Config
from bibld.merge._age import age_key, last_change
from bibld.merge._merger import Merger
from bibld.merge._policies import Policies, default_policies
from bibld.model.linkage import Cluster, Merged
from bibld.model.mods import Mods
from bibld.model.origin import RecordId
from bibld.progress import Progress
from bibld.protocols import Holder

__all__ = ["Policies", "merge", "merge_records", "requeue_all", "settings_digest"]

VERSION = 5

_CLUSTERS_AT_ONCE = 500


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


def requeue_all(catalog: Catalog, queue: StageQueue) -> None:
    """Requeue all clusters, because the settings or the version changed. Call it inside a commit."""
    queue.dirty.add(catalog.linkage.founders(least=2))


def merge(catalog: Catalog, config: Config, queue: StageQueue, progress: Progress) -> int:
    """Merge the dirty clusters; return the number of founders that were processed.

    The merged description of a cluster that no longer exists, or has only one member, is deleted.
    """
    made_with, policies = settings_digest(config), Policies.from_config(config)
    total = len(queue.dirty)
    progress.stage("merge", "clusters", total)
    while founders := queue.dirty.items(_CLUSTERS_AT_ONCE):
        with catalog.commit():
            for founder in founders:
                _merge_one(catalog, founder, made_with, policies)
            queue.dirty.remove(founders)
            queue.mark_dirty(founders)
        progress.advance(len(founders))
    return total


def _merge_one(catalog: Catalog, founder: int, made_with: str, policies: Policies) -> None:
    members = catalog.linkage.members(founder)
    if len(members) < 2:
        catalog.descriptions.drop(founder)
        return
    made_by = digest(made_with, [catalog.records.fingerprint(ordinal).hex() for ordinal in members])
    if catalog.descriptions.made_by(founder) == made_by:
        return
    cluster = catalog.linkage.cluster(founder)
    records = [
        (record, catalog.records.mods(ordinal)) for record, ordinal in zip(cluster.members, members, strict=True)
    ]
    catalog.descriptions.put(founder, merge_records(cluster, records, policies), made_by)
