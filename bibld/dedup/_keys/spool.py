"""Numbers put apart into parts, more than memory holds."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, BinaryIO, cast

from bibld.errors import CatalogError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.uint64]
    Offsets = npt.NDArray[np.int64]


class Spool:
    """Pieces of numbers, each put apart into the same parts; those beyond ``memory`` bytes stand in a temporary file.

    Raises ``CatalogError`` when there is no room for the file. Several threads may read.
    """

    def __init__(self, memory: int) -> None:
        self._memory = memory
        self._held = 0
        self._pieces: list[tuple[Offsets, Numbers | int]] = []
        self._file: BinaryIO | None = None

    def add(self, offsets: Offsets, numbers: Numbers) -> None:
        """Take a piece: its part p is ``numbers[offsets[p]:offsets[p + 1]]``."""
        if not len(numbers):
            return
        if self._held + numbers.nbytes <= self._memory:
            self._held += numbers.nbytes
            self._pieces.append((offsets, numbers))
            return
        try:
            if self._file is None:
                self._file = cast("BinaryIO", tempfile.TemporaryFile(prefix="bibld-"))  # noqa: SIM115
            self._pieces.append((offsets, self._file.tell()))
            self._file.write(numbers.data)
            self._file.flush()
        except OSError as error:
            folder = tempfile.gettempdir()
            raise CatalogError(f"{folder}: cannot be written: {error}; free some space, or set TMPDIR") from error

    def parts(self, first: int, last: int) -> list[tuple[Offsets, Numbers]]:
        """Some neighbouring parts of each piece: their offsets, and the numbers from ``offsets[0]`` on."""
        return [(offsets[first : last + 1], self._read(offsets, held, first, last)) for offsets, held in self._pieces]

    def sorted(self, first: int, last: int, is_set: bool = False) -> tuple[Offsets, Numbers]:
        """Some neighbouring parts, each in order, as offsets (parts + 1,) and numbers; ``is_set``: each number once."""
        import numpy as np

        if not self._pieces:
            return np.zeros(last - first + 1, np.int64), np.empty(0, np.uint64)
        return together(self.parts(first, last), is_set=is_set)

    def sizes(self, parts: int) -> Offsets:
        """How many numbers each part has, shape (parts,)."""
        import numpy as np

        total = np.zeros(parts, dtype=np.int64)
        for offsets, _ in self._pieces:
            total += np.diff(offsets)
        return total

    def _read(self, offsets: Offsets, held: Numbers | int, first: int, last: int) -> Numbers:
        import numpy as np

        begin, end = int(offsets[first]), int(offsets[last])
        if not isinstance(held, int):
            return held[begin:end]
        assert self._file is not None
        try:
            data = os.pread(self._file.fileno(), 8 * (end - begin), held + 8 * begin)
        except OSError as error:
            raise CatalogError(f"{tempfile.gettempdir()}: cannot be read: {error}") from error
        return np.frombuffer(data, dtype=np.uint64)

    def close(self) -> None:
        """Let go of all numbers."""
        self._pieces.clear()
        if self._file is not None:
            self._file.close()
            self._file = None


def together(
    pieces: Sequence[tuple[Offsets, Numbers]], bases: Iterable[int] = (), low: int = 0, is_set: bool = False
) -> tuple[Offsets, Numbers]:
    """Pieces with the same parts as one, sorted inside each part: see ``regrouped`` in the key kernels.

    A piece is its offsets and its numbers from ``offsets[0]`` on.
    """
    import numpy as np

    from bibld.dedup._keys.key_kernels import regrouped

    lengths = [len(numbers) for _, numbers in pieces]
    starts = np.cumsum([0, *lengths[:-1]], dtype=np.int64)
    added = np.array(list(bases) or [0] * len(pieces), dtype=np.uint64)
    numbers = pieces[0][1] if len(pieces) == 1 else np.concatenate([held for _, held in pieces])
    every = np.stack([offsets for offsets, _ in pieces])
    found: tuple[Offsets, Numbers] = regrouped(np.asarray(numbers), starts, every, added, low, is_set)
    return found


def groups(sizes: Offsets, most: int) -> list[tuple[int, int]]:
    """All parts in groups of neighbours, first and last + 1, that have about so many numbers together."""
    import numpy as np

    numbers = (np.cumsum(sizes) - sizes) // max(most, 1)
    cuts = [0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(sizes)]
    return list(pairwise(cuts))
