"""Compressed files as streams: recognised by their first bytes, bounded, with their damage reported at the end."""

from __future__ import annotations

import bz2
import codecs
import io
import lzma
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol, cast

import zstandard

from bibld.errors import HarvestError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MAXIMUM = 64 * 1024**3
"""Bytes that a compressed file may contain by default."""

MAX_RATIO = 1000
"""A file that decompresses to more than this many times its size is refused, if that is more than ``FREE_BYTES``."""

FREE_BYTES = 256 * 1024**2

_LEVELS = 2
"""A compressed file can be compressed once more, as web servers do with files that are compressed already."""

_CHUNK = 256 * 1024
_MAGIC = {
    "gzip": re.compile(rb"\x1f\x8b"),
    "bzip2": re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"),
    "xz": re.compile(rb"\xfd7zXZ\x00"),
    "zstd": re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18", re.DOTALL),
}
_MAGIC_BYTES = 10

_ZSTD_INPUT = 2048
"""zstd has no bound for the output of a call; a block of 4 bytes can contain 128 KiB, so this many contain 64 MiB."""

_WINDOW = 1 << 28
"""Largest window of a zstd file, in bytes: what ``zstd --ultra --long=28`` writes."""

_XZ_MEMORY = 1 << 30
"""Largest memory for decompressing xz; ``xz -9`` needs 65 MB."""

_HOLE = bytes(64)
"""No carrier contains 64 zeros in a row: they are the space of a file that was never written."""


class Stream(Protocol):
    """A file, or an object that reads from one."""

    def read(self, size: int = -1, /) -> bytes:
        """Return up to ``size`` bytes; empty at the end."""


def compression_of(head: bytes) -> str:
    """Return how a file that begins with these bytes is compressed (``gzip``, ``bzip2``, ``xz``, ``zstd``), or ""."""
    return next((name for name, magic in _MAGIC.items() if magic.match(head)), "")


@contextmanager
def open_decompressed(
    path: Path, maximum: int = MAXIMUM, consumed: Callable[[int], None] | None = None, *, may_have_holes: bool = False
) -> Iterator[BinaryIO]:
    """Open a file for reading; a compressed one is recognised by its first bytes and decompressed while it is read.

    ``maximum`` bounds the decompressed bytes; ``consumed`` is called with the number of bytes of each read from the
    disk. Damage (a truncated or corrupt file, too many bytes, a failing disk) ends the stream after the last good byte,
    and is raised as ``HarvestError`` when the ``with`` block is left: what came before is kept. So are zeros where
    content should be, unless the file ``may_have_holes``, but what follows them is read. A file that cannot be opened
    raises ``HarvestError`` at once.
    """
    try:
        file = path.open("rb")
    except OSError as error:
        raise HarvestError(f"{path}: cannot be opened: {error.strerror or error}") from error
    with file, ExitStack() as opened:
        buffered: io.BufferedReader = file
        layers: list[_Plain] = []
        while len(layers) < _LEVELS and (kind := compression_of(buffered.peek(_MAGIC_BYTES)[:_MAGIC_BYTES])):
            read = consumed if not layers else None
            layers.append(_Decompressed(buffered, maximum, read, kind))
            buffered = opened.enter_context(io.BufferedReader(layers[-1], _CHUNK))
        if not layers:
            layers.append(_Plain(file, consumed))
            buffered = opened.enter_context(io.BufferedReader(layers[0], _CHUNK))
        yield cast(BinaryIO, buffered)
        for layer in layers:
            if layer.damage:
                raise HarvestError(f"{path}: {layer.damage}")
        if layers[-1].hole >= 0 and not may_have_holes:
            raise HarvestError(f"{path}: contains only zeros from byte {layers[-1].hole} on; fetch it again")


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


class _Decoder(Protocol):
    """Decompresses one part (a gzip member, a bzip2 or xz stream, a zstd frame)."""

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    @property
    def needs_input(self) -> bool: ...

    def decompress(self, data: bytes, max_length: int = -1) -> bytes: ...


class _GzipDecoder:
    """The interface of the other decoders for gzip (RFC 1952); what is before damage is given before it is raised."""

    def __init__(self) -> None:
        self._inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
        self._input = b""
        self._may_have_more = False
        self._damage: zlib.error | None = None

    @property
    def eof(self) -> bool:
        return self._inflater.eof

    @property
    def unused_data(self) -> bytes:
        return self._inflater.unused_data

    @property
    def needs_input(self) -> bool:
        return not self._input and not self._may_have_more

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        if self._damage is not None:
            raise self._damage
        self._input += data
        before = self._inflater.copy()
        try:
            found = self._inflater.decompress(self._input, max_length)
            self._input = self._inflater.unconsumed_tail
        except zlib.error as error:
            found = self._salvage(before, max_length, error)
        self._may_have_more = len(found) == max_length
        return found

    def _salvage(self, before: zlib._Decompress, max_length: int, error: zlib.error) -> bytes:
        """Return what is before the damage: zlib keeps back the output of the call that finds it."""
        found = b""
        for at in range(len(self._input)):
            try:
                found += before.decompress(self._input[at : at + 1], max_length - len(found))
            except zlib.error:
                break
            if len(found) == max_length:
                self._inflater = before
                self._input = before.unconsumed_tail + self._input[at + 1 :]
                return found
        if not found:
            raise error
        self._damage = error
        return found


