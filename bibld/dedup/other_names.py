"""Other names of persons: what any record states, a pseudonym beside the real name, is known of the names of all.

They are learned when statistics are counted, and frozen with them, so that decisions about records do not change when
others come.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from bibld.dedup.columns import FeatureRows
from bibld.dedup.names import name_key
from bibld.model.features import VALUE_SEPARATOR, FeatureColumns, TextColumn
from bibld.parallel import batches

OTHER_NAMES = "other names"
"""Where the statistics keep them (``Statistics.fitted``)."""

_MARK = " ="
_EQUALS_SIGN = ord("=")
_LETTERS_THAT_DIFFER = 3
_MOST_OTHER_NAMES = 4
"""A name that more others are stated for is that of several persons."""

_GROUPS_AT_ONCE = 10_000
_ALL = 1 << 30


class NameCollector:
    """Collects the names that records state as those of one person.

    ``known``: headings of one person each, from authority files. Of these, only names that records have are kept.
    """

    def __init__(self, known: Iterable[Sequence[str]] = ()) -> None:
        self._found: set[tuple[str, str]] = set()
        self._known = iter(known)
        self._next = next(self._known, None)
        self._in_records = [np.empty(0, np.uint64)]

    def add(self, columns: FeatureColumns) -> None:
        """Add what rows state in the column ``names``."""
        names = columns.texts["names"]
        marks = np.flatnonzero(names.codes[: names.offsets[-1]] == _EQUALS_SIGN)
        for row in np.unique(np.searchsorted(names.offsets, marks, side="right") - 1).tolist():
            self._add_forms(_groups(names.values(row)))
        if self._next is not None:
            self._in_records.append(np.unique(_initial_forms(names)[1]))

    def _add_forms(self, groups: Iterable[Sequence[str]]) -> None:
        for first, *others in groups:
            for other in others:
                if first[:_LETTERS_THAT_DIFFER] != other[:_LETTERS_THAT_DIFFER] and " " in f"{first}{other}":
                    self._found |= {(first, other), (other, first)}

    def add_forms(self, forms: npt.NDArray[np.uint64]) -> None:
        """Note that records have names of these forms (``forms_of_names``)."""
        self._in_records.append(forms)

    def merge(self, data: bytes) -> None:
        """Add what another collector returned."""
        self._found |= set(_decoded(data))

    def _add_known(self) -> None:
        """Add the known names that records have."""
        in_records = np.unique(np.concatenate(self._in_records))
        groups = chain(() if self._next is None else (self._next,), self._known)
        self._next = None
        for batch in batches(groups, _GROUPS_AT_ONCE):
            keys = [[key for heading in group if (key := name_key(heading, is_personal=True))] for group in batch]
            column = TextColumn.from_texts(key for group in keys for key in group)
            are_there = iter(np.isin(_initial_forms(column)[1], in_records).tolist())
            self._add_forms([[key for key in group if next(are_there)] or [""] for group in keys])

    def to_bytes(self) -> bytes:
        """Return the names as bytes; nothing if there are none."""
        self._add_known()
        return msgspec.msgpack.encode(sorted(self._found)) if self._found else b""

    def fitted(self) -> dict[str, bytes]:
        """Return the names as a part of ``Statistics.fitted``."""
        data = self.to_bytes()
        return {OTHER_NAMES: data} if data else {}


def forms_of_names(names: Iterable[str]) -> npt.NDArray[np.uint64]:
    """Return the hashes of family name and first initial of headings, ascending."""
    keys = filter(None, (name_key(name, is_personal=True) for name in names))
    return np.unique(_initial_forms(TextColumn.from_texts(keys))[1])


def forms_in_rows(columns: FeatureColumns, wanted: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return those of some forms of names that rows have."""
    return np.intersect1d(wanted, _initial_forms(columns.texts["names"])[1])


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
        pairs = _decoded(data)
        hashes = _initial_forms(TextColumn.from_texts(name for name, _ in pairs))[1]
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
        column = columns.texts.get("names")
        if column is None or not len(self):
            return columns
        offsets, hashes = _initial_forms(column)
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
        own = _initial_forms(TextColumn.from_texts(values))[1].tolist()
        texts: list[str] = []
        for value, number in zip(values, own, strict=True):
            texts.append(value)
            if number in numbers and not value.endswith(_MARK):
                texts += [f"{other}{_MARK}" for other in self._names[number] if f"{other}{_MARK}" not in values]
        return VALUE_SEPARATOR.join(texts)


def _initial_forms(column: TextColumn) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint64]]:
    """Return the hashes of family name and first initial of the names of each row, as offsets and hashes."""
    from bibld.dedup.hashes import INITIAL_FORM, values  # compiled where it is needed

    return values(column.offsets, column.codes, INITIAL_FORM, _ALL, np.empty(0, np.uint32))


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
