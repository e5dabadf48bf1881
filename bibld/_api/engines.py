"""The engines that compute a workspace."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from bibld.catalog.exchange import ConvertedWorkspace
from bibld.config import Config
from bibld.errors import ConfigError
from bibld.progress import Progress

EngineName = Literal["local", "spark"]


def convert_workspace(config: Config, to: EngineName, at: datetime, progress: Progress) -> ConvertedWorkspace:
    """Move the results of the last run to the other engine; raises ``ConfigError`` if Spark is not installed."""
    try:
        from bibld.spark import conversion
    except ModuleNotFoundError as error:
        raise ConfigError(["Spark is not installed; run: pip install 'bibld[spark]'"]) from error
    return conversion.convert_workspace(config, to, at, progress)
