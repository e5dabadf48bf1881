"""The stage over a catalog: what changed is matched against all; what it touches is clustered anew."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from bibld.catalog import Catalog, StageQueue, digest
from bibld.config import Config
from bibld.dedup._index.index import Index, Place
from bibld.dedup._keys.statistics import from_bytes, to_bytes
from bibld.dedup._writer import Writer
from bibld.dedup.decisions import DecidedPairs, Decider
from bibld.model.features import Statistics
from bibld.progress import Progress

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from bibld.dedup._keys.key_runs import SegmentRuns

    Ends = npt.NDArray[np.uint32]

_GROWTH = 2
"""Statistics are counted anew when there are so many times more records than when they were counted."""


class DedupSummary(msgspec.Struct, frozen=True):
    """What a run of dedup found: the records it looked at, candidates, edges and clusters among what it touched."""

    records: int
    candidates: int
    edges: int
    clusters: int


class Matching:
    """One run of the stage.

    ``made_with`` is the hash of all settings; ``rematch_all``: match all records anew, not only what is pending.
    """

    def __init__(
        self,
        catalog: Catalog,
        config: Config,
        progress: Progress,
        run_time: str,
        queue: StageQueue,
        made_with: str,
        rematch_all: bool,
    ) -> None:
        self._catalog = catalog
        self._config = config
        self._progress = progress
        self._run_time = run_time
        self._queue = queue
        self._made_with = made_with
        self._index = Index(catalog, config)
        self._rematch_all = rematch_all

    def run(self, restat: bool) -> DedupSummary:
        """Bring index, edges and clusters up to date; all that is pending is worked off then."""
        self._index.sweep()
        heard = self._hear()
        is_whole = self._index.is_usable() and bool(self._catalog.segments.all())
        restat = restat or self._must_count()
        self._rematch_all = self._rematch_all or restat or not is_whole
        pending = self._queue.dirty.items() if is_whole else None
        count = self._catalog.records.count() if self._rematch_all or pending is None else len(pending)
        self._progress.stage("dedup", "records", count)
        first = self._index.take(pending, self._progress)
        place = self._index.opened()
        statistics, runs = self._keys(place, restat)
        decider = Decider(place.segments, place.of_sources(self._several()), self._config)
        decided, candidates = self._decide(decider, place, runs, statistics, 0 if self._rematch_all else first)
        writer = Writer(self._catalog, self._config, decider, place, statistics, self._made_by(), self._run_time)
        with self._catalog.commit():
            if self._rematch_all:
                found = writer.everything(decided)
                self._queue.mark_live_records_dirty()
            else:
                found = writer.touched(decided, self._queue.dirty.items(), first)
            self._queue.mark_dirty(found.dirty)
            self._queue.dirty.clear()
            self._catalog.segments.mark_verdicts_seen(heard)
        for message in found.messages:
            self._progress.report(message)
        place.segments.release()
        if self._index.compact():
            self._keys(self._index.opened(), restat=False)
        return DedupSummary(count, candidates, found.edges, found.clusters)

    def _hear(self) -> int:
        """Records of which people spoke are matched anew; gives the last change of verdicts."""
        last, changed = self._catalog.register.changed_verdicts(self._catalog.segments.last_seen_verdict())
        with self._catalog.commit():
            self._queue.dirty.add(ordinal for pair in changed for ordinal in pair)
        return last

    def _made_by(self) -> str:
        return digest(self._made_with, self._version())

    def _several(self) -> list[int]:
        """The numbers of the sources of which a cluster may hold several records."""
        several = {source.id for source in self._config.sources if source.config.duplicates}
        return [number for number, name in self._catalog.segments.sources().items() if name in several]

    # -- keys --------------------------------------------------------------------------------------------------------

    def _must_count(self) -> bool:
        """Whether there are no statistics for these settings, or they were counted on far fewer records."""
        stored = self._catalog.linkage.statistics()
        if stored is None or stored[1] != blocking_digest(self._config):
            return True
        return self._catalog.records.count() > _GROWTH * max(from_bytes(stored[2]).records, 1)

    def _keys(self, place: Place, restat: bool) -> tuple[Statistics, list[SegmentRuns]]:
        """The statistics, counted and stored where they must be, and the keys of all segments."""
        from bibld.dedup._keys.indexing import index_base, index_segment
        from bibld.dedup._keys.key_runs import open_runs

        if restat:
            version = self._version() + 1
            for number in place.numbers:
                shutil.rmtree(self._index.path(number) / f"keys-{version}", ignore_errors=True)
            folders = [self._folder(number, version) for number in place.numbers]
            made, runs = index_base(place.segments.segments, folders, self._config)
            with self._catalog.commit():
                self._catalog.linkage.put_statistics(version, blocking_digest(self._config), to_bytes(made))
            return made, runs
        stored = self._catalog.linkage.statistics()
        assert stored is not None  # else they would be counted now
        statistics = from_bytes(stored[2])
        found = []
        for number, segment in zip(place.numbers, place.segments.segments, strict=True):
            folder = self._folder(number, stored[0])
            opened = open_runs(folder, len(segment), self._config)
            found.append(opened or index_segment(segment, folder, self._config, statistics))
        return statistics, found

    def _folder(self, number: int, version: int) -> Path:
        folder = self._index.path(number) / f"keys-{version}"
        folder.mkdir(exist_ok=True)
        return folder

    def _version(self) -> int:
        stored = self._catalog.linkage.statistics()
        return stored[0] if stored else 0

    def _decide(
        self, decider: Decider, place: Place, runs: Sequence[SegmentRuns], statistics: Statistics, first: int
    ) -> tuple[DecidedPairs, int]:
        """The candidate pairs that are not simply different, and how many candidates there were."""
        from bibld.dedup._pairs.join import join

        count = 0

        def counted(chunks: Iterable[tuple[Ends, Ends]]) -> Iterator[tuple[Ends, Ends]]:
            nonlocal count
            for left, right in chunks:
                count += len(left)
                yield left, right

        with join(runs, self._config, statistics, alive=place.alive(), new_from=first) as found:
            decided = decider.edges(counted(found))
            for message in found.messages():
                self._progress.report(message)
        self._progress.report(f"dedup: {count} candidate pairs of {int(place.alive().sum())} records")
        return decided, count


def blocking_digest(config: Config) -> str:
    """A hash of the blockers and their settings."""
    return digest([[name, digest(config.settings("dedup.block", name))] for name in config.dedup.block])
