"""The stages of a run, each once and in order (:data:`STAGES`), and how they run on one machine.

An engine (:class:`LocalRun` here, ``bibld.spark`` on a cluster) states with which function it runs each stage;
:func:`run_stages` is the same for both. What a stage does to its rows is in the package of the stage.

A run is a difference: every stage has a queue of the items whose inputs changed, processes them, and marks the items
whose results changed as dirty for the stages that it feeds. If the settings or the version of a stage changed, all its
items are queued. A run that was stopped, in whatever way, is continued by the next.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path
from time import perf_counter
from typing import Any, Protocol

import msgspec

from bibld import dedup, harvest, ingest, link, publish, store, triplify
from bibld.catalog import Catalog, Queue, StageQueue, digest
from bibld.catalog.engines import check_newest_is_local, missing_results
from bibld.config import Config, Remote
from bibld.dedup.method import blocking_digest
from bibld.dedup.method import settings_digest as matching_digest
from bibld.dedup.warm_up import KernelWarmUp
from bibld.errors import ConfigError, StageError, StoreError
from bibld.ingest import Doubt, LoadResult, SourceLog, Withheld
from bibld.merge import merge as merge_clusters
from bibld.merge import requeue_all as requeue_merges
from bibld.merge import settings_digest as merge_settings_digest
from bibld.model.brief import brief
from bibld.model.iris import Iris
from bibld.model.release import Figures, Manifest, SourceFigures
from bibld.parallel import rare_cycle_search, worker_count
from bibld.progress import Progress
from bibld.protocols import Store

EXAMPLES = 3
"""Resources that the description of the dataset names as examples."""


class StageTime(msgspec.Struct, frozen=True):
    """How many seconds a stage took, and how many items it processed (records, clusters, quads …)."""

    stage: str
    seconds: float
    done: int
    was_current: bool


class Summary(msgspec.Struct, frozen=True):
    """What a run did.

    ``for_review`` counts the pairs that wait for a person; ``deliveries`` are what remote stores were given. ``doubts``
    are sources that keep their old state, ``withheld`` deletions that were not done, ``not_taken_down`` suppressions of
    nothing. ``harvests`` are the sources that were fetched from servers, ``report`` is the page about the run if any.
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
    warnings: tuple[str, ...] = ()
    not_taken_down: tuple[str, ...] = ()

    __repr__ = brief


class RunOptions(msgspec.Struct, frozen=True):
    """What one run does differently from others.

    ``until`` is its last stage. ``restat``: count the statistics of blocking again; ``rebuild``: repeat every stage
    after reading, as if nothing but the records were stored; ``allow_deletes``: delete as many records as are missing.
    """

    until: str = "publish"
    restat: bool = False
    rebuild: bool = False
    allow_deletes: bool = False


class Stage(msgspec.Struct, frozen=True):
    """A stage of a run: its name, what it takes and gives, and the stages that its results feed.

    ``packages`` are those that it consists of, its own if none is named. ``queue`` holds the items whose inputs
    changed, on one machine; stages without one find by themselves what changed: ``read`` by hashes of bytes, ``link``
    by the entities that are described again, ``store`` and ``publish`` by numbered patches.
    """

    name: str
    takes: str
    gives: str
    feeds: tuple[str, ...] = ()
    queue: Queue | None = None
    packages: tuple[str, ...] = ()


STAGES = (
    Stage(
        "read",
        "configured sources",
        "records with their MODS",
        feeds=("dedup",),
        packages=("harvest", "read", "crosswalk"),
    ),
    Stage("dedup", "records", "edges and clusters", feeds=("merge",), queue=Queue.UNMATCHED_RECORDS),
    Stage("merge", "clusters of records", "merged records", feeds=("triplify",), queue=Queue.UNMERGED_CLUSTERS),
    Stage("triplify", "merged records", "quads", feeds=("link", "store"), queue=Queue.UNDESCRIBED_CLUSTERS),
    Stage("link", "entities", "links to authority files", feeds=("store",)),
    Stage("store", "changed quads", "a triple store", feeds=("publish",)),
    Stage("publish", "quads", "a release"),
)
"""The stages of a run in their order. ``read`` is harvest, read and crosswalk, record by record (``bibld.ingest``)."""


