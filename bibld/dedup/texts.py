"""Texts of rows for the methods that compare them: fields read as one text, shingles, equal texts, samples by content.

Shingles are the runs of ``size`` neighbouring words or characters of a text, as sets of hashes: A. Z. Broder, "On the
resemblance and containment of documents" (1997): two texts are as similar as their sets of shingles. A text of fewer
words (characters) than a shingle is its own only shingle; an empty text has none. Fields that are compared together are
read as one text with blanks between.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np

from bibld.dedup.arrays import Flags, Numbers, Offsets, Places
from bibld.dedup.columns import FeatureRows
from bibld.errors import StageError
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
    from bibld.dedup._shingle_kernels import shingle_sets

    text = field_texts(columns, fields)
    return shingle_sets(text.offsets, text.codes, size, unit == "words", window)


_CHUNK = 50_000
_FACTORS = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)


class Groups(NamedTuple):
    """Distinct texts: the first row of each, and the rows that have it: ``members[starts[i]:starts[i + 1]]``."""

    first: Places
    starts: Places
    members: Places


def field_chunks(rows: FeatureRows, fields: Sequence[str]) -> Iterator[TextColumn]:
    """Yield the texts of all rows, some at a time."""
    for start in range(0, len(rows), _CHUNK):
        yield field_texts(rows.chunk(start, min(start + _CHUNK, len(rows)), fields), fields)


def text_hashes(texts: TextColumn) -> Numbers:
    """Return a hash of 64 bits of each text, 0 for one without any character but blanks: the sum of those of its
    characters and their positions."""
    hashes = np.zeros(len(texts), np.uint64)
    for start in range(0, len(texts), _CHUNK):
        offsets = texts.offsets[start : start + _CHUNK + 1]
        rows = np.flatnonzero(np.diff(offsets))
        codes = texts.codes[offsets[0] : offsets[-1]].astype(np.uint64)
        positions = np.arange(len(codes)) - np.repeat(offsets[:-1] - offsets[0], np.diff(offsets))
        values = (codes << np.uint64(32)) | positions.astype(np.uint64)
        for factor in _FACTORS:
            values = (values ^ (values >> np.uint64(33))) * factor
        values ^= values >> np.uint64(33)
        if len(rows):
            begins = offsets[rows] - offsets[0]
            is_text = np.maximum.reduceat(codes != ord(" "), begins)
            hashes[start + rows] = np.where(is_text, np.maximum(np.add.reduceat(values, begins), np.uint64(1)), 0)
    return hashes


def group_texts(texts: TextColumn) -> Groups:
    """Group the rows whose texts are equal, by hashes of 64 bits; rows without a text are left out."""
    hashes = text_hashes(texts)
    rows = np.flatnonzero(hashes)
    rows = rows[np.argsort(hashes[rows], kind="stable")]
    is_first = np.ones(len(rows), np.bool_)
    is_first[1:] = hashes[rows[1:]] != hashes[rows[:-1]]
    starts = np.append(np.flatnonzero(is_first), len(rows))
    return Groups(rows[starts[:-1]], starts, rows)


def sample_texts(chunks: Iterable[TextColumn], most: int) -> TextColumn:
    """Return the distinct texts with the smallest hashes: a sample that depends on the set of texts alone."""
    sample = TextColumn.from_texts([])
    for chunk in chunks:
        offsets = np.concatenate((sample.offsets[:-1], chunk.offsets - chunk.offsets[0] + sample.offsets[-1]))
        texts = TextColumn(offsets, np.concatenate((sample.codes, chunk.codes[chunk.offsets[0] : chunk.offsets[-1]])))
        sample = texts.rows(group_texts(texts).first[:most])
    return sample


def expand_groups(groups: Groups, left: Places, right: Places, fresh: Flags | None) -> tuple[Places, Places, Places]:
    """Return the pairs of rows for pairs of distinct texts, and the position of the pair that each is made from.

    ``left`` and ``right`` are numbers of groups; a group may be paired with itself. With ``fresh`` (rows,) only pairs
    with a fresh row are returned.
    """
    sizes = np.diff(groups.starts)
    counts = sizes[left] * sizes[right]
    origin = np.repeat(np.arange(len(left)), counts)
    position = np.arange(len(origin)) - np.repeat(np.cumsum(counts) - counts, counts)
    one = groups.members[groups.starts[left[origin]] + position // sizes[right[origin]]]
    other = groups.members[groups.starts[right[origin]] + position % sizes[right[origin]]]
    kept = (left[origin] != right[origin]) | (one < other)
    if fresh is not None:
        kept &= fresh[one] | fresh[other]
    return np.minimum(one, other)[kept], np.maximum(one, other)[kept], origin[kept]


def check_pairs(total: int, most: int, name: str, groups: Groups, texts: TextColumn) -> None:
    """Raise ``StageError`` if there are too many pairs; the message names the most frequent text."""
    if total > most:
        sizes = np.diff(groups.starts)
        largest = int(sizes.argmax())
        raise StageError(
            f"{name}: more than {most:,} pairs of similar records. The most frequent text, "
            f'"{texts.text(int(groups.first[largest]))[:60]}", is that of {sizes[largest]:,} records. Compare further '
            f"fields ([dedup.{name}] fields), raise the threshold, or raise most_pairs."
        )
