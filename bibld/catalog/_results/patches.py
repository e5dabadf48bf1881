"""What changed in the quads, until the live store and the last release have it.

A patch says for each line how many owners it gained or lost: while a run is under way, a line that moves from one
cluster to another has two owners for a time, or none. Between two moments at which everything was worked off the sum is
1, 0 or -1 (``net``), since then each line has one owner at most.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec

from bibld.catalog._records.compression import Blobs
from bibld.catalog._results.net import Net


class Delivery(msgspec.Struct, frozen=True):
    """How far a consumer has the patches.

    It has them up to ``patch`` and is being brought to ``goal`` (the same when nothing is under way); ``quads`` is the
    number of quads that it holds, ``made_by`` what made it.
    """

    patch: int
    goal: int
    quads: int
    made_by: str


class Patches:
    """The tables of patches and deliveries. Nothing is committed here; the catalog does that."""

    def __init__(self, connection: sqlite3.Connection, blobs: Blobs) -> None:
        self._connection = connection
        self._blobs = blobs

    def are_awaited(self) -> bool:
        """Whether anybody has quads that patches would bring up to date."""
        return self._connection.execute("SELECT 1 FROM delivery LIMIT 1").fetchone() is not None

    def add(self, change: Mapping[bytes, int]) -> None:
        """Note by how much the number of owners of each line (without its line end) has changed."""
        added = b"".join(b"%s\n" % line * number for line, number in sorted(change.items()) if number > 0)
        removed = b"".join(b"%s\n" % line * -number for line, number in sorted(change.items()) if number < 0)
        if added or removed:
            blobs = [self._blobs.compressed("quads", lines) for lines in (added, removed)]
            self._connection.execute("INSERT INTO patch (added, removed) VALUES (?, ?)", blobs)

    def last(self) -> int:
        """The number of the last patch; 0 before the first."""
        row = self._connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'patch'").fetchone()
        return row[0] if row else 0

    @contextmanager
    def net(self, after: int, upto: int, folder: Path) -> Iterator[Net]:
        """What the patches after one and up to another come to. Lines that do not fit in memory wait in a file in
        ``folder``."""
        with Net(folder) as net:
            rows = self._connection.execute(
                "SELECT added, removed FROM patch WHERE patch > ? AND patch <= ? ORDER BY patch", (after, upto)
            )
            for added, removed in rows:
                net.add(self._blobs.decompressed(added), 1)
                net.add(self._blobs.decompressed(removed), -1)
            yield net

    def delivery(self, consumer: str) -> Delivery | None:
        """How far a consumer has the patches; None for one that has nothing."""
        row = self._connection.execute(
            "SELECT patch, goal, quads, made_by FROM delivery WHERE consumer = ?", (consumer,)
        ).fetchone()
        return Delivery(*row) if row else None

    def begin(self, consumer: str, goal: int) -> None:
        """Note that a consumer is being brought to a patch: if that is stopped, exactly this has to be ended first."""
        self._connection.execute("UPDATE delivery SET goal = ? WHERE consumer = ?", (goal, consumer))

    def delivered(self, consumer: str, patch: int, quads: int, made_by: str) -> None:
        """Note that a consumer has all patches up to one; those that everybody has are dropped."""
        self._connection.execute(
            "INSERT OR REPLACE INTO delivery VALUES (?, ?, ?, ?, ?)", (consumer, patch, patch, quads, made_by)
        )
        self._connection.execute("DELETE FROM patch WHERE patch <= (SELECT min(patch) FROM delivery)")
