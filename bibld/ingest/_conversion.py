"""Convert a raw record to MODS (read, crosswalk), and write it in one of the forms; the rules of a load on any engine.

What surrounds the records of a file is the caller's.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Callable, Iterator, Mapping
from io import StringIO
from typing import Any

import msgspec
from lxml import etree

from bibld import crosswalk, worklist
from bibld.config import Config, Source
from bibld.errors import BibldError, CrosswalkError, ReadError, RecordError
from bibld.model.brief import brief
from bibld.model.card import LINES, card
from bibld.model.digest import digest
from bibld.model.dublin_core import to_dublin_core
from bibld.model.enrichment import TOOL, without_additions
from bibld.model.marc import MarcRecord
from bibld.model.marc_writers import to_iso2709, to_marcxml
from bibld.model.mods import Mods
from bibld.model.mods_xml import to_xml
from bibld.model.origin import RecordId
from bibld.progress import with_number
from bibld.protocols import Carrier, Raw, Row
from bibld.read import VERSION as READ_VERSION
from bibld.read import Examined
from bibld.text.charsets import is_encoded_twice

TABLE_COLUMNS = ("id", *LINES)
"""The columns of a table: the identifier of the record, then the lines of a catalogue card."""

_JSON = msgspec.json.Encoder()
_TOOL = TOOL.encode()


def table_row(cells: tuple[str, ...]) -> bytes:
    """Write the cells of a row as CSV (RFC 4180), in UTF-8."""
    text = StringIO()
    csv.writer(text).writerow(cells)
    return text.getvalue().encode()


def _row(raw: Raw, record: MarcRecord | Mods | Row, mods: Mods) -> bytes:
    lines = card(mods)
    return table_row((mods.record_identifier or "", *(lines.get(name, "") for name in LINES)))


def _marcxml(raw: Raw, record: MarcRecord | Mods | Row, mods: Mods) -> bytes:
    if not isinstance(record, MarcRecord):
        reason = "the record is no MARC, so it cannot be written as MARCXML; choose mods, json, csv, dc or RDF"
        raise CrosswalkError(raw.origin, reason, raw.data)
    return to_marcxml(record)


MARC_FORMS: Mapping[str, crosswalk.MarcFlavour] = {"marc21": "marc21", "unimarc": "unimarc", "rusmarc": "rusmarc"}
"""Form of a record of MARC that is made of MODS → its flavour."""

MARCXML_SUFFIX, PUNCTUATED = "xml", "+isbd"
"""The ends of the names of forms: in MARCXML rather than ISO 2709, and with the marks of ISBD."""


def _marc_of_mods(
    flavour: crosswalk.MarcFlavour, *, in_xml: bool, punctuation: bool
) -> Callable[[Raw, MarcRecord | Mods | Row, Mods], bytes]:
    """Return what writes the MODS of a record as MARC; a record too long for ISO 2709 is a ``CrosswalkError``."""

    def write(raw: Raw, record: MarcRecord | Mods | Row, mods: Mods) -> bytes:
        made = crosswalk.to_marc(mods, flavour, punctuation=punctuation, origin=raw.origin)
        if in_xml:
            return to_marcxml(made)
        try:
            return to_iso2709(made)
        except ValueError as error:
            reason = f"cannot be written in ISO 2709: {error}; choose {flavour}{MARCXML_SUFFIX}"
            raise CrosswalkError(raw.origin, reason, raw.data, made.control_number) from error

    return write


def _dublin_core(raw: Raw, record: MarcRecord | Mods | Row, mods: Mods) -> bytes:
    return etree.tostring(to_dublin_core(mods), encoding="UTF-8")


def _features(raw: Raw, record: MarcRecord | Mods | Row, mods: Mods) -> bytes:
    from bibld.dedup.features import features_of  # few who convert records need it

    return msgspec.msgpack.encode((card(mods).get("title", ""), features_of(mods)))


WRITERS: Mapping[str, Callable[[Raw, MarcRecord | Mods | Row, Mods], bytes]] = {
    "json": lambda raw, record, mods: _JSON.encode(mods),
    "xml": lambda raw, record, mods: to_xml(mods),
    "marcxml": _marcxml,
    "csv": _row,
    "dc": _dublin_core,
    "features": _features,
    **{
        f"{form}{MARCXML_SUFFIX if in_xml else ''}{PUNCTUATED if punctuation else ''}": _marc_of_mods(
            flavour, in_xml=in_xml, punctuation=punctuation
        )
        for form, flavour in MARC_FORMS.items()
        for in_xml in (False, True)
        for punctuation in (False, True)
    },
}
"""Form → what writes a record in it, from its bytes, the record read, and its MODS."""


ENCODED_TWICE = "the text was encoded twice: UTF-8 was read as another charset and written as UTF-8 again"
NO_AUTHORITY = "the record describes a publication, but its source is one of authority records"
NO_NUMBER = "the record has no control number (001), so that its id changes with its content"

COUNTED: Mapping[str, str] = {
    ENCODED_TWICE: "ask for a file that was exported once",
    NO_AUTHORITY: 'put them into a source without kind = "authority"',
    NO_NUMBER: "ask for a file with the numbers of the records; of a table, name their column",
}
"""Warnings about records that are counted for each file, and what to do about each."""


LASTING = (ENCODED_TWICE, NO_AUTHORITY)
"""Warnings for which a file is read again in the next run, although it has not changed, so that they are repeated."""


class Job(msgspec.Struct, frozen=True):
    """How to convert the records of one file: what the processes need to know beside the bytes.

    ``carrier`` is the examined file; ``settings`` are those of the crosswalks by name; ``form`` is the form in which
    they are written, a key of ``WRITERS``; ``counts_fields``: whether conversions list the subfields of the records;
    ``local`` is what the configuration of the source states about its fields. ``kind`` is that of the source; empty:
    authority records are rejected. ``cited_by`` are the sources whose records cite the numbers of its headings.
    ``inspection``: records are inspected by the definition of their format with these rules; None: they are not. What a
    dataset with this ``base`` has added to the records is not converted, because their library does not state it.
    """

    source: str
    carrier: Any
    flavour: str
    settings: Mapping[str, Any]
    form: str = "json"
    counts_fields: bool = False
    local: crosswalk.LocalFields | None = None
    kind: str = ""
    cited_by: tuple[str, ...] = ()
    inspection: worklist.InspectionRules | None = None
    base: str = ""


class Conversion(msgspec.Struct, frozen=True, gc=False):
    """A converted record: ``content`` is the record in the form of the job, ``id`` is None without a control number.

    The content of an authority record is the JSON of its ``Authority``.

    ``seen`` are the names of its subfields, as in ``unmapped``, if they are counted. ``findings`` are the faults and
    links of an inspected record as MessagePack, empty if there are none.
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
    findings: bytes = b""

    __repr__ = brief


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
        if job.base and _TOOL in raw.data and isinstance(record, MarcRecord):
            record = without_additions(record, job.base)
        if job.kind and isinstance(record, MarcRecord) and crosswalk.authority_flavour(record) is not None:
            return _convert_authority(job, raw, record, parsed.warnings)
        flavour, result = crosswalk.convert(record, job.flavour, job.settings.__getitem__, job.local)
        content = WRITERS[job.form](raw, record, result.mods)
        found = [ENCODED_TWICE] if is_encoded_twice(content) else []
        found += [NO_AUTHORITY] if job.kind == "authority" else []
        return Conversion(
            raw=raw,
            id=_record_id(job.source, result.mods if isinstance(record, Row) else record),
            flavour=flavour,
            content=content,
            deleted=isinstance(record, MarcRecord) and crosswalk.is_deleted(record),
            unmapped=result.unmapped,
            private=result.private,
            warnings=(*parsed.warnings, *result.warnings, *found),
            seen=crosswalk.subfields_of(record) if job.counts_fields else (),
            findings=_inspect(job, flavour, record),
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


def _inspect(job: Job, flavour: str, record: MarcRecord | Mods | Row) -> bytes:
    """Return the findings of a record of a defined format; one that states that it is deleted has none."""
    if job.inspection is None or not isinstance(record, MarcRecord) or crosswalk.is_deleted(record):
        return b""
    return worklist.inspect_record(record, flavour, job.inspection)


def _convert_authority(job: Job, raw: Raw, record: MarcRecord, warnings: tuple[str, ...]) -> Conversion:
    flavour, result = crosswalk.convert_authority(record, job.flavour, job.settings.__getitem__)
    authority = msgspec.structs.replace(result.authority, cited_by=job.cited_by)
    content = _JSON.encode(authority)
    doubled = (ENCODED_TWICE,) if is_encoded_twice(content) else ()
    return Conversion(
        raw=raw,
        id=_record_id(job.source, record),
        flavour=flavour,
        content=content,
        deleted=authority.is_deleted,
        unmapped=result.unmapped,
        private=result.private,
        warnings=(*warnings, *result.warnings, *doubled),
        seen=crosswalk.subfields_of(record) if job.counts_fields else (),
    )


def _control_number(record: MarcRecord | Mods | Row) -> str | None:
    if isinstance(record, MarcRecord):
        return record.control_number
    return record.record_identifier if isinstance(record, Mods) else None


def _record_id(source: str, record: MarcRecord | Mods) -> RecordId | None:
    number = _control_number(record)
    return RecordId.from_control_number(source, number) if number and number.strip() else None


def settings_digest(config: Config, source: Source) -> str:
    """Return a hash of the versions and settings that the conversion of a source's records depends on."""
    chosen = config.crosswalk_settings(source)
    settings = [[name, digest(one)] for name, one in chosen.items()]
    identity = crosswalk.identity(source.config.crosswalk, chosen.get(source.config.crosswalk))
    files = [identity] if identity else []
    local = crosswalk.LocalFields.from_source(source.config, source.fields)
    kind = source.config.kind, config.citing_sources(source)
    inspection = worklist.inspection_digest(inspection_rules(source))
    return digest(READ_VERSION, crosswalk.VERSION, source.config.crosswalk, settings, local, kind, inspection, *files)


def inspection_rules(source: Source) -> worklist.InspectionRules:
    """Return the rules of a source; raises ``ConfigError`` for a profile that cannot be used."""
    chosen = source.config.worklist
    profile = worklist.load_profile(chosen.profile) if chosen.profile else b""
    return worklist.InspectionRules(profile, checks_local=chosen.local_fields == "check")


def conversion_job(config: Config, source: Source, examined: Examined) -> Job:
    """Return how the records of an examined file are converted."""
    local = crosswalk.LocalFields.from_source(source.config, source.fields)
    settings = config.crosswalk_settings(source)
    return Job(
        source=source.id,
        carrier=examined.carrier,
        flavour=source.config.crosswalk,
        settings=settings,
        local=local,
        kind=source.config.kind,
        cited_by=config.citing_sources(source),
        inspection=inspection_rules(source),
        base=config.dataset.base,
    )


def file_context(made_with: str, source: str, examined: Examined) -> bytes:
    """Return a hash of what is needed to read the records of a file, beside their bytes.

    ``made_with`` is the ``settings_digest`` of the source. The file's name is not part of it: a file that is renamed
    contains the same records.
    """
    fields = examined.carrier.__struct_fields__
    unnamed = msgspec.structs.replace(examined.carrier, **{name: "" for name in ("source", "file") if name in fields})
    return digest(source, made_with, examined.reader, unnamed).encode()


def record_made_by(raw: Raw, context: bytes) -> bytes:
    """Return a hash of what a stored record is made from: its bytes, and ``context``, which is needed to read them."""
    return hashlib.blake2b(raw.data, digest_size=16, key=context).digest()


def identify(conversion: Conversion, source: str) -> tuple[RecordId, tuple[str, ...]]:
    """Return the id of a converted record, and its warnings; without a control number the id is made of its bytes."""
    if conversion.id is not None:
        return conversion.id, conversion.warnings
    content = hashlib.blake2b(conversion.raw.data, digest_size=16).hexdigest()
    record = RecordId(source, f"x{content[:16]}")
    return record, (*conversion.warnings, NO_NUMBER)


def file_warnings(source: str, file: str, counts: Mapping[str, int], records: int) -> Iterator[str]:
    """Yield the warnings about a file; ``counts`` are the numbers of its records that have those of ``COUNTED``."""
    for warning, remedy in COUNTED.items():
        if number := counts.get(warning, 0):
            yield f"{source}: {file}: {number:,} of {with_number(records, 'record')}: {warning}; {remedy}"


def other_kind_warning(source: str, found: int) -> str:
    """Return the warning about records that took the place of records of the other kind with the same number."""
    return (
        f"{source}: {with_number(found, 'record')} took the place of an authority record or of a description of a"
        " publication with the same number (001) in this load; put authority records into a source without the others"
    )


def changed_file_fault(file: str) -> str:
    """Return the fault of a file that has other records than were counted before."""
    return f"{file}: has changed while it was being read; leave it in place until the run has ended"
