"""A record's MODS and original bytes in one piece, which compresses better than two: the one repeats the other.

A piece is the JSON of the MODS, a line feed (JSON has none within), a byte that says how the original follows, and the
original. An ISO 2709 record is kept without its directory and lengths where they say nothing but where its fields begin
and end: digits that nothing repeats are what compresses worst.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

_AS_IT_IS, _WITHOUT_DIRECTORY = b"\0", b"\1"
_FIELD_END, _RECORD_END = b"\x1e", b"\x1d"
_LEADER, _ENTRY, _TAG = 24, 12, 3
_REST = 14
"""Bytes of a leader that are neither record length nor base address."""

_BEFORE = 11 * 10**9
"""What makes eleven digits of the nine of an entry: two that stand where, with a comma before, its tag belongs."""

_NUMBERS = msgspec.json.Encoder()


def packed(mods: bytes, original: bytes) -> bytes:
    """One piece that holds the JSON of a MODS and the original bytes."""
    return b"".join((mods, b"\n", *_without_directory(original)))


def mods_in(piece: bytes) -> bytes:
    """The JSON of the MODS in a piece; raises ``ValueError`` for what is no piece."""
    return piece[: piece.index(b"\n")]


def original_in(piece: bytes) -> bytes:
    """The original bytes in a piece; raises ``ValueError`` for what is no piece."""
    start = piece.index(b"\n") + 1
    kind, rest = piece[start : start + 1], piece[start + 1 :]
    if kind not in (_AS_IT_IS, _WITHOUT_DIRECTORY):
        raise ValueError("the original is kept in an unknown way")
    return rest if kind == _AS_IT_IS else _with_directory(rest)


def _without_directory(original: bytes) -> tuple[bytes | bytearray, ...]:
    """What a piece holds of the original: it is without lengths and directory if it is a record of ISO 2709 to which
    :func:`_with_directory` gives them back as they were."""
    if original[12:17].isdigit() and original[:5] == b"%05d" % len(original) and original[-2:] == b"\x1e\x1d":
        begin = int(original[12:17])
        held = original[_LEADER : begin - 1]
        fields = original[begin:-2].split(_FIELD_END)
        if len(held) == len(fields) * _ENTRY and original[begin - 1 : begin] == _FIELD_END and _FIELD_END not in held:
            tags = bytearray(len(fields) * _TAG)
            for column in range(_TAG):
                tags[column::_TAG] = held[column::_ENTRY]
            if held == _directory(tags, fields):
                return _WITHOUT_DIRECTORY, original[5:12], original[17:_LEADER], tags, original[begin - 1 : -2]
    return _AS_IT_IS, original


def _with_directory(kept: bytes) -> bytes:
    tags, _, content = kept[_REST:].partition(_FIELD_END)
    directory = _directory(tags, content.split(_FIELD_END))
    base = _LEADER + len(directory) + 1
    length = base + len(content) + 2
    parts = (b"%05d" % length, kept[:7], b"%05d" % base, kept[7:_REST], directory, _FIELD_END, content)
    return b"".join((*parts, _FIELD_END, _RECORD_END))


def _directory(tags: bytes | bytearray, fields: Sequence[bytes]) -> bytearray:
    """The entries of fields that follow one upon another: tag, length with the field's end (4 digits), start (5).

    Raises ``ValueError`` unless there are as many tags as fields.
    """
    numbers: list[int] = []
    start = _BEFORE
    for field in fields:
        size = len(field) + 1
        numbers.append(size * 100_000 + start)
        start += size
    # As JSON, which is written several times faster than any other form of so many numbers.
    directory = bytearray(_NUMBERS.encode(numbers))
    del directory[-1]
    for column in range(_TAG):
        directory[column::_ENTRY] = tags[column::_TAG]
    return directory
