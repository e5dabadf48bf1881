"""Feature tables: the features of records as rows in files that are appended to and mapped into memory.

A folder holds ``head.json`` (format, names of the columns) and one file for each array; row i of all is one record:

* ``ordinals.uint64`` (which record), ``made.uint64`` (a hash of what its features were made from), ``source.uint16``;
* ``numbers.int32``: the numbers of :class:`Features`, row by row;
* ``texts.starts.int64``, ``texts.uint8``: where the texts of each row start (n + 1), and the texts in UTF-8, row by
  row, ``END`` after each;
* the same two files for each long column (``text``), which is read only by those who name it.

A row never changes. The file of an array may be longer than the table: the catalog states how many rows are valid, and
the next writer overwrites what follows them.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import msgspec
import numpy as np
import numpy.typing as npt

from bibld.errors import CatalogError, DamagedIndexError
from bibld.model.features import LONG, NUMBERS, TEXTS, FeatureColumns, Features, TextColumn

TOMBSTONE = 65_535
"""The source of a row that states that its record was deleted."""

END = 0x1F
"""Ends each text. In texts themselves it is replaced by a blank."""

_FORMAT = 2
_HEAD = "head.json"

TEXT_FILES = {
    "texts": tuple(name for name in TEXTS if name not in LONG),
    **{name: (name,) for name in TEXTS if name in LONG},
}
"""The text files and the columns in each."""

_ARRAYS = {"ordinals": "uint64", "made": "uint64", "source": "uint16", "numbers": "int32"}

Bytes = npt.NDArray[np.uint8]
Offsets = npt.NDArray[np.int64]


class FeatureRows(Protocol):
    """Rows of features, on disk (:class:`FeatureTable`) or in memory (:class:`FeatureColumns`)."""

    def __len__(self) -> int: ...

    def chunk(self, start: int, stop: int, names: Iterable[str] | None = None) -> FeatureColumns:
        """Return neighbouring rows; the columns named, by default all but the long ones."""
        return self.rows(np.arange(max(start, 0), min(stop, len(self))), names)

    def rows(self, positions: npt.NDArray[Any], names: Iterable[str] | None = None) -> FeatureColumns:
        """Return rows in any order, repeated if asked; the columns named, by default all but the long ones."""

    def long_text_sizes(self, positions: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Return the sizes of the long texts of rows, about in bytes, without reading them; shape of ``positions``."""


class _Head(msgspec.Struct, frozen=True):
    format: int
    texts: dict[str, tuple[str, ...]]
    numbers: tuple[str, ...]


_EXPECTED = _Head(_FORMAT, TEXT_FILES, NUMBERS)


class StoredRows(msgspec.Struct, frozen=True):
    """Rows as files store them: ``numbers`` (n, columns); for each text file the starts (n + 1,) and the bytes."""

    ordinals: npt.NDArray[np.uint64]
    numbers: npt.NDArray[np.int32]
    texts: dict[str, tuple[Offsets, Bytes]]


def stored_rows(columns: FeatureColumns) -> StoredRows:
    """Encode columns as files store them."""
    numbers = np.stack([columns.numbers[name] for name in NUMBERS], axis=1)
    texts = {file: _encode([columns.texts[name] for name in names]) for file, names in TEXT_FILES.items()}
    return StoredRows(columns.ordinals, np.ascontiguousarray(numbers), texts)


def tombstones(ordinals: Sequence[int]) -> StoredRows:
    """Return rows without features, for deleted records."""
    return stored_rows(FeatureColumns.from_features((ordinal, Features()) for ordinal in ordinals))


def _encode(columns: Sequence[TextColumn]) -> tuple[Offsets, Bytes]:
    """Write texts row by row, ``END`` after each: where each row starts (n + 1,), and the bytes."""
    lengths = np.stack([np.diff(column.offsets) for column in columns], axis=1)
    ends = np.cumsum(lengths + 1, axis=None).reshape(lengths.shape)
    codes = np.full(ends[-1, -1] if len(ends) else 0, END, dtype="<u4")
    for column, length, end in zip(columns, lengths.T, ends.T, strict=True):
        first, last = column.offsets[0], column.offsets[-1]
        positions = np.repeat(end - 1 - column.offsets[1:], length) + np.arange(first, last)
        text = column.codes[first:last]
        codes[positions] = np.where(text == END, np.uint32(ord(" ")), text)
    data = codes.tobytes().decode("utf-32-le", "surrogatepass").encode("utf-8", "surrogatepass")
    sizes = 1 + (codes >= 0x80).astype(np.int8) + (codes >= 0x800) + (codes >= 0x10000)
    before = np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))
    return before[np.concatenate(([0], ends[:, -1]))], np.frombuffer(data, dtype=np.uint8)


