"""Whether a text is a shortened form of another one, word by word, as bibliographic rules shorten words."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from functools import lru_cache

from bibld.text.folding import fold
from bibld.text.romanisation import romanise
from bibld.text.scripts import has_cyrillic

_SHORTEST_BEGINNING = 2
_LONGEST_ENDING = 5
_TEXTS_REMEMBERED = 4096
_WORD = re.compile(r"[^\W\d_]{2,}")


@lru_cache(maxsize=_TEXTS_REMEMBERED)
def is_abbreviation(short: str, full: str) -> bool:
    """Whether each word of a text is one of another text in their order, and one at least is shortened.

    A word is shortened to two or more of its first letters, to its beginning and its end (``изд-во``), or with others
    to their initials (``АН``). A word in capitals, or one that is all of a name, is no beginning of another word
    (``АСТ``, ``Астрель``). Texts in two scripts are romanised.

    >>> is_abbreviation("Худож. лит.", "Художественная литература"), is_abbreviation("Khudozh. lit-ra", "Худож. лит.")
    (True, False)
    >>> is_abbreviation("Изд-во АН СССР", "Издательство Академии наук СССР"), is_abbreviation("Наука", "Науки")
    (True, False)
    """
    to_key = fold if has_cyrillic(short) == has_cyrillic(full) else romanise
    words, others = to_key(short).split(), to_key(full).split()
    capitals = {to_key(word) for word in _WORD.findall(short) if word.isupper()}
    beginnings = set(words) - capitals if len(words) > 1 else set[str]()
    return words != others and bool(words) and _matches(words, others, beginnings)


def _matches(words: Sequence[str], full: Sequence[str], beginnings: Set[str]) -> bool:
    """Whether words are those of a full name; only ``beginnings`` may be the first letters of longer ones."""
    if not words or not full:
        return not words and not full
    word, other = words[0], full[0]
    is_other = word == other or (word in beginnings and _is_beginning(word, other))
    if is_other and _matches(words[1:], full[1:], beginnings):
        return True
    if len(words) > 1 and _is_contraction(word, words[1], other) and _matches(words[2:], full[1:], beginnings):
        return True
    count = len(word)
    initials = "".join(one[0] for one in full[:count])
    return 1 < count == len(initials) and initials == word and _matches(words[1:], full[count:], beginnings)


def _is_beginning(word: str, other: str) -> bool:
    """Whether a word is shortened to its beginning; leaving out one letter only is an ending of grammar."""
    return _SHORTEST_BEGINNING <= len(word) < len(other) - 1 and other.startswith(word)


def _is_contraction(beginning: str, ending: str, other: str) -> bool:
    return (
        len(ending) <= _LONGEST_ENDING
        and len(beginning) + len(ending) < len(other)
        and other.startswith(beginning)
        and other.endswith(ending)
    )
