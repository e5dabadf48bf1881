"""The query language: words, phrases, fields. Every text is a query; what is not understood is a word."""

from __future__ import annotations

import re
import unicodedata

import msgspec

from bibld.search._words import OPTIONAL_WORDS, STOP_WORDS, to_query_words

QUERY_LIMIT = 1000
"""Characters of a query. No search can be stopped, so the parts of queries are bounded, too."""

MAX_WORDS = 32
_MAX_FIELDS = 8
_MAX_PHRASES = 8
_MAX_VALUES = 8
"""Values of one field."""

_FIELDS = {
    "author": ("author", "автор", "by"),
    "title": ("title", "заглавие", "название"),
    "subject": ("subject", "тема", "предмет"),
    "publisher": ("publisher", "издательство", "издатель"),
    "series": ("series", "серия"),
    "place": ("place", "место"),
    "year": ("year", "год", "годы", "years"),
    "isbn": ("isbn", "номер", "issn", "id"),
    "language": ("language", "язык"),
    "library": ("library", "библиотека"),
    "type": ("type", "вид", "тип"),
}
_FIELD_OF_NAME = {name: field for field, names in _FIELDS.items() for name in names}
FIELD_NAMES = {field: names[:2] for field, names in _FIELDS.items()}
"""The names of the fields, in English and Russian."""

_QUOTES = {'"': '"', "«": "»", "“": "”", "„": "“"}
_CLOSING = '"»”“'
_FIELD = re.compile(r"([^\W\d_]+)\s?:\s?(?=\S)")
_YEARS = re.compile(r"(\d{1,4})?\s*[-–—]\s*(\d{1,4})?")
_IDENTIFIER = re.compile(
    r"(?i)(?:isbn|issn|doi|lccn|oclc)?[\s:№#]*([0-9][0-9xх\s\u00ad\u2010-\u2015\u2212-]{6,24}[0-9xх])\s*"
)
_HAS_DIGIT = re.compile(r"\d")
_LIKE_IDENTIFIER = re.compile(r"[\w.:/\\~-]*\d[\w.:/\\~-]*")
_MAX_YEAR, _MIN_YEAR = 9999, 1


class FieldTerm(msgspec.Struct, frozen=True):
    """Words to find: ``field`` limits where (empty: anywhere); those of a phrase are in sequence."""

    words: tuple[str, ...]
    field: str = ""
    is_phrase: bool = False
    text: str = ""


class ParsedQuery(msgspec.Struct, frozen=True):
    """A query as it is understood.

    ``words`` are those that have to be found; ``optional`` are stop words and names of parts. ``years``: the first and
    the last. ``identifier``: the whole query, if it may be one. ``is_cut``: the text was too long.
    """

    text: str
    words: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    phrases: tuple[tuple[str, ...], ...] = ()
    fields: tuple[FieldTerm, ...] = ()
    years: tuple[int, int] | None = None
    identifier: str = ""
    is_cut: bool = False

    @property
    def all_words(self) -> tuple[str, ...]:
        """The words and phrases without a field, in their order, stop words included."""
        if self.fields or self.years is not None:
            return (*self.words, *self.optional)
        return tuple(to_query_words(self.text))

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to find."""
        return not (self.words or self.optional or self.phrases or self.fields or self.years or self.identifier)


def parse(text: str) -> ParsedQuery:
    """Return the query that a text is."""
    text = unicodedata.normalize("NFC", "".join(char if char.isprintable() else " " for char in text)).strip()
    is_cut = len(text) > QUERY_LIMIT
    text = text[:QUERY_LIMIT]
    words: list[str] = []
    phrases: list[tuple[str, ...]] = []
    fields: list[FieldTerm] = []
    years: tuple[int, int] | None = None
    position = 0
    while position < len(text):
        if text[position].isspace():
            position += 1
            continue
        found = _FIELD.match(text, position)
        field = _FIELD_OF_NAME.get(found[1].casefold(), "") if found is not None else ""
        if field != "year" and len(fields) == _MAX_FIELDS:
            field = ""
        if found is not None and field:
            position = found.end()
        value, is_quoted, position = _value(text, position, field)
        if field == "year":
            years = _years(value) or years
        elif field:
            named = tuple(to_query_words(value)[:MAX_WORDS])
            if named or field == "isbn":
                fields.append(FieldTerm(named, field, is_quoted, value))
        elif is_quoted and len(to_query_words(value)) > 1 and len(phrases) < _MAX_PHRASES:
            phrases.append(tuple(to_query_words(value)[:MAX_WORDS]))
        else:
            words += to_query_words(value)
    words = list(dict.fromkeys(words))[:MAX_WORDS]
    needed = [word for word in words if word not in OPTIONAL_WORDS]
    if not needed and not phrases and not fields:
        needed = [word for word in words if word not in STOP_WORDS] or words
    optional = tuple(word for word in words if word not in needed)
    return ParsedQuery(text, tuple(needed), optional, tuple(phrases), tuple(fields), years, _identifier(text), is_cut)


def values_of_field(term: FieldTerm) -> list[FieldTerm]:
    """Return the values of a field, between which its text has ``|``: each with its words."""
    values = [value for value in term.text.split("|") if to_query_words(value)][:_MAX_VALUES]
    if len(values) < 2:
        return [term]
    return [msgspec.structs.replace(term, words=tuple(to_query_words(value)), text=value) for value in values]


def _value(text: str, position: int, field: str) -> tuple[str, bool, int]:
    """Return the value that begins at a position, whether it was in quotation marks, and where it ends."""
    closing = _QUOTES.get(text[position], "") if position < len(text) else ""
    if closing:
        end = next((at for at in range(position + 1, len(text)) if text[at] in (closing, *_CLOSING)), len(text))
        return text[position + 1 : end], end < len(text), end + 1
    end = position
    while end < len(text) and not text[end].isspace():
        end += 1
    value = text[position:end]
    if field == "isbn":  # numbers are written with blanks, too
        longer = re.compile(r"[\dxXхХ\s\u2010-\u2015\u2212-]+").match(text, position)
        if longer is not None and longer.end() > end:
            return longer[0], False, longer.end()
    return value, False, max(end, position + 1)


def _years(text: str) -> tuple[int, int] | None:
    """Return the years of ``1970``, ``1970-1980``, ``-1917``, ``1991-``; None for other texts."""
    if text.isdecimal() and text.isascii() and len(text) <= 4:
        return int(text), int(text)
    found = _YEARS.fullmatch(text)
    if found is None or not (found[1] or found[2]):
        return None
    first, last = int(found[1] or _MIN_YEAR), int(found[2] or _MAX_YEAR)
    return (first, last) if first <= last else (last, first)


def years_of(text: str) -> tuple[int, int] | None:
    """Return the first and the last year that a text names; None if it names none."""
    return _years(text.strip())


def _identifier(text: str) -> str:
    """Return what may be an identifier: a number with its separators, or one word with a digit."""
    found = _IDENTIFIER.fullmatch(text)
    if found is not None:
        return found[1]
    bare = re.sub(r"^(?i:isbn|issn|doi|lccn|oclc)[\s:]*", "", text)
    return bare if len(bare) > 3 and _LIKE_IDENTIFIER.fullmatch(bare) else ""
