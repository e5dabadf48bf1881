"""The compiled loop of the paper's SimHash, whose words are hashed as Java hashes them."""

from __future__ import annotations

import numpy as np

from bibld.dedup.arrays import Places, RowNumbers
from bibld.dedup.compilation import CODES, NEW_ROWS, OFFSETS, kernel

_ONE = np.uint64(1)
_BLANK_UNIT, _FACTOR = np.uint64(32), np.uint64(31)
_LAST_UNIT, _HIGH_UNITS, _LOW_UNITS = np.uint64(0xFFFF), np.uint64(0xD7C0), np.uint64(0xDC00)


@kernel(NEW_ROWS(OFFSETS, CODES))
def java_simhash(offsets: Places, codes: RowNumbers) -> RowNumbers:
    """Return the SimHash of 32 bits over the words of each text, shape (n,).

    A word's hash is Java's ``String.hashCode``: h = 31 * h + unit over its UTF-16 units, in 32-bit arithmetic with
    overflow. Bit i of the SimHash is set when more words have bit i set than not. An empty text has the hash 0.
    """
    hashes = np.zeros(offsets.shape[0] - 1, dtype=np.uint32)
    votes = np.zeros(32, dtype=np.int64)
    for row in range(hashes.shape[0]):
        votes[:] = 0
        word, in_word = np.uint64(0), False
        for position in range(offsets[row], offsets[row + 1] + 1):
            code = np.uint64(codes[position]) if position < offsets[row + 1] else _BLANK_UNIT
            if code != _BLANK_UNIT:
                if code > _LAST_UNIT:
                    word = word * _FACTOR + (_HIGH_UNITS + (code >> np.uint64(10)))
                    code = _LOW_UNITS + (code & np.uint64(0x3FF))
                word, in_word = word * _FACTOR + code, True
            elif in_word:
                for bit in range(32):
                    votes[bit] += 2 * np.int64(word >> np.uint64(bit) & _ONE) - 1
                word, in_word = np.uint64(0), False
        for bit in range(32):
            hashes[row] |= np.uint32(votes[bit] > 0) << np.uint32(bit)
    return hashes
