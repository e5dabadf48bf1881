"""Compiled loops over the rows of feature segments.

The texts of a row stand together, so that a row read at random costs one page and not one for each column: first the
length in bytes of each text (LEB128, seven bits a byte, the lowest first), then the texts in UTF-8 behind each other,
with two liberties. A lone surrogate is written as the three bytes that its number would have. A Cyrillic letter from
U+0430 to U+046F (the small ones) is one byte from 0x80 to 0xBF, with which no character begins in UTF-8.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bibld.dedup._compiling import njit

if TYPE_CHECKING:
    import numpy.typing as npt

_REPLACEMENT = 0xFFFD
_CYRILLIC, _END_OF_CYRILLIC = 0x430, 0x470


@njit(cache=True, nogil=True)
def encoded(
    offsets: npt.NDArray[np.int64], codes: npt.NDArray[np.uint32]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    """Rows out of text columns: the text of column c in row i is ``codes[offsets[c, i]:offsets[c, i + 1]]``.

    Gives where each row starts, shape (n + 1,), and the bytes of the rows.
    """
    columns, count = offsets.shape[0], offsets.shape[1] - 1
    lengths = np.zeros((count, columns), dtype=np.int64)
    starts = np.zeros(count + 1, dtype=np.int64)
    for column in range(columns):
        for row in range(count):
            length = 0
            for position in range(offsets[column, row], offsets[column, row + 1]):
                code = codes[position]
                is_short = code < 0x80 or _CYRILLIC <= code < _END_OF_CYRILLIC
                length += 1 if is_short else 2 + (code >= 0x800) + (code >= 0x10000)
            lengths[row, column] = length
            while length >= 0x80:
                starts[row + 1] += 1
                length >>= 7
            starts[row + 1] += 1 + lengths[row, column]
    for row in range(count):
        starts[row + 1] += starts[row]
    texts = np.empty(starts[count], dtype=np.uint8)
    for row in range(count):
        at = starts[row]
        for column in range(columns):
            length = lengths[row, column]
            while length >= 0x80:
                texts[at] = (length & 0x7F) | 0x80
                length >>= 7
                at += 1
            texts[at] = length
            at += 1
        for column in range(columns):
            for position in range(offsets[column, row], offsets[column, row + 1]):
                at = _put(texts, at, codes[position])
    return starts, texts


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def sizes(
    starts: npt.NDArray[np.int64],
    held: int,
    rows: npt.NDArray[np.int64],
    places: npt.NDArray[np.int64],
    found: npt.NDArray[np.int64],
) -> bool:
    """Put the bytes of row ``rows[i]`` at ``found[places[i] + 1]``; False where they are not among those ``held``."""
    for i in range(rows.shape[0]):
        begin, end = starts[rows[i]], starts[rows[i] + 1]
        if begin < 0 or end < begin or end > held:
            return False
        found[places[i] + 1] = end - begin
    return True


@njit(cache=True, nogil=True)
def collected(
    starts: npt.NDArray[np.int64],
    texts: npt.NDArray[np.uint8],
    rows: npt.NDArray[np.int64],
    places: npt.NDArray[np.int64],
    new_starts: npt.NDArray[np.int64],
    new_texts: npt.NDArray[np.uint8],
) -> None:
    """Copy row ``rows[i]`` to the row ``places[i]`` of other texts, which have room for it."""
    for i in range(rows.shape[0]):
        begin, target = starts[rows[i]], new_starts[places[i]]
        for at in range(new_starts[places[i] + 1] - target):
            new_texts[target + at] = texts[begin + at]


@njit(cache=True, nogil=True)
def decoded(
    starts: npt.NDArray[np.int64], texts: npt.NDArray[np.uint8], slots: npt.NDArray[np.int64], kept: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint32], npt.NDArray[np.int64], int]:
    """Text columns out of rows.

    Row i is ``texts[starts[i]:starts[i + 1]]``. Column c of the rows becomes column ``slots[c]`` of the ``kept`` ones,
    or none where that is -1. Gives their offsets, shape (kept, n + 1); the characters of all of them; where those of
    each begin; and the first row that does not hold what its lengths say, -1 where all do.
    """
    count, columns = starts.shape[0] - 1, slots.shape[0]
    lengths = np.empty((count, columns), dtype=np.int64)
    bodies = np.empty(count, dtype=np.int64)
    firsts = np.zeros(kept + 1, dtype=np.int64)
    offsets = np.zeros((kept, count + 1), dtype=np.int64)
    for row in range(count):
        bodies[row] = _lengths(texts, starts[row], starts[row + 1], lengths[row])
        if bodies[row] < 0:
            return offsets, np.empty(0, dtype=np.uint32), firsts, row
        for column in range(columns):
            if slots[column] >= 0:
                firsts[slots[column] + 1] += lengths[row, column]
    for slot in range(kept):
        firsts[slot + 1] += firsts[slot]
    # A text has no more characters than bytes; what is too much is never touched and takes no memory.
    codes = np.empty(firsts[kept], dtype=np.uint32)
    filled = firsts.copy()
    for row in range(count):
        at = bodies[row]
        for column in range(columns):
            slot, end = slots[column], at + lengths[row, column]
            if slot >= 0:
                filled[slot] = _decode(texts, at, end, codes, filled[slot])
                offsets[slot, row + 1] = filled[slot] - firsts[slot]
            at = end
    return offsets, codes, firsts, -1


@njit(cache=True, nogil=True)
def _lengths(texts: npt.NDArray[np.uint8], at: int, end: int, lengths: npt.NDArray[np.int64]) -> int:
    """Read the lengths at the head of a row; gives where its texts begin, -1 where they do not fill the row."""
    total = np.int64(0)
    for column in range(lengths.shape[0]):
        length, shift = np.int64(0), 0
        while at < end and texts[at] >= 0x80 and shift < 56:
            length |= (np.int64(texts[at]) & 0x7F) << shift
            shift += 7
            at += 1
        if at >= end or texts[at] >= 0x80:
            return -1
        length |= np.int64(texts[at]) << shift
        at += 1
        lengths[column] = length
        total += length
        if total > end - at:
            return -1
    return at if at + total == end else -1


@njit(cache=True, nogil=True)
def _decode(texts: npt.NDArray[np.uint8], at: int, end: int, codes: npt.NDArray[np.uint32], filled: int) -> int:
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
