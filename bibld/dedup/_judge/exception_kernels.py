"""Compiled: which exceptions hold for pairs of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bibld.dedup._compiling import njit

if TYPE_CHECKING:
    import numpy.typing as npt

    from bibld.model.features import FeatureColumns, TextColumn

_BLANK, _BETWEEN = 32, 124
_YEARS_APART = 2
_TITLE = 12
_SERIAL, _ISSUE, _ARTICLE, _MONOGRAPH, _SET, _VOLUME = (ord(letter) for letter in "siamcv")
_NO_LANGUAGE = tuple(tuple(map(ord, code)) for code in ("und", "mul", "zxx"))
_PRINTED = ("map", "score", "print")


class Text(NamedTuple):
    """The texts of all rows: offsets (n + 1,) and codes."""

    offsets: npt.NDArray[np.int64]
    codes: npt.NDArray[np.uint32]


class Described(NamedTuple):
    """What exceptions ask about all rows. ``carrier`` is a hash, 0 for none and the same for all that is printed."""

    part: Text
    language: Text
    main_title: Text
    remainder: Text
    identifiers: Text
    level: npt.NDArray[np.uint32]
    carrier: npt.NDArray[np.uint64]
    year: npt.NDArray[np.int32]
    last_year: npt.NDArray[np.int32]
    edition: npt.NDArray[np.int32]
    pages: npt.NDArray[np.int32]
    volumes: npt.NDArray[np.int32]


_NUMBERS = ("year", "last_year", "edition", "pages", "volumes")
COLUMNS = ("part", "language", "main_title", "remainder", "identifiers", "level", "carrier", *_NUMBERS)
"""The columns that :func:`described` needs."""


def described(columns: FeatureColumns) -> Described:
    """What exceptions ask about the rows of some columns."""
    from bibld.dedup._keys.text_kernels import prefixes

    carrier, level = columns.texts["carrier"], columns.texts["level"]
    carriers = prefixes(carrier.offsets, carrier.codes, 1 << 30)
    printed = _printed()
    carriers[np.isin(carriers, printed)] = printed[0]
    letters = np.zeros(len(columns), dtype=np.uint32)
    has_level = np.diff(level.offsets) > 0
    letters[has_level] = level.codes[level.offsets[:-1][has_level]]
    return Described(
        part=_text(columns.texts["part"]),
        language=_text(columns.texts["language"]),
        main_title=_text(columns.texts["main_title"]),
        remainder=_text(columns.texts["remainder"]),
        identifiers=_text(columns.texts["identifiers"]),
        level=letters,
        carrier=carriers,
        **{name: columns.numbers[name] for name in _NUMBERS},
    )


def _text(column: TextColumn) -> Text:
    return Text(column.offsets, column.codes)


def _printed() -> npt.NDArray[np.uint64]:
    from bibld.dedup._keys.text_kernels import prefixes
    from bibld.model.features import TextColumn

    column = TextColumn.of(_PRINTED)
    hashes: npt.NDArray[np.uint64] = prefixes(column.offsets, column.codes, 1 << 30)
    return hashes


@njit(cache=True, nogil=True)
def exceptions(held: Described, left: npt.NDArray[np.int64], right: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
    """The exceptions that hold for pairs of rows, shape (pairs,): bit i stands for the i-th of ``EXCEPTIONS``."""
    found = np.zeros(left.shape[0], dtype=np.uint8)
    for pair in range(left.shape[0]):
        i, j = left[pair], right[pair]
        bits = 0
        relation = _parts(held.part, i, j)
        bits |= (relation == 2) << 0
        bits |= _levels_differ(held.level[i], held.level[j]) << 1
        bits |= (_is_set_of(held, i, j) or _is_set_of(held, j, i)) << 2
        bits |= (relation == 1) << 3
        apart = max(0, held.year[i] - held.last_year[j], held.year[j] - held.last_year[i])
        if not held.year[i] or not held.year[j]:
            apart = 0
        other_edition = held.edition[i] and held.edition[j] and held.edition[i] != held.edition[j]
        bits |= (other_edition and apart > 0) << 4
        is_slip = held.edition[i] and held.pages[i]
        is_slip = is_slip and held.edition[i] == held.edition[j] and held.pages[i] == held.pages[j]
        bits |= (apart > _YEARS_APART and not is_slip) << 5
        bits |= (held.carrier[i] != 0 and held.carrier[j] != 0 and held.carrier[i] != held.carrier[j]) << 6
        bits |= _other_language(held, i, j) << 7
        found[pair] = bits
    return found


@njit(cache=True, nogil=True)
def isbns_differ(held: Described, left: npt.NDArray[np.int64], right: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Whether both rows of each pair have ISBNs (that of a set does not count) and none in common, shape (pairs,)."""
    found = np.zeros(left.shape[0], dtype=np.bool_)
    for pair in range(left.shape[0]):
        found[pair] = _isbns_differ(held.identifiers, left[pair], right[pair])
    return found


