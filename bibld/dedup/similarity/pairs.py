"""Compute the similarities of pairs of records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bibld.dedup import similarity as to
from bibld.dedup.compilation import MISSING, inner, kernel, results, types
from bibld.dedup.similarity import rows as col
from bibld.dedup.similarity import texts as text
from bibld.dedup.similarity.rows import KINDS, ROW, ROWS, PreparedRows, Rarity, prepare_rows
from bibld.model.features import FeatureColumns

if TYPE_CHECKING:
    import numpy.typing as npt

    Row = npt.NDArray[np.int32]
    Found = npt.NDArray[np.float32]
    Positions = npt.NDArray[np.uint32]

_PAIRS_AT_ONCE = 16_384
_NAMES_COMPARED = 20
_UNPAIRED_WORDS = 16
_BITS, _FIVE = np.uint64((1 << KINDS) - 1), np.uint64(KINDS)
_WITHIN = 0.9
_SPAN = 2
_COLON = 58
_INFLECTED = np.float32(0.8)
_OTHER_GIVEN_NAMES = 0.5
_SERIES_IS_SET = 0.8
_OTHER_WORDS = 3.0
_VARIANT_IS_TITLE = 0.9
_NEGLIGIBLE_WORDS = 0.1
_PAGE = ord("p")
_ISBN, _ISBN_THIRD, _SET = ord("i"), ord("b"), ord("s")
_STANDARD, _STANDARD_SECOND = ord("n"), ord("o")
_COMPLETE_SET, _MONOGRAPH, _VOLUME = ord("c"), ord("m"), ord("v")
_BOOKS = (_COMPLETE_SET, _MONOGRAPH, _VOLUME)
_TITLES = np.array([
    (col.IN_MAIN, col.IN_MAIN), (col.IN_FULL, col.IN_FULL), (col.IN_ALL, col.IN_ALL),
    (col.IN_MAIN, col.IN_FULL), (col.IN_FULL, col.IN_MAIN), (col.IN_ALL, col.IN_FULL), (col.IN_FULL, col.IN_ALL),
    (col.IN_REMAINDER, col.IN_REMAINDER), (col.IN_SET, col.IN_SET),
    (col.IN_SET, col.IN_MAIN), (col.IN_MAIN, col.IN_SET), (col.IN_SET, col.IN_FULL), (col.IN_FULL, col.IN_SET),
])  # fmt: skip
"""The titles that are compared: main, full and whole titles, these across (from 3), remainders (7), set titles (8), and
these with the titles of the other side (from 9)."""
_VALUES = np.array([
    (col.PART_NAME, to.PART_NAME), (col.REMAINDER, to.REMAINDER), (col.EDITION_TEXT, to.EDITION_TEXT),
    (col.PUBLISHER, to.PUBLISHER), (col.PLACE, to.PLACE), (col.SERIES, to.SERIES),
])  # fmt: skip
_OF_TITLES = (
    *(to.MAIN_TITLE, to.FULL_TITLE, to.ANY_TITLE, to.ALL_TITLES, to.TITLE_START, to.TITLE_EDITS, to.TITLE_WORDS),
    *(to.ALL_TITLE_WORDS, to.TITLES_FOUND, to.OTHER_WORDS),
)
"""Similarities of titles, which are 1 for one standard, whatever it is called."""
_WITH_WORDS_OF_TITLES = (col.TITLES, col.VARIANT, col.SERIES, col.NAME)
_CODES = np.array([(col.SERIES_NUMBER, to.SERIES_NUMBER), (col.LANGUAGE, to.LANGUAGE), (col.CARRIER, to.CARRIER)])


class _Room(NamedTuple):
    """Arrays that the comparison of a pair writes to: the titles of shared bigrams and how often each combination of
    titles occurs (zeros between pairs), how many bigrams titles share (5, 5), their similarities, and the room that
    :func:`~bibld.dedup.similarity.texts.edit_similarity` and :func:`~bibld.dedup.similarity.texts.overlap` need.
    """

    shared: npt.NDArray[np.int32]
    tally: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int32]
    titles: npt.NDArray[np.float64]
    masks: npt.NDArray[np.uint64]
    unpaired: npt.NDArray[np.int64]


_FOUND = types.float32[::1]
_ROOM = types.NamedTuple(
    (types.int32[::1], types.int32[::1], types.int32[:, ::1], types.float64[::1], text.MASKS, text.UNPAIRED), _Room
)  # type: ignore[no-untyped-call]
_COMPARISON = types.void(ROWS, ROW, ROW, _FOUND, _ROOM)


def similarities(columns: FeatureColumns, left: Positions, right: Positions, rarity: Rarity) -> Found:
    """Return the similarities of pairs of rows, shape (pairs, similarities)."""
    result = np.empty((len(left), to.COUNT), dtype=np.float32)
    for pairs, found in similarities_in_portions(columns, left, right, rarity):
        result[pairs] = found
    return result


def similarities_in_portions(
    columns: FeatureColumns, left: Positions, right: Positions, rarity: Rarity
) -> Iterator[tuple[slice, Found]]:
    """Yield the similarities of some thousands of pairs at a time, so that they stay in the processor's cache."""
    is_used = np.zeros(len(columns), dtype=np.bool_)
    is_used[left] = is_used[right] = True
    chosen = np.flatnonzero(is_used)
    positions = np.zeros(len(columns), dtype=np.int32)
    positions[chosen] = np.arange(len(chosen), dtype=np.int32)
    rows = prepare_rows(columns, chosen, rarity)
    most = int((rows.positions[:, col.END_GRAM] - rows.positions[:, col.FIRST_GRAM]).max(initial=0))
    room = _Room(
        np.empty(most + 1, dtype=np.int32),
        np.zeros(1 << 2 * KINDS, dtype=np.int32),
        np.empty((KINDS, KINDS), dtype=np.int32),
        np.empty(len(_TITLES), dtype=np.float64),
        np.zeros(256, dtype=np.uint64),
        np.empty((2, _UNPAIRED_WORDS), dtype=np.int64),
    )
    for start in range(0, len(left), _PAIRS_AT_ONCE):
        pairs = slice(start, start + _PAIRS_AT_ONCE)
        found = np.full((len(left[pairs]), to.COUNT), MISSING, dtype=np.float32)
        _compare(rows, positions[left[pairs]], positions[right[pairs]], found, room)
        yield pairs, found


