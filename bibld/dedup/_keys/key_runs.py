"""Key runs: the keys of the rows of a segment, sorted, on disk or in memory.

A run belongs to a blocker and a level: level 0 are its keys, levels 1 to 3 what becomes of those that too many records
have: refined by the year, then the pages, then the author's first letters. A key that is oversized stands in its run
and again, refined, in that of the next level; who reads passes over it.

A file is ``bibldrun``, the number of the format and 1,025 offsets, each of 8 bytes, then the entries (see
``key_kernels``). It appears whole and never changes. Beside the runs stand the signatures of the rows.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import msgspec

from bibld import adapters
from bibld.dedup._index.segment import BUILDING, close_to_disk, damaged, sync_folder, unwritten
from bibld.dedup._pairs.sieve import WIDTH
from bibld.dedup.method import Method

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.uint64]
    Offsets = npt.NDArray[np.int64]

LEVELS = 4
SIEVE = "sieve"
_MAGIC = b"bibldrun"
_FORMAT = 1
_HEADER = 16 + 8 * 1025


class Run(msgspec.Struct, frozen=True, eq=False):
    """Entries, ascending in each part: part p is ``entries[offsets[p]:offsets[p + 1]]``; ``path``: their file."""

    offsets: Offsets
    entries: Numbers
    path: Path | None = None

    def parts(self, first: int, last: int) -> tuple[Offsets, Numbers]:
        """Some neighbouring parts: their offsets, and the entries from ``offsets[0]`` on; raises ``CatalogError``.

        They are read, not mapped, so that a walk through all parts takes no more memory than it looks at.
        """
        import numpy as np

        offsets = self.offsets[first : last + 1]
        begin, end = int(offsets[0]), int(offsets[-1])
        if self.path is None:
            return offsets, self.entries[begin:end]
        try:
            entries = np.fromfile(self.path, dtype=np.uint64, count=end - begin, offset=_HEADER + 8 * begin)
        except OSError as error:
            raise damaged(self.path, str(error)) from error
        return offsets, entries


class SegmentRuns(msgspec.Struct, frozen=True, eq=False):
    """All that the join asks of a segment of so many rows.

    ``runs`` holds those of each blocker by level, ``near`` the hashes (rows,) of blockers that compare them, ``sieve``
    the signatures (rows, 5).
    """

    rows: int
    runs: dict[str, tuple[Run, ...]]
    near: dict[str, Numbers]
    sieve: Numbers


def write_run(folder: Path | None, name: str, level: int, pieces: Iterable[tuple[Offsets, Numbers]]) -> Run:
    """Put a run together from pieces, each some neighbouring parts, in order; in a folder, or in memory without one.

    Raises ``CatalogError`` when the disk is full.
    """
    import numpy as np

    sizes: list[npt.NDArray[np.int64]] = []
    if folder is None:
        held = [np.empty(0, np.uint64)]
        for offsets, entries in pieces:
            held.append(entries)
            sizes.append(np.diff(offsets))
        return Run(_offsets(sizes), np.concatenate(held))
    path = folder / f"{name}.{level}.keys"
    with _building(path) as file:
        file.write(bytes(_HEADER))
        for offsets, entries in pieces:
            file.write(np.ascontiguousarray(entries).data.cast("B"))
            sizes.append(np.diff(offsets))
        file.seek(0)
        file.write(_MAGIC + _FORMAT.to_bytes(8, "little") + _offsets(sizes).tobytes())
    return read_run(path)


def read_run(path: Path) -> Run:
    """Map a run; raises ``CatalogError`` where it is damaged."""
    import numpy as np

    held = _mapped(path)
    is_run = len(held) * 8 >= _HEADER and held[:1].tobytes() == _MAGIC and int(held[1]) == _FORMAT
    offsets = held[2:1027].view(np.int64).copy()
    if not is_run or offsets[0] != 0 or 8 * int(offsets[-1]) + _HEADER != 8 * len(held) or (np.diff(offsets) < 0).any():
        raise damaged(path, "it is no whole run of keys")
    return Run(offsets, held[1027:], path)


def write_signatures(folder: Path | None, name: str, signatures: Numbers) -> Numbers:
    """Keep signatures of rows in a folder, or in memory without one; raises ``CatalogError`` when the disk is full."""
    import numpy as np

    if folder is None:
        return signatures
    path = folder / f"{name}.signatures"
    with _building(path) as file:
        file.write(np.ascontiguousarray(signatures).data)
    return _mapped(path).reshape(signatures.shape)


def open_runs(folder: Path, rows: int, config: Method) -> SegmentRuns | None:
    """Map what was written for a segment; None where something is missing, for it to be made anew.

    Raises ``CatalogError`` where something is damaged.
    """
    runs, near = {}, {}
    for name in dict.fromkeys(config.dedup.block):
        paths = [folder / f"{name}.{level}.keys" for level in range(levels(name, config))]
        if not all(path.exists() for path in paths):
            return None
        runs[name] = tuple(read_run(path) for path in paths)
        if hasattr(adapters.load_adapter("dedup.block", name), "signatures"):
            if not (folder / f"{name}.signatures").exists():
                return None
            near[name] = _signatures(folder / f"{name}.signatures", rows, 1).reshape(-1)
    if not (folder / f"{SIEVE}.signatures").exists():
        return None
    return SegmentRuns(rows, runs, near, _signatures(folder / f"{SIEVE}.signatures", rows, WIDTH))


def levels(name: str, config: Method) -> int:
    """How many runs the keys of a blocker make."""
    return LEVELS if largest_bucket(name, config) else 1


def largest_bucket(name: str, config: Method) -> int:
    """The largest number of records that may share a key of a blocker; 0 where it sets no bound."""
    return getattr(config.settings("dedup.block", name), "largest_bucket", 0)


def _offsets(sizes: list[Offsets]) -> Offsets:
    """The offsets of a run out of the sizes of its parts."""
    import numpy as np

    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.concatenate(sizes))])


@contextmanager
def _building(path: Path) -> Iterator[BinaryIO]:
    """A file that gets its name when all of it is on disk; raises ``CatalogError`` when the disk is full."""
    building = path.with_name(path.name + BUILDING)
    try:
        with building.open("wb") as file:
            yield file
            close_to_disk(file)
        building.rename(path)
        sync_folder(path.parent)
    except OSError as error:
        raise unwritten(path, error) from error
    finally:
        building.unlink(missing_ok=True)


def _signatures(path: Path, rows: int, width: int) -> Numbers:
    held = _mapped(path)
    if len(held) != rows * width:
        raise damaged(path, f"has {len(held)} numbers for {rows} rows")
    return held.reshape(rows, width)


def _mapped(path: Path) -> Numbers:
    import numpy as np

    try:
        with path.open("rb") as file:
            if not path.stat().st_size:
                return np.empty(0, dtype=np.uint64)
            return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), dtype=np.uint64)
    except (OSError, ValueError) as error:
        raise damaged(path, str(error)) from error
