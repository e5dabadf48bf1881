"""Feature segments: the features of records on disk, mapped into memory, for more records than memory holds.

A segment is a folder that never changes: some records by ascending ordinal. A file holds one array and is called by
its name and type: ``ordinals.uint64``; ``starts.int64`` and ``texts.uint8``, the texts row by row as
``segment_kernels`` lays them out; ``numbers.int32``, the numbers row by row; further arrays with one item a row, by
names that their makers choose. ``head.json`` says what the folder must hold. Other files may lie beside.
"""

from __future__ import annotations

import mmap
import os
import weakref
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import msgspec

from bibld.errors import CatalogError
from bibld.model.features import FeatureColumns, TextColumn

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

FORMAT = 1
BUILDING = ".building"
_WALKED = 10_000
"""Who asks for so many neighbouring rows walks through all; what was read before is let go."""
HEAD = "head.json"
TEXTS = "texts.uint8"


class Head(msgspec.Struct, frozen=True):
    """What a segment holds: names of its columns, bytes of its files."""

    format: int
    rows: int
    texts: tuple[str, ...]
    numbers: tuple[str, ...]
    files: dict[str, int]


class Packed(msgspec.Struct, frozen=True, eq=False):
    """Rows as they stand in a segment: ``ordinals`` (n,), ``starts`` (n + 1,) in ``texts``, ``numbers`` (n, columns).

    ``arrays`` are further columns by name, each with n items.
    """

    ordinals: npt.NDArray[np.uint64]
    starts: npt.NDArray[np.int64]
    texts: npt.NDArray[np.uint8]
    numbers: npt.NDArray[np.int32]
    arrays: dict[str, npt.NDArray[Any]]


