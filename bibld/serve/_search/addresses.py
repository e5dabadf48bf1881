"""Addresses of searches: what is asked for is in the address alone, so each can be stored, sent and read again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

import msgspec

from bibld.search import EXCLUDABLE, FACETS, QUERY_LIMIT, SORTS, SearchRequest

NOT = "not_"
"""The beginning of the parameters that exclude: ``not_library=rsl``."""

FILTERS = (*FACETS, "series", "work", "class", "held_by", "id")
"""The parameters that filter, in the order in which addresses have them."""

PER_PAGE = 20
MAX_PER_PAGE = 100
_MAX_VALUES = 20
MAX_MARKED = 200
"""Publications of a list of marked ones."""

_MAX_VALUE_LENGTH = 300
_LAST_PAGE = 1_000_000
_DEFAULT_SORT = SORTS[0]


class Address(msgspec.Struct, frozen=True):
    """What an address asks for. ``path`` is that of the search page."""

    path: str
    request: SearchRequest

    @classmethod
    def read(cls, path: str, pairs: Sequence[tuple[str, str]]) -> Address:
        """Read the parameters of an address; those that are not understood are ignored."""
        given: dict[str, list[str]] = {}
        for name, value in pairs:
            given.setdefault(name, []).append(value)
        filters = {name: values for name in FILTERS if name != "id" and (values := _values(given.get(name, ())))}
        if marked := _values(given.get("id", ()), MAX_MARKED):
            filters["id"] = marked
        excluded = {name: values for name in EXCLUDABLE if (values := _values(given.get(NOT + name, ())))}
        years = [(given.get(name) or [""])[0].strip() for name in ("from", "to")]
        if any(years) and all(not year or (year.isdecimal() and len(year) <= 4) for year in years):
            filters["year"] = (years[0] if years[0] == years[1] else "-".join(years),)
        sort = (given.get("sort") or [_DEFAULT_SORT])[-1]
        return cls(
            path,
            SearchRequest(
                (given.get("q") or [""])[0][: QUERY_LIMIT + 1],  # one more: what is cut is stated
                filters,
                sort if sort in SORTS else _DEFAULT_SORT,
                _number(given.get("page"), 1, _LAST_PAGE),
                _number(given.get("per_page"), PER_PAGE, MAX_PER_PAGE),
                (given.get("literal") or [""])[0] in ("1", "true"),
                excluded=excluded,
                is_folded=(given.get("fold") or [""])[-1] not in ("0", "false"),
            ),
        )

    def query(self, request: SearchRequest | None = None) -> str:
        """Return the query of the address of a search, without a question mark; the default values are left out."""
        request = request or self.request
        pairs = [("q", request.text)] if request.text else []
        pairs += filter_pairs(request)
        if request.sort != _DEFAULT_SORT:
            pairs.append(("sort", request.sort))
        if request.literal:
            pairs.append(("literal", "1"))
        if not request.is_folded:
            pairs.append(("fold", "0"))
        if request.per_page != PER_PAGE:
            pairs.append(("per_page", str(request.per_page)))
        if request.page > 1:
            pairs.append(("page", str(request.page)))
        return urlencode(pairs)

    def href(self, request: SearchRequest | None = None, suffix: str = "") -> str:
        """Return the address of a search, ``suffix`` names a form such as ``.json``."""
        query = self.query(request)
        return f"{self.path}{suffix}?{query}" if query else f"{self.path}{suffix}"

    def with_page(self, page: int) -> str:
        """Return the address of another page of the results."""
        return self.href(msgspec.structs.replace(self.request, page=page))

    def with_sort(self, sort: str) -> str:
        """Return the address of the results in another order."""
        return self.href(msgspec.structs.replace(self.request, sort=sort, page=1))

    def with_folding(self, is_folded: bool) -> str:
        """Return the address of the results with, or without, the publications of a work as one."""
        return self.href(msgspec.structs.replace(self.request, is_folded=is_folded, page=1))

    def of_work(self, path: str) -> str:
        """Return the address of all publications of a work, with the same filters."""
        filters = {**self.request.filters, "work": (path,)}
        found = msgspec.structs.replace(self.request, text="", filters=filters, sort="year", page=1, is_folded=False)
        return self.href(found)

    def with_filter(self, name: str, value: str) -> str:
        """Return the address with one more value of a facet."""
        values = tuple(dict.fromkeys((*self.request.filters.get(name, ()), value)))
        return self._filtered({**self.request.filters, name: values}, _without(self.request.excluded, name, value))

    def with_excluded(self, name: str, value: str) -> str:
        """Return the address of the results that do not have a value of a facet."""
        values = tuple(dict.fromkeys((*self.request.excluded.get(name, ()), value)))
        return self._filtered(_without(self.request.filters, name, value), {**self.request.excluded, name: values})

    def without(self, name: str) -> str:
        """Return the address without any filter by a facet."""
        return self._filtered({**self.request.filters, name: ()})

    def only(self, name: str, value: str) -> str:
        """Return the address with one value of a facet instead of those that it has."""
        return self._filtered({**self.request.filters, name: (value,)})

    def without_filter(self, name: str, value: str) -> str:
        """Return the address without a value of a facet, which is neither wanted nor excluded in it."""
        return self._filtered(_without(self.request.filters, name, value), _without(self.request.excluded, name, value))

    def for_text(self, text: str, literal: bool = False) -> str:
        """Return the address of a search for another text, with the same filters."""
        return self.href(msgspec.structs.replace(self.request, text=text, literal=literal, page=1))

    def _filtered(
        self, filters: Mapping[str, tuple[str, ...]], excluded: Mapping[str, tuple[str, ...]] | None = None
    ) -> str:
        kept = {name: values for name, values in filters.items() if values}
        without = self.request.excluded if excluded is None else excluded
        return self.href(
            msgspec.structs.replace(
                self.request,
                filters=kept,
                excluded={name: values for name, values in without.items() if values},
                page=1,
            )
        )


def filter_pairs(request: SearchRequest) -> list[tuple[str, str]]:
    """Return the parameters of an address that filter a search."""
    pairs = [(name, value) for name in FILTERS for value in request.filters.get(name, ())]
    return pairs + [(NOT + name, value) for name in EXCLUDABLE for value in request.excluded.get(name, ())]


def _without(values: Mapping[str, tuple[str, ...]], name: str, value: str) -> dict[str, tuple[str, ...]]:
    return {**values, name: tuple(each for each in values.get(name, ()) if each != value)}


def _values(given: Sequence[str], limit: int = _MAX_VALUES) -> tuple[str, ...]:
    """Return the values of a parameter that filters, each once."""
    values = [value.strip() for value in given if value.strip()]
    return tuple(dict.fromkeys(value[:_MAX_VALUE_LENGTH] for value in values[:limit]))


def page_number(text: str) -> int:
    """Return the number of a page from an address; 1 if it states none."""
    return _number([text], 1, _LAST_PAGE)


def _number(values: Sequence[str] | None, default: int, most: int) -> int:
    text = (values or [""])[0]
    return min(max(1, int(text)), most) if text.isascii() and text.isdecimal() and len(text) < 10 else default
