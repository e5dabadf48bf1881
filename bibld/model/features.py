"""What dedup compares, as columns: one row a record, one column a feature.

Rows are positions; ``ordinals`` says which record stands in a row. Texts are kept as UTF-32 code points behind each
other, so that a compiled kernel walks them without touching a Python object.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

BETWEEN = "|"
"""Stands between the values of a text that holds several (names, publishers, identifiers …)."""


class Features(msgspec.Struct, frozen=True, kw_only=True):
    """The features of one record, normalised by ``bibld.text``; empty texts and 0 are missing values.

    ``title`` (main title and subtitle) and ``author`` (first personal name without dates) are folded in their own
    script: the paper compares them. All other texts but codes are romanised, so that scripts meet. ``names`` holds all
    personal and corporate names, family name first, ``part`` the canonical part numbers, ``set_title`` the title of the
    set or host that a part belongs to. ``year`` and ``last_year`` are the first and last year of publication,
    ``edition`` its number (1 where none is stated), ``pages`` the largest count of pages, ``volumes`` how many volumes
    are held (0 where only pages are counted), ``height`` is in centimetres. ``responsibility`` holds the statements of
    responsibility as they stand. ``carrier`` is print,
    electronic, microform, audio, video, braille, map or score; ``level`` is m (monograph), v (volume of a set),
    c (set as a whole), s (serial), i (issue), a (article or part). ``identifiers`` are ``isbn:978…``, ``issn:…`` and
    the like.
    """

    title: str = ""
    author: str = ""
    part: str = ""
    main_title: str = ""
    remainder: str = ""
    part_name: str = ""
    set_title: str = ""
    names: str = ""
    publisher: str = ""
    place: str = ""
    edition_text: str = ""
    series: str = ""
    series_number: str = ""
    responsibility: str = ""
    language: str = ""
    carrier: str = ""
    level: str = ""
    identifiers: str = ""
    year: int = 0
    last_year: int = 0
    edition: int = 0
    pages: int = 0
    volumes: int = 0
    height: int = 0


TEXTS = tuple(field.name for field in msgspec.structs.fields(Features) if field.type is str)
NUMBERS = tuple(field.name for field in msgspec.structs.fields(Features) if field.type is int)


class TextColumn(msgspec.Struct, frozen=True, eq=False):
    """Texts of n rows: row i is ``codes[offsets[i]:offsets[i + 1]]``; an empty text is a missing one.

    ``offsets`` has the shape (n + 1,), ``codes`` (number of characters,).
    """

    offsets: npt.NDArray[np.int64]
    codes: npt.NDArray[np.uint32]

    @classmethod
    def from_texts(cls, texts: Iterable[str]) -> TextColumn:
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

    def values(self, row: int) -> list[str]:
        """The values of a row that holds several."""
        return [value for value in self.text(row).split(BETWEEN) if value]

    def __len__(self) -> int:
        return len(self.offsets) - 1


class FeatureColumns(msgspec.Struct, frozen=True, eq=False):
    """The features of n records: ``ordinals`` (n,) ascends; columns by the names of :class:`Features`."""

    ordinals: npt.NDArray[np.uint64]
    texts: dict[str, TextColumn]
    numbers: dict[str, npt.NDArray[np.int32]]

    @classmethod
    def from_features(cls, records: Iterable[tuple[int, Features]]) -> FeatureColumns:
        """Put ordinals (ascending) and features into columns."""
        import numpy as np

        held = list(records)
        return cls(
            ordinals=np.fromiter((ordinal for ordinal, _ in held), dtype=np.uint64, count=len(held)),
            texts={name: TextColumn.from_texts(getattr(features, name) for _, features in held) for name in TEXTS},
            numbers={
                name: np.fromiter((getattr(features, name) for _, features in held), dtype=np.int32, count=len(held))
                for name in NUMBERS
            },
        )

    @property
    def title(self) -> TextColumn:
        """Main title and subtitle."""
        return self.texts["title"]

    @property
    def author(self) -> TextColumn:
        """The first personal name."""
        return self.texts["author"]

    @property
    def part(self) -> TextColumn:
        """The part numbers."""
        return self.texts["part"]

    def features(self, row: int) -> Features:
        """The features of one row."""
        values: dict[str, Any] = {name: column.text(row) for name, column in self.texts.items()}
        values.update((name, int(column[row])) for name, column in self.numbers.items())
        return Features(**values)

    def rows(self, positions: Iterable[int], names: Iterable[str] | None = None) -> FeatureColumns:
        """Some rows as columns of their own; ``names`` is there for its like on disk, which then reads less."""
        return FeatureColumns.from_features((int(self.ordinals[row]), self.features(row)) for row in positions)

    def __len__(self) -> int:
        return len(self.ordinals)


class Statistics(msgspec.Struct, frozen=True, eq=False):
    """What blocking knows of all records, counted once and frozen, so that the keys of a record depend on it alone.

    ``words`` (hashes, ascending) and ``counts`` (w,): in how many of the ``records`` titles a word stands, for words of
    more than one. ``oversized``: for each blocker its keys (ascending) that too many records had.
    """

    records: int
    words: npt.NDArray[np.uint64]
    counts: npt.NDArray[np.int32]
    oversized: dict[str, npt.NDArray[np.uint64]]

    @classmethod
    def empty(cls) -> Statistics:
        """Nothing is known yet."""
        import numpy as np

        return cls(0, np.empty(0, np.uint64), np.empty(0, np.int32), {})

    def frequencies(self, words: npt.NDArray[np.uint64]) -> npt.NDArray[np.int32]:
        """In how many titles words stand; 1 for those that are not counted."""
        import numpy as np

        result = np.ones(len(words), dtype=np.int32)
        if len(self.words):
            places = np.minimum(np.searchsorted(self.words, words), len(self.words) - 1)
            known = self.words[places] == words
            result[known] = self.counts[places[known]]
        return result


def hashed(text: str) -> int:
    """A well-mixed number of 64 bits for a text, the same on every machine."""
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
