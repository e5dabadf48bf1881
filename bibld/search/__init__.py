"""The names of things in every release that is kept, for searching: ``search.db`` of a workspace.

It is made from the documents of ``published.db``, as a difference where the release before is there. Publications are
found by titles, names, subjects, series, publishers and identifiers, in any form and script; they link to the other
things, so that the publications of a person or a subject are found too, and facets are counted.
"""

from __future__ import annotations

from bibld.search._codes import TYPES
from bibld.search._documents import EntryKind
from bibld.search._query import FIELD_NAMES, LONGEST_QUERY
from bibld.search._reader import OutOfTimeError
from bibld.search._schema import FILE
from bibld.search._values import (
    EXCLUDABLE,
    FACETS,
    LINKED,
    SORTS,
    Agent,
    Asked,
    Correction,
    FacetValue,
    Found,
    Hit,
    Named,
    Related,
    Work,
)
from bibld.search._view import SearchView, has_search, open_search
from bibld.search._words import to_words
from bibld.search._writer import write_search

__all__ = [
    "EXCLUDABLE",
    "FACETS",
    "FIELD_NAMES",
    "FILE",
    "LINKED",
    "LONGEST_QUERY",
    "SORTS",
    "TYPES",
    "Agent",
    "Asked",
    "Correction",
    "EntryKind",
    "FacetValue",
    "Found",
    "Hit",
    "Named",
    "OutOfTimeError",
    "Related",
    "SearchView",
    "Work",
    "has_search",
    "open_search",
    "to_words",
    "write_search",
]