def _decode(
    starts: Offsets, data: Bytes, columns: Sequence[str], names: Sequence[str], folder: Path
) -> dict[str, TextColumn]:
    """Read the columns ``names`` of rows with all ``columns``, as :func:`_encode` wrote them."""
    from bibld.dedup._text_rows import decode_texts

    ends = np.flatnonzero(data == END)
    width = len(columns)
    if len(ends) != (len(starts) - 1) * width or np.any(ends[width - 1 :: width] + 1 != starts[1:]):
        raise damaged(folder, "texts begin or end where they should not")
    slots = np.array([names.index(name) if name in names else -1 for name in columns], dtype=np.int64)
    offsets, codes, firsts = decode_texts(data, ends, slots, len(names))
    return {
        name: TextColumn(offsets[slot], codes[firsts[slot] : firsts[slot] + offsets[slot, -1]])
        for slot, name in enumerate(names)
    }


def _wanted(names: Iterable[str] | None, location: object) -> set[str]:
    """Return the columns that are asked for: all but the long ones by default; raises ``ValueError``."""
    wanted = {*TEXTS, *NUMBERS}.difference(LONG) if names is None else set(names)
    if unknown := sorted(wanted.difference(TEXTS, NUMBERS)):
        raise ValueError(f"unknown columns {unknown} of {location}")
    return wanted


class _Texts:
    """The texts of some columns in memory, row by row as they are stored; ``starts`` (n + 1,) are those of rows."""

    def __init__(self, starts: Offsets, data: Bytes) -> None:
        self.starts = starts
        self._data = data

    def stored(self, positions: Offsets) -> tuple[Offsets, Bytes]:
        """Return where the texts of some rows start (n + 1,), and these texts, one row after another."""
        begins, lengths = self.starts[positions], np.diff(self.starts)[positions]
        found = np.concatenate(([0], np.cumsum(lengths)))
        return found, self._data[np.repeat(begins - found[:-1], lengths) + np.arange(found[-1])]


