"""Compiled comparisons of two texts: how far they are apart, and how far one abbreviates the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bibld.dedup._compiling import njit
from bibld.dedup.match._words import Bags, Grams, Words

if TYPE_CHECKING:
    import numpy.typing as npt

_LONGEST = 64
_INITIAL = 3
_FUZZY = 0.75
_ACRONYM = 0.9
MISSING = -1.0


@njit(cache=True, nogil=True)
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

    Edits are counted by the bit-parallel algorithm of Myers (1999). Characters meet where their codes agree in the last
    eight bits, which is exact within a script.
    """
    length, other_length = min(end - start, _LONGEST), min(other_end - other_start, _LONGEST)
    if length == 0 or other_length == 0:
        return 0.0
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
    return 1.0 - edits / max(length, other_length)


@njit(cache=True, nogil=True)
def jaccard(held: Grams, column: int, left: int, other: int, right: int) -> float:
    """Jaccard similarity of the sets of a row in one column and of a row in another; ``MISSING`` where one is empty."""
    i, i_end = held.first[column, left], held.first[column, left + 1]
    j, j_end = held.first[other, right], held.first[other, right + 1]
    if i == i_end or j == j_end:
        return MISSING
    total = (i_end - i) + (j_end - j)
    shared = 0
    while i < i_end and j < j_end:
        one, two = held.value[i], held.value[j]
        shared += one == two
        i += one <= two
        j += two <= one
    return float(shared / (total - shared))


@njit(cache=True, nogil=True)
def overlap(
    held: Bags, column: int, left: int, right: int, apart: npt.NDArray[np.int64]
) -> tuple[float, float, float, float]:
    """Of two bags of words the weight shared, the weight of each, and how their numbers agree.

    A word that the other side cuts short is shared, with the weight of the one that weighs less. Numbers: 1 all, 0.75
    one side has more, 0.5 one side has none, 0.25 each side has others beside those shared, 0 all differ, ``MISSING``
    where neither has any. ``apart`` (2, n) is room for the words that one side has alone; any after n stay apart.
    """
    i, i_end = held.first[column, left], held.first[column, left + 1]
    j, j_end = held.first[column, right], held.first[column, right + 1]
    shared = weight = other = 0.0
    numbers = other_numbers = shared_numbers = alone = other_alone = 0
    while i < i_end or j < j_end:
        if j == j_end or (i < i_end and held.hash[i] < held.hash[j]):
            weight += held.weight[i]
            numbers += held.number[i]
            if not held.number[i] and alone < apart.shape[1]:
                apart[0, alone] = i
                alone += 1
            i += 1
        elif i == i_end or held.hash[j] < held.hash[i]:
            other += held.weight[j]
            other_numbers += held.number[j]
            if not held.number[j] and other_alone < apart.shape[1]:
                apart[1, other_alone] = j
                other_alone += 1
            j += 1
        else:
            shared += held.weight[i]
            shared_numbers += held.number[i]
            i += 1
            j += 1
    for one in range(alone):
        for two in range(other_alone):
            i, j = apart[0, one], apart[1, two]
            if j >= 0 and _cuts_short(held, i, j):
                both = min(held.weight[i], held.weight[j])
                shared, weight, other = shared + both, weight - held.weight[i], other - held.weight[j]
                apart[1, two] = -1
                break
    return shared, shared + weight, shared + other, _agreement(shared_numbers, numbers, other_numbers)


@njit(cache=True, nogil=True)
def _agreement(shared: int, one: int, other: int) -> float:
    """How the numbers of two titles agree, by how many they share and how many each has beside."""
    if shared:
        if one == 0 and other == 0:
            return 1.0
        return 0.25 if one and other else 0.75
    if one == 0 and other == 0:
        return MISSING
    return 0.5 if one == 0 or other == 0 else 0.0


@njit(cache=True, nogil=True)
def _cuts_short(held: Bags, word: int, other: int) -> bool:
    """Whether one of two words of at least three characters is the beginning of the other."""
    start, other_start = held.start[word], held.start[other]
    shorter = min(held.end[word] - start, held.end[other] - other_start)
    if shorter < _INITIAL:
        return False
    same = 0
    while same < shorter and held.codes[start + same] == held.codes[other_start + same]:
        same += 1
    return bool(same == shorter)


@njit(cache=True, nogil=True)
def is_beginning(held: Words, word: int, other: int) -> bool:
    """Whether one of two words is the beginning of the other."""
    start, other_start = held.start[word], held.start[other]
    for i in range(min(held.end[word] - start, held.end[other] - other_start)):
        if held.codes[start + i] != held.codes[other_start + i]:
            return False
    return True


@njit(cache=True, nogil=True)
def abbreviated(held: Words, begin: int, end: int, other_begin: int, other_end: int) -> float:
    """How far two runs of words say the same, where a word may be cut short: the share of the weight that meets."""
    met = total = 0.0
    for word in range(begin, end):
        total += held.weight[word]
        for other in range(other_begin, other_end):
            if held.hash[word] == held.hash[other] or is_beginning(held, word, other):
                met += held.weight[word]
                break
    for word in range(other_begin, other_end):
        total += held.weight[word]
        for other in range(begin, end):
            if held.hash[word] == held.hash[other] or is_beginning(held, word, other):
                met += held.weight[word]
                break
    return met / total if total > 0 else 0.0