@njit(cache=True, nogil=True)
def _parts(part: Text, i: int, j: int) -> int:
    """0: one is missing, or both are the same; 1: one goes further than the other; 2: they conflict."""
    begin, end, other, other_end = part.offsets[i], part.offsets[i + 1], part.offsets[j], part.offsets[j + 1]
    if begin == end or other == other_end:
        return 0
    same = 0
    shorter = min(end - begin, other_end - other)
    while same < shorter and part.codes[begin + same] == part.codes[other + same]:
        same += 1
    if same < shorter:
        return 2
    if end - begin == other_end - other:
        return 0
    following = part.codes[begin + same] if end - begin > shorter else part.codes[other + same]
    return 1 if following == _BLANK else 2


@njit(cache=True, nogil=True)
def _levels_differ(level: int, other: int) -> bool:
    if level == 0 or other == 0 or level == other:
        return False
    low, high = min(level, other), max(level, other)
    is_component = low in (_ARTICLE, _ISSUE, _SERIAL)
    if is_component and high in (_ARTICLE, _ISSUE, _SERIAL):
        return True
    return low == _ARTICLE and high in (_MONOGRAPH, _SET)


@njit(cache=True, nogil=True)
def _is_set_of(held: Described, whole: int, part: int) -> bool:
    offsets = held.part.offsets
    if offsets[whole] != offsets[whole + 1] or offsets[part] == offsets[part + 1]:
        return False
    is_whole = held.level[whole] == _SET or held.volumes[whole] > 1
    return bool(is_whole and (held.level[part] == _VOLUME or held.level[part] == _MONOGRAPH))


@njit(cache=True, nogil=True)
def _value(text: Text, start: int, end: int) -> int:
    """Where the value that starts here ends."""
    while start < end and text.codes[start] != _BETWEEN:
        start += 1
    return start


@njit(cache=True, nogil=True)
def _same(text: Text, start: int, stop: int, other: int, other_stop: int) -> bool:
    if stop - start != other_stop - other:
        return False
    position = 0
    while start + position < stop and text.codes[start + position] == text.codes[other + position]:
        position += 1
    return start + position == stop


@njit(cache=True, nogil=True)
def _is_language(text: Text, start: int, stop: int) -> bool:
    """Whether a value says which language it is."""
    if stop - start != 3:
        return stop > start
    for first, second, third in _NO_LANGUAGE:
        if text.codes[start] == first and text.codes[start + 1] == second and text.codes[start + 2] == third:
            return False
    return True


@njit(cache=True, nogil=True)
def _other_language(held: Described, i: int, j: int) -> bool:
    text = held.language
    has_one = has_other = False
    start, end = text.offsets[i], text.offsets[i + 1]
    while start < end:
        stop = _value(text, start, end)
        if _is_language(text, start, stop):
            has_one = True
            other, other_end = text.offsets[j], text.offsets[j + 1]
            while other < other_end:
                other_stop = _value(text, other, other_end)
                if _is_language(text, other, other_stop):
                    has_other = True
                    if _same(text, start, stop, other, other_stop):
                        return False
                other = other_stop + 1
        start = stop + 1
    return has_one and has_other and not _begin_alike(held, i, j)


@njit(cache=True, nogil=True)
def _begin_alike(held: Described, i: int, j: int) -> bool:
    """Whether the titles have the same first characters, blanks not counted."""
    one, other = 0, 0
    for _ in range(_TITLE):
        one, code = _next(held, i, one)
        other, other_code = _next(held, j, other)
        if code != other_code:
            return False
        if code == 0:
            return True
    return True


@njit(cache=True, nogil=True)
def _next(held: Described, row: int, taken: int) -> tuple[int, int]:
    """The next character of main title and remainder that is no blank, and how many were taken then; 0 at the end."""
    length = held.main_title.offsets[row + 1] - held.main_title.offsets[row]
    more = held.remainder.offsets[row + 1] - held.remainder.offsets[row]
    while taken < length + more:
        if taken < length:
            code = held.main_title.codes[held.main_title.offsets[row] + taken]
        else:
            code = held.remainder.codes[held.remainder.offsets[row] + taken - length]
        taken += 1
        if code != _BLANK:
            return taken, int(code)
    return taken, 0


@njit(cache=True, nogil=True)
def _isbns_differ(text: Text, i: int, j: int) -> bool:
    has_one = has_other = False
    start, end = text.offsets[i], text.offsets[i + 1]
    while start < end:
        stop = _value(text, start, end)
        if _is_isbn(text, start, stop):
            has_one = True
            other, other_end = text.offsets[j], text.offsets[j + 1]
            while other < other_end:
                other_stop = _value(text, other, other_end)
                if _is_isbn(text, other, other_stop):
                    has_other = True
                    if _same(text, start, stop, other, other_stop):
                        return False
                other = other_stop + 1
        start = stop + 1
    return has_one and has_other


@njit(cache=True, nogil=True)
def _is_isbn(text: Text, start: int, stop: int) -> bool:
    """Whether a value begins with ``isbn:``."""
    codes = text.codes
    return (
        stop - start > 5
        and codes[start] == 105
        and codes[start + 1] == 115
        and codes[start + 2] == 98
        and codes[start + 3] == 110
        and codes[start + 4] == 58
    )
