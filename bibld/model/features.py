"""The features that matching compares, as columns: one row a record, one column a feature.

Rows are positions; ``ordinals`` names the record of each row. Texts are stored as UTF-32 code points one after
another, so that a compiled kernel reads them without touching a Python object.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

VALUE_SEPARATOR = "|"
"""Separates the values of a text that has more than one (names, publishers, identifiers …)."""


class Features(msgspec.Struct, frozen=True, kw_only=True):
    """The features of one record, normalised by ``bibld.text``; empty texts and 0 are missing values.

    ``title`` (main title and subtitle) and ``author`` (first personal name without dates) are folded in their own
    script: the paper compares them. All other texts except codes are romanised, so that scripts are comparable.
    ``names``: all personal and corporate names, family name first; one that ends with `` =`` is another form of the
    name before. ``part``: the canonical part numbers; ``designation``: these with their units, and the class, year
    or season that a part covers (:mod:`bibld.text.designations`). ``variant_titles``: variants, translations,
    abbreviations, names of the part. ``set_title``: the title of the set that a part belongs to. ``host``: of an
    article, the title of its host, then the numbers of volume, issue and first page after ``v``, ``n`` and ``p``.
    ``translator``: the beginnings of the family names of translators. ``subseries``: the beginnings of the words that
    name the subseries, if there is one series.
    ``year`` and ``last_year``: the first and last year of publication, or the time in which it may be. ``edition``:
    its number (1 if none is stated). ``pages``: the largest count of pages. ``volumes``: the number of volumes (0
    if only pages are counted). ``height`` is in centimetres. ``carrier`` is print, electronic, microform, audio,
    video, braille, map or score. ``level`` is m (monograph), v (volume of a set), c (complete set), s (serial), i
    (issue), a (article or part), empty if the record does not state it. ``identifiers`` are ``isbn:978…``,
    ``issn:…`` and the like; so are standards, laws and sheets of maps. More than one value of a text are
    separated by ``VALUE_SEPARATOR``. ``text``: abstract, contents and full text, folded; it may have millions of
    characters, so it is loaded only where it is named.
    """

    title: str = ""
    author: str = ""
    part: str = ""
    designation: str = ""
    main_title: str = ""
    remainder: str = ""
    part_name: str = ""
    variant_titles: str = ""
    set_title: str = ""
    host: str = ""
    names: str = ""
    publisher: str = ""
    place: str = ""
    edition_text: str = ""
    series: str = ""
    series_number: str = ""
    subseries: str = ""
    translator: str = ""
    responsibility: str = ""
    language: str = ""
    carrier: str = ""
    level: str = ""
    identifiers: str = ""
    text: str = ""
    year: int = 0
    last_year: int = 0
    edition: int = 0
    pages: int = 0
    volumes: int = 0
    height: int = 0


TEXTS = tuple(field.name for field in msgspec.structs.fields(Features) if field.type is str)
NUMBERS = tuple(field.name for field in msgspec.structs.fields(Features) if field.type is int)

LONG = ("text",)
"""Texts that are stored, but read only by those who name them."""


class TextColumn(msgspec.Struct, frozen=True, eq=False):
    """Texts of n rows: row i is ``codes[offsets[i]:offsets[i + 1]]``; an empty text is a missing one.

    ``offsets`` has the shape (n + 1,), ``codes`` (number of characters,).
    """

    offsets: npt.NDArray[np.int64]
    codes: npt.NDArray[np.uint32]

    @classmethod
    def from_texts(cls, texts: Iterable[str]) -> TextColumn:
        """Build a column from texts."""
        items = list(texts)
        lengths = np.fromiter((len(text) for text in items), dtype=np.int64, count=len(items))
        offsets = np.zeros(len(items) + 1, dtype=np.int64)
        np.cumsum(lengths, out=offsets[1:])
        codes = np.frombuffer("".join(items).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        return cls(offsets, codes)

    def text(self, row: int) -> str:
        """Return the text of one row."""
        return self.codes[self.offsets[row] : self.offsets[row + 1]].tobytes().decode("utf-32-le", "surrogatepass")

    def values(self, row: int) -> list[str]:
        """Return the values of a row that has more than one."""
        return [value for value in self.text(row).split(VALUE_SEPARATOR) if value]

    def rows(self, positions: npt.NDArray[Any]) -> TextColumn:
        """Return some rows as a new column."""
        begins, lengths = self.offsets[positions], np.diff(self.offsets)[positions]
        offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
        np.cumsum(lengths, out=offsets[1:])
        return TextColumn(offsets, self.codes[np.repeat(begins - offsets[:-1], lengths) + np.arange(offsets[-1])])

    def chunk(self, start: int, stop: int) -> TextColumn:
        """Return neighbouring rows as a column of the same code points."""
        offsets = self.offsets[start : stop + 1]
        return TextColumn(offsets - offsets[0], self.codes[offsets[0] : offsets[-1]])

    @classmethod
    def concatenate(cls, first: TextColumn, second: TextColumn) -> TextColumn:
        """Return the rows of one column, then those of another."""
        offsets = np.append(first.offsets, second.offsets[1:] + (first.offsets[-1] - second.offsets[0]))
        codes = first.codes[: first.offsets[-1]], second.codes[second.offsets[0] : second.offsets[-1]]
        return cls(offsets, np.concatenate(codes))

    def __len__(self) -> int:
        return len(self.offsets) - 1


class FeatureColumns(msgspec.Struct, frozen=True, eq=False):
    """The features of n records: ``ordinals`` (n,) names them; columns by the names of :class:`Features`."""

    ordinals: npt.NDArray[np.uint64]
    texts: dict[str, TextColumn]
    numbers: dict[str, npt.NDArray[np.int32]]

    @classmethod
    def from_features(cls, records: Iterable[tuple[int, Features]]) -> FeatureColumns:
        """Build columns from ordinals and features."""
        items = list(records)
        rows = [msgspec.structs.astuple(features) for _, features in items]
        values = dict(zip(Features.__struct_fields__, zip(*rows, strict=True), strict=False))
        return cls(
            ordinals=np.array([ordinal for ordinal, _ in items], dtype=np.uint64),
            texts={name: TextColumn.from_texts(values.get(name, ())) for name in TEXTS},
            numbers={name: np.array(values.get(name, ()), dtype=np.int32) for name in NUMBERS},
        )

    @classmethod
    def concatenate(cls, first: FeatureColumns, second: FeatureColumns) -> FeatureColumns:
        """Return the rows of two, one behind the other; both must have the same columns."""
        return cls(
            np.append(first.ordinals, second.ordinals),
            {name: TextColumn.concatenate(column, second.texts[name]) for name, column in first.texts.items()},
            {name: np.append(column, second.numbers[name]) for name, column in first.numbers.items()},
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
        """Return the features of one row."""
        values: dict[str, Any] = {name: column.text(row) for name, column in self.texts.items()}
        values.update((name, int(column[row])) for name, column in self.numbers.items())
        return Features(**values)

    def rows(self, positions: npt.NDArray[Any], names: Iterable[str] | None = None) -> FeatureColumns:
        """Return rows in any order as new columns; those named, by default all but the long ones."""
        positions = np.asarray(positions, dtype=np.int64)
        wanted = self._wanted(names)
        return FeatureColumns(
            self.ordinals[positions],
            {name: column.rows(positions) for name, column in self.texts.items() if name in wanted},
            {name: column[positions] for name, column in self.numbers.items() if name in wanted},
        )

    def chunk(self, start: int, stop: int, names: Iterable[str] | None = None) -> FeatureColumns:
        """Return neighbouring rows as columns; those named, by default all but the long ones."""
        start = min(max(start, 0), len(self))
        stop = min(max(start, stop), len(self))
        wanted = self._wanted(names)
        return FeatureColumns(
            self.ordinals[start:stop],
            {name: column.chunk(start, stop) for name, column in self.texts.items() if name in wanted},
            {name: column[start:stop] for name, column in self.numbers.items() if name in wanted},
        )

    def long_text_sizes(self, positions: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Return the lengths of the long texts of rows, in characters; shape of ``positions``."""
        columns = [column for name, column in self.texts.items() if name in LONG]
        return sum((np.diff(column.offsets)[positions] for column in columns), np.zeros(len(positions), np.int64))

    def _wanted(self, names: Iterable[str] | None) -> set[str]:
        return {*self.texts, *self.numbers}.difference(LONG) if names is None else set(names)

    def __len__(self) -> int:
        return len(self.ordinals)


