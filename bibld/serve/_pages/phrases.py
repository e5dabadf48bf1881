"""Sentences that the stages store, such as the reasons of a verdict, in the language of a page."""

from __future__ import annotations

from bibld.serve._language import Language, message
from bibld.serve._phrases import Phrases

_AND = message(" and ")
_DECIMALS = frozenset(("score", "limit", "low", "high", "others"))
"""The names of values that are numbers with a decimal point."""

_LISTS = frozenset(("parts", "years", "editions", "carriers", "languages", "numbers"))
"""The names of values that are those of two records, with "and" between them."""

VALUES = dict.fromkeys(_DECIMALS, r"[\d.]+") | dict.fromkeys(("year", "gap", "rivals"), r"\d+")
"""What the values with some names look like; others are any text."""


def in_words(phrases: Phrases, sentence: str, language: Language) -> str:
    """Return a sentence in a language, as it is where it has no translation."""
    found = phrases.find(sentence)
    if found is None:
        return sentence
    shown, values = found
    return language.text(shown.pattern, **{name: _value(name, value, language) for name, value in values.items()})


def _value(name: str, value: str, language: Language) -> str:
    if name in _DECIMALS:
        return language.decimal(value)
    return value.replace(" and ", language.text(_AND)) if name in _LISTS else value
