"""Intake: the files of a source in, source records in the catalog out (harvest, read, crosswalk).

Every record read is converted, superseded (the same id came again in this load), rejected, or deleted by its own
status; the counts of a load say so. Unchanged bytes are recognised by their hash before they are parsed.
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
from bibld.progress import Progress
from bibld.protocols import Carrier, HarvestedFile, Raw, SourceRecord
from bibld.read import VERSION as READ_VERSION
from bibld.read import Examined, carrier_of, examine, read, to_json

_RECORDS_AT_ONCE = 1000


class _Unchanged(msgspec.Struct, frozen=True):
    """A record that the catalog already holds from the same bytes."""

    raw: Raw


_Item = Conversion | RecordError | _Unchanged


class Intake:
    """Takes one source into the catalog, in commits of many records."""

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
        self._is_whole = True
        self._spared: set[int] = set()
        self._made_with = settings_digest(config, source)

    def load(self) -> LoadCounts:
        """Read all files of the source; raises ``StageError`` for a file that cannot be read at all."""
        with self._catalog.commit():
            self._catalog.records.begin_load(self._source.id)
        for file in harvest.files(self._config, self._source):
            self._progress.report(f"read: {file.name}")
            try:
                examined = examine(file, self._source.config.read, self._source.config.charset, self._source.read)
            except HarvestError as error:
                self._refuse(file, error)
            else:
                self._take_file(file, examined)
        with self._catalog.commit():
            return self._end_load()

    def _refuse(self, file: HarvestedFile, error: HarvestError) -> None:
        """Keep a file that nothing can be read from as one reject; an empty one has no records."""
        self._progress.report(f"read: {error}")
        self._is_whole = False
        if file.path.is_file() and file.path.stat().st_size == 0:
            return
        self._counts["read"] += 1
        with self._catalog.commit():
            self._reject([DamagedFileError(Origin(file.source, file.name, 1, 0), str(error))])

    def _take_file(self, file: HarvestedFile, examined: Examined) -> None:
        state = to_json(examined.carrier)
        with self._catalog.commit():
            number = self._catalog.records.add_carrier(self._source.id, file.name, examined.reader, state)
        context = digest(self._source.id, self._made_with, examined.reader, _without_place(examined.carrier)).encode()
        settings = self._config.crosswalk_settings(self._source)
        job = Job(self._source.id, examined.carrier, self._source.config.crosswalk, settings)
        pieces = self._recognised(read(file, examined), context)
        outcomes: Iterator[_Item] = self._conversions.convert(job, pieces)
        for batch in batches(outcomes, _RECORDS_AT_ONCE):
            with self._catalog.commit():
                self._take_batch(batch, number, job, context)
            self._progress.advance(len(batch))

    def _recognised(
        self, pieces: Iterator[Raw | RecordError], context: bytes
    ) -> Iterator[Raw | _Unchanged | RecordError]:
        """Tell the records apart that the catalog already holds from the same bytes."""
        for piece in pieces:
            if isinstance(piece, Raw) and self._catalog.records.find_unchanged(_made_by(piece, context)) is not None:
                yield _Unchanged(piece)
            else:
                yield piece

    def _take_batch(self, batch: list[_Item], carrier: int, job: Job, context: bytes) -> None:
        """Store what was converted, note what is unchanged, keep what was refused."""
        new: list[NewRecord] = []
        rejects: list[RecordError] = []
        for item in batch:
            self._counts["read"] += 1
            outcome: Conversion | RecordError | None
            outcome = self._seen(item.raw, carrier, job, context, new) if isinstance(item, _Unchanged) else item
            if isinstance(outcome, RecordError):
                rejects.append(outcome)
            elif outcome is not None:
                new.append(self._new_record(outcome, carrier, context))
        self._store(new)
        self._reject(rejects)

    def _reject(self, rejects: list[RecordError]) -> None:
        """Keep what was refused; an older version of a refused record stays as it is."""
        self._catalog.records.put_rejects(rejects)
        self._counts["rejected"] += len(rejects)
        for error in rejects:
            self._is_whole = self._is_whole and not isinstance(error, DamagedFileError)
            if error.control_number:
                ordinal = self._catalog.register.ordinal(
                    RecordId.from_control_number(self._source.id, error.control_number)
                )
                self._spared.update([] if ordinal is None else [ordinal])

    def _seen(
        self, raw: Raw, carrier: int, job: Job, context: bytes, new: list[NewRecord]
    ) -> Conversion | RecordError | None:
        """An unchanged record is still there; one that was superseded since it was recognised is converted."""
        self._store(new)
        new.clear()
        known = self._catalog.records.find_unchanged(_made_by(raw, context))
        if known is None:
            return convert_record(job, raw)
        ordinal, last_run, deleted = known
        self._counts["superseded" if last_run == self._run else "deleted" if deleted else "converted"] += 1
        self._catalog.records.mark_seen(ordinal, raw.origin.position, raw.origin.offset, carrier, self._run)
        return None

    def _new_record(self, conversion: Conversion, carrier: int, context: bytes) -> NewRecord:
        raw, warnings, record = conversion.raw, conversion.warnings, conversion.id
        if record is None:
            content = hashlib.blake2b(raw.data, digest_size=16).hexdigest()
            record = RecordId(self._source.id, f"x{content[:16]}")
            warnings = (*warnings, f"has no control number (001); it is known as {record}")
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

    def _end_load(self) -> LoadCounts:
        gone = 0
        if self._source.config.complete and self._is_whole:
            gone += self._catalog.records.delete_unseen(self._source.id, self._run, self._spared)
        elif self._source.config.complete:
            self._progress.report(
                f"read: {self._source.id}: a file is damaged or empty, so no record is taken for deleted"
            )
        if self._source.config.deletes:
            gone += self._delete_listed(self._config.folder / self._source.config.deletes)
        if gone:
            self._progress.report(f"read: {self._source.id}: {gone} records are gone")
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
            record = RecordId.from_control_number(self._source.id, line)
            ordinal = self._catalog.register.ordinal(record)
            if ordinal is None:
                self._progress.report(f"{listed.name}: {record} was never seen, so it cannot be deleted")
            else:
                gone += self._catalog.records.delete(ordinal, self._run)
        return gone


def settings_digest(config: Config, source: Source) -> str:
    """A hash of the versions and settings that the conversion of a source's records depends on."""
    settings = [[name, digest(one)] for name, one in config.crosswalk_settings(source).items()]
    return digest(READ_VERSION, crosswalk.VERSION, source.config.crosswalk, settings)


