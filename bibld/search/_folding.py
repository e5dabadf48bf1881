"""Folding of results: publications of one work, of its translations and its parts, become one result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

import msgspec
from tantivy import Query

from bibld.search._documents import StoredName
from bibld.search._index import IndexHit, IndexReader, Matches, WorkFigures, top_number
from bibld.search._matching import Matcher, any_of, of_top
from bibld.search._ranking import Rank
from bibld.search._values import Agent, SearchRequest, StoredPublication, WorkGroup

MAX_LISTED = 10_000
"""Publications among which works can be paged through."""

_MAX_COUNTED = 1000
"""Publications whose works are counted one by one; the works of more are estimated."""

_DIGITS = 2
"""Digits of an estimate that are not zeros."""

_MAX_SHOWN = 12
"""Publications of one work in a result."""

_MAX_AT_ONCE = 200
"""Publications of all works of a page that one query reads."""

_MAX_CREATORS = 4
_WORKS_REMEMBERED = 10_000
_AT_FIRST, _MORE = 2, 4
"""How many times as many publications as works are read, and how many times as many again if these are too few."""

Ranked = tuple[StoredPublication, bool, Rank]
"""A publication with its rank; the flag is False for the one whose identifier was searched for."""


def fold_hits(read: Callable[[int], Sequence[IndexHit]], index: IndexReader, wanted: int) -> list[IndexHit]:
    """Return the first publication of each work, in their order: at least ``wanted``, if there are as many.

    ``read`` returns the first publications up to a number of them.
    """
    limit = min(_AT_FIRST * wanted, MAX_LISTED)
    while True:
        hits = read(limit)[:limit]
        first: dict[int, IndexHit] = {}
        for top, hit in zip(index.tops(hits), hits, strict=True):
            first.setdefault(top, hit)
        if len(first) >= wanted or len(hits) < limit or limit == MAX_LISTED:
            return list(first.values())
        limit = min(_MORE * limit, MAX_LISTED)


def fold_ranked(ranked: Iterable[Ranked]) -> list[StoredPublication]:
    """Return the best publication of each work, the best first.

    Among equals it decides how many records describe those publications of the work that were found.
    """
    best: dict[str, Ranked] = {}
    records: dict[str, int] = {}
    for each in ranked:
        top = each[0].top
        records[top] = records.get(top, 0) + each[2].records
        if top not in best or each[1:] < best[top][1:]:
            best[top] = each

    def order(each: Ranked) -> tuple[bool, Rank]:
        return each[1], msgspec.structs.replace(each[2], records=records[each[0].top])

    return [publication for publication, _, _ in sorted(best.values(), key=order)]


def count_works(index: IndexReader, match: Query, found: Matches) -> tuple[int, bool]:
    """Return how many works the publications have that a query finds, and whether that is an estimate.

    ``found`` has some of them.
    """
    if found.total > _MAX_COUNTED:
        estimate = index.count_tops(match)
        return round(estimate, _DIGITS - len(str(estimate))), True
    hits = found.hits if len(found.hits) == found.total else index.find(match, found.total).hits
    return len(set(index.tops(hits))), False


class Folding:
    """Reads the publications of works."""

    def __init__(self, index: IndexReader, matcher: Matcher) -> None:
        self._index = index
        self._matcher = matcher
        self._heading = lru_cache(_WORKS_REMEMBERED)(self._read_heading)

    def groups(self, found: Sequence[StoredPublication], request: SearchRequest) -> tuple[WorkGroup | None, ...]:
        """Return all publications of the works of some, as far as the filters of a search agree.

        None for a publication whose work has no other one.
        """
        numbers = [top_number(each.top) for each in found]
        matches = self._matches(numbers, request)
        return tuple(
            self._group(each, matches[number], request) if number in matches and matches[number].total > 1 else None
            for each, number in zip(found, numbers, strict=True)
        )

    def _matches(self, numbers: Iterable[int], request: SearchRequest) -> dict[int, Matches]:
        """Return the publications that are folded under paths with some numbers, by year: one query if they are few."""
        shared = {number: count for number in numbers if (count := self._index.frequency(["top"], number)) > 1}
        total = sum(shared.values())
        if total > _MAX_AT_ONCE:
            queries = {number: self._narrowed([number], request) for number in shared}
            return {number: self._index.find(query, _MAX_SHOWN, sort="year") for number, query in queries.items()}
        hits = self._index.find(self._narrowed(shared, request), total, sort="year").hits if shared else []
        found: dict[int, list[IndexHit]] = {}
        for top, hit in zip(self._index.tops(hits), hits, strict=True):
            found.setdefault(top, []).append(hit)
        return {number: Matches(len(each), each[:_MAX_SHOWN]) for number, each in found.items()}

    def _narrowed(self, numbers: Iterable[int], request: SearchRequest) -> Query:
        return self._matcher.narrow(any_of(map(of_top, numbers)), request)

    def _group(self, best: StoredPublication, matches: Matches, request: SearchRequest) -> WorkGroup:
        top = best.top
        publications = self._index.publications(matches.hits)
        if matches.total == len(publications):
            figures = _figures_of(publications)
        else:
            figures = self._index.figures(self._narrowed([top_number(top)], request))
        title, creators = self._heading(top)
        named = {link.path for link in best.links}
        return WorkGroup(
            top,
            title or publications[0].title,
            tuple(agent for agent in creators if agent.path in named) or creators,
            matches.total,
            figures.years,
            figures.languages,
            figures.libraries,
            tuple(publications),
        )

    def _read_heading(self, top: str) -> tuple[str, tuple[Agent, ...]]:
        """Return the title and the creators of a work."""
        stored = self._index.stored(top)
        if not isinstance(stored, StoredName) or stored.work is None:
            return "", ()
        named = [(path, self._index.title(path)) for path in stored.work.creators[:_MAX_CREATORS]]
        return stored.title, tuple(Agent(path, name, "") for path, name in named if name)


def _figures_of(publications: Sequence[StoredPublication]) -> WorkFigures:
    years = [int(each.year.replace("-", "0")) for each in publications if each.year]
    ends = (min(years), max(years)) if years else ()
    languages = [language for each in publications for language in set(each.languages)]
    libraries = [library for each in publications for library in each.libraries]
    return WorkFigures(tuple(dict.fromkeys(ends)), _most_frequent(languages), _most_frequent(libraries))


def _most_frequent(values: list[str]) -> tuple[str, ...]:
    return tuple(sorted(set(values), key=lambda value: (-values.count(value), value)))
