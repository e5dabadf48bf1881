"""Check a configuration and its sources without opening a workspace."""

from __future__ import annotations

from pathlib import Path

from bibld import config as configuration
from bibld._api import source_check
from bibld._api.arguments import PathName
from bibld._api.source_check import SourcesReport
from bibld.progress import Progress, Silent


def check_sources(config: PathName, *, progress: Progress | None = None) -> SourcesReport:
    """Check a configuration file, and what a run would find: files, servers, folders, disk. Nothing is changed.

    Raises ``ConfigError``, which lists everything that is wrong with the configuration.
    """
    return source_check.check_sources(configuration.load(Path(config)), progress or Silent())
