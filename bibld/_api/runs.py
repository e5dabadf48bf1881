"""A run with its report, on the engine that is wanted."""

from __future__ import annotations

from datetime import datetime

from msgspec.structs import replace

from bibld import pipeline
from bibld._api.arguments import check_choice
from bibld._api.run_report import write_report
from bibld.config import Config
from bibld.errors import ConfigError
from bibld.pipeline import Summary
from bibld.progress import Progress

_PACKAGES_OF_SPARK = {"pyspark", "pyarrow", "py4j"}


def run_stages(config: Config, at: datetime, progress: Progress, engine: str = "", **options: object) -> Summary:
    """Run the stages as ``pipeline.run`` does, and write ``report.html``; raises ``StageError``.

    ``engine`` is the name of one, empty for that of the configuration.
    """
    chosen = engine or config.engine.name
    check_choice(chosen, "engine", ["local", "spark"])
    if chosen == "spark":
        summary = _run_on_spark(config, at, progress, **options)
    else:
        summary = pipeline.run(config, at, progress, **options)
    return replace(summary, report=str(write_report(config, summary, at.isoformat(timespec="seconds"))))


def _run_on_spark(config: Config, at: datetime, progress: Progress, **options: object) -> Summary:
    try:
        from bibld import spark
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _PACKAGES_OF_SPARK:
            raise
        raise ConfigError(
            [f"engine.name: {error.name} is not installed; install it with `pip install 'bibld[spark]'`"]
        ) from error
    return spark.run(config, at, progress, **options)
