"""Files of a release: compressed with reproducible bytes, described for the manifest; statements and records."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO

import msgspec
import pyoxigraph
import zstandard
from zlib_ng import gzip_ng_threaded

from bibld.model import rdf
from bibld.model.iris import Iris
from bibld.model.rdf import iri, quad, term, typed_literal
from bibld.model.release import ReleaseFile, link_or_copy
from bibld.parallel import map_in_threads, worker_count
from bibld.protocols import PreviousRelease, ReleaseDraft


def has_all_graphs(name: str) -> bool:
    """Return whether a file of full dumps, or a part of one, has the quads of all graphs."""
    return ".nq." in name


_GZIP_LEVEL = 5
"""Three quarters of the processor time of level 6, for two bytes more in a hundred."""

_ZSTD_LEVEL = 3
_PIECE = 1 << 20
_MEDIA_TYPES = {
    ".nq.gz": "application/n-quads",
    ".nq.zst": "application/n-quads",
    ".nt.gz": "application/n-triples",
    ".nt.zst": "application/n-triples",
    ".nq": "application/n-quads",
    ".ttl": "text/turtle",
    ".json": "application/json",
    ".tsv": "text/tab-separated-values",
    ".jsonl.gz": "application/jsonl",
    ".jsonl.zst": "application/jsonl",
    ".mods.xml.gz": "application/mods+xml",
    ".mods.xml.zst": "application/mods+xml",
    ".xml.gz": "application/xml",
    ".xml": "application/xml",
}


class DumpWriter:
    """Writes in pieces of one size, because the compressed bytes depend on the pieces."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._waiting: list[bytes] = []
        self._bytes_waiting = 0

    def write(self, data: bytes) -> None:
        """Write some bytes, sooner or later."""
        self._waiting.append(data)
        self._bytes_waiting += len(data)
        if self._bytes_waiting >= _PIECE:
            self._write_pieces()

    def _write_pieces(self) -> None:
        data = b"".join(self._waiting)
        end = len(data) - len(data) % _PIECE
        for start in range(0, end, _PIECE):
            self._out.write(data[start : start + _PIECE])
        self._waiting, self._bytes_waiting = [data[end:]], len(data) - end

    def finish(self) -> None:
        """Write what is left."""
        self._out.write(b"".join(self._waiting))


@contextmanager
def open_dump(path: Path) -> Iterator[DumpWriter]:
    """Open a file for writing that is compressed in another thread, with zstd (``.zst``) or gzip.

    The same content has the same bytes: there is no name and no time in the header.
    """
    with ExitStack() as files:
        if path.suffix == ".zst":
            compressor = zstandard.ZstdCompressor(level=_ZSTD_LEVEL, write_checksum=True, threads=1)
            raw = files.enter_context(path.open("wb"))
            out = files.enter_context(compressor.stream_writer(raw, closefd=False))
        else:
            packed = gzip_ng_threaded.open(  # type: ignore[no-untyped-call]
                path, "wb", compresslevel=_GZIP_LEVEL, threads=1, block_size=_PIECE
            )
            out = files.enter_context(packed)
        writer = DumpWriter(out)
        yield writer
        writer.finish()


def describe_files(
    folder: Path, previous: PreviousRelease | None, described: Iterable[ReleaseFile] = ()
) -> tuple[ReleaseFile, ...]:
    """Return size, checksum and media type of all files of a release, sorted by name.

    A file that is a hard link to one of the previous release is not read again, nor is one that is ``described``.
    """
    known = {file.name: file for file in described}
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name not in known)
    new = map_in_threads(partial(_describe_file, previous), files, worker_count(0))
    return tuple(sorted((*known.values(), *new), key=lambda file: file.name))


def _describe_file(previous: PreviousRelease | None, path: Path) -> ReleaseFile:
    known = previous.manifest.file(path.name) if previous is not None else None
    if previous is not None and known is not None:
        before = previous.folder / path.name
        if before.is_file() and before.samefile(path):
            return known
    with path.open("rb") as content:
        checksum = hashlib.file_digest(content, "sha256").hexdigest()
    return ReleaseFile(path.name, path.stat().st_size, checksum, media_type(path.name))


def media_type(name: str) -> str:
    """Return the media type of a file of a release by its name."""
    return next((kind for end, kind in _MEDIA_TYPES.items() if name.endswith(end)), "text/plain")


