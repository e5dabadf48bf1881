"""Load a source: its files in, source records in the catalog out (harvest, read, crosswalk).

Every record read is converted, superseded (the same id came again in this load), rejected, or deleted by its own
status; a load counts each of these. Unchanged bytes are recognised by their hash before they are parsed.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec

from bibld import crosswalk, harvest
from bibld.catalog import Catalog, LoadCounts, NewRecord, digest
from bibld.config import Config, Source
from bibld.errors import DamagedFileError, HarvestError, RecordError
from bibld.ingest._conversion import Conversion, ConversionPool, Job, convert_record
from bibld.model.marc import MarcRecord, without_subfields
from bibld.model.origin import Origin, RecordId
from bibld.model.withheld import without_texts
from bibld.parallel import batches
from bibld.progress import Progress, with_number
from bibld.protocols import HarvestedFile, Raw, SourceRecord
from bibld.read import VERSION as READ_VERSION
from bibld.read import Examined, carrier_of, examine, read, to_json

_RECORDS_AT_ONCE = 1000


class _Unchanged(msgspec.Struct, frozen=True):
    """A record that is stored in the catalog already, made from the same bytes."""

    raw: Raw


_Item = Conversion | RecordError | _Unchanged


class Intake:
    """Loads one source into the catalog, in commits of many records."""

    def __init__(
        self,
        catalog: Catalog,
        config: Config,
        source: Source,
        run: int,
        conversions: ConversionPool,
        progress: Progress,
    ) -> None:
        self._catalog = catalog
        self._config = config
        self._source = source
        self._run = run
        self._conversions = conversions
        self._progress = progress
        self._counts: Counter[str] = Counter()
        self._is_complete = True
        self._spared: set[int] = set()
        self._made_with = settings_digest(config, source)

    def load(self) -> LoadCounts:
        """Read all files of the source and delete what they lack; raises ``StageError`` if it cannot be fetched."""
        with self._catalog.commit():
            self._catalog.records.begin_load(self._source.id)
        for file in harvest.files(self._config, self._source):
            self._progress.report(f"read: {file.name}")
            try:
                examined = examine(file, self._source.config.read, self._source.config.charset, self._source.read)
            except HarvestError as error:
                self._progress.report(f"read: {error}")
                self._is_complete = False
                if not file.path.is_file() or file.path.stat().st_size:  # an empty file has no records
                    self._counts["read"] += 1
                    with self._catalog.commit():
                        self._reject([DamagedFileError(Origin(file.source, file.name, 1, 0), str(error))])
            else:
                self._load_file(file, examined)
        with self._catalog.commit():
            deleted = self._delete_missing()
            if self._source.config.deletes:
                deleted += self._delete_listed(self._config.folder / self._source.config.deletes)
            if deleted:
                self._progress.report(f"read: {self._source.id}: {with_number(deleted, 'record')} deleted")
            names = ("read", "converted", "superseded", "rejected", "deleted")
            counts = LoadCounts(self._source.id, *(self._counts[name] for name in names))
            self._catalog.records.end_load(counts, self._run)
        return counts

    def _load_file(self, file: HarvestedFile, examined: Examined) -> None:
        with self._catalog.commit():
            carrier = self._catalog.records.add_carrier(
                self._source.id, file.name, examined.reader, to_json(examined.carrier)
            )
        # Without its name: a file that is renamed contains the same records.
        fields = examined.carrier.__struct_fields__
        unnamed = msgspec.structs.replace(
            examined.carrier, **{name: "" for name in ("source", "file") if name in fields}
        )
        context = digest(self._source.id, self._made_with, examined.reader, unnamed).encode()
        settings = self._config.crosswalk_settings(self._source)
        job = Job(self._source.id, examined.carrier, self._source.config.crosswalk, settings)

        def pieces() -> Iterator[Raw | _Unchanged | RecordError]:
            for piece in read(file, examined):
                if (
                    isinstance(piece, Raw)
                    and self._catalog.records.find_unchanged(_made_by(piece, context)) is not None
                ):
                    yield _Unchanged(piece)
                else:
                    yield piece

        outcomes: Iterator[_Item] = self._conversions.convert(job, pieces())
        for batch in batches(outcomes, _RECORDS_AT_ONCE):
            with self._catalog.commit():
                self._store_batch(batch, carrier, job, context)
            self._progress.advance(len(batch))

    def _store_batch(self, batch: list[_Item], carrier: int, job: Job, context: bytes) -> None:
        new: list[NewRecord] = []
        rejects: list[RecordError] = []
        for item in batch:
            self._counts["read"] += 1
            outcome: Conversion | RecordError
            if isinstance(item, _Unchanged):
                self._store(new)
                new.clear()
                stored = self._catalog.records.find_unchanged(_made_by(item.raw, context))
                if stored is not None:
                    ordinal, last_run, deleted = stored
                    kind = "superseded" if last_run == self._run else "deleted" if deleted else "converted"
                    self._counts[kind] += 1
                    origin = item.raw.origin
                    self._catalog.records.mark_seen(ordinal, origin.position, origin.offset, carrier, self._run)
                    continue
                outcome = convert_record(job, item.raw)  # it was superseded after it had been recognised
            else:
                outcome = item
            if isinstance(outcome, RecordError):
                rejects.append(outcome)
            else:
                new.append(self._new_record(outcome, carrier, context))
        self._store(new)
        self._reject(rejects)

    def _new_record(self, conversion: Conversion, carrier: int, context: bytes) -> NewRecord:
        raw, warnings, record = conversion.raw, conversion.warnings, conversion.id
        if record is None:
            content = hashlib.blake2b(raw.data, digest_size=16).hexdigest()
            record = RecordId(self._source.id, f"x{content[:16]}")
            warnings = (*warnings, f"has no control number (001); its id is {record}")
        return NewRecord(
            id=record,
            origin=raw.origin,
            original=raw.data,
            carrier=carrier,
            made_by=_made_by(raw, context),
            flavour=conversion.flavour,
            mods=conversion.content,
            unmapped=conversion.unmapped,
            private=conversion.private,
            warnings=warnings,
            deleted=conversion.deleted,
        )

    def _store(self, new: list[NewRecord]) -> None:
        superseded = self._catalog.records.put(new, self._run)
        deleted = sum(record.deleted for record in new)
        self._counts["superseded"] += superseded.live + superseded.deleted
        self._counts["deleted"] += deleted - superseded.deleted
        self._counts["converted"] += len(new) - deleted - superseded.live

    def _reject(self, rejects: list[RecordError]) -> None:
        """Store rejects; an older version of a rejected record stays as it is."""
        self._catalog.records.put_rejects(rejects)
        self._counts["rejected"] += len(rejects)
        for error in rejects:
            self._is_complete = self._is_complete and not isinstance(error, DamagedFileError)
            if error.control_number:
                record = RecordId.from_control_number(self._source.id, error.control_number)
                ordinal = self._catalog.register.ordinal(record)
                self._spared.update([] if ordinal is None else [ordinal])

    def _delete_missing(self) -> int:
        """Delete the records that a complete source lacks now; return their number."""
        if not self._source.config.complete:
            return 0
        if self._is_complete:
            return self._catalog.records.delete_unseen(self._source.id, self._run, self._spared)
        self._progress.report(f"read: {self._source.id}: a file is damaged or empty, so no missing record is deleted")
        return 0

    def _delete_listed(self, listed: Path) -> int:
        """Delete the records of a list of control numbers, one in a line; return their number."""
        deleted = 0
        for line in listed.read_text(encoding="utf-8-sig").splitlines():
            if not line.strip():
                continue
            record = RecordId.from_control_number(self._source.id, line)
            ordinal = self._catalog.register.ordinal(record)
            if ordinal is None:
                self._progress.report(f"{listed.name}: {record} was never seen, so it cannot be deleted")
            else:
                deleted += self._catalog.records.delete(ordinal, self._run)
        return deleted


def settings_digest(config: Config, source: Source) -> str:
    """Return a hash of the versions and settings that the conversion of a source's records depends on."""
    settings = [[name, digest(one)] for name, one in config.crosswalk_settings(source).items()]
    return digest(READ_VERSION, crosswalk.VERSION, source.config.crosswalk, settings)


def original_of(record: SourceRecord) -> MarcRecord | None:
    """Parse the original bytes of a stored record again; None if they are not a MARC record."""
    carrier = carrier_of(record.reader, record.carrier)
    parsed = carrier.parse(Raw(record.origin, record.original)).record
    return parsed if isinstance(parsed, MarcRecord) else None


def public_original_of(record: SourceRecord, catalog: Catalog) -> MarcRecord | None:
    """Return the original as it may be published.

    It is without private subfields and without fields that contain suppressed values.
    """
    original = original_of(record)
    if original is None:
        return None
    public = without_subfields(original, catalog.records.private_subfields(record.ordinal))
    withheld = catalog.suppressions.withheld_values(record.ordinal)
    return without_texts(public, withheld) if withheld else public


def _made_by(raw: Raw, context: bytes) -> bytes:
    """Return a hash of what a stored record is made from: its bytes, and ``context``, which is needed to read them."""
    return hashlib.blake2b(raw.data, digest_size=16, key=context).digest()
