"""Compiled: rows of texts are read from a file at random, and split into columns.

Reading mapped pages at random costs a page fault for nearly each row, and what was touched counts as memory until it is
released; ``pread`` costs half of that and leaves nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import types

from bibld.dedup.compilation import OFFSETS, kernel, results

Offsets = npt.NDArray[np.int64]

_INVALID = 0xFFFD

# ssize_t pread(int fd, void *buf, size_t count, off_t offset), POSIX.1-2017
_pread: Any = types.ExternalFunction("pread", types.int64(types.int32, types.voidptr, types.uint64, types.int64))


@kernel(types.boolean(types.int32, OFFSETS, OFFSETS, types.uint8[::1]))
def read_rows(file: int, begins: Offsets, starts: Offsets, data: npt.NDArray[np.uint8]) -> bool:
    """Read the row that begins at ``begins[i]`` of a file into ``data[starts[i]:starts[i + 1]]``, neighbouring rows at
    once; False if the file cannot be read or ends before."""
    row, rows = np.int64(0), begins.shape[0]
    while row < rows:
        after = row + 1
        while after < rows and begins[after] - begins[row] == starts[after] - starts[row]:
            after += 1
        done, length = np.int64(0), starts[after] - starts[row]
        while done < length:
            count = _pread(file, data[starts[row] + done :].ctypes, np.uint64(length - done), begins[row] + done)
            if count <= 0:
                return False
            done += count
        row = after
    return True


@kernel(
    results(types.int64[:, ::1], types.uint32[::1], types.int64[::1])(types.uint8[::1], OFFSETS, OFFSETS, types.int64)
)
def decode_texts(  # noqa: C901 - one compiled loop
    data: npt.NDArray[np.uint8], ends: Offsets, slots: Offsets, kept: int
) -> tuple[Offsets, npt.NDArray[np.uint32], Offsets]:
    """Split rows of UTF-8 texts into columns of code points.

    Text c of row i ends before ``ends[i * c + c]``; the next begins after it. Column c becomes column ``slots[c]`` of
    the ``kept`` ones, or none if that is -1. Returns the offsets, shape (kept, n + 1); the code points of all columns;
    and where those of each column begin, shape (kept + 1,). Bytes that are not UTF-8 give some code points or other.
    """
    columns = slots.shape[0]
    rows = ends.shape[0] // columns
    offsets = np.zeros((kept, rows + 1), dtype=np.int64)
    firsts = np.zeros(kept + 1, dtype=np.int64)
    begin = np.int64(0)
    for row in range(rows):
        for column in range(columns):
            end = ends[row * columns + column]
            if slots[column] >= 0:
                firsts[slots[column] + 1] += end - begin
            begin = end + 1
    for slot in range(kept):
        firsts[slot + 1] += firsts[slot]
    # A text has no more characters than bytes; memory that is never touched costs nothing.
    codes = np.empty(firsts[kept], dtype=np.uint32)
    filled = firsts.copy()
    begin = np.int64(0)
    for row in range(rows):
        for column in range(columns):
            end, slot = ends[row * columns + column], slots[column]
            if slot >= 0:
                at, position = begin, filled[slot]
                while at < end:
                    lead = np.uint32(data[at])
                    width = 1 if lead < 0xC0 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
                    if width == 1:
                        codes[position] = lead
                    elif at + width > end:
                        codes[position] = _INVALID
                    elif width == 2:
                        codes[position] = (lead & 0x1F) << 6 | (data[at + 1] & 0x3F)
                    elif width == 3:
                        codes[position] = (
                            (lead & 0x0F) << 12 | np.uint32(data[at + 1] & 0x3F) << 6 | (data[at + 2] & 0x3F)
                        )
                    else:
                        high = (lead & 0x07) << 18 | np.uint32(data[at + 1] & 0x3F) << 12
                        codes[position] = high | np.uint32(data[at + 2] & 0x3F) << 6 | (data[at + 3] & 0x3F)
                    at += width
                    position += 1
                filled[slot] = position
                offsets[slot, row + 1] = position - firsts[slot]
            begin = end + 1
    return offsets, codes, firsts
