"""The files that a source's server offers, as they were last fetched."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import msgspec

from bibld.errors import HarvestError

LARGEST_FILE = 64 * 1024**3
"""Bytes of a file that a server may have by default."""


def check_size(size: int, most: int) -> None:
    """Raise ``HarvestError`` if a file has more than ``most`` bytes."""
    if size > most:
        raise HarvestError(f"has more than {most:,} bytes; state max_file_bytes if that is right")


class StoredFile(msgspec.Struct, frozen=True):
    """A fetched file: the name that the server gives it, its path on disk, and what shows whether it changed.

    ``etag`` and ``changed`` are as the server states them, empty if it does not; ``sha256`` is that of the bytes.
    """

    name: str
    path: Path
    etag: str
    changed: str
    sha256: str
    bytes: int

    @property
    def has_all_bytes(self) -> bool:
        """Whether the file is there with all its bytes."""
        try:
            return self.path.stat().st_size == self.bytes
        except OSError:
            return False


class StoredFiles:
    """The files of one source. Nothing is committed here; the store does that."""

    def __init__(self, connection: sqlite3.Connection, folder: Path, source: str) -> None:
        self._connection = connection
        self.folder = folder / "files"
        """Where fetched files are; an adapter writes new ones into it before it keeps them."""
        self.harvest = 0

    def keep(
        self, name: str, path: Path, *, etag: str = "", changed: str = "", sha256: str = "", size: int | None = None
    ) -> bool:
        """Note a file (below :attr:`folder`) that was fetched completely; return whether its content is new.

        The path that had this name before is not deleted here: the store may still name it until the commit.
        """
        before = self.known(name)
        self._connection.execute(
            "INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                name,
                path.relative_to(self.folder).as_posix(),
                etag,
                changed,
                sha256,
                path.stat().st_size if size is None else size,
                self.harvest,
            ),
        )
        return before is None or before.sha256 != sha256

    def known(self, name: str) -> StoredFile | None:
        """Return the file that was last fetched under a name."""
        row = self._connection.execute(
            "SELECT name, path, etag, changed, sha256, bytes FROM file WHERE name = ?", (name,)
        ).fetchone()
        return self._file(row) if row else None

    def all(self) -> list[StoredFile]:
        """Return all files by name."""
        rows = self._connection.execute("SELECT name, path, etag, changed, sha256, bytes FROM file ORDER BY name")
        return [self._file(row) for row in rows]

    def drop_others(self, names: set[str]) -> int:
        """Forget the files that the server does not offer any more; return how many. Their paths stay on disk."""
        others = [file for file in self.all() if file.name not in names]
        for file in others:
            self._connection.execute("DELETE FROM file WHERE name = ?", (file.name,))
        return len(others)

    def delete_unnamed(self, paths: Iterable[Path]) -> None:
        """Delete those of the paths that no stored file has; to be called after the commit. What cannot be is left."""
        named = {self.folder / path for (path,) in self._connection.execute("SELECT path FROM file")}
        for path in paths:
            if path not in named:
                with suppress(OSError):
                    path.unlink()

    def _file(self, row: tuple[str, str, str, str, str, int]) -> StoredFile:
        name, path, etag, changed, sha256, size = row
        return StoredFile(name, self.folder / path, etag, changed, sha256, size)
