"""The compiled loop of the paper's SimHash, whose words are hashed as Java hashes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bibld.dedup.compilation import CODES, NEW_ROWS, OFFSETS, kernel

if TYPE_CHECKING:
    import numpy.typing as npt

_BLANK = 32


@kernel(NEW_ROWS(OFFSETS, CODES))
def java_simhash(offsets: npt.NDArray[np.int64], codes: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """Return the SimHash of 32 bits over the words of each text, shape (n,).

    A word's hash is Java's ``String.hashCode``: h = 31 * h + unit over its UTF-16 units, in 32-bit arithmetic with
    overflow. Bit i of the SimHash is set when more words have bit i set than not. An empty text has the hash 0.
    """
    count = offsets.shape[0] - 1
    hashes = np.zeros(count, dtype=np.uint32)
    votes = np.zeros(32, dtype=np.int32)
    for row in range(count):
        votes[:] = 0
        word = np.uint32(0)
        in_word = False
        for position in range(offsets[row], offsets[row + 1] + 1):
            code = codes[position] if position < offsets[row + 1] else np.uint32(_BLANK)
            if code != _BLANK:
                in_word = True
                if code > 0xFFFF:
                    high = np.uint32(0xD7C0 + (code >> np.uint32(10)))
                    low = np.uint32(0xDC00 + (code & np.uint32(0x3FF)))
                    word = np.uint32(np.uint32(word * np.uint32(31)) + high)
                    word = np.uint32(np.uint32(word * np.uint32(31)) + low)
                else:
                    word = np.uint32(np.uint32(word * np.uint32(31)) + code)
            elif in_word:
                for bit in range(32):
                    votes[bit] += 1 if (word >> np.uint32(bit)) & np.uint32(1) else -1
                word = np.uint32(0)
                in_word = False
        value = np.uint32(0)
        for bit in range(32):
            if votes[bit] > 0:
                value |= np.uint32(1) << np.uint32(bit)
        hashes[row] = value
    return hashes
