"""Find the records that describe the same publication: scored pairs with reasons, and clusters.

The method consists of blockers (``block/``), which propose candidate pairs, and a scorer (``score/``). That of
Kosolapov, Serebryakov, Teymurazov and Shorin, "Algorithm for merging duplicate bibliographic records", is
``block = ["paper"]`` with ``score = "jaccard"``.

A run matches new and changed records against an index of all records, and clusters again the connected components that
it touches (``stage``). ``memory`` matches records in memory. Every command reads the settings of blockers and scorers,
which are in this package, but few commands match: so nothing is imported here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from bibld.catalog import Catalog, StageQueue
    from bibld.config import Config


def is_pending(catalog: Catalog, queue: StageQueue) -> bool:
    """Return whether records changed, or people decided about pairs, since the last matching."""
    seen = catalog.matching.state().verdict_change
    last, _ = catalog.register.changed_verdicts(seen)
    return last != seen or not queue.dirty.is_empty()


def write_match_index(catalog: Catalog, folder: Path, config: Config) -> None:
    """Write the index of a release, with which files are matched, into a new folder; see ``lookup.write_lookup``."""
    from bibld.dedup.lookup import write_lookup

    write_lookup(catalog, folder, config)
