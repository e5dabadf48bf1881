"""Compiled: which exceptions hold for pairs of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import types

from bibld.dedup.compilation import CODES, OFFSETS, inner, kernel

if TYPE_CHECKING:
    import numpy.typing as npt

    from bibld.model.features import FeatureColumns, TextColumn

    Offsets = npt.NDArray[np.int64]
    Codes = npt.NDArray[np.uint32]
    Numbers = npt.NDArray[np.int64]

_INT = types.int64
_NUMBERED = types.Array(types.int64, 2, "C", readonly=True)
_BLANK, _BETWEEN = 32, 124
_YEARS_APART = 2
_TITLE = 12
_SERIAL, _ISSUE, _ARTICLE, _MONOGRAPH, _SET, _VOLUME = (ord(letter) for letter in "siamcv")
_NO_LANGUAGE = tuple(tuple(map(ord, code)) for code in ("und", "mul", "zxx"))
_ISBN = tuple(map(ord, "isbn:"))
_PRINTED = ("map", "score", "print")
_LEVEL, _CARRIER, _YEAR, _LAST_YEAR, _EDITION, _PAGES, _VOLUMES = range(7)


class Described(NamedTuple):
    """What exceptions ask about all rows: texts, and ``numbers`` (rows, 7), in which the level is a letter and the
    carrier a hash, 0 for none and the same for all that is printed."""

    part: TextColumn
    language: TextColumn
    main_title: TextColumn
    remainder: TextColumn
    identifiers: TextColumn
    numbers: Numbers


_NUMBERS = ("year", "last_year", "edition", "pages", "volumes")
COLUMNS = ("part", "language", "main_title", "remainder", "identifiers", "level", "carrier", *_NUMBERS)
"""The columns that :func:`described` needs."""


def described(columns: FeatureColumns) -> Described:
    """What exceptions ask about the rows of some columns."""
    from bibld.dedup._keys.hash_kernels import prefixes

    carrier, level = columns.texts["carrier"], columns.texts["level"]
    carriers = prefixes(carrier.offsets, carrier.codes, 1 << 30)
    printed = _printed()
    carriers[np.isin(carriers, printed)] = printed[0]
    numbers = np.zeros((len(columns), 2 + len(_NUMBERS)), dtype=np.int64)
    has_level = np.diff(level.offsets) > 0
    numbers[has_level, _LEVEL] = level.codes[level.offsets[:-1][has_level]]
    numbers[:, _CARRIER] = carriers.view(np.int64)
    for place, name in enumerate(_NUMBERS, _YEAR):
        numbers[:, place] = columns.numbers[name]
    texts = columns.texts
    return Described(
        texts["part"], texts["language"], texts["main_title"], texts["remainder"], texts["identifiers"], numbers
    )


def _printed() -> npt.NDArray[np.uint64]:
    from bibld.dedup._keys.hash_kernels import prefixes
    from bibld.model.features import TextColumn

    column = TextColumn.from_texts(_PRINTED)
    hashes: npt.NDArray[np.uint64] = prefixes(column.offsets, column.codes, 1 << 30)
    return hashes


def exceptions(held: Described, left: npt.NDArray[np.int64], right: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
    """The exceptions that hold for pairs of rows, shape (pairs,): bit i stands for the i-th of ``EXCEPTIONS``."""
    found = np.empty(len(left), dtype=np.uint8)
    part, language, main, rest = held.part, held.language, held.main_title, held.remainder
    _exceptions(
        part.offsets, part.codes, language.offsets, language.codes, main.offsets, main.codes, rest.offsets, rest.codes,
        held.numbers, left, right, found,
    )  # fmt: skip
    return found


def isbns_differ(held: Described, left: npt.NDArray[np.int64], right: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Whether both rows of each pair have ISBNs (that of a set does not count) and none in common, shape (pairs,)."""
    found = np.empty(len(left), dtype=np.bool_)
    _isbns_differ(held.identifiers.offsets, held.identifiers.codes, left, right, found)
    return found


