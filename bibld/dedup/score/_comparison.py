"""The features of a pair: numbers from 0 (differs) to 1 (equal) where it makes sense, ``MISSING`` where it does not.

Missing is not different: a feature is ``MISSING`` where a side, or both, says nothing about it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import types

from bibld.dedup.compilation import MISSING, inner, kernel
from bibld.dedup.score._bigrams import IN_FULL, IN_MAIN, IN_REMAINDER, IN_SET, IN_WHOLE, KINDS, share
from bibld.dedup.score._prefetch import fetch_parts, fetch_row
from bibld.dedup.score._strings import (
    closest,
    holds,
    is_same_run,
    likeness,
    overlap,
    same_name,
    same_words,
    value_end,
)
from bibld.dedup.score._words import (
    CARRIER,
    EDITION,
    EDITION_TEXT,
    END_GRAM,
    FIRST_GRAM,
    HEIGHT,
    IDENTIFIER,
    LANGUAGE,
    LAST_YEAR,
    LEVEL,
    MAIN,
    NAME,
    PAGES,
    PART,
    PART_NAME,
    PLACE,
    PUBLISHER,
    READY,
    REMAINDER,
    SERIES,
    SERIES_NUMBER,
    SIZES,
    STATEMENT,
    TEXT,
    VOLUMES,
    WHOLE,
    WORDS,
    YEAR,
    Ready,
)

if TYPE_CHECKING:
    import numpy.typing as npt

    Words = npt.NDArray[Any]
    Row = npt.NDArray[np.int32]
    Text = npt.NDArray[np.uint32]
    Found = npt.NDArray[np.float32]

NAMES = {
    "main_title": "Bigrams that the main titles share (Jaccard).",
    "full_title": "Bigrams that main titles with remainders share (Jaccard).",
    "any_title": "The best of the Jaccard similarities of titles with and without remainder, set title and part name.",
    "whole_title": "Bigrams that the titles share with all that belongs to them (Jaccard).",
    "title_start": "How much of the shorter main title begins the longer one.",
    "title_edits": "1 less the edits per character of the first 64 characters of the main titles.",
    "title_words": "Weight of the words that all titles share, by the weight of the side that has less.",
    "all_title_words": "Weight of the words that all titles share, by the weight of all their words.",
    "title_numbers": "Numbers in titles: 1 the same, 0.75 more on one side, 0.5 on one side only, 0.25 some, 0 others.",
    "title_weight": "How much the words of the shorter title say: the sum of their weights.",
    "title_length": "Characters of the shorter main title, by 64.",
    "remainder": "Bigrams that the remainders share (Jaccard), or how far they say the same, whichever is more.",
    "part_name": "How far the names of the parts say the same.",
    "part_number": "Part numbers: 1 the same, 0.7 one contains the other, 0.5 on one side only, 0 others.",
    "set_title": "Likeness of set titles, or of the set title of one side and the main title of the other.",
    "name": "The two names that are most alike.",
    "first_name": "Likeness of the names that stand first.",
    "names": "Share of the names of the side that has less which the other side has too.",
    "names_present": "1 both sides have names, 0.5 one, 0 none.",
    "name_in_statement": "Whether the family name of a side's first name stands in the other's title or statement.",
    "statement": "How far the statements of responsibility say the same.",
    "year": "1 less a tenth for each year between the nearest years.",
    "last_year": "1 less a tenth for each year between first and first or last and last year, whichever is more.",
    "pages": "1 less the difference of the pages by the greater number.",
    "pages_apart": "1 less a twentieth for each page of difference.",
    "volumes": "Volumes counted: 1 the same number, 0 others.",
    "height": "1 less a tenth for each centimetre of difference.",
    "edition": "Edition numbers: 1 the same, 0.9 one is a first, 0.5 a later one on one side only, 0 others.",
    "edition_text": "How far the edition statements say the same.",
    "publisher": "How far two publishers say the same.",
    "place": "How far two places say the same.",
    "series": "How far two series say the same.",
    "series_number": "Whether the series numbers meet.",
    "language": "Whether a language is the same.",
    "carrier": "Whether the carrier is the same.",
    "level": "Levels: 1 the same, 0.5 a monograph against a volume or a set, 0.2 volume against set, 0 others.",
    "isbn": "Whether an ISBN is the same.",
    "other_identifier": "Whether an identifier of the same other kind is the same (that of a set: 0.5).",
    "set_or_volume": "0 where a volume stands against a whole set, 1 where both are the one or the other.",
}
"""The features in the order of the kernels."""

COUNT = len(NAMES)
_MOST_NAMES = 20
_MOST_WORDS = 16
_ROWS_AHEAD, _ALL_AHEAD = 8, 4
_COLON = 58
_ISBN, _ISBN_THIRD, _SET = ord("i"), ord("b"), ord("s")
_WHOLE_SET, _MONOGRAPH, _VOLUME = ord("c"), ord("m"), ord("v")
_BOOKS = (_WHOLE_SET, _MONOGRAPH, _VOLUME)

_INT, _SHARE = types.int64, types.float64
_ROW, _FOUND, _FOUNDS = types.int32[::1], types.float32[::1], types.float32[:, ::1]
_MASKS, _APART, _SHARED = types.uint64[::1], types.int64[:, ::1], types.int32[:, ::1]


@inner(_SHARE(_SHARED, _ROW, _ROW, _INT, _INT))
def _jaccard(shared: npt.NDArray[np.int32], one: Row, other: Row, kind: int, other_kind: int) -> float:
    """Jaccard similarity of a title of one row and one of the other; ``MISSING`` where one is empty."""
    count, other_count = one[SIZES + kind], other[SIZES + other_kind]
    if count == 0 or other_count == 0:
        return MISSING
    same = shared[kind, other_kind]
    return float(same / (count + other_count - same))


@inner(types.void(_ROW, _ROW, _SHARED, _FOUND))
def _titles(one: Row, other: Row, shared: npt.NDArray[np.int32], found: Found) -> None:
    """Likeness of main titles, with remainders, of whole titles, the best of these and across them; of set titles."""
    main = _jaccard(shared, one, other, IN_MAIN, IN_MAIN)
    full = _jaccard(shared, one, other, IN_FULL, IN_FULL)
    whole = _jaccard(shared, one, other, IN_WHOLE, IN_WHOLE)
    best = max(
        max(main, full, whole),
        max(_jaccard(shared, one, other, IN_MAIN, IN_FULL), _jaccard(shared, one, other, IN_FULL, IN_MAIN)),
        max(_jaccard(shared, one, other, IN_WHOLE, IN_FULL), _jaccard(shared, one, other, IN_FULL, IN_WHOLE)),
    )
    found[0], found[1], found[2], found[3] = main, full, best, whole
    found[11] = _jaccard(shared, one, other, IN_REMAINDER, IN_REMAINDER)
    sets = _jaccard(shared, one, other, IN_SET, IN_SET)
    if sets == MISSING:
        sets = max(
            max(_jaccard(shared, one, other, IN_SET, IN_MAIN), _jaccard(shared, one, other, IN_MAIN, IN_SET)),
            max(_jaccard(shared, one, other, IN_SET, IN_FULL), _jaccard(shared, one, other, IN_FULL, IN_SET)),
        )
    found[14] = sets


@inner(_SHARE(WORDS, _INT, _INT, _INT, _INT))
def _part_numbers(words: Words, begin: int, end: int, other: int, other_end: int) -> float:
    if begin == end or other == other_end:
        return MISSING if begin == end and other == other_end else 0.5
    shorter = min(end - begin, other_end - other)
    if is_same_run(words, begin, other, shorter):
        return 1.0 if end - begin == other_end - other else 0.7
    if is_same_run(words, end - shorter, other_end - shorter, shorter):
        return 0.7
    return 0.0


@inner(_INT(WORDS, _INT))
def _end(words: Words, word: int) -> int:
    return int(words[word].start + words[word].length)


@inner(types.void(WORDS, TEXT, _ROW, _ROW, _FOUND, _MASKS, _APART))
def _title_words(
    words: Words,
    texts: Text,
    one: Row,
    other: Row,
    found: Found,
    masks: npt.NDArray[np.uint64],
    apart: npt.NDArray[np.int64],
) -> None:
    found[4], found[5], found[10] = MISSING, MISSING, 0.0
    if one[MAIN] < one[MAIN + 1] and other[MAIN] < other[MAIN + 1]:
        start, end = words[one[MAIN]].start, _end(words, one[MAIN + 1] - 1)
        other_start, other_end = words[other[MAIN]].start, _end(words, other[MAIN + 1] - 1)
        shorter = min(end - start, other_end - other_start)
        same = 0
        while same < shorter and texts[start + same] == texts[other_start + same]:
            same += 1
        found[4] = same / shorter
        found[5] = likeness(texts, start, end, texts, other_start, other_end, masks)
        found[10] = min(1.0, shorter / 64)
    shared, weight, other_weight, numbers = overlap(
        words, texts, one[WHOLE], one[WHOLE + 1], other[WHOLE], other[WHOLE + 1], apart
    )
    found[6] = shared / min(weight, other_weight) if weight and other_weight else MISSING
    found[7] = shared / (weight + other_weight - shared) if weight and other_weight else MISSING
    found[8], found[9] = numbers, min(weight, other_weight)
    shared, weight, other_weight, _ = overlap(
        words, texts, one[STATEMENT], one[STATEMENT + 1], other[STATEMENT], other[STATEMENT + 1], apart
    )
    found[20] = shared / min(weight, other_weight) if weight and other_weight else MISSING
    found[13] = _part_numbers(words, one[PART], one[PART + 1], other[PART], other[PART + 1])


@inner(_SHARE(WORDS, TEXT, _ROW, _ROW, _INT))
def _closest(words: Words, texts: Text, one: Row, other: Row, column: int) -> float:
    return closest(words, texts, one[column], one[column + 1], other[column], other[column + 1])


@inner(_SHARE(WORDS, _ROW, _ROW, _INT))
def _same_words(words: Words, one: Row, other: Row, column: int) -> float:
    return same_words(words, one[column], one[column + 1], other[column], other[column + 1])


@inner(types.void(WORDS, TEXT, _ROW, _ROW, _FOUND))
def _imprint(words: Words, texts: Text, one: Row, other: Row, found: Found) -> None:
    found[12] = _closest(words, texts, one, other, PART_NAME)
    found[11] = max(float(found[11]), _closest(words, texts, one, other, REMAINDER))
    found[28] = _closest(words, texts, one, other, EDITION_TEXT)
    found[29] = _closest(words, texts, one, other, PUBLISHER)
    found[30] = _closest(words, texts, one, other, PLACE)
    found[31] = _closest(words, texts, one, other, SERIES)
    found[32] = _same_words(words, one, other, SERIES_NUMBER)
    found[33] = _same_words(words, one, other, LANGUAGE)
    found[34] = _same_words(words, one, other, CARRIER)


@inner(_SHARE(WORDS, _ROW, _ROW))
def _in_statement(words: Words, one: Row, other: Row) -> float:
    """Whether the first word of the names of one row stands in the titles or the statement of the other."""
    if one[NAME] == one[NAME + 1]:
        return MISSING
    word = words[one[NAME]].hash
    if holds(words, other[STATEMENT], other[STATEMENT + 1], word) or holds(words, other[WHOLE], other[WHOLE + 1], word):
        return 1.0
    return 0.0 if other[STATEMENT] < other[STATEMENT + 1] else MISSING


@inner(types.void(WORDS, TEXT, _ROW, _ROW, _FOUND, _MASKS))
def _names(words: Words, texts: Text, one: Row, other: Row, found: Found, masks: npt.NDArray[np.uint64]) -> None:
    begin, end, other_begin, other_end = one[NAME], one[NAME + 1], other[NAME], other[NAME + 1]
    found[15] = found[16] = found[17] = MISSING
    found[18] = (0.5 if begin < end else 0.0) + (0.5 if other_begin < other_end else 0.0)
    found[19] = max(_in_statement(words, one, other), _in_statement(words, other, one))
    if begin == end or other_begin == other_end:
        return
    best = total = 0.0
    count = 0
    while begin < end and count < _MOST_NAMES:
        stop = value_end(words, begin, end)
        at, other_count, mine = other_begin, 0, 0.0
        while at < other_end and other_count < _MOST_NAMES and mine < 1.0:
            other_stop = value_end(words, at, other_end)
            near = same_name(words, texts, begin, stop, at, other_stop, masks)
            if count == 0 and other_count == 0:
                found[16] = near
            mine = max(mine, near)
            at, other_count = other_stop, other_count + 1
        best, total, count, begin = max(best, mine), total + mine, count + 1, stop
    other_names = min(_MOST_NAMES, words[other_end - 1].value + 1)
    found[15], found[17] = best, min(1.0, total / min(count, other_names))


@inner(types.void(_ROW, _ROW, _FOUND))
def _numbers(one: Row, other: Row, found: Found) -> None:
    found[21] = found[22] = found[23] = found[24] = found[25] = found[26] = MISSING
    first, last, other_first, other_last = one[YEAR], one[LAST_YEAR], other[YEAR], other[LAST_YEAR]
    if first and other_first:
        begins, ends = abs(first - other_first), abs(last - other_last)
        nearest = min(min(begins, ends), min(abs(first - other_last), abs(last - other_first)))
        found[21] = max(0.0, 1.0 - nearest / 10)
        found[22] = max(0.0, 1.0 - max(begins, ends) / 10)
    pages, other_pages = one[PAGES], other[PAGES]
    if pages and other_pages:
        apart = abs(pages - other_pages)
        found[23] = 1.0 - apart / max(pages, other_pages)
        found[24] = max(0.0, 1.0 - apart / 20)
    if one[VOLUMES] and other[VOLUMES]:
        found[25] = 1.0 if one[VOLUMES] == other[VOLUMES] else 0.0
    if one[HEIGHT] and other[HEIGHT]:
        found[26] = max(0.0, 1.0 - abs(one[HEIGHT] - other[HEIGHT]) / 10)
    edition, other_edition = min(one[EDITION], other[EDITION]), max(one[EDITION], other[EDITION])
    if edition == other_edition:
        found[27] = 1.0 if edition else MISSING
    elif edition == 0:
        found[27] = 0.9 if other_edition == 1 else 0.5
    else:
        found[27] = 0.0


@inner(_INT(WORDS, _ROW, _INT))
def _letter(words: Words, row: Row, column: int) -> int:
    return int(words[row[column]].head) if row[column] < row[column + 1] else 0


@inner(types.boolean(WORDS, TEXT, _INT, _INT))
def _same_kind(words: Words, texts: Text, word: int, other: int) -> bool:
    start, other_start = words[word].start, words[other].start
    for k in range(min(words[word].length, words[other].length)):
        if texts[start + k] != texts[other_start + k]:
            return False
        if texts[start + k] == _COLON:
            return True
    return False


@inner(types.void(WORDS, TEXT, _ROW, _ROW, _FOUND))
def _identifiers(words: Words, texts: Text, one: Row, other: Row, found: Found) -> None:
    found[36] = found[37] = MISSING
    for place in range(one[IDENTIFIER], one[IDENTIFIER + 1]):
        word = words[place]
        for candidate in range(other[IDENTIFIER], other[IDENTIFIER + 1]):
            if not _same_kind(words, texts, place, candidate):
                continue
            is_isbn = word.head == _ISBN and word.length > 4 and texts[word.start + 2] == _ISBN_THIRD
            same = 1.0 if word.hash == words[candidate].hash else 0.0
            if word.head == _SET:
                same *= 0.5
            feature = 36 if is_isbn else 37
            found[feature] = max(float(found[feature]), same)


@inner(types.void(WORDS, TEXT, _ROW, _ROW, _FOUND))
def _kinds(words: Words, texts: Text, one: Row, other: Row, found: Found) -> None:
    level, other_level = _letter(words, one, LEVEL), _letter(words, other, LEVEL)
    found[35], found[38] = MISSING, MISSING
    if level and other_level:
        found[35] = 1.0 if level == other_level else 0.0
        if level != other_level and level in _BOOKS and other_level in _BOOKS:
            found[35] = 0.5 if _MONOGRAPH in (level, other_level) else 0.2
    is_volume, other_is_volume = one[PART] < one[PART + 1], other[PART] < other[PART + 1]
    is_set = not is_volume and (one[VOLUMES] > 1 or level == _WHOLE_SET)
    other_is_set = not other_is_volume and (other[VOLUMES] > 1 or other_level == _WHOLE_SET)
    if (is_set and other_is_volume) or (is_volume and other_is_set):
        found[38] = 0.0
    elif (is_set and other_is_set) or (is_volume and other_is_volume):
        found[38] = 1.0
    _identifiers(words, texts, one, other, found)


@kernel(types.void(READY, _ROW, _ROW, _FOUNDS, _ROW, _ROW, _SHARED, _MASKS, _APART))
def _compare(
    held: Ready,
    left: npt.NDArray[np.int32],
    right: npt.NDArray[np.int32],
    found: npt.NDArray[np.float32],
    room: npt.NDArray[np.int32],
    tally: npt.NDArray[np.int32],
    shared: npt.NDArray[np.int32],
    masks: npt.NDArray[np.uint64],
    apart: npt.NDArray[np.int64],
) -> None:
    """:func:`compare` with room for what its parts write down: see :func:`share`, ``likeness`` and ``overlap``."""
    words, texts, grams = held.words, held.texts, held.grams
    last = left.shape[0] - 1
    for pair in range(left.shape[0]):
        i, j = left[pair], right[pair]
        fetch_row(held, right[min(pair + _ROWS_AHEAD, last)])
        fetch_parts(held, right[min(pair + _ALL_AHEAD, last)])
        if held.content[j] < held.content[i]:
            i, j = j, i
        one, other, into = held.rows[i], held.rows[j], found[pair]
        share(grams, one[FIRST_GRAM], one[END_GRAM], other[FIRST_GRAM], other[END_GRAM], room, tally, shared)
        _titles(one, other, shared, into)
        _title_words(words, texts, one, other, into, masks, apart)
        _names(words, texts, one, other, into, masks)
        _numbers(one, other, into)
        _imprint(words, texts, one, other, into)
        _kinds(words, texts, one, other, into)


def compare(
    held: Ready, left: npt.NDArray[np.int32], right: npt.NDArray[np.int32], found: npt.NDArray[np.float32]
) -> None:
    """Write the features of pairs of rows into ``found``, shape (pairs, features).

    The row whose content has the lesser hash stands on the left, so that a pair has the same features wherever its rows
    stand.
    """
    most = int((held.rows[:, END_GRAM] - held.rows[:, FIRST_GRAM]).max(initial=0))
    _compare(
        held,
        left,
        right,
        found,
        np.empty(most + 1, dtype=np.int32),
        np.zeros(1 << 2 * KINDS, dtype=np.int32),
        np.empty((KINDS, KINDS), dtype=np.int32),
        np.zeros(256, dtype=np.uint64),
        np.empty((2, _MOST_WORDS), dtype=np.int64),
    )
