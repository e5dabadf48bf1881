"""Changes of the quads, until the live store, the last release and remote stores have them.

A patch states for each line how many owners it gained or lost: during a run, a line that moves from one cluster to
another has two owners for a time, or none. Between two moments at which all queues are empty the sum is 1, 0 or -1
(``net``), because then each line has one owner at most.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from heapq import merge
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import BinaryIO

import msgspec

from bibld.catalog.compression import Blobs

_LINES_IN_MEMORY = 500_000
_LINE = itemgetter(0)


class Delivery(msgspec.Struct, frozen=True):
    """How many of the patches a consumer has.

    It has the patches up to ``patch`` and is being brought to ``goal`` (the same if nothing is being applied);
    ``quads`` is the number of its quads, ``made_by`` a hash of what they were made from.
    """

    patch: int
    goal: int
    quads: int
    made_by: str


class Net(AbstractContextManager["Net"]):
    """Sums how often lines were added and removed, and yields those whose sum is not 0, in their order.

    What does not fit in memory is kept in sorted runs in temporary files, which are merged.
    """

    def __init__(self, folder: Path, lines_in_memory: int = _LINES_IN_MEMORY) -> None:
        self._folder = folder
        self._lines_in_memory = lines_in_memory
        self._sums: dict[bytes, int] = {}
        self._runs: list[BinaryIO] = []
        self.mentioned = 0
        """The number of lines in the patches, each as often as it occurs."""

    def __exit__(self, *failure: object) -> None:
        for run in self._runs:
            run.close()

    def add(self, lines: bytes, number: int) -> None:
        """Count every line of N-Quads ``number`` times."""
        sums = self._sums
        for line in lines.splitlines():
            self.mentioned += 1
            sums[line] = sums.get(line, 0) + number
        if len(sums) > self._lines_in_memory:
            run = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115 - closed with all others
            self._runs.append(run)
            run.writelines(b"%s\t%d\n" % (line, number) for line, number in sorted(sums.items()) if number)
            sums.clear()

    def lines(self) -> Iterator[tuple[bytes, bool]]:
        """Yield the lines, sorted, that were added more often than removed (True) or vice versa (False).

        Can be iterated more than once, one after the other.
        """
        sums = sorted(item for item in self._sums.items() if item[1])
        for line, group in groupby(merge(*map(_read, self._runs), sums, key=_LINE), key=_LINE):
            if number := sum(count for _, count in group):
                yield line, number > 0


def _read(run: BinaryIO) -> Iterator[tuple[bytes, int]]:
    run.seek(0)
    for row in run:
        line, _, number = row.rpartition(b"\t")
        yield line, int(number)


class Patches:
    """The tables of patches and deliveries. Nothing is committed here; the catalog does that."""

    def __init__(self, connection: sqlite3.Connection, blobs: Blobs) -> None:
        self._connection = connection
        self._blobs = blobs

    def are_awaited(self) -> bool:
        """Return whether any consumer has quads that patches would bring up to date."""
        return self._connection.execute("SELECT 1 FROM delivery LIMIT 1").fetchone() is not None

    def add(self, change: Mapping[bytes, int]) -> None:
        """Store by how much the number of owners of each line (without its line end) has changed."""
        added = b"".join(b"%s\n" % line * number for line, number in sorted(change.items()) if number > 0)
        removed = b"".join(b"%s\n" % line * -number for line, number in sorted(change.items()) if number < 0)
        if added or removed:
            blobs = [self._blobs.compress("quads", lines) for lines in (added, removed)]
            self._connection.execute("INSERT INTO patch (added, removed) VALUES (?, ?)", blobs)

    def last(self) -> int:
        """Return the number of the last patch; 0 before the first."""
        row = self._connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'patch'").fetchone()
        return row[0] if row else 0

    @contextmanager
    def net(self, after: int, upto: int, folder: Path) -> Iterator[Net]:
        """Sum the patches after one and up to another. Lines that do not fit in memory are stored in ``folder``."""
        with Net(folder) as net:
            rows = self._connection.execute(
                "SELECT added, removed FROM patch WHERE patch > ? AND patch <= ? ORDER BY patch", (after, upto)
            )
            for added, removed in rows:
                net.add(self._blobs.decompress(added), 1)
                net.add(self._blobs.decompress(removed), -1)
            yield net

    def delivery(self, consumer: str) -> Delivery | None:
        """Return which patches a consumer has; None if it has no quads at all."""
        row = self._connection.execute(
            "SELECT patch, goal, quads, made_by FROM delivery WHERE consumer = ?", (consumer,)
        ).fetchone()
        return Delivery(*row) if row else None

    def begin(self, consumer: str, goal: int) -> None:
        """Note that a consumer is being brought to a patch; if that is interrupted, it has to be completed first."""
        self._connection.execute("UPDATE delivery SET goal = ? WHERE consumer = ?", (goal, consumer))

    def delivered(self, consumer: str, patch: int, quads: int, made_by: str) -> None:
        """Note that a consumer has all patches up to one; delete the patches that every consumer has."""
        self._connection.execute(
            "INSERT OR REPLACE INTO delivery VALUES (?, ?, ?, ?, ?)", (consumer, patch, patch, quads, made_by)
        )
        self._connection.execute("DELETE FROM patch WHERE patch <= (SELECT min(patch) FROM delivery)")


# -- remote stores -----------------------------------------------------------------------------------------------------


class RemoteState(msgspec.Struct, frozen=True):
    """What a remote store was given.

    While it is being filled ``files`` is the number of files that it has and ``is_loading`` is true. ``graphs`` is the
    number of quads that each graph must have; the default graph is empty text. ``release`` is the hash of the
    statements about the release that it has. ``is_verified``: its quads were counted since the last change.
    """

    is_loading: bool
    files: int
    graphs: dict[str, int]
    release: str = ""
    is_verified: bool = False


class RemoteStores:
    """The table of remote stores. Nothing is committed here; the catalog does that."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def state(self, consumer: str) -> RemoteState | None:
        """Return what a store was given; None if it was given nothing."""
        row = self._connection.execute("SELECT state FROM remote_store WHERE consumer = ?", (consumer,)).fetchone()
        return msgspec.json.decode(row[0], type=RemoteState) if row else None

    def consumers(self) -> list[str]:
        """Return the consumers that were given anything, in alphabetical order."""
        return [row[0] for row in self._connection.execute("SELECT consumer FROM remote_store ORDER BY consumer")]

    def set_state(self, consumer: str, state: RemoteState) -> None:
        """Store what a store was given."""
        self._connection.execute(
            "INSERT OR REPLACE INTO remote_store VALUES (?, ?)", (consumer, msgspec.json.encode(state))
        )

    def forget(self, consumer: str) -> None:
        """Delete what is stored about a consumer, so that no patches wait for it."""
        self._connection.execute("DELETE FROM remote_store WHERE consumer = ?", (consumer,))
        self._connection.execute("DELETE FROM delivery WHERE consumer = ?", (consumer,))
