"""The compiled loops over sets of shingles, which only some blockers and scorers need."""

from __future__ import annotations

import numpy as np

from bibld.dedup.arrays import Codes, Numbers, Offsets, RowNumbers
from bibld.dedup.compilation import CODES, NEW_NUMBERS, NEW_OFFSETS, NUMBERS, OFFSETS, ROWS, kernel, results, types
from bibld.dedup.hashes import FIRST_FACTOR, PRIME, SECOND_FACTOR, SEED, finalised

_BLANK, _SEPARATOR = 32, 124
_SHIFT = np.uint64(33)
_MAX_HASH = np.uint64(0xFFFFFFFFFFFFFFFF)


@kernel(results(NEW_OFFSETS, NEW_NUMBERS)(OFFSETS, CODES, types.int64, types.boolean, types.int64))
def shingle_sets(offsets: Offsets, codes: Codes, size: int, are_words: bool, window: int) -> tuple[Offsets, Numbers]:  # noqa: C901 - one compiled loop
    """Return the set of shingles of each text (see :func:`bibld.dedup.texts.shingles`)."""
    count, longest = offsets.shape[0] - 1, np.int64(0)
    for row in range(count):
        longest = max(longest, offsets[row + 1] - offsets[row])
    room = 64
    while room < 2 * longest:
        room *= 2
    table = np.zeros(room + longest, dtype=np.uint64)
    hashes = np.empty(longest, dtype=np.uint64)
    starts = np.zeros(count + 1, dtype=np.int64)
    found = np.empty(offsets[count] - offsets[0], dtype=np.uint64)
    filled = 0
    for row in range(count):
        # The words (hashed) or characters; runs of blanks count as one, those around the text not at all.
        length, word, in_word, is_after_blank = 0, SEED, False, False
        for position in range(offsets[row], offsets[row + 1] + 1):
            code = np.uint32(_BLANK) if position == offsets[row + 1] else codes[position]
            is_blank = code in (_BLANK, _SEPARATOR)
            if not are_words:
                if not is_blank:
                    if is_after_blank and length:
                        hashes[length] = np.uint64(_BLANK)
                        length += 1
                    hashes[length] = np.uint64(code)
                    length += 1
                is_after_blank = is_blank
            elif not is_blank:
                word, in_word = (word ^ np.uint64(code)) * PRIME, True
            elif in_word:
                hashes[length] = finalised(word)
                word, in_word = SEED, False
                length += 1
        # The shingles, each in place of its first word, which later ones do not contain.
        width = min(size, length)
        length -= max(width - 1, 0)
        for first in range(length):
            value = SEED
            for index in range(first, first + width):
                value = (value ^ hashes[index]) * PRIME
            hashes[first] = finalised(value)
        # A hash table in ascending order: the highest bits are the slot, a smaller hash displaces a larger one.
        slots, shift = 64, np.uint64(58)
        while slots < 2 * length:
            slots, shift = 2 * slots, shift - np.uint64(1)
        least, last = -1, filled
        for index in range(max(min(window, length) - 1, 0), length):
            if least >= 0 and least > index - window:
                least = index if hashes[index] <= hashes[least] else least
            else:
                least = max(index - window + 1, 0)
                for other in range(least + 1, index + 1):
                    least = other if hashes[other] <= hashes[least] else least
            value = hashes[least]
            slot = np.int64(value >> shift)
            while table[slot] != value:
                if table[slot] == np.uint64(0):
                    table[slot] = value
                    last += 1
                elif table[slot] > value:
                    table[slot], value = value, table[slot]
                    slot += 1
                else:
                    slot += 1
        slot = np.int64(0)
        while filled < last:
            found[filled] = table[slot]
            filled += 1 if table[slot] else 0
            table[slot] = np.uint64(0)
            slot += 1
        starts[row + 1] = filled
    return starts, found[:filled].copy()


@kernel(types.int64[::1](OFFSETS, NUMBERS, ROWS, ROWS))
def count_shared(starts: Offsets, hashes: Numbers, left: RowNumbers, right: RowNumbers) -> Offsets:
    """Return how many shingles the sets of two rows have in common, shape (pairs,)."""
    result = np.zeros(left.shape[0], dtype=np.int64)
    for pair in range(result.shape[0]):
        i, i_end = starts[left[pair]], starts[left[pair] + 1]
        j, j_end = starts[right[pair]], starts[right[pair] + 1]
        while i < i_end and j < j_end:
            one, other = hashes[i], hashes[j]
            result[pair] += one == other
            i += one <= other
            j += other <= one
    return result


@kernel(types.uint64[:, ::1](OFFSETS, NUMBERS, NUMBERS, types.int64))
def band_hashes(starts: Offsets, shingles: Numbers, seeds: Numbers, rows: int) -> Numbers:
    """Return a hash of each band of ``rows`` least values of each set of shingles, shape (n, bands); none is 0.

    Permutation i puts ``x ^ seeds[i]`` through an odd factor, a shift and an odd factor, all of which are invertible.
    """
    count = starts.shape[0] - 1
    bands = seeds.shape[0] // rows
    result = np.empty((count, bands), dtype=np.uint64)
    least = np.empty(seeds.shape[0], dtype=np.uint64)
    for row in range(count):
        least[:] = _MAX_HASH
        for position in range(starts[row], starts[row + 1]):
            for number in range(seeds.shape[0]):
                value = (shingles[position] ^ seeds[number]) * FIRST_FACTOR
                value = (value ^ (value >> _SHIFT)) * SECOND_FACTOR
                least[number] = min(least[number], value)
        for band in range(bands):
            value = SEED ^ np.uint64(band)
            for number in range(band * rows, (band + 1) * rows):
                value = (value ^ least[number]) * PRIME
            result[row, band] = finalised(value)
    return result
