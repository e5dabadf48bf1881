"""The features of a pair: numbers from 0 (differs) to 1 (equal) where it makes sense, ``MISSING`` where it does not.

Missing is not different: a feature is ``MISSING`` where a side, or both, says nothing about it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bibld.dedup._compiling import njit
from bibld.dedup.match._strings import (
    MISSING,
    closest,
    holds,
    jaccard,
    likeness,
    overlap,
    same_name,
    same_words,
    value_end,
)
from bibld.dedup.match._words import (
    CARRIER,
    EDITION,
    EDITION_TEXT,
    FULL_GRAMS,
    HEIGHT,
    IDENTIFIER,
    LANGUAGE,
    LAST_YEAR,
    LEVEL,
    MAIN,
    MAIN_GRAMS,
    NAME,
    PAGES,
    PART,
    PART_NAME,
    PLACE,
    PUBLISHER,
    REMAINDER,
    REMAINDER_GRAMS,
    SERIES,
    SERIES_NUMBER,
    SET_GRAMS,
    STATEMENT,
    VOLUMES,
    WHOLE,
    WHOLE_GRAMS,
    YEAR,
    Grams,
    Ready,
    Words,
)

if TYPE_CHECKING:
    import numpy.typing as npt

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
_COLON = 58
_ISBN, _SET = 105, 115


@njit(cache=True, nogil=True, error_model="numpy")
def compare(
    held: Ready, left: npt.NDArray[np.uint32], right: npt.NDArray[np.uint32], found: npt.NDArray[np.float32]
) -> None:
    """Write the features of pairs of rows into ``found``, shape (pairs, features)."""
    masks = np.zeros(256, dtype=np.uint64)
    apart = np.empty((2, _MOST_WORDS), dtype=np.int64)
    for pair in range(left.shape[0]):
        i, j = int(left[pair]), int(right[pair])
        _titles(held, i, j, found[pair], masks, apart)
        _parts(held, i, j, found[pair])
        _names(held, i, j, found[pair], masks, apart)
        _numbers(held, i, j, found[pair])
        _imprint(held, i, j, found[pair])
        _kinds(held, i, j, found[pair])


@njit(cache=True, nogil=True)
def _titles(
    held: Ready,
    i: int,
    j: int,
    found: npt.NDArray[np.float32],
    masks: npt.NDArray[np.uint64],
    apart: npt.NDArray[np.int64],
) -> None:
    main, full, whole, best = _title_likeness(held.grams, i, j)
    found[0], found[1], found[2], found[3] = main, full, best, whole
    found[4], found[5] = MISSING, MISSING
    words, first, last = held.words, held.words.first[MAIN, i], held.words.first[MAIN, i + 1]
    other, other_last = held.words.first[MAIN, j], held.words.first[MAIN, j + 1]
    found[10] = 0.0
    if first < last and other < other_last:
        start, end = words.start[first], words.end[last - 1]
        other_start, other_end = words.start[other], words.end[other_last - 1]
        shorter = min(end - start, other_end - other_start)
        same = 0
        while same < shorter and words.codes[start + same] == words.codes[other_start + same]:
            same += 1
        found[4] = same / shorter
        found[5] = likeness(words.codes, start, end, words.codes, other_start, other_end, masks)
        found[10] = min(1.0, shorter / 64)
    shared, weight, other_weight, numbers = overlap(held.bags, WHOLE, i, j, apart)
    found[6] = shared / min(weight, other_weight) if weight and other_weight else MISSING
    found[7] = shared / (weight + other_weight - shared) if weight and other_weight else MISSING
    found[8] = numbers
    found[9] = min(weight, other_weight)
    found[11] = max(jaccard(held.grams, REMAINDER_GRAMS, i, REMAINDER_GRAMS, j), closest(held.words, REMAINDER, i, j))


@njit(cache=True, nogil=True)
def _title_likeness(grams: Grams, i: int, j: int) -> tuple[float, float, float, float]:
    """Likeness of main titles, of those with remainders, of whole titles, and the best of these and across them."""
    is_longer, other_is_longer = _is_more(grams, FULL_GRAMS, MAIN_GRAMS, i), _is_more(grams, FULL_GRAMS, MAIN_GRAMS, j)
    has_more, other_has_more = _is_more(grams, WHOLE_GRAMS, FULL_GRAMS, i), _is_more(grams, WHOLE_GRAMS, FULL_GRAMS, j)
    main = jaccard(grams, MAIN_GRAMS, i, MAIN_GRAMS, j)
    full = jaccard(grams, FULL_GRAMS, i, FULL_GRAMS, j) if is_longer or other_is_longer else main
    whole = jaccard(grams, WHOLE_GRAMS, i, WHOLE_GRAMS, j) if has_more or other_has_more else full
    best = max(main, full, whole)
    if best == 1.0:
        return main, full, whole, best
    if other_is_longer:
        best = max(best, jaccard(grams, MAIN_GRAMS, i, FULL_GRAMS, j))
    if is_longer:
        best = max(best, jaccard(grams, FULL_GRAMS, i, MAIN_GRAMS, j))
    if has_more:
        best = max(best, jaccard(grams, WHOLE_GRAMS, i, FULL_GRAMS, j))
    if other_has_more:
        best = max(best, jaccard(grams, FULL_GRAMS, i, WHOLE_GRAMS, j))
    return main, full, whole, best


@njit(cache=True, nogil=True)
def _is_more(grams: Grams, column: int, other: int, row: int) -> bool:
    """Whether a row has more bigrams in one column than in another."""
    more = grams.first[column, row + 1] - grams.first[column, row]
    return bool(more != grams.first[other, row + 1] - grams.first[other, row])


@njit(cache=True, nogil=True)
def _parts(held: Ready, i: int, j: int, found: npt.NDArray[np.float32]) -> None:
    found[12] = closest(held.words, PART_NAME, i, j)
    found[13] = _part_numbers(held.words, i, j)
    grams = held.grams
    has_set = grams.first[SET_GRAMS, i] != grams.first[SET_GRAMS, i + 1]
    if not has_set and grams.first[SET_GRAMS, j] == grams.first[SET_GRAMS, j + 1]:
        found[14] = MISSING
        return
    sets = jaccard(grams, SET_GRAMS, i, SET_GRAMS, j)
    if sets == MISSING:
        sets = max(jaccard(grams, SET_GRAMS, i, MAIN_GRAMS, j), jaccard(grams, MAIN_GRAMS, i, SET_GRAMS, j))
        sets = max(sets, jaccard(grams, SET_GRAMS, i, FULL_GRAMS, j))
        sets = max(sets, jaccard(grams, FULL_GRAMS, i, SET_GRAMS, j))
    found[14] = sets


@njit(cache=True, nogil=True)
def _part_numbers(part: Words, i: int, j: int) -> float:
    begin, end = part.first[PART, i], part.first[PART, i + 1]
    other, other_end = part.first[PART, j], part.first[PART, j + 1]
    if begin == end or other == other_end:
        return MISSING if begin == end and other == other_end else 0.5
    shorter = min(end - begin, other_end - other)
    if _same_run(part, begin, other, shorter):
        return 1.0 if end - begin == other_end - other else 0.7
    if _same_run(part, end - shorter, other_end - shorter, shorter):
        return 0.7
    return 0.0


@njit(cache=True, nogil=True)
def _same_run(held: Words, begin: int, other: int, length: int) -> bool:
    same = 0
    while same < length and held.hash[begin + same] == held.hash[other + same]:
        same += 1
    return same == length


@njit(cache=True, nogil=True)
def _names(
    held: Ready,
    i: int,
    j: int,
    found: npt.NDArray[np.float32],
    masks: npt.NDArray[np.uint64],
    apart: npt.NDArray[np.int64],
) -> None:
    names = held.words
    begin, end = names.first[NAME, i], names.first[NAME, i + 1]
    other_begin, other_end = names.first[NAME, j], names.first[NAME, j + 1]
    found[15] = found[16] = found[17] = MISSING
    found[18] = (0.5 if begin < end else 0.0) + (0.5 if other_begin < other_end else 0.0)
    found[19] = _in_statement(held, i, j)
    shared, weight, other_weight, _ = overlap(held.bags, STATEMENT, i, j, apart)
    found[20] = shared / min(weight, other_weight) if weight and other_weight else MISSING
    if begin == end or other_begin == other_end:
        return
    found[16] = same_name(
        names, begin, value_end(names, begin, end), other_begin, value_end(names, other_begin, other_end), masks
    )
    best = total = 0.0
    count = 0
    while begin < end and count < _MOST_NAMES:
        stop = value_end(names, begin, end)
        other, other_count, mine = other_begin, 0, 0.0
        while other < other_end and other_count < _MOST_NAMES and mine < 1.0:
            other_stop = value_end(names, other, other_end)
            mine = max(mine, same_name(names, begin, stop, other, other_stop, masks))
            other, other_count = other_stop, other_count + 1
        best, total, count, begin = max(best, mine), total + mine, count + 1, stop
    other_names = min(_MOST_NAMES, names.value[other_end - 1] + 1)
    found[15], found[17] = best, min(1.0, total / min(count, other_names))


@njit(cache=True, nogil=True)
def _in_statement(held: Ready, i: int, j: int) -> float:
    best = MISSING
    for left, right in ((i, j), (j, i)):
        name = held.words.first[NAME, left]
        if name == held.words.first[NAME, left + 1]:
            continue
        word = held.words.hash[name]
        if holds(held.bags, STATEMENT, right, word) or holds(held.bags, WHOLE, right, word):
            return 1.0
        if held.bags.first[STATEMENT, right] < held.bags.first[STATEMENT, right + 1]:
            best = 0.0
    return best


@njit(cache=True, nogil=True)
def _numbers(held: Ready, i: int, j: int, found: npt.NDArray[np.float32]) -> None:
    found[21] = found[22] = found[23] = found[24] = found[25] = found[26] = MISSING
    first, last, other_first, other_last = (
        held.numbers[YEAR, i],
        held.numbers[LAST_YEAR, i],
        held.numbers[YEAR, j],
        held.numbers[LAST_YEAR, j],
    )
    if first and other_first:
        nearest = min(
            abs(first - other_first), abs(last - other_last), abs(first - other_last), abs(last - other_first)
        )
        found[21] = max(0.0, 1.0 - nearest / 10)
        found[22] = max(0.0, 1.0 - max(abs(first - other_first), abs(last - other_last)) / 10)
    pages, other_pages = held.numbers[PAGES, i], held.numbers[PAGES, j]
    if pages and other_pages:
        apart = abs(pages - other_pages)
        found[23] = 1.0 - apart / max(pages, other_pages)
        found[24] = max(0.0, 1.0 - apart / 20)
    if held.numbers[VOLUMES, i] and held.numbers[VOLUMES, j]:
        found[25] = 1.0 if held.numbers[VOLUMES, i] == held.numbers[VOLUMES, j] else 0.0
    if held.numbers[HEIGHT, i] and held.numbers[HEIGHT, j]:
        found[26] = max(0.0, 1.0 - abs(held.numbers[HEIGHT, i] - held.numbers[HEIGHT, j]) / 10)


@njit(cache=True, nogil=True)
def _imprint(held: Ready, i: int, j: int, found: npt.NDArray[np.float32]) -> None:
    edition, other_edition = (
        min(held.numbers[EDITION, i], held.numbers[EDITION, j]),
        max(held.numbers[EDITION, i], held.numbers[EDITION, j]),
    )
    if edition == other_edition:
        found[27] = 1.0 if edition else MISSING
    elif edition == 0:
        found[27] = 0.9 if other_edition == 1 else 0.5
    else:
        found[27] = 0.0
    found[28] = closest(held.words, EDITION_TEXT, i, j)
    found[29] = closest(held.words, PUBLISHER, i, j)
    found[30] = closest(held.words, PLACE, i, j)
    found[31] = closest(held.words, SERIES, i, j)
    found[32] = same_words(held.words, SERIES_NUMBER, i, j)


@njit(cache=True, nogil=True)
def _kinds(held: Ready, i: int, j: int, found: npt.NDArray[np.float32]) -> None:
    found[33] = same_words(held.words, LANGUAGE, i, j)
    found[34] = same_words(held.words, CARRIER, i, j)
    level, other = _letter(held.words, LEVEL, i), _letter(held.words, LEVEL, j)
    found[35], found[38] = MISSING, MISSING
    if level and other:
        found[35] = 1.0 if level == other else 0.0
        books = (99, 109, 118)
        if level != other and level in books and other in books:
            found[35] = 0.5 if 109 in (level, other) else 0.2
    is_volume, other_is_volume = _letter(held.words, PART, i) > 0, _letter(held.words, PART, j) > 0
    is_set = not is_volume and (held.numbers[VOLUMES, i] > 1 or level == 99)
    other_is_set = not other_is_volume and (held.numbers[VOLUMES, j] > 1 or other == 99)
    if (is_set and other_is_volume) or (is_volume and other_is_set):
        found[38] = 0.0
    elif (is_set and other_is_set) or (is_volume and other_is_volume):
        found[38] = 1.0
    found[36] = found[37] = MISSING
    identifiers = held.words
    for word in range(identifiers.first[IDENTIFIER, i], identifiers.first[IDENTIFIER, i + 1]):
        for candidate in range(identifiers.first[IDENTIFIER, j], identifiers.first[IDENTIFIER, j + 1]):
            if not _same_kind(identifiers, word, candidate):
                continue
            place = 36 if identifiers.codes[identifiers.start[word]] == _ISBN and _is_isbn(identifiers, word) else 37
            same = 1.0 if identifiers.hash[word] == identifiers.hash[candidate] else 0.0
            if identifiers.codes[identifiers.start[word]] == _SET:
                same *= 0.5
            found[place] = max(found[place], same)


@njit(cache=True, nogil=True)
def _letter(held: Words, column: int, row: int) -> int:
    begin = held.first[column, row]
    return int(held.codes[held.start[begin]]) if begin < held.first[column, row + 1] else 0


@njit(cache=True, nogil=True)
def _is_isbn(held: Words, word: int) -> bool:
    """Whether an identifier that begins with an i is an ISBN, by its third letter."""
    return bool(held.end[word] - held.start[word] > 4 and held.codes[held.start[word] + 2] == 98)


@njit(cache=True, nogil=True)
def _same_kind(held: Words, word: int, other: int) -> bool:
    start, other_start = held.start[word], held.start[other]
    for k in range(min(held.end[word] - start, held.end[other] - other_start)):
        if held.codes[start + k] != held.codes[other_start + k]:
            return False
        if held.codes[start + k] == _COLON:
            return True
    return False
