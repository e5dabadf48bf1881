"""Folding of results: publications of one work, of its translations and its parts, become one result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec
from tantivy import Query

from bibld.search._documents import StoredName
from bibld.search._index import IndexHit, IndexReader, WorkFigures, top_number
from bibld.search._matching import ANY_PUBLICATION, Matcher, all_of, of_tops
from bibld.search._ranking import Rank
from bibld.search._values import Agent, SearchRequest, StoredPublication, WorkGroup

MAX_LISTED = 10_000
"""Publications among which works can be paged through, and are counted exactly."""

_MAX_SHOWN = 12
"""Publications of one work in a result."""

_MAX_CREATORS = 4
_AT_FIRST, _MORE = 2, 4
"""How many times as many publications as works are read, and how many times as many again if these are too few."""

Ranked = tuple[StoredPublication, bool, Rank]
"""A publication with its rank; the flag is False for the one whose identifier was searched for."""


def fold_hits(read: Callable[[int], Sequence[IndexHit]], index: IndexReader, wanted: int) -> list[IndexHit]:
    """Return the first publication of each work, in their order: at least ``wanted``, if there are as many.

    ``read`` returns the first publications, as many as it is told.
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


def count_works(index: IndexReader, match: Query, total: int) -> tuple[int, bool]:
    """Return how many works ``total`` publications belong to, and whether that is an estimate."""
    if total > MAX_LISTED:
        return index.count_tops(match), True
    return len(set(index.tops(index.find(match, total).hits))), False


class Folding:
    """Reads the publications of works."""

    def __init__(self, index: IndexReader, matcher: Matcher) -> None:
        self._index = index
        self._matcher = matcher

    def groups(self, found: Sequence[StoredPublication], request: SearchRequest) -> tuple[WorkGroup | None, ...]:
        """Return all publications of the works of some, as far as the filters of a search agree.

        None for a publication whose work has no other one.
        """
        if not found:
            return ()
        numbers = {each.top: top_number(each.top) for each in found}
        figures = self._index.figures(self._narrowed(numbers.values(), request), list(numbers.values()))
        return tuple(
            self._group(each.top, counted, request) if counted is not None and counted.total > 1 else None
            for each in found
            for counted in (figures.get(numbers[each.top]),)
        )

    def _narrowed(self, tops: Iterable[int], request: SearchRequest) -> Query:
        of_works = all_of([ANY_PUBLICATION, of_tops(tops)]) or ANY_PUBLICATION
        return self._matcher.narrow(of_works, request)

    def _group(self, top: str, counted: WorkFigures, request: SearchRequest) -> WorkGroup:
        hits = self._index.find(self._narrowed([top_number(top)], request), _MAX_SHOWN, sort="year").hits
        publications = self._index.publications(hits)
        stored = self._index.stored(top)
        paths: tuple[str, ...] = ()
        title = ""
        if isinstance(stored, StoredName):
            title, paths = stored.title, stored.work.creators if stored.work is not None else ()
        named = [(path, self._index.title(path)) for path in paths[:_MAX_CREATORS]]
        return WorkGroup(
            top,
            title or publications[0].title,
            tuple(Agent(path, name, "") for path, name in named if name),
            counted.total,
            counted.years,
            counted.languages,
            counted.libraries,
            tuple(publications),
        )
