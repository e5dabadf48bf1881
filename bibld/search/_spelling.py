"""Misspelt words: which words of the release they may stand for. All is read from the full-text index itself.

Words at a distance of one edit are made and looked up. A word at a distance of two has a beginning at a distance of at
most one, unless both misprints are in it: words with such beginnings are read and compared.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from bibld.search._index import TEXT_FIELDS
from bibld.search._reader import IndexReader

_MIN_LETTERS, _MAX_LETTERS = 4, 24
_SHORT_WORD = 5
"""Letters of a word in which only one misprint is looked for."""

_BEGINNING, _LONG_BEGINNING, _LONG_WORD = 4, 5, 10
_MAX_COMPARED = 20_000
_ODDS_OF_EDIT = 200
"""How many times as many publications a word needs to be as likely as one with a misprint less."""

_ODDS_OF_INITIAL = 10
_FREQUENT = 20
"""Publications that have a word; where one is near, a word that only one has is taken for a misprint itself."""

_ALPHABETS = ("abcdefghijklmnopqrstuvwxyz", "абвгдежзийклмнопрстуфхцчшщъыьэюя", "ґєіїў", "αβγδεζηθικλμνξοπρσςτυφχψω")


class _Candidate(msgspec.Struct, frozen=True):
    term: str
    distance: int
    publications: int


def corrections(index: IndexReader, word: str, limit: int = 3) -> list[str]:
    """Return words that a misspelt one may stand for, the likeliest first: frequent ones with few misprints.

    Words that only one publication has are among them if no frequent one is near.
    """
    if not _MIN_LETTERS - 1 <= len(word) <= _MAX_LETTERS or not word.isalpha():
        return []
    near = [_Candidate(term, 1, count) for term in _edits(word) if (count := index.frequency(TEXT_FIELDS, term))]
    found = near
    if len(word) > _SHORT_WORD and max((each.publications for each in near), default=0) < _FREQUENT:
        far = {term for term in _with_beginnings(index, word) if edit_distance(word, term, 2) == 2}
        found = near + [_Candidate(term, 2, index.frequency(TEXT_FIELDS, term)) for term in far]
    if any(each.publications >= _FREQUENT for each in found):
        found = [each for each in found if each.publications > 1]
    found.sort(key=lambda each: (-_likelihood(word, each), each.term))
    return [each.term for each in found[:limit]]


def _likelihood(word: str, candidate: _Candidate) -> float:
    other = _ODDS_OF_INITIAL if candidate.term[0] != word[0] else 1
    return candidate.publications / (other * float(_ODDS_OF_EDIT) ** candidate.distance)


def _with_beginnings(index: IndexReader, word: str) -> Iterator[str]:
    """Yield words that begin as a word does, or with one misprint in the beginning, and have about its length."""
    length = _LONG_BEGINNING if len(word) >= _LONG_WORD else _BEGINNING
    beginnings = {word[:length], *(each[:length] for each in _edits(word[: length + 1]))}
    lengths = range(len(word) - 2, len(word) + 3)
    compared = 0
    for beginning in sorted(beginnings):
        terms = {term for field in TEXT_FIELDS for term, _ in index.tokens(field, beginning, _MAX_COMPARED)}
        for term in sorted(terms):
            if len(term) in lengths and compared < _MAX_COMPARED:
                compared += 1
                yield term


def _edits(word: str) -> set[str]:
    """Return all texts that differ from a word by one letter, added, removed, replaced or swapped with the next."""
    letters = "".join(alphabet for alphabet in _ALPHABETS if not set(alphabet).isdisjoint(word))
    parts = [(word[:position], word[position:]) for position in range(len(word) + 1)]
    found = {start + rest[1:] for start, rest in parts if rest}
    found |= {start + rest[1] + rest[0] + rest[2:] for start, rest in parts if len(rest) > 1}
    found |= {start + letter + rest[1:] for start, rest in parts if rest for letter in letters}
    found |= {start + letter + rest for start, rest in parts for letter in letters}
    return {each for each in found if each != word and len(each) >= _MIN_LETTERS}


def edit_distance(one: str, other: str, limit: int) -> int:
    """Return how many letters have to be added, removed, replaced or swapped; ``limit + 1`` if there are more."""
    if abs(len(one) - len(other)) > limit:
        return limit + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for position, letter in enumerate(one, 1):
        following = [position]
        for at, beside in enumerate(other, 1):
            cost = min(row[at] + 1, following[at - 1] + 1, row[at - 1] + (letter != beside))
            if position > 1 and at > 1 and letter == other[at - 2] and one[position - 2] == beside:
                cost = min(cost, before[at - 2] + 1)
            following.append(cost)
        if min(following) > limit:
            return limit + 1
        before, row = row, following
    return row[-1]
