"""Reads the index of one release."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from tantivy import DocAddress, Index, Order, Query

from bibld.search._documents import EntryKind
from bibld.search._index import KINDS, SCHEMA, Stored, decode, weight_of
from bibld.search._values import NamedThing, StoredPublication

_ORDERS = {
    "libraries": ("order", Order.Asc),
    "year": ("year", Order.Asc),
    "-year": ("year", Order.Desc),
    "title": ("title_order", Order.Asc),
}
"""The field that each order of results follows; documents without a value come last."""

_MAX_VALUES = 1_000_000
_TITLES_REMEMBERED = 20_000


IndexHit = tuple[int, DocAddress]
"""A document that was found, with the value that results are sorted by."""


class Matches(NamedTuple):
    """The number of all documents that a query finds, and some of them."""

    total: int
    hits: list[IndexHit]


class IndexReader:
    """The documents of one index; to be used in one thread at a time."""

    def __init__(self, index: Index) -> None:
        self._searcher = index.searcher()
        self.title = lru_cache(_TITLES_REMEMBERED)(self._read_title)
        """Return the title of a thing by its path; empty if it has none."""

    @cached_property
    def libraries(self) -> list[str]:
        """The ids of all sources."""
        return [library for library, _ in self._searcher.terms_with_prefix("library", "")]

    def find(self, query: Query, limit: int, offset: int = 0, sort: str = "libraries") -> Matches:
        """Return what a query finds in an order: ``libraries``, ``year``, ``-year`` or ``title``."""
        field, order = _ORDERS.get(sort, _ORDERS["libraries"])
        found = self._searcher.search(query, max(1, limit), order_by_field=field, offset=offset, order=order)
        total: int = found.count  # type: ignore[attr-defined]  # tantivy's stubs lack it
        return Matches(total, found.hits if limit > 0 else [])

    def count(self, query: Query) -> int:
        """Return how many documents a query finds."""
        return self.find(query, 0).total

    def read(self, hits: Iterable[IndexHit]) -> list[Stored]:
        """Return what is stored of documents."""
        return [decode(self._searcher.doc(address)["data"][0]) for _, address in hits]

    def publications(self, hits: Iterable[IndexHit]) -> list[StoredPublication]:
        """Return what is stored of publications."""
        return [stored for stored in self.read(hits) if isinstance(stored, StoredPublication)]

    def stored(self, path: str) -> Stored | None:
        """Return what is stored of the thing with a path; None if there is none."""
        return next(iter(self.read(self._by_path(path))), None)

    def _by_path(self, path: str) -> list[IndexHit]:
        return self.find(Query.term_query(SCHEMA, "path", path, "basic"), 1).hits

    def _read_title(self, path: str) -> str:
        stored = self.stored(path)
        return stored.title if stored is not None else ""

    def paths(self, query: Query, limit: int | None = None) -> list[str]:
        """Return the paths of what a query finds, those of the greatest weight first."""
        return [stored.path for stored in self.read(self.find(query, self._all if limit is None else limit).hits)]

    @property
    def _all(self) -> int:
        return max(1, self._searcher.num_docs)

    def kinds(self, hits: Sequence[IndexHit]) -> list[EntryKind]:
        """Return the kinds of documents without reading what is stored of them."""
        numbers = self._searcher.fast_field_values("kind", [address for _, address in hits])
        return [KINDS[int(number or 0)] for number in numbers]

    def named(self, path: str) -> NamedThing | None:
        """Return the thing with a path; None if there is none."""
        return next(iter(self.things(self._by_path(path))), None)

    def things(self, hits: Sequence[IndexHit]) -> list[NamedThing]:
        """Return documents that were found in the order ``libraries``."""
        return [_named(stored, weight_of(order)) for (order, _), stored in zip(hits, self.read(hits), strict=True)]

    def counts(self, query: Query, limits: Mapping[str, int]) -> dict[str, list[tuple[str, int]]]:
        """Return the most frequent values of fields, up to a limit, with the number of publications that have them."""
        # Where there are several segments, the most frequent values of one may lack some of another.
        complete = {"segment_size": _MAX_VALUES} if self._searcher.num_segments > 1 else {}
        terms = {field: {"terms": {"field": field, "size": limit, **complete}} for field, limit in limits.items()}
        found = self._searcher.aggregate(query, terms) if terms else {}
        return {
            field: sorted(
                ((str(bucket["key"]), int(bucket["doc_count"])) for bucket in counted["buckets"]),
                key=lambda pair: (-pair[1], pair[0]),
            )
            for field, counted in found.items()
        }

    def frequency(self, fields: Iterable[str], token: str) -> int:
        """Return about how many documents have a token in some fields."""
        return sum(self._searcher.doc_freq(field, token) for field in fields)

    def tokens(self, field: str, beginning: str, limit: int) -> list[tuple[str, int]]:
        """Return the most frequent tokens of a field that begin so, with about how many documents have them."""
        return self._searcher.terms_with_prefix(field, beginning, limit=limit)


def distinct(hits: Iterable[IndexHit]) -> dict[tuple[int, int], IndexHit]:
    """Return hits by their segment and number, in their order."""
    found: dict[tuple[int, int], IndexHit] = {}
    for value, address in hits:
        found.setdefault((address.segment_ord, address.doc), (value, address))
    return found


def _named(stored: Stored, uses: int) -> NamedThing:
    values: dict[str, tuple[str, ...]]
    if isinstance(stored, StoredPublication):
        linked: dict[str, dict[str, None]] = {}
        for link in stored.links:
            linked.setdefault(link.field, {})[link.path] = None
        of_links = {field: tuple(paths) for field, paths in linked.items()}
        kind, values = EntryKind.PUBLICATION, {"isbn": stored.isbns, **of_links, "year": (stored.year,)}
    else:
        kind, values = stored.kind, {"birth": (stored.birth,), "death": (stored.death,)}
    data = {name: found for name, found in values.items() if any(found)}
    return NamedThing(stored.path, kind, stored.title, (stored.title, *stored.forms), data, uses)
