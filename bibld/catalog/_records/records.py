"""Source records, their rejects and their counts."""

from __future__ import annotations

import sqlite3
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import chain

import msgspec

from bibld.catalog._pending import Pending
from bibld.catalog._records.compression import Blobs
from bibld.catalog._records.coverage import Subfields
from bibld.catalog._records.loads import LoadCounts, NewRecord, Reject, Superseded
from bibld.catalog._records.packing import mods_in, original_in, packed
from bibld.catalog._register.register import Register
from bibld.catalog._register.suppressions import BY_SUPPRESSION, Suppressions
from bibld.errors import RecordError
from bibld.model.mods import Mods
from bibld.model.origin import Origin
from bibld.protocols import SourceRecord

BY_STATUS = 1
"""In ``record.deleted``: the record itself says that it is deleted (leader/05)."""

BY_ABSENCE = 2
"""In ``record.deleted``: it was missing from a complete load, or stood in a list of deletions."""

_ASKED_AT_ONCE = 500
"""Ordinals in one question to the database, which takes 32,766 at most."""

_MODS = msgspec.json.Decoder(Mods)


class Records:
    """The tables of records and rejects. Nothing is committed here; the catalog does that.

    A record that is new, changed, deleted or restored is pending for dedup.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        blobs: Blobs,
        register: Register,
        pending: Pending,
        suppressions: Suppressions,
    ) -> None:
        self._connection = connection
        self._blobs = blobs
        self._register = register
        self._pending = pending
        self._suppressions = suppressions
        self._subfields = Subfields(connection)

    # -- writing -----------------------------------------------------------------------------------------------------

    def add_carrier(self, source: str, file: str, reader: str, state: bytes) -> int:
        """The number of an examined file; the same for the same state."""
        key = (source, file, reader, state)
        self._connection.execute("INSERT OR IGNORE INTO carrier (source, file, reader, state) VALUES (?, ?, ?, ?)", key)
        row = self._connection.execute(
            "SELECT carrier FROM carrier WHERE source = ? AND file = ? AND reader = ? AND state = ?", key
        ).fetchone()
        return int(row[0])

    def begin_load(self, source: str) -> None:
        """Forget the rejects of the last reading of a source."""
        self._connection.execute("DELETE FROM reject WHERE source = ?", (source,))

    def find_unchanged(self, made_by: bytes) -> tuple[int, int, bool] | None:
        """The stored record that comes from the same bytes in the same way: its ordinal, the run that saw it last, and
        whether its own status says that it is deleted."""
        row = self._connection.execute(
            "SELECT ordinal, run, deleted FROM record WHERE made_by = ?", (made_by,)
        ).fetchone()
        return (row[0], row[1], row[2] == BY_STATUS) if row else None

    def mark_seen(self, ordinal: int, position: int, offset: int, carrier: int, run: int) -> None:
        """Note that a run saw an unchanged record, and where; one that had gone missing lives again."""
        self._connection.execute(
            "UPDATE record SET run = ?, position = ?, byte_offset = ?, carrier = ? WHERE ordinal = ?",
            (run, position, offset, carrier, ordinal),
        )
        state = self._suppressions.state(ordinal)
        restored = self._connection.execute(
            "UPDATE record SET deleted = ? WHERE ordinal = ? AND deleted = ?", (state, ordinal, BY_ABSENCE)
        )
        if restored.rowcount and not state:
            self._pending.add("dedup", [ordinal])

    def put(self, records: Sequence[NewRecord], run: int) -> Superseded:
        """Store records, later ones over earlier ones with the same id."""
        if not records:
            return Superseded(0, 0)
        ordinals = self._register.assign_ordinals([record.id for record in records])
        held = self._held(ordinals)
        living = deleted = 0
        seen = {ordinal: was_deleted for ordinal, (was_run, was_deleted) in held.items() if was_run == run}
        for ordinal, record in zip(ordinals, records, strict=True):
            if ordinal in seen:
                living += not seen[ordinal]
                deleted += seen[ordinal]
            seen[ordinal] = record.deleted
        last = dict(zip(ordinals, records, strict=True))
        self._forget_warnings(held)
        self._put_last(last, run)
        self._pending.add("dedup", sorted(last))
        return Superseded(living, deleted)

    def _held(self, ordinals: Sequence[int]) -> dict[int, tuple[int, bool]]:
        """The run that saw each of some stored records last, and whether its status said that it was deleted."""
        found: dict[int, tuple[int, bool]] = {}
        for start in range(0, len(ordinals), _ASKED_AT_ONCE):
            some = ordinals[start : start + _ASKED_AT_ONCE]
            rows = self._connection.execute(
                f"SELECT ordinal, run, deleted FROM record WHERE ordinal IN ({','.join('?' * len(some))})", some
            )
            found.update((ordinal, (run, deleted == BY_STATUS)) for ordinal, run, deleted in rows)
        return found

    def _forget_warnings(self, ordinals: Iterable[int]) -> None:
        self._connection.executemany("DELETE FROM warning WHERE ordinal = ?", ((ordinal,) for ordinal in ordinals))

    def _put_last(self, records: Mapping[int, NewRecord], run: int) -> None:
        """Store records under their ordinals."""
        self._subfields.refresh()
        pieces = [packed(record.mods, record.original) for record in records.values()]
        bodies = self._blobs.compressed_all("record", next(iter(records.values())).carrier, pieces)
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
                    BY_STATUS if record.deleted else self._suppressions.state(ordinal),
                    self._subfields.written(record.unmapped, record.private),
                    body,
                )
                for (ordinal, record), body in zip(records.items(), bodies, strict=True)
            ),
        )
        self._connection.executemany(
            "INSERT INTO warning VALUES (?, ?)",
            ((ordinal, text) for ordinal, record in records.items() for text in record.warnings),
        )

    def put_rejects(self, errors: Sequence[RecordError]) -> None:
        """Keep pieces that became no record."""
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
                    self._blobs.compressed("record", error.original),
                )
                for error in errors
            ],
        )

    def delete(self, ordinal: int, run: int) -> bool:
        """Mark a record as deleted; whether it lived until now."""
        cursor = self._connection.execute(
            "UPDATE record SET deleted = ?, run = ? WHERE ordinal = ? AND deleted = 0", (BY_ABSENCE, run, ordinal)
        )
        if cursor.rowcount:
            self._pending.add("dedup", [ordinal])
            return True
        self._connection.execute(
            "UPDATE record SET deleted = ?, run = ? WHERE ordinal = ? AND deleted = ?",
            (BY_ABSENCE, run, ordinal, BY_SUPPRESSION),
        )
        return False

    def delete_unseen(self, source: str, run: int, spared: Container[int] = ()) -> int:
        """Mark the living records of a source as deleted that this run did not see; gives their number."""
        rows = self._connection.execute(
            "SELECT record.ordinal FROM record JOIN carrier USING (carrier)"
            " WHERE source = ? AND run <> ? AND deleted IN (0, ?)",
            (source, run, BY_SUPPRESSION),
        ).fetchall()
        return sum(self.delete(ordinal, run) for (ordinal,) in rows if ordinal not in spared)

    def delete_source(self, source: str, run: int) -> int:
        """Mark all records of a source as deleted, and forget its rejects and counts; gives the number of records."""
        gone = self.delete_unseen(source, run)
        self._connection.execute("DELETE FROM reject WHERE source = ?", (source,))
        self._connection.execute("DELETE FROM load WHERE source = ?", (source,))
        return gone

    def end_load(self, counts: LoadCounts, run: int) -> None:
        """Keep the counts of a complete reading."""
        self._connection.execute(
            "INSERT OR REPLACE INTO load VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                counts.source,
                run,
                counts.read,
                counts.converted,
                counts.superseded,
                counts.rejected,
                counts.deleted,
            ),
        )

    # -- reading -----------------------------------------------------------------------------------------------------

    def get(self, ordinal: int) -> SourceRecord | None:
        """One record, living or deleted."""
        row = self._connection.execute(
            "SELECT carrier.source, carrier.file, position, byte_offset, reader, state, flavour, deleted, body"
            " FROM record JOIN carrier USING (carrier) WHERE ordinal = ?",
            (ordinal,),
        ).fetchone()
        if row is None:
            return None
        source, file, position, offset, reader, state, flavour, deleted, body = row
        piece = self._blobs.decompressed(body)
        return SourceRecord(
            id=self._register.record(ordinal),
            ordinal=ordinal,
            origin=Origin(source, file, position, offset),
            original=original_in(piece),
            reader=reader,
            carrier=state,
            flavour=flavour,
            mods=self._suppressions.public_mods(ordinal, _MODS.decode(mods_in(piece))),
            deleted=bool(deleted),
        )

    def mods(self, ordinal: int) -> Mods:
        """The MODS of one record; raises ``KeyError``."""
        row = self._connection.execute("SELECT body FROM record WHERE ordinal = ?", (ordinal,)).fetchone()
        if row is None:
            raise KeyError(ordinal)
        return self._suppressions.public_mods(ordinal, self._decoded(row[0]))

    def live(self) -> Iterator[tuple[int, str, Mods]]:
        """Ordinal, source and MODS of the living records, by ordinal."""
        rows = self._connection.execute(
            "SELECT ordinal, source, body FROM record JOIN carrier USING (carrier) WHERE deleted = 0 ORDER BY ordinal"
        )
        for ordinal, source, body in rows:
            yield ordinal, source, self._suppressions.public_mods(ordinal, self._decoded(body))

    def stored(self) -> Iterator[tuple[int, str, Mods]]:
        """The same of all records that their sources have, with what must not be published."""
        rows = self._connection.execute(
            "SELECT ordinal, source, body FROM record JOIN carrier USING (carrier) WHERE deleted IN (0, ?)"
            " ORDER BY ordinal",
            (BY_SUPPRESSION,),
        )
        for ordinal, source, body in rows:
            yield ordinal, source, self._decoded(body)

    def unredacted_mods(self, ordinal: int) -> Mods | None:
        """The MODS of one record with what must not be published."""
        row = self._connection.execute("SELECT body FROM record WHERE ordinal = ?", (ordinal,)).fetchone()
        return self._decoded(row[0]) if row else None

    def carriers(self, source: str | None = None) -> list[tuple[int, str, str, str, bytes]]:
        """Number, source, file, reader and state of the examined files, of one source or of all, that a record comes
        from that the source has."""
        return self._connection.execute(
            "SELECT carrier, source, file, reader, state FROM carrier WHERE (?1 IS NULL OR source = ?1)"
            " AND carrier IN (SELECT carrier FROM record WHERE deleted IN (0, ?2)) ORDER BY source, file, carrier",
            (source, BY_SUPPRESSION),
        ).fetchall()

    def originals(self, carrier: int) -> Iterator[bytes]:
        """The original bytes of the records of an examined file, suppressed or not, in their order there."""
        rows = self._connection.execute(
            "SELECT body FROM record WHERE carrier = ? AND deleted IN (0, ?) ORDER BY position, ordinal",
            (carrier, BY_SUPPRESSION),
        )
        for (body,) in rows:
            yield original_in(self._blobs.decompressed(body))

    def made_by(self) -> Iterator[tuple[int, bytes]]:
        """Ordinal and hash of the living records, by ordinal."""
        yield from self._connection.execute("SELECT ordinal, made_by FROM record WHERE deleted = 0 ORDER BY ordinal")

    def fingerprints(self, ordinals: Iterable[int] | None = None) -> Iterator[tuple[int, bytes, str]]:
        """Ordinal, hash and source of the living records, or of the living ones among some, in their order."""
        columns = "SELECT ordinal, made_by, source FROM record JOIN carrier USING (carrier) WHERE deleted = 0"
        asked: Iterable[sqlite3.Cursor]
        if ordinals is None:
            asked = [self._connection.execute(f"{columns} ORDER BY ordinal")]
        else:
            asked = (self._connection.execute(f"{columns} AND ordinal = ?", (ordinal,)) for ordinal in ordinals)
        for ordinal, made_by, source in chain.from_iterable(asked):
            yield ordinal, self._suppressions.fingerprint(ordinal, made_by), source

    def fingerprint(self, ordinal: int) -> bytes:
        """What made one record; raises ``KeyError``."""
        row = self._connection.execute("SELECT made_by FROM record WHERE ordinal = ?", (ordinal,)).fetchone()
        if row is None:
            raise KeyError(ordinal)
        return self._suppressions.fingerprint(ordinal, row[0])

    def deleted_in_queue(self) -> list[int]:
        """The deleted among the records that are pending for dedup, ascending."""
        rows = self._connection.execute(
            "SELECT item FROM pending JOIN record ON ordinal = item WHERE stage = 'dedup' AND deleted <> 0"
            " ORDER BY item"
        )
        return [ordinal for (ordinal,) in rows]

    def is_live(self, ordinal: int) -> bool:
        """Whether the record is there and not deleted."""
        row = self._connection.execute("SELECT deleted FROM record WHERE ordinal = ?", (ordinal,)).fetchone()
        return row is not None and not row[0]

    def count(self) -> int:
        """The number of living records."""
        return int(self._connection.execute("SELECT count(*) FROM record WHERE deleted = 0").fetchone()[0])

    def count_by_source(self) -> dict[str, int]:
        """The number of living records of each source."""
        rows = self._connection.execute(
            "SELECT source, count(*) FROM record JOIN carrier USING (carrier) WHERE deleted = 0 GROUP BY source"
        )
        return dict(rows.fetchall())

    def load_counts(self) -> list[LoadCounts]:
        """The counts of the last complete reading of each source."""
        rows = self._connection.execute(
            "SELECT source, read, converted, superseded, rejected, deleted FROM load ORDER BY source"
        )
        return [LoadCounts(*row) for row in rows]

    def rejects(self, source: str | None = None) -> Iterator[Reject]:
        """The rejects of one source, or of all, in the order of the files."""
        rows = self._connection.execute(
            "SELECT source, file, position, byte_offset, control_number, kind, reason, original FROM reject"
            " WHERE ? IS NULL OR source = ? ORDER BY reject",
            (source, source),
        )
        for origin_source, file, position, offset, control_number, kind, reason, original in rows:
            origin = Origin(origin_source, file, position, offset)
            yield Reject(origin, control_number, kind, reason, self._blobs.decompressed(original))

    def warnings(self, ordinal: int) -> list[str]:
        """What had to be repaired in one record."""
        rows = self._connection.execute("SELECT text FROM warning WHERE ordinal = ? ORDER BY rowid", (ordinal,))
        return [text for (text,) in rows]

    def private_subfields(self, ordinal: int) -> frozenset[str]:
        """The subfields of one record that are kept but not published."""
        row = self._connection.execute("SELECT coverage FROM record WHERE ordinal = ?", (ordinal,)).fetchone()
        if row is None:
            return frozenset()
        return frozenset(name for name, fate in self._subfields.read(row[0]) if fate == "private")

    def coverage(self) -> list[tuple[str, str, str, int]]:
        """Flavour, subfield, fate (unmapped or private) and number of occurrences, the most frequent first."""
        rows = self._connection.execute("SELECT flavour, coverage FROM record WHERE deleted = 0")
        return sorted(self._subfields.sums(rows), key=lambda one: (-one[3], *one[:3]))

    def charsets(self) -> list[tuple[str, str, str, bytes]]:
        """Source, file, reader and state of every examined file that has records."""
        return self._connection.execute(
            "SELECT source, file, reader, state FROM carrier"
            " WHERE carrier IN (SELECT carrier FROM record) ORDER BY source, file"
        ).fetchall()

    def _decoded(self, body: bytes) -> Mods:
        return _MODS.decode(mods_in(self._blobs.decompressed(body)))
