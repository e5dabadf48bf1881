"""JSON lines: one object in each line, as a row of a table whose columns are the keys.

The values of a list are cells of one column each; the keys of an object within an object are joined with a dot
(``{"author": {"name": "…"}}`` is the column ``author.name``). ``null``, ``true`` and ``false`` are left out. A line
that is not a JSON object costs itself only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

import msgspec

from bibld.errors import ReadError
from bibld.protocols import Parsed, Raw, Row
from bibld.read import marcjson
from bibld.read._carrier import (
    BOM,
    EXCERPT,
    CharsetCarrier,
    Piece,
    count_repeats,
    decode_text,
    drop_illegal,
    sample_charsets,
    to_raws,
)
from bibld.read._charset import AUTO, LATIN1, settle_charsets

_HEAD = 64 * 1024
_LINES_SNIFFED = 5
_BEGIN = re.compile(rb'\{\s*"')


class Settings(msgspec.Struct, frozen=True):
    """``charset``: ``auto``, or the one that the file is in. ``max_record_bytes``: a longer line is rejected."""

    charset: str = AUTO
    max_record_bytes: int = 16 * 1024 * 1024


class JsonlCarrier(CharsetCarrier, frozen=True):
    """One file of JSON lines."""

    def raws(self, stream: BinaryIO) -> Iterator[Raw | ReadError]:
        """Cut the file into lines."""
        return to_raws(self.source, self.file, _lines(stream, self.max_record_bytes))

    def parse(self, raw: Raw) -> Parsed:
        """Read one line; raises ``ReadError`` if it is not a JSON object, or has no text."""
        text, warnings = decode_text(raw.data, self.charsets)
        try:
            value = msgspec.json.decode(text)
            cells = tuple(_cells("", value))
        except (ValueError, RecursionError) as error:
            raise ReadError(raw.origin, f"the line is not JSON: {error}", raw.data) from error
        if not isinstance(value, dict):
            raise ReadError(raw.origin, 'the line is not a JSON object, such as {"title": "…"}', raw.data)
        if not cells:
            raise ReadError(raw.origin, "the object has no value with text", raw.data)
        return Parsed(Row(raw.origin, cells), count_repeats(warnings))


CarrierType = JsonlCarrier


def sniffs(head: bytes) -> bool:
    """Return whether the first lines are JSON objects without fields of MARC; one that is cut off must begin as one."""
    if marcjson.sniffs(head):
        return False
    lines = [line.strip() for line in head.removeprefix(BOM).split(b"\n") if line.strip()]
    if len(head) >= _HEAD and lines and _BEGIN.match(lines[-1]):
        del lines[-1]
        return all(map(_is_object, lines[:_LINES_SNIFFED]))
    return bool(lines) and all(map(_is_object, lines[:_LINES_SNIFFED]))


def _is_object(line: bytes) -> bool:
    try:
        msgspec.json.decode(line, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, RecursionError):
        return False
    return True


def examine(stream: BinaryIO, name: str, source: str, settings: Settings) -> JsonlCarrier:
    """Find the charset by the first 200 lines: UTF-8, as JSON must be, unless they are in another."""
    samples = sample_charsets(_lines(stream, settings.max_record_bytes))
    charsets = settle_charsets(settings.charset, None, LATIN1, samples)
    return JsonlCarrier(source=source, file=name, charsets=charsets, max_record_bytes=settings.max_record_bytes)


def _lines(stream: BinaryIO, maximum: int) -> Iterator[Piece]:
    """Yield the lines with text and their offsets; of one that is longer only the beginning, with a fault."""
    offset, is_continued = 0, False
    while data := stream.readline(maximum + 1):
        is_first, is_continued = not is_continued, not data.endswith(b"\n")
        start, line = offset, data.rstrip(b"\r\n")
        if offset == 0 and line.startswith(BOM):
            start, line = len(BOM), line[len(BOM) :]
        offset += len(data)
        if is_first and len(line) > maximum:
            yield start, line[:EXCERPT], f"a line of more than {maximum} bytes (the first {EXCERPT} are kept)"
        elif is_first and line.strip():
            yield start, line, ""


def _cells(name: str, value: object) -> Iterator[tuple[str, str]]:
    """Yield pairs of column name and text."""
    if isinstance(value, dict):
        for key, inner in value.items():
            column = drop_illegal(key)[0]
            yield from _cells(f"{name}.{column}" if name else column, inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _cells(name, inner)
    elif isinstance(value, str) and (text := drop_illegal(value)[0].strip()):
        yield name, text
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield name, str(value)
