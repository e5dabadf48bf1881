"""Harvest: a configured source in, files on disk out, each with the name by which the configuration reaches it."""

from __future__ import annotations

from collections.abc import Iterator

from bibld import adapters
from bibld.config import Config, Source
from bibld.protocols import HarvestedFile


def files(config: Config, source: Source) -> Iterator[HarvestedFile]:
    """The files of one source in a stable order; raises ``HarvestError``."""
    harvester = adapters.load_adapter("harvest", source.config.harvest)
    found: Iterator[HarvestedFile] = harvester.files(source.id, config.folder, source.harvest)
    return found
