"""The search of a release: what the names and texts in its documents find.

The index is a folder of the release, made from the documents of ``published.db``; from one release to the next it is
a copy that shares its files, with what has changed. Publications are found by titles, names, subjects, series,
publishers and identifiers, in any form and script; they link to the other things, so that the publications of a person
or a subject are found too, and facets are counted.
"""

from __future__ import annotations

from bibld.search._documents import EntryKind
from bibld.search._index import TYPES, has_search
from bibld.search._matching import FIELD_NAMES, QUERY_LIMIT
from bibld.search._values import (
    EXCLUDABLE,
    FACETS,
    LINKED,
    SORTS,
    Agent,
    Correction,
    FacetValue,
    NamedThing,
    Related,
    SearchRequest,
    SearchResult,
    StoredPublication,
)
from bibld.search._view import SearchView, open_search
from bibld.search._words import to_words
from bibld.search._writer import write_search

__all__ = [
    "EXCLUDABLE",
    "FACETS",
    "FIELD_NAMES",
    "LINKED",
    "QUERY_LIMIT",
    "SORTS",
    "TYPES",
    "Agent",
    "Correction",
    "EntryKind",
    "FacetValue",
    "NamedThing",
    "Related",
    "SearchRequest",
    "SearchResult",
    "SearchView",
    "StoredPublication",
    "has_search",
    "open_search",
    "to_words",
    "write_search",
]
