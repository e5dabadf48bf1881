"""Originals of the catalog as files that their reader reads again."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO
from xml.sax.saxutils import quoteattr

import click
import msgspec

from bibld.catalog import Catalog
from bibld.progress import Progress, count_items
from bibld.read import carrier_of


class Frame(msgspec.Struct, frozen=True):
    """What stands before, behind each of, and after the records of a file, and how its name ends."""

    suffix: str
    head: bytes = b""
    behind: bytes = b""
    tail: bytes = b""


class Exported(msgspec.Struct, frozen=True):
    """A written file: of which source, from which file by which reader in which charset, and how many records."""

    name: str
    source: str
    file: str
    reader: str
    charset: str
    records: int


def _xml(carrier: Any, element: str) -> Frame:  # noqa: ANN401
    charset = "UTF-8" if carrier.recoded or carrier.charset in ("ascii", "utf-8") else carrier.charset
    names = "".join(
        f" xmlns{':' if prefix else ''}{prefix}={quoteattr(iri)}" for prefix, iri in carrier.namespaces if iri
    )
    head = f'<?xml version="1.0" encoding="{charset}"?>\n<{element}{names}>\n'
    return Frame(".xml", head.encode(), b"\n", f"</{element}>\n".encode())


def _table(carrier: Any) -> Frame:  # noqa: ANN401
    if not carrier.has_header:
        return Frame(".csv", behind=b"\n")
    line = io.StringIO()
    csv.writer(line, delimiter=carrier.delimiter, lineterminator="\n").writerow(carrier.columns)
    return Frame(".csv", line.getvalue().encode(carrier.charset), b"\n")


_FRAMES: dict[str, Callable[[Any], Frame]] = {
    "iso2709": lambda carrier: Frame(".mrc"),
    "marcxml": lambda carrier: _xml(carrier, "collection"),
    "mods": lambda carrier: _xml(carrier, "modsCollection"),
    "marcjson": lambda carrier: Frame(".json", behind=b"\n"),
    "csv": _table,
    "mrk": lambda carrier: Frame(".mrk", behind=b"\n\n"),
    "yaz": lambda carrier: Frame(".txt", behind=b"\n\n"),
    "aleph": lambda carrier: Frame(".seq", behind=b"\n"),
}


def export_originals(
    catalog: Catalog, source: str | None, out: BinaryIO | Path, progress: Progress
) -> Iterator[Exported]:
    """Write the original bytes of all living records: into a folder, one file for each file that they come from, or
    into a stream, if they come from files of one kind in one source.

    Raises ``click.UsageError`` where a stream would be a mixture of several.
    """
    carriers = [
        (number, name, file, reader, carrier_of(reader, state))
        for number, name, file, reader, state in catalog.records.carriers(source)
    ]
    kinds = {(name, reader, frame_of(reader, one), one.charset) for _, name, _, reader, one in carriers}
    if not isinstance(out, Path) and len(kinds) > 1:
        raise click.UsageError(
            f"the originals are of {len(kinds)} kinds (source, carrier, charset), which do not make one file; name one"
            " source by --source, or a folder by --out"
        )
    progress.stage("export", "records")
    for place, (number, name, file, reader, one) in enumerate(carriers):
        frame = frame_of(reader, one)
        originals = count_items(catalog.records.originals(number), progress)
        if isinstance(out, Path):
            path = out / f"{name}-{number}{frame.suffix}"
            with path.open("wb") as stream:
                count = _write(originals, frame, stream, is_first=True, is_last=True)
            yield Exported(path.name, name, file, reader, one.charset, count)
        else:
            _write(originals, frame, out, is_first=place == 0, is_last=place == len(carriers) - 1)


def frame_of(reader: str, carrier: Any) -> Frame:  # noqa: ANN401
    """What stands around the records of a file; nothing for a reader that is not one of bibld's own."""
    return _FRAMES[reader](carrier) if reader in _FRAMES else Frame(f".{reader}")


def _write(originals: Iterator[bytes], frame: Frame, out: BinaryIO, is_first: bool, is_last: bool) -> int:
    if is_first:
        out.write(frame.head)
    count = 0
    for count, original in enumerate(originals, 1):  # noqa: B007 - the last number is the count
        out.write(original)
        if not original.endswith(frame.behind):
            out.write(frame.behind)
    if is_last:
        out.write(frame.tail)
    return count
