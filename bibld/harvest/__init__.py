"""Harvest: fetch the files of a configured source, each with its path from the configuration.

A source on disk is a list of files. What a server offers is fetched into the workspace first (:func:`fetch_source`):
every answer is stored as it came, and records become files of a few thousand each, which the next stage reads. A
harvest is *complete* (the end of the list was proven), *partial* or *failed*; only a complete full list
shows what was deleted.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from bibld.config import Config, Source
from bibld.errors import HarvestError, ReadError
from bibld.harvest._records import ISO2709_FORM, XML_FORM, RecordForm
from bibld.harvest._run import (
    Freshness,
    HarvestResult,
    ServerReport,
    fetch_source,
    freshness_of,
    harvest_source,
    is_networked,
    probe_result,
)
from bibld.harvest._store import SourceStore, StoredAnswer
from bibld.harvest._visit import HarvestOptions, HttpSettings, Visit, faults_of_http
from bibld.protocols import HarvestedFile, adapters

__all__ = [
    "ISO2709_FORM",
    "XML_FORM",
    "Freshness",
    "HarvestOptions",
    "HarvestResult",
    "HttpSettings",
    "RecordForm",
    "ServerReport",
    "SourceStore",
    "StoredResponse",
    "Visit",
    "faults_of_http",
    "fetch_source",
    "files",
    "freshness",
    "harvest_source",
    "has_files",
    "is_networked",
    "probe_result",
    "rejected_records",
]


def files(config: Config, source: Source) -> Iterator[HarvestedFile]:
    """Yield the files of one source in a stable order, archives as they are; raises ``HarvestError`` at the end.

    Of a source that is fetched from a server they are what is stored; the server is not asked.
    """
    if is_networked(source):
        return _stored_files(config, source)
    found: Iterator[HarvestedFile] = adapters.load_adapter("harvest", source.config.harvest).files(
        source.id, config.folder, source.harvest
    )
    return found


def _stored_files(config: Config, source: Source) -> Iterator[HarvestedFile]:
    with SourceStore(config.workspace, source.id, create=False) as store:
        fetched = store.files.all()
        paths = [*store.records.paths(), *(file.path for file in fetched if file.has_all_bytes)]
    for path in paths:
        yield HarvestedFile(source.id, Path(os.path.relpath(path, config.folder)).as_posix(), path)
    if damaged := [file.name for file in fetched if not file.has_all_bytes]:
        names = ", ".join(damaged[:3])
        raise HarvestError(f"the workspace lacks a fetched file, or bytes of it: {names}; run `bibld harvest`")


def has_files(config: Config, source: Source) -> bool:
    """Return whether a source has been fetched from its server before; true for a source on disk."""
    return not is_networked(source) or SourceStore.exists(config.workspace, source.id)


def rejected_records(config: Config, source: Source) -> Iterator[ReadError]:
    """Yield what a server sent and is no record, each with its bytes; nothing for a source on disk."""
    if is_networked(source):
        try:
            with SourceStore(config.workspace, source.id, create=False) as store:
                yield from store.records.rejected()
        except HarvestError:  # it was never harvested
            return


def freshness(config: Config) -> list[Freshness]:
    """Return how fresh each source is that is fetched from a server."""
    found = []
    for source in config.sources:
        if is_networked(source):
            try:
                with SourceStore(config.workspace, source.id, create=False) as store:
                    found.append(freshness_of(store))
            except HarvestError:
                found.append(Freshness(source.id, "never harvested", "", "", "", 0, 0.0, 0.0))
    return found
