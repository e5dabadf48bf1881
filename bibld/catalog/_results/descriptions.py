"""Merged descriptions of clusters."""

from __future__ import annotations

import sqlite3

import msgspec

from bibld.catalog._records.compression import Blobs
from bibld.catalog._records.records import Records
from bibld.catalog._results.linkage import Linkage
from bibld.model.linkage import Merged, ValueSource
from bibld.model.mods import Mods

_ENCODER = msgspec.json.Encoder()
_MODS = msgspec.json.Decoder(Mods)
_SOURCES = msgspec.json.Decoder(tuple[ValueSource, ...])


class Descriptions:
    """The table of merged descriptions. Nothing is committed here; the catalog does that."""

    def __init__(self, connection: sqlite3.Connection, blobs: Blobs, records: Records, linkage: Linkage) -> None:
        self._connection = connection
        self._blobs = blobs
        self._records = records
        self._linkage = linkage

    def made_by(self, founder: int) -> str | None:
        """What made the stored description of a cluster of two and more."""
        row = self._connection.execute("SELECT made_by FROM merged WHERE founder = ?", (founder,)).fetchone()
        return row[0] if row else None

    def put(self, founder: int, merged: Merged, made_by: str) -> None:
        """Store the description of a cluster of two and more."""
        self._connection.execute(
            "INSERT OR REPLACE INTO merged VALUES (?, ?, ?, ?)",
            (
                founder,
                self._blobs.compressed("record", _ENCODER.encode(merged.mods)),
                self._blobs.compressed("sources", _ENCODER.encode(merged.sources)),
                made_by,
            ),
        )

    def drop(self, founder: int) -> None:
        """Forget the description of a cluster that is no more."""
        self._connection.execute("DELETE FROM merged WHERE founder = ?", (founder,))

    def merged(self, founder: int) -> Merged:
        """The description of a cluster; that of a single record is the record's own, with no sources to tell apart."""
        cluster = self._linkage.cluster(founder)
        row = self._connection.execute("SELECT mods, sources FROM merged WHERE founder = ?", (founder,)).fetchone()
        if row is None:
            return Merged(cluster, self._records.mods(founder), ())
        mods, sources = (self._blobs.decompressed(blob) for blob in row)
        return Merged(cluster, _MODS.decode(mods), _SOURCES.decode(sources))