class Segment:
    """A whole segment, mapped into memory; ``ordinals`` (n,), ``numbers`` by name (n,), ``head`` says what it has."""

    def __init__(self, folder: Path, head: Head, maps: dict[str, npt.NDArray[Any]]) -> None:
        self.folder = folder
        self.ordinals: npt.NDArray[np.uint64] = maps["ordinals"]
        self.starts: npt.NDArray[np.int64] = maps["starts"]
        self.texts: npt.NDArray[np.uint8] = maps["texts"]
        self.all_numbers: npt.NDArray[np.int32] = maps["numbers"].reshape(head.rows, len(head.numbers))
        self.numbers = {name: self.all_numbers[:, column] for column, name in enumerate(head.numbers)}
        self.head = head
        self.texts_file = os.open(folder / TEXTS, os.O_RDONLY)
        weakref.finalize(self, os.close, self.texts_file)
        self._maps = maps

    @classmethod
    def open(cls, folder: Path) -> Segment:
        """Map a segment; raises ``CatalogError`` where it is not whole or of an unknown format."""
        try:
            head = msgspec.json.decode((folder / HEAD).read_bytes(), type=Head)
            found = {name: (folder / name).stat().st_size for name in head.files}
        except OSError as error:
            raise damaged(folder, str(error)) from error
        except msgspec.MsgspecError as error:
            raise damaged(folder, f"{HEAD}: {error}") from error
        if head.format != FORMAT:
            raise damaged(folder, f"is of format {head.format}, this bibld reads {FORMAT}")
        for name, size in head.files.items():
            if found[name] != size:
                raise damaged(folder, f"{name} has {found[name]} bytes instead of {size}")
        maps = {name.partition(".")[0]: _mapped(folder / name) for name in head.files}
        expected = {"ordinals": head.rows, "starts": head.rows + 1, "numbers": head.rows * len(head.numbers)}
        if any(len(maps.get(name, ())) != length for name, length in expected.items()) or "texts" not in maps:
            raise damaged(folder, f"its files do not hold the {head.rows} rows that {HEAD} tells of")
        if maps["starts"][0] != 0 or maps["starts"][-1] != len(maps["texts"]):
            raise damaged(folder, "its texts end where they should not")
        return cls(folder, head, maps)

    def array(self, name: str) -> npt.NDArray[Any]:
        """A further column by name, shape (n,), whether the writer or :meth:`put` made it; raises ``KeyError``."""
        if name not in self._maps:
            paths = self._files_of(name)
            if not paths:
                raise KeyError(name)
            self._maps[name] = _mapped(paths[0])
        held = self._maps[name]
        if len(held) != len(self):
            raise damaged(self.folder, f"{name} has {len(held)} items for {len(self)} rows")
        return held

    def put(self, name: str, pieces: Iterable[npt.NDArray[Any]], kind: npt.DTypeLike) -> None:
        """Add a further column, given in pieces by row, or replace it; it appears whole.

        Raises ``CatalogError`` when the disk is full, ``ValueError`` when there is not one item for each row.
        """
        import numpy as np

        kind, total = np.dtype(kind), 0
        path = self.folder / f"{name}.{kind.name}"
        building = path.with_name(path.name + BUILDING)
        try:
            with building.open("wb") as file:
                for piece in pieces:
                    total += len(piece)
                    file.write(np.ascontiguousarray(piece, dtype=kind).data.cast("B"))
                close_to_disk(file)
            if total != len(self):
                raise ValueError(f"{name} was given {total} items for {len(self)} rows")
            for earlier in self._files_of(name):
                if earlier != path:
                    earlier.unlink()
            building.rename(path)
            sync_folder(self.folder)
        except OSError as error:
            raise unwritten(path, error) from error
        finally:
            building.unlink(missing_ok=True)
        self._maps.pop(name, None)

    def _files_of(self, name: str) -> list[Path]:
        return [path for path in self.folder.glob(f"{name}.*") if path.suffix != BUILDING]

    def column(self, name: str, start: int = 0, stop: int | None = None) -> TextColumn:
        """One text column of some rows."""
        return self.chunk(start, len(self) if stop is None else stop, (name,)).texts[name]

    def chunk(self, start: int, stop: int, names: Iterable[str] | None = None) -> FeatureColumns:
        """The rows from ``start`` to ``stop``, all columns or those named."""
        import numpy as np

        start = min(max(start, 0), len(self))
        stop = min(max(start, stop), len(self))
        if stop - start >= _WALKED:
            self.release()
        starts = self.starts[start : stop + 1]
        if not 0 <= starts[0] <= starts[-1] <= len(self.texts):
            raise damaged(self.folder, "rows begin or end where they should not")
        texts = self.texts[starts[0] : starts[-1]]
        ordinals = np.array(self.ordinals[start:stop])
        return unpacked(Packed(ordinals, starts - starts[0], texts, self.all_numbers[start:stop], {}), self, names)

    def rows(self, positions: npt.NDArray[np.int64], names: Iterable[str] | None = None) -> FeatureColumns:
        """Rows in any order, as often as they are asked for; all columns or those named."""
        import numpy as np

        positions = np.ascontiguousarray(positions, dtype=np.int64)
        check_positions(positions, len(self))
        places = np.arange(len(positions), dtype=np.int64)
        return unpacked(gathered([(self, positions, places)], len(positions)), self, names)

    def position(self, ordinals: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
        """In which rows records stand, -1 for those that are not here; shape of ``ordinals``."""
        import numpy as np

        if not len(self):
            return np.full(len(ordinals), -1, dtype=np.int64)
        places = np.searchsorted(self.ordinals, ordinals.astype(np.uint64)).astype(np.int64)
        is_here = self.ordinals[np.minimum(places, len(self) - 1)] == ordinals
        return np.where(is_here, places, -1)

    def release(self) -> None:
        """Give the memory back that the mapped files take; they are read again when they are needed."""
        for held in self._maps.values():
            if isinstance(held.base, memoryview) and isinstance(held.base.obj, mmap.mmap):
                held.base.obj.madvise(mmap.MADV_DONTNEED)

    def bytes_per_row(self) -> float:
        """Bytes on disk of what the writer wrote, for each row."""
        return sum(self.head.files.values()) / max(len(self), 1)

    def __len__(self) -> int:
        return self.head.rows


Part = tuple[Segment, "npt.NDArray[np.int64]", "npt.NDArray[np.int64]"]
"""Rows of a segment, and at which places of the result they are wanted."""


def gathered(parts: Sequence[Part], count: int) -> Packed:
    """The ``count`` rows that parts of segments give together; raises ``CatalogError`` where a segment is damaged."""
    import numpy as np

    from bibld.dedup._index.reading import rows_read
    from bibld.dedup._index.segment_kernels import sizes

    starts = np.zeros(count + 1, dtype=np.int64)
    for segment, rows, places in parts:
        if not sizes(segment.starts, len(segment.texts), rows, places, starts):
            raise damaged(segment.folder, "rows begin or end where they should not")
    np.cumsum(starts, out=starts)
    texts = np.empty(starts[-1], dtype=np.uint8)
    ordinals = np.empty(count, dtype=np.uint64)
    numbers = np.empty((count, parts[0][0].all_numbers.shape[1] if parts else 0), dtype=np.int32)
    for segment, rows, places in parts:
        if not rows_read(segment.texts_file, segment.starts, rows, places, starts, texts):
            raise damaged(segment.folder, f"{TEXTS} cannot be read to its end")
        ordinals[places], numbers[places] = segment.ordinals[rows], segment.all_numbers[rows]
    return Packed(ordinals, starts, texts, numbers, {})


def unpacked(rows: Packed, segment: Segment, names: Iterable[str] | None) -> FeatureColumns:
    """Rows as columns, all that the segment has or those named; raises ``ValueError`` for a name that it has not."""
    import numpy as np

    from bibld.dedup._index.segment_kernels import decoded

    head = segment.head
    asked = (*head.texts, *head.numbers) if names is None else tuple(dict.fromkeys(names))
    if unknown := sorted(set(asked).difference(head.texts, head.numbers)):
        raise ValueError(f"{segment.folder} has no columns {unknown}")
    kept = [name for name in asked if name in head.texts]
    slots = np.array([kept.index(name) if name in kept else -1 for name in head.texts], dtype=np.int64)
    # Mapped texts cannot be written; what is gathered is marked likewise, so that one kernel is compiled for both.
    rows.texts.setflags(write=False)
    offsets, codes, firsts, bad = decoded(rows.starts, rows.texts, slots, len(kept))
    if bad >= 0:
        raise damaged(segment.folder, f"the texts of record {rows.ordinals[bad]} cannot be read")
    columns = np.array(rows.numbers.T, order="C")
    return FeatureColumns(
        ordinals=rows.ordinals,
        texts={
            name: TextColumn(offsets[slot], codes[firsts[slot] : firsts[slot] + offsets[slot, -1]])
            for slot, name in enumerate(kept)
        },
        numbers={name: columns[place] for place, name in enumerate(head.numbers) if name in asked},
    )


def check_positions(positions: npt.NDArray[np.int64], count: int) -> None:
    """Raise ``IndexError`` unless all are rows among so many."""
    if len(positions) and not (positions.min() >= 0 and positions.max() < count):
        raise IndexError(f"a position is outside of the {count} rows")


def damaged(folder: Path, reason: str) -> CatalogError:
    """The error that says what is wrong with a segment."""
    return CatalogError(f"{folder}: {reason}; run `bibld catalog check`")


def unwritten(path: Path, error: OSError) -> CatalogError:
    """The error that says that something of a segment is not on disk."""
    return CatalogError(f"{path}: cannot be written: {error}; free some space, then run again")


def close_to_disk(file: BinaryIO) -> None:
    """Close a file when all of it has reached the disk."""
    file.flush()
    os.fsync(file.fileno())
    file.close()


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder have reached the disk."""
    held = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(held)
    finally:
        os.close(held)


def _mapped(path: Path) -> npt.NDArray[Any]:
    """An array on disk, of the type that the name of the file ends with; raises ``CatalogError``."""
    import numpy as np

    try:
        kind = np.dtype(path.suffix[1:])
        with path.open("rb") as file:
            if not os.fstat(file.fileno()).st_size:
                return np.empty(0, dtype=kind)
            return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), dtype=kind)
    except (OSError, TypeError, ValueError) as error:
        raise damaged(path, str(error)) from error
