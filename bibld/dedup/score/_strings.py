"""Compiled comparisons of two texts: how far they are apart, and how far one abbreviates the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import types

from bibld.dedup.compilation import CODES, MISSING, inner, kernel, results
from bibld.dedup.score._words import TEXT, WORDS

if TYPE_CHECKING:
    import numpy.typing as npt

    Words = npt.NDArray[Any]
    Text = npt.NDArray[np.uint32]

_LONGEST = 64
_INITIAL = 3
_FUZZY = 0.75
_ACRONYM = 0.9
_ZERO, _NINE = 48, 57

_INT, _SHARE = types.int64, types.float64
_MASKS = types.uint64[::1]
_APART = types.int64[:, ::1]
_TWO_WORDS = _SHARE(WORDS, TEXT, _INT, _INT, _MASKS)
_TWO_COLUMNS = _SHARE(WORDS, TEXT, _INT, _INT, _INT, _INT)


@kernel(_SHARE(CODES, _INT, _INT, CODES, _INT, _INT, _MASKS))
def likeness(
    codes: npt.NDArray[np.uint32],
    start: int,
    end: int,
    other_codes: npt.NDArray[np.uint32],
    other_start: int,
    other_end: int,
    masks: npt.NDArray[np.uint64],
) -> float:
    """1 less the edits per character of the longer of two texts, of which the first 64 characters count.

    The beginning that both have is left out, which changes no number of edits. Edits are counted by the bit-parallel
    algorithm of Myers (1999). Characters meet where their codes agree in the last eight bits, which is exact within a
    script.
    """
    length, other_length = min(end - start, _LONGEST), min(other_end - other_start, _LONGEST)
    if length == 0 or other_length == 0:
        return 0.0
    longer = max(length, other_length)
    while length > 0 and other_length > 0 and codes[start] == other_codes[other_start]:
        start, other_start, length, other_length = start + 1, other_start + 1, length - 1, other_length - 1
    if length == 0 or other_length == 0:
        return 1.0 - max(length, other_length) / longer
    one = np.uint64(1)
    for i in range(length):
        masks[codes[start + i] & np.uint32(255)] |= one << np.uint64(i)
    positive, negative = ~np.uint64(0), np.uint64(0)
    last = one << np.uint64(length - 1)
    edits = length
    for i in range(other_length):
        equal = masks[other_codes[other_start + i] & np.uint32(255)]
        vertical = equal | negative
        horizontal = (((equal & positive) + positive) ^ positive) | equal
        up = negative | ~(horizontal | positive)
        down = positive & horizontal
        if up & last:
            edits += 1
        elif down & last:
            edits -= 1
        up = (up << one) | one
        down = down << one
        positive = down | ~(vertical | up)
        negative = up & vertical
    for i in range(length):
        masks[codes[start + i] & np.uint32(255)] = np.uint64(0)
    return 1.0 - edits / longer


@inner(types.boolean(WORDS, _INT))
def _is_number(words: Words, word: int) -> bool:
    return bool(_ZERO <= words[word].head <= _NINE)


@inner(types.boolean(WORDS, TEXT, _INT, _INT))
def is_beginning(words: Words, texts: Text, word: int, other: int) -> bool:
    """Whether one of two words is the beginning of the other."""
    one, two = words[word], words[other]
    if one.head != two.head or (one.next != two.next and one.next != 0 and two.next != 0):
        return False
    same, shorter = 0, min(one.length, two.length)
    while same < shorter and texts[one.start + same] == texts[two.start + same]:
        same += 1
    return bool(same == shorter)


@inner(types.boolean(WORDS, TEXT, _INT, _INT))
def _cuts_short(words: Words, texts: Text, word: int, other: int) -> bool:
    """Whether one of two words of at least three characters is the beginning of the other."""
    shorter = min(words[word].length, words[other].length)
    return bool(shorter >= _INITIAL and is_beginning(words, texts, word, other))


@inner(_SHARE(_INT, _INT, _INT))
def _agreement(shared: int, one: int, other: int) -> float:
    """How the numbers of two titles agree, by how many they share and how many each has beside."""
    if shared:
        if one == 0 and other == 0:
            return 1.0
        return 0.25 if one and other else 0.75
    if one == 0 and other == 0:
        return MISSING
    return 0.5 if one == 0 or other == 0 else 0.0


@inner(results(_SHARE, _SHARE, _SHARE, _SHARE)(WORDS, TEXT, _INT, _INT, _INT, _INT, _APART))
def overlap(
    words: Words, texts: Text, i: int, i_end: int, j: int, j_end: int, apart: npt.NDArray[np.int64]
) -> tuple[float, float, float, float]:
    """Of two bags of words the weight shared, the weight of each, and how their numbers agree.

    A word that the other side cuts short is shared, with the weight of the one that weighs less. A number is a word
    that begins with a digit: 1 all agree, 0.75 one side has more, 0.5 one side has none, 0.25 each side has others
    beside those shared, 0 all differ, ``MISSING`` where neither has any. ``apart`` (2, n) is room for the words that
    one side has alone; any after n stay apart.
    """
    shared = weight = other = 0.0
    numbers = other_numbers = shared_numbers = alone = other_alone = 0
    while i < i_end or j < j_end:
        if j == j_end or (i < i_end and words[i].hash < words[j].hash):
            weight += words[i].weight
            if _is_number(words, i):
                numbers += 1
            elif alone < apart.shape[1]:
                apart[0, alone] = i
                alone += 1
            i += 1
        elif i == i_end or words[j].hash < words[i].hash:
            other += words[j].weight
            if _is_number(words, j):
                other_numbers += 1
            elif other_alone < apart.shape[1]:
                apart[1, other_alone] = j
                other_alone += 1
            j += 1
        else:
            shared += words[i].weight
            shared_numbers += _is_number(words, i)
            i += 1
            j += 1
    for one in range(alone):
        for two in range(other_alone):
            i, j = apart[0, one], apart[1, two]
            if j >= 0 and words[i].head == words[j].head and _cuts_short(words, texts, i, j):
                both = min(words[i].weight, words[j].weight)
                shared, weight, other = shared + both, weight - words[i].weight, other - words[j].weight
                apart[1, two] = -1
                break
    return shared, shared + weight, shared + other, _agreement(shared_numbers, numbers, other_numbers)


@inner(_TWO_COLUMNS)
def abbreviated(words: Words, texts: Text, begin: int, end: int, other_begin: int, other_end: int) -> float:
    """How far two runs of words say the same, where a word may be cut short: the share of the weight that meets."""
    met = total = 0.0
    for _ in range(2):
        for word in range(begin, end):
            total += words[word].weight
            for other in range(other_begin, other_end):
                if words[word].hash == words[other].hash or is_beginning(words, texts, word, other):
                    met += words[word].weight
                    break
        begin, end, other_begin, other_end = other_begin, other_end, begin, end
    return met / total if total > 0 else 0.0


@inner(_INT(WORDS, _INT, _INT))
def value_end(words: Words, begin: int, end: int) -> int:
    """Where the value that begins with this word ends."""
    position = begin
    while position < end and words[position].value == words[begin].value:
        position += 1
    return position


@inner(types.boolean(WORDS, TEXT, _INT, _INT, _INT, _INT))
def is_acronym(words: Words, texts: Text, begin: int, end: int, other_begin: int, other_end: int) -> bool:
    """Whether a run of one word is the first letters of another run; words of one or two letters may lack theirs."""
    if end - begin != 1:
        return False
    letter, last = words[begin].start, words[begin].start + words[begin].length
    if last - letter < _INITIAL or other_end - other_begin < last - letter:
        return False
    for other in range(other_begin, other_end):
        if letter < last and texts[letter] == texts[words[other].start]:
            letter += 1
        elif words[other].length >= _INITIAL:
            return False
    return bool(letter == last)


@inner(_TWO_COLUMNS)
def closest(words: Words, texts: Text, begin: int, end: int, other_first: int, other_end: int) -> float:
    """:func:`abbreviated` of the values of two rows that are most alike; ``MISSING`` where a row has none."""
    if begin == end or other_first == other_end:
        return MISSING
    best = 0.0
    while begin < end and best < 1.0:
        stop = value_end(words, begin, end)
        other = other_first
        while other < other_end:
            other_stop = value_end(words, other, other_end)
            best = max(best, abbreviated(words, texts, begin, stop, other, other_stop))
            if best < _ACRONYM and (
                is_acronym(words, texts, begin, stop, other, other_stop)
                or is_acronym(words, texts, other, other_stop, begin, stop)
            ):
                best = _ACRONYM
            other = other_stop
        begin = stop
    return best


@inner(_SHARE(WORDS, _INT, _INT, _INT, _INT))
def same_words(words: Words, begin: int, end: int, other_begin: int, other_end: int) -> float:
    """1 where two rows have a word in common, 0 where they have none, ``MISSING`` where a row has no words."""
    if begin == end or other_begin == other_end:
        return MISSING
    for word in range(begin, end):
        for other in range(other_begin, other_end):
            if words[word].hash == words[other].hash:
                return 1.0
    return 0.0


@inner(_TWO_WORDS)
def _like_word(words: Words, texts: Text, word: int, other: int, masks: npt.NDArray[np.uint64]) -> float:
    """The likeness of two words, 0 below three quarters, or where both their first and their last letters differ."""
    if words[word].hash == words[other].hash:
        return 1.0
    length, other_length = words[word].length, words[other].length
    if min(length, other_length) < _FUZZY * max(length, other_length):
        return 0.0
    start, other_start = words[word].start, words[other].start
    if texts[start] != texts[other_start] and texts[start + length - 1] != texts[other_start + other_length - 1]:
        return 0.0
    near = likeness(texts, start, start + length, texts, other_start, other_start + other_length, masks)
    return near if near >= _FUZZY else 0.0


@inner(_SHARE(WORDS, TEXT, _INT, _INT, _INT, _INT, _MASKS))
def same_name(
    words: Words, texts: Text, begin: int, end: int, other_begin: int, other_end: int, masks: npt.NDArray[np.uint64]
) -> float:
    """How far two names can be one: family name first, then given names or their initials.

    1 equal; 0.95 initials fit; 0.9 given names are missing on one side; less for spellings that differ; 0.5 a later
    given name differs; 0.25 the first does; 0 for another family name. Names of bodies are compared as words.
    """
    result = _like_word(words, texts, begin, other_begin, masks)
    if result == 0.0:
        if end - begin == 1 or other_end - other_begin == 1:
            return 0.0
        share = abbreviated(words, texts, begin, end, other_begin, other_end)
        return share * 0.8 if share > 0.6 else 0.0
    given, other_given = end - begin - 1, other_end - other_begin - 1
    if given == 0 or other_given == 0:
        return result if given == other_given else 0.9 * result
    exact = given == other_given
    for i in range(1, min(given, other_given) + 1):
        word, other = begin + i, other_begin + i
        if words[word].hash == words[other].hash:
            continue
        exact = False
        short = min(words[word].length, words[other].length)
        if short <= _INITIAL and is_beginning(words, texts, word, other):
            continue
        near = _like_word(words, texts, word, other, masks)
        if near == 0.0:
            return result * (0.25 if i == 1 else 0.5)
        result *= near
    return result if exact else 0.95 * result


@inner(types.boolean(WORDS, _INT, _INT, types.uint64))
def holds(words: Words, low: int, high: int, word: np.uint64) -> bool:
    """Whether a word stands in a bag of words."""
    end = high
    while low < high:
        middle = (low + high) // 2
        if words[middle].hash < word:
            low = middle + 1
        else:
            high = middle
    return bool(low < end and words[low].hash == word)


@inner(types.boolean(WORDS, _INT, _INT, _INT))
def is_same_run(words: Words, begin: int, other: int, length: int) -> bool:
    """Whether as many words are equal from two places on."""
    same = 0
    while same < length and words[begin + same].hash == words[other + same].hash:
        same += 1
    return same == length