class Run(Protocol):
    """One run on an engine, as :func:`run_stages` needs it."""

    options: RunOptions
    log: SourceLog
    steps: Mapping[str, Callable[[], int | None]]
    """The function of each stage that this run has; it returns the number of items that it processed.

    A workspace without authority files does not link. None: nothing changed, so that the results are current.
    """

    def end_reading(self) -> StageTime | None:
        """Do what has to be done between reading and matching; return its time if it is to be reported."""

    def has_records(self) -> bool:
        """Return whether records are stored, by this run or an earlier one."""

    def complete(self, times: Sequence[StageTime]) -> Summary:
        """Commit the run, and return what the stages have made; what it notes about sources is added."""


def run_stages(run: Run) -> Summary:
    """Run the stages of an engine up to and including the last one of the options; raises ``StageError``.

    If all sources are in doubt and nothing was ever read, the run ends after reading: there is nothing to publish.
    """
    started = perf_counter()
    times: list[StageTime] = []
    for stage in STAGES:
        if stage.name in run.steps:
            begin = perf_counter()
            done = run.steps[stage.name]()
            times.append(StageTime(stage.name, perf_counter() - begin, done or 0, was_current=done is None))
        if stage.name == "read" and (time := run.end_reading()) is not None:
            times.append(time)
        if stage.name == run.options.until or (run.log.doubts and not run.log.loads and not run.has_records()):
            break
    return msgspec.structs.replace(
        run.complete(times),
        sources=tuple(run.log.loads),
        doubts=tuple(run.log.doubts),
        withheld=tuple(run.log.withheld),
        seconds=perf_counter() - started,
        harvests=tuple(run.log.harvests),
        not_taken_down=tuple(run.log.not_taken_down),
    )


class LocalRun:
    """One run on one machine, over one workspace; ``run_time`` is the only time that any output contains."""

    def __init__(
        self,
        catalog: Catalog,
        config: Config,
        run_time: datetime,
        progress: Progress,
        options: RunOptions | None = None,
    ) -> None:
        self.catalog = catalog
        self.config = config
        self.run_time = run_time
        self.progress = progress
        self.options = options or RunOptions()
        self.log = SourceLog(config, progress)
        self.steps: Mapping[str, Callable[[], int | None]] = {
            name: partial(self._step, name, step)
            for name, step in _STEPS.items()
            if name != "link" or catalog.links.files() or catalog.links.descriptions()
        }
        self.number = 0
        self.releases = publish.Releases(config.workspace)
        self.iris = Iris(config.dataset.base)
        self._kernels = KernelWarmUp(config, progress)
        self._kernel_modules = 0

    def run(self) -> Summary:
        """Run the stages up to and including the last one of the options; raises ``StageError``."""
        with self.catalog.commit():
            self.number = self.catalog.runs.begin(self.run_time.isoformat())
        self._kernel_modules = self._kernels.begin() if self.options.until != "read" else 0
        return run_stages(self)

    def _step(self, name: str, step: Callable[[LocalRun, StageQueue], int | None]) -> int | None:
        return step(self, stage_queue(self.catalog, name))

    def end_reading(self) -> StageTime | None:
        """Wait for the compilation that began before reading; its seconds are those of waiting."""
        if not self._kernel_modules:
            return None
        begin = perf_counter()
        self.progress.stage("compile", "modules", self._kernel_modules)
        self._kernels.wait()
        self.progress.advance(self._kernel_modules)
        return StageTime("compile", perf_counter() - begin, self._kernel_modules, was_current=False)

    def has_records(self) -> bool:
        """Return whether any source was ever loaded."""
        return bool(self.catalog.records.load_counts())

    def complete(self, times: Sequence[StageTime]) -> Summary:
        """End the run in the catalog, and bring the remote stores up to date if everything was run."""
        with self.catalog.commit():
            self.catalog.runs.end(self.number, self.run_time.isoformat())
            self.catalog.records.former.forget()
        folder, figures = self.releases.current(), self.figures
        if folder is not None:
            figures = msgspec.structs.replace(figures, quads=self.releases.manifest(folder).figures.quads)
        return Summary(
            sources=(),
            figures=figures,
            stages=tuple(times),
            release=str(folder or ""),
            release_is_new=any(time.stage == "publish" and not time.was_current for time in times),
            for_review=self.catalog.linkage.count_for_review(),
            deliveries=self._deliver_all() if self.options.until == "publish" else (),
        )

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
        kept = {withheld.source for withheld in self.log.withheld} - {source.id for source in self.config.sources}
        folder = self.releases.current()
        if not kept or folder is None:
            return counted
        return ingest.with_former_sources(counted, kept, self.releases.manifest(folder).figures.sources)

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
    return ingest.describe_sources(config, catalog.records.load_counts(), catalog.records.count_by_source())


