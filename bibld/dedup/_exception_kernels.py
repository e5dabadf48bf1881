"""Compiled: comparisons of texts for exceptions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bibld.dedup.compilation import CODES, NEW_NUMBERS, NUMBERS, OFFSETS, ROWS, inner, kernel, results, types
from bibld.dedup.hashes import PRIME

if TYPE_CHECKING:
    import numpy.typing as npt

    Offsets = npt.NDArray[np.int64]
    Rows = npt.NDArray[np.uint32]
    Hashes = npt.NDArray[np.uint64]
    Flags = npt.NDArray[np.bool_]
    Steps = npt.NDArray[np.int64]

NESTED, CONFLICT, _NOT_COMPARED = 1, 2, 3
_BLANK, _DASH, _ZERO, _NINE = 32, 45, 48, 57
_NO_UNIT = ord("n")
_LETTERS = ord("l")
_COVERED = (_LETTERS, ord("g"), ord("y"), ord("q"), ord("m"), ord("e"), *map(ord, "koxtrwzjf"))
"""Letters of the alphabet, class of a school, year, season, month, number of a conference, level, variant, day, sheet,
scale, languages, version, scoring and form of a score."""
_VERSION = ord("z")
_SETS = (ord("j"), ord("f"))
"""Scoring and form of a score: sets of letters, of which one library may state fewer."""
_SUPPLEMENT = ord("a")
_STRICT = (ord("h"), ord("s"), _SUPPLEMENT)
"""Half volume, series, supplement: their values are compared with those of the same unit alone."""
_TEXT = types.Array(types.uint32, 1, "C", readonly=True)
_STEPS = types.Array(types.int64, 2, "C")
_INT = types.int64


@inner(_STEPS(_TEXT, types.boolean))
def _steps(text: Rows, is_covered: bool) -> Steps:
    """Return unit, begin and end of the value of each step: of what a part covers, or of the other steps."""
    found, count, begin = np.empty((text.shape[0] // 2 + 1, 3), dtype=np.int64), 0, 0
    for end in range(text.shape[0] + 1):
        if end < text.shape[0] and text[end] != _BLANK:
            continue
        if end > begin:
            unit = np.int64(text[begin])
            has_unit = not _ZERO <= unit <= _NINE
            if (unit in _COVERED) == is_covered:
                found[count, 0] = unit if has_unit else _NO_UNIT
                found[count, 1], found[count, 2] = begin + has_unit, end
                count += 1
        begin = end + 1
    return found[:count]


@inner(results(_INT, _INT)(_TEXT, _INT, _INT))
def _range(text: Rows, begin: int, end: int) -> tuple[int, int]:
    """Return the lowest and highest number of a value; -1 for both if it is no number and no range of numbers."""
    low, number, digits = -1, 0, 0
    for position in range(begin, end):
        code = int(text[position])
        if _ZERO <= code <= _NINE:
            number, digits = 10 * number + code - _ZERO, digits + 1
        elif code == _DASH and digits and low < 0:
            low, number, digits = number, 0, 0
        else:
            return -1, -1
    if not digits:
        return -1, -1
    return low if low >= 0 else number, number


@inner(_INT(_TEXT, _INT, _INT))
def _find_dash(text: Rows, begin: int, end: int) -> int:
    """Return the place of the first dash of a value, or its end."""
    position = begin
    while position < end and text[position] != _DASH:
        position += 1
    return position


@inner(types.boolean(_TEXT, _INT, _INT, _TEXT, _INT, _INT))
def _is_shortened(one: Rows, begin: int, end: int, other: Rows, other_begin: int, other_end: int) -> bool:
    """Return whether one of two texts, which are not empty, begins with the other."""
    shorter = min(end - begin, other_end - other_begin)
    for position in range(shorter):
        if one[begin + position] != other[other_begin + position]:
            return False
    return shorter > 0


@inner(_INT(_TEXT, _INT, _INT, _TEXT, _INT, _INT))
def _compare_values(one: Rows, begin: int, end: int, other: Rows, other_begin: int, other_end: int) -> int:
    """Return 0 for equal values, ``NESTED`` for those that overlap, ``CONFLICT`` for others."""
    same, shorter = 0, min(end - begin, other_end - other_begin)
    while same < shorter and one[begin + same] == other[other_begin + same]:
        same += 1
    if same == end - begin == other_end - other_begin:
        return 0
    low, high = _range(one, begin, end)
    other_low, other_high = _range(other, other_begin, other_end)
    if low >= 0 and other_low >= 0:
        return NESTED if low <= other_high and other_low <= high else CONFLICT
    # Letters from one to another, of which a library may write fewer: А - К and Абак - Карта.
    dash, other_dash = _find_dash(one, begin, end), _find_dash(other, other_begin, other_end)
    if not _is_shortened(one, begin, dash, other, other_begin, other_dash) or (dash == end and other_dash == other_end):
        return CONFLICT
    has_both = dash < end and other_dash < other_end
    return 0 if has_both and _is_shortened(one, dash, end, other, other_dash, other_end) else NESTED


@inner(types.boolean(_TEXT, _INT, _INT, _TEXT, _INT, _INT))
def _has_other_letter(one: Rows, begin: int, end: int, other: Rows, other_begin: int, other_end: int) -> bool:
    """Return whether the first text has a letter that the second lacks."""
    for position in range(begin, end):
        is_found = False
        for candidate in range(other_begin, other_end):
            is_found |= one[position] == other[candidate]
        if not is_found:
            return True
    return False


@inner(_INT(_TEXT, _TEXT))
def _compare_covered(one: Rows, other: Rows) -> int:
    """Compare the letters, classes, years, seasons, levels and so on that two parts cover, where both state them.

    Classes and years that contain others are no difference, but 2005/06 and 2006/07 conflict.
    """
    steps, others = _steps(one, True), _steps(other, True)
    result = 0
    for unit in _COVERED:
        best = _NOT_COMPARED
        for i in range(steps.shape[0]):
            for j in range(others.shape[0]):
                if steps[i, 0] != unit or others[j, 0] != unit:
                    continue
                begin, end, other_begin, other_end = steps[i, 1], steps[i, 2], others[j, 1], others[j, 2]
                if unit in _SETS:
                    is_other = _has_other_letter(one, begin, end, other, other_begin, other_end)
                    is_other &= _has_other_letter(other, other_begin, other_end, one, begin, end)
                    best = min(best, CONFLICT if is_other else 0)
                    continue
                found = _compare_values(one, begin, end, other, other_begin, other_end)
                if unit != _LETTERS:
                    low, high = _range(one, steps[i, 1], steps[i, 2])
                    other_low, other_high = _range(other, others[j, 1], others[j, 2])
                    contains = (low <= other_low and other_high <= high) or (other_low <= low and high <= other_high)
                    if low >= 0 and other_low >= 0:
                        found = 0 if contains else CONFLICT
                    elif unit != _VERSION and (low >= 0 or other_low >= 0):
                        found = 0  # "level 2" and "elementary"
                best = min(best, found)
        if best != _NOT_COMPARED:
            result = max(result, best)
    return result


@inner(_INT(_TEXT, _STEPS, _TEXT, _STEPS, _INT, types.boolean))
def _compare_aligned(one: Rows, steps: Steps, other: Rows, others: Steps, first: int, is_by_unit: bool) -> int:
    """Compare steps with those of another path from its step ``first`` on."""
    result, shared = 0, min(steps.shape[0], others.shape[0] - first)
    for i in range(shared):
        j = first + i
        found = _compare_values(one, steps[i, 1], steps[i, 2], other, others[j, 1], others[j, 2])
        unit, other_unit = steps[i, 0], others[j, 0]
        is_strict = is_by_unit and unit != other_unit and unit != _NO_UNIT and other_unit != _NO_UNIT
        if is_strict and (unit in _STRICT or other_unit in _STRICT):
            found = max(found, NESTED)
        result = max(result, found)
    return max(result, NESTED) if steps.shape[0] != shared or others.shape[0] - first != shared else result


@inner(types.boolean(_TEXT))
def _has_letters(text: Rows) -> bool:
    """Return whether a part covers letters of the alphabet."""
    steps = _steps(text, True)
    found = False
    for number in range(steps.shape[0]):
        found |= steps[number, 0] == _LETTERS
    return found


@inner(_INT(_TEXT, _TEXT))
def _compare_designations(one: Rows, other: Rows) -> int:
    """Compare two designations that are not equal."""
    covered = _compare_covered(one, other)
    steps, others = _steps(one, False), _steps(other, False)
    if steps.shape[0] > others.shape[0]:
        one, other, steps, others = other, one, others, steps
    if steps.shape[0] == 0 or covered == CONFLICT:
        return covered
    if covered == 0 and _has_letters(one) and _has_letters(other):
        # Equal letters of the alphabet: one library counts half volumes, the other does not.
        longer = steps.shape[0] != others.shape[0]
        if longer and _compare_aligned(one, steps, other, others, 0, True) != CONFLICT:
            return 0
    if steps.shape[0] == others.shape[0]:
        return _compare_aligned(one, steps, other, others, 0, True)
    if others[0, 0] == _SUPPLEMENT != steps[0, 0]:
        return NESTED
    for first in range(others.shape[0]):
        if steps[0, 0] == others[first, 0] != _NO_UNIT:
            return _compare_aligned(one, steps, other, others, first, True)
    last = others.shape[0] - steps.shape[0]
    result = min(
        _compare_aligned(one, steps, other, others, 0, False), _compare_aligned(one, steps, other, others, last, False)
    )
    return max(result, NESTED)


@kernel(types.uint8[::1](OFFSETS, CODES, ROWS, ROWS))
def compare_parts(offsets: Offsets, codes: Rows, left: Rows, right: Rows) -> npt.NDArray[np.uint8]:
    """Compare the designations of pairs of rows (:mod:`bibld.text.designations`); shape (pairs,).

    ``NESTED`` if one part contains or may contain the other, ``CONFLICT`` if they differ otherwise. 0 if they are
    equal, if one is missing, or if one leaves out the units above: «Ч. 2» and «Т. 1, ч. 2».
    """
    result = np.zeros(left.shape[0], dtype=np.uint8)
    for pair in range(result.shape[0]):
        one = codes[offsets[left[pair]] : offsets[left[pair] + 1]]
        other = codes[offsets[right[pair]] : offsets[right[pair] + 1]]
        if one.shape[0] > 0 and other.shape[0] > 0:
            is_equal = one.shape[0] == other.shape[0]
            for position in range(one.shape[0] if is_equal else 0):
                is_equal &= one[position] == other[position]
            if not is_equal:
                result[pair] = _compare_designations(one, other)
    return result


@kernel(types.boolean[::1](OFFSETS, NUMBERS, ROWS, ROWS))
def have_no_common_value(offsets: Offsets, values: Hashes, left: Rows, right: Rows) -> Flags:
    """Return whether both rows of each pair have values, and none in common; shape (pairs,)."""
    result = np.zeros(left.shape[0], dtype=np.bool_)
    for pair in range(result.shape[0]):
        begin, end = offsets[right[pair]], offsets[right[pair] + 1]
        result[pair] = begin < end and offsets[left[pair]] < offsets[left[pair] + 1]
        for one in range(offsets[left[pair]], offsets[left[pair] + 1]):
            for other in range(begin, end):
                if values[one] == values[other]:
                    result[pair] = False
    return result


@kernel(NEW_NUMBERS(OFFSETS, CODES, OFFSETS, CODES, types.int64))
def hash_starts(main: Offsets, main_codes: Rows, rest: Offsets, rest_codes: Rows, length: int) -> Hashes:
    """Return a hash of the first ``length`` characters of two texts of each row together, blanks not counted."""
    result = np.zeros(main.shape[0] - 1, dtype=np.uint64)
    for row in range(result.shape[0]):
        taken = 0
        for text in (main_codes[main[row] : main[row + 1]], rest_codes[rest[row] : rest[row + 1]]):
            for code in text:
                if taken == length:
                    break
                if code != _BLANK:
                    result[row] = (result[row] + np.uint64(code)) * PRIME
                    taken += 1
    return result
