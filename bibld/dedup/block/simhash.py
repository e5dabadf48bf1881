"""SimHash of 64 bits over the character trigrams of the romanised title, for titles with misprints and variants.

The bits are cut into bands. Two records share a key if two of their bands are equal, and are a candidate pair if their
hashes differ in at most ``distance`` bits.
"""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Annotated

import msgspec
import numpy as np

from bibld.dedup.arrays import Numbers, RowNumbers
from bibld.model.features import FeatureColumns, Statistics

FAMILIES = ("title simhash",)
COLUMNS = ("main_title", "remainder")


class Settings(msgspec.Struct, frozen=True):
    """``bands``: the number of bands that the 64 bits are cut into; ``distance``: the bits in which candidates may
    differ; ``largest_bucket``: two bands that more records share are refined by the year, then the pages, then the
    author's first letters.
    """

    bands: Annotated[int, msgspec.Meta(ge=3, le=8)] = 6
    distance: Annotated[int, msgspec.Meta(ge=0, le=64)] = 12
    largest_bucket: Annotated[int, msgspec.Meta(ge=2)] = 100


def keys(columns: FeatureColumns, settings: Settings, statistics: Statistics) -> tuple[Numbers, RowNumbers]:
    """Return a key for each two bands of each row with a title: the bands and their numbers."""
    hashes = signatures(columns, settings)
    rows = np.flatnonzero(hashes).astype(np.uint32)
    edges = [64 * band // settings.bands for band in range(settings.bands + 1)]
    bands = [(hashes[rows] >> np.uint64(low)) & np.uint64((1 << (high - low)) - 1) for low, high in pairwise(edges)]
    found = [
        (np.uint64(number) << np.uint64(48)) | (bands[low] << np.uint64(24)) | bands[high]
        for number, (low, high) in enumerate(combinations(range(settings.bands), 2))
    ]
    return np.concatenate(found), np.tile(rows, len(found))


def signatures(columns: FeatureColumns, settings: Settings) -> Numbers:
    """Return the SimHash of each row, 0 without a title."""
    from bibld.dedup.hashes import title, trigram_simhash

    hashes: Numbers = trigram_simhash(*title(columns))[1]
    return hashes


def distance(settings: Settings) -> int:
    """Return the number of bits in which the signatures of a candidate pair may differ."""
    return settings.distance
