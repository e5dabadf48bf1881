"""Harvest and probe the sources of a configuration, one or all."""

from __future__ import annotations

from bibld._api.arguments import check_source, checked_date
from bibld.config import Config, Source
from bibld.harvest import HarvestOptions, HarvestResult, harvest_source, probe_result
from bibld.progress import Progress


def harvest_sources(
    config: Config, source: str | None, progress: Progress, full: bool, since: str, limit: int
) -> tuple[HarvestResult, ...]:
    """Harvest one source or all; raises ``ConfigError`` for an unknown source or a date that is none."""
    options = HarvestOptions(full=full, since=checked_date(since), limit=limit)
    chosen = _sources(config, source)
    progress.stage("harvest", "records")
    return tuple(harvest_source(config, one, progress, options) for one in chosen)


def probe_sources(config: Config, source: str | None, progress: Progress) -> tuple[HarvestResult, ...]:
    """Ask the servers of one source or of all what they are; raises ``ConfigError`` for an unknown source."""
    return tuple(probe_result(config, one, progress) for one in _sources(config, source))


def _sources(config: Config, source: str | None) -> list[Source]:
    check_source(config, source)
    return [one for one in config.sources if source in (None, one.id)]
