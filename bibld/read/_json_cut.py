"""Cut JSON into the objects that are records: one in each line, in an array, or within other objects.

The file is not parsed. A record that is cut off or malformed does not cost the next one, because the keys that a record
begins with are known, and ``{"leader":`` cannot occur within a string. Time grows with the size of the file, memory
with that of its largest record.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from bibld.read._carrier import BOM, BROKEN_OFF, EXCERPT, Piece
from bibld.read._streams import Stream

_CHUNK = 512 * 1024
_LOOKED_AHEAD = 4 * 1024
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+("?)|[{}\[\]]', re.DOTALL)
_FIRST_KEY = (
    rb'\s*(?:"?(?:leader|fields|controlfield)"?\s*:|"v"\s*:\s*[0-9]|"_id"\s*:\s*(?:"[^"]*"|[0-9]+)\s*,\s*"record"\s*:)'
)
_BEGIN = re.compile(_FIRST_KEY)
_BROKEN_STRING = re.compile(rb'(\{\s*)"\Z')
_WITHIN_BROKEN = re.compile(rb'\s*"(?:leader|fields|controlfield)"\s*:|"v"\s*:\s*[0-9]|"_id"\s*:')
_BETWEEN = b" \t\r\n\x0c,[]:\x1e" + BOM
_BEFORE_NEXT = re.compile(rb"\}(?=[\s,]*+\{" + _FIRST_KEY + rb")")
_BLANKS = re.compile(rb"[\s,]*+")
_MAX_LINE_BYTES = 64 * 1024
_SHORT = 64


def cut(stream: Stream, maximum: int) -> Iterator[Piece]:
    """Yield the record objects of a file in a charset that contains ASCII.

    An object that only contains records is passed over; one that contains none is yielded. A record that is not closed
    before the next one begins or the file ends is yielded with a fault, and so is one of more than ``maximum`` bytes,
    and what is not an object.
    """
    scan = _Scan(stream, maximum)
    while not scan.is_done:
        yield from scan.step()


class _Scan:
    """The state of a scan: ``buffer`` begins at the offset ``base`` of the file, and is processed up to ``position``.

    ``record`` is where a record that is open begins (-1: none) and ``record_depth`` how deep, ``outer`` the same for an
    outermost object that may or may not be one; ``outer_wraps`` once records were found in it. ``gap`` is where the
    last of them ended.
    """

    def __init__(self, stream: Stream, maximum: int) -> None:
        self._stream = stream
        self._maximum = maximum
        self._buffer = b""
        self._base = self._position = self._gap = self._depth = 0
        self._record = self._outer = -1
        self._record_depth = self._outer_depth = 0
        self._outer_wraps = False
        self._at_end = False
        self.is_done = False

    def step(self) -> Iterator[Piece]:
        """Process a token, or a line that is a record."""
        if self._record < 0 and (self._outer < 0 or self._outer_wraps) and (span := self._find_complete()) is not None:
            self._position = self._gap = span[1]
            yield self._piece(*span, "")
            return
        token = _TOKEN.search(self._buffer, self._position)
        if token is None:
            yield from self._more(len(self._buffer))
        elif token[1] is not None:
            yield from self._string(token)
        elif token[0] in b"{[":
            yield from self._opened(token.start(), token[0] == b"{")
        else:
            yield from self._closed(token.end())

    def _find_complete(self) -> tuple[int, int] | None:
        """Return begin and end of a record that is well-formed and fills a line, or is followed by another record."""
        if self._position - self._gap > _SHORT or self._buffer[self._gap : self._position].strip(_BETWEEN):
            return None
        blanks = _BLANKS.match(self._buffer, self._position)
        start = blanks.end() if blanks is not None else self._position
        if _BEGIN.match(self._buffer, start + 1) is None:
            return None
        end = self._buffer.find(b"\n", start, start + _MAX_LINE_BYTES)
        length = _length_of_object(self._buffer[start:end]) if end > 0 else 0
        if not length and (last := _BEFORE_NEXT.search(self._buffer, start, start + _MAX_LINE_BYTES)) is not None:
            length = _length_of_object(self._buffer[start : last.end()])
        return (start, start + length) if length else None

    def _string(self, token: re.Match[bytes]) -> Iterator[Piece]:
        is_cut = not token[1] or len(self._buffer) - token.end() < _LOOKED_AHEAD
        if is_cut and not self._at_end and len(self._buffer) - token.start() <= self._maximum:
            yield from self._more(token.start())
            return
        self._position = token.end()
        broken = _BROKEN_STRING.search(token[0]) if b"{" in token[0] else None
        if broken is None or not _WITHIN_BROKEN.match(self._buffer, token.start() + broken.end(1)):
            return
        at = token.start() + broken.start()
        yield from self._broken_off(at)
        self._position = at

    def _opened(self, start: int, is_object: bool) -> Iterator[Piece]:
        if is_object and not self._at_end and len(self._buffer) - start < _LOOKED_AHEAD:
            yield from self._more(start)
            return
        if is_object and _BEGIN.match(self._buffer, start + 1):
            if self._record >= 0:
                yield from self._broken_off(start)
            if self._outer >= 0 and not self._outer_wraps and self._is_value(start):
                self._outer_wraps = True
            elif self._outer >= 0 and not self._outer_wraps:
                yield from self._broken_off(start)
            elif self._outer < 0:
                yield from self._between(start)
            self._record, self._record_depth = start, self._depth
        elif is_object and self._record < 0 and self._outer < 0:
            yield from self._between(start)
            self._outer, self._outer_depth, self._outer_wraps = start, self._depth, False
        self._depth += 1
        self._position = start + 1

    def _is_value(self, start: int) -> bool:
        """Return whether a record may begin here within another object: as a value, or as the first of an array."""
        return self._buffer[max(start - _LOOKED_AHEAD, 0) : start].rstrip()[-1:] in (b"[", b":")

    def _closed(self, end: int) -> Iterator[Piece]:
        self._position = end
        self._depth = max(self._depth - 1, 0)
        if self._record >= 0 and self._depth <= self._record_depth:
            yield self._piece(self._record, end, "")
            self._record, self._gap = -1, end
        if self._outer >= 0 and self._depth <= self._outer_depth:
            if not self._outer_wraps:
                yield self._piece(self._outer, end, "")
            self._outer, self._gap = -1, end

    def _broken_off(self, at: int) -> Iterator[Piece]:
        """Yield what is open as a piece that ends before the next record."""
        start, depth = self._open()
        if start >= 0:
            yield self._piece(start, at, "the next record begins before this one is closed")
            self._depth = depth
            self._gap = at
            self._record = -1
            if self._outer >= 0 and not self._outer_wraps:
                self._outer = -1

    def _open(self) -> tuple[int, int]:
        """Return where and how deep the piece begins that would be yielded next; -1: none is open."""
        if self._record >= 0:
            return self._record, self._record_depth
        return (-1 if self._outer_wraps else self._outer), self._outer_depth

    def _between(self, end: int) -> Iterator[Piece]:
        gap = self._buffer[self._gap : end]
        if gap.strip(_BETWEEN):
            yield self._piece(self._gap, end, "not a JSON object; the records around it are read")
        self._gap = end

    def _more(self, position: int) -> Iterator[Piece]:
        """Read more, keeping what is still needed; at the end yield what is left."""
        if self._at_end:
            yield from self._ended()
            return
        start, depth = self._open()
        keep = start if start >= 0 else position if self._outer >= 0 else min(self._gap, position)
        if len(self._buffer) - keep > self._maximum:
            if start >= 0 or self._buffer[keep:position].strip(_BETWEEN):
                fault = f"a record of more than {self._maximum} bytes (the first {EXCERPT} are kept)"
                yield self._piece(keep, min(keep + EXCERPT, len(self._buffer)), fault)
            if start >= 0:
                self._outer, self._outer_depth, self._outer_wraps = start, depth, True
            self._record = -1
            keep = self._gap = position
        self._position = position - keep
        self._gap = max(self._gap - keep, 0)
        self._record = self._record - keep if self._record >= 0 else -1
        self._outer = max(self._outer - keep, 0) if self._outer >= 0 else -1
        self._base += keep
        chunk = self._stream.read(_CHUNK)
        self._at_end = not chunk
        self._buffer = self._buffer[keep:] + chunk

    def _ended(self) -> Iterator[Piece]:
        self.is_done = True
        start, _ = self._open()
        if start >= 0:
            yield self._piece(start, len(self._buffer), BROKEN_OFF)
        elif self._outer < 0:
            yield from self._between(len(self._buffer))

    def _piece(self, start: int, end: int, fault: str) -> Piece:
        return self._base + start, self._buffer[start:end], fault


def _length_of_object(line: bytes) -> int:
    """Return the length of the object that fills a line, apart from a comma or the end of an array; 0 if none does."""
    bare = line.rstrip(b" \t\r,")
    for candidate in (bare, bare.removesuffix(b"]").rstrip(b" \t")):
        if candidate.endswith(b"}"):
            try:
                msgspec.json.decode(candidate, type=msgspec.Raw)
            except (msgspec.DecodeError, RecursionError):
                continue
            return len(candidate)
    return 0
