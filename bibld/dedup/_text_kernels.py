"""Compiled loops that make numbers of 64 bits out of texts: prefixes, words, values, fingerprints.

A hash is never 0 but for an empty text, which is a missing value and makes no key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bibld.dedup._compiling import njit

if TYPE_CHECKING:
    import numpy.typing as npt

_BLANK = 32
_BETWEEN = 124
_SEED = np.uint64(0xCBF29CE484222325)
_PRIME = np.uint64(0x100000001B3)
_FIRST = np.uint64(0xFF51AFD7ED558CCD)
_SECOND = np.uint64(0xC4CEB9FE1A85EC53)
_SHIFT = np.uint64(33)
_ONE = np.uint64(1)


@njit(cache=True, nogil=True, inline="always")
def _finalised(value: Any) -> Any:  # noqa: ANN401
    """The finaliser of MurmurHash3: every bit of the input moves half of the bits of the output."""
    value ^= value >> _SHIFT
    value *= _FIRST
    value ^= value >> _SHIFT
    value *= _SECOND
    value ^= value >> _SHIFT
    return value if value != np.uint64(0) else _ONE


@njit(cache=True, nogil=True)
def mixed(left: npt.NDArray[np.uint64], right: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """One hash for each two, shape (n,); 0 where either is 0."""
    result = np.zeros(left.shape[0], dtype=np.uint64)
    for row in range(left.shape[0]):
        if left[row] != 0 and right[row] != 0:
            result[row] = _finalised((left[row] * _PRIME) ^ (right[row] + (left[row] >> _SHIFT)))
    return result


@njit(cache=True, nogil=True)
def concatenated(
    first: npt.NDArray[np.int64],
    first_codes: npt.NDArray[np.uint32],
    second: npt.NDArray[np.int64],
    second_codes: npt.NDArray[np.uint32],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint32]]:
    """Two columns as one, with a blank between two texts that are not empty."""
    count = first.shape[0] - 1
    offsets = np.zeros(count + 1, dtype=np.int64)
    codes = np.empty(first_codes.shape[0] + second_codes.shape[0] + count, dtype=np.uint32)
    filled = 0
    for row in range(count):
        for position in range(first[row], first[row + 1]):
            codes[filled] = first_codes[position]
            filled += 1
        if first[row + 1] > first[row] and second[row + 1] > second[row]:
            codes[filled] = _BLANK
            filled += 1
        for position in range(second[row], second[row + 1]):
            codes[filled] = second_codes[position]
            filled += 1
        offsets[row + 1] = filled
    return offsets, codes[:filled].copy()


@njit(cache=True, nogil=True)
def prefixes(offsets: npt.NDArray[np.int64], codes: npt.NDArray[np.uint32], length: int) -> npt.NDArray[np.uint64]:
    """The hash of the first so many characters of each text, blanks not counted, shape (n,)."""
    count = offsets.shape[0] - 1
    result = np.zeros(count, dtype=np.uint64)
    for row in range(count):
        value, taken = _SEED, 0
        for position in range(offsets[row], offsets[row + 1]):
            if taken == length:
                break
            if codes[position] != _BLANK:
                value = (value ^ np.uint64(codes[position])) * _PRIME
                taken += 1
        if taken:
            result[row] = _finalised(value)
    return result


@njit(cache=True, nogil=True)
def words(
    offsets: npt.NDArray[np.int64], codes: npt.NDArray[np.uint32]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint64]]:
    """The set of the words of each text, ascending by hash, as offsets (n + 1,) and hashes."""
    count = offsets.shape[0] - 1
    found = np.zeros(count + 1, dtype=np.int64)
    hashes = np.empty(codes.shape[0] // 2 + count + 1, dtype=np.uint64)
    held = np.empty(codes.shape[0] + 1, dtype=np.uint64)
    filled = 0
    for row in range(count):
        number, value, in_word = 0, _SEED, False
        for position in range(offsets[row], offsets[row + 1] + 1):
            code = codes[position] if position < offsets[row + 1] else np.uint32(_BLANK)
            if code != _BLANK and code != _BETWEEN:
                value = (value ^ np.uint64(code)) * _PRIME
                in_word = True
            elif in_word:
                held[number] = _finalised(value)
                number += 1
                value, in_word = _SEED, False
        held[:number].sort()
        for position in range(number):
            if position == 0 or held[position] != held[position - 1]:
                hashes[filled] = held[position]
                filled += 1
        found[row + 1] = filled
    return found, hashes[:filled].copy()


@njit(cache=True, nogil=True)
def values(
    offsets: npt.NDArray[np.int64], codes: npt.NDArray[np.uint32], letters: int, most: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint64]]:
    """The hashes of the first ``most`` values of each text, as offsets (n + 1,) and hashes, in their order.

    Of a value the first ``letters`` characters count; -1: its first word, -2: all of it.
    """
    count = offsets.shape[0] - 1
    found = np.zeros(count + 1, dtype=np.int64)
    hashes = np.empty(codes.shape[0] + 1, dtype=np.uint64)
    filled = 0
    for row in range(count):
        value, taken, ended, number = _SEED, 0, False, 0
        for position in range(offsets[row], offsets[row + 1] + 1):
            code = codes[position] if position < offsets[row + 1] else np.uint32(_BETWEEN)
            if code == _BETWEEN:
                if taken and number < most:
                    hashes[filled] = _finalised(value)
                    filled += 1
                    number += 1
                value, taken, ended = _SEED, 0, False
            elif code == _BLANK:
                ended = ended or (letters == -1 and taken > 0)
            elif not ended and (letters < 0 or taken < letters):
                value = (value ^ np.uint64(code)) * _PRIME
                taken += 1
        found[row + 1] = filled
    return found, hashes[:filled].copy()


@njit(cache=True, nogil=True)
def rarest(
    offsets: npt.NDArray[np.int64],
    hashes: npt.NDArray[np.uint64],
    frequencies: npt.NDArray[np.int32],
    most: int,
) -> npt.NDArray[np.int64]:
    """Positions in ``hashes`` of the ``most`` rarest words of each row, shape (n, most), -1 where it has fewer.

    ``frequencies`` are those of the words at the same positions. A word of frequency 0 or 1 stands after all others,
    since it can hardly bring two records together (it may be a misprint).
    """
    count = offsets.shape[0] - 1
    result = np.full((count, most), -1, dtype=np.int64)
    for row in range(count):
        for position in range(offsets[row], offsets[row + 1]):
            place = position
            for slot in range(most):
                other = result[row, slot]
                if other == -1:
                    result[row, slot] = place
                    break
                if _is_rarer(frequencies[place], hashes[place], frequencies[other], hashes[other]):
                    result[row, slot] = place
                    place = other
    return result


@njit(cache=True, nogil=True, inline="always")
def _is_rarer(one: Any, one_hash: Any, other: Any, other_hash: Any) -> Any:  # noqa: ANN401
    one_rank = one if one > 1 else np.int32(0x7FFFFFFF)
    other_rank = other if other > 1 else np.int32(0x7FFFFFFF)
    return one_rank < other_rank or (one_rank == other_rank and one_hash < other_hash)


@njit(cache=True, nogil=True)
def trigram_simhash(offsets: npt.NDArray[np.int64], codes: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint64]:
    """SimHash of 64 bits over the character trigrams of each text, blanks not counted, shape (n,).

    Bit i is set when more trigrams have bit i of their (well-mixed) hash set than not. A text of one or two characters
    is its own only trigram; an empty text has the hash 0.
    """
    count = offsets.shape[0] - 1
    result = np.zeros(count, dtype=np.uint64)
    votes = np.zeros(64, dtype=np.int32)
    for row in range(count):
        votes[:] = 0
        window, taken = np.uint64(0), 0
        for position in range(offsets[row], offsets[row + 1]):
            if codes[position] == _BLANK:
                continue
            window = ((window << np.uint64(21)) | np.uint64(codes[position])) & np.uint64(0x7FFFFFFFFFFFFFFF)
            taken += 1
            if taken >= 3:
                _vote(votes, _finalised(window ^ _SEED))
        if 0 < taken < 3:
            _vote(votes, _finalised(window ^ _SEED))
        value = np.uint64(0)
        for bit in range(64):
            if votes[bit] > 0:
                value |= _ONE << np.uint64(bit)
        result[row] = value
    return result


@njit(cache=True, nogil=True, inline="always")
def _vote(votes: Any, value: Any) -> None:  # noqa: ANN401
    for bit in range(64):
        votes[bit] += 1 if (value >> np.uint64(bit)) & _ONE else -1


@njit(cache=True, nogil=True)
def distances(
    hashes: npt.NDArray[np.uint64], left: npt.NDArray[np.uint32], right: npt.NDArray[np.uint32]
) -> npt.NDArray[np.uint8]:
    """The number of bits in which the hashes of two rows differ, shape (pairs,)."""
    result = np.empty(left.shape[0], dtype=np.uint8)
    for pair in range(left.shape[0]):
        rest = hashes[left[pair]] ^ hashes[right[pair]]
        bits = 0
        while rest:
            rest &= rest - _ONE
            bits += 1
        result[pair] = bits
    return result


@njit(cache=True, nogil=True)
def values_begin(
    offsets: npt.NDArray[np.int64], codes: npt.NDArray[np.uint32], start: npt.NDArray[np.uint32], most: int
) -> npt.NDArray[np.bool_]:
    """Whether each value that :func:`values` finds begins with these characters."""
    count = offsets.shape[0] - 1
    result = np.empty(codes.shape[0] + 1, dtype=np.bool_)
    filled = 0
    for row in range(count):
        length, equal, number = 0, True, 0
        for position in range(offsets[row], offsets[row + 1] + 1):
            code = codes[position] if position < offsets[row + 1] else np.uint32(_BETWEEN)
            if code == _BETWEEN:
                if length and number < most:
                    result[filled] = equal and length >= start.shape[0]
                    filled += 1
                    number += 1
                length, equal = 0, True
            elif code != _BLANK:
                if length < start.shape[0]:
                    equal = equal and start[length] == code
                length += 1
    return result[:filled].copy()