# -- the stages: each returns the number of items that it processed, None if nothing was dirty -----------------------


def _read(run: LocalRun, queue: StageQueue) -> int | None:
    suppressed = ingest.read_suppressions(run.config)
    ingest.clear_withheld(run.catalog.workspace)
    run.log.harvests = ingest.fetch_sources(run.config, run.progress)
    results = {result.source: result for result in run.log.harvests}
    counts = {one.source: one for one in run.catalog.records.load_counts()}
    known = {} if run.options.rebuild else {name: run.catalog.runs.last_reading(name) for name in counts}
    inspections = ingest.inspect_sources(run.config, run.progress, results, known=known)
    done = None
    live = run.catalog.records.count_by_source()
    run.progress.stage("read", "records", sum(one.records for one in inspections if not one.doubts))
    with ingest.ConversionPool(run.config.workers) as pool:
        for inspection in inspections:
            if not run.log.check_inspection(inspection):
                continue
            name = inspection.source.id
            if inspection.is_unchanged:
                changes = msgspec.structs.asdict(run.catalog.records.former.changes(name))  # by runs that were stopped
                run.log.loads.append(LoadResult(**msgspec.structs.asdict(counts[name]), **changes))
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
            run.log.note_load(load)
    configured = {source.id for source in run.config.sources}
    for name in counts:
        if name not in configured:
            _remove_source(run, name, live.get(name, 0))
    ingest.apply_suppressions(run.catalog, run.config, suppressed, run.log)
    return done


def _remove_source(run: LocalRun, source: str, live: int) -> None:
    """Delete the records of a source that is no longer configured, if that is allowed or there are none."""
    if live and not run.options.allow_deletes:
        unseen = map(run.catalog.register.record, run.catalog.records.unseen(source, run.number))
        reason = ingest.removed_source_reason(live)
        run.log.note_withheld(ingest.withhold(run.config.workspace, source, unseen, reason))
        return
    with run.catalog.commit():
        deleted = run.catalog.records.delete_source(source, run.number)
    run.progress.report(ingest.removed_source_report(source, deleted))


def _dedup(run: LocalRun, queue: StageQueue) -> int | None:
    made_by = matching_digest(run.config)
    rematch_all = run.options.rebuild or run.catalog.runs.made_by("dedup") != made_by
    if not rematch_all and not run.options.restat and not dedup.is_pending(run.catalog, queue):
        return None
    time = run.run_time.isoformat()
    from bibld.dedup.stage import MatchingRun  # loads compiler and database

    names = link.names_of_persons(run.catalog, run.config)
    matching = MatchingRun(run.catalog, run.config, run.progress, time, queue, rematch_all)
    found = matching.run(run.options.restat, names)
    with run.catalog.commit():
        run.catalog.runs.complete("dedup", made_by, run.number)
    return found.records


def _merge(run: LocalRun, queue: StageQueue) -> int | None:
    run.requeue_if_outdated("merge", merge_settings_digest(run.config), queue, requeue_merges)
    if queue.dirty.is_empty():
        return None
    return merge_clusters(run.catalog, run.config, queue, run.progress)


def _triplify(run: LocalRun, queue: StageQueue) -> int | None:
    settings = run.config.triplify
    made_by = triplify.settings_digest(run.config.dataset.base, settings)
    run.requeue_if_outdated("triplify", made_by, queue, triplify.requeue_all)
    if not triplify.is_pending(run.catalog, queue):
        return None
    return triplify.triplify(run.catalog, run.iris, settings, queue, run.progress, run.config.workers)


