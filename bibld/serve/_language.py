"""Languages of pages: which one a client wants, and messages, numbers, dates and names in it.

The English text of a message is its key; see :mod:`bibld.text.translations`. Babel knows plural rules, dates, and the
names of languages and countries (CLDR).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from functools import cache, lru_cache
from urllib.parse import parse_qs

from babel import Locale
from babel.dates import format_date
from babel.numbers import get_decimal_symbol, get_group_symbol

from bibld.serve._negotiation import choose_language
from bibld.serve.ontology import LANGUAGES, best_text
from bibld.text.languages import language_tag
from bibld.text.translations import catalogue_of, sentences_in, word_tables

PARAMETER = "lang"
"""The name of the parameter of an address, and of the cookie, that name the language of pages."""

NAMES = {tag: str(Locale(tag).get_language_name()).capitalize() for tag in LANGUAGES}
"""Language → its name in that language."""

_COOKIE = re.compile(rf"(?:^|;)\s*{PARAMETER}=({'|'.join(LANGUAGES)})\s*(?:;|$)")
_REMEMBERED = 1024
_MAX_REMEMBERED_LENGTH = 400


class Message(str):
    """A message in English that pages show in their language: a pattern with the values that it contains."""

    __slots__ = ("pattern", "values")

    pattern: str
    values: Mapping[str, object]

    @classmethod
    def from_pattern(cls, pattern: str) -> Message:
        """Return a message without values."""
        result = cls(pattern)
        result.pattern, result.values = pattern, {}
        return result

    def with_values(self, values: Mapping[str, object]) -> Message:
        """Return the message of the same pattern with other values."""
        result = Message(self.pattern % values if values else self.pattern)
        result.pattern, result.values = self.pattern, values
        return result


class Sentence(Message):
    """A sentence that another part of bibld has written in English; its message is found again by its words."""


def message(pattern: str, /, **values: object) -> Message:
    """Return a message for :meth:`PageLanguage.text`; it is the English text itself where there is no page."""
    result = Message.from_pattern(pattern)
    return result.with_values(values) if values else result


@cache
def read_words() -> dict[str, dict[str, Message]]:
    """Return the tables of codes in words, ``locale/words.toml``."""
    return {
        name: {code: Message.from_pattern(words) for code, words in table.items()}
        for name, table in word_tables().items()
    }


_UNITS = (message("B"), message("KiB"), message("MiB"), message("GiB"))


class PageLanguage:
    """One language of pages; ``tag`` is one of ``LANGUAGES``."""

    def __init__(self, tag: str) -> None:
        self.tag = tag
        self._locale = Locale.parse(tag)
        self._messages = catalogue_of(tag, "pages")
        self._sentences = sentences_in(tag)
        self._group = get_group_symbol(self._locale)
        self._decimal = get_decimal_symbol(self._locale)

    def text(self, pattern: str, /, **values: object) -> str:
        """Return a message in this language, with its values in the places ``%(name)s``.

        A :class:`Message` has its values itself; those that are messages or dates are in this language too. What has
        no translation is returned as it is.
        """
        if isinstance(pattern, Sentence):
            return self.sentence(pattern)
        if isinstance(pattern, Message):
            return self.text(pattern.pattern, **pattern.values)
        found = self._messages.gettext(pattern) if pattern else ""
        if not values:
            return found
        return found % {name: self._shown(each) for name, each in values.items()}

    def _shown(self, value: object) -> object:
        if isinstance(value, Message):
            return self.text(value)
        return self.date(value.isoformat()) if isinstance(value, date) else value

    def sentence(self, sentence: str) -> str:
        """Return a sentence that a stage has written in English, in this language; as it is without a translation."""
        return self._sentences.text(sentence)

    def plural(self, one: str, many: str, number: int, /, **values: object) -> str:
        """Return the form of a message that the number asks for; ``%(num)s`` is the number itself."""
        return self.pattern(one, many, number) % {"num": self.number(number), **values}

    def pattern(self, one: str, many: str, number: int) -> str:
        """Return the form of a message that the number asks for, without its values."""
        return self._messages.ngettext(one, many, number)

    def number(self, number: float) -> str:
        """Return a number with its digits in groups: ``1,234.5`` in English."""
        return f"{number:,}".translate({ord(","): self._group, ord("."): self._decimal})

    def decimal(self, number: str) -> str:
        """Return a number that is written with a decimal point as this language writes it: ``0.433``."""
        return number.replace(".", self._decimal)

    def size(self, count: int) -> str:
        """Return a number of bytes in the unit that suits it: ``1.5 MiB``."""
        size, unit = float(count), 0
        while size >= 1024 and unit < len(_UNITS) - 1:
            size, unit = size / 1024, unit + 1
        shown = f"{size:.1f}" if unit else f"{size:.0f}"
        return f"{self.decimal(shown)}\u00a0{self.text(_UNITS[unit])}"

    def date(self, iso: str) -> str:
        """Return a date in words: ``22 November 2026``; a text that is not a date of ISO 8601 is returned as it is."""
        return self._date(iso, "d MMMM y" if self.tag == "en" else "long")

    def short_date(self, iso: str) -> str:
        """Return a date for places with little room: ``22 Nov 2026``, ``22.11.2026``; see ``date``."""
        return self._date(iso, "d MMM y" if self.tag == "en" else "short")

    def _date(self, iso: str, pattern: str) -> str:
        try:
            day = date.fromisoformat(iso[:10])
        except ValueError:
            return iso
        return format_date(day, pattern, self._locale)

    def name_of_language(self, code: str) -> str:
        """Return the name of a language by its code (ISO 639-2, 639-1 or BCP 47); the code if it is not known."""
        tag = language_tag(code) or code
        return str(self._locale.languages.get(tag) or self._locale.languages.get(code) or code)

    def name_of_country(self, code: str) -> str:
        """Return the name of a country by its code (ISO 3166-1); the code if it is not known."""
        return str(self._locale.territories.get(code.upper()) or code)

    def best(self, texts: Mapping[str, str]) -> str:
        """Return the text in this language, else in English, else the first in the order of the languages."""
        return best_text(texts, self.tag)


@lru_cache
def language_named(tag: str) -> PageLanguage:
    """Return one of the languages of pages."""
    return PageLanguage(tag)


def choose_page_language(query: str, cookie: str, accept_language: str) -> str:
    """Return the tag of the language of pages that a client wants.

    That is the one of the parameter ``lang`` of the address, else of the cookie of this name, else the one that the
    client prefers, else English.
    """
    if PARAMETER in query:
        named = parse_qs(query).get(PARAMETER, [""])[0]
        if named in LANGUAGES:
            return named
    stored = _COOKIE.search(cookie) if cookie else None
    if stored:
        return stored[1]
    if not accept_language:
        return LANGUAGES[0]
    if len(accept_language) > _MAX_REMEMBERED_LENGTH:
        return choose_language(accept_language, LANGUAGES)
    return _remembered_language(accept_language)


@lru_cache(maxsize=_REMEMBERED)
def _remembered_language(accept_language: str) -> str:
    return choose_language(accept_language, LANGUAGES)
