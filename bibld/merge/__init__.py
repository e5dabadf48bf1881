"""Merge: the records of a cluster in; one description, and for each of its values the records that hold it, out."""

from __future__ import annotations

from collections.abc import Sequence

from bibld.catalog import Catalog, digest
from bibld.config import Config
from bibld.merge._age import age, changed
from bibld.merge._elements import Merging
from bibld.merge._policies import Policies, default_policies
from bibld.model.linkage import Cluster, Merged
from bibld.model.mods import Mods
from bibld.model.origin import RecordId
from bibld.progress import Progress
from bibld.protocols import Holder

__all__ = ["Policies", "is_pending", "merge", "merged", "redo", "settings_digest"]

VERSION = 4
QUEUE = "merge"
"""The queue of the stage: founders of clusters that changed."""

_CLUSTERS_AT_ONCE = 500


def merged(cluster: Cluster, records: Sequence[tuple[RecordId, Mods]], policies: Policies | None = None) -> Merged:
    """Merge the descriptions of a cluster's members, given in any order; without ``policies`` by the paper's rule."""
    policies = policies or default_policies()
    said = [
        (Holder(record, changed(mods), policies.trust(record.source)), mods)
        for record, mods in sorted(records, key=lambda record: age(*record))
    ]
    mods, sources = Merging(policies, said).mods(said)
    return Merged(cluster, mods, tuple(sources))


def settings_digest(config: Config) -> str:
    """A hash of the version and of all settings that the result depends on: the policies, and what they go by."""
    return digest(VERSION, Policies.of(config).stated())


def redo(catalog: Catalog) -> None:
    """Have all clusters merged anew, since the settings or the version changed; to be called inside a commit."""
    catalog.pending.add(QUEUE, catalog.linkage.founders(least=2))


def is_pending(catalog: Catalog) -> bool:
    """Whether there is anything to do."""
    return bool(catalog.pending.items(QUEUE, 1))


def merge(catalog: Catalog, config: Config, progress: Progress) -> int:
    """Merge the pending clusters, and hand all that is pending on to triplify; gives the number of founders looked at.

    A cluster that is no more, or has one member, loses its merged description.
    """
    made_with, policies = settings_digest(config), Policies.of(config)
    total = catalog.pending.count(QUEUE)
    progress.stage("merge", "clusters", total)
    while founders := catalog.pending.items(QUEUE, _CLUSTERS_AT_ONCE):
        with catalog.commit():
            for founder in founders:
                _merge_one(catalog, founder, made_with, policies)
            catalog.pending.done(QUEUE, founders)
            catalog.pending.add("triplify", founders)
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
    catalog.descriptions.put(founder, merged(cluster, records, policies), made_by)
