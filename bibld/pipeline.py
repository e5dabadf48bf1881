"""All stages in their order.

harvest → read → crosswalk (``bibld.ingest``) → dedup → merge → triplify → store → publish

A run is a difference: every stage has a queue of what changed in its inputs, works it off, and hands on what changed in
its results. Where the settings or the version of a stage changed, everything is in its queue. A run that was stopped,
by whatever, goes on where it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import cached_property
from pathlib import Path
from time import perf_counter

import msgspec

from bibld import dedup, ingest, publish, store, triplify
from bibld.catalog import Catalog, LoadCounts
from bibld.config import Config
from bibld.errors import StageError
from bibld.merge import is_pending as is_merge_pending
from bibld.merge import merge as merge_clusters
from bibld.merge import requeue_all as requeue_merges
from bibld.merge import settings_digest as merge_settings_digest
from bibld.model.iris import Iris
from bibld.model.release import Figures, Manifest, SourceFigures
from bibld.progress import Progress
from bibld.protocols import Store

STAGES = ("read", "dedup", "merge", "triplify", "store", "publish")
"""The stages that a run goes through; harvest, read and crosswalk pass each record on one by one."""

_EXAMPLES = 3


class StageTime(msgspec.Struct, frozen=True):
    """How long a stage took; ``done`` of what it counts (records, clusters, quads)."""

    stage: str
    seconds: float
    done: int
    was_current: bool


class Summary(msgspec.Struct, frozen=True):
    """What a run did."""

    sources: tuple[LoadCounts, ...]
    figures: Figures
    stages: tuple[StageTime, ...]
    release: str
    release_is_new: bool


class Pipeline:
    """One run over one workspace; ``clock`` is the only time that any output knows."""

    def __init__(
        self,
        catalog: Catalog,
        config: Config,
        clock: datetime,
        progress: Progress,
        restat: bool = False,
        rebuild: bool = False,
    ) -> None:
        self._catalog = catalog
        self._config = config
        self._clock = clock
        self._progress = progress
        self._restat = restat
        self._rebuild = rebuild
        self._times: list[StageTime] = []
        self._number = 0

    def run(self, until: str = "publish") -> Summary:
        """Go through the stages up to and including ``until``; raises ``StageError``."""
        with self._catalog.commit():
            self._number = self._catalog.runs.begin(self._clock.isoformat())
        compiling = dedup.KernelWarmUp(self._progress)
        if until != "read":
            compiling.begin()
        loads = self._read()
        compiling.wait()
        steps = {
            "dedup": self._dedup,
            "merge": self._merge,
            "triplify": self._triplify,
            "store": self._store,
            "publish": self._publish,
        }
        for stage in STAGES[1 : STAGES.index(until) + 1]:
            begin = perf_counter()
            done = steps[stage]()
            self._times.append(StageTime(stage, perf_counter() - begin, done or 0, was_current=done is None))
        with self._catalog.commit():
            self._catalog.runs.end(self._number, self._clock.isoformat())
        return self._summary(loads)

    # -- the stages --------------------------------------------------------------------------------------------------

    def _read(self) -> list[LoadCounts]:
        begin = perf_counter()
        self._progress.stage("read", "records")
        suppressed = ingest.read_suppressions(self._config)
        with ingest.ConversionPool(self._config.workers) as conversions:
            loads = [
                ingest.Intake(self._catalog, self._config, source, self._number, conversions, self._progress).take()
                for source in self._config.sources
            ]
        self._retire_sources()
        ingest.apply_suppressions(self._catalog, self._config, suppressed, self._progress)
        done = sum(load.read for load in loads)
        self._times.append(StageTime("read", perf_counter() - begin, done, was_current=False))
        return loads

    def _retire_sources(self) -> None:
        """Sources that are no longer configured leave, and come back as themselves when they are configured again."""
        configured = {source.id for source in self._config.sources}
        for load in self._catalog.records.load_counts():
            if load.source not in configured:
                with self._catalog.commit():
                    gone = self._catalog.records.delete_source(load.source, self._number)
                self._progress.report(f"read: source {load.source} is no longer configured: {gone} records deleted")

    def _dedup(self) -> int | None:
        made_by = dedup.settings_digest(self._config)
        everything = self._rebuild or self._catalog.runs.made_by("dedup") != made_by
        if not everything and not self._restat and not dedup.is_pending(self._catalog):
            return None
        happened = self._clock.isoformat()
        found = dedup.dedup(self._catalog, self._config, self._progress, happened, self._restat, everything)
        self._complete("dedup", made_by)
        return found.records

    def _merge(self) -> int | None:
        self._renew("merge", merge_settings_digest(self._config), requeue_merges)
        if not is_merge_pending(self._catalog):
            return None
        return merge_clusters(self._catalog, self._config, self._progress)

    def _triplify(self) -> int | None:
        base, settings = self._config.dataset.base, self._config.triplify
        self._renew("triplify", triplify.settings_digest(base, settings), triplify.requeue_all)
        if not triplify.is_pending(self._catalog):
            return None
        return triplify.triplify(self._catalog, self._iris, settings, self._progress)

    def _renew(self, stage: str, made_by: str, redo: Callable[[Catalog], None]) -> None:
        """Have a stage do everything anew where its settings or its version changed, or a rebuild is wanted."""
        if self._rebuild or self._catalog.runs.made_by(stage) != made_by:
            with self._catalog.commit():
                if self._rebuild:
                    self._catalog.invalidate_results()
                redo(self._catalog)
                self._catalog.runs.complete(stage, made_by, self._number)

    def _complete(self, stage: str, made_by: str) -> None:
        with self._catalog.commit():
            self._catalog.runs.complete(stage, made_by, self._number)

    def _store(self) -> int | None:
        if store.is_current(self._catalog, self._config):
            return None
        return store.store(self._catalog, self._quads(), self._config, self._progress)

    def _publish(self) -> int | None:
        self._releases.sweep()
        made_by = publish.settings_digest(self._config, self._source_figures)
        if publish.is_current(self._catalog, self._releases, made_by):
            return None
        contents = publish.Contents(
            made_by=made_by,
            figures=self._figures,
            quads=self._quads,
            source_statements=self._parts(),
            examples=[self._iris.resource(founder) for founder in self._catalog.sample_founders(_EXAMPLES)],
        )
        with self._live_store() as live:
            manifest = publish.publish(self._catalog, live, contents, self._config, self._clock, self._progress)
        return len(manifest.files)

    # -- what they share ---------------------------------------------------------------------------------------------

    @property
    def _iris(self) -> Iris:
        return Iris(self._config.dataset.base)

    @property
    def _releases(self) -> publish.Releases:
        return publish.Releases(self._config.workspace)

    def _quads(self) -> Iterator[str]:
        return triplify.catalog_quads(self._catalog, self._iris, self._source_figures)

    @contextmanager
    def _live_store(self) -> Iterator[Store]:
        live = store.open_live(self._config)
        try:
            yield live
        finally:
            live.close()

    def _parts(self) -> tuple[str, ...]:
        """The lines that describe the sources."""
        return triplify.dataset_statements(self._source_figures, self._iris)

    @cached_property
    def _source_figures(self) -> tuple[SourceFigures, ...]:
        """Counted once in a run, when everything is read: it goes through all records."""
        counts = {load.source: load for load in self._catalog.records.load_counts()}
        living = self._catalog.records.count_by_source()
        return tuple(
            SourceFigures(
                source=source.id,
                label=source.config.label or {"en": source.id},
                license=source.config.license or self._config.dataset.license,
                read=load.read,
                converted=load.converted,
                superseded=load.superseded,
                rejected=load.rejected,
                deleted=load.deleted,
                records=living.get(source.id, 0),
                isil=source.config.isil,
            )
            for source in self._config.sources
            if (load := counts.get(source.id))
        )

    @cached_property
    def _figures(self) -> Figures:
        """Counted once in a run, when the clusters and entities are what they will be."""
        clusters, merged = self._catalog.linkage.count_clusters()
        records = self._catalog.records.count()
        entities = self._catalog.entities.count()
        return Figures(self._source_figures, records, clusters, merged, records - clusters, 0, entities)

    def _summary(self, loads: list[LoadCounts]) -> Summary:
        place = self._releases.current()
        figures = self._figures
        if place is not None:
            figures = msgspec.structs.replace(figures, quads=self._releases.manifest(place).figures.quads)
        new = any(time.stage == "publish" and not time.was_current for time in self._times)
        return Summary(tuple(loads), figures, tuple(self._times), str(place or ""), new)


def run(
    config: Config,
    clock: datetime,
    progress: Progress,
    until: str = "publish",
    restat: bool = False,
    rebuild: bool = False,
) -> Summary:
    """Run the stages up to ``until`` over the configured sources.

    ``restat``: count the statistics of blocking anew; ``rebuild``: match, merge and say everything anew, as if nothing
    but the records were stored.

    Resumes what was interrupted; raises ``StageError`` when a stage cannot go on, ``CatalogError`` when another run
    holds the workspace.
    """
    with Catalog(config.workspace, progress=progress) as catalog:
        return Pipeline(catalog, config, clock, progress, restat, rebuild).run(until)


def current_release(config: Config) -> tuple[Path, Manifest]:
    """The release to be served; raises ``StageError`` where nothing has been published yet."""
    releases = publish.Releases(config.workspace)
    place = releases.current()
    if place is None:
        raise StageError(
            f"{config.workspace}: nothing has been published yet; run `bibld run {config.file.name}` first"
        )
    return place, releases.manifest(place)
