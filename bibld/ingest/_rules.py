"""The rules of a load that do not depend on where records are stored: every engine uses these."""

from __future__ import annotations

import hashlib

import msgspec

from bibld import crosswalk
from bibld.config import Config, Source, SourceConfig
from bibld.ingest._conversion import ENCODED_TWICE, Conversion, Job
from bibld.model.digest import digest
from bibld.model.origin import RecordId
from bibld.progress import with_number
from bibld.protocols import Raw
from bibld.read import VERSION as READ_VERSION
from bibld.read import Examined


def settings_digest(config: Config, source: Source) -> str:
    """Return a hash of the versions and settings that the conversion of a source's records depends on."""
    chosen = config.crosswalk_settings(source)
    settings = [[name, digest(one)] for name, one in chosen.items()]
    identity = crosswalk.identity(source.config.crosswalk, chosen.get(source.config.crosswalk))
    files = [identity] if identity else []
    return digest(READ_VERSION, crosswalk.VERSION, source.config.crosswalk, settings, *files)


def conversion_job(config: Config, source: Source, examined: Examined) -> Job:
    """Return how the records of an examined file are converted."""
    return Job(source.id, examined.carrier, source.config.crosswalk, config.crosswalk_settings(source))


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
    return record, (*conversion.warnings, f"has no control number (001); its id is {record}")


def encoded_twice_warning(source: str, file: str, doubled: int, records: int) -> str:
    """Return the warning about a file of which this many records were encoded twice."""
    return (
        f"{source}: {file}: {with_number(doubled, 'record')} of {records:,}: {ENCODED_TWICE}; ask for a file that was"
        " exported once"
    )


def changed_file_fault(file: str) -> str:
    """Return the fault of a file that has other records than were counted before."""
    return f"{file}: has changed while it was being read; leave it in place until the run has ended"


def reason_to_withhold(source: SourceConfig, deletions: int, live: int, is_damaged: bool) -> str:
    """Return why a source must not lose this many of its live records; empty if it may.

    ``is_damaged``: records are missing, and its files have pieces that cannot be read, more than before.
    """
    if source.are_too_many_deletions(deletions, live):
        return f"{with_number(deletions, 'deletion')} of {with_number(live, 'record')} are more than it may lose"
    if is_damaged:
        return "some pieces of its files cannot be read, which may be the records that are missing"
    return ""


def listed_deletions(config: Config, source: Source) -> list[RecordId]:
    """Return the records in the source's list of deletions, one control number in a line; none without a list."""
    name = source.config.deletes
    if not name:
        return []
    lines = (config.folder / name).read_text(encoding="utf-8-sig").splitlines()
    return [RecordId.from_control_number(source.id, line) for line in lines if line.strip()]


def unknown_deletions_warning(source: Source, unknown: list[RecordId]) -> str:
    """Return the warning about listed control numbers that were never seen."""
    count = with_number(len(unknown), "control number")
    return f"{source.id}: {count} in {source.config.deletes} were never seen, such as {unknown[0]}; ignored"


def removed_source_reason(live: int) -> str:
    """Return why the live records of a source that is no longer configured are not deleted."""
    return f"the source is not in the configuration any more, and has {with_number(live, 'record')}"


def removed_source_report(source: str, deleted: int) -> str:
    """Return the message about a source that is no longer configured and whose records were deleted."""
    return f"read: source {source} is not in the configuration any more: {with_number(deleted, 'record')} deleted"
