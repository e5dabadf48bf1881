"""Sentences that the stages store in English, such as the reasons of a verdict, in the language of a page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cached_property

from bibld.serve._language import Message, PageLanguage, message, read_words

_PLACE = re.compile(r"%\((\w+)\)s")


class Phrases:
    """Sentences by their patterns, of which the first that fits counts.

    A pattern is a message with places for values, ``%(name)s``, or another text with such places and the message to be
    shown instead. ``values``: name of a place → regular expression of its values; others are any text.
    """

    def __init__(self, known: Iterable[Message | tuple[str, Message]], values: Mapping[str, str]) -> None:
        self._known = tuple((each.pattern, each) if isinstance(each, Message) else each for each in known)
        self._values = values

    def find(self, sentence: str) -> tuple[Message, dict[str, str]] | None:
        """Return the message for a sentence and the values in the sentence; None if it has no pattern."""
        for expression, shown in self._expressions:
            found = expression.fullmatch(sentence)
            if found is not None:
                return shown, found.groupdict()
        return None

    @cached_property
    def _expressions(self) -> tuple[tuple[re.Pattern[str], Message], ...]:
        return tuple((re.compile(self._expression(pattern), re.DOTALL), shown) for pattern, shown in self._known)

    def _expression(self, pattern: str) -> str:
        pieces = _PLACE.split(pattern)  # texts and names in turn
        return "".join(
            f"(?P<{piece}>{self._values.get(piece, '.+?')})" if position % 2 else re.escape(piece)
            for position, piece in enumerate(pieces)
        )


_AND = message(" and ")
_BETWEEN = re.compile(r", (?![^(]*\))")
"""Between elements, not between the values of one."""

_AS_IN = "as in "
_DECIMALS = frozenset(("score", "limit", "low", "high", "others"))
"""The names of values that are numbers with a decimal point."""

_LISTS = frozenset(("parts", "years", "editions", "carriers", "languages", "numbers", "values"))
"""The names of values that are those of two records, with "and" between them."""

VALUES = dict.fromkeys(_DECIMALS, r"[\d.]+") | dict.fromkeys(("year", "gap", "rivals"), r"\d+")
"""What the values with some names look like; others are any text."""


def in_words(phrases: Phrases, sentence: str, language: PageLanguage) -> str:
    """Return a sentence in a language, as it is where it has no translation."""
    found = phrases.find(sentence)
    if found is None:
        return sentence
    shown, values = found
    return language.text(shown.pattern, **{name: _value(name, value, language) for name, value in values.items()})


def _value(name: str, value: str, language: PageLanguage) -> str:
    if name in _DECIMALS:
        return language.decimal(value)
    if name in ("element", "elements"):
        words = read_words()["compared"]
        return ", ".join(language.text(words.get(one, one)) for one in value.split(", "))
    if name == "differing":
        return ", ".join(_differing(one, language) for one in _BETWEEN.split(value))
    if name == "value" and value.startswith(_AS_IN):
        return language.text("as in %(record)s", record=value.removeprefix(_AS_IN))
    return value.replace(" and ", language.text(_AND)) if name in _LISTS else value


def _differing(element: str, language: PageLanguage) -> str:
    """Return an element with the two values that follow it in brackets, if they do, in a language."""
    name, bracket, values = element.partition(" (")
    words = language.text(read_words()["compared"].get(name, name))
    return f"{words}{bracket}{values.replace(' and ', language.text(_AND))}"


_RIVALS = message("other records that fit, too: %(rivals)s")

EVIDENCE = (
    message("both have the number %(number)s"),
    message("the same name: %(name)s"),
    message("the same family name and initials: %(name)s"),
    message("the same family name, given names that fit: %(name)s"),
    message("the same name in another spelling: %(name)s"),
    message("the same single name: %(name)s"),
    message("its records state different years"),
    message("born %(year)s in both"),
    message("died %(year)s in both"),
    message("no dates to compare; %(others)s other people of this name are to be expected"),
    message("the file is too small to show how rare the name is"),
    message("only one of the headings names the generation"),
    message("others had this title before or after"),
    message("title of a work in both: %(title)s"),
    message("the authority record is for more than one person of this name"),
    message("heading equal: %(name)s"),
    message("heading the same in another spelling: %(name)s"),
    message("heading equal but for a qualifier: %(name)s"),
    message("other form equal: %(name)s"),
    message("other form the same in another spelling: %(name)s"),
    message("other form equal but for a qualifier: %(name)s"),
    message("the name has only words that many organisations have"),
    message("the file does not state what the record describes"),
    message("the file does not state whether the record describes a place"),
    message("a short heading, of which the file does not state what it means"),
    message("class mark %(mark)s of the same classification"),
    message("the records take it from the scheme %(scheme)s"),
    message("the language of a heading is not known"),
    message("the languages differ: %(languages)s"),
    ("another scheme (none)", message("another scheme: it is in none here")),
    message("another scheme (%(scheme)s)"),
    ("%(rivals)s other record fits, too", _RIVALS),
    ("%(rivals)s other records fit, too", _RIVALS),
    message("the records state %(numbers)s"),
    message("accepted by a person"),
)
_EVIDENCE_PHRASES = Phrases(EVIDENCE, VALUES)


def evidence_words(sentence: str, language: PageLanguage) -> tuple[str, str]:
    """Return a sentence of evidence in a language, and the tag of its language: English where it has no translation."""
    words = in_words(_EVIDENCE_PHRASES, sentence, language)
    return words, language.tag if words != sentence else "en"
