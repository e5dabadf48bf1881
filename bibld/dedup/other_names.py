"""Other names of persons: what any record states, a pseudonym beside the real name, is known of the names of all.

They are learned when statistics are counted, and frozen with them, so that decisions about records do not change when
others come.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from bibld.dedup.columns import FeatureRows
from bibld.model.features import VALUE_SEPARATOR, FeatureColumns, TextColumn

OTHER_NAMES = "other names"
"""Where the statistics keep them (``Statistics.fitted``)."""

_MARK = " ="
_EQUALS_SIGN = ord("=")
_LETTERS_THAT_DIFFER = 3
_MOST_OTHER_NAMES = 4
"""A name that more others are stated for is that of several persons."""

_ALL = 1 << 30


class NameCollector:
    """Collects the names that records state as those of one person."""

    def __init__(self) -> None:
        self._found: set[tuple[str, str]] = set()

    def add(self, columns: FeatureColumns) -> None:
        """Add what rows state in the column ``names``."""
        names = columns.texts["names"]
        marks = np.flatnonzero(names.codes[: names.offsets[-1]] == _EQUALS_SIGN)
        for row in np.unique(np.searchsorted(names.offsets, marks, side="right") - 1).tolist():
            self.add_forms(_groups(names.values(row)))

    def add_forms(self, groups: Iterable[list[str]]) -> None:
        """Add groups of names of one person each, the keys of names as :class:`~bibld.model.features.Features` has
        them."""
        for first, *others in groups:
            for other in others:
                if first[:_LETTERS_THAT_DIFFER] != other[:_LETTERS_THAT_DIFFER] and " " in f"{first}{other}":
                    self._found |= {(first, other), (other, first)}

    def merge(self, data: bytes) -> None:
        """Add what another collector returned."""
        self._found |= set(_decoded(data))

    def to_bytes(self) -> bytes:
        """Return the names as bytes; nothing if there are none."""
        return msgspec.msgpack.encode(sorted(self._found)) if self._found else b""

    def fitted(self) -> dict[str, bytes]:
        """Return the names as a part of ``Statistics.fitted``."""
        return {OTHER_NAMES: self.to_bytes()} if self._found else {}


def _decoded(data: bytes) -> list[tuple[str, str]]:
    return msgspec.msgpack.decode(data, type=list[tuple[str, str]]) if data else []


def _groups(values: Iterable[str]) -> Iterator[list[str]]:
    """Yield each name with its other forms."""
    group: list[str] = []
    for value in values:
        if value.endswith(_MARK):
            group.append(value.removesuffix(_MARK))
        else:
            if group:
                yield group
            group = [value]
    if group:
        yield group


class OtherNames:
    """The other names of each name, by a hash of family name and first initial."""

    def __init__(self, data: bytes) -> None:
        from bibld.dedup.hashes import INITIAL_FORM

        pairs = _decoded(data)
        hashes = _hashes(TextColumn.from_texts(name for name, _ in pairs), INITIAL_FORM)[1]
        self._names: dict[int, list[str]] = {}
        for number, (_, other) in zip(hashes.tolist(), pairs, strict=True):
            self._names.setdefault(number, []).append(other)
        self._known = np.array(
            sorted(number for number, names in self._names.items() if len(names) <= _MOST_OTHER_NAMES), np.uint64
        )

    def __len__(self) -> int:
        return len(self._known)

    def add_to(self, columns: FeatureColumns) -> FeatureColumns:
        """Return columns with the other names of each name in the column ``names``, if that is there."""
        from bibld.dedup.hashes import INITIAL_FORM

        column = columns.texts.get("names")
        if column is None or not len(self):
            return columns
        offsets, hashes = _hashes(column, INITIAL_FORM)
        found = np.flatnonzero(self._known[np.searchsorted(self._known[:-1], hashes)] == hashes)
        if not len(found):
            return columns
        names: dict[int, set[int]] = {}
        for row, number in zip(
            (np.searchsorted(offsets, found, side="right") - 1).tolist(), hashes[found].tolist(), strict=True
        ):
            names.setdefault(row, set()).add(number)
        texts = {row: self._with_others(column.values(row), numbers) for row, numbers in names.items()}
        return msgspec.structs.replace(columns, texts=columns.texts | {"names": _replaced(column, texts)})

    def _with_others(self, values: list[str], numbers: set[int]) -> str:
        """Return the names of a row; behind one whose hash is among some numbers its other names."""
        from bibld.dedup.hashes import INITIAL_FORM

        own = _hashes(TextColumn.from_texts(values), INITIAL_FORM)[1].tolist()
        texts: list[str] = []
        for value, number in zip(values, own, strict=True):
            texts.append(value)
            if number in numbers and not value.endswith(_MARK):
                texts += [f"{other}{_MARK}" for other in self._names[number] if f"{other}{_MARK}" not in values]
        return VALUE_SEPARATOR.join(texts)


def _hashes(column: TextColumn, letters: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint64]]:
    from bibld.dedup.hashes import values

    return values(column.offsets, column.codes, letters, _ALL, np.empty(0, np.uint32))


def _replaced(column: TextColumn, texts: dict[int, str]) -> TextColumn:
    """Return a column with other texts in some rows."""
    rows = sorted(texts)
    new = [np.frombuffer(texts[row].encode("utf-32-le", "surrogatepass"), np.uint32) for row in rows]
    lengths = np.diff(column.offsets)
    lengths[rows] = [len(text) for text in new]
    ends = [0, *column.offsets[np.array(rows) + 1].tolist()]
    kept = [column.codes[end : column.offsets[row]] for end, row in zip(ends, rows, strict=False)]
    parts = [part for pair in zip(kept, new, strict=True) for part in pair]
    codes = np.concatenate([*parts, column.codes[ends[-1] : column.offsets[-1]]])
    return TextColumn(np.concatenate(([0], np.cumsum(lengths))), codes)


class RowsWithOtherNames:
    """Rows of features in which the other names of each name are added."""

    def __init__(self, rows: FeatureRows, names: OtherNames) -> None:
        self._rows, self._names = rows, names

    def __len__(self) -> int:
        return len(self._rows)

    def chunk(self, start: int, stop: int, names: Iterable[str] | None = None) -> FeatureColumns:
        """Return neighbouring rows; the columns named, by default all but the long ones."""
        return self._names.add_to(self._rows.chunk(start, stop, names))

    def rows(self, positions: npt.NDArray[Any], names: Iterable[str] | None = None) -> FeatureColumns:
        """Return rows in any order, repeated if asked; the columns named, by default all but the long ones."""
        return self._names.add_to(self._rows.rows(positions, names))

    def long_text_sizes(self, positions: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Return the sizes of the long texts of rows; shape of ``positions``."""
        return self._rows.long_text_sizes(positions)


def with_other_names(rows: FeatureRows, data: bytes) -> FeatureRows:
    """Return rows with the other names that ``data`` (of a :class:`NameCollector`) states; the rows themselves if there
    are none."""
    names = OtherNames(data)
    return RowsWithOtherNames(rows, names) if len(names) else rows
