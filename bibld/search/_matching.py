"""Queries of the index for what is requested. They are made of tokens, so none can be malformed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence

import msgspec
from tantivy import FieldType, Occur, Query

from bibld.model.identifiers import has_isbn_check_digit
from bibld.model.identifiers import issn as find_issn
from bibld.model.origin import to_slug
from bibld.search._documents import AUTHOR, LINK_FIELDS, PUBLICATIONS, EntryKind
from bibld.search._index import (
    BEGINNING,
    ISBN_LENGTHS,
    KINDS,
    SCHEMA,
    TEXT_FIELDS,
    TYPES,
    IndexReader,
    alphanumeric,
    number_token,
)
from bibld.search._values import FLAGS, SearchRequest
from bibld.search._words import (
    OPTIONAL_WORDS,
    STOP_WORDS,
    alternatives,
    main_title_token,
    title_token,
    to_query_words,
    to_words,
)
from bibld.text.class_divisions import SCHEMES, beginnings

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
_LIKE_IDENTIFIER = re.compile(r"[\w.:/\\~()-]*\d[\w.:/\\~()-]*")
_NAME_OF_NUMBER = re.compile(r"(?i)(?:isbn|issn|doi|lccn|oclc)?[\s:]*(?:https?://(?:dx\.)?doi\.org/)?")
_MAX_YEAR, _MIN_YEAR = 9999, 1
_MAX_AUTHOR_WORDS, _MAX_WORDS_WITH_AUTHOR = 3, 10


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
            years = years_of(value) or years
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
    is_number = len(fields) == 1 and fields[0].field == "isbn" and not (words or phrases or years or "|" in text)
    identifier = fields[0].text.strip() if is_number else _identifier(text)
    return ParsedQuery(text, tuple(needed), optional, tuple(phrases), tuple(fields), years, identifier, is_cut)


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


def years_of(text: str) -> tuple[int, int] | None:
    """Return the years of ``1970``, ``1970-1980``, ``-1917``, ``1991-``; None for other texts."""
    if text.isdecimal() and text.isascii() and len(text) <= 4:
        return int(text), int(text)
    found = _YEARS.fullmatch(text)
    if found is None or not (found[1] or found[2]):
        return None
    first, last = int(found[1] or _MIN_YEAR), int(found[2] or _MAX_YEAR)
    return (first, last) if first <= last else (last, first)


def _identifier(text: str) -> str:
    """Return what may be an identifier: a number with its separators, or one word with a digit."""
    found = _IDENTIFIER.fullmatch(text)
    if found is not None:
        return found[1]
    bare = _NAME_OF_NUMBER.sub("", text, count=1)
    return bare if len(bare) > 3 and _LIKE_IDENTIFIER.fullmatch(bare) else ""


_STATED_NUMBER = re.compile(r"(?i)\s*(isbn|issn|doi|lccn|oclc)\b")
_DOI = re.compile(r"10\.\d{4,9}/\S+")
_ISSN = re.compile(r"(\d{4})-?(\d{3}[\dXx\u0425\u0445])")
_MIN_DIGITS_OF_NUMBER = 6
_MAX_PLAUSIBLE_YEAR = 2100
_PREFIXES_OF_ISBN = ("978", "979")


def kind_of_number(query: ParsedQuery) -> str:
    """Return what identifier a query is: isbn, issn, doi or number (of a record, or in a list); empty if it is none.

    Ten digits without hyphens are an ISBN only with its check digit: numbers of records have as many. Two years such as
    1941-1945 are no ISSN.
    """
    text = query.identifier
    named = _STATED_NUMBER.match(query.text)
    if not text:
        return ""
    if named is not None:
        return "number" if named[1].lower() in ("lccn", "oclc") else named[1].lower()
    if _DOI.fullmatch(text):
        return "doi"
    issn = _ISSN.fullmatch(text)
    if issn is not None and ("-" in text or ((found := find_issn(text)) is not None and found.is_valid)):
        return "" if issn[2].isdecimal() and int(issn[1]) < int(issn[2]) <= _MAX_PLAUSIBLE_YEAR else "issn"
    plain = alphanumeric(text)
    if len(plain) in ISBN_LENGTHS and plain[:-1].isdecimal():
        is_thirteen = len(plain) == max(ISBN_LENGTHS)
        is_like_isbn = plain.startswith(_PREFIXES_OF_ISBN) if is_thirteen else len(text) > len(plain)
        if is_like_isbn or has_isbn_check_digit(plain.upper()):
            return "isbn"
    return "number" if sum(map(str.isdecimal, plain)) >= _MIN_DIGITS_OF_NUMBER and not years_of(text) else ""


NOTHING = Query.empty_query()
ANY_PUBLICATION = Query.term_query(SCHEMA, "kind", KINDS.index(EntryKind.PUBLICATION), "basic")
_FIELD_OF_TEXT = {"title": "title_words", "author": "agent_words", "subject": "subject_words"}
_KIND_OF_FIELD = {"publisher": EntryKind.PUBLISHER, "series": EntryKind.SERIES, "place": EntryKind.PLACE}
_MAX_THINGS = 300
"""Publishers, series or places that the words of a field may name."""

_FEW_TOKENS = 64
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


def of_token(field: str, token: str) -> Query:
    """Return what finds a token in a field."""
    return Query.term_query(SCHEMA, field, token, "basic")


def of_tokens(field: str, tokens: Iterable[str]) -> Query:
    """Return what finds any of some tokens in a field."""
    return any_of(of_token(field, token) for token in tokens)


def of_kinds(kinds: Iterable[EntryKind]) -> Query:
    """Return what finds things of some kinds."""
    return any_of(Query.term_query(SCHEMA, "kind", KINDS.index(kind), "basic") for kind in kinds)


def any_of(queries: Iterable[Query]) -> Query:
    """Return what finds that which any of some queries finds."""
    listed = list(queries)
    return listed[0] if len(listed) == 1 else Query.boolean_query([(Occur.Should, query) for query in listed])


def all_of(queries: Iterable[Query | None]) -> Query | None:
    """Return what finds that which each of some queries finds; None if there are none."""
    listed = [query for query in queries if query is not None]
    if len(listed) < 2:
        return listed[0] if listed else None
    return Query.boolean_query([(Occur.Must, query) for query in listed])


def without(query: Query, excluded: Sequence[Query]) -> Query:
    """Return what finds that which a query finds, and none of some others."""
    if not excluded:
        return query
    return Query.boolean_query([(Occur.Must, query), *((Occur.MustNot, each) for each in excluded)])


def of_words(words: Iterable[str], fields: Sequence[str], level: int) -> Query | None:
    """Return what finds all words in any of some fields: exactly (0), in any form (1), or in any script too (2)."""
    return all_of(
        any_of(
            of_token(field, token) for token in (alternatives(word, level > 1) if level else [word]) for field in fields
        )
        for word in words
    )


def of_phrase(words: Sequence[str], fields: Sequence[str]) -> Query:
    """Return what finds words in sequence in one of some fields."""
    if len(words) == 1:
        return any_of(of_token(field, words[0]) for field in fields)
    return any_of(Query.phrase_query(SCHEMA, field, list(words)) for field in fields)


def of_beginnings(index: IndexReader, tokens: Iterable[str], field: str) -> Query:
    """Return what finds tokens that begin with any of some texts."""
    beginnings = list(tokens)
    found = {token for beginning in beginnings for token, _ in index.tokens(field, beginning, _FEW_TOKENS + 1)}
    if len(found) <= _FEW_TOKENS:
        return of_tokens(field, sorted(found))
    # Making an automaton takes as long as reading the documents of a hundred tokens.
    escaped = "|".join(re.sub(r"[+.]", r"[\g<0>]", token) for token in beginnings)
    return Query.regex_query(SCHEMA, field, f"({escaped}).*")


def of_thing(path: str, role: str | None = None) -> Query:
    """Return what finds the publications that are linked to a thing; in a role (see ``SearchView.works``) or any."""
    if role is None:
        return any_of(of_token(field, path) for field in LINK_FIELDS)
    if role == "agent":
        return of_token(AUTHOR, path)
    return of_token(role, path) if role in LINK_FIELDS else of_token("role", f"{path} {role}")


def of_classes(index: IndexReader, values: Iterable[str], field: str = "subject") -> Query:
    """Return what finds the publications of classes such as ``udc/82``; in the field ``path``, the marks in them."""
    classes = [value.partition("/") for value in values]
    marks = [each for scheme, _, mark in classes if scheme in SCHEMES and mark for each in beginnings(scheme, mark)]
    paths = [f"concept/{source}/{to_slug(mark)}" for source, _, mark in (each.partition("/") for each in marks)]
    return of_beginnings(index, paths, field)


def of_top(number: int) -> Query:
    """Return what finds the publications that are folded under the path with a number (see ``top_number``)."""
    return Query.term_query(SCHEMA, "top", number, "basic")


def of_years(first: int, last: int) -> Query:
    """Return what finds publications from the first to the last of two years."""
    return Query.range_query(SCHEMA, "year", FieldType.Unsigned, first, last)


def of_identifier(text: str) -> Query:
    """Return what finds an identifier."""
    return of_token("code", number_token(text))


def has_wrong_check_digit(text: str) -> bool:
    """Whether a text has the length of an ISBN, and another last digit than it should."""
    number = alphanumeric(text).upper()
    return len(number) in (10, 13) and number[:-1].isdecimal() and not has_isbn_check_digit(number)


def of_complete_title(words: Sequence[str]) -> Query:
    """Return what finds publications whose whole title consists of some words, in any script."""
    return of_token("code", title_token(" ".join(words)))


def of_main_title(words: Sequence[str], level: int) -> Query:
    """Return what finds publications whose title, with or without its subtitle, consists of some words.

    It may have the words of an author before or after it: "толстой война и мир".
    """

    def of_title(words: Sequence[str]) -> Query:
        return any_of([of_complete_title(words), of_token("code", main_title_token(" ".join(words)))])

    queries = [of_title(words)]
    for count in range(1, min(_MAX_AUTHOR_WORDS + 1, len(words)) if len(words) <= _MAX_WORDS_WITH_AUTHOR else 0):
        for author, title in ((words[:count], words[count:]), (words[-count:], words[:-count])):
            named = of_words(author, ["agent_words"], level)
            queries += [all_of([named, of_title(title)]) or NOTHING]
    return any_of(queries)


def of_title_beginning(words: Sequence[str]) -> Query:
    """Return what finds publications whose title begins with some words."""
    return of_phrase([BEGINNING, *words], ["title_words"])


class Matcher:
    """Makes queries.

    ``libraries`` are the ids of sources, ``languages`` the codes of languages, by the folded words of their names.
    """

    def __init__(self, index: IndexReader, libraries: Mapping[str, str], languages: Mapping[str, str]) -> None:
        self._index = index
        self._libraries = libraries
        self._languages = languages

    # -- texts

    def of_query(self, query: ParsedQuery, level: int) -> Query | None:
        """Return what finds all parts of a query; None if it has none."""
        parts = [of_words(query.words, TEXT_FIELDS, level)]
        parts += [of_phrase(phrase, TEXT_FIELDS) for phrase in query.phrases]
        return all_of([*parts, self.of_fields(query, level)])

    def of_beginning(self, query: ParsedQuery, index: IndexReader) -> Query:
        """Return what finds all parts of a query, the last word of which is the beginning of a word."""
        completed = any_of(of_beginnings(index, [query.words[-1]], field) for field in TEXT_FIELDS)
        rest = self.of_query(msgspec.structs.replace(query, words=query.words[:-1]), level=2)
        return all_of([rest, completed]) or NOTHING

    def of_fields(self, query: ParsedQuery, level: int) -> Query | None:
        """Return what finds the fields of a query; None if it has none."""
        parts = [any_of(self._of_value(value, level) for value in values_of_field(term)) for term in query.fields]
        if query.years is not None:
            parts.append(of_years(*query.years))
        return all_of(parts)

    def _of_value(self, term: FieldTerm, level: int) -> Query:
        """Return what finds one of the values of a field, between which the query has ``|``."""
        words = " ".join(term.words)
        if term.field in _FIELD_OF_TEXT:
            fields = [_FIELD_OF_TEXT[term.field]]
            return of_phrase(term.words, fields) if term.is_phrase else of_words(term.words, fields, level) or NOTHING
        if term.field in _KIND_OF_FIELD:
            named = all_of(
                [of_words(term.words, ["name_words"], max(level, 1)), of_kinds([_KIND_OF_FIELD[term.field]])]
            )
            paths = self._index.paths(named or NOTHING, _MAX_THINGS)
            return of_tokens(term.field, paths) if paths else of_words(term.words, ["other_words"], level) or NOTHING
        if term.field == "isbn":
            return of_identifier(term.text)
        if term.field == "type":
            return of_token("type", _TYPE_OF_NAME.get(words, ""))
        known = self._libraries if term.field == "library" else self._languages
        return of_token(term.field, known.get(words, words.replace(" ", "")))

    # -- filters

    def narrow(self, query: Query, request: SearchRequest, except_for: str = "") -> Query:
        """Return what finds what a query finds, with the filters of a search except those of one facet."""
        wanted, excluded = (
            [self.of_filter(name, values) for name, values in sorted(chosen.items()) if values and name != except_for]
            for chosen in (request.filters, request.excluded)
        )
        return without(all_of([query, *wanted]) or query, excluded)

    def of_filter(self, name: str, values: Sequence[str]) -> Query:
        """Return what finds publications with any of the values of a facet."""
        if name == "year":
            return any_of(of_years(*years) for value in values if (years := years_of(value.strip())) is not None)
        if name == "class":
            return of_classes(self._index, values)
        if name == "id":
            return of_tokens("path", [f"{PUBLICATIONS}/{value}" for value in values])
        if name == "held_by":
            return any_of(map(self._of_libraries, values))
        if name in LINK_FIELDS:
            return of_tokens(name, values)
        words = ["".join(to_words(value)) for value in values]
        if name in FLAGS:
            words = ["true" if value == "true" else "false" for value in values]
        return of_tokens(name, [word for word in words if name != "type" or word in TYPES])

    def _of_libraries(self, value: str) -> Query:
        """Return what finds the publications of exactly these libraries: ids with commas between them."""
        wanted = set(value.split(","))
        every = set(self._index.libraries)
        if not wanted <= every:
            return NOTHING
        found = all_of(of_token("library", library) for library in sorted(wanted))
        return without(found or NOTHING, [of_token("library", library) for library in sorted(every - wanted)])
