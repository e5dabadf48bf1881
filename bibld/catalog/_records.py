"""Source records, their rejects and their counts."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

import msgspec

from bibld.catalog._queues import DirtyQueues, FormerRecords, Queue
from bibld.catalog._record_bytes import Subfields, pack, unpack_mods, unpack_original
from bibld.catalog._record_rows import LoadCounts, NewRecord, Reject, Superseded
from bibld.catalog._register import Register
from bibld.catalog._schema import IS_AUTHORITY, IS_PUBLICATION, RecordStatus
from bibld.catalog._suppressions import SuppressionTables
from bibld.catalog._worklist import WorklistTables
from bibld.catalog.compression import Blobs
from bibld.errors import RecordError
from bibld.model.authority import AUTHORITY_FLAVOURS, Authority
from bibld.model.mods import Mods
from bibld.model.origin import Origin
from bibld.parallel import batches
from bibld.protocols import SourceRecord

_PARAMETERS = 500
"""Ordinals in one query; SQLite takes 32,766 at most."""

_REPLACED = (
    "CREATE TEMP TABLE IF NOT EXISTS replaced"
    " (ordinal INTEGER PRIMARY KEY, made_by BLOB, status TEXT, was_queued INTEGER)"
)
"""The records that a load has replaced, as they were before it."""

_MODS = msgspec.json.Decoder(Mods)
_AUTHORITY = msgspec.json.Decoder(Authority)


class Records:
    """The tables of records and rejects. Nothing is committed here; the catalog does that.

    A record that is new, changed, deleted or restored is added to the queue of unmatched records.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        blobs: Blobs,
        register: Register,
        dirty: DirtyQueues,
        suppressions: SuppressionTables,
    ) -> None:
        self._connection = connection
        self._blobs = blobs
        self._register = register
        self._unmatched = dirty[Queue.UNMATCHED_RECORDS]
        self._suppressions = suppressions
        self._subfields = Subfields(connection)
        self.former = FormerRecords(connection)
        """What has changed since the last run that ended."""
        self.worklist = WorklistTables(connection)
        """What the definitions of their formats find in records."""

    # -- writing -----------------------------------------------------------------------------------------------------

    def add_carrier(self, source: str, file: str, reader: str, state: bytes) -> int:
        """Store an examined file and return its number, which is the same for the same state."""
        key = (source, file, reader, state)
        self._connection.execute("INSERT OR IGNORE INTO carrier (source, file, reader, state) VALUES (?, ?, ?, ?)", key)
        row = self._connection.execute(
            "SELECT carrier FROM carrier WHERE source = ? AND file = ? AND reader = ? AND state = ?", key
        ).fetchone()
        return int(row[0])

    def begin_load(self, source: str) -> None:
        """Delete the rejects of the last reading of a source, and begin to note which records it replaces."""
        self._connection.execute("DELETE FROM reject WHERE source = ?", (source,))
        self._connection.execute(_REPLACED)
        self._connection.execute("DELETE FROM replaced")

    def find_unchanged(self, made_by: bytes) -> tuple[int, int, bool] | None:
        """Return the stored record that was made from the same bytes in the same way; None if there is none.

        The values are its ordinal, the last run that saw it, and whether it states itself that it is deleted.
        """
        row = self._connection.execute(
            "SELECT ordinal, run, status FROM record WHERE made_by = ?", (made_by,)
        ).fetchone()
        return (row[0], row[1], row[2] == RecordStatus.DELETED) if row else None

    def mark_seen(self, ordinal: int, position: int, offset: int, carrier: int, run: int) -> None:
        """Store the run that saw an unchanged record, and its position there; restore the record if it was missing."""
        self._connection.execute(
            "UPDATE record SET run = ?, position = ?, byte_offset = ?, carrier = ? WHERE ordinal = ?",
            (run, position, offset, carrier, ordinal),
        )
        status = self._suppressions.status(ordinal)
        restored = self._connection.execute(
            "UPDATE record SET status = ? WHERE ordinal = ? AND status = ?", (status, ordinal, RecordStatus.MISSING)
        )
        if restored.rowcount:
            self.former.note_status(ordinal, RecordStatus.MISSING)
            if status == RecordStatus.LIVE:
                self._unmatched.add([ordinal])

    def put(self, records: Sequence[NewRecord], run: int) -> Superseded:
        """Store records; later ones replace earlier ones with the same id."""
        if not records:
            return Superseded(0, 0)
        ordinals = self._register.assign_ordinals([record.id for record in records])
        stored: dict[int, tuple[int, RecordStatus]] = {}
        for batch in batches(ordinals, _PARAMETERS):
            rows = self._connection.execute(
                f"SELECT ordinal, run, status FROM record WHERE ordinal IN ({','.join('?' * len(batch))})", batch
            )
            stored.update((ordinal, (last_run, status)) for ordinal, last_run, status in rows)
        # Count the records that a later one of the same run replaces, by whether their own status was deleted.
        live = deleted = 0
        is_deleted = {
            ordinal: status == RecordStatus.DELETED for ordinal, (last_run, status) in stored.items() if last_run == run
        }
        for ordinal, record in zip(ordinals, records, strict=True):
            if ordinal in is_deleted:
                if is_deleted[ordinal]:
                    deleted += 1
                else:
                    live += 1
            is_deleted[ordinal] = record.deleted
        last = dict(zip(ordinals, records, strict=True))
        self._connection.execute(_REPLACED)
        self._connection.executemany(
            "INSERT OR IGNORE INTO replaced SELECT ordinal, made_by, status,"
            " EXISTS (SELECT 1 FROM dirty_queue WHERE queue = ? AND item = ordinal) FROM record WHERE ordinal = ?",
            ((Queue.UNMATCHED_RECORDS, ordinal) for ordinal, (last_run, _) in stored.items() if last_run != run),
        )
        self.former.note(stored)
        self.former.note_new((ordinal, record.carrier) for ordinal, record in last.items() if ordinal not in stored)
        self._connection.executemany("DELETE FROM warning WHERE ordinal = ?", ((ordinal,) for ordinal in stored))
        self._subfields.refresh()
        pieces = [pack(record.mods, record.original) for record in last.values()]
        bodies = self._blobs.compress_all("record", records[0].carrier, pieces)
        self._connection.executemany(
            "INSERT OR REPLACE INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (
                    ordinal,
                    record.carrier,
                    record.origin.position,
                    record.origin.offset,
                    record.flavour,
                    record.made_by,
                    run,
                    RecordStatus.DELETED if record.deleted else self._suppressions.status(ordinal),
                    self._subfields.encode(record.unmapped, record.private),
                    body,
                )
                for (ordinal, record), body in zip(last.items(), bodies, strict=True)
            ),
        )
        self._connection.executemany(
            "INSERT INTO warning VALUES (?, ?)",
            ((ordinal, text) for ordinal, record in last.items() for text in record.warnings),
        )
        self.worklist.replace_findings(stored, ((ordinal, record.findings) for ordinal, record in last.items()))
        self._unmatched.add(sorted(last))
        return Superseded(live, deleted)

    def unqueue_unchanged(self) -> None:
        """Take the records out of the queue of unmatched records whose last version is that from before the load.

        Others of the same id among the files were before them.
        """
        self._connection.execute(
            "DELETE FROM dirty_queue WHERE queue = ? AND item IN (SELECT ordinal FROM replaced JOIN record"
            " USING (ordinal) WHERE NOT was_queued AND replaced.made_by = record.made_by"
            " AND replaced.status = record.status)",
            (Queue.UNMATCHED_RECORDS,),
        )

    def put_rejects(self, errors: Sequence[RecordError]) -> None:
        """Store pieces of files that were rejected."""
        self._connection.executemany(
            "INSERT INTO reject (source, file, position, byte_offset, control_number, kind, reason, original)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    error.origin.source,
                    error.origin.file,
                    error.origin.position,
                    error.origin.offset,
                    error.control_number,
                    type(error).__name__,
                    error.reason,
                    self._blobs.compress("record", error.original),
                )
                for error in errors
            ],
        )

    def delete(self, ordinal: int, run: int) -> bool:
        """Mark a record as missing; return whether it was live."""
        live = self._connection.execute(
            "UPDATE record SET status = 'missing', run = ? WHERE ordinal = ? AND status = 'live'", (run, ordinal)
        )
        if live.rowcount:
            self.former.note_status(ordinal, RecordStatus.LIVE)
            self._unmatched.add([ordinal])
            return True
        suppressed = self._connection.execute(
            "UPDATE record SET status = 'missing', run = ? WHERE ordinal = ? AND status = 'suppressed'", (run, ordinal)
        )
        if suppressed.rowcount:
            self.former.note_status(ordinal, RecordStatus.SUPPRESSED)
        return False

    def unseen(self, source: str, run: int) -> list[int]:
        """Return the records that a source had, live or suppressed, and that this run did not see."""
        rows = self._connection.execute(
            "SELECT record.ordinal FROM record JOIN carrier USING (carrier)"
            " WHERE source = ? AND run <> ? AND status IN ('live', 'suppressed')",
            (source, run),
        )
        return [ordinal for (ordinal,) in rows]

    def count_unnamed_rejects(self, source: str) -> int:
        """Return how many rejects of a source have no control number, so that it is unknown which records they are."""
        row = self._connection.execute(
            "SELECT count(*) FROM reject WHERE source = ? AND control_number IS NULL", (source,)
        ).fetchone()
        return int(row[0])

    def delete_source(self, source: str, run: int) -> int:
        """Mark all records of a source as missing, and delete its rejects and counts; return how many were live."""
        deleted = sum(self.delete(ordinal, run) for ordinal in self.unseen(source, run))
        self._connection.execute("DELETE FROM reject WHERE source = ?", (source,))
        self._connection.execute("DELETE FROM load WHERE source = ?", (source,))
        return deleted

    def end_load(self, counts: LoadCounts, run: int) -> None:
        """Store the counts of a complete reading."""
        source, *numbers = msgspec.structs.astuple(counts)
        self._connection.execute("INSERT OR REPLACE INTO load VALUES (?, ?, ?, ?, ?, ?, ?)", (source, run, *numbers))

    # -- reading -----------------------------------------------------------------------------------------------------

    def get(self, ordinal: int) -> SourceRecord | None:
        """Return one record, live or not."""
        row = self._connection.execute(
            "SELECT carrier.source, carrier.file, position, byte_offset, reader, state, flavour, status, body"
            " FROM record JOIN carrier USING (carrier) WHERE ordinal = ?",
            (ordinal,),
        ).fetchone()
        if row is None:
            return None
        source, file, position, offset, reader, state, flavour, status, body = row
        return SourceRecord(
            id=self._register.record(ordinal),
            ordinal=ordinal,
            origin=Origin(source, file, position, offset),
            original=unpack_original(self._blobs.decompress(body)),
            reader=reader,
            carrier=state,
            flavour=flavour,
            mods=self.mods(ordinal),
            deleted=status != RecordStatus.LIVE,
            authority=self.authority(ordinal),
        )

    def mods(self, ordinal: int) -> Mods:
        """Return the MODS of one record without suppressed values; raises ``KeyError``.

        Those of an authority record have little more than its heading.
        """
        found = self._converted(ordinal)
        if found is None:
            raise KeyError(ordinal)
        if isinstance(found, Authority):
            return self._suppressions.public_authority(ordinal, found).to_mods()
        return self._suppressions.public_mods(ordinal, found)

    def unredacted_mods(self, ordinal: int) -> Mods | None:
        """Return the MODS of one record with suppressed values."""
        found = self._converted(ordinal)
        return found.to_mods() if isinstance(found, Authority) else found

    def authority(self, ordinal: int) -> Authority | None:
        """Return an authority record without suppressed values; None for a record of a publication."""
        found = self._converted(ordinal)
        return self._suppressions.public_authority(ordinal, found) if isinstance(found, Authority) else None

    def _converted(self, ordinal: int) -> Mods | Authority | None:
        row = self._connection.execute("SELECT flavour, body FROM record WHERE ordinal = ?", (ordinal,)).fetchone()
        if row is None:
            return None
        converted = unpack_mods(self._blobs.decompress(row[1]))
        return _AUTHORITY.decode(converted) if row[0] in AUTHORITY_FLAVOURS else _MODS.decode(converted)

    def authorities(self) -> list[int]:
        """Return the ordinals of the live authority records, ascending."""
        rows = self._connection.execute(
            f"SELECT ordinal FROM record WHERE status = 'live' AND {IS_AUTHORITY} ORDER BY ordinal"
        )
        return [ordinal for (ordinal,) in rows]

    def has_authorities(self, queue: Queue) -> bool:
        """Return whether any authority record, live or not, is in a queue of ordinals."""
        query = f"SELECT 1 FROM dirty_queue JOIN record ON ordinal = item WHERE queue = ? AND {IS_AUTHORITY} LIMIT 1"
        return self._connection.execute(query, (queue,)).fetchone() is not None

    def is_authority(self, ordinal: int) -> bool:
        """Return whether a record, live or not, is an authority record."""
        return bool(self.was_authority(ordinal))

    def was_authority(self, ordinal: int, run: int | None = None) -> bool | None:
        """Return whether a record is an authority record; None without one, or if it was not seen in this run."""
        query = f"SELECT {IS_AUTHORITY} FROM record WHERE ordinal = ? AND run = coalesce(?, run)"
        row = self._connection.execute(query, (ordinal, run)).fetchone()
        return None if row is None else bool(row[0])

    def live(self) -> Iterator[tuple[int, str, Mods]]:
        """Yield ordinal, source and MODS of the live records of publications, by ordinal."""
        for ordinal, source, mods in self._with_status("'live'"):
            yield ordinal, source, self._suppressions.public_mods(ordinal, mods)

    def unredacted(self) -> Iterator[tuple[int, str, Mods]]:
        """Yield ordinal, source and MODS of all records of publications, with suppressed records and values."""
        return self._with_status("'live', 'suppressed'")

    def _with_status(self, listed: str) -> Iterator[tuple[int, str, Mods]]:
        rows = self._connection.execute(
            "SELECT ordinal, source, body FROM record JOIN carrier USING (carrier)"
            f" WHERE status IN ({listed}) AND NOT {IS_AUTHORITY} ORDER BY ordinal"
        )
        for ordinal, source, body in rows:
            yield ordinal, source, _MODS.decode(unpack_mods(self._blobs.decompress(body)))

    def carriers(self, source: str | None = None) -> list[tuple[int, str, str, str, bytes]]:
        """Return the examined files, of one source or of all, that contain records which their source still has.

        The values of each are number, source, file, reader and state.
        """
        return self._connection.execute(
            "SELECT carrier, source, file, reader, state FROM carrier WHERE (?1 IS NULL OR source = ?1)"
            " AND carrier IN (SELECT carrier FROM record WHERE status IN ('live', 'suppressed'))"
            " ORDER BY source, file, carrier",
            (source,),
        ).fetchall()

    def originals(self, carrier: int) -> Iterator[bytes]:
        """Yield the original bytes of the records of an examined file, suppressed or not, in their order there."""
        rows = self._connection.execute(
            "SELECT body FROM record WHERE carrier = ? AND status IN ('live', 'suppressed') ORDER BY position, ordinal",
            (carrier,),
        )
        for (body,) in rows:
            yield unpack_original(self._blobs.decompress(body))

    def made_by(self) -> Iterator[tuple[int, bytes]]:
        """Yield ordinal and ``made_by`` of the live records of publications, by ordinal."""
        yield from self._connection.execute(
            f"SELECT ordinal, made_by FROM record WHERE {IS_PUBLICATION} ORDER BY ordinal"
        )

    def fingerprints(self, ordinals: Iterable[int] | None = None) -> Iterator[tuple[int, bytes, str]]:
        """Yield ordinal, fingerprint and source of all live records of publications, or of those among some.

        They are in the order of ordinals, or of those given.
        """
        query = f"SELECT ordinal, made_by, source FROM record JOIN carrier USING (carrier) WHERE {IS_PUBLICATION}"
        rows: Iterable[sqlite3.Cursor]
        if ordinals is None:
            rows = [self._connection.execute(f"{query} ORDER BY ordinal")]
        else:
            rows = (self._connection.execute(f"{query} AND ordinal = ?", (ordinal,)) for ordinal in ordinals)
        for ordinal, made_by, source in chain.from_iterable(rows):
            yield ordinal, self._suppressions.fingerprint(ordinal, made_by), source

    def fingerprint(self, ordinal: int) -> bytes:
        """Return a hash of what the MODS of one record depend on; raises ``KeyError``."""
        row = self._connection.execute("SELECT made_by FROM record WHERE ordinal = ?", (ordinal,)).fetchone()
        if row is None:
            raise KeyError(ordinal)
        return self._suppressions.fingerprint(ordinal, row[0])

    def deleted_in_queue(self) -> list[int]:
        """Return the unmatched records that are not live, ascending."""
        rows = self._connection.execute(
            "SELECT item FROM dirty_queue JOIN record ON ordinal = item WHERE queue = ? AND status <> 'live'"
            " ORDER BY item",
            (Queue.UNMATCHED_RECORDS,),
        )
        return [ordinal for (ordinal,) in rows]

    def is_live(self, ordinal: int) -> bool:
        """Return whether the record exists and is live."""
        row = self._connection.execute("SELECT status FROM record WHERE ordinal = ?", (ordinal,)).fetchone()
        return row is not None and row[0] == RecordStatus.LIVE

    def count(self) -> int:
        """Return the number of live records of publications."""
        return int(self._connection.execute(f"SELECT count(*) FROM record WHERE {IS_PUBLICATION}").fetchone()[0])

    def count_by_source(self) -> dict[str, int]:
        """Return the number of live records of each source."""
        rows = self._connection.execute(
            "SELECT source, count(*) FROM record JOIN carrier USING (carrier) WHERE status = 'live' GROUP BY source"
        )
        return dict(rows.fetchall())

    def load_counts(self) -> list[LoadCounts]:
        """Return the counts of the last complete reading of each source."""
        rows = self._connection.execute(
            "SELECT source, read, converted, superseded, rejected, deleted FROM load ORDER BY source"
        )
        return [LoadCounts(*row) for row in rows]

    def rejects(self, source: str | None = None) -> Iterator[Reject]:
        """Yield the rejects of one source, or of all, in the order of the files."""
        rows = self._connection.execute(
            "SELECT source, file, position, byte_offset, control_number, kind, reason, original FROM reject"
            " WHERE ?1 IS NULL OR source = ?1 ORDER BY reject",
            (source,),
        )
        for file_source, file, position, offset, control_number, kind, reason, original in rows:
            origin = Origin(file_source, file, position, offset)
            yield Reject(origin, control_number, kind, reason, self._blobs.decompress(original))

    def warnings(self, ordinal: int) -> list[str]:
        """Return what had to be repaired in one record."""
        rows = self._connection.execute("SELECT text FROM warning WHERE ordinal = ? ORDER BY rowid", (ordinal,))
        return [text for (text,) in rows]

    def private_subfields(self, ordinal: int) -> frozenset[str]:
        """Return the subfields of one record that are stored but not published."""
        return frozenset(name for name, fate in self.subfields_beside_mods(ordinal) if fate == "private")

    def subfields_beside_mods(self, ordinal: int) -> list[tuple[str, str]]:
        """Return name and fate (unmapped or private) of the subfields of one record that are not in its MODS."""
        row = self._connection.execute("SELECT coverage FROM record WHERE ordinal = ?", (ordinal,)).fetchone()
        return self._subfields.decode(row[0]) if row is not None else []

    def coverage(self) -> list[tuple[str, str, str, int]]:
        """Return flavour, subfield, fate (unmapped or private) and number of occurrences, the most frequent first."""
        rows = self._connection.execute("SELECT flavour, coverage FROM record WHERE status = 'live'")
        return sorted(self._subfields.sums(rows), key=lambda one: (-one[3], *one[:3]))

    def charsets(self) -> list[tuple[str, str, str, bytes]]:
        """Return source, file, reader and state of every examined file that has records."""
        return self._connection.execute(
            "SELECT source, file, reader, state FROM carrier"
            " WHERE carrier IN (SELECT carrier FROM record) ORDER BY source, file"
        ).fetchall()
