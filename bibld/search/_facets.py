"""Counts of facets: exact for results that can be counted at once, estimated from a sample above."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from bibld.search._codes import (
    LANGUAGE,
    LIBRARY,
    LINKED_TO_AUTHORITY,
    MERGED,
    TYPE,
    TYPES,
    YEAR,
    Codes,
    facet_of_group,
    language_code,
    unpack_codes,
    values_of,
)
from bibld.search._matching import Matcher
from bibld.search._reader import Rows
from bibld.search._schema import BUCKETS
from bibld.search._values import FACETS, Asked, FacetValue
from bibld.text.class_marks import is_class_mark

COUNTED = 4000
"""Publications whose facets are read; of more, those of a sample."""

MOST_COUNTED = 50_000
"""Up to this many, the total is exact."""

_MOST_VALUES = 15
_MARKS_AMONG = 3
"""How many times as many values as are shown are looked at: class marks among them are left out."""

_CODE_OF_FACET = {
    "library": LIBRARY,
    "year": YEAR,
    "language": LANGUAGE,
    "type": TYPE,
    "merged": MERGED,
    "authority": LINKED_TO_AUTHORITY,
    "author": facet_of_group("w"),
    "subject": facet_of_group("s"),
    "publisher": facet_of_group("p"),
    "series": facet_of_group("q"),
    "place": facet_of_group("k"),
}
_BY_LINK = ("author", "subject", "publisher", "series", "place")


def is_mark(path: str, title: str) -> bool:
    """Whether a thing is a class mark, which explains nothing in a list of subjects."""
    folder, _, rest = path.partition("/")
    return folder == "concept" and is_class_mark(rest.partition("/")[0], title)


class Counts:
    """Publications with each value, by facet and value; ``total`` of all. They are estimates if ``is_about``."""

    def __init__(self, rows: Rows, query: str) -> None:
        merged, singles = (f" AND words.rowid {sign} {rows.first_row(BUCKETS - 1)}" for sign in ("<", ">="))
        first = rows.matching(query, COUNTED // 2 + 1, "entry.id, codes", merged)
        second = rows.matching(query, COUNTED - min(len(first), COUNTED // 2) + 1, "entry.id, codes", singles)
        is_complete = len(first) <= COUNTED // 2 and len(first) + len(second) <= COUNTED
        self.is_about = not is_complete
        self.total = 0
        found = []
        for sample, condition in ((first, merged), (second, singles)):
            count = len(sample) if is_complete else rows.count(query, MOST_COUNTED, condition)
            codes, counts = _count(b"".join(each for _, each in sample))
            found.append((codes, counts * (count / max(1, len(sample)))))
            self.total += count
        every = np.concatenate([codes for codes, _ in found])
        weights = np.concatenate([counts for _, counts in found])
        self._codes, places = np.unique(every, return_inverse=True)
        self._counts = np.round(np.bincount(places, weights=weights, minlength=len(self._codes)))

    def of(self, facet: str) -> list[tuple[int, int]]:
        """Return values of a facet with their counts, the most frequent first."""
        chosen, values = values_of(self._codes, _CODE_OF_FACET[facet])
        counts = self._counts[chosen]
        order = np.lexsort((values, -counts))
        return [(int(values[place]), int(counts[place])) for place in order]


def _count(codes: bytes) -> tuple[Codes, npt.NDArray[np.float64]]:
    values, counts = np.unique(unpack_codes(codes), return_counts=True)
    return values, counts.astype(np.float64)


class Facets:
    """Makes the facets of searches."""

    def __init__(self, rows: Rows, matcher: Matcher) -> None:
        self._rows = rows
        self._matcher = matcher

    def of(self, text: str, asked: Asked, counts: Counts) -> dict[str, tuple[FacetValue, ...]]:
        """Return all facets; of one that is filtered by, the counts are those without its filters."""
        found = {}
        for name in FACETS:
            chosen = (*asked.filters.get(name, ()), *asked.excluded.get(name, ()))
            of_facet = Counts(self._rows, self._matcher.narrow(text, asked, except_for=name)) if chosen else counts
            found[name] = self.values(name, of_facet, chosen)
        return found

    def values(
        self, name: str, counts: Counts, chosen: tuple[str, ...] = (), limit: int = _MOST_VALUES
    ) -> tuple[FacetValue, ...]:
        """Return the values of a facet, the most frequent first; years in their order; all that are chosen."""
        listed = counts.of(name)
        if name == "year":
            return tuple(FacetValue(str(year), "", count) for year, count in sorted(listed))
        if name in _BY_LINK:
            return self._linked(name, listed, chosen, limit)
        values = [FacetValue(value, "", count) for number, count in listed if (value := self._value(name, number))]
        return tuple(value for place, value in enumerate(values) if place < limit or value.value in chosen)

    def _linked(
        self, name: str, listed: list[tuple[int, int]], chosen: tuple[str, ...], limit: int
    ) -> tuple[FacetValue, ...]:
        ids = {id_ for path in chosen if (id_ := self._rows.id_of(path)) is not None}
        kept = [pair for place, pair in enumerate(listed) if place < _MARKS_AMONG * limit or pair[0] in ids]
        kept += [(id_, 0) for id_ in sorted(ids - {id_ for id_, _ in kept})]
        names = self._rows.names(id_ for id_, _ in kept)
        values = [
            FacetValue(*names[id_], count)
            for id_, count in kept
            if id_ in names and (id_ in ids or not is_mark(*names[id_]))
        ]
        return tuple(value for place, value in enumerate(values) if place < limit or value.value in chosen)

    def _value(self, name: str, number: int) -> str:
        if name == "library":
            return self._rows.sources.get(number, "")
        if name == "language":
            return language_code(number)
        if name == "type":
            return TYPES[number]
        return "true" if number else "false"
