"""The search of a release: what the names and texts in its documents find.

The index is a folder of the release, made from the documents of ``published.db``; from one release to the next it is
a copy that shares its files, with what has changed. Publications are found by titles, names, subjects, series,
publishers and identifiers, in any form and script; they link to the other things, so that the publications of a person
or a subject are found too, and facets are counted.
"""

from __future__ import annotations

from bibld.search._conditions import FIELDS as FIELDS
from bibld.search._conditions import MASK_MANY as MASK_MANY
from bibld.search._conditions import MASK_ONE as MASK_ONE
from bibld.search._conditions import MIN_DIGITS as MIN_DIGITS
from bibld.search._conditions import MIN_LETTERS as MIN_LETTERS
from bibld.search._conditions import SCANNED as SCANNED
from bibld.search._conditions import AnyPublication as AnyPublication
from bibld.search._conditions import BooleanCondition as BooleanCondition
from bibld.search._conditions import BooleanOperator as BooleanOperator
from bibld.search._conditions import NumberCondition as NumberCondition
from bibld.search._conditions import SearchCondition as SearchCondition
from bibld.search._conditions import TextCondition as TextCondition
from bibld.search._conditions import WordComparison as WordComparison
from bibld.search._conditions import YearCondition as YearCondition
from bibld.search._documents import PUBLICATIONS as PUBLICATIONS
from bibld.search._documents import EntryKind as EntryKind
from bibld.search._documents import type_of_classes as type_of_classes
from bibld.search._folding import MAX_LISTED as MAX_LISTED
from bibld.search._index import TYPES as TYPES
from bibld.search._index import has_search as has_search
from bibld.search._matching import FIELD_NAMES as FIELD_NAMES
from bibld.search._matching import QUERY_LIMIT as QUERY_LIMIT
from bibld.search._results import FoundPublication as FoundPublication
from bibld.search._results import record_id as record_id
from bibld.search._results import results_of as results_of
from bibld.search._values import EXCLUDABLE as EXCLUDABLE
from bibld.search._values import FACETS as FACETS
from bibld.search._values import LINKED as LINKED
from bibld.search._values import SORTS as SORTS
from bibld.search._values import Agent as Agent
from bibld.search._values import Correction as Correction
from bibld.search._values import FacetValue as FacetValue
from bibld.search._values import NamedThing as NamedThing
from bibld.search._values import Related as Related
from bibld.search._values import Relation as Relation
from bibld.search._values import SearchRequest as SearchRequest
from bibld.search._values import SearchResult as SearchResult
from bibld.search._values import StoredPublication as StoredPublication
from bibld.search._values import WorkGroup as WorkGroup
from bibld.search._view import SearchView as SearchView
from bibld.search._view import open_search as open_search
from bibld.search._words import to_words as to_words
from bibld.search._writer import write_search as write_search
