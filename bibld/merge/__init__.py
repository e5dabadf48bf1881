"""Merge: the records of a cluster in; one description, and for each of its values the records that hold it, out."""

from __future__ import annotations

from collections.abc import Sequence

from bibld.catalog import Catalog, digest
from bibld.config import Config
from bibld.merge._age import age
from bibld.merge._paper import united_mods
from bibld.model.linkage import Cluster, Merged
from bibld.model.mods import Mods
from bibld.model.origin import RecordId
from bibld.progress import Progress

__all__ = ["merge", "merged", "settings_digest"]

VERSION = 3
_CLUSTERS_AT_ONCE = 500


def merged(cluster: Cluster, records: Sequence[tuple[RecordId, Mods]]) -> Merged:
    """Merge the descriptions of a cluster's members, given in any order."""
    ordered = sorted(records, key=lambda record: age(*record))
    mods, sources = united_mods(ordered)
    return Merged(cluster, mods, tuple(sources))


def settings_digest(config: Config) -> str:
    """A hash of the version and of all settings that the result depends on."""
    return digest(VERSION)


def merge(catalog: Catalog, config: Config, progress: Progress) -> int:
    """Merge the clusters of the catalog whose members changed; gives the number of clusters of two and more."""
    made_with = settings_digest(config)
    founders = list(catalog.linkage.founders(least=2))
    progress.stage("merge", "clusters", len(founders))
    for start in range(0, len(founders), _CLUSTERS_AT_ONCE):
        with catalog.commit():
            for founder in founders[start : start + _CLUSTERS_AT_ONCE]:
                _merge_one(catalog, founder, made_with)
                progress.advance()
    with catalog.commit():
        catalog.linkage.drop_stale_merged()
    return len(founders)


def _merge_one(catalog: Catalog, founder: int, made_with: str) -> None:
    members = catalog.linkage.members(founder)
    made_by = digest(made_with, [catalog.records.hash_of(ordinal).hex() for ordinal in members])
    if catalog.linkage.merged_made_by(founder) == made_by:
        return
    cluster = catalog.linkage.cluster(founder)
    records = [
        (record, catalog.records.mods(ordinal)) for record, ordinal in zip(cluster.members, members, strict=True)
    ]
    catalog.linkage.put_merged(founder, merged(cluster, records), made_by)