@njit(cache=True, nogil=True)
def value_end(held: Words, begin: int, end: int) -> int:
    """Where the value that begins with this word ends."""
    position = begin
    while position < end and held.value[position] == held.value[begin]:
        position += 1
    return position


@njit(cache=True, nogil=True)
def closest(held: Words, column: int, left: int, right: int) -> float:
    """:func:`abbreviated` of the values of two rows that are most alike; ``MISSING`` where a row has none."""
    begin, end = held.first[column, left], held.first[column, left + 1]
    other_first, other_end = held.first[column, right], held.first[column, right + 1]
    if begin == end or other_first == other_end:
        return MISSING
    best = 0.0
    while begin < end and best < 1.0:
        stop = value_end(held, begin, end)
        other = other_first
        while other < other_end:
            other_stop = value_end(held, other, other_end)
            best = max(best, abbreviated(held, begin, stop, other, other_stop))
            if is_acronym(held, begin, stop, other, other_stop) or is_acronym(held, other, other_stop, begin, stop):
                best = max(best, _ACRONYM)
            other = other_stop
        begin = stop
    return best


@njit(cache=True, nogil=True)
def is_acronym(held: Words, begin: int, end: int, other_begin: int, other_end: int) -> bool:
    """Whether a run of one word is the first letters of another run; words of one or two letters may lack theirs."""
    if end - begin != 1:
        return False
    letter, last = held.start[begin], held.end[begin]
    if last - letter < _INITIAL or other_end - other_begin < last - letter:
        return False
    for other in range(other_begin, other_end):
        if letter < last and held.codes[letter] == held.codes[held.start[other]]:
            letter += 1
        elif held.end[other] - held.start[other] >= _INITIAL:
            return False
    return bool(letter == last)


@njit(cache=True, nogil=True)
def same_words(held: Words, column: int, left: int, right: int) -> float:
    """1 where two rows have a word in common, 0 where they have none, ``MISSING`` where a row has no words."""
    if (
        held.first[column, left] == held.first[column, left + 1]
        or held.first[column, right] == held.first[column, right + 1]
    ):
        return MISSING
    for word in range(held.first[column, left], held.first[column, left + 1]):
        for other in range(held.first[column, right], held.first[column, right + 1]):
            if held.hash[word] == held.hash[other]:
                return 1.0
    return 0.0


@njit(cache=True, nogil=True)
def same_name(
    held: Words, begin: int, end: int, other_begin: int, other_end: int, masks: npt.NDArray[np.uint64]
) -> float:
    """How far two names can be one: family name first, then given names or their initials.

    1 equal; 0.95 initials fit; 0.9 given names are missing on one side; less for spellings that differ; 0.5 a later
    given name differs; 0.25 the first does; 0 for another family name. Names of bodies are compared as words.
    """
    result = _like_word(held, begin, other_begin, masks)
    if result == 0.0:
        if end - begin == 1 or other_end - other_begin == 1:
            return 0.0
        share = abbreviated(held, begin, end, other_begin, other_end)
        return share * 0.8 if share > 0.6 else 0.0
    given, other_given = end - begin - 1, other_end - other_begin - 1
    if given == 0 or other_given == 0:
        return result if given == other_given else 0.9 * result
    exact = given == other_given
    for i in range(1, min(given, other_given) + 1):
        word, other = begin + i, other_begin + i
        if held.hash[word] == held.hash[other]:
            continue
        exact = False
        short = min(held.end[word] - held.start[word], held.end[other] - held.start[other])
        if short <= _INITIAL and is_beginning(held, word, other):
            continue
        near = _like_word(held, word, other, masks)
        if near == 0.0:
            return result * (0.25 if i == 1 else 0.5)
        result *= near
    return result if exact else 0.95 * result


@njit(cache=True, nogil=True)
def _like_word(held: Words, word: int, other: int, masks: npt.NDArray[np.uint64]) -> float:
    """The likeness of two words, 0 below three quarters, or where both their first and their last letters differ."""
    if held.hash[word] == held.hash[other]:
        return 1.0
    length, other_length = held.end[word] - held.start[word], held.end[other] - held.start[other]
    if min(length, other_length) < _FUZZY * max(length, other_length):
        return 0.0
    start, other_start = held.start[word], held.start[other]
    if (
        held.codes[start] != held.codes[other_start]
        and held.codes[start + length - 1] != held.codes[other_start + other_length - 1]
    ):
        return 0.0
    near = likeness(held.codes, held.start[word], held.end[word], held.codes, held.start[other], held.end[other], masks)
    return near if near >= _FUZZY else 0.0


@njit(cache=True, nogil=True)
def holds(held: Bags, column: int, row: int, word: np.uint64) -> bool:
    """Whether a word stands in a row."""
    low, high = held.first[column, row], held.first[column, row + 1]
    while low < high:
        middle = (low + high) // 2
        if held.hash[middle] < word:
            low = middle + 1
        else:
            high = middle
    return bool(low < held.first[column, row + 1] and held.hash[low] == word)
