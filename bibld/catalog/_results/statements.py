"""The quads that each cluster owns, and the records that were looked for to make them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence

from bibld.catalog._records.compression import Blobs
from bibld.model.origin import RecordId


class Statements:
    """The tables of statements and of sought records. Nothing is committed here; the catalog does that."""

    def __init__(self, connection: sqlite3.Connection, blobs: Blobs) -> None:
        self._connection = connection
        self._blobs = blobs

    def made_by(self, founder: int) -> str | None:
        """What made the stored statements of a cluster."""
        row = self._connection.execute("SELECT made_by FROM statement WHERE founder = ?", (founder,)).fetchone()
        return row[0] if row else None

    def quads(self, founder: int) -> bytes:
        """The stored quads of a cluster as N-Quads; none for one that has no statements."""
        row = self._connection.execute("SELECT quads FROM statement WHERE founder = ?", (founder,)).fetchone()
        return self._blobs.decompressed(row[0]) if row else b""

    def all_quads(self) -> Iterator[bytes]:
        """The quads of each cluster, by founder."""
        for (quads,) in self._connection.execute("SELECT quads FROM statement ORDER BY founder"):
            yield self._blobs.decompressed(quads)

    def founders(self) -> Iterator[int]:
        """The clusters that have statements, ascending."""
        for (founder,) in self._connection.execute("SELECT founder FROM statement ORDER BY founder"):
            yield founder

    def train_dictionary(self, samples: Sequence[bytes]) -> None:
        """Learn from the quads of some clusters how to keep those of all others small."""
        self._blobs.learn("quads", samples)

    def put(self, founder: int, quads: bytes, sought: Iterable[tuple[RecordId, bool]], made_by: str) -> None:
        """Store the quads of a cluster, and which records were sought for them: did they exist?"""
        blob = self._blobs.compressed("quads", quads)
        self._connection.execute("INSERT OR REPLACE INTO statement VALUES (?, ?, ?)", (founder, blob, made_by))
        self._connection.execute("DELETE FROM sought WHERE founder = ?", (founder,))
        self._connection.executemany(
            "INSERT INTO sought VALUES (?, ?, ?, ?)",
            [(record.source, record.control_number, founder, existed) for record, existed in sought],
        )

    def drop(self, founder: int) -> None:
        """Forget what was said about a cluster."""
        self._connection.execute("DELETE FROM statement WHERE founder = ?", (founder,))
        self._connection.execute("DELETE FROM sought WHERE founder = ?", (founder,))

    def existence_dependencies(self, founder: int) -> list[tuple[RecordId, bool]]:
        """The records that were sought for the statements of a cluster, and whether they did exist."""
        rows = self._connection.execute(
            "SELECT source, control_number, existed FROM sought WHERE founder = ? ORDER BY source, control_number",
            (founder,),
        )
        return [(RecordId(source, number), bool(existed)) for source, number, existed in rows]

    def dependents(self, record: RecordId, exists: bool) -> list[int]:
        """The founders for whose statements this record did not exist, as it does now (``exists``), or did."""
        rows = self._connection.execute(
            "SELECT founder FROM sought WHERE source = ? AND control_number = ? AND existed <> ? ORDER BY founder",
            (record.source, record.control_number, exists),
        )
        return [founder for (founder,) in rows]
