"""Convert raw records to MODS (read, crosswalk) in as many processes as there are cores.

Records go to the processes in batches and come back in the order of the input; only a few batches are being converted
at any time, so that memory does not grow with the file. A few records are converted without starting processes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future
from typing import Any, TypeVar

import msgspec

from bibld import adapters, crosswalk
from bibld.errors import BibldError, CrosswalkError, ReadError, RecordError
from bibld.ingest._forms import WRITERS
from bibld.model.marc import MarcRecord
from bibld.model.mods import Mods
from bibld.model.origin import Origin, RecordId
from bibld.parallel import ProcessPool, batches, worker_count
from bibld.protocols import Carrier, Raw, Row
from bibld.text.mojibake import is_encoded_twice

BATCH = 500
"""Records that are sent to a process at once."""

ENCODED_TWICE = "the text was encoded twice: UTF-8 was read as another charset and written as UTF-8 again"
"""A warning about a record."""

_WORTH_A_PROCESS = 200
"""A batch with fewer raw records than this is converted in this process."""

_WORTH_PROCESSES = 2_000
"""This many records are converted in this process before others are started, which takes as long."""

Other = TypeVar("Other")


class Job(msgspec.Struct, frozen=True):
    """How to convert the records of one file: what the processes need to know beside the bytes.

    ``carrier`` is the examined file; ``settings`` are those of the crosswalks by name; ``form`` is the form in which
    they are written, a key of ``WRITERS``; ``counts_fields``: whether conversions list the subfields of the records.
    """

    source: str
    carrier: Any
    flavour: str
    settings: Mapping[str, Any]
    form: str = "json"
    counts_fields: bool = False


class Conversion(msgspec.Struct, frozen=True, gc=False):
    """A converted record: ``content`` is the record in the form of the job, ``id`` is None without a control number.

    ``seen`` are the names of its subfields, as in ``unmapped``, if they are counted.
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
"""A conversion without its raw record, which the process that asked for it has already."""


class ConversionPool:
    """Processes that convert records. They are started when there is enough work, and kept for further files."""

    def __init__(self, workers: int = 0) -> None:
        """``workers``: the number of processes; 0 for as many as there are cores."""
        used = [f"bibld.{stage}.{name}" for stage in ("read", "crosswalk") for name in adapters.adapter_names(stage)]
        self._pool = ProcessPool(worker_count(workers), "convert records", [__name__, *used])
        self._converted_here = 0

    def __enter__(self) -> ConversionPool:
        return self

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


def convert_record(job: Job, raw: Raw) -> Conversion | RecordError:
    """Convert one record; a record that its reader or crosswalk cannot convert is returned as a ``RecordError``.

    An adapter that fails with any other exception rejects the record too, because an adapter may belong to another
    distribution, and one record must not end the run.
    """
    carrier: Carrier = job.carrier
    record: MarcRecord | Mods | Row | None = None
    try:
        parsed = carrier.parse(raw)
        record = parsed.record
        flavour, result = crosswalk.convert(record, job.flavour, job.settings.__getitem__)
        content = WRITERS[job.form](raw, record, result.mods)
        doubled = (ENCODED_TWICE,) if is_encoded_twice(content) else ()
        return Conversion(
            raw=raw,
            id=_record_id(job.source, result.mods if isinstance(record, Row) else record),
            flavour=flavour,
            content=content,
            deleted=isinstance(record, MarcRecord) and crosswalk.is_deleted(record),
            unmapped=result.unmapped,
            private=result.private,
            warnings=(*parsed.warnings, *result.warnings, *doubled),
            seen=crosswalk.subfields_of(record) if job.counts_fields else (),
        )
    except RecordError as error:
        return error if error.original else type(error)(raw.origin, error.reason, raw.data, error.control_number)
    except (BibldError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 - see above
        cause = f"{type(error).__name__}: {error}"
        if record is None:
            reader = type(carrier).__module__
            return ReadError(raw.origin, f"the reader {reader} failed with {cause}; report it to its author", raw.data)
        reason = f"the record cannot be converted ({cause}); report it to the author of the crosswalk"
        return CrosswalkError(raw.origin, reason, raw.data, _control_number(record))


def _control_number(record: MarcRecord | Mods | Row) -> str | None:
    if isinstance(record, MarcRecord):
        return record.control_number
    return record.record_identifier if isinstance(record, Mods) else None


def _record_id(source: str, record: MarcRecord | Mods) -> RecordId | None:
    number = _control_number(record)
    return RecordId.from_control_number(source, number) if number and number.strip() else None
