"""Opening harvested files: plain or gzip (RFC 1952), bounded, with damage reported; and recoding them from UTF-16."""

from __future__ import annotations

import codecs
import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol, cast

from bibld.errors import HarvestError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MAXIMUM = 64 * 1024**3
"""Bytes that a compressed file may contain by default."""

_GZIP = b"\x1f\x8b"
_REMEMBERED = 4 * 1024
_CHUNK = 256 * 1024
_HOLE = bytes(64)
"""No carrier contains 64 zeros in a row: they are the space of a file that was never written."""


@contextmanager
def open_harvested(
    path: Path, maximum: int = MAXIMUM, consumed: Callable[[int], None] | None = None
) -> Iterator[BinaryIO]:
    """Open a file for reading; gzip is recognised by its first bytes and decompressed while it is read.

    ``maximum`` bounds the decompressed bytes; ``consumed`` is called with the number of bytes of each read. Damage (a
    truncated or corrupt gzip, too many bytes, a failing disk) ends the stream after the last good byte, and is raised
    as ``HarvestError`` when the ``with`` block is left: what came before is kept. So are zeros where content should be,
    but what follows them is read. A file that cannot be opened raises ``HarvestError`` at once.
    """
    try:
        file = path.open("rb")
    except OSError as error:
        raise HarvestError(f"{path}: cannot be opened: {error.strerror or error}") from error
    with file:
        source = _Inflated(file, maximum, consumed) if file.peek(2)[:2] == _GZIP else _Plain(file, consumed)
        with io.BufferedReader(source, _CHUNK) as stream:
            yield cast(BinaryIO, stream)
        if source.damage:
            raise HarvestError(f"{path}: {source.damage}")
        if source.hole >= 0:
            raise HarvestError(f"{path}: contains only zeros from byte {source.hole} on; fetch it again")


class _Plain(io.RawIOBase):
    """A file that ends at an error, because an exception would lose what is in the buffer before it."""

    def __init__(self, file: io.BufferedReader, consumed: Callable[[int], None] | None) -> None:
        self._file = file
        self._consumed = consumed
        self.damage = ""
        self.hole = -1
        self._passed = 0
        self._last = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        view = memoryview(buffer).cast("B")
        data = self._next(len(view)) if len(view) and not self.damage else b""
        view[: len(data)] = data
        if self.hole < 0:
            self._find_hole(data)
        return len(data)

    def _find_hole(self, data: bytes) -> None:
        """Note where zeros begin that fill at least 64 bytes, also across the border of two reads."""
        border = self._last + data[: len(_HOLE)]
        if (at := border.find(_HOLE)) >= 0:
            self.hole = self._passed - len(self._last) + at
        elif (at := data.find(_HOLE)) >= 0:
            self.hole = self._passed + at
        self._passed += len(data)
        self._last = (self._last + data[-len(_HOLE) :])[-len(_HOLE) :]

    def _next(self, size: int) -> bytes:
        try:
            data = self._file.read(size)
            if self._consumed is not None:
                self._consumed(len(data))
            return data
        except OSError as error:
            self.damage = f"cannot be read further: {error.strerror or error}"
            return b""


