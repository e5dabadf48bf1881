"""Equal texts: records of which all chosen fields are equal after normalisation. The first and cheapest step.

The features are compared as they are: folded or romanised, so that case, punctuation and diacritics do not count, and
without blanks. A field that both records lack is equal; a record without the first field has no key. Candidates pass
the pre-filter. To remove equal texts from a collection, choose ``fields = ["text"]``.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
import numpy as np

from bibld.dedup.arrays import Numbers, RowNumbers
from bibld.dedup.texts import TextField
from bibld.model.features import FeatureColumns, Statistics

FAMILIES = ("equal fields",)
IS_CERTAIN = True

NumberField = Literal["year", "last_year", "edition", "pages", "volumes", "height"]

_FAMILY_BITS = 8


class Settings(msgspec.Struct, frozen=True):
    """``fields``: the features that must be equal; the first must not be missing. ``largest_bucket``: equal fields of
    more records than this are refined by the year, then the pages, then the author's first letters.
    """

    fields: Annotated[tuple[TextField | NumberField, ...], msgspec.Meta(min_length=1)] = (
        "main_title",
        "remainder",
        "names",
        "part",
        "year",
    )
    largest_bucket: Annotated[int, msgspec.Meta(ge=2)] = 100


def chosen_columns(settings: Settings) -> tuple[str, ...]:
    """Return the fields."""
    return settings.fields


def keys(columns: FeatureColumns, settings: Settings, statistics: Statistics) -> tuple[Numbers, RowNumbers]:
    """Return a hash of all fields for each row that has the first, and the rows."""
    from bibld.dedup.hashes import ALL_LETTERS, mixed, prefixes

    result = np.full(len(columns), 1, dtype=np.uint64)
    rows = np.zeros(0, dtype=np.int64)
    for position, name in enumerate(settings.fields):
        if name in columns.texts:
            hashes = prefixes(columns.texts[name].offsets, columns.texts[name].codes, ALL_LETTERS)
        else:
            hashes = columns.numbers[name].astype(np.uint64)
        if position == 0:
            rows = np.flatnonzero(hashes)
        result = mixed(result, hashes + np.uint64(1))
    return result[rows] >> np.uint64(_FAMILY_BITS), rows.astype(np.uint32)
