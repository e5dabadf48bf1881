"""Whether other processes, or other connections of this one, have changed the databases of a workspace."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path

_FILES = ("register.db", "catalog.db")


class Changes:
    """Observes the databases of a workspace. Keeps a connection to each; may be used in any thread."""

    def __init__(self, workspace: Path) -> None:
        self._watched: Sequence[_Watched] = [_Watched(workspace / name) for name in _FILES]
        self._lock = threading.Lock()

    def version(self) -> object:
        """Return a value that is equal only as long as nothing was committed.

        What is read after the call is at least as new as the value. Databases that cannot be read have a different
        value each time: who reads them then gets the error.
        """
        with self._lock:
            try:
                return tuple(each.version() for each in self._watched)
            except (OSError, sqlite3.Error):
                return object()


class _Watched:
    """One database, which a restored backup may replace by another file."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._connection: sqlite3.Connection | None = None
        self._identity: tuple[int, int] | None = None
        self._opened = 0

    def version(self) -> tuple[int, int]:
        """Return how often the database was opened here, and what SQLite counts since; raises errors of both."""
        found = self._file.stat()
        identity = (found.st_dev, found.st_ino)
        if self._connection is None or identity != self._identity:
            if self._connection is not None:
                self._connection.close()
            self._connection = sqlite3.connect(f"{self._file.as_uri()}?mode=ro", uri=True, check_same_thread=False)
            self._identity = identity
            self._opened += 1
        ((count,),) = self._connection.execute("PRAGMA data_version").fetchall()
        return self._opened, int(count)
