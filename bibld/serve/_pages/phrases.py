"""Sentences that the stages store in English, such as the reasons of a verdict, in the language of a page."""

from __future__ import annotations

import re
from collections.abc import Iterable

from bibld.serve._language import Language, Message, message

_AND = message(" and ")
_DECIMALS = frozenset(("score", "limit", "low", "high", "others"))
"""The names of groups that are numbers with a decimal point."""

_LISTS = frozenset(("parts", "years", "editions", "carriers", "languages", "numbers"))
"""The names of groups that are values of two records, with "and" between them."""


class Phrases:
    """Knows sentences by their patterns: regular expressions whose named groups are the values of a message."""

    def __init__(self, known: Iterable[tuple[str, Message]]) -> None:
        self._known = tuple((re.compile(pattern, re.DOTALL), words) for pattern, words in known)

    def words(self, sentence: str, language: Language) -> str:
        """Return a sentence in a language, as it is where it has no translation."""
        for pattern, text in self._known:
            found = pattern.fullmatch(sentence)
            if found is not None:
                values = {name: _value(name, value, language) for name, value in found.groupdict().items()}
                return language.text(text.pattern, **values)
        return sentence


def _value(name: str, value: str, language: Language) -> str:
    if name in _DECIMALS:
        return language.decimal(value)
    return value.replace(" and ", language.text(_AND)) if name in _LISTS else value
