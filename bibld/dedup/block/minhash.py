"""MinHash: texts that share most of their shingles.

A. Z. Broder, "On the resemblance and containment of documents" (1997); J. Leskovec, A. Rajaraman, J. D. Ullman, "Mining
of Massive Datasets", chapter 3. The set of shingles of a text is put through ``bands`` times ``rows`` pseudo-random
permutations; of each the least value counts. Two texts of resemblance (Jaccard similarity of their shingles) s agree in
one of these values with probability s, in all of a band with s^rows, and in a band at least with
1 - (1 - s^rows)^bands, the S-curve. Each band is a key.

If the numbers are not given, those are chosen, of at most ``permutations`` in all, for which the area below the S-curve
left of the wanted ``similarity`` (needless candidates) and the area above it on the right (missed pairs) are least in
sum, as datasketch does.

Missing fields are left out. A text shorter than a shingle is its own only shingle, so such texts are candidates only if
they are equal; a record without any text has no key.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Annotated

import msgspec
import numpy as np

from bibld.dedup.arrays import Numbers, RowNumbers
from bibld.dedup.texts import TextField, Unit
from bibld.model.features import FeatureColumns, Statistics

if TYPE_CHECKING:
    import numpy.typing as npt

FAMILIES = ("minhash band",)

_FAMILY_BITS = 8
_WORD = (1 << 64) - 1
_STEPS = 1000


class Settings(msgspec.Struct, frozen=True):
    """``fields``: the features that are read as one text. ``unit``: whether shingles are made of words or of
    characters. ``size``: the number of words or characters of a shingle. ``similarity``: the resemblance from which
    pairs are wanted, if bands and rows are to be chosen. ``permutations``: the most values of a text, if bands and rows
    are to be chosen. ``bands``: the number of bands; 0: chosen. ``rows``: the number of values in a band; 0: chosen.
    ``largest_bucket``: a band that more records share is refined by the year, then the pages, then the author's first
    letters.
    """

    fields: Annotated[tuple[TextField, ...], msgspec.Meta(min_length=1)] = ("main_title", "remainder")
    unit: Unit = "characters"
    size: Annotated[int, msgspec.Meta(ge=1, le=64)] = 4
    similarity: Annotated[float, msgspec.Meta(gt=0, lt=1)] = 0.5
    permutations: Annotated[int, msgspec.Meta(ge=1, le=1024)] = 128
    bands: Annotated[int, msgspec.Meta(ge=0, le=1024)] = 0
    rows: Annotated[int, msgspec.Meta(ge=0, le=64)] = 0
    largest_bucket: Annotated[int, msgspec.Meta(ge=2)] = 100

    def __post_init__(self) -> None:
        """Check that bands and rows go together."""
        if bool(self.bands) != bool(self.rows):
            raise ValueError("bands and rows go together: state both, or neither to have them chosen")


def chosen_columns(settings: Settings) -> tuple[str, ...]:
    """Return the fields."""
    return settings.fields


def keys(columns: FeatureColumns, settings: Settings, statistics: Statistics) -> tuple[Numbers, RowNumbers]:
    """Return a key for each band of each row with text: a hash of its number and its values."""
    from bibld.dedup._shingle_kernels import band_hashes
    from bibld.dedup.texts import shingles

    bands, rows = bands_and_rows(settings)
    starts, hashes = shingles(columns, settings.fields, settings.unit, settings.size)
    with_text = np.flatnonzero(np.diff(starts))
    starts = np.append(starts[with_text], len(hashes))
    found = band_hashes(starts, hashes, np.array(_seeds(bands * rows), dtype=np.uint64), rows)
    return found.ravel() >> np.uint64(_FAMILY_BITS), np.repeat(with_text.astype(np.uint32), bands)


def bands_and_rows(settings: Settings) -> tuple[int, int]:
    """Return the number of bands and of values in each: those of the settings, else chosen for the similarity."""
    if settings.bands:
        return settings.bands, settings.rows
    return _choose(settings.similarity, settings.permutations)


def s_curve(
    bands: int, rows: int, similarities: npt.NDArray[np.float64] | None = None
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return similarities (by default 0 to 1 in steps of 0.01) and the probabilities that such pairs share a band."""
    if similarities is None:
        similarities = np.linspace(0.0, 1.0, 101)
    return similarities, 1.0 - (1.0 - similarities**rows) ** bands


@lru_cache
def _choose(similarity: float, permutations: int) -> tuple[int, int]:
    """Return bands and rows with the least area of needless candidates and missed pairs."""
    middles = (np.arange(_STEPS) + 0.5) / _STEPS
    is_wanted = middles >= similarity

    def area(choice: tuple[int, int]) -> float:
        probabilities = s_curve(*choice, middles)[1]
        return float(np.where(is_wanted, 1.0 - probabilities, probabilities).mean())

    choices = [(permutations // rows, rows) for rows in range(1, min(permutations, 64) + 1)]
    choices += [(bands, rows) for bands, most in choices for rows in range(1, most)]
    return min(sorted(set(choices)), key=area)


@lru_cache
def _seeds(count: int) -> tuple[int, ...]:
    """Return the numbers that make each permutation, by SplitMix64."""
    seeds = []
    for number in range(1, count + 1):
        value = number * 0x9E3779B97F4A7C15 & _WORD
        value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & _WORD
        value = (value ^ value >> 27) * 0x94D049BB133111EB & _WORD
        seeds.append(value ^ value >> 31)
    return tuple(seeds)
