"""Opening harvested files: plain or gzip (RFC 1952), bounded, and clear about damage."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from bibld.errors import HarvestError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MAXIMUM = 64 * 1024**3
"""Bytes that a compressed file may hold, unless told otherwise."""

_GZIP = b"\x1f\x8b"
_CHUNK = 256 * 1024


@contextmanager
def open_harvested(path: Path, maximum: int = MAXIMUM) -> Iterator[BinaryIO]:
    """Open a file for reading; gzip is recognised by its first bytes and decompressed on the way.

    ``maximum`` bounds the decompressed bytes. Damage (a truncated or corrupt gzip, too many bytes, a failing disk) ends
    the stream after the last good byte, and is raised as ``HarvestError`` when the ``with`` block is left: what came
    before is kept. A file that cannot be opened raises ``HarvestError`` at once.
    """
    try:
        file = path.open("rb")
    except OSError as error:
        raise HarvestError(f"{path}: cannot be opened: {error.strerror or error}") from error
    with file:
        source = _Inflated(file, maximum) if file.peek(2)[:2] == _GZIP else _Plain(file)
        with io.BufferedReader(source, _CHUNK) as stream:
            yield cast(BinaryIO, stream)
        if source.damage:
            raise HarvestError(f"{path}: {source.damage}")


class _Plain(io.RawIOBase):
    """A file whose errors end it instead of interrupting the reader, who would lose what is in his buffer."""

    def __init__(self, file: io.BufferedReader) -> None:
        self._file = file
        self.damage = ""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        view = memoryview(buffer).cast("B")
        data = self._next(len(view)) if len(view) and not self.damage else b""
        view[: len(data)] = data
        return len(data)

    def _next(self, size: int) -> bytes:
        try:
            return self._file.read(size)
        except OSError as error:
            self.damage = f"cannot be read further: {error.strerror or error}"
            return b""


class _Inflated(_Plain):
    """The content of a gzip file of one or more members."""

    def __init__(self, file: io.BufferedReader, maximum: int) -> None:
        super().__init__(file)
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
                return self._within(data)
            if self.damage:
                return b""

    def _next_member(self) -> bool:
        """Go on to the next member; zeros between and after members are padding."""
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
            return self._salvaged(before, size, f"the compressed file is damaged ({error}); fetch it again")
        if not self._waiting and not data and not self._inflater.eof:
            self.damage = self.damage or "the compressed file is cut off; fetch it again"
        self._waiting = self._inflater.unused_data if self._inflater.eof else self._inflater.unconsumed_tail
        return data

    def _salvaged(self, before: zlib._Decompress, size: int, damage: str) -> bytes:
        """What stands before the damage: zlib keeps back the output of the call that finds it."""
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

    def _within(self, data: bytes) -> bytes:
        if len(data) > self._left:
            self.damage = "decompresses to more bytes than are allowed"
            data = data[: self._left]
        self._left -= len(data)
        return data
