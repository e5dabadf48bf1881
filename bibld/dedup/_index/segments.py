"""Several feature segments as one.

Row i of segment s has the flat position of the rows of all segments before s, plus i.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from bibld.dedup._index.segment import Packed, Part, Segment, check_positions, gathered, unpacked
from bibld.dedup._index.segment_writer import SegmentWriter, packed
from bibld.errors import CatalogError
from bibld.model.features import FeatureColumns

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Packed", "Segment", "SegmentWriter", "Segments", "packed"]

CHUNK = 50_000
"""Rows that are decoded at once when all are walked."""


class Segments:
    """Several segments as one, the oldest first; ``dead`` (bool, one for each position) are rows that count no more."""

    def __init__(self, segments: Sequence[Segment], dead: npt.NDArray[np.bool_] | None = None) -> None:
        import numpy as np

        columns = {(segment.head.texts, segment.head.numbers) for segment in segments}
        if len(columns) > 1:
            raise CatalogError(f"{segments[0].folder.parent}: its segments differ in their columns; run `bibld run`")
        self.segments = tuple(segments)
        self.bases = np.cumsum([0] + [len(segment) for segment in segments]).astype(np.int64)
        self.dead = dead

    def __len__(self) -> int:
        return int(self.bases[-1])

    def chunks(
        self, rows: int = CHUNK, names: Iterable[str] | None = None
    ) -> Iterator[tuple[npt.NDArray[np.int64], FeatureColumns]]:
        """All rows but the dead, up to ``rows`` at once: their flat positions, ascending, and their columns.

        The memory of what was read is given back, so that walking takes as much as one chunk.
        """
        import numpy as np

        asked = None if names is None else tuple(names)
        for segment, base in zip(self.segments, self.bases, strict=False):
            for start in range(0, len(segment), rows):
                stop = min(start + rows, len(segment))
                positions = np.arange(base + start, base + stop)
                if self.dead is not None:
                    positions = positions[~self.dead[positions]]
                is_whole = len(positions) == stop - start
                if len(positions):
                    yield (
                        positions,
                        segment.chunk(start, stop, asked) if is_whole else segment.rows(positions - base, asked),
                    )
                segment.release()

    def chunk(self, start: int, stop: int, names: Iterable[str] | None = None) -> FeatureColumns:
        """The rows at the flat positions from ``start`` to ``stop``, the dead too."""
        import numpy as np

        return self.rows(np.arange(max(start, 0), min(stop, len(self)), dtype=np.int64), names)

    def rows(self, positions: npt.NDArray[np.int64], names: Iterable[str] | None = None) -> FeatureColumns:
        """The rows at flat positions, in any order, as often as they are asked for; all columns or those named."""
        if not len(positions):
            return self.segments[0].chunk(0, 0, names) if self.segments else FeatureColumns.from_features(())
        return unpacked(self.packed(positions), self.segments[0], names)

    def packed(self, positions: npt.NDArray[np.int64]) -> Packed:
        """The rows at flat positions as they stand, without further columns: what a writer takes without decoding."""
        import numpy as np

        positions = np.ascontiguousarray(positions, dtype=np.int64)
        return gathered(list(self._parts(positions)), len(positions))

    def position(self, ordinals: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
        """The flat positions of records, in the newest segment that holds each; -1 for none, and for the dead."""
        import numpy as np

        found = np.full(len(ordinals), -1, dtype=np.int64)
        for segment, base in zip(self.segments, self.bases, strict=False):
            places = segment.position(ordinals)
            found = np.where(places >= 0, places + base, found)
        if self.dead is not None and len(self.dead):
            found[(found >= 0) & self.dead[found]] = -1
        return found

    def ordinal(self, positions: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """Which records stand at flat positions."""
        return self._gathered(positions, [segment.ordinals for segment in self.segments], "uint64")

    def numbers(self, name: str, positions: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
        """The values of a number column at flat positions."""
        return self._gathered(positions, [segment.numbers[name] for segment in self.segments], "int32")

    def array(self, name: str, positions: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
        """The values of a further column at flat positions; raises ``KeyError`` where a segment has none."""
        held = [segment.array(name) for segment in self.segments]
        return self._gathered(positions, held, held[0].dtype if held else "uint64")

    def release(self) -> None:
        """Give the memory of the mapped files back."""
        for segment in self.segments:
            segment.release()

    def _gathered(
        self, positions: npt.NDArray[np.int64], columns: Sequence[npt.NDArray[Any]], kind: npt.DTypeLike
    ) -> npt.NDArray[Any]:
        import numpy as np

        found = np.empty(len(positions), dtype=kind)
        held = dict(zip(self.segments, columns, strict=True))
        for segment, rows, places in self._parts(positions):
            found[places] = held[segment][rows]
        return found

    def _parts(self, positions: npt.NDArray[np.int64]) -> Iterator[Part]:
        """Flat positions by segment."""
        import numpy as np

        check_positions(positions, len(self))
        numbers = np.searchsorted(self.bases, positions, side="right") - 1
        for number, (segment, base) in enumerate(zip(self.segments, self.bases, strict=False)):
            places = np.flatnonzero(numbers == number)
            if len(places):
                yield segment, positions[places] - base, places
