"""Conversion: raw records in, MODS out (read, crosswalk), in as many processes as there are cores.

Records go to the processes in batches and come back in the order of the input; only a few batches are under way at any
time, so that memory does not grow with the file. A few records are converted in this process, without starting others.
"""

from __future__ import annotations

import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import Any, Literal, TypeVar

import msgspec

from bibld import adapters, crosswalk
from bibld.errors import RecordError, StageError
from bibld.model.marc import MarcRecord
from bibld.model.mods import Mods
from bibld.model.mods_xml import to_xml
from bibld.model.origin import Origin, RecordId
from bibld.protocols import Carrier, Raw

BATCH = 500
"""Records that go to a process at once."""

_WORTH_A_PROCESS = 200
"""Fewer records than this in a batch are converted on the spot."""

_WORTH_PROCESSES = 2_000
"""So many records are converted on the spot before processes are started, which takes as long."""

_BATCHES_AHEAD = 2
"""Batches under way for each process."""


Other = TypeVar("Other")


class Job(msgspec.Struct, frozen=True):
    """How to convert the records of one file: what the processes need to know beside the bytes.

    ``carrier`` is the examined file; ``settings`` are those of the crosswalks by name; ``form`` is what the MODS is
    written as; ``counts_fields``: whether the conversions say which subfields the records have.
    """

    source: str
    carrier: Any
    flavour: str
    settings: Mapping[str, Any]
    form: Literal["json", "xml"] = "json"
    counts_fields: bool = False


class Conversion(msgspec.Struct, frozen=True, gc=False):
    """A converted record: ``content`` is its MODS in the form of the job, ``id`` is None without a control number.

    ``seen`` are the names of its subfields, as in ``unmapped``, where the job asks for them.
    """

    raw: Raw
    id: RecordId | None
    flavour: str
    content: bytes
    deleted: bool
    unmapped: tuple[str, ...]
    private: tuple[str, ...]
    warnings: tuple[str, ...]
    seen: tuple[str, ...] = ()


_Packed = tuple[Any, ...] | RecordError
"""A conversion without its raw record, which the process that asked for it has still."""


class Conversions:
    """A pool of processes that is started when there is work for it, and kept for further files."""

    def __init__(self, workers: int = 0) -> None:
        """``workers``: the number of processes; 0 for as many as there are cores."""
        self._workers = workers or len(os.sched_getaffinity(0))
        self._pool: ProcessPoolExecutor | None = None
        self._on_the_spot = 0

    def __enter__(self) -> Conversions:
        return self

    def __exit__(self, *failure: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)

    def in_order(self, job: Job, items: Iterable[Raw | Other]) -> Iterator[Conversion | RecordError | Other]:
        """Convert what is raw and pass everything else on, in the order of the input.

        Raises ``StageError`` when a process dies (of memory, say).
        """
        waiting: deque[tuple[list[Raw | Other], Future[list[_Packed]]]] = deque()
        for batch in _batches(items):
            raws = [item for item in batch if isinstance(item, Raw)]
            waiting.append((batch, self._submitted(job, raws)))
            if len(waiting) >= self._workers * _BATCHES_AHEAD:
                yield from _put_together(*waiting.popleft())
        while waiting:
            yield from _put_together(*waiting.popleft())

    def _submitted(self, job: Job, raws: list[Raw]) -> Future[list[_Packed]]:
        is_worth_it = self._pool is not None or self._on_the_spot + len(raws) > _WORTH_PROCESSES
        if self._workers > 1 and len(raws) >= _WORTH_A_PROCESS and is_worth_it:
            records = [(*msgspec.structs.astuple(raw.origin), raw.data) for raw in raws]
            return self._started().submit(_convert_batch, job, records)
        self._on_the_spot += len(raws)
        done: Future[list[_Packed]] = Future()
        done.set_result([_packed(convert_record(job, raw)) for raw in raws])
        return done

    def _started(self) -> ProcessPoolExecutor:
        if self._pool is None:
            context = multiprocessing.get_context("forkserver")
            used = [
                adapters.load_adapter(stage, name).__name__
                for stage in ("read", "crosswalk")
                for name in adapters.adapter_names(stage)
            ]
            context.set_forkserver_preload([__name__, *used])
            self._pool = ProcessPoolExecutor(self._workers, context, initializer=_prepare_process)
        return self._pool


def _convert_batch(job: Job, records: list[tuple[str, str, int, int, bytes]]) -> list[_Packed]:
    """Convert some records of a file, each given as the parts of its origin and its bytes."""
    return [
        _packed(convert_record(job, Raw(Origin(source, file, position, offset), data)))
        for source, file, position, offset, data in records
    ]


def _packed(conversion: Conversion | RecordError) -> _Packed:
    return conversion if isinstance(conversion, RecordError) else msgspec.structs.astuple(conversion)[1:]


def convert_record(job: Job, raw: Raw) -> Conversion | RecordError:
    """Convert one record."""
    carrier: Carrier = job.carrier
    try:
        parsed = carrier.parse(raw)
        flavour, result = crosswalk.convert(parsed.record, job.flavour, job.settings.__getitem__)
    except RecordError as error:
        return error if error.original else type(error)(raw.origin, error.reason, raw.data, error.control_number)
    return Conversion(
        raw=raw,
        id=_record_id(job.source, parsed.record),
        flavour=flavour,
        content=_WRITERS[job.form](result.mods),
        deleted=isinstance(parsed.record, MarcRecord) and crosswalk.is_deleted(parsed.record),
        unmapped=result.unmapped,
        private=result.private,
        warnings=(*parsed.warnings, *result.warnings),
        seen=crosswalk.subfields_of(parsed.record) if job.counts_fields else (),
    )


_WRITERS: Mapping[str, Callable[[Mods], bytes]] = {"json": msgspec.json.Encoder().encode, "xml": to_xml}


def _batches(items: Iterable[Raw | Other]) -> Iterator[list[Raw | Other]]:
    iterator = iter(items)
    while batch := list(islice(iterator, BATCH)):
        yield batch


def _put_together(
    batch: list[Raw | Other], future: Future[list[_Packed]]
) -> Iterator[Conversion | RecordError | Other]:
    """A batch with its raw records replaced by what became of them."""
    try:
        results = iter(future.result())
    except BrokenProcessPool as error:
        raise StageError(f"a process that converts records died ({error}); run again with workers = 1") from error
    for item in batch:
        if isinstance(item, Raw):
            result = next(results)
            yield result if isinstance(result, RecordError) else Conversion(item, *result)
        else:
            yield item


def _end_with_parent() -> None:
    """Nobody waits for a result any more when the process that asked for it was killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _prepare_process() -> None:
    """Ctrl-C reaches all processes of a terminal; the one that started the others ends them."""
    import signal
    import threading

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _record_id(source: str, record: object) -> RecordId | None:
    control_number = None
    if isinstance(record, MarcRecord):
        control_number = record.control_number
    elif isinstance(record, Mods):
        control_number = record.record_identifier
    return RecordId.from_control_number(source, control_number) if control_number and control_number.strip() else None
