"""Compiled loops that make numbers of 64 bits out of texts: prefixes, words, values, fingerprints.

A hash is never 0 but for an empty text, which is a missing value and makes no key. A title is given as two columns,
main title and remainder, and read as one text with a blank between: where libraries cut it differs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import types

from bibld.dedup._keys.hash_kernels import PRIME, SEED, finalised
from bibld.dedup.compilation import CODES, COUNTS, NEW_NUMBERS, NEW_OFFSETS, NUMBERS, OFFSETS, inner, kernel

if TYPE_CHECKING:
    import numpy.typing as npt

    Offsets = npt.NDArray[np.int64]
    Codes = npt.NDArray[np.uint32]
    Numbers = npt.NDArray[np.uint64]

TITLE = (OFFSETS, CODES, OFFSETS, CODES)
_ROWS = types.uint64[:, ::1]
_BLANK = 32
_BETWEEN = 124
_ONE = np.uint64(1)
_NONE = np.uint64(0)
LENGTHS = (4, 12, 18)
"""The lengths of the beginnings of titles that make keys; the whole title is the fourth."""


def title_prefixes(main: Offsets, main_codes: Codes, rest: Offsets, rest_codes: Codes) -> Numbers:
    """The hashes of the beginnings of each title, of ``LENGTHS`` and of all of it, as ``prefixes``, (4, n)."""
    result = np.zeros((4, len(main) - 1), dtype=np.uint64)
    _title_prefixes(main, main_codes, rest, rest_codes, result)
    return result


@kernel(types.void(*TITLE, _ROWS))
def _title_prefixes(main: Offsets, main_codes: Codes, rest: Offsets, rest_codes: Codes, result: Numbers) -> None:
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
                    if reached < 3 and taken == LENGTHS[reached]:
                        result[reached, row] = finalised(value)
                        reached += 1
        if taken:
            for slot in range(reached, 4):
                result[slot, row] = finalised(value)


@inner(types.int64(NEW_NUMBERS, types.int64, types.int64, types.uint64))
def _inserted(hashes: Numbers, begin: int, end: int, value: Any) -> int:  # noqa: ANN401
    """Put a hash where it belongs between two places unless it is there; the new end."""
    place = end
    while place > begin and hashes[place - 1] > value:
        place -= 1
    if place > begin and hashes[place - 1] == value:
        return end
    for position in range(end, place, -1):
        hashes[position] = hashes[position - 1]
    hashes[place] = value
    return end + 1


def words(main: Offsets, main_codes: Codes, rest: Offsets, rest_codes: Codes) -> tuple[Offsets, Numbers]:
    """The set of the words of each title, ascending by hash, as offsets (n + 1,) and hashes."""
    found = np.zeros(len(main), dtype=np.int64)
    hashes = np.empty((len(main_codes) + len(rest_codes)) // 2 + 2 * len(main), dtype=np.uint64)
    _words(main, main_codes, rest, rest_codes, found, hashes)
    return found, hashes[: found[-1]].copy()


@kernel(types.void(*TITLE, NEW_OFFSETS, NEW_NUMBERS))
def _words(main: Offsets, main_codes: Codes, rest: Offsets, rest_codes: Codes, found: Offsets, hashes: Numbers) -> None:
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
                if code != _BLANK and code != _BETWEEN:
                    value = (value ^ np.uint64(code)) * PRIME
                    in_word = True
                elif in_word:
                    filled = _inserted(hashes, begin, filled, finalised(value))
                    value, in_word = SEED, False
        found[row + 1] = filled


def values(offsets: Offsets, codes: Codes, letters: int, most: int, without: Codes) -> tuple[Offsets, Numbers]:
    """The hashes of the first ``most`` values of each text, as offsets (n + 1,) and hashes, in their order.

    Of a value the first ``letters`` characters count; -1: its first word, -2: all of it. A value that begins with
    ``without`` (where that is not empty) has none.
    """
    found, hashes = np.zeros(len(offsets), dtype=np.int64), np.empty(len(codes) + 1, dtype=np.uint64)
    _values(offsets, codes, letters, most, without, found, hashes)
    return found, hashes[: found[-1]].copy()


@kernel(types.void(OFFSETS, CODES, types.int64, types.int64, CODES, NEW_OFFSETS, NEW_NUMBERS))
def _values(
    offsets: Offsets, codes: Codes, letters: int, most: int, without: Codes, found: Offsets, hashes: Numbers
) -> None:
    filled = 0
    for row in range(found.shape[0] - 1):
        value, taken, like, ended, number = SEED, 0, 0, False, 0
        for position in range(offsets[row], offsets[row + 1] + 1):
            code = codes[position] if position < offsets[row + 1] else np.uint32(_BETWEEN)
            if code == _BETWEEN:
                if taken and number < most:
                    if like < without.shape[0] or not like:
                        hashes[filled] = finalised(value)
                        filled += 1
                    number += 1
                value, taken, like, ended = SEED, 0, 0, False
            elif code == _BLANK:
                ended = ended or (letters == -1 and taken > 0)
            elif not ended and (letters < 0 or taken < letters):
                if like == taken and like < without.shape[0] and without[like] == code:
                    like += 1
                value = (value ^ np.uint64(code)) * PRIME
                taken += 1
        found[row + 1] = filled


def rarest(offsets: Offsets, hashes: Numbers, frequencies: npt.NDArray[np.int32], most: int) -> Offsets:
    """Positions in ``hashes`` of the ``most`` rarest words of each row, shape (n, most), -1 where it has fewer.

    ``frequencies`` are those of the words at the same positions. A word of frequency 0 or 1 stands after all others,
    since it can hardly bring two records together (it may be a misprint).
    """
    result = np.full((len(offsets) - 1, most), -1, dtype=np.int64)
    _rarest(offsets, hashes, frequencies, result)
    return result


@kernel(types.void(OFFSETS, NUMBERS, COUNTS, types.int64[:, ::1]))
def _rarest(offsets: Offsets, hashes: Numbers, frequencies: npt.NDArray[np.int32], result: Offsets) -> None:
    for row in range(result.shape[0]):
        for position in range(offsets[row], offsets[row + 1]):
            place = position
            for slot in range(result.shape[1]):
                other = result[row, slot]
                if other == -1:
                    result[row, slot] = place
                    break
                rank, other_rank = frequencies[place], frequencies[other]
                rank = rank if rank > 1 else np.int32(0x7FFFFFFF)
                other_rank = other_rank if other_rank > 1 else np.int32(0x7FFFFFFF)
                if rank < other_rank or (rank == other_rank and hashes[place] < hashes[other]):
                    result[row, slot] = place
                    place = other


@inner(types.uint64(NEW_NUMBERS, types.uint64))
def _majority(planes: Numbers, votes: Any) -> Any:  # noqa: ANN401
    """The bits whose counters are above half of the votes; plane p holds bit p of all 64 counters."""
    half = votes >> _ONE
    above, equal = _NONE, ~_NONE
    for plane in range(7, -1, -1):
        if (half >> np.uint64(plane)) & _ONE:
            equal &= planes[plane]
        else:
            above |= equal & planes[plane]
            equal &= ~planes[plane]
    return above


def trigram_simhash(main: Offsets, main_codes: Codes, rest: Offsets, rest_codes: Codes) -> Numbers:
    """SimHash of 64 bits over the character trigrams of main title and of whole title, blanks not counted, (2, n).

    Bit i is set when more of the first 255 trigrams have bit i of their (well-mixed) hash set than not. A text of one
    or two characters is its own only trigram; an empty text has the hash 0.
    """
    result = np.zeros((2, len(main) - 1), dtype=np.uint64)
    _trigram_simhash(main, main_codes, rest, rest_codes, np.empty(8, dtype=np.uint64), result)
    return result


@kernel(types.void(*TITLE, NEW_NUMBERS, _ROWS))
def _trigram_simhash(
    main: Offsets, main_codes: Codes, rest: Offsets, rest_codes: Codes, planes: Numbers, result: Numbers
) -> None:
    for row in range(result.shape[1]):
        window, taken = _NONE, 0
        a = b = c = d = e = f = g = h = _NONE
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
                # Counters of 8 bits stand upright, one plane for each bit: all 64 are counted up at once.
                carry = finalised(window ^ SEED)
                a, carry = a ^ carry, a & carry
                b, carry = b ^ carry, b & carry
                c, carry = c ^ carry, c & carry
                d, carry = d ^ carry, d & carry
                e, carry = e ^ carry, e & carry
                f, carry = f ^ carry, f & carry
                g, carry = g ^ carry, g & carry
                h ^= carry
            if taken >= 3:
                planes[0], planes[1], planes[2], planes[3] = a, b, c, d
                planes[4], planes[5], planes[6], planes[7] = e, f, g, h
                result[part, row] = _majority(planes, np.uint64(min(taken - 2, 255)))
            elif taken:
                result[part, row] = finalised(window ^ SEED)