@inner(_COMPARISON)
def _compare_bigrams(rows: PreparedRows, one: Row, other: Row, found: Found, room: _Room) -> None:
    """Jaccard similarities of the bigrams of titles."""
    grams, shared, tally, counts, titles = rows.grams, room.shared, room.tally, room.counts, room.titles
    # The titles that each shared bigram is in, on both sides.
    i, i_end, j, j_end = one[col.FIRST_GRAM], one[col.END_GRAM], other[col.FIRST_GRAM], other[col.END_GRAM]
    count = 0
    while i < i_end and j < j_end:
        shared[count] = ((grams[i] & _BITS) << _FIVE) | (grams[j] & _BITS)
        first, second = grams[i] >> _FIVE, grams[j] >> _FIVE
        count += first == second
        i += first <= second
        j += second <= first
    # How often each combination of titles occurs; there are few different ones.
    kinds = 0
    for position in range(count):
        both = shared[position]
        if tally[both] == 0:
            shared[kinds] = both
            kinds += 1
        tally[both] += 1
    for kind in range(KINDS):
        for other_kind in range(KINDS):
            counts[kind, other_kind] = 0
    for position in range(kinds):
        both = shared[position]
        for kind in range(KINDS):
            if both >> (KINDS + kind) & 1:
                for other_kind in range(KINDS):
                    counts[kind, other_kind] += tally[both] * (both >> other_kind & 1)
        tally[both] = 0
    for number in range(_TITLES.shape[0]):
        kind, other_kind = _TITLES[number, 0], _TITLES[number, 1]
        size, other_size, same = one[col.SIZES + kind], other[col.SIZES + other_kind], counts[kind, other_kind]
        titles[number] = same / (size + other_size - same) if size and other_size else MISSING
    found[to.MAIN_TITLE], found[to.FULL_TITLE], found[to.ALL_TITLES] = titles[0], titles[1], titles[2]
    best = max(titles[0], titles[1], titles[2], max(titles[3], titles[4], titles[5], titles[6]))
    found[to.ANY_TITLE], found[to.REMAINDER] = best, titles[7]
    found[to.SET_TITLE] = titles[8] if titles[8] != MISSING else max(titles[9], titles[10], titles[11], titles[12])


