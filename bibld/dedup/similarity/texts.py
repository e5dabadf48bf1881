"""Compiled comparisons of two texts, words, names or sets of values.

The words of a text are those of a :class:`~bibld.dedup.similarity.rows.Rows` from ``begin`` to ``end``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bibld.dedup.compilation import CODES, MISSING, inner, kernel, results, types
from bibld.dedup.similarity.rows import TEXT, WORDS

if TYPE_CHECKING:
    import numpy.typing as npt

    Words = npt.NDArray[Any]
    Text = npt.NDArray[np.uint32]
    Masks = npt.NDArray[np.uint64]

_MAX_CHARACTERS = 64
_INITIAL = 3
_MIN_MISPRINTED_LETTERS, _MISPRINT = 5, 0.8
_MIN_STEM_LETTERS, _MAX_ENDING_LETTERS = 4, 2
_FUZZY = 0.75
_ACRONYM = 0.9
_SECOND_FAMILY_NAME = 0.95
_ZERO, _NINE, _EQUALS = 48, 57, 61
_A, _C, _E, _F, _H, _I, _O, _P, _S, _T, _U = (ord(letter) for letter in "acefhiopstu")

_INT, _SHARE = types.int64, types.float64
MASKS, UNPAIRED = types.uint64[::1], types.int64[:, ::1]
_TWO_TEXTS = WORDS, TEXT, _INT, _INT, _INT, _INT


@kernel(_SHARE(CODES, _INT, _INT, CODES, _INT, _INT, MASKS))
def edit_similarity(
    codes: Text, start: int, end: int, other_codes: Text, other_start: int, other_end: int, masks: Masks
) -> float:
    """Return 1 less the edits per character of the longer of two texts, of which the first 64 characters count.

    The common beginning is left out, which does not change the number of edits. Edits are counted by the bit-parallel
    algorithm of Myers (1999). Characters are equal if their codes agree in the last eight bits, which is exact within a
    script. ``masks`` (256,) is zero before and after.
    """
    length, other_length = min(end - start, _MAX_CHARACTERS), min(other_end - other_start, _MAX_CHARACTERS)
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


@inner(types.boolean(WORDS, TEXT, _INT, _INT))
def is_beginning(words: Words, texts: Text, word: int, other: int) -> bool:
    """Return whether one of two words is the beginning of the other."""
    one, two = words[word], words[other]
    if one.head != two.head or (one.next != two.next and one.next != 0 and two.next != 0):
        return False
    same, shorter = 0, min(one.length, two.length)
    while same < shorter and texts[one.start + same] == texts[two.start + same]:
        same += 1
    return bool(same == shorter)


@inner(types.boolean(WORDS, TEXT, _INT, _INT))
def is_misprint(words: Words, texts: Text, word: int, other: int) -> bool:
    """Return whether two words of at least five letters differ in one letter, or in two that are exchanged."""
    start, length, other_start, other_length = (
        words[word].start, words[word].length, words[other].start, words[other].length
    )  # fmt: skip
    shorter, longer = min(length, other_length), max(length, other_length)
    if shorter < _MIN_MISPRINTED_LETTERS or longer > shorter + 1:
        return False
    first = last = 0
    while first < shorter and texts[start + first] == texts[other_start + first]:
        first += 1
    while last < shorter - first and texts[start + length - 1 - last] == texts[other_start + other_length - 1 - last]:
        last += 1
    if first + last >= longer - 1:
        return True
    is_exchanged = texts[start + first] == texts[other_start + first + 1]
    is_exchanged &= texts[start + first + 1] == texts[other_start + first]
    return bool(is_exchanged and shorter == longer == first + last + 2)


@inner(results(_SHARE, _SHARE, _SHARE, _SHARE)(*_TWO_TEXTS, UNPAIRED))
def overlap(  # noqa: C901 - one compiled loop
    words: Words, texts: Text, i: int, i_end: int, j: int, j_end: int, unpaired: npt.NDArray[np.int64]
) -> tuple[float, float, float, float]:
    """Return the weight that two sets of words share, the weight of each, and how their numbers agree.

    The words ascend by hash. A word that the other side abbreviates to at least three characters is shared, with the
    weight of the one that weighs less; a word with a misprint counts four fifths of that. A number is a word that
    begins with a digit: 1 all agree, 0.75 one side has more, 0.5 one side has none, 0.25 each side has others beside
    those shared, 0 all differ, ``MISSING`` where neither has any. ``unpaired`` (2, n) is room for the words that only
    one side has; those after the first n are never abbreviations.
    """
    shared, numbers = 0.0, 0
    weight, other_weight = 0.0, 0.0
    own_numbers, other_numbers, own_words, other_words = 0, 0, 0, 0
    while i < i_end or j < j_end:
        if j == j_end or (i < i_end and words[i].hash < words[j].hash):
            weight += words[i].weight
            if _ZERO <= words[i].head <= _NINE:
                own_numbers += 1
            elif own_words < unpaired.shape[1]:
                unpaired[0, own_words] = i
                own_words += 1
            i += 1
        elif i == i_end or words[j].hash < words[i].hash:
            other_weight += words[j].weight
            if _ZERO <= words[j].head <= _NINE:
                other_numbers += 1
            elif other_words < unpaired.shape[1]:
                unpaired[1, other_words] = j
                other_words += 1
            j += 1
        else:
            shared += words[i].weight
            numbers += _ZERO <= words[i].head <= _NINE
            i, j = i + 1, j + 1
    for one in range(own_words):
        for two in range(other_words):
            i, j = unpaired[0, one], unpaired[1, two]
            if j < 0 or words[i].head != words[j].head or min(words[i].length, words[j].length) < _INITIAL:
                continue
            share = 1.0 if is_beginning(words, texts, i, j) else _MISPRINT * is_misprint(words, texts, i, j)
            if share > 0.0:
                shared += share * min(words[i].weight, words[j].weight)
                weight, other_weight = weight - share * words[i].weight, other_weight - share * words[j].weight
                unpaired[1, two] = -1
                break
    agreement = MISSING
    if numbers:
        agreement = 0.25 if own_numbers and other_numbers else (0.75 if own_numbers or other_numbers else 1.0)
    elif own_numbers or other_numbers:
        agreement = 0.0 if own_numbers and other_numbers else 0.5
    return shared, shared + weight, shared + other_weight, agreement


@inner(_SHARE(*_TWO_TEXTS))
def common_weight(words: Words, texts: Text, begin: int, end: int, other_begin: int, other_end: int) -> float:
    """Return the share of the weight of two texts that is of words that are equal or abbreviate one of the other."""
    common = total = 0.0
    for _ in range(2):
        for word in range(begin, end):
            total += words[word].weight
            for other in range(other_begin, other_end):
                if words[word].hash == words[other].hash or is_beginning(words, texts, word, other):
                    common += words[word].weight
                    break
        begin, end, other_begin, other_end = other_begin, other_end, begin, end
    return common / total if total > 0 else 0.0


@inner(_INT(WORDS, _INT, _INT))
def end_of_value(words: Words, begin: int, end: int) -> int:
    """Return where the value that begins with this word ends."""
    position = begin
    while position < end and words[position].value == words[begin].value:
        position += 1
    return position


@inner(results(_INT, types.boolean)(WORDS, _INT, _INT))
def end_of_name(words: Words, begin: int, end: int) -> tuple[int, bool]:
    """Return where the name that begins with this word ends, and whether it is another form of the name before, which
    the word ``=`` after it states."""
    position = end_of_value(words, begin, end)
    is_form = words[position - 1].head == _EQUALS and position - begin > 1
    return position - is_form, is_form


@inner(types.boolean(*_TWO_TEXTS))
def _is_acronym(words: Words, texts: Text, begin: int, end: int, other_begin: int, other_end: int) -> bool:
    """Return whether a text of one word is the first letters of another text, where short words may be skipped."""
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


@inner(_SHARE(*_TWO_TEXTS))
def most_similar_values(words: Words, texts: Text, begin: int, end: int, other_first: int, other_end: int) -> float:
    """Return :func:`common_weight` of the most similar values of two rows, 0.9 for an acronym; or ``MISSING``."""
    if begin == end or other_first == other_end:
        return MISSING
    best = 0.0
    while begin < end and best < 1.0:
        stop = end_of_value(words, begin, end)
        other = other_first
        while other < other_end:
            other_stop = end_of_value(words, other, other_end)
            best = max(best, common_weight(words, texts, begin, stop, other, other_stop))
            if best < _ACRONYM and (
                _is_acronym(words, texts, begin, stop, other, other_stop)
                or _is_acronym(words, texts, other, other_stop, begin, stop)
            ):
                best = _ACRONYM
            other = other_stop
        begin = stop
    return best


@inner(_SHARE(WORDS, TEXT, _INT, _INT, MASKS))
def _word_similarity(words: Words, texts: Text, word: int, other: int, masks: Masks) -> float:
    """Return the similarity of two words, 0 below three quarters or if both first and last letters differ."""
    if words[word].hash == words[other].hash:
        return 1.0
    length, other_length = words[word].length, words[other].length
    if min(length, other_length) < _FUZZY * max(length, other_length):
        return 0.0
    start, other_start = words[word].start, words[other].start
    if texts[start] != texts[other_start] and texts[start + length - 1] != texts[other_start + other_length - 1]:
        return 0.0
    similarity = edit_similarity(texts, start, start + length, texts, other_start, other_start + other_length, masks)
    return similarity if similarity >= _FUZZY else 0.0


@inner(_SHARE(*_TWO_TEXTS, MASKS))
def name_similarity(
    words: Words, texts: Text, begin: int, end: int, other_begin: int, other_end: int, masks: Masks
) -> float:
    """Return how likely two names are the same: family name first, then given names or their initials.

    1 equal; 0.95 initials fit; 0.9 given names, or a second family name, are missing on one side; less for spellings
    that differ; 0.5 a later given name differs; 0.25 the first does; 0 for another family name. Names of bodies are
    compared as words.
    """
    result = _word_similarity(words, texts, begin, other_begin, masks)
    if result == 0.0:
        if end - begin == 1 or other_end - other_begin == 1:
            return 0.0
        share = common_weight(words, texts, begin, end, other_begin, other_end)
        return share * 0.8 if share > 0.6 else 0.0
    given, other_given = end - begin - 1, other_end - other_begin - 1
    if given == 0 or other_given == 0:
        return result if given == other_given else 0.9 * result
    share = _given_names(words, texts, begin + 1, end, other_begin + 1, other_end, masks)
    if share < _FUZZY and given != other_given:
        # A second family name on one side: its given names follow one word later.
        begin, other_begin = begin + (given > other_given), other_begin + (other_given > given)
        skipped, fewer = begin if given > other_given else other_begin, min(given, other_given)
        is_one = fewer == 1 and words[begin + 1].hash == words[other_begin + 1].hash
        if words[skipped].length > _INITIAL and (fewer > 1 or (is_one and words[begin + 1].length > _INITIAL)):
            second = _given_names(words, texts, begin + 1, end, other_begin + 1, other_end, masks)
            share = max(share, _SECOND_FAMILY_NAME * second)
    return result * share


@inner(types.boolean(WORDS, _INT, _INT))
def _is_initial_of(words: Words, word: int, other: int) -> bool:
    """Return whether a word is the initial of another one that is romanised to other letters than the initial alone:
    J. (``i``) of John (``ohn``), C. (``ts``) of Charles, P. of Philip (``filip``)."""
    initial, name = words[word], words[other]
    if initial.length == 1:
        if initial.head == _I:
            return bool(name.head == _A or name.head == _E or name.head == _O or name.head == _U)
        return bool(initial.head == _P and name.head == _F)
    is_c = initial.length == 2 and initial.head == _T and initial.next == _S
    return bool(is_c and name.head == _C and name.next == _H)


@inner(_SHARE(*_TWO_TEXTS, MASKS))
def _given_names(
    words: Words, texts: Text, begin: int, end: int, other_begin: int, other_end: int, masks: Masks
) -> float:
    """Return how likely the given names of two persons, or their initials, are the same."""
    given, other_given = end - begin, other_end - other_begin
    result, is_exact = 1.0, given == other_given
    for i in range(min(given, other_given)):
        word, other = begin + i, other_begin + i
        if words[word].hash == words[other].hash:
            continue
        is_exact = False
        if min(words[word].length, words[other].length) <= _INITIAL and is_beginning(words, texts, word, other):
            continue
        if _is_initial_of(words, word, other) or _is_initial_of(words, other, word):
            continue
        similarity = _word_similarity(words, texts, word, other, masks)
        if similarity == 0.0:
            return result * (0.25 if i == 0 else 0.5)
        result *= similarity
    return result if is_exact else 0.95 * result


@inner(types.boolean(WORDS, TEXT, _INT, _INT, _INT))
def has_inflection(words: Words, texts: Text, low: int, high: int, name: int) -> bool:
    """Return whether one of some words is a name with another ending of at most two letters more or less."""
    start, length = words[name].start, words[name].length
    for position in range(low, high):
        other_start, other_length = words[position].start, words[position].length
        shorter = min(length, other_length)
        if max(length, other_length) > shorter + _MAX_ENDING_LETTERS or words[position].head != words[name].head:
            continue
        same = 0
        while same < shorter and texts[start + same] == texts[other_start + same]:
            same += 1
        if same >= max(_MIN_STEM_LETTERS, length - _MAX_ENDING_LETTERS):
            return True
    return False


@inner(types.boolean(WORDS, _INT, _INT, types.uint64))
def has_word(words: Words, low: int, high: int, word: np.uint64) -> bool:
    """Return whether a word is in a set of words, ascending by hash."""
    end = high
    while low < high:
        middle = (low + high) // 2
        if words[middle].hash < word:
            low = middle + 1
        else:
            high = middle
    return bool(low < end and words[low].hash == word)
