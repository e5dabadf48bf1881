"""Run the stages on Apache Spark: the same functions on whole tables, on as many machines as there are.

In: a configuration with the table ``[engine]``. Out: tables in Parquet, and a release in parts, in the storage of the
engine. The bytes of the sorted dump are those of a run on one machine.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from bibld import triplify
from bibld.catalog import lock_folder
from bibld.catalog.engines import note_run_on_spark
from bibld.config import Config, blocker_faults
from bibld.dedup.method import settings_digest as matching_digest
from bibld.errors import ConfigError
from bibld.merge import settings_digest as merge_settings_digest
from bibld.pipeline import RunOptions, StageTime, Summary, run_stages
from bibld.progress import Progress
from bibld.spark._descriptions import describe_clusters, merge_clusters
from bibld.spark._engine import Engine, check_version, session
from bibld.spark._entities import cluster_entities, keep_links, point_to_founders
from bibld.spark._matching import match_records
from bibld.spark._quads import count_figures
from bibld.spark._release import last_manifest, list_releases, needed_tables, publish_release, remove_releases
from bibld.spark._sources import check_origin, read_sources
from bibld.spark._tables import RunSummary

__all__ = ["list_releases", "run"]

check_version()  # on a node this is the first that a task does


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
        tables.salt = f"rebuilt by {tables.number}" if self.options.rebuild else tables.committed.salt

    def has_records(self) -> bool:
        """Return whether any source was ever loaded."""
        return bool(self._engine.tables.rows("loads"))

    def complete(self, times: Sequence[StageTime]) -> Summary:
        """Commit the tables of this run, and delete those that nobody needs."""
        engine, config, tables = self._engine, self._engine.config, self._engine.tables
        release = engine.release
        with engine.job("figures"):
            figures = release.manifest.figures if release is not None else count_figures(engine, last_manifest(engine))
            waiting = tables.read("edges").where("decision = 'review'").count()
        settings = {
            "dedup": matching_digest(config),
            "merge": merge_settings_digest(config),
            "triplify": triplify.settings_digest(config.dataset.base, config.triplify),
        }
        note_run_on_spark(config.workspace, tables.number)
        summary = RunSummary(settings, seconds={time.stage: time.seconds for time in times})
        tables.commit(summary, engine.run_time.isoformat())
        tables.sweep(needed_tables(engine))
        remove_releases(engine)
        return Summary(
            sources=(),
            figures=figures,
            stages=tuple(times),
            release=release.address if release is not None else "",
            release_is_new=release is not None and release.is_new,
            for_review=waiting,
        )


_STEPS: dict[str, tuple[Callable[[Engine], int], ...]] = {
    "read": (read_sources,),
    "dedup": (match_records,),
    "merge": (merge_clusters,),
    "triplify": (describe_clusters, cluster_entities, point_to_founders),
    "link": (keep_links,),
    "publish": (publish_release,),
}
"""The functions of each stage; each writes tables of the run and returns how many items it processed."""
