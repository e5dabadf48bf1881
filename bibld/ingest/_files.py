"""The files of a source, and those inside its archives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from bibld import harvest
from bibld.config import Config, Source
from bibld.errors import HarvestError
from bibld.protocols import HarvestedFile
from bibld.read import archive_of, delete_others, unpack_once


def source_files(config: Config, source: Source) -> Iterator[HarvestedFile]:
    """Yield the files of one source in a stable order, those in archives too; raises ``HarvestError`` at the end.

    Of a source that is fetched from a server they are what is stored; the server is not asked.
    """
    members = source.config.members
    patterns = (members,) if isinstance(members, str) else members
    return unpacked(harvest.files(config, source), config.workspace / "unpacked" / source.id, patterns)


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