@inner(_COMPARISON)
def _compare_titles(rows: PreparedRows, one: Row, other: Row, found: Found, room: _Room) -> None:
    """Compare main titles as strings, all titles and statements as sets of words, and part numbers."""
    words, texts = rows.words, rows.texts
    found[to.TITLE_LENGTH] = 0.0
    if one[col.MAIN] < one[col.MAIN + 1] and other[col.MAIN] < other[col.MAIN + 1]:
        last_word, other_last_word = words[one[col.MAIN + 1] - 1], words[other[col.MAIN + 1] - 1]
        start, end = words[one[col.MAIN]].start, last_word.start + last_word.length
        other_start, other_end = words[other[col.MAIN]].start, other_last_word.start + other_last_word.length
        shorter, same = min(end - start, other_end - other_start), 0
        while same < shorter and texts[start + same] == texts[other_start + same]:
            same += 1
        found[to.TITLE_START] = same / shorter
        found[to.TITLE_EDITS] = text.edit_similarity(texts, start, end, texts, other_start, other_end, room.masks)
        found[to.TITLE_LENGTH] = min(1.0, shorter / 64)
    shared, weight, other_weight, numbers = text.overlap(
        words, texts, one[col.TITLES], one[col.TITLES + 1], other[col.TITLES], other[col.TITLES + 1], room.unpaired
    )
    if weight and other_weight:
        found[to.TITLE_WORDS] = shared / min(weight, other_weight)
        found[to.ALL_TITLE_WORDS] = shared / (weight + other_weight - shared)
    found[to.TITLE_NUMBERS], found[to.TITLE_WEIGHT] = numbers, min(weight, other_weight)
    shared, weight, other_weight, _ = text.overlap(
        words,
        texts,
        one[col.STATEMENT],
        one[col.STATEMENT + 1],
        other[col.STATEMENT],
        other[col.STATEMENT + 1],
        room.unpaired,
    )
    if weight and other_weight:
        found[to.STATEMENT] = shared / min(weight, other_weight)
    begin, end, other_begin, other_end = one[col.PART], one[col.PART + 1], other[col.PART], other[col.PART + 1]
    if begin < end and other_begin < other_end:
        shorter = min(end - begin, other_end - other_begin)
        first = last = 0
        while first < shorter and words[begin + first].hash == words[other_begin + first].hash:
            first += 1
        while last < shorter and words[end - 1 - last].hash == words[other_end - 1 - last].hash:
            last += 1
        part_of = 1.0 if end - begin == other_end - other_begin else 0.7
        found[to.PART_NUMBER] = part_of if first == shorter or last == shorter else 0.0
    elif begin < end or other_begin < other_end:
        found[to.PART_NUMBER] = 0.5


@inner(results(types.float64, types.float64)(ROWS, ROW, ROW))
def _found_anywhere(rows: PreparedRows, one: Row, other: Row) -> tuple[float, float]:
    """Return the weight of the words of one side's titles that are in a title, variant, series or name of the other
    side, perhaps abbreviated, inflected or misprinted, by the weight of all (``MISSING`` without titles), and that of
    all others."""
    words, texts = rows.words, rows.texts
    total = shared = 0.0
    low, high = other[col.TITLES], other[col.TITLES + 1]
    for position in range(one[col.TITLES], one[col.TITLES + 1]):
        word = words[position]
        total += word.weight
        is_found = text.has_word(words, low, high, word.hash)
        for column in _WITH_WORDS_OF_TITLES:
            for candidate in range(other[column], other[column + 1]):
                if is_found:
                    break
                is_found = (
                    words[candidate].hash == word.hash
                    or (
                        min(word.length, words[candidate].length) > _SPAN
                        and text.is_beginning(words, texts, position, candidate)
                    )
                    or (word.head == words[candidate].head and text.is_misprint(words, texts, position, candidate))
                )
            is_found = is_found or text.has_inflection(words, texts, other[column], other[column + 1], position)
        shared += word.weight * is_found
    return (shared / total if total > 0.0 and low < high else MISSING), total - shared


