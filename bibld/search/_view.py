"""Searches the names of one release."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import msgspec
from tantivy import Query

from bibld.search import _matching as matching
from bibld.search._conditions import SearchCondition, query_of, searched_titles, words_around
from bibld.search._documents import AUTHOR, FACET_LINKS, WORK, EntryKind
from bibld.search._index import FOLDER, IndexReader, beginning_token, distinct, is_mark, open_index
from bibld.search._matching import MAX_WORDS, QUERY_LIMIT
from bibld.search._searching import Searches
from bibld.search._values import FacetValue, NamedThing, Related, SearchRequest, SearchResult, StoredPublication
from bibld.search._words import skeleton_of, to_query_words, to_words

_MAX_THINGS = 200
"""Things that are returned for one text."""

_RARE_WORDS = 4
_MAX_READ = 2000
_MAX_YEARS = 3000
_SUGGESTED = 400
_TITLES_COMPARED = 4
"""How many times as many titles as are suggested are compared with what was typed."""

_MIN_LETTERS = 2
"""Of a text for which things are suggested: too many begin with one letter."""

_MIN_TITLE = 4
_MAX_BEGINNINGS = 1000
_MAX_CLASSES = 1000
_FIELD_OF_KIND = {
    EntryKind.PERSON: "author",
    EntryKind.ORGANISATION: "author",
    EntryKind.SUBJECT: "subject",
    EntryKind.PUBLISHER: "publisher",
    EntryKind.SERIES: "series",
    EntryKind.PLACE: "place",
}

_OF_WORKS = matching.of_kinds([EntryKind.WORK])


class SearchView:
    """The names of one release; see :func:`open_search`. To be used in one thread at a time."""

    def __init__(self, index: IndexReader, libraries: Mapping[str, str], languages: Mapping[str, str]) -> None:
        self._index = index
        self._searches = Searches(index, libraries, languages)
        self._matcher = matching.Matcher(index, libraries, languages)
        self.count_of_class = lru_cache(_MAX_CLASSES)(self._count_of_class)
        """Return how many publications have a mark in a class (its scheme and mark)."""

    def close(self) -> None:
        """Let go of the index."""
        del self._index, self._searches, self._matcher, self.count_of_class

    # -- publications

    def search(self, request: SearchRequest) -> SearchResult:
        """Return the publications that a text finds, with facets. Every text is a query."""
        return self._searches.search(request)

    def retrieve(
        self, condition: SearchCondition, sort: str = "relevance", limit: int = 10, offset: int = 0
    ) -> tuple[list[StoredPublication], int]:
        """Return publications that fulfil a condition, and how many there are.

        ``sort``: ``relevance`` (first those whose title is what is looked for, and no more; then as ``libraries``),
        ``libraries``, ``year``, ``-year``, ``title`` or ``-title``.
        """
        query = query_of(condition, self._index, self._matcher)
        titles = matching.any_of(map(matching.of_complete_title, searched_titles(condition)))
        parts = [_both(query, titles), matching.without(query, [titles])] if sort == "relevance" else [query]
        found: list[StoredPublication] = []
        total = 0
        for part in parts:
            matches = self._index.find(part, limit - len(found), max(0, offset - total), sort)
            found += self._index.publications(matches.hits)
            total += matches.total
        return found, total

    def words_around(self, field: str, start: str, before: int, count: int) -> list[tuple[str, int]]:
        """Return words of a field with the number of publications that have each; see ``SCANNED``.

        The words are in the order of their characters, ``before`` of them before the first that does not precede
        ``start``; at most ``count``.
        """
        words = to_words(start)
        return words_around(self._index, field, words[0] if words else "", before, count)

    def facet(self, name: str, request: SearchRequest, limit: int = 100) -> tuple[FacetValue, ...]:
        """Return the values of one facet of a search, the most frequent first."""
        return self._searches.facet(name, request, limit)

    def works(
        self, path: str, role: str | None = None, sort: str = "year", limit: int = 100, offset: int = 0
    ) -> tuple[list[StoredPublication], int]:
        """Return publications that are linked to a thing, and how many there are.

        ``role``: a code of MARC relators, ``agent``, ``subject``, ``publisher``, ``series``, ``place`` or ``work``
        (publications of parts and translations of a work, too); None for all. ``sort``: ``year``, ``-year``, ``title``
        or ``libraries``.
        """
        matches = self._index.find(matching.of_thing(path, role), limit, offset, sort)
        found = []
        for each in self._index.publications(matches.hits):
            roles = _roles_of(each, path)
            found.append(msgspec.structs.replace(each, role=role if role in roles else next(iter(roles), "")))
        return found, matches.total

    def publications(self, paths: Iterable[str]) -> dict[str, StoredPublication]:
        """Return the publications with these paths by their paths, without a role; only those that there are."""
        wanted = list(dict.fromkeys(paths))
        found = self._index.publications(self._index.find(matching.of_tokens("path", wanted), len(wanted)).hits)
        return {each.path: each for each in found}

    def roles(self, path: str) -> list[tuple[str, int]]:
        """Return in which roles a thing is linked to publications, and to how many, the most frequent first."""
        found = self._index.publications(self._index.find(matching.of_thing(path), _MAX_READ).hits)
        roles = {role for each in found for role in _roles_of(each, path)}
        counted = [(role, self._index.count(matching.of_thing(path, role))) for role in roles]
        return sorted(counted, key=lambda pair: (-pair[1], pair[0]))

    def years(self, of: str | SearchRequest) -> list[tuple[int, int]]:
        """Return years of publication with counts, ascending: of the publications of a thing (its path) or a search."""
        query = self._searches.match_of(of) if isinstance(of, SearchRequest) else matching.of_thing(of)
        counted = self._index.counts(query, {"year": _MAX_YEARS})["year"]
        return sorted((int(year), count) for year, count in counted)

    def related(self, path: str, kind: EntryKind | None = None, limit: int = 20) -> list[Related]:
        """Return things that occur together with one in publications, the most frequent first.

        ``kind``: of this kind only.
        """
        fields = (_FIELD_OF_KIND[kind],) if kind in _FIELD_OF_KIND else FACET_LINKS
        counted = self._index.counts(matching.of_thing(path), dict.fromkeys(fields, _MAX_THINGS + limit + 1))
        best: dict[str, int] = {}
        for other, count in (pair for values in counted.values() for pair in values):
            best[other] = max(count, best.get(other, 0))
        best.pop(path, None)
        found: list[Related] = []
        for other, count in sorted(best.items(), key=lambda pair: (-pair[1], pair[0]))[: _MAX_THINGS + limit]:
            named = self._index.named(other)
            if named is not None and kind in (None, named.kind) and not is_mark(other, named.title):
                found.append(Related(other, named.title, named.kind, count))
                if len(found) == limit:
                    break
        return found

    def with_years(self, work: NamedThing) -> NamedThing:
        """Return a work with the first and the last year of its publications, of parts and translations too."""
        years = self._index.years(matching.of_thing(work.path, WORK))
        return msgspec.structs.replace(work, data={**work.data, "year": tuple(map(str, years))} if years else work.data)

    # -- lists of names

    def beginnings(self, kind: EntryKind, letters: str = "") -> list[tuple[str, int]]:
        """Return with which letters names of a kind begin, one more than ``letters`` (up to three), with their numbers.

        The names of publications and class marks are in no list.
        """
        found = self._index.tokens("begins", beginning_token(kind, letters, len(letters) + 1), _MAX_BEGINNINGS)
        return sorted((token.partition(" ")[2], count) for token, count in found)

    def names_with(self, kind: EntryKind, letters: str, limit: int, offset: int = 0) -> tuple[list[NamedThing], int]:
        """Return names of a kind that begin with one to three letters, in their order, and how many there are."""
        matches = self._index.find(matching.of_token("begins", beginning_token(kind, letters)), limit, offset, "title")
        return self._index.things(matches.hits), matches.total

    def marks_of(self, scheme: str, mark: str, limit: int, offset: int = 0) -> tuple[list[NamedThing], int]:
        """Return the marks in a class of one of ``bibld.text.class_divisions.SCHEMES``, and how many there are."""
        query = matching.of_classes(self._index, [f"{scheme}/{mark}"], "path")
        matches = self._index.find(query, limit, offset, "title")
        return self._index.things(matches.hits), matches.total

    def _count_of_class(self, scheme: str, mark: str) -> int:
        return self._index.count(matching.of_classes(self._index, [f"{scheme}/{mark}"]))

    # -- names

    def named(self, path: str) -> NamedThing | None:
        """Return the thing with a path; None if there is none."""
        return self._index.named(path)

    def suggest(self, text: str, limit: int = 5) -> list[NamedThing]:
        """Return things whose names contain the words of a text, the last of which may be a beginning.

        At most ``limit`` of each kind, of each those first that most publications have; nothing for a single letter.
        """
        words = to_query_words(text[:QUERY_LIMIT])[:MAX_WORDS]
        if sum(map(len, words)) < _MIN_LETTERS:
            return []
        titles = self._suggested_titles(words, limit)
        name_query = _beginning(self._index, words, "name_words")
        hits = self._index.find(matching.without(name_query, [_OF_WORKS]), _SUGGESTED).hits
        counts: dict[EntryKind, int] = {}
        chosen = []
        for hit, kind in zip(hits, self._index.kinds(hits), strict=True):
            counts[kind] = counts.get(kind, 0) + 1
            if counts[kind] <= limit:
                chosen.append(hit)
        works = self._index.things(self._index.find(_both(name_query, _OF_WORKS), limit).hits)
        found = [
            *self._index.things(chosen),
            *(each for each in works if each.path not in titles and self._is_named(each)),
        ]
        return [*titles.values(), *sorted(found, key=lambda each: (-each.uses, each.title))]

    def _suggested_titles(self, words: Sequence[str], limit: int) -> dict[str, NamedThing]:
        """Return works of several publications, and other publications, whose titles contain words, by their paths."""
        if len(words[-1]) < (_MIN_TITLE if len(words) == 1 else _MIN_TITLE - 1):
            return {}
        hits = self._index.find(_beginning(self._index, words, "title_words"), _TITLES_COMPARED * limit).hits
        tops = self._index.tops(hits)
        counts = {
            top: self._index.count(matching.of_top(top)) for top in set(tops) if self._index.frequency(["top"], top) > 1
        }
        found = list(zip(self._index.things(hits), tops, strict=True))
        names = {named.path: " ".join(to_words(named.title)) for named, _ in found}
        typed = " ".join(words)

        def order(each: tuple[NamedThing, int]) -> tuple[bool, bool, int]:
            name = names[each[0].path]
            return name != typed, not name.startswith(typed), -max(each[0].uses, counts.get(each[1], 0))

        best: dict[int, NamedThing] = {}
        for named, top in sorted(found, key=order):
            best.setdefault(top, named)
        chosen = [
            self._work_of(named) if counts.get(top, 0) > 1 else named for top, named in list(best.items())[:limit]
        ]
        return {each.path: each for each in chosen}

    def _work_of(self, publication: NamedThing) -> NamedThing:
        """Return the work under which a publication is folded, with its years; the publication if it has none."""
        stored = self._index.stored(publication.path)
        work = self.named(stored.top_work) if isinstance(stored, StoredPublication) and stored.top_work else None
        return self.with_years(work) if work is not None else publication

    def _is_named(self, work: NamedThing) -> bool:
        """Whether a work is suggested by its name: not if it has one publication, which is suggested by its title."""
        return work.uses > 1 or not self._index.count(matching.of_thing(work.path, WORK))

    def find(self, text: str, kinds: Sequence[EntryKind] = (), is_prefix: bool = False) -> list[NamedThing]:
        """Return things whose names contain the words of a text, the best first: all words, else the rarest of them.

        ``is_prefix``: the last word may be the beginning of one. At most 200 are returned.
        """
        words = list(dict.fromkeys(to_query_words(text[:QUERY_LIMIT])))[:MAX_WORDS]
        if not words:
            return []
        return self._all_words(words, kinds, is_prefix) or (self._some_words(words, kinds) if len(words) > 1 else [])

    def _all_words(self, words: Sequence[str], kinds: Sequence[EntryKind], is_prefix: bool) -> list[NamedThing]:
        queries = []
        if not kinds or EntryKind.PUBLICATION in kinds:
            queries = [_ending(self._index, words, "title_words", is_prefix)]
            if not is_prefix:
                queries.insert(0, matching.of_complete_title(words))
                queries += [matching.of_identifier(words[0])] if len(words) == 1 else []
        others = _of_others(_ending(self._index, words, "name_words", is_prefix), kinds)
        if others is not None:
            queries.insert(0 if is_prefix else len(queries), others)
        hits = distinct(hit for query in queries for hit in self._index.find(query, _MAX_THINGS).hits)
        return self._index.things(list(hits.values())[:_MAX_THINGS])

    def _some_words(self, words: Sequence[str], kinds: Sequence[EntryKind]) -> list[NamedThing]:
        """Return what has the rarest words, those that have most of them first."""
        by_word = []
        for word in words:
            queries = [_of_others(matching.of_token("name_words", word), kinds)]
            if not kinds or EntryKind.PUBLICATION in kinds:
                queries.append(matching.of_token("title_words", word))
            by_word.append(
                distinct(hit for query in queries if query for hit in self._index.find(query, _MAX_READ).hits)
            )
        rarest = sorted((hits for hits in by_word if hits), key=len)[:_RARE_WORDS]
        every = {key: hit for hits in rarest for key, hit in hits.items()}
        ordered = sorted(every, key=lambda key: (-sum(key in hits for hits in rarest), every[key][0]))
        return self._index.things([every[key] for key in ordered[:_MAX_THINGS]])


def _roles_of(stored: StoredPublication, path: str) -> list[str]:
    return [link.role or ("" if link.field == AUTHOR else link.field) for link in stored.links if link.path == path]


def _of_others(query: Query, kinds: Sequence[EntryKind]) -> Query | None:
    """Return what finds things other than publications, of some kinds if there are any; None if none can be found."""
    others = [kind for kind in kinds if kind != EntryKind.PUBLICATION]
    if kinds and not others:
        return None
    return matching.all_of([query, matching.of_kinds(others)]) if others else query


def _both(one: Query, other: Query) -> Query:
    return matching.all_of([one, other]) or matching.NOTHING


def _ending(index: IndexReader, words: Sequence[str], field: str, is_prefix: bool) -> Query:
    """Return what finds all words as they are, in any script; the last one may be a beginning."""
    groups = []
    for position, word in enumerate(words):
        key = skeleton_of(word)
        tokens = dict.fromkeys([word, key, "~" + key] if len(key) > 1 or len(words) > 1 else [word])
        is_beginning = is_prefix and position == len(words) - 1
        groups.append(
            matching.of_beginnings(index, tokens, field) if is_beginning else matching.of_tokens(field, tokens)
        )
    return matching.all_of(groups) or matching.NOTHING


def _beginning(index: IndexReader, words: Sequence[str], field: str) -> Query:
    """Return what finds all words in any form, the last of which is a beginning."""
    last = words[-1]
    key = skeleton_of(last)
    tokens = dict.fromkeys([last, "~" + key, key] if len(key) > 1 else [last])
    parts = [matching.of_words(words[:-1], [field], 2)]
    return matching.all_of([*parts, matching.of_beginnings(index, tokens, field)]) or matching.NOTHING


def open_search(
    release: Path, libraries: Mapping[str, str] | None = None, languages: Mapping[str, str] | None = None
) -> SearchView:
    """Open the index in the folder of a release, for reading only; see ``has_search``.

    ``libraries``: the ids of sources by names that queries may use, ``languages``: codes of languages by their names,
    both of folded words. Raises ``StageError``.
    """
    return SearchView(IndexReader(open_index(release / FOLDER)), libraries or {}, languages or {})
