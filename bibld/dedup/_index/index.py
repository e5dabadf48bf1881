"""The index: features and keys of all living records on disk, in segments that never change.

A segment is a folder ``index/<number>/``. The catalog says which folders belong to it and which of their rows count no
more; a folder that it does not know was left by a run that was stopped. New and changed records make a new segment;
when there are many, the smaller ones become one.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bibld.catalog import Catalog, SegmentRow, digest
from bibld.config import Config
from bibld.dedup._index.extraction import extract
from bibld.dedup._index.segments import Segment, Segments, SegmentWriter
from bibld.dedup.method import INDEX_VERSION
from bibld.parallel import batches
from bibld.progress import Progress

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Nodes = npt.NDArray[np.int64]

_MOST = 8
"""More segments than this are brought together."""

_ROWS_AT_ONCE = 50_000
_MARK = 8


class Place(NamedTuple):
    """Segments of the catalog, opened, with the numbers of their folders."""

    segments: Segments
    numbers: list[int]

    def ordinals(self) -> npt.NDArray[np.uint64]:
        """The ordinals at all positions."""
        import numpy as np

        return np.concatenate([np.empty(0, np.uint64), *(one.ordinals for one in self.segments.segments)])

    def alive(self) -> npt.NDArray[np.bool_]:
        """Which positions count."""
        import numpy as np

        dead = self.segments.dead
        return np.ones(len(self.segments), dtype=np.bool_) if dead is None else ~dead

    def of_sources(self, several: Iterable[int]) -> npt.NDArray[np.int32]:
        """The number of the source at each position, -1 where a cluster may hold several of it."""
        import numpy as np

        found = np.concatenate(
            [np.empty(0, np.int32), *(one.array("source").astype(np.int32) for one in self.segments.segments)]
        )
        for number in several:
            found[found == number] = -1
        return found


class Index:
    """The index of a workspace; for a run, that holds the catalog's lock."""

    def __init__(self, catalog: Catalog, config: Config) -> None:
        self._catalog = catalog
        self._config = config
        self.folder = config.workspace / "index"
        self.made_by = digest("index", INDEX_VERSION)

    def path(self, number: int) -> Path:
        """The folder of a segment."""
        return self.folder / str(number)

    def opened(self) -> Place:
        """The segments as the catalog knows them; raises ``CatalogError`` where one is not whole."""
        rows = self._catalog.segments.all()
        segments = [Segment.open(self.path(row.number)) for row in rows]
        return Place(Segments(segments, self._dead(rows)), [row.number for row in rows])

    def _dead(self, rows: Sequence[SegmentRow]) -> npt.NDArray[np.bool_]:
        import numpy as np

        dead = np.zeros(sum(row.records for row in rows), dtype=np.bool_)
        base = 0
        for row in rows:
            dead[np.array(self._catalog.segments.tombstones(row.number), dtype=np.int64) + base] = True
            base += row.records
        return dead

    def is_usable(self) -> bool:
        """Whether all segments are there and were made by this version."""
        return all(
            row.made_by == self.made_by and self.path(row.number).is_dir() for row in self._catalog.segments.all()
        )

    def sweep(self) -> None:
        """Remove the folders that do not belong to the catalog."""
        known = {str(row.number) for row in self._catalog.segments.all()}
        if self.folder.is_dir():
            for place in sorted(self.folder.iterdir()):
                if place.name not in known:
                    shutil.rmtree(place) if place.is_dir() else place.unlink()

    def clear(self) -> None:
        """Forget all segments."""
        with self._catalog.commit():
            for row in self._catalog.segments.all():
                self._catalog.segments.remove(row.number)
        self.sweep()

    # -- new rows ----------------------------------------------------------------------------------------------------

    def take(self, ordinals: Sequence[int] | None, progress: Progress) -> int:
        """Bring the rows of some records (ascending), or of all, up to date: those before count no more, and the living
        ones stand in segments of their own behind all others. Gives the number of the first of these segments among
        all. What an earlier run, which was stopped, has taken already is not taken again.
        """
        if ordinals is None:
            self.clear()
            self._add(None, progress)
            return 0
        place = self.opened()
        first = self._taken_before(place, ordinals)
        missing = self._bury(place, first, ordinals)
        if missing:
            self._add(missing, progress)
        return first

    def _taken_before(self, place: Place, ordinals: Sequence[int]) -> int:
        """The number of the first of the last segments in which nothing counts but these records."""
        import numpy as np

        wanted = np.array(ordinals, dtype=np.uint64)
        alive, bases = place.alive(), place.segments.bases
        first = len(place.numbers)
        for number in reversed(range(len(place.numbers))):
            segment = place.segments.segments[number]
            counted = segment.ordinals[alive[bases[number] : bases[number + 1]]]
            if len(counted) > len(wanted) or not np.isin(counted, wanted).all():
                break
            first = number
        return first

    def _bury(self, place: Place, first: int, ordinals: Sequence[int]) -> list[int]:
        """Bury the rows that records had, but for those in segments from ``first`` on that are as the catalog has them;
        gives the living records that have none then."""
        import numpy as np

        positions = place.segments.position(np.array(ordinals, dtype=np.uint64))
        marks = {ordinal: mark(made_by) for ordinal, made_by, _ in self._catalog.records.fingerprints(ordinals)}
        base = place.segments.bases[first]
        kept = set[int]()
        buried: dict[int, list[int]] = {}
        for ordinal, position in zip(ordinals, positions.tolist(), strict=True):
            if position < 0:
                continue
            number = int(np.searchsorted(place.segments.bases, position, side="right")) - 1
            row = position - int(place.segments.bases[number])
            if position >= base and int(place.segments.segments[number].array("made")[row]) == marks.get(ordinal):
                kept.add(ordinal)
            else:
                buried.setdefault(place.numbers[number], []).append(row)
        if buried:
            with self._catalog.commit():
                for segment, rows in buried.items():
                    self._catalog.segments.add_tombstones(segment, rows)
        return [ordinal for ordinal in ordinals if ordinal in marks and ordinal not in kept]

    def _add(self, ordinals: Sequence[int] | None, progress: Progress) -> None:
        number = self._catalog.segments.next_number()
        segment = extract(self._catalog, self._config, self.path(number), progress, ordinals)
        with self._catalog.commit():
            numbers: dict[str, int] = {}
            made, source = self._columns(ordinals, numbers)
            segment.put("made", made, "uint64")
            segment.put("source", source, "uint16")
            self._catalog.segments.add(SegmentRow(number, len(segment), self.made_by))

    def _columns(
        self, ordinals: Sequence[int] | None, numbers: dict[str, int]
    ) -> tuple[list[npt.NDArray[np.uint64]], list[npt.NDArray[np.uint16]]]:
        """What stands beside the features: the mark of what made a record, and the number of its source."""
        import numpy as np

        made, source = [], []
        for batch in batches(self._catalog.records.fingerprints(ordinals), _ROWS_AT_ONCE):
            for _, _, name in batch:
                if name not in numbers:
                    numbers[name] = self._catalog.segments.source_number(name)
            made.append(np.array([mark(made_by) for _, made_by, _ in batch], dtype=np.uint64))
            source.append(np.array([numbers[name] for _, _, name in batch], dtype=np.uint16))
        return made, source

    # -- fewer segments ----------------------------------------------------------------------------------------------

    def compact(self) -> bool:
        """Bring the smaller segments together where there are many, or all where many rows count no more; whether
        anything was done."""
        place = self.opened()
        first = _first_to_compact(place)
        if first is None:
            return False
        import numpy as np

        base = int(place.segments.bases[first])
        positions = np.flatnonzero(place.alive()[base:]) + base
        positions = positions[np.argsort(place.segments.ordinal(positions), kind="stable")]
        number = self._catalog.segments.next_number()
        with SegmentWriter(self.path(number), {"made": "uint64", "source": "uint16"}) as writer:
            for start in range(0, len(positions), _ROWS_AT_ONCE):
                some = positions[start : start + _ROWS_AT_ONCE]
                columns = {name: place.segments.array(name, some) for name in ("made", "source")}
                writer.add(place.segments.packed(some), **columns)
                place.segments.release()
            writer.close()
        with self._catalog.commit():
            for gone in place.numbers[first:]:
                self._catalog.segments.remove(gone)
            self._catalog.segments.add(SegmentRow(number, len(positions), self.made_by))
        self.sweep()
        return True


def mark(made_by: bytes) -> int:
    """A number for what made a record, as it stands in segments."""
    return int.from_bytes(made_by[:_MARK], "little")


def _first_to_compact(place: Place) -> int | None:
    """The first of the segments that should become one; None: they are well as they are."""
    import numpy as np

    sizes = np.diff(place.segments.bases)
    if not len(sizes):
        return None
    if np.count_nonzero(~place.alive()) * 4 > len(place.segments):
        return 0
    if len(sizes) <= _MOST:
        return None
    behind = np.cumsum(sizes[::-1])[::-1] - sizes
    return int(np.flatnonzero(sizes <= 2 * behind)[0]) if (sizes <= 2 * behind).any() else len(sizes) - 2
