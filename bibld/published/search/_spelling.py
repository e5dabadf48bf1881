"""Misspelt words: an index of the words of the release without one letter each, and what a word may stand for."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from hashlib import blake2b

from bibld.parallel import batches

_SHORTEST, _LONGEST = 4, 24
_PREFIX = 7
"""Letters of a word, from its beginning, in which misprints are found."""

_LEAST_COUNT = 2
"""Publications that have a word; one that only one has may be a misprint itself."""

_SHORT_WORD = 5
_MOST_CANDIDATES = 400
_AT_ONCE = 10_000


def add_misprints(connection: sqlite3.Connection) -> None:
    """Index all words of the publications."""
    rows = connection.execute("SELECT term FROM word WHERE doc >= ?", (_LEAST_COUNT,))
    for batch in batches((term for (term,) in rows if _is_indexed(term)), _AT_ONCE):
        _insert(connection, batch)


def add_misprints_of(connection: sqlite3.Connection, words: Iterable[str]) -> None:
    """Index words of publications that were added, if enough publications have them."""
    new = [word for word in sorted(set(words)) if _is_indexed(word) and _count(connection, word) >= _LEAST_COUNT]
    _insert(connection, new)


def _insert(connection: sqlite3.Connection, words: Iterable[str]) -> None:
    connection.executemany(
        "INSERT OR IGNORE INTO misprint VALUES (?, ?)",
        ((deletion, word) for word in words for deletion in sorted(_deletions(word))),
    )


def _is_indexed(word: str) -> bool:
    return _SHORTEST <= len(word) <= _LONGEST and word.isalpha()


def _count(connection: sqlite3.Connection, word: str) -> int:
    row = connection.execute("SELECT doc FROM word WHERE term = ?", (word,)).fetchone()
    return row[0] if row is not None else 0


def _deletions(word: str) -> set[int]:
    """Return hashes of the beginning of a word and of that without each letter."""
    start = word[:_PREFIX]
    return {_hash(start), *(_hash(start[:place] + start[place + 1 :]) for place in range(len(start)))}


def _hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=4).digest(), "big")


def corrections(connection: sqlite3.Connection, word: str, most: int = 3) -> list[str]:
    """Return words of the release that a misspelt one may stand for, the likeliest first."""
    if not 3 <= len(word) <= _LONGEST or any(letter.isdigit() for letter in word):
        return []
    keys = sorted(_deletions(word) | _deletions(word + "_"))
    marks = ",".join("?" * len(keys))
    rows = connection.execute(
        f"SELECT DISTINCT word FROM misprint WHERE deletion IN ({marks}) LIMIT {_MOST_CANDIDATES}", keys
    )
    allowed = 1 if len(word) <= _SHORT_WORD else 2
    found = []
    for (candidate,) in rows.fetchall():
        distance = edit_distance(word, candidate, allowed)
        if 0 < distance <= allowed:
            found.append((distance, candidate[0] != word[0], -min(_count(connection, candidate), 1000), candidate))
    return [candidate for *_, candidate in sorted(found)[:most]]


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
