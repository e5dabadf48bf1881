"""A run on Spark: the stages in their order, their times, the commit and the summary."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from datetime import datetime
from time import perf_counter
from typing import Any

import msgspec

from bibld import triplify
from bibld.catalog import lock_folder
from bibld.catalog.engines import note_run_on_spark
from bibld.config import Config, blocker_faults
from bibld.dedup.method import settings_digest as matching_digest
from bibld.errors import ConfigError
from bibld.merge import settings_digest as merge_settings_digest
from bibld.pipeline import RunOptions, StageTime, Summary
from bibld.progress import Progress
from bibld.spark._data import cluster_entities, describe_clusters, keep_links, merge_clusters, point_to_founders
from bibld.spark._engine import Engine
from bibld.spark._matching import match_records
from bibld.spark._output import last_manifest, needed_tables, publish_release, remove_releases
from bibld.spark._output.figures import count_figures
from bibld.spark._register import check_origin
from bibld.spark._session import session
from bibld.spark._sources import read_sources

_FOR_REVIEW = "decision = 'review'"


class Stage(msgspec.Struct, frozen=True):
    """A stage and its functions; each writes tables of the run and returns how many items it processed."""

    name: str
    functions: tuple[Callable[[Engine], int], ...]


class RunSummary(msgspec.Struct, frozen=True):
    """What is stored of a committed run: the settings of each stage as one machine names them, and the seconds."""

    stages: dict[str, str]
    seconds: dict[str, float]


def _publish(engine: Engine) -> int:
    engine.release = publish_release(engine)
    return len(engine.release.manifest.files) if engine.release.is_new else 0


STAGES = (
    Stage("read", (read_sources,)),
    Stage("dedup", (match_records,)),
    Stage("merge", (merge_clusters,)),
    Stage("triplify", (describe_clusters, cluster_entities, point_to_founders, keep_links)),
    Stage("publish", (_publish,)),
)
"""The stages of a run in their order; the release is in parts, and no store is loaded."""


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
            return run_stages(engine)
    finally:
        lock.close()


def run_stages(engine: Engine) -> Summary:
    """Run the stages up to the last one of the options, and commit what they made."""
    started = perf_counter()
    times: list[StageTime] = []
    for stage in STAGES:
        begin = perf_counter()
        changed = len(engine.tables.changed())
        done = sum(function(engine) for function in stage.functions)
        is_current = len(engine.tables.changed()) == changed and not (stage.name == "read" and done)
        times.append(StageTime(stage.name, perf_counter() - begin, done, was_current=is_current))
        if stage.name == engine.options.until or _has_nothing(engine):
            break
        if stage.name == "read":
            tables = engine.tables
            tables.salt = f"rebuilt by {engine.number}" if engine.options.rebuild else tables.committed.salt
    return _complete(engine, times, started)


def _has_nothing(engine: Engine) -> bool:
    """Return whether all sources are in doubt and nothing was ever read, so that there is nothing to publish."""
    return bool(engine.doubts) and not engine.loads and not engine.tables.rows("loads")


def _complete(engine: Engine, times: list[StageTime], started: float) -> Summary:
    release = engine.release
    with engine.job("figures"):
        figures = release.manifest.figures if release is not None else count_figures(engine, last_manifest(engine))
        waiting = engine.tables.read("edges").where(_FOR_REVIEW).count()
    stored = RunSummary(_settings(engine.config), {time.stage: time.seconds for time in times})
    note_run_on_spark(engine.config.workspace, engine.number)
    engine.tables.commit(stored, engine.run_time.isoformat())
    engine.tables.sweep(needed_tables(engine))
    remove_releases(engine)
    return Summary(
        sources=tuple(engine.loads),
        figures=figures,
        stages=tuple(times),
        release=release.address if release is not None else "",
        release_is_new=release is not None and release.is_new,
        for_review=waiting,
        doubts=tuple(engine.doubts),
        withheld=tuple(engine.withheld),
        seconds=perf_counter() - started,
        harvests=tuple(engine.harvests),
    )


def _settings(config: Config) -> dict[str, str]:
    """Return the settings and versions of each stage, as the catalog of one machine stores them."""
    return {
        "dedup": matching_digest(config),
        "merge": merge_settings_digest(config),
        "triplify": triplify.settings_digest(config.dataset.base, config.triplify),
    }
