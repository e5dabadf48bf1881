"""Intake: the files of a source in, source records in the catalog out (harvest, read, crosswalk).

Every record read is converted, superseded (the same id came again in this load), rejected, or deleted by its own
status; the counts of a load say so. Unchanged bytes are recognised by their hash before they are parsed.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path

import msgspec

from bibld import adapters, crosswalk, harvest, read
from bibld.catalog import Catalog, LoadCounts, NewRecord, digest
from bibld.config import Config, Source
from bibld.errors import RecordError
from bibld.model.marc import MarcRecord, without_subfields
from bibld.model.mods import Mods
from bibld.model.origin import RecordId
from bibld.progress import Progress
from bibld.protocols import Carrier, Converted, HarvestedFile, Raw, SourceRecord

_RECORDS_AT_ONCE = 1000


class _OpenFile(msgspec.Struct, frozen=True):
    """A file while its records are taken in."""

    carrier: Carrier
    carrier_number: int
    context: bytes


class Intake:
    """Takes one source into the catalog, in commits of many records."""

    def __init__(self, catalog: Catalog, config: Config, source: Source, run: int, progress: Progress) -> None:
        self._catalog = catalog
        self._config = config
        self._source = source
        self._run = run
        self._progress = progress
        self._counts: Counter[str] = Counter()
        self._made_with = settings_digest(config, source)

    def take(self) -> LoadCounts:
        """Read all files of the source; raises ``StageError`` for a file that cannot be read at all."""
        with self._catalog.commit():
            self._catalog.records.begin_load(self._source.id)
        for file in harvest.files(self._config, self._source):
            self._progress.say(f"read: {file.name}")
            self._take_file(file)
        with self._catalog.commit():
            return self._end_load()

    def _take_file(self, file: HarvestedFile) -> None:
        charset, reader = self._source.config.charset, self._source.config.read
        examined = read.examine(file, reader, charset, self._source.read)
        state = msgspec.json.encode(examined.carrier)
        with self._catalog.commit():
            number = self._catalog.records.carrier(self._source.id, file.name, examined.reader, state)
        context = digest(self._made_with, examined.reader, state).encode()
        opened = _OpenFile(examined.carrier, number, context)
        batch: list[Raw | RecordError] = []
        for item in read.read(file, examined):
            batch.append(item)
            if len(batch) == _RECORDS_AT_ONCE:
                self._take_batch(batch, opened)
                batch = []
        self._take_batch(batch, opened)

    def _take_batch(self, batch: list[Raw | RecordError], opened: _OpenFile) -> None:
        with self._catalog.commit():
            new: list[NewRecord] = []
            rejects: list[RecordError] = []
            for item in batch:
                self._counts["read"] += 1
                if isinstance(item, RecordError):
                    rejects.append(item)
                    continue
                try:
                    self._take_raw(item, opened, new)
                except RecordError as error:
                    rejects.append(_with_original(error, item))
            self._store(new)
            self._catalog.records.put_rejects(rejects)
            self._counts["rejected"] += len(rejects)
        self._progress.advance(len(batch))

    def _take_raw(self, raw: Raw, opened: _OpenFile, new: list[NewRecord]) -> None:
        made_by = hashlib.blake2b(raw.data, digest_size=16, key=opened.context).digest()
        known = self._catalog.records.unchanged(made_by)
        if known is None:
            new.append(self._converted(raw, opened, made_by))
            return
        self._store(new)
        new.clear()
        ordinal, last_run, deleted = known
        self._counts["superseded" if last_run == self._run else "deleted" if deleted else "converted"] += 1
        self._catalog.records.see(ordinal, raw.origin.position, raw.origin.offset, opened.carrier_number, self._run)

    def _converted(self, raw: Raw, opened: _OpenFile, made_by: bytes) -> NewRecord:
        parsed = opened.carrier.parse(raw)
        flavour, converted = crosswalk.convert(parsed.record, self._source.config.crosswalk, self._settings)
        warnings = [*parsed.warnings, *converted.warnings]
        record_id = _record_id(self._source.id, parsed.record)
        if record_id is None:
            record_id = RecordId(self._source.id, "x" + hashlib.blake2b(raw.data, digest_size=8).hexdigest())
            warnings.append(f"has no control number (001); it is known as {record_id}")
        return NewRecord(
            id=record_id,
            origin=raw.origin,
            original=raw.data,
            carrier=opened.carrier_number,
            bytes_hash=hashlib.blake2b(raw.data, digest_size=16).digest(),
            made_by=made_by,
            flavour=flavour,
            converted=Converted(converted.mods, converted.unmapped, converted.private, tuple(warnings)),
            deleted=isinstance(parsed.record, MarcRecord) and crosswalk.is_deleted(parsed.record),
        )

    def _settings(self, flavour: str) -> object:
        settings: object = self._config.settings("crosswalk", flavour)
        return settings

    def _store(self, new: list[NewRecord]) -> None:
        superseded = self._catalog.records.put(new, self._run)
        self._counts["superseded"] += superseded
        deleted = sum(record.deleted for record in new)
        self._counts["deleted"] += deleted
        self._counts["converted"] += len(new) - superseded - deleted

    def _end_load(self) -> LoadCounts:
        gone = 0
        if self._source.config.complete:
            gone += self._catalog.records.delete_unseen(self._source.id, self._run)
        if self._source.config.deletes:
            gone += self._delete_listed(self._config.folder / self._source.config.deletes)
        if gone:
            self._progress.say(f"read: {self._source.id}: {gone} records are gone")
        names = ("read", "converted", "superseded", "rejected", "deleted")
        counts = LoadCounts(self._source.id, *(self._counts[name] for name in names))
        self._catalog.records.end_load(counts, self._run)
        return counts

    def _delete_listed(self, listed: Path) -> int:
        """Delete the control numbers of a list, one a line."""
        gone = 0
        for line in listed.read_text(encoding="utf-8-sig").splitlines():
            if not line.strip():
                continue
            record = RecordId.of(self._source.id, line)
            ordinal = self._catalog.register.ordinal(record)
            if ordinal is None:
                self._progress.say(f"{listed.name}: {record} was never seen, so it cannot be deleted")
            else:
                gone += self._catalog.records.delete(ordinal, self._run)
        return gone


def settings_digest(config: Config, source: Source) -> str:
    """A hash of the versions and settings that the conversion of a source's records depends on."""
    settings = [[name, digest(config.settings("crosswalk", name))] for name in adapters.names("crosswalk")]
    return digest(read.VERSION, crosswalk.VERSION, source.config.crosswalk, settings)


def original_of(record: SourceRecord) -> MarcRecord | None:
    """Parse the original bytes of a stored record again; None where they are no MARC record."""
    carrier = read.carrier_of(record.reader, record.carrier)
    parsed = carrier.parse(Raw(record.origin, record.original)).record
    return parsed if isinstance(parsed, MarcRecord) else None


def public_original_of(record: SourceRecord, catalog: Catalog) -> MarcRecord | None:
    """The original as it may be published: without the subfields that its crosswalk calls private."""
    original = original_of(record)
    if original is None:
        return None
    return without_subfields(original, catalog.records.private(record.ordinal))


def _record_id(source: str, record: object) -> RecordId | None:
    control_number = None
    if isinstance(record, MarcRecord):
        control_number = record.control_number
    elif isinstance(record, Mods):
        control_number = record.record_identifier
    return RecordId.of(source, control_number) if control_number and control_number.strip() else None


def _with_original(error: RecordError, raw: Raw) -> RecordError:
    """A reject keeps the record's bytes, also where the stage that refused it saw only the parsed record."""
    if error.original:
        return error
    return type(error)(raw.origin, error.reason, raw.data, error.control_number)
