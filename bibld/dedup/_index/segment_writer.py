"""Writing of feature segments."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import msgspec

from bibld.dedup._index.segment import (
    BUILDING,
    FORMAT,
    HEAD,
    Head,
    Packed,
    Segment,
    close_to_disk,
    sync_folder,
    unwritten,
)
from bibld.model.features import NUMBERS, TEXTS, FeatureColumns

if TYPE_CHECKING:
    import numpy.typing as npt

_BUFFER = 1 << 20


def packed(columns: FeatureColumns, arrays: Mapping[str, npt.NDArray[Any]] | None = None) -> Packed:
    """Rows for a segment out of all columns of :class:`Features`."""
    import numpy as np

    from bibld.dedup._index.segment_kernels import encoded

    held = [columns.texts[name] for name in TEXTS]
    before = np.cumsum([0] + [len(column.codes) for column in held])
    offsets = np.stack([column.offsets + start for column, start in zip(held, before, strict=False)])
    starts, texts = encoded(offsets, np.concatenate([column.codes for column in held]))
    numbers = np.stack([columns.numbers[name] for name in NUMBERS], axis=1)
    return Packed(columns.ordinals, starts, texts, np.ascontiguousarray(numbers), dict(arrays or {}))


class SegmentWriter:
    """Writes a segment, ordinals ascending; the folder appears whole when it is closed, in place of an earlier one.

    Until then all lies in a folder beside it, ``folder``, where others may put files of their own. Used as a context it
    leaves nothing behind when something fails. Raises ``CatalogError`` when the disk is full or cannot be written.
    """

    def __init__(self, folder: Path, arrays: Mapping[str, npt.DTypeLike] | None = None) -> None:
        """``arrays``: the types of further columns, which :meth:`add` is given by these names."""
        import numpy as np

        self.folder = folder.with_name(folder.name + BUILDING)
        self._final = folder
        self._arrays = {name: np.dtype(kind) for name, kind in (arrays or {}).items()}
        kinds = {"ordinals": "uint64", "starts": "int64", "texts": "uint8", "numbers": "int32"}
        kinds.update((name, kind.name) for name, kind in self._arrays.items())
        self._files: dict[str, BinaryIO] = {}
        self._rows = self._bytes = 0
        self._last = -1
        with self._written():
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True)
            for name, kind in kinds.items():
                self._files[name] = (self.folder / f"{name}.{kind}").open("wb", buffering=_BUFFER)
            self._files["starts"].write(np.zeros(1, np.int64).data)

    def __enter__(self) -> SegmentWriter:
        return self

    def __exit__(self, *failure: object) -> None:
        self.discard()

    def add(self, columns: FeatureColumns | Packed, **arrays: npt.NDArray[Any]) -> None:
        """Write some rows, with the values of the further columns; raises ``ValueError`` where ordinals descend."""
        import numpy as np

        rows = columns if isinstance(columns, Packed) else packed(columns)
        given = {**rows.arrays, **arrays}
        if given.keys() != self._arrays.keys() or any(len(array) != len(rows.ordinals) for array in given.values()):
            raise ValueError(f"a segment with the further columns {sorted(self._arrays)} was given {sorted(given)}")
        if not len(rows.ordinals):
            return
        if int(rows.ordinals[0]) <= self._last or np.any(rows.ordinals[1:] <= rows.ordinals[:-1]):
            raise ValueError("the ordinals of a segment ascend")
        pieces: dict[str, npt.NDArray[Any]] = {
            "ordinals": rows.ordinals,
            "starts": rows.starts[1:] + self._bytes,
            "texts": rows.texts,
            "numbers": rows.numbers,
        }
        pieces.update((name, given[name].astype(kind, copy=False)) for name, kind in self._arrays.items())
        with self._written():
            for name, piece in pieces.items():
                self._files[name].write(np.ascontiguousarray(piece).data.cast("B"))
        self._last = int(rows.ordinals[-1])
        self._rows += len(rows.ordinals)
        self._bytes += len(rows.texts)

    def close(self) -> Segment:
        """Make the segment whole and open it."""
        with self._written():
            found = {}
            for file in self._files.values():
                close_to_disk(file)
                found[Path(file.name).name] = Path(file.name).stat().st_size
            head = Head(FORMAT, self._rows, TEXTS, NUMBERS, found)
            with (self.folder / HEAD).open("wb") as file:
                file.write(msgspec.json.encode(head))
                close_to_disk(file)
            sync_folder(self.folder)
            shutil.rmtree(self._final, ignore_errors=True)
            self.folder.rename(self._final)
            sync_folder(self._final.parent)
        return Segment.open(self._final)

    def discard(self) -> None:
        """Remove what was written, unless the segment was closed."""
        for file in self._files.values():
            with contextlib.suppress(OSError):  # a full disk refuses the rest of the buffer too
                file.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    @contextlib.contextmanager
    def _written(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self.discard()
            raise unwritten(self._final, error) from error
