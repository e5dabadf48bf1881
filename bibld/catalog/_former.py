"""What has become of records since the last run that ended, also if others have begun since and were stopped."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

import msgspec

from bibld.catalog._schema import RecordStatus

_HAS_RECORD = f"IN ('{RecordStatus.LIVE}', '{RecordStatus.SUPPRESSED}')"


class Changes(msgspec.Struct, frozen=True):
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

    def changes(self, source: str) -> Changes:
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
        return Changes(new, *others)

    def forget(self) -> None:
        """Forget all former records, because a run ends."""
        self._connection.execute("DELETE FROM former_record")
