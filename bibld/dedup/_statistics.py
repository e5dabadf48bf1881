"""What blocking knows about the catalogue as a whole: word frequencies and oversized keys, counted once and frozen.

Frozen, because the keys of a record must depend on that record alone: else one new record would change the candidates
of others. They are counted at the first run, anew where the blocking's settings change, and when a run is told to
(``--restat``), and are kept in the catalog under a version that is part of what made the edges.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from bibld.errors import CatalogError
from bibld.model.features import FeatureColumns, Statistics

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class _Stored(msgspec.Struct, frozen=True):
    """Statistics as bytes; arrays are little-endian."""

    records: int
    words: bytes
    counts: bytes
    oversized: dict[str, bytes]


def word_counts(columns: FeatureColumns) -> Statistics:
    """Count in how many titles each word stands; no key is oversized yet."""
    import numpy as np

    from bibld.dedup._text_kernels import words

    _, hashes = words(*title(columns))
    found, counts = np.unique(hashes, return_counts=True)
    shared = counts > 1
    return Statistics(len(columns), found[shared], counts[shared].astype(np.int32), {})


def title(columns: FeatureColumns) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint32]]:
    """The whole romanised title, main title and remainder, as offsets and codes: where libraries cut it differs."""
    from bibld.dedup._text_kernels import concatenated

    main, remainder = columns.texts["main_title"], columns.texts["remainder"]
    return concatenated(main.offsets, main.codes, remainder.offsets, remainder.codes)


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


def from_bytes(data: bytes) -> Statistics:
    """Read what :func:`to_bytes` wrote; raises ``CatalogError``."""
    import numpy as np

    try:
        stored = msgspec.msgpack.decode(data, type=_Stored)
    except msgspec.MsgspecError as error:
        raise CatalogError(f"the statistics in the catalog cannot be read: {error}; run with --restat") from error
    return Statistics(
        stored.records,
        np.frombuffer(stored.words, dtype="<u8").astype(np.uint64),
        np.frombuffer(stored.counts, dtype="<i4").astype(np.int32),
        {name: np.frombuffer(keys, dtype="<u8").astype(np.uint64) for name, keys in stored.oversized.items()},
    )