@inner(types.void(_FOUND, types.float32))
def _raise_titles(found: Found, variant: np.float32) -> None:
    """Raise the similarities of titles that are equal but for the division of words, or to that of a variant title."""
    least = variant if variant >= _VARIANT_IS_TITLE else np.float32(0.0)
    if found[to.MAIN_TITLE] == 1.0 and found[to.TITLE_EDITS] >= _VARIANT_IS_TITLE:
        least = np.float32(1.0)
    for position in (to.MAIN_TITLE, to.TITLE_START, to.TITLE_EDITS, to.TITLE_WORDS):
        if found[position] != MISSING:
            found[position] = max(found[position], least)


@inner(_COMPARISON)
def _compare_variants(rows: PreparedRows, one: Row, other: Row, found: Found, room: _Room) -> None:
    """Variant titles with main titles, the series of one side with the set of the other, and words anywhere."""
    words, texts = rows.words, rows.texts
    least = fewest = 1.0
    variant = np.float32(MISSING)
    for _ in range(2):
        begin, end = one[col.VARIANT], one[col.VARIANT + 1]
        similarity = text.most_similar_values(words, texts, begin, end, other[col.MAIN], other[col.MAIN + 1])
        variant = max(variant, np.float32(similarity))
        share, others = _found_anywhere(rows, one, other)
        least, fewest = min(least, share), min(fewest, others / _OTHER_WORDS)
        begin, end = one[col.SERIES], one[col.SERIES + 1]
        if begin < end and other[col.PART] < other[col.PART + 1]:
            for column in (col.MAIN, col.SET_TITLE):
                similarity = text.most_similar_values(words, texts, begin, end, other[column], other[column + 1])
                if similarity >= _SERIES_IS_SET:
                    found[to.SET_TITLE] = max(found[to.SET_TITLE], np.float32(similarity))
        one, other = other, one
    found[to.ANY_TITLE] = max(found[to.ANY_TITLE], variant)
    _raise_titles(found, variant if fewest <= _NEGLIGIBLE_WORDS else np.float32(MISSING))
    found[to.TITLES_FOUND] = least
    found[to.OTHER_WORDS] = 1.0 - fewest


@inner(_COMPARISON)
def _find_names(rows: PreparedRows, one: Row, other: Row, found: Found, room: _Room) -> None:
    """Look for the first name of each side in the titles and the statement of the other."""
    words, texts = rows.words, rows.texts
    for _ in range(2):
        if one[col.NAME] < one[col.NAME + 1]:
            name = one[col.NAME]
            is_stated = np.float32(0.0)
            for column in (col.STATEMENT, col.TITLES):
                low, high = other[column], other[column + 1]
                if text.has_word(words, low, high, words[name].hash):
                    is_stated = np.float32(1.0)
                elif text.has_inflection(words, texts, low, high, name):
                    is_stated = max(is_stated, _INFLECTED)
            if is_stated > 0 or other[col.STATEMENT] < other[col.STATEMENT + 1]:
                found[to.NAME_IN_STATEMENT] = max(found[to.NAME_IN_STATEMENT], is_stated)
        one, other = other, one


@inner(_COMPARISON)
def _compare_names(rows: PreparedRows, one: Row, other: Row, found: Found, room: _Room) -> None:
    """Names with names, in all their forms."""
    words, texts = rows.words, rows.texts
    begin, end, other_first, other_end = one[col.NAME], one[col.NAME + 1], other[col.NAME], other[col.NAME + 1]
    found[to.NAMES_PRESENT] = (0.5 if begin < end else 0.0) + (0.5 if other_first < other_end else 0.0)
    if begin == end or other_first == other_end:
        return
    best = total = own_best = 0.0
    count = names = 0
    while begin < end:
        stop, is_form = text.end_of_name(words, begin, end)
        if not is_form:
            if count == _NAMES_COMPARED:
                break
            total, count, own_best = total + own_best, count + 1, 0.0
        other_begin, names = other_first, 0
        while other_begin < other_end:
            other_stop, is_other_form = text.end_of_name(words, other_begin, other_end)
            if not is_other_form:
                if names == _NAMES_COMPARED:
                    break
                names += 1
            if own_best < 1.0 or count == names == 1:
                similarity = text.name_similarity(words, texts, begin, stop, other_begin, other_stop, room.masks)
                own_best = max(own_best, similarity)
                if count == 1 and names == 1:
                    found[to.FIRST_NAME] = max(found[to.FIRST_NAME], np.float32(similarity))
            other_begin = other_stop + is_other_form
        best, begin = max(best, own_best), stop + is_form
    if best >= _INFLECTED or 0.0 < best <= _OTHER_GIVEN_NAMES:
        found[to.GIVEN_NAMES] = 1.0 if best >= _INFLECTED else 0.0
    found[to.NAME], found[to.ALL_NAMES] = best, min(1.0, (total + own_best) / min(count, names))


