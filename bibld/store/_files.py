"""Files of triples, one graph each, that a remote store is filled with.

They are a copy of the catalog's quads at one moment, so that a load can continue after a new run has changed them.
"""

from __future__ import annotations

import gzip
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from bibld.errors import StoreError
from bibld.progress import Progress
from bibld.protocols import TriplesFile

_LIST = "files.json"
_QUAD = re.compile(
    rb'^(\S+ \S+ (?:<[^>\n]*+>|"(?:[^"\\\n]|\\.)*+"(?:@[\w-]++|\^\^<[^>\n]*+>)?+))(?: <([^>\n]*+)>)? \.$', re.MULTILINE
)
_COMPRESSION = 1


class _Written(msgspec.Struct, frozen=True):
    """A file as the list names it."""

    name: str
    graph: str
    quads: int


def write_files(folder: Path, blocks: Iterable[bytes], file_quads: int, progress: Progress) -> list[TriplesFile]:
    """Write blocks of N-Quads as files with up to ``file_quads`` triples of one graph; the folder is emptied before.

    Raises ``StoreError`` where the folder cannot be written.
    """
    written: list[_Written] = []
    triples: dict[bytes, list[bytes]] = {}

    def write(graph: bytes) -> None:
        lines = triples.pop(graph)
        name = f"{len(written) + 1:06}.nt.gz"
        with gzip.open(folder / name, "wb", compresslevel=_COMPRESSION) as out:
            out.write(b"".join(lines))
        written.append(_Written(name, graph.decode(), len(lines)))
        progress.advance(len(lines))

    try:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for block in blocks:
            for triple, graph in _QUAD.findall(block):
                triples.setdefault(graph, []).append(b"%s .\n" % triple)
            for graph in [graph for graph, lines in triples.items() if len(lines) >= file_quads]:
                write(graph)
        for graph in list(triples):
            write(graph)
        draft = folder / f"{_LIST}.new"
        draft.write_bytes(msgspec.json.encode(written))
        draft.rename(folder / _LIST)
    except OSError as error:
        raise StoreError(
            f"{folder}: the files for the remote store cannot be written: {error.strerror};"
            " free some space, then run again"
        ) from error
    return read_files(folder)


def read_files(folder: Path) -> list[TriplesFile]:
    """Return the files of a folder in their order; none if they were not all written."""
    try:
        written = msgspec.json.decode((folder / _LIST).read_bytes(), type=list[_Written])
    except (OSError, msgspec.DecodeError):
        return []
    return [TriplesFile(folder / each.name, each.graph, each.quads) for each in written]


def remove_files(folder: Path) -> None:
    """Delete the folder."""
    shutil.rmtree(folder, ignore_errors=True)


def count_by_graph(files: Sequence[TriplesFile]) -> dict[str, int]:
    """Return the number of quads of each graph."""
    counts: Counter[str] = Counter()
    for each in files:
        counts[each.graph] += each.quads
    return dict(sorted(counts.items()))