class _Inflated(_Plain):
    """The content of a gzip file of one or more members."""

    def __init__(self, file: io.BufferedReader, maximum: int, consumed: Callable[[int], None] | None) -> None:
        super().__init__(file, consumed)
        self._inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
        self._left = maximum
        self._waiting = b""

    def _next(self, size: int) -> bytes:
        while True:
            if not self._waiting:
                self._waiting = super()._next(_CHUNK)
            if self._inflater.eof and not self._next_member():
                return b""
            if data := self._inflate(size):
                return self._limit(data)
            if self.damage:
                return b""

    def _next_member(self) -> bool:
        """Go to the next member, if there is one; zeros between and after members are padding."""
        self._waiting = self._waiting.lstrip(b"\0")
        while not self._waiting:
            self._waiting = super()._next(_CHUNK)
            if not self._waiting:
                return False
            self._waiting = self._waiting.lstrip(b"\0")
        if not _GZIP.startswith(self._waiting[:2]):
            self.damage = "something that is not gzip follows the compressed data; it is not read"
            return False
        self._inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
        return True

    def _inflate(self, size: int) -> bytes:
        before = self._inflater.copy()
        try:
            data = self._inflater.decompress(self._waiting, size)
        except zlib.error as error:
            return self._salvage(before, size, f"the compressed file is damaged ({error}); fetch it again")
        if not self._waiting and not data and not self._inflater.eof:
            self.damage = self.damage or "the compressed file is cut off; fetch it again"
        self._waiting = self._inflater.unused_data if self._inflater.eof else self._inflater.unconsumed_tail
        return data

    def _salvage(self, before: zlib._Decompress, size: int, damage: str) -> bytes:
        """Return what is before the damage: zlib keeps back the output of the call that finds it."""
        data = b""
        for at in range(len(self._waiting)):
            try:
                data += before.decompress(self._waiting[at : at + 1], size - len(data))
            except zlib.error:
                break
            if len(data) == size:
                self._inflater = before
                self._waiting = before.unconsumed_tail + self._waiting[at + 1 :]
                return data
        self.damage = damage
        return data

    def _limit(self, data: bytes) -> bytes:
        if len(data) > self._left:
            self.damage = "decompresses to more bytes than are allowed"
            data = data[: self._left]
        self._left -= len(data)
        return data


class Stream(Protocol):
    """A file, or an object that reads from one."""

    def read(self, size: int = -1, /) -> bytes:
        """Return up to ``size`` bytes; empty at the end."""


class Ends:
    """A stream that remembers its first and its last bytes, to find out whether the end of the file is there."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self.head = b""
        self.tail = b""

    def read(self, size: int = -1, /) -> bytes:
        """Return the next bytes."""
        data = self._stream.read(size)
        if len(self.head) < _REMEMBERED:
            self.head += data[: _REMEMBERED - len(self.head)]
        if data:
            self.tail = (self.tail + data[-_REMEMBERED:])[-_REMEMBERED:]
        return data


class Rejoined:
    """A stream preceded by the bytes that were already read from it."""

    def __init__(self, head: bytes, stream: Stream) -> None:
        self._head = head
        self._stream = stream

    def read(self, size: int = -1, /) -> bytes:
        """Return the bytes in front at once, then those of the stream."""
        head, self._head = self._head, b""
        return head or self._stream.read(size)


class Recoded:
    """A stream in UTF-8 made from one in a charset that does not contain ASCII, such as UTF-16."""

    def __init__(self, stream: Stream, charset: str) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder(charset)("replace")
        self._at_end = False

    def read(self, size: int = -1, /) -> bytes:
        """Return the next bytes (about ``size`` of them); empty at the end."""
        data = b""
        while not data and not self._at_end:
            chunk = self._stream.read(size)
            self._at_end = not chunk
            data = self._decoder.decode(chunk, final=self._at_end).encode("utf-8", "replace")
        return data


def recode(stream: Stream, charset: str) -> Stream:
    """Return the stream in UTF-8 if ``charset`` names one that does not contain ASCII, otherwise the stream itself."""
    return Recoded(stream, charset) if charset else stream


def recoded_charset(head: bytes, first_characters: bytes) -> str:
    """Return UTF-16 if the first bytes of a file show it, by a byte order mark or one of its possible first characters.

    Empty for all other charsets.
    """
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if head[:1] in first_characters and head[1:2] == b"\0":
        return "utf-16-le"
    return "utf-16-be" if head[:1] == b"\0" and head[1:2] and head[1:2] in first_characters else ""


def recode_head(head: bytes, first_characters: bytes) -> bytes:
    """Return the first bytes of a file in a charset that contains ASCII."""
    charset = recoded_charset(head, first_characters)
    return head.decode(charset, "replace").encode("utf-8", "replace") if charset else head
