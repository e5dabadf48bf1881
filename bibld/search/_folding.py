"""Folding of results: publications of one work, of its translations and its parts, become one result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

import msgspec
from tantivy import Query

from bibld.search._documents import StoredName
from bibld.search._index import IndexHit, IndexReader, Matches, WorkFigures, top_number
from bibld.search._matching import Matcher, of_top
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

    def groups(self, found: Iterable[StoredPublication], request: SearchRequest) -> tuple[WorkGroup | None, ...]:
        """Return all publications of the works of some, as far as the filters of a search agree.

        None for a publication whose work has no other one.
        """
        return tuple(self._group(each, request) for each in found)

    def _group(self, best: StoredPublication, request: SearchRequest) -> WorkGroup | None:
        top = best.top
        number = top_number(top)
        if not self._index.is_shared(number):
            return None
        query = self._matcher.narrow(of_top(number), request)
        matches = self._index.find(query, _MAX_SHOWN, sort="year")
        if matches.total < 2:
            return None
        publications = self._index.publications(matches.hits)
        figures = _figures_of(publications) if matches.total == len(publications) else self._index.figures(query)
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


def _figures_of(publications: Iterable[StoredPublication]) -> WorkFigures:
    years: set[int] = set()
    languages: Counter[str] = Counter()
    libraries: Counter[str] = Counter()
    for each in publications:
        languages.update(set(each.languages))
        libraries.update(each.libraries)
        if each.year:
            years.add(int(each.year.replace("-", "0")))
    ends = (min(years), max(years)) if years else ()
    return WorkFigures(tuple(dict.fromkeys(ends)), _most_frequent(languages), _most_frequent(libraries))


def _most_frequent(counted: Counter[str]) -> tuple[str, ...]:
    return tuple(sorted(counted, key=lambda value: (-counted[value], value)))
