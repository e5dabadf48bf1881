"""Cut XML into the elements of its records without parsing the file, so that a malformed record does not cost others.

Time grows with the size of the file, memory with that of its largest record.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from bibld.read._carrier import BROKEN_OFF, EXCERPT, Piece
from bibld.read._unpacking import Stream

_CHUNK = 512 * 1024
_LONGEST_NAME = 256
_SECTION_ENDS = {b"<!--": b"-->", b"<![CDATA[": b"]]>", b"<?": b"?>", b"<!DOCTYPE": b">"}
_LONGEST_TAG = 64 * 1024
_BRACKET = re.compile(rb"[<>]")
_SUBSET_OR_END = re.compile(rb"[\[<>]")
_WRAPPED = re.compile(rb"<(?:[\w.-]+:)?(?:header|metadata|recordData|recordSchema|recordIdentifier)[\s/>]")


class RecordShape(msgspec.Struct, frozen=True):
    """How records look in a file: the local name of their element, and a pattern that a part of one matches."""

    element: str
    content: str


SLIM = RecordShape("record", r"<(?:[\w.-]+:)?(?:leader|controlfield|datafield)[\s/>]")
"""MARCXML, MarcXchange, UNISlim."""

TURBO = RecordShape("r", r"<(?:[\w.-]+:)?(?:l|[cd][0-9A-Za-z]{3})[\s/>]")
"""Turbomarc, which puts the tags into the names of elements."""


def cut(stream: Stream, shape: RecordShape, maximum: int) -> Iterator[Piece]:
    """Yield the record elements of a file in a charset that contains ASCII.

    Elements that only wrap records (a ``record`` of OAI-PMH or SRU), comments and CDATA are passed over. A record that
    is not closed before the next one begins, or before the file ends, is yielded with a fault, and so is one of more
    than ``maximum`` bytes.
    """
    scan = _Scan(stream, shape, maximum)
    while (piece := scan.next_piece()) is not None:
        if piece[1]:
            yield piece


class _Scan:
    """The state of a scan: ``buffer`` begins at the offset ``base`` of the file, and is processed up to ``position``.

    A record element that is not closed yet begins at ``open_at`` (-1: none).
    """

    def __init__(self, stream: Stream, shape: RecordShape, maximum: int) -> None:
        element = shape.element.encode()
        self._markup = re.compile(
            rb"<!--|<!\[CDATA\[|<\?|<!DOCTYPE|<(/?)(?:[A-Za-z_][\w.-]{0,99}:)?" + element + rb"(?=[\s/>])"
        )
        self._content = re.compile(shape.content.encode())
        self._stream = stream
        self._maximum = maximum
        self._buffer = b""
        self._base = self._position = 0
        self._open_at = -1
        self._at_end = False
        self._searched = dict.fromkeys(_SECTION_ENDS, 0)

    def next_piece(self) -> Piece | None:
        """Return the next record; a piece without bytes if there is only progress; None at the end."""
        found = self._markup.search(self._buffer, self._position)
        if found is None:
            return self._beyond_markup()
        if found[1] is None:
            return self._section(found)
        bracket = _BRACKET.search(self._buffer, found.end())
        if bracket is None and not self._at_end and len(self._buffer) - found.start() < _LONGEST_TAG:
            return self._more(found.start())
        end = bracket.end() if bracket is not None and bracket[0] == b">" else found.end()
        if found[1]:
            return self._closed(end)
        return self._opened(found.start(), end)

    def _beyond_markup(self) -> Piece | None:
        if not self._at_end:
            end = len(self._buffer)
            bracket = self._buffer.rfind(b"<", max(self._position, end - _LONGEST_NAME))
            return self._more(bracket if bracket >= 0 else end)
        if self._open_at < 0:
            return None
        piece = self._piece(self._open_at, len(self._buffer), BROKEN_OFF)
        self._open_at = -1
        self._position = len(self._buffer)
        return piece

    def _section(self, found: re.Match[bytes]) -> Piece | None:
        """Pass over a comment, CDATA section, processing instruction or DOCTYPE; if it is never closed, it is text."""
        opening = found[0]
        closing = _SECTION_ENDS[opening]
        if opening == b"<!DOCTYPE":
            bracket = _SUBSET_OR_END.search(self._buffer, found.end())
            closing = b"]>" if bracket is not None and bracket[0] == b"[" else closing
        begin = max(found.end(), self._searched[opening] - self._base)
        end = self._buffer.find(closing, begin)
        if end >= 0:
            self._position = end + len(closing)
            return self._progress()
        self._searched[opening] = self._base + max(len(self._buffer) - len(closing) + 1, found.end())
        if self._at_end or len(self._buffer) - found.start() > self._maximum:
            self._position = found.end()
            return self._progress()
        return self._more(found.start())

    def _opened(self, start: int, end: int) -> Piece | None:
        before, self._open_at = self._open_at, start
        self._position = end
        if self._buffer[end - 2 : end] == b"/>":
            self._open_at = -1
            if before >= 0:
                self._open_at = before
                return self._progress()
            return self._piece(start, end, "")
        if before >= 0 and self._content.search(self._buffer, before, start):
            return self._piece(before, start, "the next record begins before this one is closed")
        return self._progress()

    def _closed(self, end: int) -> Piece | None:
        before, self._open_at = self._open_at, -1
        self._position = end
        if before < 0:
            return self._progress()
        piece = self._piece(before, end, "")
        if not self._content.search(piece[1]) and _WRAPPED.search(piece[1]):
            return self._progress()
        return piece

    def _more(self, position: int) -> Piece | None:
        """Read more, keeping what is still needed; give up a record that is open for more than the maximum."""
        keep = self._open_at if self._open_at >= 0 else position
        if len(self._buffer) - keep > self._maximum:
            return self._too_long(keep, position)
        self._position = position - keep
        self._open_at = 0 if self._open_at >= 0 else -1
        self._base += keep
        chunk = self._stream.read(_CHUNK)
        self._at_end = not chunk
        self._buffer = self._buffer[keep:] + chunk
        return self._progress()

    def _too_long(self, start: int, position: int) -> Piece | None:
        is_record = self._open_at >= 0 and self._content.search(self._buffer, start) is not None
        self._open_at = -1
        self._position = max(position, start + 1)
        if not is_record:
            return self._progress()
        fault = f"a record of more than {self._maximum} bytes (the first {EXCERPT} are kept)"
        return self._piece(start, min(start + EXCERPT, len(self._buffer)), fault)

    def _piece(self, start: int, end: int, fault: str) -> Piece:
        return self._base + start, self._buffer[start:end], fault

    def _progress(self) -> Piece:
        return self._base + self._position, b"", ""
