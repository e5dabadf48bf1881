"""Passages that two texts have in common: finds a text that is contained in a much longer one.

S. Schleimer, D. S. Wilkerson, A. Aiken, "Winnowing: local algorithms for document fingerprinting" (2003). Of each
``passage - size + 1`` neighbouring shingles the one with the least hash is a key, so two texts with a common passage of
``passage`` words (characters) share a key. A text has about 2 / (passage - size + 2) keys for each word. A shorter text
has one key: the least of its shingles.

Use it with the scorer ``shingles`` for collections of texts. Passages of more than ``largest_bucket`` records (such
as those of licences) are refined and then left out, as those of other blockers.
"""

from __future__ import annotations

from typing import Annotated

import msgspec
import numpy as np

from bibld.dedup.arrays import Numbers, RowNumbers
from bibld.dedup.texts import TextField, Unit
from bibld.model.features import FeatureColumns, Statistics

FAMILIES = ("passage",)

_FAMILY_BITS = 8


class Settings(msgspec.Struct, frozen=True):
    """``fields``: the features that are read as one text. ``unit``: whether shingles are made of words or of
    characters. ``size``: the number of words or characters of a shingle. ``passage``: texts with a common passage of
    this many words or characters are candidates. ``largest_bucket``: a shingle that more records share is refined by
    the year, then the pages, then the author's first letters.
    """

    fields: Annotated[tuple[TextField, ...], msgspec.Meta(min_length=1)] = ("text",)
    unit: Unit = "words"
    size: Annotated[int, msgspec.Meta(ge=1, le=64)] = 3
    passage: Annotated[int, msgspec.Meta(ge=1, le=10_000)] = 20
    largest_bucket: Annotated[int, msgspec.Meta(ge=2)] = 100

    def __post_init__(self) -> None:
        """Check that a passage has a shingle."""
        if self.passage < self.size:
            raise ValueError(f"passage = {self.passage} is shorter than a shingle (size = {self.size})")


def chosen_columns(settings: Settings) -> tuple[str, ...]:
    """Return the fields."""
    return settings.fields


def keys(columns: FeatureColumns, settings: Settings, statistics: Statistics) -> tuple[Numbers, RowNumbers]:
    """Return the chosen shingles of each row, and the rows."""
    from bibld.dedup.texts import shingles

    window = settings.passage - settings.size + 1
    starts, hashes = shingles(columns, settings.fields, settings.unit, settings.size, window)
    return hashes >> np.uint64(_FAMILY_BITS), np.repeat(np.arange(len(columns), dtype=np.uint32), np.diff(starts))
