"""Merge: from the records of a cluster to one description, which states for each value the records that have it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import partial

import msgspec

from bibld.catalog import Catalog, DescriptionRow, StageQueue, digest
from bibld.catalog.processing import QueueProcessor
from bibld.config import Config
from bibld.merge._merger import Merger, Policies, default_policies
from bibld.model.linkage import Cluster, Merged
from bibld.model.mods import Date, Mods
from bibld.model.origin import RecordId
from bibld.progress import Progress
from bibld.protocols import Holder

__all__ = ["Policies", "input_digest", "merge", "merge_records", "requeue_all", "settings_digest"]

VERSION = 8

_UNKNOWN = "9999"
_FIRST_MARC_YEAR = 60
"""A year of two digits from here on is in the 20th century: MARC records have been made since the 1960s."""


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


def age_key(record: RecordId, mods: Mods) -> tuple[str, str, RecordId]:
    """Return a key that sorts the oldest record first: by date of creation, then of the last change, then by id.

    Dates that are missing or unreadable count as later than all others.
    """
    created = min(_dates(date for info in mods.record_info for date in info.record_creation_date), default=_UNKNOWN)
    changed = min(_dates(date for info in mods.record_info for date in info.record_change_date), default=_UNKNOWN)
    return created, changed, record


def last_change(mods: Mods) -> str:
    """Return when a description was last made or changed, as digits from the year on; empty if no date is readable."""
    dates = (date for info in mods.record_info for date in (*info.record_creation_date, *info.record_change_date))
    return max((date for date in _dates(dates) if date != _UNKNOWN), default="")


def _dates(dates: Iterable[Date]) -> Iterable[str]:
    """Return dates as sortable digits."""
    for date in dates:
        digits = re.sub(r"[^0-9.]", "", date.value).split(".")[0]
        if len(digits) == 6:
            yield ("19" if int(digits[:2]) >= _FIRST_MARC_YEAR else "20") + digits
        else:
            yield digits if len(digits) >= 8 else _UNKNOWN
