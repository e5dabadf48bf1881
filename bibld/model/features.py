"""What dedup compares, as columns: one row a record, one column a feature.

Rows are positions; ``ordinals`` says which record stands in a row. Texts are kept as UTF-32 code points behind each
other, so that a compiled kernel walks them without touching a Python object.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class TextColumn(msgspec.Struct, frozen=True, eq=False):
    """Texts of n rows: row i is ``codes[offsets[i]:offsets[i + 1]]``; an empty text is a missing one.

    ``offsets`` has the shape (n + 1,), ``codes`` (number of characters,).
    """

    offsets: npt.NDArray[np.int64]
    codes: npt.NDArray[np.uint32]

    @classmethod
    def of(cls, texts: Iterable[str]) -> TextColumn:
        """Build a column from texts."""
        import numpy as np

        held = list(texts)
        lengths = np.fromiter((len(text) for text in held), dtype=np.int64, count=len(held))
        offsets = np.zeros(len(held) + 1, dtype=np.int64)
        np.cumsum(lengths, out=offsets[1:])
        codes = np.frombuffer("".join(held).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        return cls(offsets, codes)

    def text(self, row: int) -> str:
        """The text of one row."""
        return self.codes[self.offsets[row] : self.offsets[row + 1]].tobytes().decode("utf-32-le", "surrogatepass")

    def __len__(self) -> int:
        return len(self.offsets) - 1


class FeatureColumns(msgspec.Struct, frozen=True, eq=False):
    """The features of n records, normalised by ``bibld.model.literals``.

    ``ordinals`` (n,) ascends. ``title`` is main title and subtitle, ``author`` the heading of the first personal name
    without dates, ``part`` the part numbers.
    """

    ordinals: npt.NDArray[np.uint64]
    title: TextColumn
    author: TextColumn
    part: TextColumn

    def __len__(self) -> int:
        return len(self.ordinals)
