"""Searches: what a text finds, in which order, and what to search for if it finds nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec
from tantivy import Query

from bibld.search import _matching as matching
from bibld.search._documents import LINK_FIELDS
from bibld.search._folding import MAX_LISTED, Folding, count_works, fold_hits, fold_ranked
from bibld.search._index import TEXT_FIELDS, IndexHit, IndexReader, Matches, distinct, is_mark
from bibld.search._matching import ParsedQuery, parse
from bibld.search._ranking import Ranking
from bibld.search._values import FACETS, Correction, FacetValue, SearchRequest, SearchResult, StoredPublication
from bibld.search._words import other_keyboard_layout, to_query_words

_RANKED = 200
"""Up to this many results are ranked one by one; more are in the order of their tiers."""

_FEW = 10
_VERY_FEW = 3
_MIN_BEGINNING = 4
"""Letters of a last word that is completed."""

_MAX_DROPPED = 6
_MAX_TRIED = 12
_MAX_RESPELT = 3
_MAX_VALUES = 15
_MAX_YEARS = 3000
_MARKS_AMONG = 3
"""How many times as many values as are shown are looked at: class marks among them are left out."""

_EXACT, _FORMS, _SCRIPTS = range(3)


class Attempt(msgspec.Struct, frozen=True):
    """A query with what it finds. ``level``: see ``of_words``.

    ``text`` finds what the query does, ``match`` that as far as the filters of the search agree; ``matches`` has a few
    more than are ranked.
    """

    query: ParsedQuery
    text: Query
    match: Query
    level: int
    matches: Matches
    correction: Correction | None = None

    @property
    def total(self) -> int:
        """The number of publications that are found."""
        return self.matches.total


def _no_result(query: ParsedQuery) -> Attempt:
    return Attempt(query, matching.NOTHING, matching.NOTHING, _SCRIPTS, Matches(0, []))


class ResultPage(NamedTuple):
    """The results of a page, whether more pages follow, and the paths of all publications that were found, if few."""

    found: list[StoredPublication]
    has_next: bool
    paths: tuple[str, ...] = ()


class Searches:
    """Answers searches of one release."""

    def __init__(self, index: IndexReader, libraries: Mapping[str, str], languages: Mapping[str, str]) -> None:
        self._index = index
        self._matcher = matching.Matcher(index, libraries, languages)
        self._folding = Folding(index, self._matcher)

    def search(self, request: SearchRequest) -> SearchResult:
        """Return what a search finds."""
        query = parse(request.text)
        missing = self._missing_number(query, request)
        attempt = _no_result(query) if missing else self._attempt(query, request)
        ranking = Ranking(attempt.query)
        found, has_next, paths = self._page(attempt, request, ranking)
        works, is_estimate = None, False
        if request.is_folded:
            works, is_estimate = count_works(self._index, attempt.match, attempt.matches)
        is_number = bool(query.identifier) and bool(found) and matching.has_wrong_check_digit(query.identifier)
        return SearchResult(
            tuple(msgspec.structs.replace(each, why=ranking.why(each)) for each in found),
            attempt.total,
            self._folding.groups(found, request) if request.is_folded else (),
            works,
            is_estimate,
            has_next,
            paths,
            self._facets(attempt, request) if request.with_facets else {},
            attempt.correction,
            understood(attempt.query),
            wrong_check_digit=is_number or (bool(missing) and matching.has_wrong_check_digit(query.identifier)),
            is_cut=query.is_cut,
            missing_number=missing,
        )

    def _missing_number(self, query: ParsedQuery, request: SearchRequest) -> str:
        """Return what kind of identifier a query is that no publication has; empty for all other queries.

        A number that is no ISBN, ISSN or DOI may also be a word of a title.
        """
        kind = matching.kind_of_number(query) if not request.literal else ""
        if not kind or self._index.count(matching.of_identifier(query.identifier)):
            return ""
        return kind if kind != "number" or not self._has(to_query_words(query.identifier), _EXACT) else ""

    def match_of(self, request: SearchRequest) -> Query:
        """Return the query of the index for a search."""
        query = parse(request.text)
        return (_no_result(query) if self._missing_number(query, request) else self._attempt(query, request)).match

    # -- facets

    def facet(self, name: str, request: SearchRequest, limit: int) -> tuple[FacetValue, ...]:
        """Return the values of one facet of a search, the most frequent first."""
        counted = self._index.counts(self.match_of(request), {name: _size(name, limit)})
        return self._values(name, counted[name], (), limit)

    def _facets(self, attempt: Attempt, request: SearchRequest) -> dict[str, tuple[FacetValue, ...]]:
        """Return all facets; of one that is filtered by, the counts are those without its filters."""
        chosen = {name: (*request.filters.get(name, ()), *request.excluded.get(name, ())) for name in FACETS}
        sizes = {name: _size(name, _MAX_VALUES) for name in FACETS}
        counted = self._index.counts(attempt.match, {name: sizes[name] for name in FACETS if not chosen[name]})
        for name in FACETS:
            if chosen[name]:
                others = self._matcher.narrow(attempt.text, request, except_for=name)
                counted |= self._index.counts(others, {name: sizes[name]})
                rare = {*chosen[name]} - {value for value, _ in counted[name]} if name != "year" else ()
                for value in sorted(rare):
                    both = matching.all_of([others, self._matcher.of_filter(name, (value,))]) or others
                    counted[name].append((value, self._index.count(both)))
        return {name: self._values(name, counted[name], chosen[name], _MAX_VALUES) for name in FACETS}

    def _values(
        self, name: str, counted: list[tuple[str, int]], chosen: tuple[str, ...], limit: int
    ) -> tuple[FacetValue, ...]:
        """Return the values of a facet, the most frequent first; years in their order; all that are chosen."""
        if name == "year":
            return tuple(FacetValue(year, "", count) for year, count in sorted(counted))
        found: list[FacetValue] = []
        for value, count in counted:
            if value not in chosen and len(found) >= limit:
                continue
            if name not in LINK_FIELDS:
                found += [FacetValue(value, "", count)] if count else []
            elif (title := self._index.title(value)) and (value in chosen or not is_mark(value, title)):
                found.append(FacetValue(value, title, count))
        return tuple(found)

    # -- what is searched for

    def _attempt(self, query: ParsedQuery, request: SearchRequest) -> Attempt:
        """Return the first of several queries that finds something: the text itself, then corrected."""
        if query.is_empty or request.literal:
            level = _EXACT if request.literal else _FORMS
            return self._try(query, request, level)
        own = self._try(query, request, _FORMS)
        if own.total < _FEW:
            wider = self._try(query, request, _SCRIPTS)
            if wider.total > own.total:
                is_other = not own.total
                own = msgspec.structs.replace(wider, correction=Correction("script", query.text) if is_other else None)
        if not own.total or (own.total < _VERY_FEW and len(query.words) == 1):
            own = self._completed(own, request) or own
        if own.total:
            return own
        return self._corrected(query, request) or own

    def _completed(self, own: Attempt, request: SearchRequest) -> Attempt | None:
        """Take the last word of a query for the beginning of one; None if that finds no more."""
        query = own.query
        beginning = query.words[-1] if query.words else ""
        is_last = query.text[-1:].isalnum() and to_query_words(query.text)[-1:] == [beginning]
        if len(beginning) < _MIN_BEGINNING or not is_last or query.identifier:
            return None
        text = self._matcher.of_beginning(query, self._index)
        both = matching.any_of([own.text, text])
        match = self._matcher.narrow(both, request)
        matches = self._index.find(match, _RANKED + 1)
        if matches.total <= own.total:
            return None
        return Attempt(query, both, match, _SCRIPTS, matches, Correction("beginning", query.text))

    def _try(self, query: ParsedQuery, request: SearchRequest, level: int) -> Attempt:
        text = self._matcher.of_query(query, level)
        if query.identifier:
            text = matching.any_of(
                [each for each in (text, matching.of_identifier(query.identifier)) if each is not None]
            )
        text = text or matching.ANY_PUBLICATION
        match = self._matcher.narrow(text, request)
        return Attempt(query, text, match, level, self._index.find(match, _RANKED + 1))

    def _corrected(self, query: ParsedQuery, request: SearchRequest) -> Attempt | None:
        layout = other_keyboard_layout(query.text)
        if layout != query.text:
            attempt = self._try(parse(layout), request, _FORMS)
            if attempt.total:
                return msgspec.structs.replace(attempt, correction=Correction("keyboard", layout))
        unknown = [word for word in query.words if not self._has([word], _SCRIPTS)]
        return self._respelt(query, unknown, request) or self._without(query, unknown, request)

    def _has(self, words: Sequence[str], level: int) -> bool:
        """Whether the texts of a publication of the release have all of some words."""
        return self._index.count(matching.of_words(words, TEXT_FIELDS, level) or matching.NOTHING) > 0

    def _respelt(self, query: ParsedQuery, unknown: list[str], request: SearchRequest) -> Attempt | None:
        replaced = {}
        for word in unknown:
            candidates = [each for each in corrections(self._index, word, _MAX_RESPELT) if self._has([each], _EXACT)]
            if candidates:
                replaced[word] = candidates
        if not replaced:
            return None
        texts: list[str] = []
        for rank in range(max(map(len, replaced.values()))):
            chosen = {word: candidates[min(rank, len(candidates) - 1)] for word, candidates in replaced.items()}
            texts.append(" ".join([*(chosen.get(word, word) for word in query.words), *query.optional]))
        kept = [word for word in query.words if word not in unknown or word in replaced]
        texts.append(" ".join(replaced[word][0] if word in replaced else word for word in kept))
        for text in dict.fromkeys(texts):
            corrected = msgspec.structs.replace(parse(text), fields=query.fields, years=query.years)
            attempt = self._try(corrected, request, _SCRIPTS)
            if attempt.total:
                removed = tuple(word for word in unknown if word not in replaced) if text == texts[-1] else ()
                return msgspec.structs.replace(attempt, correction=Correction("spelling", text, removed))
        return None

    def _without(self, query: ParsedQuery, unknown: list[str], request: SearchRequest) -> Attempt | None:
        """Leave out the words that nothing has, else the one without which most is found, else all that do not fit.

        Of a query that has fields, those are left out first: their words may be anywhere.
        """
        if query.fields:
            anywhere = parse(" ".join([*query.words, *(word for term in query.fields for word in term.words)]))
            attempt = self._try(msgspec.structs.replace(anywhere, years=query.years), request, _SCRIPTS)
            if attempt.total:
                return msgspec.structs.replace(attempt, correction=Correction("anywhere", anywhere.text))
        best: Attempt | None = None
        choices = [set(unknown)] if unknown else [{word} for word in query.words[:_MAX_DROPPED]]
        for dropped in choices:
            attempt = self._reduced(query, [word for word in query.words if word not in dropped], request)
            if attempt.total and (best is None or attempt.total > best.total):
                best = attempt
        if best is None:
            kept: list[str] = []
            for word in query.words[:_MAX_TRIED]:
                attempt = self._reduced(query, [*kept, word], request)
                if attempt.total:
                    kept.append(word)
                    best = attempt
        return best

    def _reduced(self, query: ParsedQuery, words: list[str], request: SearchRequest) -> Attempt:
        """Search for some of the words of a query."""
        kept = tuple(words)
        if not kept and not query.phrases and not query.fields:
            return _no_result(query)
        smaller = msgspec.structs.replace(query, words=kept, optional=(), identifier="", text=" ".join(kept))
        removed = tuple(word for word in query.words if word not in kept)
        attempt = self._try(smaller, request, _SCRIPTS)
        return msgspec.structs.replace(attempt, correction=Correction("without", " ".join(kept), removed))

    # -- in which order

    def _page(self, attempt: Attempt, request: SearchRequest, ranking: Ranking) -> ResultPage:
        """Return the publications of a page; if folded, the best one of each work."""
        first = max(0, request.page - 1) * request.per_page
        last = min(first + request.per_page, MAX_LISTED)
        if first >= last:
            return ResultPage([], False)
        sort = "libraries" if attempt.query.is_empty and request.sort == "relevance" else request.sort
        if sort == "relevance" and attempt.total <= _RANKED:
            found = self._ranked(attempt, request, ranking)
            paths = tuple(each.path for each in self._index.publications(attempt.matches.hits))
            return ResultPage(found[first:last], len(found) > last, paths)

        def read(limit: int) -> list[IndexHit]:
            if sort == "relevance":
                return self._tiers(attempt, request, limit)
            return self._index.find(attempt.match, limit, 0, sort).hits

        hits = fold_hits(read, self._index, last + 1) if request.is_folded else read(min(last + 1, MAX_LISTED))
        return ResultPage(self._index.publications(hits[first:last]), len(hits) > last)

    def _ranked(self, attempt: Attempt, request: SearchRequest, ranking: Ranking) -> list[StoredPublication]:
        """Return all publications of a few, the best first; if folded, the best one of each work."""
        exact: list[str] = []
        if attempt.query.identifier:
            exact = self._index.paths(matching.of_identifier(attempt.query.identifier), _RANKED)
        found = self._index.publications(attempt.matches.hits)
        ranked = [(each, each.path not in exact, ranking.rank(each)) for each in found]
        if request.is_folded:
            return fold_ranked(ranked)
        return [each for each, _, _ in sorted(ranked, key=lambda each: each[1:])]

    def _tiers(self, attempt: Attempt, request: SearchRequest, last: int) -> list[IndexHit]:
        """Return at least the first ``last`` of many, the best first: one query for each tier."""
        query = attempt.query
        words = query.all_words
        of_fields = self._matcher.of_fields(query, attempt.level)
        tiers: list[Query | None] = []
        if query.identifier:
            tiers.append(matching.of_identifier(query.identifier))
        if words:
            tiers += [matching.of_complete_title(words), matching.of_main_title(words, attempt.level)]
            tiers += [matching.of_title_beginning(words)]
            tiers.append(matching.of_phrase(words, ["title_words"]))
        tiers += [
            matching.of_words(query.words, ["title_words"], _EXACT),
            matching.of_words(query.words, ["title_words"], attempt.level),
            matching.of_words(query.words, ["title_words", "agent_words"], attempt.level),
        ]
        wanted = [matching.all_of([tier, of_fields]) for tier in tiers if tier is not None]
        queries = [self._matcher.narrow(each, request) for each in wanted if each is not None]
        found: dict[tuple[int, int], IndexHit] = {}
        for each in [*queries, attempt.match]:
            found = distinct([*found.values(), *self._index.find(each, last).hits])
            if len(found) >= last:
                break
        return list(found.values())


def _size(name: str, limit: int) -> int:
    """Return how many values of a facet are read to show some."""
    return _MAX_YEARS if name == "year" else _MARKS_AMONG * limit


def understood(query: ParsedQuery) -> dict[str, object]:
    """Return the parts of a query by their names."""
    parts: dict[str, object] = {"words": [*query.words, *query.optional]}
    if query.phrases:
        parts["phrases"] = [" ".join(phrase) for phrase in query.phrases]
    for term in query.fields:
        parts[term.field] = term.text
    if query.years is not None:
        parts["year"] = list(query.years)
    return parts


_MIN_LETTERS, _MAX_LETTERS = 4, 24
_SHORT_WORD = 5
"""Letters of a word in which only one misprint is looked for."""

_BEGINNING, _LONG_BEGINNING, _LONG_WORD = 4, 5, 10
_MAX_COMPARED = 20_000
_ODDS_OF_EDIT = 200
"""How many times as many publications a word needs to be as likely as one with a misprint less."""

_ODDS_OF_INITIAL = 10
_FREQUENT = 20
"""Publications that have a word; where one is near, a word that only one has is taken for a misprint itself."""

_ALPHABETS = ("abcdefghijklmnopqrstuvwxyz", "абвгдежзийклмнопрстуфхцчшщъыьэюя", "ґєіїў", "αβγδεζηθικλμνξοπρσςτυφχψω")


class _Candidate(msgspec.Struct, frozen=True):
    term: str
    distance: int
    publications: int


def corrections(index: IndexReader, word: str, limit: int = 3) -> list[str]:
    """Return words that a misspelt one may stand for, the likeliest first: frequent ones with few misprints.

    Words that only one publication has are among them if no frequent one is near.
    """
    if not _MIN_LETTERS - 1 <= len(word) <= _MAX_LETTERS or not word.isalpha():
        return []
    near = [_Candidate(term, 1, count) for term in _edits(word) if (count := index.frequency(TEXT_FIELDS, term))]
    found = near
    if len(word) > _SHORT_WORD and max((each.publications for each in near), default=0) < _FREQUENT:
        far = {term for term in _with_beginnings(index, word) if edit_distance(word, term, 2) == 2}
        found = near + [_Candidate(term, 2, index.frequency(TEXT_FIELDS, term)) for term in far]
    if any(each.publications >= _FREQUENT for each in found):
        found = [each for each in found if each.publications > 1]

    def likelihood(each: _Candidate) -> float:
        other = _ODDS_OF_INITIAL if each.term[0] != word[0] else 1
        return each.publications / (other * float(_ODDS_OF_EDIT) ** each.distance)

    found.sort(key=lambda each: (-likelihood(each), each.term))
    return [each.term for each in found[:limit]]


def _with_beginnings(index: IndexReader, word: str) -> Iterator[str]:
    """Yield words that begin as a word does, or with one misprint in the beginning, and have about its length."""
    length = _LONG_BEGINNING if len(word) >= _LONG_WORD else _BEGINNING
    beginnings = {word[:length], *(each[:length] for each in _edits(word[: length + 1]))}
    lengths = range(len(word) - 2, len(word) + 3)
    compared = 0
    for beginning in sorted(beginnings):
        terms = {term for field in TEXT_FIELDS for term, _ in index.tokens(field, beginning, _MAX_COMPARED)}
        for term in sorted(terms):
            if len(term) in lengths and compared < _MAX_COMPARED:
                compared += 1
                yield term


def _edits(word: str) -> set[str]:
    """Return all texts that differ from a word by one letter, added, removed, replaced or swapped with the next."""
    letters = "".join(alphabet for alphabet in _ALPHABETS if not set(alphabet).isdisjoint(word))
    parts = [(word[:position], word[position:]) for position in range(len(word) + 1)]
    found = {start + rest[1:] for start, rest in parts if rest}
    found |= {start + rest[1] + rest[0] + rest[2:] for start, rest in parts if len(rest) > 1}
    found |= {start + letter + rest[1:] for start, rest in parts if rest for letter in letters}
    found |= {start + letter + rest for start, rest in parts for letter in letters}
    return {each for each in found if each != word and len(each) >= _MIN_LETTERS}


def edit_distance(one: str, other: str, limit: int) -> int:
    """Return how many letters have to be added, removed, replaced or swapped; ``limit + 1`` if there are more."""
    if abs(len(one) - len(other)) > limit:
        return limit + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for position, letter in enumerate(one, 1):
        following = [position]
        for at, beside in enumerate(other, 1):
            cost = min(row[at] + 1, following[at - 1] + 1, row[at - 1] + (letter != beside))
            if position > 1 and at > 1 and letter == other[at - 2] and one[position - 2] == beside:
                cost = min(cost, before[at - 2] + 1)
            following.append(cost)
        if min(following) > limit:
            return limit + 1
        before, row = row, following
    return row[-1]
