"""Messages in other languages: patterns with places for pages, and finished sentences for commands.

The English text of a message is its key; the other languages are in ``locale/LANGUAGE``: ``pages/*.po`` have the
patterns of pages (``%(name)s``), ``messages/*.po`` the sentences of commands, errors, warnings and help (``{name}``).
A sentence is translated when it is shown. It is written where its values are known, often in another process, so what
arrives is the text; its pattern is found again by its words, and its values, which may be sentences too, are taken out
of it.
"""

from __future__ import annotations

import io
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache, partial
from gettext import GNUTranslations, NullTranslations
from importlib import resources
from typing import TYPE_CHECKING

from bibld.text.languages import language_tag

if TYPE_CHECKING:
    from babel.messages.catalog import Message

SOURCE_LANGUAGE = "en"
"""The language that messages are written in."""

_PLACE = re.compile(r"\{(\w+)\}")
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_PLACES_OF_ELEMENTS = frozenset(("element", "elements", "equal", "different", "words", "absent"))
_PLACES_OF_TWO = frozenset(("parts", "years", "editions", "carriers", "languages", "numbers", "values"))
_PLACES_OF_DECIMALS = frozenset(
    (
        "score",
        "same",
        "review",
        "others",
        "threshold",
        "precision",
        "recall",
        "f1",
        "candidate_recall",
        "candidates_per_record",
    )
)
_PLACES_OF_TIME = frozenset(("seconds", "left"))
_UNIT = re.compile(r"(?<=\d )(?:ms|s|min|h)\b")
_GROUPED_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_WORDS_OF_COLUMNS = {
    "kind": "work_kind",
    "decision": "decision",
    "relation": "record_relation",
    "suggested relation": "record_relation",
}
"""The columns of tables whose values are codes that pages have words for, and the table of these words."""

_MATERIAL_COLUMNS = frozenset(("material", "carrier", "level"))
_SENTENCE_COLUMNS = frozenset(
    ("wrong", "remedy", "reasons", "message", "faults", "reason", "cause", "what and why", "about")
)
_BETWEEN_ELEMENTS = re.compile(r", (?![^(]*\))")
_NAMED_FIELD = re.compile(r"(\d\d\d\S*|LDR\S*) \((.+)\)")
_REMEMBERED = 4096
_MAX_DEPTH = 6
_LETTERS_OF_A_SENTENCE = 15
"""Shorter patterns, ``{number} new``, would take a list of such items for one."""

_BEGINNING = re.compile(r"[a-z].*: \{\w+\}")
"""A message that is before others: ``bibld: {message}``."""

_MIN_LETTERS = 3
"""A pattern with fewer letters would fit every text."""


def languages(kind: str = "messages") -> tuple[str, ...]:
    """Return the tags of the languages that texts of a ``kind`` (``messages``, ``pages``) exist in, English first."""
    folders = resources.files("bibld.text").joinpath("locale").iterdir()
    return (SOURCE_LANGUAGE, *sorted(folder.name for folder in folders if folder.joinpath(kind).is_dir()))


