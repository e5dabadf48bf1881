"""The engines that compute a workspace."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from bibld.catalog.engines import engine_state
from bibld.catalog.exchange import ConvertedWorkspace
from bibld.config import Config
from bibld.errors import ConfigError
from bibld.progress import Progress
from bibld.publish import Releases, ReleaseSummary

EngineName = Literal["local", "spark"]

_NOT_INSTALLED = "Spark is not installed; run: pip install 'bibld[spark]'"


def convert_workspace(config: Config, to: EngineName, at: datetime, progress: Progress) -> ConvertedWorkspace:
    """Move the results of the last run to the other engine; raises ``ConfigError`` if Spark is not installed."""
    try:
        from bibld.spark import conversion
    except ModuleNotFoundError as error:
        raise ConfigError([_NOT_INSTALLED]) from error
    return conversion.convert_workspace(config, to, at, progress)


def list_releases(config: Config, engine: EngineName | None) -> list[ReleaseSummary]:
    """Return the releases on this machine and, if Spark has run last, those in its storage, the oldest first.

    ``engine``: only those of one engine. Raises ``ConfigError`` if Spark has run last and is not installed.
    """
    found = Releases(config.workspace).list_all() if engine != "spark" else []
    if engine != "local" and engine_state(config.workspace).is_newer_on_spark:
        try:
            from bibld.spark import releases
        except ModuleNotFoundError as error:
            raise ConfigError([_NOT_INSTALLED]) from error
        found += releases.list_releases(config)
    return sorted(found, key=lambda release: (release.created, release.release))
