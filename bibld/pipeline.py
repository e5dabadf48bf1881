"""Run all stages in their order: :data:`STAGES`.

A run is a difference: every stage has a queue of the items whose inputs changed, processes them, and marks the items
whose results changed as dirty for the stages that it feeds. If the settings or the version of a stage changed, all its
items are queued. A run that was stopped, in whatever way, is continued by the next.
"""

from __future__ import annotations

import gc
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path
from time import perf_counter
from typing import Any

import msgspec

from bibld import dedup, harvest, ingest, link, publish, store, triplify
from bibld.catalog import Catalog, LoadCounts, Queue, StageQueue
from bibld.catalog.engines import check_newest_is_local, missing_results
from bibld.config import Config, Remote
from bibld.dedup.method import settings_digest as matching_digest
from bibld.dedup.warm_up import KernelWarmUp
from bibld.errors import ConfigError, StageError, StoreError
from bibld.ingest import LoadResult, Withheld
from bibld.ingest.notes import Doubt, RunNotes
from bibld.merge import merge as merge_clusters
from bibld.merge import requeue_all as requeue_merges
from bibld.merge import settings_digest as merge_settings_digest
from bibld.model.iris import Iris
from bibld.model.release import Figures, Manifest, SourceFigures
from bibld.parallel import worker_count
from bibld.progress import Progress

EXAMPLES = 3
"""Resources that the description of the dataset names as examples."""

_OBJECTS_BETWEEN_SEARCHES = 100_000
"""New objects between two searches for reference cycles during a run."""


class StageTime(msgspec.Struct, frozen=True):
    """How many seconds a stage took, and how many items it processed (records, clusters, quads …)."""

    stage: str
    seconds: float
    done: int
    was_current: bool


