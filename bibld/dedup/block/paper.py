"""The blocking of Kosolapov, Serebryakov, Teymurazov and Shorin.

"Algorithm for merging duplicate bibliographic records": SimHash of 32 bits, cut into four bytes; candidates agree in
two of the four bytes of the title and of the author.
"""

from __future__ import annotations

from itertools import combinations, product

import msgspec
import numpy as np

from bibld.dedup.arrays import Numbers, RowNumbers
from bibld.model.features import FeatureColumns, Statistics, TextColumn

_BYTE_PAIRS = tuple(combinations(range(4), 2))

FAMILIES = ("two bytes of the title and of the author", "two bytes of the title")
COLUMNS = ("title", "author")


class Settings(msgspec.Struct, frozen=True):
    """``title_only``: candidates need to agree in the title only."""

    title_only: bool = False


def keys(columns: FeatureColumns, settings: Settings, statistics: Statistics) -> tuple[Numbers, RowNumbers]:
    """Return the keys of all rows with a title, and their rows.

    A key holds its family and the number of the band (which two bytes of which text), then the bytes: two of the
    title's SimHash, and two of the author's unless ``title_only``.
    """
    titled = np.flatnonzero(np.diff(columns.title.offsets)).astype(np.uint32)
    titles = _bands(columns.title, titled)
    authors = [np.zeros(len(titled), dtype=np.uint64)] if settings.title_only else _bands(columns.author, titled)
    family = np.uint64(int(settings.title_only) << 56)
    bands = [
        family | (np.uint64(number) << np.uint64(32)) | (title << np.uint64(16)) | author
        for number, (title, author) in enumerate(product(titles, authors))
    ]
    return np.concatenate(bands), np.tile(titled, len(bands))


def _bands(column: TextColumn, rows: RowNumbers) -> list[Numbers]:
    """Return each choice of two bytes of the SimHash, as a number of 16 bits."""
    from bibld.dedup.block._paper_kernels import java_simhash

    hashes = java_simhash(column.offsets, column.codes)[rows].astype(np.uint64)
    parts = [(hashes >> np.uint64(8 * position)) & np.uint64(0xFF) for position in range(4)]
    return [(parts[high] << np.uint64(8)) | parts[low] for low, high in _BYTE_PAIRS]
