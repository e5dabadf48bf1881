"""What blocking knows about the catalogue as a whole: word frequencies and oversized keys, counted once and frozen.

Frozen, because the keys of a record must depend on that record alone: else one new record would change the candidates
of others. They are counted at the first run, anew where the blocking's settings change, and when a run is told to
(``--restat``), and are kept in the catalog under a version that is part of what made the edges.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from bibld.dedup._keys.spool import Spool, groups
from bibld.errors import CatalogError
from bibld.model.features import FeatureColumns, Statistics, TextColumn
from bibld.parallel import map_in_threads

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

CHUNK = 50_000
"""Rows that are looked at together."""
AT_ONCE = 2_000_000
"""Numbers that are sorted together."""
_BITS, _MOST_BITS = 10, 22
_TITLE = ("main_title", "remainder")


class Rows(Protocol):
    """Rows of features, of which some can be had as columns: a segment, or :class:`Held`."""

    def __len__(self) -> int: ...

    def chunk(self, start: int, stop: int, names: Iterable[str] | None = None) -> FeatureColumns:
        """The rows from ``start`` to ``stop``, all columns or at least those named."""


class Held:
    """Columns in memory as :class:`Rows`."""

    def __init__(self, columns: FeatureColumns) -> None:
        self._columns = columns

    def __len__(self) -> int:
        return len(self._columns)

    def chunk(self, start: int, stop: int, names: Iterable[str] | None = None) -> FeatureColumns:
        """The rows from ``start`` to ``stop``; all columns, since that costs nothing."""
        held = self._columns
        return FeatureColumns(
            held.ordinals[start:stop],
            {name: _slice(column, start, stop) for name, column in held.texts.items()},
            {name: column[start:stop] for name, column in held.numbers.items()},
        )


class Counted(Statistics, frozen=True, eq=False):
    """Statistics that find the frequencies of many words fast.

    ``starts`` (2**k + 1,) are the positions in ``words`` of the first word whose upper k bits are a number or more.
    """

    starts: Any = None

    @classmethod
    def of(cls, statistics: Statistics) -> Counted:
        """Make statistics ready."""
        import numpy as np

        bits = min(max(len(statistics.words).bit_length(), 1), _MOST_BITS)
        edges = np.arange(1 << bits, dtype=np.uint64) << np.uint64(64 - bits)
        starts = np.append(np.searchsorted(statistics.words, edges), len(statistics.words)).astype(np.int64)
        return cls(statistics.records, statistics.words, statistics.counts, statistics.oversized, {}, starts)

    def frequencies(self, words: npt.NDArray[np.uint64]) -> npt.NDArray[np.int32]:
        """In how many titles words stand; 1 for those that are not counted."""
        from bibld.dedup._keys.key_kernels import frequencies

        found: npt.NDArray[np.int32] = frequencies(self.starts, self.words, self.counts, words)
        return found


class _Stored(msgspec.Struct, frozen=True):
    """Statistics as bytes; arrays are little-endian."""

    records: int
    words: bytes
    counts: bytes
    oversized: dict[str, bytes]


def count_words(segments: Sequence[Rows], workers: int, memory: int) -> Counted:
    """Count in how many titles each word stands; no key is oversized yet.

    Raises ``CatalogError`` when more than ``memory`` bytes are needed and there is no room on disk.
    """
    import numpy as np

    from bibld.dedup._keys.key_kernels import apart, repeated
    from bibld.dedup._keys.text_kernels import words

    def counted(chunk: tuple[Rows, int, int]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint64]]:
        segment, start, stop = chunk
        _, hashes = words(*title(segment.chunk(start, stop, _TITLE)))
        found: tuple[npt.NDArray[np.int64], npt.NDArray[np.uint64]] = apart(hashes, 64 - _BITS, 1 << _BITS)
        return found

    spool = Spool(memory)
    try:
        for piece in map_in_threads(counted, chunks(segments), workers):
            spool.add(*piece)
        parts = groups(spool.sizes(1 << _BITS), AT_ONCE)
        found = list(map_in_threads(lambda part: repeated(*spool.sorted(*part)), parts, workers))
    finally:
        spool.close()
    known = [np.concatenate(columns) for columns in zip(*found, strict=True)]
    return Counted.of(Statistics(sum(len(segment) for segment in segments), known[0], known[1], {}))


def chunks(segments: Iterable[Rows]) -> list[tuple[Rows, int, int]]:
    """All rows of segments by chunks: segment, start and stop."""
    return [
        (segment, start, min(start + CHUNK, len(segment)))
        for segment in segments
        for start in range(0, len(segment), CHUNK)
    ]


def title(
    columns: FeatureColumns,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint32], npt.NDArray[np.int64], npt.NDArray[np.uint32]]:
    """The whole romanised title as kernels take it: offsets and codes of the main title, then of the remainder."""
    main, remainder = (columns.texts[name] for name in _TITLE)
    return main.offsets, main.codes, remainder.offsets, remainder.codes


def to_bytes(statistics: Statistics) -> bytes:
    """Write statistics for the catalog."""
    oversized = {name: keys.astype("<u8").tobytes() for name, keys in sorted(statistics.oversized.items())}
    stored = _Stored(
        statistics.records,
        statistics.words.astype("<u8").tobytes(),
        statistics.counts.astype("<i4").tobytes(),
        oversized,
    )
    return msgspec.msgpack.encode(stored)


def from_bytes(data: bytes) -> Counted:
    """Read what :func:`to_bytes` wrote; raises ``CatalogError``."""
    import numpy as np

    try:
        stored = msgspec.msgpack.decode(data, type=_Stored)
    except msgspec.MsgspecError as error:
        raise CatalogError(f"the statistics in the catalog cannot be read: {error}; run with --restat") from error
    return Counted.of(
        Statistics(
            stored.records,
            np.frombuffer(stored.words, dtype="<u8").astype(np.uint64),
            np.frombuffer(stored.counts, dtype="<i4").astype(np.int32),
            {name: np.frombuffer(keys, dtype="<u8").astype(np.uint64) for name, keys in stored.oversized.items()},
        )
    )


def _slice(column: TextColumn, start: int, stop: int) -> TextColumn:
    offsets = column.offsets[start : stop + 1]
    return TextColumn(offsets - offsets[0], column.codes[offsets[0] : offsets[-1]])
