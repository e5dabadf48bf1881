"""Resemblance and containment of texts by their shingles, for abstracts, contents and full texts.

The score is the resemblance |A ∩ B| / |A ∪ B| of the sets of word trigrams: A. Z. Broder, "On the resemblance and
containment of documents" (1997). P. Vavruška takes articles that score more than 0.45 for the same. His paper leaves
open how a text is found that is wholly part of a longer one, and so scores low: then the containment
|A ∩ B| / min(|A|, |B|) is high, and the pair is *related*, as ``part_of``.

Two records that both have the ``fields`` are compared by them, others by ``otherwise`` (title and author); containment
counts for the former only, since short titles are contained in many. Time and memory grow in proportion to the length
of the texts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, NamedTuple

import msgspec
import numpy as np

from bibld.config import Share
from bibld.dedup.texts import TextField, Unit, shingles
from bibld.model.features import FeatureColumns
from bibld.model.linkage import Feature, Score

if TYPE_CHECKING:
    import numpy.typing as npt

    Counts = npt.NDArray[np.int64]
    Rows = npt.NDArray[np.uint32]


class Settings(msgspec.Struct, frozen=True):
    """``same``: above this resemblance two records are the same. ``contained``: from this containment on the shorter
    text is part of the longer one, if they are not the same. ``least_shingles``: a text of fewer shingles is part of
    none. ``fields``: the features that are read as one text. ``otherwise``: those of two records of which one lacks the
    ``fields``. ``unit``: whether shingles are made of words or of characters. ``size``: the number of words or
    characters of a shingle.
    """

    same: Share = 0.45
    contained: Share = 0.9
    least_shingles: Annotated[int, msgspec.Meta(ge=1)] = 8
    fields: Annotated[tuple[TextField, ...], msgspec.Meta(min_length=1)] = ("text",)
    otherwise: tuple[TextField, ...] = ("title", "author")
    unit: Unit = "words"
    size: Annotated[int, msgspec.Meta(ge=1, le=64)] = 3


def chosen_columns(settings: Settings) -> tuple[str, ...]:
    """Return the fields."""
    return (*settings.fields, *settings.otherwise)


class _Compared(NamedTuple):
    """How many shingles the two texts of each pair have and share, and whether they are the texts of ``fields``."""

    left: Counts
    right: Counts
    shared: Counts
    by_fields: npt.NDArray[np.bool_]

    def resemblance(self) -> npt.NDArray[np.float32]:
        shares: npt.NDArray[np.float64] = self.shared / np.maximum(self.left + self.right - self.shared, 1)
        return shares.astype(np.float32)

    def containment(self) -> npt.NDArray[np.float32]:
        shares: npt.NDArray[np.float64] = self.shared / np.maximum(np.minimum(self.left, self.right), 1)
        return shares.astype(np.float32)


def scores(columns: FeatureColumns, left: Rows, right: Rows, settings: Settings) -> npt.NDArray[np.float32]:
    """Return the resemblance of pairs of rows, shape (pairs,); 0 without a text."""
    return _compare(columns, left, right, settings).resemblance()


def part_of(columns: FeatureColumns, left: Rows, right: Rows, settings: Settings) -> npt.NDArray[np.int8]:
    """Return for each pair 1 if the left text is part of the right, 2 if the right is part of the left, else 0."""
    found = _compare(columns, left, right, settings)
    is_part = found.by_fields & (np.minimum(found.left, found.right) >= settings.least_shingles)
    is_part &= (found.containment() >= settings.contained) & (found.resemblance() <= settings.same)
    return np.where(is_part, np.where(found.left <= found.right, 1, 2), 0).astype(np.int8)


def explain(columns: FeatureColumns, left: Rows, right: Rows, settings: Settings) -> Iterator[Score]:
    """Yield the resemblance of each pair with its containment and the counts of shingles."""
    found = _compare(columns, left, right, settings)
    measures = (
        np.round(values.astype(np.float64), 6).tolist() for values in (found.resemblance(), found.containment())
    )
    sizes = np.sort(np.stack((found.left, found.right)), axis=0).tolist()
    for resemblance, containment, shorter, longer, shared in zip(*measures, *sizes, found.shared.tolist(), strict=True):
        yield Score(
            resemblance,
            (
                Feature("resemblance", resemblance),
                Feature("containment", containment),
                Feature("shingles of the shorter text", shorter),
                Feature("shingles of the longer text", longer),
                Feature("shared shingles", shared),
            ),
        )


def _compare(columns: FeatureColumns, left: Rows, right: Rows, settings: Settings) -> _Compared:
    from bibld.dedup._shingle_kernels import count_shared

    starts, hashes = shingles(columns, settings.fields, settings.unit, settings.size)
    sizes = np.diff(starts)
    by_fields = (sizes[left] > 0) & (sizes[right] > 0)
    result = _Compared(sizes[left], sizes[right], count_shared(starts, hashes, left, right), by_fields)
    if by_fields.all() or not settings.otherwise:
        return result
    starts, hashes = shingles(columns, settings.otherwise, settings.unit, settings.size)
    sizes = np.diff(starts)
    others = sizes[left], sizes[right], count_shared(starts, hashes, left, right)
    left_counts, right_counts, shared = (
        np.where(by_fields, one, two) for one, two in zip(result[:3], others, strict=True)
    )
    return _Compared(left_counts, right_counts, shared, by_fields)
