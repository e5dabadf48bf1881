"""What a file of a format has around its records, so that stored originals can be written as files again."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from typing import Any

import msgspec

from bibld.model.foreign_xml import declare_namespaces


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