@inner(_COMPARISON)
def _compare_numbers(rows: PreparedRows, one: Row, other: Row, found: Found, room: _Room) -> None:
    """Years, pages, volumes, heights and numbers of editions."""
    first, last, other_first, other_last = one[col.YEAR], one[col.LAST_YEAR], other[col.YEAR], other[col.LAST_YEAR]
    if first and other_first:
        begins, ends = abs(first - other_first), abs(last - other_last)
        nearest = min(min(begins, ends), min(abs(first - other_last), abs(last - other_first)))
        do_meet = first <= other_last and other_first <= last
        found[to.YEAR] = max(_WITHIN if do_meet else 0.0, 1.0 - nearest / 10)
        longer, shorter = max(last - first, other_last - other_first), min(last - first, other_last - other_first)
        if not (do_meet and longer > _SPAN and shorter == 0):
            found[to.LAST_YEAR] = max(0.0, 1.0 - max(begins, ends) / 10)
    pages, other_pages = one[col.PAGES], other[col.PAGES]
    if pages and other_pages:
        difference = abs(pages - other_pages)
        found[to.PAGES] = 1.0 - difference / max(pages, other_pages)
        found[to.PAGE_DIFFERENCE] = max(0.0, 1.0 - difference / 20)
    if one[col.VOLUMES] and other[col.VOLUMES]:
        found[to.VOLUMES] = 1.0 if one[col.VOLUMES] == other[col.VOLUMES] else 0.0
    if one[col.HEIGHT] and other[col.HEIGHT]:
        found[to.HEIGHT] = max(0.0, 1.0 - abs(one[col.HEIGHT] - other[col.HEIGHT]) / 10)
    edition, later = min(one[col.EDITION], other[col.EDITION]), max(one[col.EDITION], other[col.EDITION])
    if edition == later:
        found[to.EDITION] = 1.0 if edition else MISSING
    elif edition == 0:
        found[to.EDITION] = 0.9 if later == 1 else 0.5
    else:
        found[to.EDITION] = 0.0


@inner(_COMPARISON)
def _compare_values(rows: PreparedRows, one: Row, other: Row, found: Found, room: _Room) -> None:
    """Imprint, edition statement and series; codes; identifiers."""
    words, texts = rows.words, rows.texts
    for number in range(_VALUES.shape[0]):
        column, position = _VALUES[number, 0], _VALUES[number, 1]
        similarity = text.most_similar_values(
            words, texts, one[column], one[column + 1], other[column], other[column + 1]
        )
        found[position] = max(found[position], np.float32(similarity))
    for number in range(_CODES.shape[0]):
        column, position = _CODES[number, 0], _CODES[number, 1]
        for index in range(one[column], one[column + 1]):
            for candidate in range(other[column], other[column + 1]):
                same = np.float32(words[index].hash == words[candidate].hash)
                found[position] = max(found[position], same)
    for index in range(one[col.IDENTIFIER], one[col.IDENTIFIER + 1]):
        word = words[index]
        for candidate in range(other[col.IDENTIFIER], other[col.IDENTIFIER + 1]):
            # Both are of one kind if they are equal up to the first colon.
            start, other_start, shorter = word.start, words[candidate].start, min(word.length, words[candidate].length)
            at = 0
            while at < shorter and texts[start + at] == texts[other_start + at] and texts[start + at] != _COLON:
                at += 1
            if at < shorter and texts[start + at] == texts[other_start + at]:
                is_isbn = word.head == _ISBN and word.length > 4 and texts[start + 2] == _ISBN_THIRD
                is_standard = word.head == _STANDARD and texts[start + 1] == _STANDARD_SECOND
                position = to.ISBN if is_isbn or is_standard else to.OTHER_IDENTIFIER
                same = np.float32(word.hash == words[candidate].hash)
                if is_standard and same:
                    for title in _OF_TITLES:
                        found[title] = 1.0 if found[title] != MISSING else found[title]
                found[position] = max(found[position], same * np.float32(0.5 if word.head == _SET else 1.0))


