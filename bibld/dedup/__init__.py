"""Find the records that describe the same publication: scored pairs with reasons, and clusters.

The method consists of blockers (``block/``), which propose candidate pairs, and a scorer (``score/``). That of
Kosolapov, Serebryakov, Teymurazov and Shorin, "Algorithm for merging duplicate bibliographic records", is
``block = ["paper"]`` with ``score = "jaccard"``.

A run matches new and changed records against an index of all records, and clusters again the connected components that
it touches. :func:`find_duplicates` matches records in memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bibld.lazy_imports import import_on_use

if TYPE_CHECKING:
    from bibld.catalog import Catalog, StageQueue
    from bibld.dedup.features import features_of
    from bibld.dedup.memory import Comparison, Duplicates, compare, find_duplicates
    from bibld.dedup.method import MethodOptions, settings_digest
    from bibld.dedup.stage import DedupSummary, dedup
    from bibld.dedup.warm_up import KernelWarmUp

__all__ = [
    "Comparison",
    "DedupSummary",
    "Duplicates",
    "KernelWarmUp",
    "MethodOptions",
    "compare",
    "dedup",
    "features_of",
    "find_duplicates",
    "is_pending",
    "settings_digest",
]

# Every command reads the settings of blockers and scorers, which are in this package, but few commands match.
__getattr__ = import_on_use(
    __name__,
    {
        "features": ("features_of",),
        "memory": ("Comparison", "Duplicates", "compare", "find_duplicates"),
        "method": ("MethodOptions", "settings_digest"),
        "stage": ("DedupSummary", "dedup"),
        "warm_up": ("KernelWarmUp",),
    },
)


def is_pending(catalog: Catalog, queue: StageQueue) -> bool:
    """Return whether records changed, or people decided about pairs, since the last matching."""
    seen = catalog.matching.state().verdict_change
    last, _ = catalog.register.changed_verdicts(seen)
    return last != seen or not queue.dirty.is_empty()
