"""What stages have still to process (dirty queues), what their results were made with, and which records changed.

Code that changes an input adds the items to a queue in the same commit; the stage that has processed them removes them
in the commit of its results. So no item is lost or processed twice, no matter when a run is stopped.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum

import msgspec

from bibld.catalog._schema import RecordStatus


class Queue(StrEnum):
    """The dirty queues, by what is waiting in them."""

    UNMATCHED_RECORDS = "unmatched records"
    """New, changed, deleted and restored records, and records about which a person decided (for dedup)."""

    UNMERGED_CLUSTERS = "unmerged clusters"
    """Clusters whose members changed (for merge)."""

    UNDESCRIBED_CLUSTERS = "undescribed clusters"
    """Clusters whose quads may have changed (for triplify)."""

    UNDESCRIBED_ENTITIES = "undescribed entities"
    """Entities about which clusters assert something else than before (for triplify)."""

    UNLINKED_ENTITIES = "unlinked entities"
    """Entities that changed since they were linked to authority files (for link); triggers of the catalog add them."""

    NEWLY_SUPPRESSED = "newly suppressed records"
    """Records that the last release may still contain (for publish)."""

    NO_LONGER_SUPPRESSED = "no longer suppressed records"
    """Records that the last release lacks (for publish)."""


class DirtyQueue:
    """One queue. Nothing is committed here; the catalog does that."""

    def __init__(self, connection: sqlite3.Connection, queue: Queue) -> None:
        self._connection = connection
        self.queue = queue

    def add(self, items: Iterable[int]) -> None:
        """Add items; those that are in the queue already stay there once."""
        self._connection.executemany(
            "INSERT OR IGNORE INTO dirty_queue VALUES (?, ?)", ((self.queue, item) for item in items)
        )

    def add_live_records(self) -> None:
        """Add the ordinals of all live records, each of which may found a cluster."""
        self._connection.execute(
            "INSERT OR IGNORE INTO dirty_queue SELECT ?, ordinal FROM record WHERE status = 'live'", (self.queue,)
        )

    def items(self, limit: int = -1) -> list[int]:
        """Return the first ``limit`` items in ascending order; all by default."""
        return self._after(-1, limit)

    def batches(self, size: int) -> Iterator[list[int]]:
        """Yield the items in ascending order, in lists of ``size``; items may be removed meanwhile."""
        after = -1
        while batch := self._after(after, size):
            yield batch
            after = batch[-1]

    def _after(self, item: int, limit: int) -> list[int]:
        rows = self._connection.execute(
            "SELECT item FROM dirty_queue WHERE queue = ? AND item > ? ORDER BY item LIMIT ?", (self.queue, item, limit)
        )
        return [item for (item,) in rows]

    def is_empty(self) -> bool:
        """Return whether no item is waiting."""
        return not self.items(limit=1)

    def remove(self, items: Iterable[int]) -> None:
        """Remove items that have been processed."""
        self._connection.executemany(
            "DELETE FROM dirty_queue WHERE queue = ? AND item = ?", ((self.queue, item) for item in items)
        )

    def clear(self) -> None:
        """Remove all items."""
        self._connection.execute("DELETE FROM dirty_queue WHERE queue = ?", (self.queue,))

    def __len__(self) -> int:
        row = self._connection.execute("SELECT count(*) FROM dirty_queue WHERE queue = ?", (self.queue,)).fetchone()
        return int(row[0])


class StageQueue:
    """The queue of one stage (None for a stage without one), and the queues of the stages that its results feed."""

    def __init__(self, dirty: DirtyQueue | None, successors: Sequence[DirtyQueue]) -> None:
        self._dirty = dirty
        self._successors = successors

    @property
    def dirty(self) -> DirtyQueue:
        """The items that this stage has to process."""
        assert self._dirty is not None, "the stage takes nothing from a queue"
        return self._dirty

    def mark_dirty(self, items: Iterable[int]) -> None:
        """Queue items whose results changed for the stages that this one feeds."""
        changed = list(items)
        for successor in self._successors:
            successor.add(changed)

    def mark_live_records_dirty(self) -> None:
        """Queue the clusters of all live records for the stages that this one feeds."""
        for successor in self._successors:
            successor.add_live_records()


class DirtyQueues:
    """All queues of a catalog: ``queues[Queue.UNMERGED_CLUSTERS]``."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._queues = {queue: DirtyQueue(connection, queue) for queue in Queue}

    def __getitem__(self, queue: Queue) -> DirtyQueue:
        return self._queues[queue]


