"""Convert a raw record to MODS (read, crosswalk)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from bibld import crosswalk
from bibld.errors import BibldError, CrosswalkError, ReadError, RecordError
from bibld.ingest._forms import WRITERS
from bibld.model.marc import MarcRecord
from bibld.model.mods import Mods
from bibld.model.origin import RecordId
from bibld.protocols import Carrier, Raw, Row
from bibld.text.charsets import is_encoded_twice

ENCODED_TWICE = "the text was encoded twice: UTF-8 was read as another charset and written as UTF-8 again"
"""A warning about a record."""


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