RUN_FILE = "run.nq"
"""The quads of the graph ``run``."""

_PREFIXES = {prefix: rdf.PREFIXES[prefix] for prefix in ("void", "dcterms", "foaf", "skos", "prov", "owl", "xsd")}
"""The prefixes that the description is written with in Turtle."""


def number(count: int) -> str:
    """Write a count as a term."""
    return typed_literal(str(count), "integer")


def add_run_statements(draft: ReleaseDraft, lines: tuple[str, ...]) -> ReleaseDraft:
    """Add statements to the graph ``run``, count there all quads of the release, and write the files again.

    The counts are of this graph and of the dataset, as far as the quads of the other graphs have been counted.
    """
    iris = Iris(draft.manifest.dataset.base)
    dataset, graph = iri(iris.dataset), iri(iris.graph("run"))
    counted = (f"{dataset} {term('void:triples')} ", f"{graph} {term('void:triples')} ")
    others = {line for line in draft.run_statements if not line.startswith(counted)} | set(lines)
    others.add(quad(dataset, term("void:subset"), graph, graph))
    in_other_graphs = draft.manifest.figures.quads
    in_run = len(others) + (2 if in_other_graphs else 1)
    others.add(quad(graph, term("void:triples"), number(in_run), graph))
    if in_other_graphs:
        others.add(quad(dataset, term("void:triples"), number(in_other_graphs + in_run), graph))
    draft = msgspec.structs.replace(draft, run_statements=tuple(sorted(others)))
    write_statements(draft)
    return draft


def write_statements(draft: ReleaseDraft) -> None:
    """Write the description of the dataset, if it has been made, and the statements about the run.

    ``void.ttl`` has both, because only the run knows which dumps and patches the release has.
    """
    if draft.run_statements:
        (draft.folder / RUN_FILE).write_text("".join(draft.run_statements), encoding="utf-8")
    if draft.description != draft.source_statements:
        write_turtle({*draft.description, *draft.run_statements}, _PREFIXES, draft.folder / "void.ttl")


def write_turtle(lines: Iterable[str], prefixes: Mapping[str, str], file: Path) -> None:
    """Write the triples of lines of N-Quads in the order of the lines, whatever their graphs."""
    quads = pyoxigraph.parse("".join(sorted(lines)).encode(), format=pyoxigraph.RdfFormat.N_QUADS)
    triples = (each.triple for each in quads)
    pyoxigraph.serialize(triples, str(file), format=pyoxigraph.RdfFormat.TURTLE, prefixes=dict(prefixes))


DESCRIPTIONS = re.compile(r"(?:merged|works)-(\d+)-\d+\.(jsonl|mods\.xml)\.(gz|zst)")
"""Names of files of merged records or of works; the number is that of the release that they show."""


def write_records(
    draft: ReleaseDraft, name: tuple[str, str], frame: tuple[bytes, bytes], items: Iterator[bytes], size: int
) -> None:
    """Write ``merged-N-1`` and so on, each with at most ``size`` bytes before compression, or one item.

    ``name`` is what comes before the numbers of a file (``merged-``) and after them. Where the full dumps are those of
    an earlier release, its files are taken over instead. ``frame`` is what a file begins and ends with.
    """
    if _link_earlier(draft, name):
        return
    head, tail = frame
    item = next(items, b"")
    number = 0
    while item or number == 0:
        number += 1
        written = 0
        with open_dump(draft.folder / f"{name[0]}{draft.manifest.number}-{number}{name[1]}") as out:
            out.write(head)
            while item and (written == 0 or written + len(item) <= size):
                out.write(item)
                written += len(item)
                item = next(items, b"")
            out.write(tail)


def _link_earlier(draft: ReleaseDraft, name: tuple[str, str]) -> bool:
    """Take over the files of the previous release; return False where they have to be written."""
    full, previous = draft.manifest.full, draft.previous
    if previous is None or full is None or full.release == draft.manifest.number:
        return False
    known = (file.name for file in previous.manifest.files if DESCRIPTIONS.fullmatch(file.name))
    files = [file for file in known if file.startswith(name[0]) and file.endswith(name[1])]
    if not files or not all((previous.folder / file).is_file() for file in files):
        return False
    for file in files:
        link_or_copy(previous.folder / file, draft.folder / file)
    return True
