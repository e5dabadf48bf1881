"""Words written letter by letter, romanised, and miswritten.

Each function writes codes into ``out`` from ``at`` on and gives the place behind them.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bibld.dedup.compilation import njit

from .draws import SURNAME, WORD, among, below, chance, draw, inner, key_of, rank
from .lexicon import LISTS, Lexicon
from .profile import FUNCTION_WORDS, NUMBERS, WORD_LETTERS, WORDS, Profile

BLANK = 32
CONSONANTS, VOWELS, CLUSTERS = LISTS["consonants"], LISTS["vowels"], LISTS["clusters"]
ENDINGS, SURNAME_ENDINGS, FUNCTION = LISTS["endings"], LISTS["surname_endings"], LISTS["function"]
KNOWN = 1 << 16
"""The number of words, and of family names, of each script that are spelled beforehand."""
_FREQUENT, _FREQUENT_LETTERS = 150, 7
_RARE = ((1_000, 5), (20_000, 6), (500_000, 8))
"""From this rank on a word has at least this many letters; otherwise there would not be enough words."""
_CLUSTER, _VOWEL_FIRST = 0.2, 0.15
_TOPICAL, _WORDS_OF_TOPIC = 0.35, 80
"""The share of the words of a title that are words of its topic, and how many of those a topic has."""
_LANGUAGE = np.uint64(2009)
"""The words are the same whatever the seed of a catalogue is."""
_FIRST_YEAR, _YEARS = 1900, 120


@inner
def put(out: Any, at: Any, lexicon: Any, text: Any) -> Any:
    """A text of the lexicon."""
    for place in range(lexicon.offsets[text], lexicon.offsets[text + 1]):
        out[at] = lexicon.codes[place]
        at += 1
    return at


@inner
def listed(lexicon: Any, number: Any, script: Any, key: Any, purpose: Any) -> Any:
    """The text of a list that chance picks."""
    first, last = lexicon.starts[2 * number + script], lexicon.starts[2 * number + script + 1]
    return first + among(key, purpose, lexicon.reaches[first:last])


@inner
def put_listed(out: Any, at: Any, lexicon: Any, number: Any, script: Any, key: Any, purpose: Any) -> Any:
    """A text of a list by chance."""
    return put(out, at, lexicon, listed(lexicon, number, script, key, purpose))


@inner
def put_code(out: Any, at: Any, code: Any) -> Any:
    """One character."""
    out[at] = code
    return at + 1


@inner
def put_number(out: Any, at: Any, number: Any) -> Any:
    """A number in digits."""
    unit = np.int64(1)
    while unit * 10 <= number:
        unit *= 10
    while unit > 0:
        out[at] = np.uint32(48 + number // unit % 10)
        at += 1
        unit //= 10
    return at


@inner
def put_stem(out: Any, at: Any, lexicon: Any, script: Any, key: Any, letters: Any) -> Any:
    """Write consonants and vowels in turn, at least a number of letters, with a consonant at the end."""
    begin = at
    turn = 0
    if chance(key, 100) < _VOWEL_FIRST:
        at = put_listed(out, at, lexicon, VOWELS, script, key, 101)
    while True:
        kind = CLUSTERS if chance(key, 110 + turn) < _CLUSTER else CONSONANTS
        at = put_listed(out, at, lexicon, kind, script, key, 130 + turn)
        if at - begin >= letters:
            return at
        at = put_listed(out, at, lexicon, VOWELS, script, key, 150 + turn)
        turn += 1


@inner
def spelled_word(out: Any, at: Any, lexicon: Any, reaches: Any, script: Any, number: Any) -> Any:
    """The word of a rank; ``reaches`` are those of the lengths. Two neighbours in rank are forms of one stem."""
    stem, form = key_of(_LANGUAGE, WORD + 50 * script, number >> 1), key_of(_LANGUAGE, WORD + 51 + script, number)
    letters = 1 + among(stem, 0, reaches)
    if number < _FREQUENT:
        letters = min(letters, _FREQUENT_LETTERS)
    for first, least in _RARE:
        if number >= first:
            letters = max(letters, least)
    ending = listed(lexicon, ENDINGS, script, form, 1)
    rest = letters - (lexicon.offsets[ending + 1] - lexicon.offsets[ending])
    return put(out, put_stem(out, at, lexicon, script, stem, max(rest - 1, 2)), lexicon, ending)


@inner
def spelled_surname(out: Any, at: Any, lexicon: Any, script: Any, number: Any) -> Any:
    """The family name of a rank."""
    key = key_of(_LANGUAGE, SURNAME + 50 * script, number)
    letters = 3 + below(key, 0, 4) + (number >= 500) + (number >= 20_000) + (number >= 500_000)
    at = put_stem(out, at, lexicon, script, key, letters)
    return put_listed(out, at, lexicon, SURNAME_ENDINGS, script, key, 1)


class Vocabulary(NamedTuple):
    """The frequent words and family names, spelled once: entry ``2 * kind + script`` times KNOWN plus the rank."""

    codes: npt.NDArray[np.uint32]
    offsets: npt.NDArray[np.int64]


def vocabulary(lexicon: Lexicon, profile: Profile) -> Vocabulary:
    """Spell the frequent words and family names."""
    return Vocabulary(*_spelled(lexicon, profile.reaches))


@njit(cache=True, nogil=True)
def _spelled(lexicon: Any, reaches: Any) -> Any:
    codes, offsets = np.empty(4 * KNOWN * 64, dtype=np.uint32), np.zeros(4 * KNOWN + 1, dtype=np.int64)
    at = 0
    for entry in range(4 * KNOWN):
        script, number = entry // KNOWN % 2, entry % KNOWN
        if entry < 2 * KNOWN:
            at = spelled_word(codes, at, lexicon, reaches[2 * WORD_LETTERS + script], script, number)
        else:
            at = spelled_surname(codes, at, lexicon, script, number)
        offsets[entry + 1] = at
    return codes[:at].copy(), offsets


@inner
def put_word(out: Any, at: Any, world: Any, script: Any, number: Any) -> Any:
    """The word of a rank."""
    if number < KNOWN:
        return _put_known(out, at, world.vocabulary, script * KNOWN + number)
    return spelled_word(out, at, world.lexicon, world.profile.reaches[2 * WORD_LETTERS + script], script, number)


@inner
def put_surname(out: Any, at: Any, world: Any, script: Any, number: Any) -> Any:
    """The family name of a rank."""
    if number < KNOWN:
        return _put_known(out, at, world.vocabulary, (2 + script) * KNOWN + number)
    return spelled_surname(out, at, world.lexicon, script, number)


@inner
def _put_known(out: Any, at: Any, known: Any, entry: Any) -> Any:
    for place in range(known.offsets[entry], known.offsets[entry + 1]):
        out[at] = known.codes[place]
        at += 1
    return at


@inner
def put_words(out: Any, at: Any, world: Any, script: Any, key: Any, topic: Any, count: Any) -> Any:
    """Write words of a title: words of its topic and of the language, function words between, numbers."""
    law = world.profile.laws[2 * WORDS + script]
    small = world.profile.rates[2 * FUNCTION_WORDS + script]
    # at the ends there are none, so that within they are the more frequent
    small = min(0.5, small * count / max(count - 2, 1))
    was_small = True
    for place in range(count):
        if place:
            at = put_code(out, at, BLANK)
        purpose = 300 + 8 * place
        if 0 < place < count - 1 and not was_small and chance(key, purpose) < small * 1.5:
            at = put_listed(out, at, world.lexicon, FUNCTION, script, key, purpose + 1)
            was_small = True
            continue
        was_small = False
        if place and chance(key, purpose + 2) < world.profile.rates[2 * NUMBERS + script]:
            at = put_number(out, at, _FIRST_YEAR + below(key, purpose + 3, _YEARS))
        elif chance(key, purpose + 4) < _TOPICAL:
            word = draw(topic, below(key, purpose + 5, _WORDS_OF_TOPIC))
            at = put_word(out, at, world, script, rank(word, 0, law))
        else:
            at = put_word(out, at, world, script, rank(key, purpose + 6, law))
    return at


# --- romanised


@inner
def romanise(codes: Any, start: Any, stop: Any, table: Any, lengths: Any, spare: Any, out: Any, at: Any) -> Any:
    """The key of ``bibld.text.romanisation.romanise`` for folded text whose characters the table holds.

    ``table[c, :lengths[c]]`` is what the character c becomes; ``spare`` has room for the result of that.
    """
    end = 0
    for place in range(start, stop):
        code = codes[place]
        for part in range(lengths[code]):
            spare[end] = table[code, part]
            end += 1
    place = 0
    while place < end:
        code = spare[place]
        behind = place + 1
        if code == 105 or code == 107:  # i, k
            while behind < end and spare[behind] == code:
                behind += 1
        after = spare[behind] if behind < end else np.uint32(0)
        if code == 105:
            if not (after == 97 or after == 101 or after == 111 or after == 117):
                at = put_code(out, at, code)
        elif code == 107 and after == 104:
            behind = behind + 1
            at = put_code(out, at, np.uint32(104))
        elif code == 107:
            for _ in range(place, behind):
                at = put_code(out, at, code)
        elif code == 99 and not _is_before_h(spare, behind, end):
            at = put_code(out, put_code(out, at, np.uint32(116)), np.uint32(115))
        else:
            at = put_code(out, at, code)
        place = behind
    return at


@inner
def _is_before_h(codes: Any, place: Any, end: Any) -> Any:
    while place < end and codes[place] == 107:
        place += 1
    return place < end and codes[place] == 104


# --- miswritten


@inner
def misprint(out: Any, start: Any, at: Any, lexicon: Any, script: Any, key: Any) -> Any:
    """A letter is left out, doubled, swapped with the next, or another."""
    if at - start < 4:
        return at
    place = start + 1 + below(key, 0, at - start - 2)
    if out[place] == BLANK or out[place + 1] == BLANK:
        return at
    kind = below(key, 1, 4)
    if kind == 0:
        return remove(out, place, place + 1, at)
    if kind == 1:
        for other in range(at, place, -1):
            out[other] = out[other - 1]
        return at + 1
    if kind == 2:
        out[place], out[place + 1] = out[place + 1], out[place]
    else:
        out[place] = lexicon.codes[lexicon.offsets[listed(lexicon, VOWELS, script, key, 2)]]
    return at


@inner
def remove(out: Any, first: Any, last: Any, at: Any) -> Any:
    """Without the characters from first to last."""
    for place in range(last, at):
        out[place - last + first] = out[place]
    return at - (last - first)


@inner
def without_word(out: Any, start: Any, at: Any, key: Any) -> Any:
    """A word other than the first is left out."""
    first = start + below(key, 0, max(at - start, 1))
    while first > start and out[first - 1] != BLANK:
        first -= 1
    last = first
    while last < at and out[last] != BLANK:
        last += 1
    return remove(out, first - 1, last, at) if first > start else at


@inner
def divided_otherwise(out: Any, start: Any, at: Any, key: Any) -> Any:
    """Two words are written as one, or a long one as two."""
    place = start + 3 + below(key, 0, max(at - start - 6, 1))
    for other in range(place, at):
        if out[other] == BLANK:
            return remove(out, other, other + 1, at)
    if at - start < 8 or out[place - 1] == BLANK:
        return at
    for other in range(at, place, -1):
        out[other] = out[other - 1]
    out[place] = np.uint32(BLANK)
    return at + 1


@inner
def cut(out: Any, start: Any, at: Any, words: Any) -> Any:
    """Cut a text after a number of words."""
    for place in range(start, at):
        if out[place] == BLANK:
            words -= 1
            if words == 0:
                return place
    return at