class _StoredTable(FeatureRows):
    """Rows as files store them, of which the columns are decoded when they are asked for."""

    def __init__(
        self,
        location: Path,
        ordinals: npt.NDArray[np.uint64],
        numbers: npt.NDArray[np.int32],
        texts: Mapping[str, _Texts],
    ) -> None:
        """``location`` is named in errors; ``texts`` are those of each text file."""
        self._location = location
        self.ordinals = ordinals
        self.numbers = numbers
        self._texts = texts

    def __len__(self) -> int:
        return len(self.ordinals)

    def rows(self, positions: npt.NDArray[Any], names: Iterable[str] | None = None) -> FeatureColumns:
        """Return rows in any order, repeated if asked; the columns named, by default all but the long ones."""
        positions = np.ascontiguousarray(positions, dtype=np.int64)
        if len(positions) and not (positions.min() >= 0 and positions.max() < len(self)):
            raise IndexError(f"a row is not among the {len(self)} rows of {self._location}")
        requested = _wanted(names, self._location)
        texts: dict[str, TextColumn] = {}
        for file, columns in TEXT_FILES.items():
            if wanted := [name for name in columns if name in requested]:
                texts |= _decode(*self._texts[file].stored(positions), columns, wanted, self._location)
        numbers = np.array(self.numbers[positions].T, order="C")
        return FeatureColumns(
            self.ordinals[positions],
            {name: texts[name] for name in TEXTS if name in requested},
            {name: numbers[position] for position, name in enumerate(NUMBERS) if name in requested},
        )

    def long_text_sizes(self, positions: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Return the sizes of the long texts of rows in bytes, without reading them; shape of ``positions``."""
        sizes = np.zeros(len(positions), dtype=np.int64)
        for file in LONG:
            starts = self._texts[file].starts
            sizes += starts[positions.astype(np.int64) + 1] - starts[positions]
        return sizes


class PackedRows(_StoredTable):
    """Rows in memory as files store them."""

    def __init__(self, stored: StoredRows) -> None:
        texts = {file: _Texts(*found) for file, found in stored.texts.items()}
        super().__init__(Path("rows in memory"), stored.ordinals, stored.numbers, texts)


class _TextFile(_Texts):
    """The texts of some columns, row by row. Rows are read, since pages mapped at random cost twice as much."""

    def __init__(self, folder: Path, name: str, rows: int) -> None:
        self._path = folder / f"{name}.uint8"
        self.starts: Offsets = _mapped(folder / f"{name}.starts.int64", rows + 1)
        self._size = int(self.starts[-1])
        if self.starts[0] != 0 or self._size < 0:
            raise damaged(folder, f"{name}: rows begin or end where they should not")
        _check_size(self._path, self._size)
        self._number = os.open(self._path, os.O_RDONLY)
        weakref.finalize(self, os.close, self._number)

    def stored(self, positions: Offsets) -> tuple[Offsets, Bytes]:
        """Return where the texts of some rows start (n + 1,), and the texts as they are stored."""
        # Compiled where it is needed: other modules need only the files.
        from bibld.dedup._text_rows import read_rows

        begins, ends = self.starts[positions], self.starts[positions + 1]
        if np.any((begins < 0) | (ends < begins) | (ends > self._size)):
            raise damaged(self._path, "rows begin or end where they should not")
        starts = np.concatenate(([0], np.cumsum(ends - begins)))
        data = np.empty(starts[-1], dtype=np.uint8)
        if not read_rows(self._number, begins, starts, data):
            raise damaged(self._path, "cannot be read to its end")
        return starts, data


class FeatureTable(_StoredTable):
    """The first rows of a folder of files, for reading; ``ordinals``, ``made`` and ``source`` (n,) are mapped.

    Raises ``DamagedIndexError`` if a file is missing, too short, or of another format.
    """

    def __init__(self, folder: Path, rows: int) -> None:
        self.folder = folder
        check_head(folder)
        self.made: npt.NDArray[np.uint64] = _mapped(folder / "made.uint64", rows)
        self.source: npt.NDArray[np.uint16] = _mapped(folder / "source.uint16", rows)
        ordinals: npt.NDArray[np.uint64] = _mapped(folder / "ordinals.uint64", rows)
        numbers: npt.NDArray[np.int32] = _mapped(folder / "numbers.int32", rows * len(NUMBERS))
        texts = {name: _TextFile(folder, name, rows) for name in TEXT_FILES}
        super().__init__(folder, ordinals, numbers.reshape(rows, len(NUMBERS)), texts)

    @classmethod
    def open_complete(cls, folder: Path) -> FeatureTable:
        """Open all rows of a folder that nobody appends to."""
        return cls(folder, (folder / "ordinals.uint64").stat().st_size // 8)

    def stored(self, positions: Offsets) -> StoredRows:
        """Return rows as they are stored, for a writer: with the long columns, and without decoding."""
        texts = {name: file.stored(positions) for name, file in self._texts.items()}
        return StoredRows(self.ordinals[positions], self.numbers[positions], texts)


class FeatureWriter:
    """Appends rows to a folder after its first ``rows`` valid ones; creates the folder if ``rows`` is 0.

    What is added is valid when :meth:`close` has returned and the catalog contains the new number of rows. Raises
    ``CatalogError`` if the disk is full or the folder cannot be written.
    """

    def __init__(self, folder: Path, rows: int = 0) -> None:
        self._folder = folder
        self._opened = ExitStack()
        self._files: dict[str, BinaryIO] = {}
        self.rows = rows
        with self._converting_errors():
            if not rows:
                folder.mkdir(parents=True, exist_ok=True)
                (folder / _HEAD).write_bytes(msgspec.json.encode(_EXPECTED))
            check_head(folder)
            for name, kind in _ARRAYS.items():
                width = len(NUMBERS) if name == "numbers" else 1
                self._open(f"{name}.{kind}", rows * np.dtype(kind).itemsize * width)
            self._ends = dict.fromkeys(TEXT_FILES, 0)
            for name in TEXT_FILES:
                if rows:
                    self._ends[name] = int(_mapped(folder / f"{name}.starts.int64", rows + 1)[-1])
                    self._open(f"{name}.starts.int64", (rows + 1) * 8)
                else:
                    self._open(f"{name}.starts.int64", 0).write(bytes(8))
                self._open(f"{name}.uint8", self._ends[name])

    def _open(self, name: str, size: int) -> BinaryIO:
        file = self._files[name] = self._opened.enter_context((self._folder / name).open("ab", buffering=1 << 20))
        _check_size(self._folder / name, size)
        file.truncate(size)
        file.seek(size)
        return file

    def add(self, rows: StoredRows, fingerprints: npt.NDArray[np.uint64], source: npt.NDArray[np.uint16]) -> None:
        """Append rows with a hash of what each was made from, and the number of its source."""
        arrays: dict[str, npt.NDArray[Any]] = {
            "ordinals": rows.ordinals, "made": fingerprints, "source": source, "numbers": rows.numbers
        }  # fmt: skip
        if {len(array) for array in arrays.values()} != {len(rows.ordinals)}:
            raise ValueError("the arrays of the rows have different lengths")
        with self._converting_errors():
            for name, array in arrays.items():
                self._write(f"{name}.{_ARRAYS[name]}", array.astype(_ARRAYS[name], copy=False))
            for name, (starts, data) in rows.texts.items():
                self._write(f"{name}.starts.int64", starts[1:] + self._ends[name])
                self._write(f"{name}.uint8", data)
                self._ends[name] += len(data)
        self.rows += len(rows.ordinals)

    def _write(self, name: str, array: npt.NDArray[Any]) -> None:
        if array.size:
            self._files[name].write(np.ascontiguousarray(array).data.cast("B"))

    def close(self) -> FeatureTable:
        """Wait until all rows are on the disk, and open the table with them."""
        with self._converting_errors():
            for file in self._files.values():
                file.flush()
                os.fsync(file.fileno())
            for folder in (self._folder, self._folder.parent):
                number = os.open(folder, os.O_RDONLY)
                try:
                    os.fsync(number)
                finally:
                    os.close(number)
            self._opened.close()
        return FeatureTable(self._folder, self.rows)

    def __enter__(self) -> FeatureWriter:
        return self

    def __exit__(self, *failure: object) -> None:
        # A full disk refuses the rest of the buffer too; the catalog does not contain these rows.
        with suppress(OSError):
            self._opened.close()

    @contextmanager
    def _converting_errors(self) -> Iterator[None]:
        try:
            yield
        except CatalogError:
            self.__exit__()
            raise
        except OSError as error:
            self.__exit__()
            message = f"{self._folder}: cannot be written: {error}; free some space, then run again"
            raise CatalogError(message) from error


def check_head(folder: Path) -> None:
    """Raise ``DamagedIndexError`` unless a folder contains a table with the columns of this version."""
    try:
        head = msgspec.json.decode((folder / _HEAD).read_bytes(), type=_Head)
    except OSError as error:
        raise damaged(folder, str(error)) from error
    except msgspec.MsgspecError as error:
        raise damaged(folder, f"{_HEAD}: {error}") from error
    if head != _EXPECTED:
        raise damaged(folder, f"has another format or other columns than this bibld reads (format {head.format})")


def damaged(folder: Path, reason: str) -> DamagedIndexError:
    """Return the error for damaged files of the index."""
    return DamagedIndexError(f"{folder}: {reason}; run `bibld catalog check`")


def _check_size(path: Path, size: int) -> None:
    """Raise ``DamagedIndexError`` if a file has fewer bytes than ``size``."""
    try:
        found = path.stat().st_size
    except OSError as error:
        raise damaged(path.parent, str(error)) from error
    if found < size:
        raise damaged(path.parent, f"{path.name} has {found} bytes instead of {size}")


def _mapped(path: Path, items: int) -> npt.NDArray[Any]:
    """Map the first items of a file of the type that its name ends with; raises ``DamagedIndexError``."""
    kind = np.dtype(path.suffix[1:])
    _check_size(path, items * kind.itemsize)
    return np.memmap(path, kind, "r", shape=(items,)).view(np.ndarray) if items else np.empty(0, kind)
