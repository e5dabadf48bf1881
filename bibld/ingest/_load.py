"""Load an inspected source: its files in, source records in the catalog out (read, crosswalk).

Every record read is converted, superseded (the same id came again in this load), rejected, or deleted by its own
status; a load counts each of these. Unchanged bytes are recognised by their hash before they are parsed. Deletions
come last: if they are more than the source may lose in one run, none of them is done.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from bibld import harvest
from bibld.catalog import Catalog, LoadCounts, NewRecord
from bibld.config import Config
from bibld.errors import DamagedFileError, RecordError
from bibld.ingest._conversion import (
    COUNTED,
    LASTING,
    Conversion,
    Job,
    changed_file_fault,
    conversion_job,
    convert_record,
    file_context,
    file_warnings,
    identify,
    other_kind_warning,
    record_made_by,
    settings_digest,
)
from bibld.ingest._inspection import InspectedFile, Inspection
from bibld.ingest._log import LoadResult, listed_deletions, reason_to_withhold, unknown_deletions_warning, withhold
from bibld.ingest._pool import ConversionPool
from bibld.model.authority import AUTHORITY_FLAVOURS
from bibld.model.marc import MarcRecord, without_subfields
from bibld.model.origin import RecordId
from bibld.model.withheld import without_texts
from bibld.parallel import batches
from bibld.progress import Progress
from bibld.protocols import Raw, SourceRecord
from bibld.read import carrier_of, read, to_json

_RECORDS_AT_ONCE = 1000
_OTHER_KIND, _AUTHORITIES = "replaced records of the other kind", "authority records"


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
        inspection: Inspection,
        run: int,
        conversions: ConversionPool,
        progress: Progress,
    ) -> None:
        self._catalog = catalog
        self._config = config
        self._files = inspection.files
        self._source = inspection.source
        self._is_partial = bool(inspection.gaps)
        self._run = run
        self._conversions = conversions
        self._progress = progress
        self._counts: Counter[str] = Counter()
        self._fault = ""
        self.is_clean = False
        """Whether the load has ended, and the next one of the same files would have nothing to do and to warn of."""
        self._is_doubtful = bool(inspection.gaps or inspection.warnings)
        self._spared: set[int] = set()
        self._deferred: dict[int, NewRecord] = {}
        self._made_with = settings_digest(config, self._source)

    def load(self, live: int, allow_deletes: bool) -> LoadResult:
        """Load the files, then delete what the source deleted.

        ``live`` is the number of its live records before; ``allow_deletes``: delete as many as there are. Raises
        ``CatalogError`` if the catalog cannot be written.
        """
        records = self._catalog.records
        rejected_before = records.count_unnamed_rejects(self._source.id)
        with self._catalog.commit():
            records.begin_load(self._source.id)
        for inspected in self._files:
            self._progress.report(f"read: {inspected.file.name}")
            self._load_file(inspected)
        if others := self._counts[_OTHER_KIND]:
            self._warn(other_kind_warning(self._source.id, others))
        with self._catalog.commit():
            refused = list(harvest.rejected_records(self._config, self._source))
            self._counts["read"] += len(refused)
            self._reject(refused)
        with self._catalog.commit():
            missing: set[int] = set()
            if self._source.config.complete and not self._fault and not self._is_partial:
                missing = set(records.unseen(self._source.id, self._run)) - self._deferred.keys() - self._spared
            gone = missing | self._listed()
            named = gone | self._deferred.keys()
            is_damaged = bool(missing) and records.count_unnamed_rejects(self._source.id) > rejected_before
            reason = reason_to_withhold(self._source.config, len(named), live, is_damaged)
            withheld = None
            if reason and not allow_deletes:
                ids = map(self._catalog.register.record, sorted(named))
                withheld = withhold(self._catalog.workspace, self._source.id, ids, reason)
            if withheld is None:
                self._put(list(self._deferred.values()))
                for ordinal in sorted(gone):
                    records.delete(ordinal, self._run)
            else:
                self._counts["deleted"] += len(self._deferred)
            records.unqueue_unchanged()
            names = ("read", "converted", "superseded", "rejected", "deleted")
            counts = LoadCounts(self._source.id, *(self._counts[name] for name in names))
            records.end_load(counts, self._run)
        self.is_clean = not (self._is_doubtful or self._fault or withheld)
        return LoadResult(
            **msgspec.structs.asdict(counts),
            **msgspec.structs.asdict(records.former.changes(self._source.id)),
            withheld=withheld,
            fault=self._fault,
        )

    def _warn(self, text: str) -> None:
        self._progress.warn(text)
        self._is_doubtful = True

    def _load_file(self, inspected: InspectedFile) -> None:
        file, examined = inspected.file, inspected.examined
        with self._catalog.commit():
            carrier = self._catalog.records.add_carrier(
                self._source.id, file.name, examined.reader, to_json(examined.carrier)
            )
        context = file_context(self._made_with, self._source.id, examined)
        job = conversion_job(self._config, self._source, examined)

        def pieces() -> Iterator[Raw | _Unchanged | RecordError]:
            for piece in read(file, examined):
                if isinstance(piece, Raw):
                    self._counts[file.name] += 1
                    is_known = self._catalog.records.find_unchanged(record_made_by(piece, context)) is not None
                    yield _Unchanged(piece) if is_known else piece
                else:
                    yield piece

        outcomes: Iterator[_Item] = self._conversions.convert(job, pieces())
        for batch in batches(outcomes, _RECORDS_AT_ONCE):
            with self._catalog.commit():
                self._store_batch(batch, carrier, job, context)
            self._progress.advance(len(batch))
        counts = {warning: self._counts[f"{file.name} {warning}"] for warning in COUNTED}
        for warning in file_warnings(self._source.id, file.name, counts, self._counts[file.name]):
            self._progress.warn(warning)
        self._is_doubtful = self._is_doubtful or any(counts[warning] for warning in LASTING)
        if self._counts[file.name] != inspected.records:
            self._fault = changed_file_fault(file.name)

    def _store_batch(self, batch: list[_Item], carrier: int, job: Job, context: bytes) -> None:
        new: list[NewRecord] = []
        rejects: list[RecordError] = []
        for item in batch:
            self._counts["read"] += 1
            outcome: Conversion | RecordError
            if isinstance(item, _Unchanged):
                self._store(new)
                new.clear()
                stored = self._catalog.records.find_unchanged(record_made_by(item.raw, context))
                if stored is not None:
                    ordinal, last_run, deleted = stored
                    kind = "superseded" if last_run == self._run else "deleted" if deleted else "converted"
                    self._counts[kind] += 1
                    origin = item.raw.origin
                    self._catalog.records.mark_seen(ordinal, origin.position, origin.offset, carrier, self._run)
                    self._supersede_deferred(ordinal)
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
        raw = conversion.raw
        record, warnings = identify(conversion, self._source.id)
        for warning in COUNTED:
            self._counts[f"{raw.origin.file} {warning}"] += warning in warnings
        return NewRecord(
            id=record,
            origin=raw.origin,
            original=raw.data,
            carrier=carrier,
            made_by=record_made_by(raw, context),
            flavour=conversion.flavour,
            mods=conversion.content,
            unmapped=conversion.unmapped,
            private=conversion.private,
            warnings=warnings,
            deleted=conversion.deleted,
            findings=conversion.findings,
        )

    def _store(self, new: list[NewRecord]) -> None:
        """Store records; of live ones that now state that they are deleted the last versions wait for the end."""
        self._count_other_kinds(new)
        now: list[NewRecord] = []
        waiting: set[RecordId] = set()
        for record in new:
            if record.deleted and record.id in waiting:
                self._put(now)  # whether the record is live depends on its last version, which is among these
                now = []
                waiting.clear()
            waiting.add(record.id)
            ordinal = self._catalog.register.ordinal(record.id)
            self._supersede_deferred(ordinal)
            if record.deleted and ordinal is not None and self._catalog.records.is_live(ordinal):
                self._put(now)
                now = []
                self._deferred[ordinal] = record
            else:
                now.append(record)
        self._put(now)

    def _count_other_kinds(self, new: Sequence[NewRecord]) -> None:
        """Count the records that replace an authority record of this load, or a description of a publication."""
        self._counts[_AUTHORITIES] += sum(record.flavour in AUTHORITY_FLAVOURS for record in new)
        if not self._counts[_AUTHORITIES]:
            return
        seen: dict[RecordId, bool] = {}
        for record in new:
            is_authority = record.flavour in AUTHORITY_FLAVOURS
            if record.id not in seen:
                ordinal = self._catalog.register.ordinal(record.id)
                was = None if ordinal is None else self._catalog.records.was_authority(ordinal, self._run)
                seen[record.id] = is_authority if was is None else was
            self._counts[_OTHER_KIND] += seen[record.id] != is_authority
            seen[record.id] = is_authority

    def _supersede_deferred(self, ordinal: int | None) -> None:
        if ordinal is not None and self._deferred.pop(ordinal, None) is not None:
            self._counts["superseded"] += 1

    def _put(self, new: list[NewRecord]) -> None:
        superseded = self._catalog.records.put(new, self._run)
        deleted = sum(record.deleted for record in new)
        self._counts["superseded"] += superseded.live + superseded.deleted
        self._counts["deleted"] += deleted - superseded.deleted
        self._counts["converted"] += len(new) - deleted - superseded.live

    def _reject(self, rejects: Sequence[RecordError]) -> None:
        """Store rejects; an older version of a rejected record stays as it is."""
        self._catalog.records.put_rejects(rejects)
        self._counts["rejected"] += len(rejects)
        for error in rejects:
            self._progress.detail(f"read: rejected: {error}")
            if isinstance(error, DamagedFileError):
                self._fault = str(error)
            if error.control_number:
                record = RecordId.from_control_number(self._source.id, error.control_number)
                ordinal = self._catalog.register.ordinal(record)
                self._spared.update([] if ordinal is None else [ordinal])

    def _listed(self) -> set[int]:
        """Return the live records in the source's list of deletions."""
        listed: set[int] = set()
        unknown: list[RecordId] = []
        for record in listed_deletions(self._config, self._source):
            ordinal = self._catalog.register.ordinal(record)
            if ordinal is None:
                unknown.append(record)
            elif self._catalog.records.is_live(ordinal) and ordinal not in self._deferred:
                listed.add(ordinal)
        for record in unknown:
            self._progress.detail(f"read: {self._source.config.deletes}: {record} was never seen")
        if unknown:
            self._warn(unknown_deletions_warning(self._source, unknown))
        return listed


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