def original_of(record: SourceRecord) -> MarcRecord | None:
    """Parse the original bytes of a stored record again; None where they are no MARC record."""
    carrier = carrier_of(record.reader, record.carrier)
    parsed = carrier.parse(Raw(record.origin, record.original)).record
    return parsed if isinstance(parsed, MarcRecord) else None


def public_original_of(record: SourceRecord, catalog: Catalog) -> MarcRecord | None:
    """The original as it may be published: without the subfields that its crosswalk calls private, and without the
    fields that hold suppressed values."""
    original = original_of(record)
    if original is None:
        return None
    public = without_subfields(original, catalog.records.private_subfields(record.ordinal))
    withheld = catalog.suppressions.withheld_values(record.ordinal)
    return without_texts(public, withheld) if withheld else public


def _without_place(carrier: Carrier) -> Carrier:
    """A carrier as it would be under any other name: a file that is renamed holds the same records."""
    named = {name: "" for name in ("source", "file") if name in carrier.__struct_fields__}  # type: ignore[attr-defined]
    return msgspec.structs.replace(carrier, **named)  # type: ignore[type-var]


def _made_by(raw: Raw, context: bytes) -> bytes:
    """What makes the stored form of a record: its bytes, and by the context all that they are understood with."""
    return hashlib.blake2b(raw.data, digest_size=16, key=context).digest()
