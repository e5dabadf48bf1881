"""Compiled loops over the columns. Only the matching commands import this module, since numba takes time to load."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bibld.dedup.compilation import NEW_NUMBERS, NUMBERS, OFFSETS, ROWS, kernel, njit

if TYPE_CHECKING:
    import numpy.typing as npt

_BLANK = 32


@njit(cache=True, nogil=True)
def java_simhash(offsets: npt.NDArray[np.int64], codes: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """SimHash of 32 bits over the words of each text, shape (n,).

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


@kernel(NEW_NUMBERS(OFFSETS, NUMBERS, ROWS, ROWS))
def families_in_common(
    offsets: npt.NDArray[np.int64],
    keys: npt.NDArray[np.uint64],
    left: npt.NDArray[np.uint32],
    right: npt.NDArray[np.uint32],
) -> npt.NDArray[np.uint64]:
    """The families (bit i: family i) of the keys that two rows have in common, shape (pairs,).

    The keys of row i are ``keys[offsets[i]:offsets[i + 1]]``, ascending; a key begins with the number of its family.
    """
    result = np.zeros(left.shape[0], dtype=np.uint64)
    for pair in range(left.shape[0]):
        i, i_end = offsets[left[pair]], offsets[left[pair] + 1]
        j, j_end = offsets[right[pair]], offsets[right[pair] + 1]
        while i < i_end and j < j_end:
            if keys[i] == keys[j]:
                result[pair] |= np.uint64(1) << (keys[i] >> np.uint64(56))
                i += 1
                j += 1
            elif keys[i] < keys[j]:
                i += 1
            else:
                j += 1
    return result


def halves(pairs: npt.NDArray[np.uint64]) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
    """Take pairs of rows apart."""
    low: Any = np.uint64(0xFFFFFFFF)
    return (pairs >> np.uint64(32)).astype(np.uint32), (pairs & low).astype(np.uint32)
