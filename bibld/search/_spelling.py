"""Misspelt words: which words of the release they may stand for. All is read from the full-text index itself.

Words at a distance of one edit are made and looked up. A word at a distance of two has a beginning at a distance of at
most one, unless both misprints are in it: words with such beginnings are read and compared.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

import msgspec

_SHORTEST, _LONGEST = 4, 24
_SHORT_WORD = 5
"""Letters of a word in which only one misprint is looked for."""

_BEGINNING, _LONG_BEGINNING, _LONG_WORD = 4, 5, 10
_MOST_COMPARED = 20_000
_ODDS_OF_EDIT = 200
"""How many times as many publications a word needs to be as likely as one with a misprint less."""

_ODDS_OF_INITIAL = 10
_FREQUENT = 20
"""Publications that have a word; where one is near, a word that only one has is taken for a misprint itself."""

_ALPHABETS = ("abcdefghijklmnopqrstuvwxyz", "абвгдежзийклмнопрстуфхцчшщъыьэюя", "ґєіїў", "αβγδεζηθικλμνξοπρσςτυφχψω")
_LAST = "\U0010ffff"


class _Candidate(msgspec.Struct, frozen=True):
    term: str
    distance: int
    publications: int


def corrections(connection: sqlite3.Connection, word: str, most: int = 3) -> list[str]:
    """Return words that a misspelt one may stand for, the likeliest first: frequent ones with few misprints.

    Words that only one publication has are among them if no frequent one is near.
    """
    if not _SHORTEST - 1 <= len(word) <= _LONGEST or not word.isalpha():
        return []
    near = [_Candidate(term, 1, count) for term, count in _with_terms(connection, _edits(word))]
    found = near
    if len(word) > _SHORT_WORD and max((each.publications for each in near), default=0) < _FREQUENT:
        known = {each.term for each in near}
        far = [(term, count) for term, count in _with_beginnings(connection, word) if term not in known]
        found = near + [_Candidate(term, 2, count) for term, count in far if edit_distance(word, term, 2) == 2]
    if any(each.publications >= _FREQUENT for each in found):
        found = [each for each in found if each.publications > 1]
    found.sort(key=lambda each: (-_likelihood(word, each), each.term))
    return [each.term for each in found[:most]]


def _likelihood(word: str, candidate: _Candidate) -> float:
    other = _ODDS_OF_INITIAL if candidate.term[0] != word[0] else 1
    return candidate.publications / (other * float(_ODDS_OF_EDIT) ** candidate.distance)


def _with_terms(connection: sqlite3.Connection, terms: Iterable[str]) -> list[tuple[str, int]]:
    """Return those of some terms that the index has, each with the number of publications."""
    return connection.execute(
        "SELECT term, doc FROM json_each(?) CROSS JOIN word ON term = value", (_listed(terms),)
    ).fetchall()


def _with_beginnings(connection: sqlite3.Connection, word: str) -> list[tuple[str, int]]:
    """Return terms that begin as a word does, or with one misprint in the beginning, and have about its length."""
    length = _LONG_BEGINNING if len(word) >= _LONG_WORD else _BEGINNING
    beginnings = {word[:length], *(each[:length] for each in _edits(word[: length + 1]))}
    return connection.execute(
        "SELECT term, doc FROM json_each(?) CROSS JOIN word ON term >= value AND term < value || ?"
        " WHERE length(term) BETWEEN ? AND ? LIMIT ?",
        (_listed(beginnings), _LAST, len(word) - 2, len(word) + 2, _MOST_COMPARED),
    ).fetchall()


def _listed(terms: Iterable[str]) -> str:
    return msgspec.json.encode(sorted(terms)).decode()


def _edits(word: str) -> set[str]:
    """Return all texts that differ from a word by one letter, added, removed, replaced or swapped with the next."""
    letters = "".join(alphabet for alphabet in _ALPHABETS if not set(alphabet).isdisjoint(word))
    parts = [(word[:place], word[place:]) for place in range(len(word) + 1)]
    found = {start + rest[1:] for start, rest in parts if rest}
    found |= {start + rest[1] + rest[0] + rest[2:] for start, rest in parts if len(rest) > 1}
    found |= {start + letter + rest[1:] for start, rest in parts if rest for letter in letters}
    found |= {start + letter + rest for start, rest in parts for letter in letters}
    return {each for each in found if each != word and len(each) >= _SHORTEST}


def edit_distance(one: str, other: str, most: int) -> int:
    """Return how many letters have to be added, removed, replaced or swapped; ``most + 1`` if there are more."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for place, letter in enumerate(one, 1):
        following = [place]
        for at, beside in enumerate(other, 1):
            cost = min(row[at] + 1, following[at - 1] + 1, row[at - 1] + (letter != beside))
            if place > 1 and at > 1 and letter == other[at - 2] and one[place - 2] == beside:
                cost = min(cost, before[at - 2] + 1)
            following.append(cost)
        if min(following) > most:
            return most + 1
        before, row = row, following
    return row[-1]
