"""Parts of a file that are read apart from each other: planned while the file is cut once, each cut again alone."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from bibld.errors import DamagedFileError, ReadError
from bibld.model.foreign_xml import declare_namespaces
from bibld.protocols import Carrier, HarvestedFile, Raw
from bibld.read._streams import compression_of
from bibld.read.iso2709 import RECORD_END

_DIVISIBLE = {"iso2709", "marcxml", "mods", "dublincore"}
"""Readers whose cutting does not depend on what is before a record."""

_HEAD = 64


class FilePart(msgspec.Struct, frozen=True):
    """The records of a file that begin from the byte ``start`` to before ``end`` (0: the end of the file).

    ``position`` is that of the first piece.
    """

    start: int = 0
    end: int = 0
    position: int = 1

    @property
    def is_file(self) -> bool:
        """Whether this is the file from its first byte to its last."""
        return not self.start and not self.end


class PartPlan:
    """Collects the pieces of one file, in their order, and plans parts of at least ``size`` bytes."""

    def __init__(self, file: HarvestedFile, reader: str, carrier: Carrier, size: int) -> None:
        self._size = size
        self._is_divisible = reader in _DIVISIBLE and not getattr(carrier, "recoded", "") and not _is_compressed(file)
        self._is_iso2709 = reader == "iso2709"
        self._starts = [(0, 1)]
        self._last: Raw | ReadError | None = None

    def add(self, piece: Raw | ReadError) -> None:
        """Note the next piece."""
        last, self._last = self._last, piece
        if not self._is_divisible or not isinstance(piece, Raw) or last is None:
            return
        begin = piece.origin.offset
        if self._is_iso2709:
            # Behind a terminator, where cutting the whole file also begins a piece.
            if not isinstance(last, Raw) or not last.data.endswith(RECORD_END):
                return
            begin = last.origin.offset + len(last.data)
        if begin - self._starts[-1][0] >= self._size:
            self._starts.append((begin, piece.origin.position))

    def parts(self) -> tuple[FilePart, ...]:
        """Return the parts of the file; together they are all of it."""
        ends = [start for start, _ in self._starts[1:]] + [0]
        return tuple(FilePart(start, end, position) for (start, position), end in zip(self._starts, ends, strict=True))


def read_part(file: HarvestedFile, carrier: Carrier, part: FilePart) -> Iterator[Raw | ReadError]:
    """Cut one part of a file that has been planned, as cutting the whole file does.

    A file that was cut off since then has fewer records than were counted, which the caller has to compare.
    """
    with file.path.open("rb") as stream:
        stream.seek(part.start)
        for piece in carrier.raws(stream):
            if isinstance(piece, DamagedFileError):
                continue  # the file was complete; here the end of a document without its beginning looks damaged
            offset = piece.origin.offset + part.start
            if part.end and offset >= part.end:
                return
            origin = msgspec.structs.replace(
                piece.origin, offset=offset, position=piece.origin.position + part.position - 1
            )
            if isinstance(piece, Raw):
                yield Raw(origin, piece.data)
            else:
                yield type(piece)(origin, piece.reason, piece.original, piece.control_number)


def _is_compressed(file: HarvestedFile) -> bool:
    with file.path.open("rb") as stream:
        return bool(compression_of(stream.read(_HEAD)))


class FileFrame(msgspec.Struct, frozen=True):
    """The suffix of a file's name, and the bytes before its first record, after each, and after its last."""

    suffix: str
    head: bytes = b""
    separator: bytes = b""
    tail: bytes = b""


def file_frame(reader: str, carrier: Any) -> FileFrame:  # noqa: ANN401
    """Return the frame of a file that a reader has examined; an empty one for a reader of another distribution."""
    return _FRAMES[reader](carrier) if reader in _FRAMES else FileFrame(f".{reader}")


def _xml(carrier: Any, element: str) -> FileFrame:  # noqa: ANN401
    charset = "UTF-8" if carrier.recoded or carrier.charset in ("ascii", "utf-8") else carrier.charset
    names = declare_namespaces((prefix, iri) for prefix, iri in carrier.namespaces if iri)
    head = f'<?xml version="1.0" encoding="{charset}"?>\n<{element}{names}>\n'
    return FileFrame(".xml", head.encode(), b"\n", f"</{element}>\n".encode())


def _table(carrier: Any) -> FileFrame:  # noqa: ANN401
    if not carrier.has_header:
        return FileFrame(".csv", separator=b"\n")
    line = io.StringIO()
    csv.writer(line, delimiter=carrier.delimiter, lineterminator="\n").writerow(carrier.columns)
    return FileFrame(".csv", line.getvalue().encode(carrier.charset), b"\n")


_FRAMES: dict[str, Callable[[Any], FileFrame]] = {
    "iso2709": lambda carrier: FileFrame(".mrc"),
    "marcxml": lambda carrier: _xml(carrier, "collection"),
    "mods": lambda carrier: _xml(carrier, "modsCollection"),
    "dublincore": lambda carrier: _xml(carrier, "records"),
    "marcjson": lambda carrier: FileFrame(".json", separator=b"\n"),
    "jsonl": lambda carrier: FileFrame(".jsonl", separator=b"\n"),
    "csv": _table,
    "mrk": lambda carrier: FileFrame(".mrk", separator=b"\n\n"),
    "yaz": lambda carrier: FileFrame(".txt", separator=b"\n\n"),
    "aleph": lambda carrier: FileFrame(".seq", separator=b"\n"),
}
