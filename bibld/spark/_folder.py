"""A folder of this machine as the storage of tables, without Java: enough to convert a workspace."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from bibld.errors import StageError


class FolderStorage:
    """Files in a folder, with the methods of ``Storage``; names are relative to it. Raises ``StageError``."""

    def __init__(self, root: Path) -> None:
        self._root = root.absolute()
        self.root = f"file://{self._root}"

    def path(self, *names: str) -> str:
        """Return a file or folder with the root and its scheme, as Spark names it."""
        return "/".join([self.root, *(name for name in names if name)])

    def exists(self, name: str) -> bool:
        """Return whether there is a file or folder."""
        return (self._root / name).exists()

    def names(self, folder: str = "") -> list[str]:
        """Return the names of the files and folders directly in a folder, sorted; none if there is no such folder."""
        place = self._root / folder
        return sorted(path.name for path in place.iterdir()) if place.is_dir() else []

    def read(self, name: str) -> bytes:
        """Return the content of a file."""
        try:
            return (self._root / name).read_bytes()
        except OSError as error:
            raise self._failure(name, "cannot be read", error) from error

    def write(self, name: str, data: bytes) -> None:
        """Write a file so that readers see either all of it or what was there before."""
        target = self._root / name
        temporary = target.with_name(f"{target.name}.{os.getpid()}.tmp")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(data)
            temporary.replace(target)
        except OSError as error:
            raise self._failure(name, "cannot be written", error) from error

    def delete(self, name: str) -> None:
        """Delete a file, or a folder with all that it contains, if it exists."""
        place = self._root / name
        try:
            if place.is_dir():
                shutil.rmtree(place)
            else:
                place.unlink(missing_ok=True)
        except OSError as error:
            raise self._failure(name, "cannot be deleted", error) from error

    def upload(self, local: Path, name: str) -> None:
        """Copy a file of this machine here; it appears when it is complete."""
        target = self._root / name
        temporary = target.with_name(f"{target.name}.{os.getpid()}.tmp")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(local, temporary)
            temporary.replace(target)
        except OSError as error:
            raise self._failure(name, "cannot be written", error) from error

    def download(self, name: str, local: Path) -> None:
        """Copy a file from here to a file of this machine."""
        try:
            shutil.copyfile(self._root / name, local)
        except OSError as error:
            raise self._failure(name, "cannot be read", error) from error

    def _failure(self, name: str, what: str, error: OSError) -> StageError:
        return StageError(f"{self._root / name}: {what}: {error.strerror}; check the permissions and the free space")