_READING = "read {}"
"""The name in the table of stages under which the reading of a source is noted."""


class Runs:
    """The tables of runs and stages. Nothing is committed here; the catalog does that."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def begin(self, started: str) -> int:
        """Return the number of a new run."""
        cursor = self._connection.execute("INSERT INTO run (started) VALUES (?)", (started,))
        assert cursor.lastrowid is not None  # an INSERT that succeeded has one
        return cursor.lastrowid

    def end(self, run: int, finished: str) -> None:
        """Note that a run is complete."""
        self._connection.execute("UPDATE run SET finished = ? WHERE run = ?", (finished, run))

    def made_by(self, stage: str) -> str | None:
        """Return the hash of what the complete results of a stage were made from; None if they are not complete."""
        row = self._connection.execute("SELECT made_by FROM stage WHERE name = ?", (stage,)).fetchone()
        return row[0] if row else None

    def complete(self, stage: str, made_by: str, run: int) -> None:
        """Note that the results of a stage are complete, and what they were made from."""
        self._connection.execute("INSERT OR REPLACE INTO stage VALUES (?, ?, ?)", (stage, made_by, run))

    def last_reading(self, source: str) -> str:
        """Return the hash of the files that a source was last read from; empty if they have to be read again."""
        return self.made_by(_READING.format(source)) or ""

    def note_reading(self, source: str, fingerprint: str, run: int) -> None:
        """Note the hash of the files that a source was read from; empty: they have to be read again."""
        self.complete(_READING.format(source), fingerprint, run)

    def forget_readings(self) -> None:
        """Have the next run read the files of all sources again."""
        self._connection.execute("DELETE FROM stage WHERE name LIKE ?", (_READING.format("%"),))


_HAS_RECORD = f"IN ('{RecordStatus.LIVE}', '{RecordStatus.SUPPRESSED}')"


class RecordChanges(msgspec.Struct, frozen=True):
    """How many records of a source are new, changed, restored, missing, and deleted by their own status.

    Each is counted once, by what it was when the last run ended and what it is now. ``new``: never seen before that.
    """

    new: int = 0
    changed: int = 0
    restored: int = 0
    absent: int = 0
    withdrawn: int = 0


class FormerRecords:
    """The table of former records. Nothing is committed here; the catalog does that."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def note(self, ordinals: Iterable[int]) -> None:
        """Note records as they are, before they are replaced."""
        self._connection.executemany(
            "INSERT OR IGNORE INTO former_record SELECT ordinal, carrier, made_by, status FROM record"
            " WHERE ordinal = ?",
            ((ordinal,) for ordinal in ordinals),
        )

    def note_new(self, carriers: Iterable[tuple[int, int]]) -> None:
        """Note records that are stored for the first time: ordinal and carrier of each."""
        self._connection.executemany("INSERT OR IGNORE INTO former_record VALUES (?, ?, NULL, NULL)", carriers)

    def note_status(self, ordinal: int, status: RecordStatus) -> None:
        """Note a record of which the status alone has changed; ``status`` is that before."""
        self._connection.execute(
            "INSERT OR IGNORE INTO former_record SELECT ordinal, carrier, made_by, ? FROM record WHERE ordinal = ?",
            (status, ordinal),
        )

    def changes(self, source: str) -> RecordChanges:
        """Return what has become of the records of a source."""
        is_of_source = "former.carrier IN (SELECT carrier FROM carrier WHERE source = ?)"
        (new,) = self._connection.execute(
            f"SELECT count(*) FROM former_record AS former WHERE made_by IS NULL AND {is_of_source}", (source,)
        ).fetchone()
        others = self._connection.execute(
            f"SELECT count(*) FILTER (WHERE former.status {_HAS_RECORD} AND record.status {_HAS_RECORD}"
            " AND former.made_by <> record.made_by),"
            f" count(*) FILTER (WHERE NOT former.status {_HAS_RECORD} AND record.status {_HAS_RECORD}),"
            f" count(*) FILTER (WHERE former.status = '{RecordStatus.LIVE}'"
            f" AND record.status = '{RecordStatus.MISSING}'),"
            f" count(*) FILTER (WHERE former.status = '{RecordStatus.LIVE}'"
            f" AND record.status = '{RecordStatus.DELETED}')"
            " FROM former_record AS former JOIN record USING (ordinal)"
            f" WHERE former.made_by IS NOT NULL AND {is_of_source}",
            (source,),
        ).fetchone()
        return RecordChanges(new, *others)

    def forget(self) -> None:
        """Forget all former records, because a run ends."""
        self._connection.execute("DELETE FROM former_record")
