"""Harvest: fetch the files of a configured source, each with its path from the configuration."""

from __future__ import annotations

from collections.abc import Iterator

from bibld import adapters
from bibld.config import Config, Source
from bibld.protocols import HarvestedFile


def files(config: Config, source: Source) -> Iterator[HarvestedFile]:
    """Yield the files of one source in a stable order; raises ``HarvestError``."""
    harvester = adapters.load_adapter("harvest", source.config.harvest)
    found: Iterator[HarvestedFile] = harvester.files(source.id, config.folder, source.harvest)
    return found
