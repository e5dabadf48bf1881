"""How far the quads were delivered to remote stores."""

from __future__ import annotations

import sqlite3

import msgspec


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
