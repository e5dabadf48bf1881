"""Harvest: fetch the files of a configured source, each with its path from the configuration; unpack archives.

A source on disk is a list of files. What a server offers is fetched into the workspace first (:func:`fetch_source`):
every answer is stored as it came, and records become files of a few thousand each, which the next stage reads. A
harvest is *complete* (the end of the list was proven), *partial* or *failed*; only a complete full list
shows what was deleted.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from bibld import adapters
from bibld.config import Config, Source
from bibld.errors import HarvestError, ReadError
from bibld.harvest._faults import ServerFault
from bibld.harvest._records import ISO2709_FORM, XML_FORM, RecordForm
from bibld.harvest._result import Finding, Freshness, HarvestResult, ServerReport, freshness_of
from bibld.harvest._run import fetch_source, harvest_source, is_networked, probe_result
from bibld.harvest._settings import HttpSettings, faults_of_http
from bibld.harvest._store import SourceStore, StoredAnswer
from bibld.harvest._visit import Example, HarvestOptions, Visit
from bibld.protocols import HarvestedFile
from bibld.unpacking import archive_of, delete_others, unpack_once

__all__ = [
    "ISO2709_FORM",
    "XML_FORM",
    "Example",
    "Finding",
    "Freshness",
    "HarvestOptions",
    "HarvestResult",
    "HttpSettings",
    "RecordForm",
    "ServerFault",
    "ServerReport",
    "SourceStore",
    "StoredAnswer",
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
    "unpacked",
]


def files(config: Config, source: Source) -> Iterator[HarvestedFile]:
    """Yield the files of one source in a stable order, those in archives too; raises ``HarvestError`` at the end.

    Of a source that is fetched from a server they are what is stored; the server is not asked.
    """
    if is_networked(source):
        found = _stored_files(config, source)
    else:
        found = adapters.load_adapter("harvest", source.config.harvest).files(source.id, config.folder, source.harvest)
    members = source.config.members
    patterns = (members,) if isinstance(members, str) else members
    return unpacked(found, config.workspace / "unpacked" / source.id, patterns)


def unpacked(found: Iterable[HarvestedFile], folder: Path, patterns: tuple[str, ...] = ()) -> Iterator[HarvestedFile]:
    """Yield files, and in place of archives their members, which are stored in ``folder``.

    ``patterns`` choose members by the end of their names. What is stored of other archives is deleted at the end.
    Raises ``HarvestError`` after the last file if an archive cannot be unpacked.
    """
    faults: list[str] = []
    stored: list[Path] = []
    try:
        for file in found:
            if archive_of(file.path) is None:
                yield file
                continue
            try:
                members = unpack_once(file.path, folder, patterns).members
            except HarvestError as error:
                faults.append(f"{file.name}: {error}")
                continue
            stored += [member.path for member in members]
            for member in members:
                yield HarvestedFile(file.source, f"{file.name}/{member.name}", member.path)
    except HarvestError as error:
        raise HarvestError("; ".join([*faults, str(error)])) from error
    if faults:
        raise HarvestError("; ".join(faults))
    delete_others(folder, stored)


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
