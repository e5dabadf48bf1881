"""Compiled: rows of texts read from a file.

Reading at random what is mapped costs a page fault for nearly each row, and what was touched counts as memory until it
is let go; a read costs half of that and leaves nothing behind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import types

from bibld.dedup.compilation import OFFSETS, kernel

if TYPE_CHECKING:
    import numpy.typing as npt

    Offsets = npt.NDArray[np.int64]

# ssize_t pread(int fd, void *buf, size_t count, off_t offset), POSIX.1-2017
_pread: Any = types.ExternalFunction("pread", types.int64(types.int32, types.voidptr, types.uint64, types.int64))


@kernel(types.boolean(types.int32, OFFSETS, OFFSETS, OFFSETS, OFFSETS, types.uint8[::1]))
def rows_read(
    file: int, starts: Offsets, rows: Offsets, places: Offsets, new_starts: Offsets, texts: npt.NDArray[np.uint8]
) -> bool:
    """Read row ``rows[i]`` of a file, where it begins at ``starts[rows[i]]``, into the row ``places[i]`` of texts,
    which have room for it; False where the file could not be read or ends before."""
    for i in range(rows.shape[0]):
        begin, length = new_starts[places[i]], new_starts[places[i] + 1] - new_starts[places[i]]
        done = np.int64(0)
        while done < length:
            got = _pread(file, texts[begin + done :].ctypes, np.uint64(length - done), starts[rows[i]] + done)
            if got <= 0:
                return False
            done += got
    return True
