"""What each stage has still to do: the difference between what is stored and what its inputs say."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable


class Pending:
    """The queues of the stages. Who changes an input adds its items in the same commit, who has worked them off takes
    them out in the commit of the results; so nothing is lost and nothing done twice, whenever a run is stopped.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def add(self, stage: str, items: Iterable[int]) -> None:
        """Note items that a stage has to look at."""
        self._connection.executemany("INSERT OR IGNORE INTO pending VALUES (?, ?)", ((stage, item) for item in items))

    def add_living(self, stage: str) -> None:
        """Note all living records."""
        self._connection.execute(
            "INSERT OR IGNORE INTO pending SELECT ?, ordinal FROM record WHERE deleted = 0", (stage,)
        )

    def items(self, stage: str, most: int = -1) -> list[int]:
        """The first items of a queue, ascending; all of them by default."""
        rows = self._connection.execute("SELECT item FROM pending WHERE stage = ? ORDER BY item LIMIT ?", (stage, most))
        return [item for (item,) in rows]

    def done(self, stage: str, items: Iterable[int]) -> None:
        """Take items out of a queue."""
        self._connection.executemany(
            "DELETE FROM pending WHERE stage = ? AND item = ?", ((stage, item) for item in items)
        )

    def clear(self, stage: str) -> None:
        """Empty a queue."""
        self._connection.execute("DELETE FROM pending WHERE stage = ?", (stage,))

    def count(self, stage: str) -> int:
        """The number of items in a queue."""
        return int(self._connection.execute("SELECT count(*) FROM pending WHERE stage = ?", (stage,)).fetchone()[0])