class Summary(msgspec.Struct, frozen=True):
    """What a run did.

    ``for_review`` counts the pairs that wait for a person; ``deliveries`` are what remote stores were given.
    ``doubts`` are sources that keep their old state, ``withheld`` deletions that were not done. ``harvests`` are the
    sources that were fetched from servers. ``seconds`` is how long the run took. ``report`` is the page about the run,
    empty if none was written.
    """

    sources: tuple[LoadResult, ...]
    figures: Figures
    stages: tuple[StageTime, ...]
    release: str
    release_is_new: bool
    for_review: int = 0
    deliveries: tuple[store.Delivered, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    withheld: tuple[Withheld, ...] = ()
    seconds: float = 0.0
    report: str = ""
    harvests: tuple[harvest.HarvestResult, ...] = ()


class RunOptions(msgspec.Struct, frozen=True):
    """What one run does differently from others.

    ``until`` is its last stage. ``restat``: count the statistics of blocking again; ``rebuild``: repeat every stage
    after reading, as if nothing but the records were stored; ``allow_deletes``: delete as many records as are missing.
    """

    until: str = "publish"
    restat: bool = False
    rebuild: bool = False
    allow_deletes: bool = False


class Pipeline(RunNotes):
    """One run over one workspace; ``run_time`` is the only time that any output contains."""

    def __init__(
        self,
        catalog: Catalog,
        config: Config,
        run_time: datetime,
        progress: Progress,
        options: RunOptions | None = None,
    ) -> None:
        super().__init__(config, progress)
        self.catalog = catalog
        self.run_time = run_time
        self.options = options or RunOptions()
        self.number = 0
        self.releases = publish.Releases(config.workspace)
        self.iris = Iris(config.dataset.base)

    def run(self) -> Summary:
        """Run the stages up to and including the last one of the options; raises ``StageError``."""
        until = self.options.until
        started = perf_counter()
        with self.catalog.commit():
            self.number = self.catalog.runs.begin(self.run_time.isoformat())
        compiling = KernelWarmUp(self.config, self.progress)
        modules = compiling.begin() if until != "read" else 0
        times: list[StageTime] = []
        for stage in STAGES:
            begin = perf_counter()
            done = stage.run(self, stage_queue(self.catalog, stage.name))
            times.append(StageTime(stage.name, perf_counter() - begin, done or 0, was_current=done is None))
            if stage.name == "read" and modules:
                times.append(self._wait_for(compiling, modules))
            if stage.name == until or self._has_nothing():
                break
        with self.catalog.commit():
            self.catalog.runs.end(self.number, self.run_time.isoformat())
            self.catalog.records.end_run()
        place = self.releases.current()
        figures = self.figures
        if place is not None:
            figures = msgspec.structs.replace(figures, quads=self.releases.manifest(place).figures.quads)
        new = any(time.stage == "publish" and not time.was_current for time in times)
        waiting = self.catalog.linkage.count_for_review()
        deliveries = self._deliver_all() if until == "publish" else ()
        return Summary(
            sources=tuple(self.loads),
            figures=figures,
            stages=tuple(times),
            release=str(place or ""),
            release_is_new=new,
            for_review=waiting,
            deliveries=deliveries,
            doubts=tuple(self.doubts),
            withheld=tuple(self.withheld),
            seconds=perf_counter() - started,
            harvests=tuple(self.harvests),
        )

    def _wait_for(self, compiling: KernelWarmUp, modules: int) -> StageTime:
        """Wait for the compilation that began before reading; its seconds are those of waiting."""
        begin = perf_counter()
        self.progress.stage("compile", "modules", modules)
        compiling.wait()
        self.progress.advance(modules)
        return StageTime("compile", perf_counter() - begin, modules, was_current=False)

    def _has_nothing(self) -> bool:
        """Return whether all sources are in doubt and nothing was ever read, so that there is nothing to publish."""
        return bool(self.doubts) and not self.loads and not self.catalog.records.load_counts()

    def _deliver_all(self) -> tuple[store.Delivered, ...]:
        """Bring the remote stores of the configuration up to date; one that fails does not stop the others."""
        store.forget_others(self.catalog, self.config)
        results = []
        for remote in self.config.remote_stores:
            if remote.config.on_run:
                try:
                    results.append(self.deliver(remote))
                except (StoreError, ConfigError) as error:
                    results.append(store.Delivered(remote.config.name, remote.config.url, fault=str(error)))
        return tuple(results)

    def deliver(self, remote: Remote, replace: bool = False) -> store.Delivered:
        """Bring a remote store to the quads of the last run; raises ``StoreError``, ``ConfigError``."""
        contents = store.RemoteContents(
            blocks=lambda: triplify.catalog_blocks(self.catalog, self.iris, self.source_figures),
            release=store.release_statements(self.config),
        )
        return store.deliver(self.catalog, self.config, remote, contents, self.progress, replace)

    def requeue_if_outdated(
        self, stage: str, made_by: str, queue: StageQueue, requeue_all: Callable[[Catalog, StageQueue], None]
    ) -> None:
        """Requeue all items of a stage if its settings or its version changed, or if a rebuild is wanted."""
        if self.options.rebuild or self.catalog.runs.made_by(stage) != made_by:
            with self.catalog.commit():
                if self.options.rebuild:
                    self.catalog.invalidate_results(stage)
                requeue_all(self.catalog, queue)
                self.catalog.runs.complete(stage, made_by, self.number)

    @cached_property
    def source_figures(self) -> tuple[SourceFigures, ...]:
        """The figures of each source; counted once, after reading, because all records have to be visited."""
        counted = count_sources(self.catalog, self.config)
        kept = {withheld.source for withheld in self.withheld} - {source.id for source in self.config.sources}
        place = self.releases.current()
        if not kept or place is None:
            return counted
        return with_former_sources(counted, kept, self.releases.manifest(place).figures.sources)

    @cached_property
    def figures(self) -> Figures:
        """The figures of the dataset; counted once, when clusters and entities are final."""
        clusters, merged = self.catalog.linkage.count_clusters()
        records = self.catalog.records.count()
        entities = self.catalog.entities.count()
        is_live, is_suppressed = self.catalog.records.is_live, self.catalog.suppressions.is_suppressed
        redirected = self.catalog.register.redirected_records()
        deleted = sum(not is_live(ordinal) and not is_suppressed(ordinal) for ordinal in redirected)
        return Figures(self.source_figures, records, clusters, merged, records - clusters, 0, entities, deleted)


def count_sources(catalog: Catalog, config: Config) -> tuple[SourceFigures, ...]:
    """Return the figures of each configured source; visits all records."""
    return describe_sources(config, catalog.records.load_counts(), catalog.records.count_by_source())


def with_former_sources(
    counted: Sequence[SourceFigures], kept: Collection[str], before: Sequence[SourceFigures]
) -> tuple[SourceFigures, ...]:
    """Add the sources that are no longer configured and still published, as the last release describes them."""
    order = {figures.source: number for number, figures in enumerate(before)}
    together = (*counted, *(figures for figures in before if figures.source in kept))
    return tuple(sorted(together, key=lambda figures: order.get(figures.source, len(order))))


def describe_sources(config: Config, loads: Iterable[LoadCounts], live: Mapping[str, int]) -> tuple[SourceFigures, ...]:
    """Return the figures of each configured source that was loaded; ``live`` are the numbers of live records."""
    counts = {load.source: load for load in loads}
    return tuple(
        SourceFigures(
            source=source.id,
            label=source.config.label or {"en": source.id},
            license=source.config.license or config.dataset.license,
            read=load.read,
            converted=load.converted,
            superseded=load.superseded,
            rejected=load.rejected,
            deleted=load.deleted,
            records=live.get(source.id, 0),
            isil=source.config.isil,
        )
        for source in config.sources
        if (load := counts.get(source.id))
    )


# -- the stages: each returns the number of items that it processed, None if nothing was dirty -----------------------


def _read(run: Pipeline, queue: StageQueue) -> int | None:
    suppressed = ingest.read_suppressions(run.config)
    ingest.clear_withheld(run.catalog.workspace)
    results = run.fetch_sources()
    counts = {one.source: one for one in run.catalog.records.load_counts()}
    known = {} if run.options.rebuild else {name: run.catalog.runs.last_reading(name) for name in counts}
    inspections = ingest.inspect_sources(run.config, run.progress, results, known=known)
    done = None
    live = run.catalog.records.count_by_source()
    run.progress.stage("read", "records", sum(one.records for one in inspections if not one.doubts))
    with ingest.ConversionPool(run.config.workers) as pool:
        for inspection in inspections:
            if not run.check_inspection(inspection):
                continue
            name = inspection.source.id
            if inspection.is_unchanged:
                changes = msgspec.structs.asdict(run.catalog.records.changes(name))  # by runs that were stopped
                run.loads.append(LoadResult(**msgspec.structs.asdict(counts[name]), **changes))
                run.progress.report(f"read: {name}: the files are those of the last reading")
                continue
            with run.catalog.commit():
                run.catalog.runs.note_reading(name, "", run.number)
            intake = ingest.Intake(run.catalog, run.config, inspection, run.number, pool, run.progress)
            load = intake.load(live.get(name, 0), run.options.allow_deletes)
            if intake.is_clean:
                with run.catalog.commit():
                    run.catalog.runs.note_reading(name, inspection.fingerprint, run.number)
            done = load.read + (done or 0)
            run.note_load(load)
    configured = {source.id for source in run.config.sources}
    for name in counts:
        if name not in configured:
            _remove_source(run, name, live.get(name, 0))
    ingest.apply_suppressions(run.catalog, run.config, suppressed, run.progress)
    return done


def _remove_source(run: Pipeline, source: str, live: int) -> None:
    """Delete the records of a source that is no longer configured, if that is allowed or there are none."""
    if live and not run.options.allow_deletes:
        unseen = map(run.catalog.register.record, run.catalog.records.unseen(source, run.number))
        reason = ingest.removed_source_reason(live)
        run.note_withheld(ingest.withhold(run.config.workspace, source, unseen, reason))
        return
    with run.catalog.commit():
        deleted = run.catalog.records.delete_source(source, run.number)
    run.progress.report(ingest.removed_source_report(source, deleted))


def _dedup(run: Pipeline, queue: StageQueue) -> int | None:
    made_by = matching_digest(run.config)
    rematch_all = run.options.rebuild or run.catalog.runs.made_by("dedup") != made_by
    if not rematch_all and not run.options.restat and not dedup.is_pending(run.catalog, queue):
        return None
    time = run.run_time.isoformat()
    from bibld.dedup.stage import dedup as match  # loads compiler and database

    found = match(run.catalog, run.config, run.progress, time, queue, run.options.restat, rematch_all)
    with run.catalog.commit():
        run.catalog.runs.complete("dedup", made_by, run.number)
    return found.records


def _merge(run: Pipeline, queue: StageQueue) -> int | None:
    run.requeue_if_outdated("merge", merge_settings_digest(run.config), queue, requeue_merges)
    if queue.dirty.is_empty():
        return None
    return merge_clusters(run.catalog, run.config, queue, run.progress)


def _triplify(run: Pipeline, queue: StageQueue) -> int | None:
    settings = run.config.triplify
    made_by = triplify.settings_digest(run.config.dataset.base, settings)
    run.requeue_if_outdated("triplify", made_by, queue, triplify.requeue_all)
    done = None
    if triplify.is_pending(run.catalog, queue):
        done = triplify.triplify(run.catalog, run.iris, settings, queue, run.progress, run.config.workers)
    link.update_links(run.catalog, run.config, run.progress)
    return done


def _store(run: Pipeline, queue: StageQueue) -> int | None:
    if store.is_current(run.catalog, run.config):
        return None
    blocks = triplify.catalog_blocks(run.catalog, run.iris, run.source_figures)
    return store.store(run.catalog, blocks, run.config, run.progress)


def _publish(run: Pipeline, queue: StageQueue) -> int | None:
    run.releases.sweep()
    made_by = publish.settings_digest(run.config, run.source_figures)
    if publish.is_current(run.catalog, run.releases, made_by, run.config):
        return None
    # One core is for the parts that are written meanwhile.
    counting = max(worker_count(run.config.workers) - 1, 1)
    contents = publish.Contents(
        made_by=made_by,
        figures=run.figures,
        blocks=partial(triplify.catalog_blocks, iris=run.iris, sources=run.source_figures),
        counts=partial(triplify.count_quads, iris=run.iris, sources=run.source_figures, workers=counting),
        source_statements=triplify.dataset_statements(run.source_figures, run.iris),
        examples=[run.iris.resource(founder) for founder in run.catalog.sample_founders(EXAMPLES)],
        withdrawn=triplify.withdrawal_statements(run.catalog, run.iris),
    )
    with closing(store.open_live(run.config)) as live:
        manifest = publish.publish(run.catalog, live, contents, run.config, run.run_time, run.progress)
    return len(manifest.files)


class Stage(msgspec.Struct, frozen=True):
    """A stage: its name, its function, the queue of its dirty items, and the stages that its results feed.

    ``read`` finds by itself what changed (hashes of bytes); ``store`` and ``publish`` follow numbered patches.
    """

    name: str
    run: Callable[[Pipeline, StageQueue], int | None]
    takes: Queue | None = None
    feeds: tuple[str, ...] = ()


STAGES = (
    Stage("read", _read, feeds=("dedup",)),
    Stage("dedup", _dedup, takes=Queue.UNMATCHED_RECORDS, feeds=("merge",)),
    Stage("merge", _merge, takes=Queue.UNMERGED_CLUSTERS, feeds=("triplify",)),
    Stage("triplify", _triplify, takes=Queue.UNDESCRIBED_CLUSTERS, feeds=("store",)),
    Stage("store", _store, feeds=("publish",)),
    Stage("publish", _publish),
)
"""The stages of a run in their order; ``read`` is harvest, read and crosswalk, record by record (``bibld.ingest``)."""


def stage_queue(catalog: Catalog, name: str) -> StageQueue:
    """Return the queue of a stage; what the stage marks dirty is added to the queues of the stages that it feeds."""
    takes = {stage.name: stage.takes for stage in STAGES}
    feeds = next(stage.feeds for stage in STAGES if stage.name == name)
    successors = [catalog.dirty[queue] for fed in feeds if (queue := takes[fed]) is not None]
    own = takes[name]
    return StageQueue(catalog.dirty[own] if own else None, successors)


def run(config: Config, run_time: datetime, progress: Progress, **options: Any) -> Summary:  # noqa: ANN401
    """Run the stages over the configured sources; ``options`` are the fields of :class:`RunOptions`.

    Continues a run that was interrupted. Raises ``StageError`` when a stage cannot continue, ``CatalogError`` when
    another run uses the workspace, or if Spark has newer results of it.
    """
    check_newest_is_local(config.workspace, config.file)
    with _rare_cycle_search(), Catalog(config.workspace, config_file=config.file) as catalog:
        return Pipeline(catalog, config, run_time, progress, RunOptions(**options)).run()


@contextmanager
def _rare_cycle_search() -> Iterator[None]:
    """Search for reference cycles less often: records and quads contain none, and there are very many of them."""
    before = gc.get_threshold()
    gc.set_threshold(_OBJECTS_BETWEEN_SEARCHES, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def deliver(config: Config, remote: Remote, run_time: datetime, progress: Progress, replace: bool) -> store.Delivered:
    """Bring one remote store to the quads of the last run.

    ``replace``: delete the quads of the dataset that it has, and load all again. Raises ``StageError`` if the last run
    was not completed, ``StoreError`` and ``ConfigError``.
    """
    current_release(config)
    with Catalog(config.workspace, config_file=config.file) as catalog:
        if not store.is_current(catalog, config):
            raise StageError(
                f"{config.workspace}: the last run was interrupted;"
                f" run `bibld run {shlex.quote(str(config.file))}` first"
            )
        return Pipeline(catalog, config, run_time, progress).deliver(remote, replace)


def forget_store(config: Config, remote: Remote) -> bool:
    """Forget what a remote store was given, so that no patches are kept for it; returns whether anything was known.

    The store itself is not changed.
    """
    with Catalog(config.workspace, config_file=config.file) as catalog:
        consumer = store.consumer_of(remote.config.name)
        is_known = catalog.remote_stores.state(consumer) is not None
        with catalog.commit():
            catalog.remote_stores.forget(consumer)
        return is_known


def current_release(config: Config) -> tuple[Path, Manifest]:
    """Return the folder and the manifest of the release to be served; raises ``StageError`` if there is none."""
    releases = publish.Releases(config.workspace)
    place = releases.current()
    if place is None:
        raise missing_results(config.workspace, config.file, "published")
    return place, releases.manifest(place)
