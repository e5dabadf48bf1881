"""Convert raw records to MODS (read, crosswalk) in as many processes as there are cores.

Records go to the processes in batches and come back in the order of the input; only a few batches are being converted
at any time, so that memory does not grow with the file. A few records are converted without starting processes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager
from typing import Any, TypeVar

import msgspec

from bibld.errors import RecordError
from bibld.ingest._conversion import Conversion, Job, convert_record
from bibld.model.origin import Origin
from bibld.parallel import ProcessPool, batches, worker_count
from bibld.protocols import Raw, adapters

BATCH = 500
"""Records that are sent to a process at once."""

_WORTH_A_PROCESS = 200
"""A batch with fewer raw records than this is converted in this process."""

_WORTH_PROCESSES = 2_000
"""This many records are converted in this process before others are started, which takes as long."""

Other = TypeVar("Other")


_Packed = tuple[Any, ...] | RecordError
"""A conversion without its raw record, which the process that asked for it has already."""


class ConversionPool(AbstractContextManager["ConversionPool"]):
    """Processes that convert records. They are started when there is enough work, and kept for further files."""

    def __init__(self, workers: int = 0) -> None:
        """``workers``: the number of processes; 0 for as many as there are cores."""
        used = [f"bibld.{stage}.{name}" for stage in ("read", "crosswalk") for name in adapters.adapter_names(stage)]
        self._pool = ProcessPool(worker_count(workers), "convert records", [__name__, *used])
        self._converted_here = 0

    def __exit__(self, *failure: object) -> None:
        self.close()

    def close(self) -> None:
        """End the processes."""
        self._pool.__exit__()

    def convert(self, job: Job, items: Iterable[Raw | Other]) -> Iterator[Conversion | RecordError | Other]:
        """Convert the raw records among the items and pass everything else on, in the order of the input.

        A record that cannot be converted yields a ``RecordError``. Raises ``StageError`` when a process dies (because
        memory ran out, for example).
        """
        waiting: deque[list[Raw | Other]] = deque()

        def submit() -> Iterator[Future[list[_Packed]]]:
            for batch in batches(items, BATCH):
                waiting.append(batch)
                yield self._submit(job, [item for item in batch if isinstance(item, Raw)])

        for converted in self._pool.results(submit()):
            results = iter(converted)
            for item in waiting.popleft():
                if isinstance(item, Raw):
                    result = next(results)
                    yield result if isinstance(result, RecordError) else Conversion(item, *result)
                else:
                    yield item

    def _submit(self, job: Job, raws: list[Raw]) -> Future[list[_Packed]]:
        is_worth_it = self._pool.is_started or self._converted_here + len(raws) > _WORTH_PROCESSES
        if self._pool.workers > 1 and len(raws) >= _WORTH_A_PROCESS and is_worth_it:
            records = [(*msgspec.structs.astuple(raw.origin), raw.data) for raw in raws]
            return self._pool.submit(_convert_batch, job, records)
        self._converted_here += len(raws)
        done: Future[list[_Packed]] = Future()
        done.set_result([_pack(convert_record(job, raw)) for raw in raws])
        return done


def _convert_batch(job: Job, records: list[tuple[str, str, int, int, bytes]]) -> list[_Packed]:
    """Convert some records of a file, each given as the parts of its origin and its bytes."""
    return [
        _pack(convert_record(job, Raw(Origin(source, file, position, offset), data)))
        for source, file, position, offset, data in records
    ]


def _pack(conversion: Conversion | RecordError) -> _Packed:
    return conversion if isinstance(conversion, RecordError) else msgspec.structs.astuple(conversion)[1:]
