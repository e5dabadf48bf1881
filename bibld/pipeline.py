"""All stages in their order.

harvest → read → crosswalk (``bibld.intake``) → dedup → merge → triplify → store → publish

Each stage notes in the catalog what its results were made by (a hash of its version, its settings and its inputs); a
run redoes what differs and leaves the rest. A run that was stopped, by whatever, goes on where it was.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from time import perf_counter

import msgspec

from bibld import dedup, merge, publish, store, triplify
from bibld.catalog import Catalog, LoadCounts, digest
from bibld.config import Config
from bibld.conversion import Conversions
from bibld.errors import StageError
from bibld.intake import Intake
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
        self, catalog: Catalog, config: Config, clock: datetime, progress: Progress, restat: bool = False
    ) -> None:
        self._catalog = catalog
        self._config = config
        self._clock = clock
        self._progress = progress
        self._restat = restat
        self._times: list[StageTime] = []
        self._number = 0

    def run(self, until: str = "publish") -> Summary:
        """Go through the stages up to and including ``until``; raises ``StageError``."""
        with self._catalog.commit():
            self._number = self._catalog.runs.begin(self._clock.isoformat())
        loads = self._read()
        made_by = self._records_digest()
        steps: dict[str, tuple[str, Callable[[str], int]]] = {
            "dedup": (dedup.made_by(self._catalog, self._config, self._restat), self._dedup),
            "merge": (merge.settings_digest(self._config), self._merge),
            "triplify": (triplify.settings_digest(self._config.dataset.base, self._config.triplify), self._triplify),
            "store": (digest(store.settings_digest(self._config), self._parts()), self._store),
            "publish": (
                digest(publish.settings_digest(self._config.dataset), self._source_figures()),
                self._publish,
            ),
        }
        for stage in STAGES[1 : STAGES.index(until) + 1]:
            settings, work = steps[stage]
            made_by = digest(stage, made_by, settings)
            self._stage(stage, made_by, work)
        with self._catalog.commit():
            self._catalog.runs.end(self._number, self._clock.isoformat())
        return self._summary(loads)

    # -- the stages --------------------------------------------------------------------------------------------------

    def _read(self) -> list[LoadCounts]:
        begin = perf_counter()
        self._progress.stage("read", "records")
        with Conversions(self._config.workers) as conversions:
            loads = [
                Intake(self._catalog, self._config, source, self._number, conversions, self._progress).take()
                for source in self._config.sources
            ]
        self._retire_sources()
        done = sum(load.read for load in loads)
        self._times.append(StageTime("read", perf_counter() - begin, done, was_current=False))
        return loads

    def _retire_sources(self) -> None:
        """Sources that are no longer configured leave, and come back as themselves when they are configured again."""
        configured = {source.id for source in self._config.sources}
        for load in self._catalog.records.load_counts():
            if load.source not in configured:
                with self._catalog.commit():
                    gone = self._catalog.records.retire(load.source, self._number)
                self._progress.say(f"read: source {load.source} is no longer configured; its {gone} records are gone")

    def _records_digest(self) -> str:
        """A hash over all living records."""
        state = hashlib.blake2b(digest_size=16)
        for ordinal, made_by in self._catalog.records.made_by():
            state.update(b"%d:" % ordinal)
            state.update(made_by)
        return state.hexdigest()

    def _stage(self, stage: str, made_by: str, work: Callable[[str], int]) -> None:
        """Do a stage's work unless its results are current."""
        begin = perf_counter()
        runs = self._catalog.runs
        if runs.made_by(stage) == made_by and self._is_there(stage):
            self._times.append(StageTime(stage, perf_counter() - begin, 0, was_current=True))
            return
        with self._catalog.commit():
            runs.reopen(stage)
        done = work(made_by)
        with self._catalog.commit():
            runs.complete(stage, made_by, self._number)
        self._times.append(StageTime(stage, perf_counter() - begin, done, was_current=False))

    def _is_there(self, stage: str) -> bool:
        """Whether the files that a stage left beside the catalog are still there."""
        if stage == "store":
            return store.folder(self._config).is_dir()
        return stage != "publish" or self._releases.current() is not None

    def _dedup(self, made_by: str) -> int:
        with self._catalog.commit():
            return dedup.dedup(self._catalog, self._config, self._progress, self._restat).records

    def _merge(self, made_by: str) -> int:
        return merge.merge(self._catalog, self._config, self._progress)

    def _triplify(self, made_by: str) -> int:
        return triplify.triplify(self._catalog, self._iris, self._config.triplify, self._progress)

    def _store(self, made_by: str) -> int:
        return store.load(self._quads(), self._config, self._progress)

    def _publish(self, made_by: str) -> int:
        contents = publish.Contents(
            dataset=self._config.dataset,
            figures=self._figures(),
            quads=self._quads(),
            parts=self._parts(),
            examples=[self._iris.resource(founder) for founder in self._catalog.sample_founders(_EXAMPLES)],
        )
        with self._live_store() as live:
            manifest = publish.publish(
                live, contents, made_by, self._clock, self._releases, self._config.publish, self._progress
            )
        return len(manifest.files)

    # -- what they share ---------------------------------------------------------------------------------------------

    @property
    def _iris(self) -> Iris:
        return Iris(self._config.dataset.base)

    @property
    def _releases(self) -> publish.Releases:
        return publish.Releases(self._config.workspace)

    def _quads(self) -> Iterator[str]:
        return triplify.quads(self._catalog, self._iris, self._source_figures())

    @contextmanager
    def _live_store(self) -> Iterator[Store]:
        live = store.open_live(self._config)
        try:
            yield live
        finally:
            live.close()

    def _parts(self) -> tuple[str, ...]:
        """The lines that describe the sources."""
        return triplify.dataset_statements(self._source_figures(), self._iris)

    def _source_figures(self) -> tuple[SourceFigures, ...]:
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

    def _figures(self) -> Figures:
        clusters, merged = self._catalog.linkage.count_clusters()
        records = self._catalog.records.count()
        entities = self._catalog.linkage.count_entities()
        return Figures(self._source_figures(), records, clusters, merged, records - clusters, 0, entities)

    def _summary(self, loads: list[LoadCounts]) -> Summary:
        place = self._releases.current()
        figures = self._figures()
        if place is not None:
            figures = msgspec.structs.replace(figures, quads=self._releases.manifest(place).figures.quads)
        new = any(time.stage == "publish" and not time.was_current for time in self._times)
        return Summary(tuple(loads), figures, tuple(self._times), str(place or ""), new)


def run(config: Config, clock: datetime, progress: Progress, until: str = "publish", restat: bool = False) -> Summary:
    """Run the stages up to ``until`` over the configured sources; ``restat``: count the statistics of blocking anew.

    Resumes what was interrupted; raises ``StageError`` when a stage cannot go on, ``CatalogError`` when another run
    holds the workspace.
    """
    with Catalog(config.workspace) as catalog:
        return Pipeline(catalog, config, clock, progress, restat).run(until)


def current_release(config: Config) -> tuple[Path, Manifest]:
    """The release to be served; raises ``StageError`` where nothing has been published yet."""
    releases = publish.Releases(config.workspace)
    place = releases.current()
    if place is None:
        raise StageError(
            f"{config.workspace}: nothing has been published yet; run `bibld run {config.file.name}` first"
        )
    return place, releases.manifest(place)
