"""Hashes of 64 bits that keys, signatures and statistics are made of. All loops over characters are compiled.

A hash is 0 only for an empty text, which is a missing value and makes no key. A title is given as two columns, main
title and remainder, and read as one text with a blank between them, since libraries cut it in different places.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bibld.dedup.arrays import Codes, Numbers, Offsets
from bibld.dedup.compilation import (
    CODES,
    NEW_NUMBERS,
    NEW_OFFSETS,
    NUMBERS,
    OFFSETS,
    inner,
    kernel,
    results,
    types,
)
from bibld.model.features import FeatureColumns

SEED = np.uint64(0xCBF29CE484222325)
PRIME = np.uint64(0x100000001B3)
ALL_LETTERS = 1 << 30
"""As a length: all characters."""
TITLE_PREFIXES = (4, 12, 18)
"""The lengths of the beginnings of titles that make keys; the whole title is the fourth."""
FIRST_WORD, FULL_VALUE, INITIAL_FORM = -1, -2, -3
"""What counts of a value, instead of a number of letters."""

_BLANK, _SEPARATOR = 32, 124
FIRST_FACTOR, SECOND_FACTOR = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)
_SHIFT, _ONE, _NONE = np.uint64(33), np.uint64(1), np.uint64(0)
_LISTS = results(NEW_OFFSETS, NEW_NUMBERS)
_TABLE = types.uint64[:, ::1]
_TITLE = (OFFSETS, CODES, OFFSETS, CODES)


@inner(types.uint64(types.uint64))
def finalised(value: Any) -> Any:  # noqa: ANN401
    """Mix the bits of a number by the finaliser of MurmurHash3, with 1 for 0."""
    value ^= value >> _SHIFT
    value *= FIRST_FACTOR
    value ^= value >> _SHIFT
    value *= SECOND_FACTOR
    value ^= value >> _SHIFT
    return value if value != _NONE else _ONE


@inner(types.uint64(types.uint64, types.uint64))
def mix(left: Any, right: Any) -> Any:  # noqa: ANN401
    """One hash for two; 0 if either is 0."""
    if left == _NONE or right == _NONE:
        return _NONE
    return finalised((left * PRIME) ^ (right + (left >> _SHIFT)))


@kernel(NEW_NUMBERS(NUMBERS))
def finalise(numbers: Numbers) -> Numbers:
    """Return well-mixed numbers, shape (n,)."""
    result = np.empty(numbers.shape[0], dtype=np.uint64)
    for i in range(result.shape[0]):
        result[i] = finalised(numbers[i])
    return result


@kernel(NEW_NUMBERS(NUMBERS, NUMBERS))
def mixed(left: Numbers, right: Numbers) -> Numbers:
    """Return one hash for each two, shape (n,); 0 if either is 0."""
    result = np.empty(left.shape[0], dtype=np.uint64)
    for row in range(result.shape[0]):
        result[row] = mix(left[row], right[row])
    return result


@kernel(NEW_NUMBERS(OFFSETS, CODES, types.int64))
def prefixes(offsets: Offsets, codes: Codes, length: int) -> Numbers:
    """Return the hash of the first ``length`` characters of each text, blanks not counted, shape (n,)."""
    result = np.zeros(offsets.shape[0] - 1, dtype=np.uint64)
    for row in range(result.shape[0]):
        value, taken = SEED, 0
        for position in range(offsets[row], offsets[row + 1]):
            if taken == length:
                break
            if codes[position] != _BLANK:
                value = (value ^ np.uint64(codes[position])) * PRIME
                taken += 1
        if taken:
            result[row] = finalised(value)
    return result


def title(columns: FeatureColumns) -> tuple[Offsets, Codes, Offsets, Codes]:
    """Return the whole romanised title as kernels take it: offsets and codes of main title and remainder."""
    main, remainder = columns.texts["main_title"], columns.texts["remainder"]
    return main.offsets, main.codes, remainder.offsets, remainder.codes


@kernel(_TABLE(*_TITLE))
def title_prefixes(main: Offsets, main_codes: Codes, rest: Offsets, rest_codes: Codes) -> Numbers:
    """Return the hashes of the first ``TITLE_PREFIXES`` characters of each title, shape (3, n)."""
    result = np.zeros((3, main.shape[0] - 1), dtype=np.uint64)
    for row in range(result.shape[1]):
        value, taken, reached = SEED, 0, 0
        offsets, codes = main, main_codes
        for part in range(2):
            if part:
                offsets, codes = rest, rest_codes
            for position in range(offsets[row], offsets[row + 1]):
                if codes[position] != _BLANK:
                    value = (value ^ np.uint64(codes[position])) * PRIME
                    taken += 1
                    if reached < 3 and taken == TITLE_PREFIXES[reached]:
                        result[reached, row] = finalised(value)
                        reached += 1
        if taken:
            for slot in range(reached, 3):
                result[slot, row] = finalised(value)
    return result


@kernel(_LISTS(*_TITLE))
def words(main: Offsets, main_codes: Codes, rest: Offsets, rest_codes: Codes) -> tuple[Offsets, Numbers]:
    """Return the set of the words of each title, ascending by hash, as offsets (n + 1,) and hashes."""
    found = np.zeros(main.shape[0], dtype=np.int64)
    hashes = np.empty((main_codes.shape[0] + rest_codes.shape[0]) // 2 + 2 * main.shape[0], dtype=np.uint64)
    filled = 0
    for row in range(found.shape[0] - 1):
        begin = filled
        offsets, codes = main, main_codes
        for part in range(2):
            if part:
                offsets, codes = rest, rest_codes
            value, in_word = SEED, False
            for position in range(offsets[row], offsets[row + 1] + 1):
                code = codes[position] if position < offsets[row + 1] else np.uint32(_BLANK)
                if code != _BLANK and code != _SEPARATOR:
                    value = (value ^ np.uint64(code)) * PRIME
                    in_word = True
                elif in_word:
                    word = finalised(value)
                    index = filled
                    while index > begin and hashes[index - 1] > word:
                        index -= 1
                    if index == begin or hashes[index - 1] != word:
                        for other in range(filled, index, -1):
                            hashes[other] = hashes[other - 1]
                        hashes[index] = word
                        filled += 1
                    value, in_word = SEED, False
        found[row + 1] = filled
    return found, hashes[:filled].copy()


@kernel(_LISTS(OFFSETS, CODES, types.int64, types.int64, CODES))
def values(offsets: Offsets, codes: Codes, letters: int, most: int, without: Codes) -> tuple[Offsets, Numbers]:
    """Return the hashes of the first ``most`` values of each text, as offsets (n + 1,) and hashes, in their order.

    Of a value the first ``letters`` characters count, or its ``FIRST_WORD``, or the ``FULL_VALUE``, or the first word
    and one more letter, the ``INITIAL_FORM``. A value that begins with ``without`` (if that is not empty) has none.
    """
    found, hashes = np.zeros(offsets.shape[0], dtype=np.int64), np.empty(codes.shape[0] + 1, dtype=np.uint64)
    filled = 0
    for row in range(found.shape[0] - 1):
        value, taken, equal, is_ended, number, words_ended = SEED, 0, 0, False, 0, 0
        for position in range(offsets[row], offsets[row + 1] + 1):
            code = codes[position] if position < offsets[row + 1] else np.uint32(_SEPARATOR)
            if code == _SEPARATOR:
                if taken and number < most:
                    if equal < without.shape[0] or not equal:
                        hashes[filled] = finalised(value)
                        filled += 1
                    number += 1
                value, taken, equal, is_ended, words_ended = SEED, 0, 0, False, 0
            elif code == _BLANK:
                words_ended += taken > 0
                is_ended = is_ended or (letters == FIRST_WORD and taken > 0)
            elif not is_ended and (letters < 0 or taken < letters):
                if equal == taken and equal < without.shape[0] and without[equal] == code:
                    equal += 1
                value = (value ^ np.uint64(code)) * PRIME
                taken += 1
                is_ended = letters == INITIAL_FORM and words_ended > 0
        found[row + 1] = filled
    return found, hashes[:filled].copy()


@kernel(_TABLE(*_TITLE))
def trigram_simhash(main: Offsets, main_codes: Codes, rest: Offsets, rest_codes: Codes) -> Numbers:  # noqa: C901 - one compiled loop
    """Return the SimHash of 64 bits over the character trigrams of main title and of whole title, shape (2, n).

    Blanks are not counted. Bit i is set if more of the first 255 trigrams have bit i of their (well-mixed) hash set
    than not. A text of one or two characters is its own only trigram; an empty text has the hash 0.
    """
    result = np.zeros((2, main.shape[0] - 1), dtype=np.uint64)
    # Counters of 8 bits, one plane for each bit: all 64 are incremented together.
    planes = np.empty(8, dtype=np.uint64)
    for row in range(result.shape[1]):
        window, taken = _NONE, 0
        planes[:] = _NONE
        offsets, codes = main, main_codes
        for part in range(2):
            if part:
                offsets, codes = rest, rest_codes
            for position in range(offsets[row], offsets[row + 1]):
                if codes[position] == _BLANK:
                    continue
                window = ((window << np.uint64(21)) | np.uint64(codes[position])) & np.uint64(0x7FFFFFFFFFFFFFFF)
                taken += 1
                if taken < 3:
                    continue
                if taken > 257:
                    break
                carry = finalised(window ^ SEED)
                for plane in range(8):
                    planes[plane], carry = planes[plane] ^ carry, planes[plane] & carry
            if taken >= 3:
                half = np.uint64(min(taken - 2, 255)) >> _ONE
                above, equal = _NONE, ~_NONE
                for plane in range(7, -1, -1):
                    if (half >> np.uint64(plane)) & _ONE:
                        equal &= planes[plane]
                    else:
                        above |= equal & planes[plane]
                        equal &= ~planes[plane]
                result[part, row] = above
            elif taken:
                result[part, row] = finalised(window ^ SEED)
    return result
