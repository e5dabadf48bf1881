"""Shingles: the runs of ``size`` neighbouring words or characters of a text, as sets of hashes.

A. Z. Broder, "On the resemblance and containment of documents" (1997): two texts are as similar as their sets of
shingles. A text of fewer words (characters) than a shingle is its own only shingle; an empty text has none. Fields that
are compared together are read as one text with blanks between.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from bibld.dedup.arrays import Numbers, Offsets
from bibld.model.features import FeatureColumns, TextColumn

TextField = Literal[
    "title", "author", "main_title", "remainder", "part", "part_name", "set_title", "names", "publisher", "place",
    "edition_text", "series", "responsibility", "text",
]  # fmt: skip
"""The features that methods for texts can compare; ``text`` is abstract, contents and full text."""

Unit = Literal["words", "characters"]

_BLANK = 32


def field_texts(columns: FeatureColumns, fields: Sequence[str]) -> TextColumn:
    """Return the text of each row: its fields that are not empty, with a blank between them."""
    texts = [columns.texts[name] for name in fields]
    if len(texts) == 1:
        return texts[0]
    lengths = np.stack([np.diff(text.offsets) for text in texts], axis=1)
    has_text = lengths > 0
    ends = np.cumsum(lengths + (has_text & (np.cumsum(has_text, axis=1) > 1))).reshape(lengths.shape)
    codes = np.full(ends[-1, -1] if len(ends) else 0, _BLANK, dtype=np.uint32)
    for text, length, end in zip(texts, lengths.T, ends.T, strict=True):
        first, last = text.offsets[0], text.offsets[-1]
        codes[np.repeat(end - text.offsets[1:], length) + np.arange(first, last)] = text.codes[first:last]
    return TextColumn(np.concatenate(([0], ends[:, -1])).astype(np.int64), codes)


def shingles(
    columns: FeatureColumns, fields: Sequence[str], unit: Unit, size: int, window: int = 1
) -> tuple[Offsets, Numbers]:
    """Return the set of shingles of each row, ascending, as offsets (n + 1,) and hashes, which are never 0.

    ``window``: of this number of neighbouring shingles only the one with the least hash is kept (1: all).
    """
    from bibld.dedup.shingle_kernels import shingle_sets

    text = field_texts(columns, fields)
    return shingle_sets(text.offsets, text.codes, size, unit == "words", window)
