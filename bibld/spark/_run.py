"""A run on Spark: the stages in their order, their times, the commit and the summary."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

import msgspec

from bibld import triplify
from bibld.catalog import lock_folder
from bibld.catalog.engines import note_run_on_spark
from bibld.config import Config, blocker_faults
from bibld.dedup.method import settings_digest as matching_digest
from bibld.errors import ConfigError
from bibld.merge import settings_digest as merge_settings_digest
from bibld.pipeline import RunOptions, StageTime, Summary, run_stages
from bibld.progress import Progress
from bibld.spark._data import cluster_entities, describe_clusters, keep_links, merge_clusters, point_to_founders
from bibld.spark._engine import Engine
from bibld.spark._matching import match_records
from bibld.spark._output import last_manifest, needed_tables, publish_release, remove_releases
from bibld.spark._output.release import count_figures
from bibld.spark._session import session
from bibld.spark._sources import check_origin, read_sources

_FOR_REVIEW = "decision = 'review'"


class RunSummary(msgspec.Struct, frozen=True):
    """What is stored of a committed run: the settings of each stage as one machine names them, and the seconds."""

    stages: dict[str, str]
    seconds: dict[str, float]


def run(config: Config, run_time: datetime, progress: Progress, **options: Any) -> Summary:  # noqa: ANN401
    """Run the stages over the configured sources; ``options`` are the fields of ``bibld.pipeline.RunOptions``.

    Continues a run that was interrupted: what is complete is only read. Raises ``StageError`` when a stage cannot
    continue, ``CatalogError`` when another run uses the workspace, ``ConfigError`` without Java or with blockers that
    compare all records at once.
    """
    chosen = RunOptions(**options)
    if chosen.until == "store":
        raise ConfigError(
            [
                "engine.name: Spark loads no store; run"
                f" `bibld run {shlex.quote(str(config.file))} --engine spark`, which publishes a release in parts"
            ]
        )
    if faults := blocker_faults(config.dedup):
        raise ConfigError([f"{config.file.name}: dedup.block: {fault}" for fault in faults])
    lock = lock_folder(config.workspace)
    try:
        with session(config.engine, f"bibld {config.file.name}") as spark:
            engine = Engine(spark, config, run_time, progress, chosen)
            check_origin(engine)
            return run_stages(SparkRun(engine))
    finally:
        lock.close()


class SparkRun:
    """A run over tables, as ``bibld.pipeline`` runs its stages; no store is loaded, and the release is in parts."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.options = engine.options
        self.log = engine.log
        self.steps: Mapping[str, Callable[[], int | None]] = {
            name: partial(self._step, functions)
            for name, functions in _STEPS.items()
            if name != "link" or engine.tables.rows("links") or engine.tables.rows("authority_files")
        }

    def _step(self, functions: Sequence[Callable[[Engine], int]]) -> int | None:
        changed = len(self._engine.tables.changed())
        done = sum(function(self._engine) for function in functions)
        is_current = len(self._engine.tables.changed()) == changed and not (functions == (read_sources,) and done)
        return None if is_current else done

    def end_reading(self) -> None:
        """Let a rebuild make all tables behind reading again."""
        tables = self._engine.tables
        tables.salt = f"rebuilt by {self._engine.number}" if self.options.rebuild else tables.committed.salt

    def has_records(self) -> bool:
        """Return whether any source was ever loaded."""
        return bool(self._engine.tables.rows("loads"))

    def complete(self, times: Sequence[StageTime]) -> Summary:
        """Commit the tables of this run, and delete those that nobody needs."""
        engine, release = self._engine, self._engine.release
        with engine.job("figures"):
            figures = release.manifest.figures if release is not None else count_figures(engine, last_manifest(engine))
            waiting = engine.tables.read("edges").where(_FOR_REVIEW).count()
        stored = RunSummary(_settings(engine.config), {time.stage: time.seconds for time in times})
        note_run_on_spark(engine.config.workspace, engine.number)
        engine.tables.commit(stored, engine.run_time.isoformat())
        engine.tables.sweep(needed_tables(engine))
        remove_releases(engine)
        return Summary(
            sources=(),
            figures=figures,
            stages=tuple(times),
            release=release.address if release is not None else "",
            release_is_new=release is not None and release.is_new,
            for_review=waiting,
        )


def _publish(engine: Engine) -> int:
    engine.release = publish_release(engine)
    return len(engine.release.manifest.files) if engine.release.is_new else 0


_STEPS: dict[str, tuple[Callable[[Engine], int], ...]] = {
    "read": (read_sources,),
    "dedup": (match_records,),
    "merge": (merge_clusters,),
    "triplify": (describe_clusters, cluster_entities, point_to_founders),
    "link": (keep_links,),
    "publish": (_publish,),
}
"""The functions of each stage; each writes tables of the run and returns how many items it processed."""


def _settings(config: Config) -> dict[str, str]:
    """Return the settings and versions of each stage, as the catalog of one machine stores them."""
    return {
        "dedup": matching_digest(config),
        "merge": merge_settings_digest(config),
        "triplify": triplify.settings_digest(config.dataset.base, config.triplify),
    }