class _ZstdDecoder:
    """The interface of the other decoders for zstd, whose output has no other bound than that of its input."""

    def __init__(self) -> None:
        self._decoder = zstandard.ZstdDecompressor(max_window_size=_WINDOW).decompressobj()
        self._input = b""
        self._output = b""

    @property
    def eof(self) -> bool:
        return self._decoder.eof and not self._output

    @property
    def unused_data(self) -> bytes:
        return self._decoder.unused_data + self._input

    @property
    def needs_input(self) -> bool:
        return not self._input and not self._output

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        self._input += data
        if not self._output and self._input and not self._decoder.eof:
            chunk, self._input = self._input[:_ZSTD_INPUT], self._input[_ZSTD_INPUT:]
            self._output = self._decoder.decompress(chunk)
        found, self._output = self._output[:max_length], self._output[max_length:]
        return found


_DECODERS: dict[str, Callable[[], _Decoder]] = {
    "gzip": _GzipDecoder,
    "bzip2": bz2.BZ2Decompressor,
    "xz": lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY),
    "zstd": _ZstdDecoder,
}


class _Decompressed(_Plain):
    """The content of a compressed file of one or more parts."""

    def __init__(
        self, file: io.BufferedReader, maximum: int, consumed: Callable[[int], None] | None, kind: str
    ) -> None:
        super().__init__(file, consumed)
        self._kind = kind
        self._decoder = _DECODERS[kind]()
        self._left = maximum
        self._waiting = b""
        self._read = self._given = 0

    def _more(self) -> bytes:
        """Return the next bytes of the compressed file."""
        data = super()._next(_CHUNK)
        self._read += len(data)
        return data

    def _limit(self, data: bytes) -> bytes:
        if len(data) > self._left:
            self.damage = "decompresses to more bytes than are allowed"
            data = data[: self._left]
        self._left -= len(data)
        self._given += len(data)
        if self._given > FREE_BYTES and self._given > MAX_RATIO * self._read:
            self.damage = f"decompresses to more than {MAX_RATIO:,} times its size"
        return data

    def _next(self, size: int) -> bytes:
        while not self.damage:
            if self._decoder.eof and not self._next_part():
                return b""
            if self._decoder.needs_input and not self._waiting:
                self._waiting = self._more()
                if not self._waiting:
                    self.damage = self.damage or "the compressed file is cut off; fetch it again"
                    return b""
            data, self._waiting = self._waiting, b""
            try:
                found = self._decoder.decompress(data, size)
            except (OSError, EOFError, zlib.error, lzma.LZMAError, zstandard.ZstdError) as error:
                self.damage = f"the compressed file is damaged ({error}); fetch it again"
                return b""
            if found:
                return self._limit(found)
        return b""

    def _next_part(self) -> bool:
        """Go to the next part, if there is one; zeros between and after parts are padding."""
        rest = self._decoder.unused_data + self._waiting
        self._waiting = b""
        while True:
            rest = rest.lstrip(b"\0")
            if len(rest) >= _MAGIC_BYTES:
                break
            more = self._more()
            if not more:
                break
            rest += more
        if not rest:
            return False
        if compression_of(rest[:_MAGIC_BYTES]) != self._kind:
            self.damage = f"something that is not {self._kind} follows the compressed data; it is not read"
            return False
        self._decoder = _DECODERS[self._kind]()
        self._waiting = rest
        return True


_REMEMBERED = 4 * 1024


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


class Recoded(io.RawIOBase):
    """A stream in UTF-8 made from one in a charset that does not contain ASCII, such as UTF-16.

    ``errors``: what becomes of bytes that are no character; the same number of bytes with ``replace`` and, which raises
    ``UnicodeDecodeError`` at an incomplete end, with ``surrogatepass``.
    """

    def __init__(self, stream: Stream, charset: str, errors: str = "replace") -> None:
        super().__init__()
        self._stream = stream
        self._errors = errors
        self._decoder = codecs.getincrementaldecoder(charset)(errors)
        self._waiting = b""
        self._at_end = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:  # noqa: ANN401 - any writable buffer
        while not self._waiting and not self._at_end:
            chunk = self._stream.read(len(buffer))
            self._at_end = not chunk
            self._waiting = self._decoder.decode(chunk, final=self._at_end).encode("utf-8", self._errors)
        data, self._waiting = self._waiting[: len(buffer)], self._waiting[len(buffer) :]
        buffer[: len(data)] = data
        return len(data)


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
