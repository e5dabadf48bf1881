"""The folder of releases: their numbers, which one is current, and which ones are removed."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import msgspec

from bibld.errors import StageError
from bibld.model.release import Manifest

_WITHDRAWN = "withdrawn"
"""The file that marks a release that must be removed."""


class Releases:
    """``releases/<n>/`` and the file ``releases/current`` that names the one to serve.

    A server locks the ``manifest.json`` of its release (``flock``, shared); a locked release stays on disk.
    """

    def __init__(self, workspace: Path) -> None:
        self.folder = workspace / "releases"

    def numbers(self) -> list[int]:
        """Return the numbers of the complete releases, ascending."""
        if not self.folder.is_dir():
            return []
        return sorted(int(place.name) for place in self.folder.iterdir() if place.name.isdigit())

    def current(self) -> Path | None:
        """Return the folder of the release to be served."""
        try:
            name = (self.folder / "current").read_text(encoding="ascii").strip()
        except FileNotFoundError:
            return None
        place = self.folder / name
        return place if name.isdigit() and place.is_dir() else None

    def newest(self) -> Path | None:
        """Return the folder of the release that was made last."""
        return next((self.folder / str(number) for number in reversed(self.numbers())), None)

    def manifest(self, place: Path) -> Manifest:
        """Read the manifest of a release; raises ``StageError`` where it cannot be read."""
        try:
            return msgspec.json.decode((place / "manifest.json").read_bytes(), type=Manifest)
        except (OSError, msgspec.DecodeError) as error:
            raise StageError(
                f"{place}: is not a release of this version of bibld: {error}; run `bibld run` again"
            ) from error

    def begin(self) -> tuple[int, Path]:
        """Return the number of the next release and an empty folder to write it in."""
        number = max(self.numbers(), default=0) + 1
        place = self.folder / "building"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        return number, place

    def complete(self, number: int, place: Path, keep: int) -> Path:
        """Make the folder the current release, and remove all but the last ``keep`` and those that are locked."""
        final = self.folder / str(number)
        place.rename(final)
        pointer = self.folder / "current.new"
        pointer.write_text(f"{number}\n", encoding="ascii")
        pointer.replace(self.folder / "current")
        for old in self.numbers()[:-keep]:
            _remove(self.folder / str(old))
        return final

    def withdraw_before(self, number: int) -> None:
        """Remove the releases older than ``number``; a locked one is removed by a later run."""
        for old in self.numbers():
            if old < number:
                (self.folder / str(old) / _WITHDRAWN).touch()
        self.sweep()

    def kept(self) -> list[int]:
        """Return the numbers of the releases that may be served, ascending: all but the withdrawn ones."""
        return [number for number in self.numbers() if not (self.folder / str(number) / _WITHDRAWN).exists()]

    def sweep(self) -> None:
        """Remove withdrawn releases that are not locked any more."""
        for number in self.numbers():
            if (self.folder / str(number) / _WITHDRAWN).exists():
                _remove(self.folder / str(number))

    @staticmethod
    def hold(place: Path) -> BinaryIO | None:
        """Lock a release, so that it is not removed until the returned file is closed; None if it does not exist."""
        manifest = place / "manifest.json"
        try:
            lock = manifest.open("rb")
        except FileNotFoundError:
            return None
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:  # it is being removed
            lock.close()
            return None
        if not manifest.exists():
            lock.close()
            return None
        return lock


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Convert an ``OSError``, such as a full disk, to ``StageError``."""
    try:
        yield
    except OSError as error:
        raise StageError(
            f"{folder}: the release cannot be written: {error}; free some space, then run again"
        ) from error


def _remove(place: Path) -> None:
    """Remove a release unless it is locked; a later run tries again."""
    try:
        lock = (place / "manifest.json").open("r+b")
    except FileNotFoundError:  # a removal was stopped before its end
        shutil.rmtree(place)
        return
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        shutil.rmtree(place)
