"""A record's MODS and original bytes in one piece, which compresses better than two: the one repeats the other.

A piece is the JSON of the MODS, a line feed (JSON has none within), a byte that says how the original follows, and the
original. An ISO 2709 record is kept without its directory and lengths where they say nothing but where its fields begin
and end: digits that nothing repeats are what compresses worst.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain

_AS_IT_IS, _WITHOUT_DIRECTORY = b"\0", b"\1"
_FIELD_END, _RECORD_END = b"\x1e", b"\x1d"
_LEADER, _ENTRY, _TAG = 24, 12, 3
_REST = 14
"""Bytes of a leader that are neither record length nor base address."""

_FORMATS = [b"%b%09d" * fields for fields in range(256)]


def packed(mods: bytes, original: bytes) -> bytes:
    """One piece that holds the JSON of a MODS and the original bytes."""
    return b"%b\n%b" % (mods, _without_directory(original))


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


def _without_directory(original: bytes) -> bytes:
    """A record of ISO 2709 without lengths and directory, if :func:`_with_directory` gives them back as they were."""
    if original[12:17].isdigit() and original[:5] == b"%05d" % len(original) and original[-2:] == b"\x1e\x1d":
        begin = int(original[12:17])
        held = original[_LEADER : begin - 1]
        tags = [held[place : place + _TAG] for place in range(0, len(held), _ENTRY)]
        fields = original[begin:-2].split(_FIELD_END)
        is_regular = len(tags) == len(fields) and _FIELD_END not in held and original[begin - 1 : begin] == _FIELD_END
        if is_regular and begin > _LEADER and held == _directory(tags, fields):
            parts = (_WITHOUT_DIRECTORY, original[5:12], original[17:_LEADER], b"".join(tags), original[begin - 1 : -2])
            return b"".join(parts)
    return _AS_IT_IS + original


def _with_directory(kept: bytes) -> bytes:
    tags, _, content = kept[_REST:].partition(_FIELD_END)
    cut = [tags[place : place + _TAG] for place in range(0, len(tags), _TAG)]
    directory = _directory(cut, content.split(_FIELD_END))
    base = _LEADER + len(directory) + 1
    length = base + len(content) + 2
    return b"%05d%b%05d%b%b\x1e%b\x1e\x1d" % (length, kept[:7], base, kept[7:_REST], directory, content)


def _directory(tags: Sequence[bytes], fields: Sequence[bytes]) -> bytes:
    """The entries of fields that follow one upon another: tag, length with the field's end (4 digits), start (5)."""
    sizes = [len(field) + 1 for field in fields]
    numbers = [size * 100_000 + start for size, start in zip(sizes, accumulate(sizes, initial=0), strict=False)]
    layout = _FORMATS[len(sizes)] if len(sizes) < len(_FORMATS) else b"%b%09d" * len(sizes)
    return layout % tuple(chain.from_iterable(zip(tags, numbers, strict=True)))
