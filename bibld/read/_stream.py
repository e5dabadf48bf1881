"""Streams of read: one that remembers its ends, one with bytes put back, and one that is recoded from UTF-16."""

from __future__ import annotations

import codecs
import io
from typing import Any, BinaryIO

from bibld.read._unpacking import Stream

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


class _RecodedFile(io.RawIOBase):
    """A recoded stream as a file object."""

    def __init__(self, recoded: Recoded) -> None:
        super().__init__()
        self._recoded = recoded
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:  # noqa: ANN401 - any writable buffer
        data = self._rest or self._recoded.read(len(buffer))
        self._rest = data[len(buffer) :]
        buffer[: len(data) - len(self._rest)] = data[: len(buffer)]
        return len(data) - len(self._rest)


def in_utf8(stream: BinaryIO, charset: str) -> BinaryIO:
    """Return a stream of lines in UTF-8 if ``charset`` names one that does not contain ASCII, else the stream."""
    return io.BufferedReader(_RecodedFile(Recoded(stream, charset))) if charset else stream


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
