"""The compiled loops of composite keys: the rarest words of a title, keys put together from fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import types

from bibld.dedup.arrays import Counts, Numbers, Offsets
from bibld.dedup.compilation import (
    CODES,
    COUNTS,
    NEW_NUMBERS,
    NEW_ROWS,
    NUMBERS,
    OFFSETS,
    PLACES,
    TABLE,
    inner,
    kernel,
)
from bibld.dedup.hashes import PRIME, SEED, finalised, mix

if TYPE_CHECKING:
    import numpy.typing as npt


MAX_NAMES = 3
MAX_TITLES = 3
"""A main title that its remainder is left out of, and variants."""
_WORDS, _LETTERS = 3, 3
_BLANK = 32
_LAST = np.int32(0x7FFFFFFF)
_ONE = np.uint64(1)


def most_keys(rare: int) -> int:
    """Return how many keys a row has at most, if its ``rare`` rarest words make keys."""
    return 9 + MAX_TITLES + MAX_NAMES * (3 + MAX_TITLES + rare) + rare * (rare - 1) // 2


@kernel(types.int64[:, ::1](OFFSETS, NUMBERS, COUNTS, types.int64))
def rarest(offsets: Offsets, words: Numbers, frequencies: Counts, most: int) -> Offsets:
    """Return the positions in ``words`` of the ``most`` rarest words of each row, shape (n, most), -1 for fewer.

    ``frequencies`` are those of the words at the same positions. A word of frequency 0 or 1 comes after all others,
    since it can hardly bring two records together (it may be a misprint).
    """
    result = np.full((offsets.shape[0] - 1, most), -1, dtype=np.int64)
    for row in range(result.shape[0]):
        for position in range(offsets[row], offsets[row + 1]):
            index = position
            for slot in range(most):
                other = result[row, slot]
                if other == -1:
                    result[row, slot] = index
                    break
                rank, other_rank = frequencies[index], frequencies[other]
                rank = rank if rank > 1 else _LAST
                other_rank = other_rank if other_rank > 1 else _LAST
                if rank < other_rank or (rank == other_rank and words[index] < words[other]):
                    result[row, slot] = index
                    index = other
    return result


@kernel(NEW_NUMBERS(OFFSETS, CODES, OFFSETS, CODES))
def word_beginnings(
    main: Offsets, main_codes: npt.NDArray[np.uint32], rest: Offsets, rest_codes: npt.NDArray[np.uint32]
) -> Numbers:
    """Return a hash of the first three letters of the first three words of each main title, shape (n,).

    A main title of one word is read on into the remainder. Words of less than three letters do not count; 0 for a
    title of less than two words. So a title has one hash whether its words are written in full, abbreviated or with
    another ending.
    """
    result = np.zeros(main.shape[0] - 1, dtype=np.uint64)
    for row in range(result.shape[0]):
        value, words = SEED, 0
        offsets, codes = main, main_codes
        for part in range(2):
            if part:
                if words > 1:
                    break
                offsets, codes = rest, rest_codes
            word, letters = value, 0
            for position in range(offsets[row], offsets[row + 1] + 1):
                if position < offsets[row + 1] and codes[position] != _BLANK:
                    if letters < _LETTERS:
                        word = (word ^ np.uint64(codes[position])) * PRIME
                    letters += 1
                else:
                    if letters >= _LETTERS and words < _WORDS:
                        value, words = word, words + 1
                    word, letters = value, 0
        if words > 1:
            result[row] = finalised(value)
    return result


@inner(types.int64(types.uint64, types.uint64, types.uint64, NEW_NUMBERS, types.int64))
def _note(family: Any, one: Any, other: Any, fields: Numbers, count: int) -> int:  # noqa: ANN401
    """Note the family of a key and its two fields."""
    fields[count], fields[count + 1], fields[count + 2] = family, one, other
    return count + 3


@inner(types.int64(
        TABLE, OFFSETS, NUMBERS, types.int64, types.uint64, OFFSETS, NUMBERS, NEW_NUMBERS, types.int64
    ))  # fmt: skip
def _note_other_titles(  # noqa: PLR0913 - compiled with its caller
    titles: Numbers, variants: Offsets, other_titles: Numbers, row: int, year: np.uint64, names: Offsets,
    authors: Numbers, fields: Numbers, count: int,
) -> int:  # fmt: skip
    """Note keys of the main title alone, if that differs from the whole title, and of the variants."""
    for position in range(variants[row] - 1, variants[row + 1]):
        title = titles[4, row] if position < variants[row] else other_titles[position]
        if title != titles[1, row]:
            count = _note(1, title, year, fields, count)
            for name in range(names[row], names[row + 1]):
                count = _note(0, title, authors[name], fields, count)
    return count


@kernel(types.int64(
        types.uint64, TABLE, OFFSETS, NUMBERS, NUMBERS, COUNTS, COUNTS, COUNTS, OFFSETS, NUMBERS, NUMBERS, NUMBERS,
        COUNTS, PLACES, types.int64, NEW_NUMBERS, NEW_ROWS,
    ))  # fmt: skip
def composite_keys(  # noqa: PLR0913 - one compiled loop
    wanted: np.uint64, titles: Numbers, variants: Offsets, other_titles: Numbers, parts: Numbers, first: Counts,
    last: Counts, pages: Counts, names: Offsets, authors: Numbers, surnames: Numbers, words: Numbers,
    frequencies: Counts, rare: Offsets, most_common: int, keys: Numbers, rows: npt.NDArray[np.uint32],
) -> int:  # fmt: skip
    """Fill ``keys`` and ``rows`` row by row; return how many there are.

    Bit f of ``wanted``: make the keys of family f of ``FAMILIES``. ``titles`` (6, n) are the hashes of the first 4,
    12 and 18 characters, the beginnings of words, the first 12 characters of the main title alone, the first 4 of the
    set; ``other_titles`` those of the first 12 characters of the variants of row i from ``variants[i]`` on,
    ``authors`` and ``surnames`` those of the names of row i from ``names[i]`` on, ``rare`` (n, most) positions in
    ``words`` and ``frequencies``. Two words make a key if the product of their frequencies is at most
    ``most_common``. No row has more than ``MAX_NAMES`` names. A missing field makes no key.
    """
    most = rare.shape[1]
    fields = np.empty(3 * (keys.shape[0] // max(1, parts.shape[0])), dtype=np.uint64)
    filled = 0
    for row in range(parts.shape[0]):
        title4, title12, title18 = titles[0, row], titles[1, row], titles[2, row]
        year, length = mix(np.uint64(first[row]), _ONE), mix(np.uint64(pages[row]), _ONE)
        end_year = mix(np.uint64(last[row]), _ONE) if last[row] != first[row] else np.uint64(0)
        extent = mix(year, length)
        count = _note(1, title12, year, fields, 0)
        count = _note(1, title12, end_year, fields, count)
        count = _note(4, extent, title4, fields, count)
        count = _note(4, extent, titles[5, row], fields, count)
        count = _note(6, title18, _ONE, fields, count)
        count = _note(8, parts[row], year, fields, count)
        count = _note(8, parts[row], end_year, fields, count)
        count = _note(10, titles[3, row], year, fields, count)
        count = _note_other_titles(titles, variants, other_titles, row, year, names, authors, fields, count)
        if names[row] == names[row + 1]:
            count = _note(7, title12, length, fields, count)
        for name in range(names[row], names[row + 1]):
            count = _note(0, title12, authors[name], fields, count)
            count = _note(5, extent, authors[name], fields, count)
            count = _note(9, parts[row], authors[name], fields, count)
        for low in range(most):
            one = rare[row, low]
            if one < 0:
                break
            for high in range(low + 1, most):
                other = rare[row, high]
                if other >= 0 and np.int64(frequencies[one]) * np.int64(frequencies[other]) <= most_common:
                    lesser, greater = min(words[one], words[other]), max(words[one], words[other])
                    count = _note(2, lesser, greater, fields, count)
            for name in range(names[row], names[row + 1]):
                count = _note(3, surnames[name], words[one], fields, count)
        for position in range(0, count, 3):
            value = mix(fields[position + 1], fields[position + 2])
            if value != np.uint64(0) and (wanted >> fields[position]) & _ONE:
                keys[filled] = (value >> np.uint64(8)) | (fields[position] << np.uint64(56))
                rows[filled] = np.uint32(row)
                filled += 1
    return filled
