"""Recognise a source whose files are the ones that were read last time, so that they need not be read again."""

from __future__ import annotations

from collections.abc import Iterable

from bibld import harvest
from bibld._version import __version__
from bibld.config import Config, Source
from bibld.ingest._rules import settings_digest
from bibld.model.digest import digest
from bibld.protocols import HarvestedFile


def files_fingerprint(config: Config, source: Source, files: Iterable[HarvestedFile]) -> str:
    """Return a hash of what the loading of a source depends on; empty if a file cannot be looked at.

    That is the version of bibld, the settings, what its server refused, and of each file the name, size, inode and the
    times of change. No program can set the last of these times, so a file that was written in place has another hash.
    """
    paths = [(file.name, file.path) for file in files]
    if source.config.deletes:
        paths.append((source.config.deletes, config.folder / source.config.deletes))
    states: list[object] = []
    for name, path in paths:
        try:
            status = path.stat()
        except OSError:
            return ""
        states.append((name, status.st_size, status.st_ino, status.st_mtime_ns, status.st_ctime_ns))
    refused = [str(error) for error in harvest.rejected_records(config, source)]
    settings = (source.config, source.read, source.columns)
    return digest(__version__, settings_digest(config, source), *settings, states, refused)
