"""Pack the MODS and the original bytes of a record into one piece, which compresses better than two.

A piece is the JSON of the MODS, a line feed (which this JSON does not contain), a byte for the form of the original,
and the original. An ISO 2709 record is stored without its directory and lengths if they can be computed from its
fields, because digits that are not repeated compress worst.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

_UNCHANGED, _WITHOUT_DIRECTORY = b"\0", b"\1"
_FIELD_END, _RECORD_END = b"\x1e", b"\x1d"
_LEADER, _ENTRY, _TAG = 24, 12, 3
_LEADER_REST = 14
"""Bytes of a leader that are neither record length nor base address."""

_BEFORE = 11 * 10**9
"""Added to the nine digits of an entry: two digits that, with the comma before them, take the place of its tag."""

_NUMBERS = msgspec.json.Encoder()


def pack(mods: bytes, original: bytes) -> bytes:
    """Return one piece that contains the JSON of a MODS and the original bytes."""
    return b"".join((mods, b"\n", *_without_directory(original)))


def unpack_mods(piece: bytes) -> bytes:
    """Return the JSON of the MODS in a piece; raises ``ValueError`` for bytes that are not a piece."""
    return piece[: piece.index(b"\n")]


def unpack_original(piece: bytes) -> bytes:
    """Return the original bytes in a piece; raises ``ValueError`` for bytes that are not a piece."""
    start = piece.index(b"\n") + 1
    kind, rest = piece[start : start + 1], piece[start + 1 :]
    if kind not in (_UNCHANGED, _WITHOUT_DIRECTORY):
        raise ValueError("the original is stored in an unknown form")
    return rest if kind == _UNCHANGED else _with_directory(rest)


def _without_directory(original: bytes) -> tuple[bytes | bytearray, ...]:
    """Return the form of the original, and the parts to be stored.

    Lengths and directory are left out of an ISO 2709 record if :func:`_with_directory` computes exactly the same ones.
    """
    if original[12:17].isdigit() and original[:5] == b"%05d" % len(original) and original[-2:] == b"\x1e\x1d":
        begin = int(original[12:17])
        entries = original[_LEADER : begin - 1]
        fields = original[begin:-2].split(_FIELD_END)
        if (
            len(entries) == len(fields) * _ENTRY
            and original[begin - 1 : begin] == _FIELD_END
            and _FIELD_END not in entries
        ):
            tags = bytearray(len(fields) * _TAG)
            for column in range(_TAG):
                tags[column::_TAG] = entries[column::_ENTRY]
            if entries == _directory(tags, fields):
                return _WITHOUT_DIRECTORY, original[5:12], original[17:_LEADER], tags, original[begin - 1 : -2]
    return _UNCHANGED, original


def _with_directory(stored: bytes) -> bytes:
    tags, _, content = stored[_LEADER_REST:].partition(_FIELD_END)
    directory = _directory(tags, content.split(_FIELD_END))
    base = _LEADER + len(directory) + 1
    length = base + len(content) + 2
    parts = (b"%05d" % length, stored[:7], b"%05d" % base, stored[7:_LEADER_REST], directory, _FIELD_END, content)
    return b"".join((*parts, _FIELD_END, _RECORD_END))


def _directory(tags: bytes | bytearray, fields: Sequence[bytes]) -> bytearray:
    """Return the entries of consecutive fields: tag, length including the field terminator (4 digits), start (5).

    Raises ``ValueError`` unless there are as many tags as fields.
    """
    numbers: list[int] = []
    start = _BEFORE
    for field in fields:
        size = len(field) + 1
        numbers.append(size * 100_000 + start)
        start += size
    # As JSON, which is several times faster than any other way to format many numbers.
    directory = bytearray(_NUMBERS.encode(numbers))
    del directory[-1]
    for column in range(_TAG):
        directory[column::_ENTRY] = tags[column::_TAG]
    return directory