@inner(_COMPARISON)
def _compare_hosts(rows: PreparedRows, one: Row, other: Row, found: Found, room: _Room) -> None:
    """Hosts of articles: titles, and the numbers that both state."""
    words, texts = rows.words, rows.texts
    begin, end, other_begin, other_end = one[col.HOST], one[col.HOST + 1], other[col.HOST], other[col.HOST + 1]
    if begin == end or other_begin == other_end:
        return
    stop, other_stop = begin, other_begin
    while stop < end and words[stop].value == 0:
        stop += 1
    while other_stop < other_end and words[other_stop].value == 0:
        other_stop += 1
    if begin < stop and other_begin < other_stop:
        found[to.HOST] = text.most_similar_values(words, texts, begin, stop, other_begin, other_stop)
    stated = same = 0
    for position in range(stop, end):
        kind, is_stated, is_same = words[position].head, False, False
        for candidate in range(other_stop, other_end):
            if words[candidate].head == kind:
                is_stated = True
                is_same = is_same or words[candidate].hash == words[position].hash
        if is_stated and kind == _PAGE:
            found[to.HOST_PAGE] = 1.0 if is_same else 0.0
        elif is_stated:
            stated, same = stated + 1, same + is_same
    if stated:
        found[to.HOST_NUMBERS] = same / stated


@inner(_COMPARISON)
def _compare_kinds(rows: PreparedRows, one: Row, other: Row, found: Found, room: _Room) -> None:
    """Levels, and volumes with whole sets."""
    level = rows.words[one[col.LEVEL]].head if one[col.LEVEL] < one[col.LEVEL + 1] else 0
    other_level = rows.words[other[col.LEVEL]].head if other[col.LEVEL] < other[col.LEVEL + 1] else 0
    if level and other_level:
        found[to.LEVEL] = 1.0 if level == other_level else 0.0
        if level != other_level and level in _BOOKS and other_level in _BOOKS:
            found[to.LEVEL] = 0.5 if _MONOGRAPH in (level, other_level) else 0.2
    is_volume, other_is_volume = one[col.PART] < one[col.PART + 1], other[col.PART] < other[col.PART + 1]
    is_set = not is_volume and (one[col.VOLUMES] > 1 or level == _COMPLETE_SET)
    other_is_set = not other_is_volume and (other[col.VOLUMES] > 1 or other_level == _COMPLETE_SET)
    if (is_set and other_is_volume) or (is_volume and other_is_set):
        found[to.SET_OR_VOLUME] = 0.0
    elif (is_set and other_is_set) or (is_volume and other_is_volume):
        found[to.SET_OR_VOLUME] = 1.0


@kernel(types.void(ROWS, ROW, ROW, types.float32[:, ::1], _ROOM))
def _compare(
    rows: PreparedRows, left: npt.NDArray[np.int32], right: npt.NDArray[np.int32], found: Found, room: _Room
) -> None:
    """Write the similarities of pairs of rows into ``found``, shape (pairs, similarities), which is all ``MISSING``.

    The row whose content has the smaller hash comes first, so that the order of the rows does not change a similarity.
    """
    for pair in range(left.shape[0]):
        i, j = left[pair], right[pair]
        if rows.content[j] < rows.content[i]:
            i, j = j, i
        one, other, into = rows.positions[i], rows.positions[j], found[pair]
        _compare_bigrams(rows, one, other, into, room)
        _compare_titles(rows, one, other, into, room)
        _compare_variants(rows, one, other, into, room)
        _find_names(rows, one, other, into, room)
        _compare_names(rows, one, other, into, room)
        _compare_numbers(rows, one, other, into, room)
        _compare_values(rows, one, other, into, room)
        _compare_hosts(rows, one, other, into, room)
        _compare_kinds(rows, one, other, into, room)