class Statistics(msgspec.Struct, frozen=True, eq=False):
    """Word counts and oversized keys of all records, for blocking.

    They are counted once and then frozen, so that the keys of a record do not change when other records do.

    ``words`` (hashes, ascending) and ``counts`` (w,): in how many of the ``records`` titles a word occurs, for words of
    more than one. ``oversized``: for each blocker its keys (ascending) that too many records had. ``fitted``: what
    blockers have learned from all records, by name, as separate bytes.
    """

    records: int
    words: npt.NDArray[np.uint64]
    counts: npt.NDArray[np.int32]
    oversized: dict[str, npt.NDArray[np.uint64]]
    fitted: dict[str, bytes] = {}

    @classmethod
    def empty(cls) -> Statistics:
        """Return statistics of no records."""
        return cls(0, np.empty(0, np.uint64), np.empty(0, np.int32), {})

    def frequencies(self, words: npt.NDArray[np.uint64]) -> npt.NDArray[np.int32]:
        """Return the number of titles that each word occurs in; 1 for those that are not counted."""
        result = np.ones(len(words), dtype=np.int32)
        if len(self.words):
            places = np.minimum(np.searchsorted(self.words, words), len(self.words) - 1)
            known = self.words[places] == words
            result[known] = self.counts[places[known]]
        return result
