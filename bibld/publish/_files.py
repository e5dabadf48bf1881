"""Files of a release: compressed with reproducible bytes, described for the manifest."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from bibld.model.release import ReleaseFile
from bibld.protocols import PreviousRelease

FULL_DUMPS = ("bibld.nq.gz", "bibld.nt.gz")
"""The full dumps: every quad (N-Quads), and the default graph alone (N-Triples)."""

_LEVEL = 6
_BUFFER = 1 << 20
_MEDIA_TYPES = {
    ".nq.gz": "application/n-quads",
    ".nt.gz": "application/n-triples",
    ".nq": "application/n-quads",
    ".ttl": "text/turtle",
    ".json": "application/json",
}


@contextmanager
def open_gzip(path: Path) -> Iterator[BinaryIO]:
    """Open a gzip file for writing, without name and time in its header: the same content has the same bytes."""
    with (
        path.open("wb") as raw,
        gzip.GzipFile(filename="", mode="wb", compresslevel=_LEVEL, fileobj=raw, mtime=0) as packed,
        io.BufferedWriter(packed, _BUFFER) as out,
    ):
        yield out


def link_or_copy(source: Path, target: Path) -> None:
    """Give a file to two releases; it is copied where the file system has no hard links."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def describe_files(folder: Path, previous: PreviousRelease | None) -> tuple[ReleaseFile, ...]:
    """Return size, checksum and media type of all files of a release, sorted by name.

    A file that is a hard link to one of the previous release is not read again.
    """
    found = []
    for path in sorted(path for path in folder.iterdir() if path.is_file()):
        known = previous.manifest.file(path.name) if previous is not None else None
        if previous is not None and known is not None:
            before = previous.folder / path.name
            if before.is_file() and before.samefile(path):
                found.append(known)
                continue
        with path.open("rb") as content:
            checksum = hashlib.file_digest(content, "sha256").hexdigest()
        media_type = next((kind for end, kind in _MEDIA_TYPES.items() if path.name.endswith(end)), "text/plain")
        found.append(ReleaseFile(path.name, path.stat().st_size, checksum, media_type))
    return tuple(found)