def _link(run: LocalRun, queue: StageQueue) -> int | None:
    tally = link.update_links(run.catalog, run.config, run.progress)
    return tally.entities or None if tally is not None else None


def _store(run: LocalRun, queue: StageQueue) -> int | None:
    if store.is_current(run.catalog, run.config):
        return None
    blocks = triplify.catalog_blocks(run.catalog, run.iris, run.source_figures)
    return store.store(run.catalog, blocks, run.config, run.progress)


def _publish(run: LocalRun, queue: StageQueue) -> int | None:
    run.releases.sweep()
    made_by = digest(publish.settings_digest(run.config, run.source_figures), blocking_digest(run.config))
    if publish.is_current(run.catalog, run.releases, made_by, run.config):
        return None
    of_dataset: dict[str, Any] = {"iris": run.iris, "sources": run.source_figures}
    # One core is for the parts that are written meanwhile.
    counting = max(worker_count(run.config.workers) - 1, 1)
    contents = publish.Contents(
        made_by=made_by,
        figures=run.figures,
        blocks=partial(triplify.catalog_blocks, **of_dataset),
        counts=partial(
            triplify.count_quads, **of_dataset, workers=counting, in_default_graph=run.config.graph_in_default
        ),
        update_counts=partial(triplify.update_counts, base=run.iris.base.encode()),
        match_index=partial(dedup.write_match_index, config=run.config),
        source_statements=triplify.dataset_statements(run.source_figures, run.iris),
        examples=[run.iris.resource(founder) for founder in run.catalog.sample_founders(EXAMPLES)],
        withdrawn=triplify.withdrawal_statements(run.catalog, run.iris),
    )

    def open_store() -> AbstractContextManager[Store]:
        return closing(store.open_live(run.config))

    manifest = publish.publish(run.catalog, open_store, contents, run.config, run.run_time, run.progress)
    return len(manifest.files)


_STEPS: dict[str, Callable[[LocalRun, StageQueue], int | None]] = {
    "read": _read,
    "dedup": _dedup,
    "merge": _merge,
    "triplify": _triplify,
    "link": _link,
    "store": _store,
    "publish": _publish,
}


def stage_queue(catalog: Catalog, name: str) -> StageQueue:
    """Return the queue of a stage; what the stage marks dirty is added to the queues of the stages that it feeds."""
    queues = {stage.name: stage.queue for stage in STAGES}
    feeds = next(stage.feeds for stage in STAGES if stage.name == name)
    successors = [catalog.dirty[queue] for fed in feeds if (queue := queues[fed]) is not None]
    own = queues[name]
    return StageQueue(catalog.dirty[own] if own else None, successors)


def run(config: Config, run_time: datetime, progress: Progress, **options: Any) -> Summary:  # noqa: ANN401
    """Run the stages over the configured sources; ``options`` are the fields of :class:`RunOptions`.

    Continues a run that was interrupted. Raises ``StageError`` when a stage cannot continue, ``CatalogError`` when
    another run uses the workspace, or if Spark has newer results of it.
    """
    check_newest_is_local(config.workspace, config.file)
    with rare_cycle_search(), Catalog(config.workspace, config_file=config.file) as catalog:
        return LocalRun(catalog, config, run_time, progress, RunOptions(**options)).run()


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
        return LocalRun(catalog, config, run_time, progress).deliver(remote, replace)


def forget_store(config: Config, remote: Remote) -> bool:
    """Forget what a remote store, which is not changed, was given: no patches are kept; return whether it was known."""
    with Catalog(config.workspace, config_file=config.file) as catalog:
        consumer = store.consumer_of(remote.config.name)
        is_known = catalog.remote_stores.state(consumer) is not None
        with catalog.commit():
            catalog.remote_stores.forget(consumer)
        return is_known


def current_release(config: Config) -> tuple[Path, Manifest]:
    """Return the folder and the manifest of the release to be served; raises ``StageError`` if there is none."""
    releases = publish.Releases(config.workspace)
    folder = releases.current()
    if folder is None:
        raise missing_results(config.workspace, config.file, "published")
    return folder, releases.manifest(folder)
