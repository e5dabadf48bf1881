"""Full-text queries of SQLite for what is asked. They are made of quoted words only, so none can be malformed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bibld.model.identifiers import has_isbn_check_digit
from bibld.search._codes import TYPES
from bibld.search._documents import EntryKind
from bibld.search._query import Query, Term, values_of_field, years_of
from bibld.search._reader import Rows
from bibld.search._rows import alphanumeric, number_token
from bibld.search._values import Asked
from bibld.search._words import alternatives, title_token, to_words

NOTHING = 'code : "none"'
ANY_PUBLICATION = 'code : ("m0" OR "m1")'
_TEXT = "{title agent subject other}"
_COLUMN_OF_FIELD = {"title": "title", "author": "agent", "subject": "subject"}
_KINDS_OF_FIELD = {
    "publisher": ("p", EntryKind.PUBLISHER),
    "series": ("q", EntryKind.SERIES),
    "place": ("k", EntryKind.PLACE),
}
_GROUP_OF_FILTER = {"author": "w", "subject": "s", "publisher": "p", "series": "q", "place": "k"}
_FLAGS = {"merged": "m", "authority": "a"}
_MOST_THINGS = 300
"""Publishers, series or places that the words of a field may name."""

FIRST_YEAR, LAST_YEAR = 1000, 2099
_TYPE_NAMES = {
    "book": "книга книги books",
    "multivolume": "многотомник",
    "periodical": "журнал журналы газета газеты периодика journal magazine serial",
    "article": "статья статьи articles",
    "thesis": "диссертация диссертации theses",
    "music": "ноты score scores",
    "audio": "звук аудио sound",
    "video": "видео фильм film",
    "map": "карта карты maps",
    "image": "изображение картинка images picture",
    "manuscript": "рукопись рукописи manuscripts",
    "collection": "собрание коллекция",
    "other": "другое",
}
_TYPE_OF_NAME = {name: kind for kind, names in _TYPE_NAMES.items() for name in (kind, *names.split())}


def quote(token: str) -> str:
    """Return a token as a phrase of FTS5."""
    return f'"{token}"'


def any_of(tokens: Iterable[str]) -> str:
    """Return what finds any of some tokens."""
    return f"({' OR '.join(map(quote, tokens))})"


def all_of(parts: Iterable[str]) -> str:
    """Return what finds that which each of some queries finds."""
    return " AND ".join(f"({part})" for part in parts if part)


def of_words(words: Iterable[str], columns: str, level: int) -> str:
    """Return what finds all words in some columns: exactly (0), in any form (1), or in any script too (2).

    ``columns`` is empty for names, which have one.
    """
    groups = [any_of(alternatives(word, level > 1) if level else [word]) for word in words]
    return in_columns(groups, columns) if groups else ""


def in_columns(groups: Iterable[str], columns: str) -> str:
    """Return what finds rows that match all of ``groups`` in some columns, or anywhere if ``columns`` is empty."""
    every = " AND ".join(groups)
    return f"{columns} : ({every})" if columns else every


class Matcher:
    """Makes full-text queries; ``libraries`` are the ids of sources by the folded words of their names."""

    def __init__(self, rows: Rows, libraries: Mapping[str, str], languages: Mapping[str, str]) -> None:
        self._rows = rows
        self._libraries = libraries
        self._languages = languages

    # -- texts

    def of_query(self, query: Query, level: int, columns: str = _TEXT) -> str:
        """Return what finds all parts of a query."""
        parts = [of_words(query.words, columns, level)]
        parts += [f"{columns} : {quote(' '.join(phrase))}" for phrase in query.phrases]
        parts += [self.of_fields(query, level)]
        return all_of(parts)

    def of_fields(self, query: Query, level: int) -> str:
        """Return what finds the fields of a query."""
        parts = [self._of_field(term, level) for term in query.fields]
        if query.years is not None:
            parts.append(of_years(*query.years))
        return all_of(parts)

    def _of_field(self, term: Term, level: int) -> str:
        """Return what finds one of the values of a field, between which the query has ``|``."""
        return " OR ".join(f"({self._of_value(value, level)})" for value in values_of_field(term))

    def _of_value(self, term: Term, level: int) -> str:
        column = _COLUMN_OF_FIELD.get(term.field)
        if column is not None:
            return (
                f"{column} : {quote(' '.join(term.words))}" if term.is_phrase else of_words(term.words, column, level)
            )
        if term.field in _KINDS_OF_FIELD:
            group, kind = _KINDS_OF_FIELD[term.field]
            ids = self._rows.names_matching(of_words(term.words, "", max(level, 1)), _MOST_THINGS, (kind,))
            return f"code : {any_of(f'{group}{id_}' for id_ in ids)}" if ids else of_words(term.words, "other", level)
        if term.field == "isbn":
            return f"code : {quote(number_token(term.text))}"
        return self._of_code(term)

    def _of_code(self, term: Term) -> str:
        words = " ".join(term.words)
        if term.field == "library":
            return f"code : {quote('l' + self._libraries.get(words, words.replace(' ', '')))}"
        if term.field == "language":
            return f"code : {quote('g' + self._languages.get(words, words.replace(' ', '')))}"
        kind = _TYPE_OF_NAME.get(words)
        return f"code : {quote('t' + kind)}" if kind is not None else NOTHING

    # -- filters

    def narrow(self, query: str, asked: Asked, except_for: str = "") -> str:
        """Return what finds what a query finds, with the filters of a search except those of one facet."""
        narrowed = all_of([query, self._of_filters(asked.filters, except_for)])
        excluded = [
            self._of_filter(name, values)
            for name, values in sorted(asked.excluded.items())
            if values and name != except_for
        ]
        return f"({narrowed}) NOT ({' OR '.join(excluded)})" if excluded else narrowed

    def _of_filters(self, filters: Mapping[str, Sequence[str]], except_for: str) -> str:
        """Return what finds publications with any of the values of each facet."""
        return all_of(
            self._of_filter(name, values) for name, values in sorted(filters.items()) if values and name != except_for
        )

    def _of_filter(self, name: str, values: Sequence[str]) -> str:
        if name == "year":
            ranges = [years for value in values if (years := years_of(value)) is not None]
            return " OR ".join(of_years(*years) for years in ranges) or NOTHING
        if name == "held_by":
            return " OR ".join(f"({self._of_libraries(value)})" for value in values)
        return f"code : {any_of(self._token(name, value) for value in values)}"

    def _of_libraries(self, value: str) -> str:
        """Return what finds the publications of exactly these libraries: ids with commas between them."""
        wanted = set(value.split(","))
        every = set(self._rows.sources.values())
        if not wanted <= every:
            return NOTHING
        others = sorted(every - wanted)
        found = all_of(f"code : {quote('l' + library)}" for library in sorted(wanted))
        return f"({found}) NOT (code : {any_of('l' + library for library in others)})" if others else found

    def _token(self, name: str, value: str) -> str:
        if name in _FLAGS:
            return f"{_FLAGS[name]}{value == 'true':d}"
        if name in _GROUP_OF_FILTER:
            id_ = self._rows.id_of(value)
            return f"{_GROUP_OF_FILTER[name]}{id_}" if id_ is not None else "none"
        initial = {"library": "l", "language": "g", "type": "t"}.get(name, "")
        word = "".join(to_words(value))
        return initial + word if initial and word and (name != "type" or word in TYPES) else "none"


def of_thing(id_: int, role: str | None) -> str:
    """Return what finds the publications that are linked to a thing, by the id of its entry."""
    if role is None:
        return f"code : {any_of(f'{group}{id_}' for group in 'wspqk')}"
    group = {"subject": "s", "publisher": "p", "series": "q", "place": "k", "agent": "w"}.get(role)
    return f"code : {quote(f'{group}{id_}' if group else f'r{alphanumeric(role)}{id_}')}"


def of_years(first: int, last: int) -> str:
    """Return what finds publications from the first to the last of two years."""
    first, last = max(first, FIRST_YEAR), min(last, LAST_YEAR)
    tokens = []
    year = first
    while year <= last:
        if year % 10 == 0 and year + 9 <= last:
            tokens.append(f"d{year // 10}")
            year += 10
        else:
            tokens.append(f"y{year}")
            year += 1
    return f"code : {any_of(tokens)}" if tokens else NOTHING


def of_identifier(text: str) -> str:
    """Return what finds an identifier."""
    return f"code : {quote(number_token(text))}" if text else ""


def has_wrong_check_digit(text: str) -> bool:
    """Whether a text has the length of an ISBN, and another last digit than it should."""
    number = alphanumeric(text).upper()
    return len(number) in (10, 13) and number[:-1].isdecimal() and not has_isbn_check_digit(number)


def of_complete_title(words: Sequence[str]) -> str:
    """Return what finds publications whose whole title consists of some words, in any script."""
    return f"code : {quote(title_token(' '.join(words)))}"


def of_title_beginning(words: Sequence[str]) -> str:
    """Return what finds publications whose title begins with some words."""
    return f"title : ^{quote(' '.join(words))}"


def of_title_phrase(words: Sequence[str]) -> str:
    """Return what finds publications with some words in sequence in the title."""
    return f"title : {quote(' '.join(words))}"
