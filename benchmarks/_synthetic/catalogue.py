"""The catalogue as a stream of chunks, and its true pairs."""

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import msgspec
import numpy as np
import numpy.typing as npt

from bibld.model.features import FeatureColumns

from .columns import Rows, columns, world, written
from .layout import count_of_pairs, pairs, truth

ROWS = 250_000


class Chunk(msgspec.Struct, frozen=True, eq=False):
    """Rows of the catalogue: features, ``truth`` (n,) the number of the publication that each row describes, ``source``
    (n,) 0 for library A and 1 for B."""

    columns: FeatureColumns
    truth: npt.NDArray[np.int64]
    source: npt.NDArray[np.uint8]


class Catalogue:
    """Two library catalogues with a given number of records in total. Ordinals are row numbers; library A comes first.

    The same number of records and seed give the same rows, however they are cut.
    """

    def __init__(self, records: int, seed: int = 1) -> None:
        self.records = records
        self._world = world(records, seed)

    @property
    def in_a(self) -> int:
        """How many records library A has; those from this row on are of library B."""
        return self._world.layout.in_a

    def chunks(self, start: int = 0, stop: int | None = None, rows: int = ROWS, threads: int = 2) -> Iterator[Chunk]:
        """The rows from ``start`` to ``stop``, in order, as chunks; ``threads`` chunks are made at once."""
        last = self.records if stop is None else min(stop, self.records)
        waiting: deque[Future[Chunk]] = deque()
        with ThreadPoolExecutor(threads) as pool:
            for begin in range(start, last, rows):
                if len(waiting) == threads:
                    yield waiting.popleft().result()
                waiting.append(pool.submit(self.chunk, begin, min(begin + rows, last)))
            while waiting:
                yield waiting.popleft().result()

    def chunk(self, start: int, stop: int) -> Chunk:
        """The rows from start to stop."""
        source = (np.arange(start, stop) >= self.in_a).astype(np.uint8)
        chunk_columns = columns(self._world, self.rows(start, stop), start)
        return Chunk(chunk_columns, truth(self._world.layout, start, stop), source)

    def rows(self, start: int, stop: int) -> Rows:
        """The rows from start to stop in their own script."""
        return Rows(*written(self._world, start, stop))

    def true_pairs(self, start: int = 0, stop: int | None = None) -> npt.NDArray[np.uint64]:
        """The true pairs whose greater row is from ``start`` to ``stop``, as ``left << 32 | right``, in no order.

        The lesser row may be any row before; so the pairs of adjoining cuts are together those of the whole.
        """
        found: npt.NDArray[np.uint64] = pairs(self._world.layout, start, self.records if stop is None else stop)
        return found

    def count_of_true_pairs(self) -> int:
        """How many true pairs there are in all."""
        return count_of_pairs(self._world.layout)
