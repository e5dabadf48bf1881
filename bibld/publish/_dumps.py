"""Dumps: compressed files of quads whose bytes depend on nothing but the quads."""

from __future__ import annotations

import gzip
import hashlib
import io
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from bibld.model.rdf import graph_of
from bibld.model.release import ReleaseFile

DUMPS = ("bibld.nq.gz", "bibld.nt.gz")
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


def write_dumps(quads: Iterable[str], folder: Path) -> int:
    """Write the full dumps, in the order given; gives the number of quads."""
    count = 0
    every_name, default_name = DUMPS
    with compressed(folder / every_name) as every, compressed(folder / default_name) as default:
        for line in quads:
            data = line.encode()
            every.write(data)
            count += 1
            if graph_of(line) is None:
                default.write(data)
    return count


@contextmanager
def compressed(path: Path) -> Iterator[BinaryIO]:
    """A gzip file without name and time in its head, so that the same content has the same bytes."""
    with (
        path.open("wb") as raw,
        gzip.GzipFile(filename="", mode="wb", compresslevel=_LEVEL, fileobj=raw, mtime=0) as packed,
        io.BufferedWriter(packed, _BUFFER) as out,
    ):
        yield out


def described(path: Path, folder: Path) -> ReleaseFile:
    """Size, checksum and media type of a file of a release."""
    with path.open("rb") as content:
        checksum = hashlib.file_digest(content, "sha256").hexdigest()
    media_type = next((kind for end, kind in _MEDIA_TYPES.items() if path.name.endswith(end)), "text/plain")
    return ReleaseFile(path.relative_to(folder).as_posix(), path.stat().st_size, checksum, media_type)
