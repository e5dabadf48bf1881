"""Queries of the index for what is requested. They are made of tokens, so none can be malformed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tantivy import FieldType, Occur, Query

from bibld.model.identifiers import has_isbn_check_digit
from bibld.search._documents import AUTHOR, LINK_FIELDS, EntryKind
from bibld.search._index import BEGINNING, KINDS, SCHEMA, TEXT_FIELDS, TYPES, alphanumeric, number_token
from bibld.search._query import FieldTerm, ParsedQuery, values_of_field, years_of
from bibld.search._reader import IndexReader
from bibld.search._values import SearchRequest
from bibld.search._words import alternatives, title_token, to_words

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
    return Query.regex_query(SCHEMA, field, f"({'|'.join(token.replace('+', '[+]') for token in beginnings)}).*")


def of_thing(path: str, role: str | None = None) -> Query:
    """Return what finds the publications that are linked to a thing; in a role (see ``SearchView.works``) or any."""
    if role is None:
        return any_of(of_token(field, path) for field in LINK_FIELDS)
    if role == "agent":
        return of_token(AUTHOR, path)
    return of_token(role, path) if role in LINK_FIELDS else of_token("role", f"{path} {role}")


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
            return any_of(of_years(*years) for value in values if (years := years_of(value)) is not None)
        if name == "held_by":
            return any_of(map(self._of_libraries, values))
        if name in LINK_FIELDS:
            return of_tokens(name, values)
        words = ["".join(to_words(value)) for value in values]
        if name in ("merged", "authority"):
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