@inner(_INT(OFFSETS, CODES, _INT, _INT))
def _parts(offsets: Offsets, codes: Codes, i: int, j: int) -> int:
    """0: one is missing, or both are the same; 1: one goes further than the other; 2: they conflict."""
    begin, other = offsets[i], offsets[j]
    length, other_length = offsets[i + 1] - begin, offsets[j + 1] - other
    if length == 0 or other_length == 0:
        return 0
    if length < other_length:
        begin, other, length, other_length = other, begin, other_length, length
    for same in range(other_length):
        if codes[begin + same] != codes[other + same]:
            return 2
    if length == other_length:
        return 0
    return 1 if codes[begin + other_length] == _BLANK else 2


@inner(types.boolean(_INT, _INT))
def _levels_differ(level: int, other: int) -> bool:
    if level == 0 or other == 0 or level == other:
        return False
    low, high = (level, other) if level < other else (other, level)
    if high in (_ARTICLE, _ISSUE, _SERIAL):
        return low in (_ARTICLE, _ISSUE, _SERIAL)
    return low == _ARTICLE and high in (_MONOGRAPH, _SET)


@inner(_INT(_NUMBERED, _INT, _INT))
def _numbers(held: Numbers, i: int, j: int) -> int:
    """The bits of the exceptions that numbers, level and carrier make."""
    bits = 0
    if _levels_differ(held[i, _LEVEL], held[j, _LEVEL]):
        bits = 2
    apart = 0
    if held[i, _YEAR] != 0 and held[j, _YEAR] != 0:
        apart = held[i, _YEAR] - held[j, _LAST_YEAR]
        if apart < held[j, _YEAR] - held[i, _LAST_YEAR]:
            apart = held[j, _YEAR] - held[i, _LAST_YEAR]
    if apart > 0:
        edition, pages, other_edition = held[i, _EDITION], held[i, _PAGES], held[j, _EDITION]
        if edition != 0 and other_edition != 0 and edition != other_edition:
            bits |= 16
        is_slip = edition != 0 and pages != 0 and edition == other_edition and pages == held[j, _PAGES]
        if apart > _YEARS_APART and not is_slip:
            bits |= 32
    carrier, other_carrier = held[i, _CARRIER], held[j, _CARRIER]
    if carrier != 0 and other_carrier != 0 and carrier != other_carrier:
        bits |= 64
    return bits


@inner(types.boolean(OFFSETS, _NUMBERED, _INT, _INT))
def _is_set_of(offsets: Offsets, held: Numbers, whole: int, part: int) -> bool:
    if offsets[whole] != offsets[whole + 1] or offsets[part] == offsets[part + 1]:
        return False
    if held[whole, _LEVEL] != _SET and held[whole, _VOLUMES] <= 1:
        return False
    return held[part, _LEVEL] in (_VOLUME, _MONOGRAPH)


@inner(types.boolean(CODES, _INT, _INT, types.boolean))
def _counts(codes: Codes, start: int, stop: int, is_isbn: bool) -> bool:
    """Whether a value is an ISBN, that is begins with ``isbn:``; or else whether it says which language it is."""
    if is_isbn:
        if stop - start <= len(_ISBN):
            return False
        same = 0
        while same < len(_ISBN) and codes[start + same] == _ISBN[same]:
            same += 1
        return same == len(_ISBN)
    if stop - start != 3:
        return stop > start
    for first, second, third in _NO_LANGUAGE:
        if codes[start] == first and codes[start + 1] == second and codes[start + 2] == third:
            return False
    return True


@inner(_INT(CODES, _INT, _INT))
def _value(codes: Codes, start: int, end: int) -> int:
    """Where the value that starts here ends."""
    while start < end and codes[start] != _BETWEEN:
        start += 1
    return start


