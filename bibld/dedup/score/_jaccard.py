"""The compiled Jaccard similarity of the character bigrams of texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bibld.dedup.compilation import CODES, MISSING, OFFSETS, ROWS, kernel, types

if TYPE_CHECKING:
    import numpy.typing as npt

    Rows = npt.NDArray[np.uint32]


@kernel(types.float32[::1](OFFSETS, CODES, ROWS, ROWS))
def jaccard(offsets: npt.NDArray[np.int64], codes: Rows, left: Rows, right: Rows) -> npt.NDArray[np.float32]:
    """Return the Jaccard similarity of the sets of bigrams of pairs of texts, shape (pairs,); -1 if a text is empty.

    A bigram is two code points in one number; a text of one character has that character as its only bigram.
    """
    count = offsets.shape[0] - 1
    begins, grams = np.zeros(count + 1, dtype=np.int64), np.empty(codes.shape[0], dtype=np.uint64)
    filled = 0
    for row in range(count):
        begin, length = offsets[row], offsets[row + 1] - offsets[row]
        found = grams[filled : filled + max(length - 1, min(length, 1))]
        for place in range(found.shape[0]):
            found[place] = np.uint64(codes[begin + place]) << np.uint64(32)
            if length > 1:
                found[place] |= np.uint64(codes[begin + place + 1])
        found.sort()
        first = filled
        for place in range(found.shape[0]):
            if filled == first or grams[filled - 1] != found[place]:
                grams[filled] = found[place]
                filled += 1
        begins[row + 1] = filled
    result = np.full(left.shape[0], np.float32(MISSING), dtype=np.float32)
    for pair in range(left.shape[0]):
        i, i_end = begins[left[pair]], begins[left[pair] + 1]
        j, j_end = begins[right[pair]], begins[right[pair] + 1]
        if i == i_end or j == j_end:
            continue
        total, common = (i_end - i) + (j_end - j), 0
        while i < i_end and j < j_end:
            one, other = grams[i], grams[j]
            common += one == other
            i += one <= other
            j += other <= one
        result[pair] = common / (total - common)
    return result