def language_of_terminal(environment: Mapping[str, str] = os.environ) -> str:
    """Return the language of commands: that of ``BIBLD_LANG``, else of the locale, else English.

    ``BIBLD_LANG`` is a tag (``ru``); the locale is the first of ``LC_ALL``, ``LC_MESSAGES`` and ``LANG`` that is set
    (POSIX.1-2017, 8.2). A language without messages is English.
    """
    for name in ("BIBLD_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        if value := environment.get(name):
            tag = re.split(r"[_.@-]", value, maxsplit=1)[0].lower()
            return tag if tag in languages() else SOURCE_LANGUAGE
    return SOURCE_LANGUAGE


@cache
def catalogue_of(tag: str, kind: str) -> NullTranslations:
    """Return the messages of one ``kind``, ``pages`` or ``messages``, in a language; none for English."""
    if tag == SOURCE_LANGUAGE:
        return NullTranslations()
    from babel.messages.catalog import Catalog
    from babel.messages.mofile import write_mo

    merged = Catalog(locale=tag)
    for entry in _entries(tag, kind):
        merged[entry.id] = entry
    binary = io.BytesIO()
    write_mo(binary, merged)
    binary.seek(0)
    return GNUTranslations(binary)


def _entries(tag: str, kind: str) -> Iterator[Message]:
    from babel.messages.pofile import read_po

    folder = resources.files("bibld.text").joinpath("locale", tag, kind)
    for file in sorted(folder.iterdir(), key=lambda each: each.name):
        if file.name.endswith(".po"):
            yield from (entry for entry in read_po(io.BytesIO(file.read_bytes()), locale=tag) if entry.id)


class Sentences:
    """Translates finished English sentences into one language; ``Sentences("en")`` returns them as they are."""

    def __init__(self, tag: str) -> None:
        self.tag = tag
        self._catalogue = catalogue_of(tag, "messages")
        self._patterns = [] if tag == SOURCE_LANGUAGE else sorted(_patterns(tag), key=lambda one: -one.letters)
        self._sentences = [one for one in self._patterns if one.letters >= _LETTERS_OF_A_SENTENCE]
        self._phrases = self._patterns[len(self._sentences) :]
        self._signs = _number_signs(tag)
        self._translated = lru_cache(_REMEMBERED)(self._translate)

    def text(self, sentence: str) -> str:
        """Return a sentence, or lines of them, in this language; what has no translation stays as it is."""
        words = sentence.strip()
        translated = self._translated(words, 0) if self._patterns else None
        return sentence if translated is None else sentence.replace(words, translated)

    def word(self, context: str, word: str) -> str:
        """Return a word whose translation depends on its ``context``: ``stage`` or ``column``."""
        found = self._catalogue.pgettext(context, word)
        return found if found != word else self.text(word)

    def number(self, value: float, form: str = ",") -> str:
        """Return a number as this language writes it: ``1,234.5`` in English."""
        return f"{value:{form}}".translate(self._signs)

    @property
    def separator(self) -> str:
        """The separator of cells that spreadsheets of this language expect: a semicolon if numbers have a comma."""
        return ";" if self._signs.get(ord(".")) == "," else ","

    def duration(self, text: str) -> str:
        """Return a duration (see ``in_words`` of :mod:`bibld.progress`) in this language: ``4.1 s``."""
        return _UNIT.sub(lambda unit: self._catalogue.pgettext("unit", unit[0]), text).translate(self._signs)

    def code(self, table: str, code: str) -> str:
        """Return the words that pages have for a code (``locale/words.toml``), the code itself in English."""
        words = word_tables()[table].get(code)
        return catalogue_of(self.tag, "pages").gettext(words) if words and self._patterns else code

    def card_value(self, line: str, text: str) -> str:
        """Return the text of a line of a catalogue card, with the codes of languages and kinds in words."""
        if not self._patterns or line not in ("language", "kind"):
            return text
        name = self._language if line == "language" else self._kind
        return ", ".join(map(name, text.split(", ")))

    def _language(self, code: str) -> str:
        from babel import Locale

        return str(Locale.parse(self.tag).languages.get(language_tag(code) or code, code))

    def _kind(self, word: str) -> str:
        tables = word_tables()
        table = next((one for one in ("type", "form") if word in tables[one]), "")
        return self.code(table, word) if table else self._catalogue.pgettext("issuance", word)

    def cell(self, column: str, value: object) -> str:
        """Return a value of a table as people read it; ``column`` is the English name of its column."""
        if isinstance(value, int) and not isinstance(value, bool):
            return self.number(value)
        text = str(value)
        if not self._patterns:
            return text
        if isinstance(value, bool):
            return self.word("report", "yes" if value else "no")
        if table := _WORDS_OF_COLUMNS.get(column):
            return self.code(table, text)
        if column in _SENTENCE_COLUMNS:
            return self.text(text)
        if column in _MATERIAL_COLUMNS:
            return re.sub(r"\w+", lambda word: self._catalogue.pgettext("material", word[0]), text)
        return ", ".join(self._catalogue.pgettext(column, word) for word in text.split(", "))

    def _translate(self, text: str, depth: int) -> str | None:
        """Return the translation, or ``None`` if there is none; a value that is one word is a name."""
        if depth > _MAX_DEPTH or not any(map(str.isalpha, text)) or (depth and " " not in text):
            return None
        if (sentence := self._sentence(text, self._sentences, depth)) is not None:
            return sentence
        at = text.find(": ")
        while at >= 0:
            if (sentence := self._sentence(text[at + 2 :], self._sentences, depth)) is not None:
                return f"{self._translated(text[:at], depth + 1) or text[:at]}: {sentence}"
            at = text.find(": ", at + 1)
        if (items := self._translate_items(text, depth)) is not None:
            return items
        if (sentence := self._sentence(text, self._phrases, depth)) is not None:
            return sentence
        if named := _NAMED_FIELD.fullmatch(text):
            label, comma, material = named[2].rpartition(", ")
            in_field = partial(self._catalogue.pgettext, "field")
            known = in_field(named[2])
            parts = f"{in_field(label)}{comma}{in_field(material)}" if known == named[2] else known
            return f"{named[1]} ({parts})"
        return self._translate_parts(text, depth)

    def _sentence(self, text: str, patterns: Iterable[_Pattern], depth: int) -> str | None:
        """Translate a text that is one of the messages as a whole."""
        for pattern in patterns:
            if (found := pattern.match(text)) is not None:
                values = {name: self._value(name, value, depth + 1) for name, value in found.items()}
                return self._in_words(pattern, found, values)
        return None

    def _value(self, name: str, value: str, depth: int) -> str:
        if name in _PLACES_OF_ELEMENTS:
            return ", ".join(map(self.element, _BETWEEN_ELEMENTS.split(value)))
        if name in _PLACES_OF_TWO:
            return self._two(value)
        if name in ("addition", "by"):
            return self._catalogue.pgettext(name, value)
        if name == "relation":
            return self.code("record_relation", value)
        if name in _PLACES_OF_TIME:
            return self.duration(value)
        if name in _PLACES_OF_DECIMALS and not any(map(str.isalpha, value)):
            return value.replace(".", self._signs[ord(".")])
        if _GROUPED_NUMBER.fullmatch(value):
            return value.translate(self._signs)
        return self._translated(value, depth) or value

    def _two(self, values: str) -> str:
        return values.replace(" and ", f" {self._catalogue.pgettext('values', 'and')} ")

    def element(self, text: str) -> str:
        """Return the name of an element of the description, and the values behind it, as pages name it."""
        name, bracket, values = text.partition(" (")
        label = word_tables()["compared"].get(name, name)
        return f"{catalogue_of(self.tag, 'pages').gettext(label)}{bracket}{self._two(values)}"

    def _in_words(self, pattern: _Pattern, found: Mapping[str, str], values: Mapping[str, str]) -> str:
        if pattern.plural is None:
            words = self._catalogue.gettext(pattern.text)
        else:
            number = int(found[pattern.places[0]].replace(",", "").split(".")[0])
            words = self._catalogue.ngettext(*pattern.plural, number)
        return _PLACE.sub(lambda place: values.get(place[1], place[0]), words)

    def _translate_items(self, text: str, depth: int) -> str | None:
        """Translate a list of which each item is a message: ``2 records, 3 new``."""
        for separator in ("; ", ", "):
            if separator in text and "\n" not in text:
                translated = [self._translated(item, depth + 1) for item in text.split(separator)]
                if all(translated):
                    return separator.join(filter(None, translated))
        return None

    def _translate_parts(self, text: str, depth: int) -> str | None:
        """Translate what can be translated of lines, of a place and what is there, and of the items of a list."""
        for separator in ("\n", ": ", "; ", ", "):
            at = text.find(separator)
            while at >= 0:
                parts = text[:at], text[at + len(separator) :]
                translated = [self._translated(part, depth + 1) for part in parts]
                if any(translated):
                    return separator.join(new or old for new, old in zip(translated, parts, strict=True))
                at = text.find(separator, at + 1)
        return None


@cache
def word_tables() -> dict[str, dict[str, str]]:
    """Return the English words for codes, by table (``locale/words.toml``)."""
    file = resources.files("bibld.text").joinpath("locale", "words.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


def source_word(context: str, word: str) -> str:
    """Return the English word that a word means in a ``context``, in any language; what is unknown as it is."""
    return _source_words(context).get(word.strip().lower(), word)


@cache
def _source_words(context: str) -> dict[str, str]:
    entries = (entry for tag in languages() if tag != SOURCE_LANGUAGE for entry in _entries(tag, "messages"))
    return {str(entry.string).lower(): str(entry.id) for entry in entries if entry.context == context}


@cache
def sentences_in(tag: str) -> Sentences:
    """Return the translator of sentences into a language."""
    return Sentences(tag)


class _Pattern:
    """An English message with places for values, as it is recognised in a text."""

    def __init__(self, text: str, plural: tuple[str, str] | None = None) -> None:
        self.text = text
        self.plural = plural
        parts = _PLACE.split(text)
        self.places = parts[1::2]
        self._words = [part for part in parts[::2] if part]
        self.letters = sum(map(str.isalpha, "".join(self._words)))
        if _BEGINNING.fullmatch(text):  # it is before lists, and none of their items
            self.letters += _LETTERS_OF_A_SENTENCE
        self._expression: re.Pattern[str] | None = None

    def match(self, text: str) -> dict[str, str] | None:
        """Return the values by the names of their places, or ``None`` if the text is another message."""
        if not self.places:
            return {} if text == self.text else None
        if not all(words in text for words in self._words):
            return None
        if self._expression is None:
            parts = _PLACE.split(self.text)
            parts[::2] = map(re.escape, parts[::2])
            parts[1::2] = [self._expected(name, at) for at, name in enumerate(self.places)]
            self._expression = re.compile("".join(parts), re.DOTALL)
        found = self._expression.fullmatch(text)
        return None if found is None else dict(zip(self.places, found.groups(), strict=True))

    def _expected(self, name: str, at: int) -> str:
        """Return the expression of what is in a place: a number has no blanks."""
        if self.plural and at == 0:
            return f"({_NUMBER.pattern})"
        return r"(\d\S*?)" if name == "number" else "(.*?)"


def _number_signs(tag: str) -> dict[int, str]:
    if tag == SOURCE_LANGUAGE:
        return {}
    from babel.numbers import get_decimal_symbol, get_group_symbol

    return {ord(","): str(get_group_symbol(tag)), ord("."): str(get_decimal_symbol(tag))}


def _patterns(tag: str) -> Iterable[_Pattern]:
    for entry in _entries(tag, "messages"):
        if entry.context is None:
            forms = (entry.id,) if isinstance(entry.id, str) else tuple(entry.id)
            plural = (forms[0], forms[1]) if len(forms) > 1 else None
            made = [_Pattern(form, plural) for form in forms]
            yield from (one for one in made if one.letters >= _MIN_LETTERS or not one.places)
