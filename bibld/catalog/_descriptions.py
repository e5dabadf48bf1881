"""What merge and triplify make of clusters: merged descriptions, and the quads that each cluster owns."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

import msgspec

from bibld.catalog._linkage import LinkageTables
from bibld.catalog._quads import QuadTable
from bibld.catalog._records import Records
from bibld.catalog.compression import Blobs
from bibld.model.linkage import Merged, ValueSource
from bibld.model.mods import Mods
from bibld.model.origin import RecordId

_ENCODER = msgspec.json.Encoder()
_MODS = msgspec.json.Decoder(Mods)
_SOURCES = msgspec.json.Decoder(tuple[ValueSource, ...])

DescriptionRow = tuple[int, bytes, bytes, str]
"""Founder, compressed description, compressed sources of its values, and the hash of what it was made from."""

StatementRow = tuple[int, bytes, str]
"""Founder, compressed quads, and the hash of what they were made from."""

DependencyRow = tuple[str, str, int, bool]
"""Source and control number of a record, the founder whose quads depend on its existence, and whether it existed."""


class Descriptions:
    """The table of merged descriptions. Nothing is committed here; the catalog does that."""

    def __init__(self, connection: sqlite3.Connection, blobs: Blobs, records: Records, linkage: LinkageTables) -> None:
        self._connection = connection
        self._blobs = blobs
        self._records = records
        self._linkage = linkage

    def made_by(self, founder: int) -> str | None:
        """Return the hash of what the stored description of a cluster was made from; None if there is none."""
        row = self._connection.execute("SELECT made_by FROM merged WHERE founder = ?", (founder,)).fetchone()
        return row[0] if row else None

    def row(self, founder: int, merged: Merged, made_by: str) -> DescriptionRow:
        """Return the row to store of a cluster of two or more records."""
        mods = self._blobs.compress("record", _ENCODER.encode(merged.mods))
        sources = self._blobs.compress("sources", _ENCODER.encode(merged.sources))
        return founder, mods, sources, made_by

    def put(self, rows: Iterable[DescriptionRow]) -> None:
        """Store rows, in place of those of the same clusters."""
        self._connection.executemany("INSERT OR REPLACE INTO merged VALUES (?, ?, ?, ?)", rows)

    def drop(self, founders: Iterable[int]) -> None:
        """Delete the descriptions of clusters that do not exist any more, or have one record."""
        self._connection.executemany("DELETE FROM merged WHERE founder = ?", ((founder,) for founder in founders))

    def merged(self, founder: int, members: Sequence[int] = ()) -> Merged:
        """Return the description of a cluster; that of a single record is the record's own, without sources.

        ``members`` are the ordinals of its members, if they are known.
        """
        cluster = self._linkage.cluster(founder, members)
        if len(cluster.members) == 1:
            return Merged(cluster, self._records.mods(founder), ())
        row = self._connection.execute("SELECT mods, sources FROM merged WHERE founder = ?", (founder,)).fetchone()
        if row is None:
            return Merged(cluster, self._records.mods(founder), ())
        mods, sources = (self._blobs.decompress(blob) for blob in row)
        return Merged(cluster, _MODS.decode(mods), _SOURCES.decode(sources))


class StatementTables(QuadTable):
    """The tables of statements and existence dependencies. Nothing is committed here; the catalog does that."""

    table = "statement"
    owner = order = "founder"
    kind = "quads"

    def made_by(self, founder: int) -> str | None:
        """Return the hash of what the stored quads of a cluster were made from; None if there are none."""
        row = self._connection.execute("SELECT made_by FROM statement WHERE founder = ?", (founder,)).fetchone()
        return row[0] if row else None

    def row(self, founder: int, quads: bytes, made_by: str) -> StatementRow:
        """Return the row to store of the quads of a cluster."""
        return founder, self._blobs.compress("quads", quads), made_by

    def put(self, rows: Sequence[StatementRow], dependencies: Iterable[DependencyRow]) -> None:
        """Store the quads of clusters, and the records whose existence they depend on.

        The quads point to entities as the records do, until ``set_moved`` is called.
        """
        self._drop_dependencies(founder for founder, _, _ in rows)
        self._connection.executemany("INSERT OR REPLACE INTO statement VALUES (?, ?, ?, NULL)", rows)
        self._connection.executemany("INSERT INTO existence_dependency VALUES (?, ?, ?, ?)", dependencies)

    def drop(self, founders: Sequence[int]) -> None:
        """Delete the quads and dependencies of clusters."""
        self._connection.executemany("DELETE FROM statement WHERE founder = ?", ((founder,) for founder in founders))
        self._drop_dependencies(founders)

    def _drop_dependencies(self, founders: Iterable[int]) -> None:
        self._connection.executemany(
            "DELETE FROM existence_dependency WHERE founder = ?", ((founder,) for founder in founders)
        )

    def existence_dependencies(self, founder: int) -> list[tuple[RecordId, bool]]:
        """Return the records whose existence the quads of a cluster depend on, and whether they did exist."""
        rows = self._connection.execute(
            "SELECT source, control_number, existed FROM existence_dependency WHERE founder = ?"
            " ORDER BY source, control_number",
            (founder,),
        )
        return [(RecordId(source, number), bool(existed)) for source, number, existed in rows]

    def dependents(self, record: RecordId, exists: bool) -> list[int]:
        """Return the founders of the clusters whose quads depend on a record and were made when this was different.

        ``exists``: whether the record exists now.
        """
        rows = self._connection.execute(
            "SELECT founder FROM existence_dependency WHERE source = ? AND control_number = ? AND existed <> ?"
            " ORDER BY founder",
            (record.source, record.control_number, exists),
        )
        return [founder for (founder,) in rows]