@inner(types.boolean(OFFSETS, CODES, _INT, _INT, types.boolean))
def _have_none_in_common(offsets: Offsets, codes: Codes, i: int, j: int, is_isbn: bool) -> bool:
    """Whether both rows have values that count, and none in common."""
    has_one = has_other = False
    start, end = offsets[i], offsets[i + 1]
    while start < end:
        stop = _value(codes, start, end)
        if _counts(codes, start, stop, is_isbn):
            has_one = True
            other, other_end = offsets[j], offsets[j + 1]
            while other < other_end:
                other_stop = _value(codes, other, other_end)
                if _counts(codes, other, other_stop, is_isbn):
                    has_other = True
                    same = 0
                    if stop - start == other_stop - other:
                        while start + same < stop and codes[start + same] == codes[other + same]:
                            same += 1
                        if start + same == stop:
                            return False
                other = other_stop + 1
        start = stop + 1
    return has_one and has_other


@inner(_INT(OFFSETS, CODES, OFFSETS, CODES, _INT, _INT))
def _next(main: Offsets, main_codes: Codes, rest: Offsets, rest_codes: Codes, row: int, taken: int) -> int:
    """The next character of main title and remainder that is no blank (0 at the end), in the lower half; and how many
    were taken then, in the upper."""
    length = main[row + 1] - main[row]
    more = rest[row + 1] - rest[row]
    while taken < length + more:
        if taken < length:
            code = main_codes[main[row] + taken]
        else:
            code = rest_codes[rest[row] + taken - length]
        taken += 1
        if code != _BLANK:
            return (taken << 32) | int(code)
    return taken << 32


@inner(types.boolean(OFFSETS, CODES, OFFSETS, CODES, _INT, _INT))
def _begin_alike(main: Offsets, main_codes: Codes, rest: Offsets, rest_codes: Codes, i: int, j: int) -> bool:
    """Whether the titles have the same first characters, blanks not counted."""
    one, other = 0, 0
    for _ in range(_TITLE):
        one = _next(main, main_codes, rest, rest_codes, i, one >> 32)
        other = _next(main, main_codes, rest, rest_codes, j, other >> 32)
        if one & 0xFFFFFFFF != other & 0xFFFFFFFF:
            return False
        if one & 0xFFFFFFFF == 0:
            return True
    return True


@kernel(types.void(
        OFFSETS, CODES, OFFSETS, CODES, OFFSETS, CODES, OFFSETS, CODES, _NUMBERED, OFFSETS, OFFSETS, types.uint8[::1]
    ))  # fmt: skip
def _exceptions(
    part: Offsets, part_codes: Codes, language: Offsets, language_codes: Codes, main: Offsets, main_codes: Codes,
    rest: Offsets, rest_codes: Codes, numbers: Numbers, left: Offsets, right: Offsets, found: npt.NDArray[np.uint8],
) -> None:  # fmt: skip
    for pair in range(left.shape[0]):
        i, j = left[pair], right[pair]
        bits = _numbers(numbers, i, j)
        relation = _parts(part, part_codes, i, j)
        if relation == 2:
            bits |= 1
        elif relation == 1:
            bits |= 8
        if _is_set_of(part, numbers, i, j) or _is_set_of(part, numbers, j, i):
            bits |= 4
        if _have_none_in_common(language, language_codes, i, j, False) and not _begin_alike(
            main, main_codes, rest, rest_codes, i, j
        ):
            bits |= 128
        found[pair] = bits


@kernel(types.void(OFFSETS, CODES, OFFSETS, OFFSETS, types.boolean[::1]))
def _isbns_differ(offsets: Offsets, codes: Codes, left: Offsets, right: Offsets, found: npt.NDArray[np.bool_]) -> None:
    for pair in range(left.shape[0]):
        found[pair] = _have_none_in_common(offsets, codes, left[pair], right[pair], True)
