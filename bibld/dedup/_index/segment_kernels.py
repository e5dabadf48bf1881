"""Compiled loops over the rows of feature segments.

The texts of a row stand together, so that a row read at random costs one page and not one for each column: first the
length in bytes of each text (LEB128, seven bits a byte, the lowest first), then the texts in UTF-8 behind each other,
with two liberties. A lone surrogate is written as the three bytes that its number would have. A Cyrillic letter from
U+0430 to U+046F (the small ones) is one byte from 0x80 to 0xBF, with which no character begins in UTF-8.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import types

from bibld.dedup.compilation import CODES, NEW_OFFSETS, NEW_ROWS, OFFSETS, PLACES, inner, kernel

if TYPE_CHECKING:
    import numpy.typing as npt

_REPLACEMENT = 0xFFFD
_CYRILLIC, _END_OF_CYRILLIC = 0x430, 0x470

_INT = types.int64
_TEXTS, _NEW_TEXTS = types.Array(types.uint8, 1, "C", readonly=True), types.uint8[::1]
_LENGTHS = types.int64[:, ::1]


@inner(_INT(_NEW_TEXTS, _INT, _INT))
def _put(texts: npt.NDArray[np.uint8], at: int, code: int) -> int:
    """Write one character in UTF-8; gives the position behind it."""
    if code < 0x80:
        texts[at] = code
        return at + 1
    if _CYRILLIC <= code < _END_OF_CYRILLIC:
        texts[at] = 0x80 + (code - _CYRILLIC)
        return at + 1
    if code < 0x800:
        texts[at] = 0xC0 | (code >> 6)
        texts[at + 1] = 0x80 | (code & 0x3F)
        return at + 2
    if code < 0x10000:
        texts[at] = 0xE0 | (code >> 12)
        texts[at + 1] = 0x80 | ((code >> 6) & 0x3F)
        texts[at + 2] = 0x80 | (code & 0x3F)
        return at + 3
    texts[at] = 0xF0 | (code >> 18)
    texts[at + 1] = 0x80 | ((code >> 12) & 0x3F)
    texts[at + 2] = 0x80 | ((code >> 6) & 0x3F)
    texts[at + 3] = 0x80 | (code & 0x3F)
    return at + 4


@kernel(types.void(PLACES, CODES, _LENGTHS, NEW_OFFSETS))
def _measure(
    offsets: npt.NDArray[np.int64],
    codes: npt.NDArray[np.uint32],
    lengths: npt.NDArray[np.int64],
    starts: npt.NDArray[np.int64],
) -> None:
    """Write the length of each text, and where each row starts."""
    for column in range(lengths.shape[1]):
        for row in range(lengths.shape[0]):
            length = 0
            for position in range(offsets[column, row], offsets[column, row + 1]):
                code = codes[position]
                is_short = code < 0x80 or _CYRILLIC <= code < _END_OF_CYRILLIC
                length += 1 if is_short else 2 + (code >= 0x800) + (code >= 0x10000)
            lengths[row, column] = length
            starts[row + 1] += 1 + length
            while length >= 0x80:
                starts[row + 1] += 1
                length >>= 7
    for row in range(lengths.shape[0]):
        starts[row + 1] += starts[row]


@kernel(types.void(PLACES, CODES, _LENGTHS, NEW_OFFSETS, _NEW_TEXTS))
def _encode(
    offsets: npt.NDArray[np.int64],
    codes: npt.NDArray[np.uint32],
    lengths: npt.NDArray[np.int64],
    starts: npt.NDArray[np.int64],
    texts: npt.NDArray[np.uint8],
) -> None:
    for row in range(lengths.shape[0]):
        at = starts[row]
        for column in range(lengths.shape[1]):
            length = lengths[row, column]
            while length >= 0x80:
                texts[at] = (length & 0x7F) | 0x80
                length >>= 7
                at += 1
            texts[at] = length
            at += 1
        for column in range(lengths.shape[1]):
            for position in range(offsets[column, row], offsets[column, row + 1]):
                at = _put(texts, at, codes[position])


def encoded(
    offsets: npt.NDArray[np.int64], codes: npt.NDArray[np.uint32]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    """Rows out of text columns: the text of column c in row i is ``codes[offsets[c, i]:offsets[c, i + 1]]``.

    Gives where each row starts, shape (n + 1,), and the bytes of the rows.
    """
    lengths = np.zeros((offsets.shape[1] - 1, len(offsets)), dtype=np.int64)
    starts = np.zeros(offsets.shape[1], dtype=np.int64)
    _measure(offsets, codes, lengths, starts)
    texts = np.empty(starts[-1], dtype=np.uint8)
    _encode(offsets, codes, lengths, starts, texts)
    return starts, texts


def sizes(
    starts: npt.NDArray[np.int64],
    held: int,
    rows: npt.NDArray[np.int64],
    places: npt.NDArray[np.int64],
    found: npt.NDArray[np.int64],
) -> bool:
    """Put the bytes of row ``rows[i]`` at ``found[places[i] + 1]``; False where they are not among those ``held``."""
    begins, ends = starts[rows], starts[rows + 1]
    found[places + 1] = ends - begins
    return not np.any((begins < 0) | (ends < begins) | (ends > held))


@inner(_INT(_TEXTS, _INT, _INT, _LENGTHS, _INT))
def _lengths(texts: npt.NDArray[np.uint8], at: int, end: int, lengths: npt.NDArray[np.int64], row: int) -> int:
    """Read the lengths at the head of a row; gives where its texts begin, -1 where they do not fill the row."""
    total = np.int64(0)
    for column in range(lengths.shape[1]):
        length, shift = np.int64(0), 0
        while at < end and texts[at] >= 0x80 and shift < 56:
            length |= (np.int64(texts[at]) & 0x7F) << shift
            shift += 7
            at += 1
        if at >= end or texts[at] >= 0x80:
            return -1
        length |= np.int64(texts[at]) << shift
        at += 1
        lengths[row, column] = length
        total += length
        if total > end - at:
            return -1
    return at if at + total == end else -1


@inner(_INT(_TEXTS, _INT, _INT, NEW_ROWS, _INT))
def _read(texts: npt.NDArray[np.uint8], at: int, end: int, codes: npt.NDArray[np.uint32], filled: int) -> int:
    """Read a text in UTF-8; gives the position behind its last character."""
    while at < end:
        lead = np.uint32(texts[at])
        width = 1 if lead < 0xC0 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
        if at + width > end:
            codes[filled] = _REPLACEMENT
            return filled + 1
        if width == 1:
            codes[filled] = lead if lead < 0x80 else lead - 0x80 + _CYRILLIC
        elif width == 2:
            codes[filled] = (lead & 0x1F) << 6 | (texts[at + 1] & 0x3F)
        elif width == 3:
            codes[filled] = (lead & 0x0F) << 12 | np.uint32(texts[at + 1] & 0x3F) << 6 | (texts[at + 2] & 0x3F)
        else:
            high = (lead & 0x07) << 18 | np.uint32(texts[at + 1] & 0x3F) << 12
            codes[filled] = high | np.uint32(texts[at + 2] & 0x3F) << 6 | (texts[at + 3] & 0x3F)
        at += width
        filled += 1
    return filled


@kernel(_INT(OFFSETS, _TEXTS, OFFSETS, _LENGTHS, NEW_OFFSETS, NEW_OFFSETS))
def _find(
    starts: npt.NDArray[np.int64],
    texts: npt.NDArray[np.uint8],
    slots: npt.NDArray[np.int64],
    lengths: npt.NDArray[np.int64],
    bodies: npt.NDArray[np.int64],
    firsts: npt.NDArray[np.int64],
) -> int:
    """Read the lengths of all texts, where those of each row begin, and where those of each column will; gives the
    first row that does not hold what its lengths say, -1 where all do."""
    for row in range(bodies.shape[0]):
        bodies[row] = _lengths(texts, starts[row], starts[row + 1], lengths, row)
        if bodies[row] < 0:
            return row
        for column in range(slots.shape[0]):
            if slots[column] >= 0:
                firsts[slots[column] + 1] += lengths[row, column]
    for slot in range(firsts.shape[0] - 1):
        firsts[slot + 1] += firsts[slot]
    return -1


@kernel(types.void(
        _TEXTS, OFFSETS, _LENGTHS, NEW_OFFSETS, NEW_OFFSETS, NEW_OFFSETS, _LENGTHS, NEW_ROWS
    ))  # fmt: skip
def _decode(
    texts: npt.NDArray[np.uint8],
    slots: npt.NDArray[np.int64],
    lengths: npt.NDArray[np.int64],
    bodies: npt.NDArray[np.int64],
    firsts: npt.NDArray[np.int64],
    filled: npt.NDArray[np.int64],
    offsets: npt.NDArray[np.int64],
    codes: npt.NDArray[np.uint32],
) -> None:
    for row in range(bodies.shape[0]):
        at = bodies[row]
        for column in range(slots.shape[0]):
            slot, end = slots[column], at + lengths[row, column]
            if slot >= 0:
                filled[slot] = _read(texts, at, end, codes, filled[slot])
                offsets[slot, row + 1] = filled[slot] - firsts[slot]
            at = end


def decoded(
    starts: npt.NDArray[np.int64], texts: npt.NDArray[np.uint8], slots: npt.NDArray[np.int64], kept: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint32], npt.NDArray[np.int64], int]:
    """Text columns out of rows.

    Row i is ``texts[starts[i]:starts[i + 1]]``. Column c of the rows becomes column ``slots[c]`` of the ``kept`` ones,
    or none where that is -1. Gives their offsets, shape (kept, n + 1); the characters of all of them; where those of
    each begin; and the first row that does not hold what its lengths say, -1 where all do.
    """
    count = len(starts) - 1
    lengths, bodies = np.empty((count, len(slots)), dtype=np.int64), np.empty(count, dtype=np.int64)
    firsts, offsets = np.zeros(kept + 1, dtype=np.int64), np.zeros((kept, count + 1), dtype=np.int64)
    bad = _find(starts, texts, slots, lengths, bodies, firsts)
    # A text has no more characters than bytes; what is too much is never touched and takes no memory.
    codes = np.empty(0 if bad >= 0 else firsts[kept], dtype=np.uint32)
    if bad < 0:
        _decode(texts, slots, lengths, bodies, firsts, firsts.copy(), offsets, codes)
    return offsets, codes, firsts, bad
