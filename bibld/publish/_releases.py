"""The folder of releases: numbers, which one is current, and which ones are let go."""

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
"""The file in a release that must go."""


class Releases:
    """``releases/<n>/`` and the file ``releases/current`` that names the one to serve.

    Who serves a release holds its ``manifest.json`` with a shared lock (flock); a release that is held stays on disk.
    """

    def __init__(self, workspace: Path) -> None:
        self.folder = workspace / "releases"

    def numbers(self) -> list[int]:
        """The numbers of the complete releases, ascending."""
        if not self.folder.is_dir():
            return []
        return sorted(int(place.name) for place in self.folder.iterdir() if place.name.isdigit())

    def current(self) -> Path | None:
        """The folder of the release that is to be served."""
        try:
            name = (self.folder / "current").read_text(encoding="ascii").strip()
        except FileNotFoundError:
            return None
        place = self.folder / name
        return place if name.isdigit() and place.is_dir() else None

    def newest(self) -> Path | None:
        """The folder of the release that was made last."""
        return next((self.folder / str(number) for number in reversed(self.numbers())), None)

    def manifest(self, place: Path) -> Manifest:
        """What a release says about itself; raises ``StageError`` where it cannot be read."""
        try:
            return msgspec.json.decode((place / "manifest.json").read_bytes(), type=Manifest)
        except (OSError, msgspec.DecodeError) as error:
            raise StageError(f"{place}: is no release of this bibld: {error}; run `bibld run` again") from error

    def building(self) -> tuple[int, Path]:
        """The number of the next release and an empty folder to make it in."""
        number = max(self.numbers(), default=0) + 1
        place = self.folder / "building"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        return number, place

    def complete(self, number: int, place: Path, keep: int) -> Path:
        """Turn the folder into the current release, and let go of all but the last ``keep`` and those that are held."""
        final = self.folder / str(number)
        place.rename(final)
        pointer = self.folder / "current.new"
        pointer.write_text(f"{number}\n", encoding="ascii")
        pointer.replace(self.folder / "current")
        for old in self.numbers()[:-keep]:
            _remove(self.folder / str(old))
        return final

    def withdraw_before(self, number: int) -> None:
        """Have no release stay that is older than ``number``; one that is held goes when a run finds it free."""
        for old in self.numbers():
            if old < number:
                (self.folder / str(old) / _WITHDRAWN).touch()
        self.sweep()

    def sweep(self) -> None:
        """Let go of withdrawn releases that nobody holds any more."""
        for number in self.numbers():
            if (self.folder / str(number) / _WITHDRAWN).exists():
                _remove(self.folder / str(number))

    @staticmethod
    def hold(place: Path) -> BinaryIO | None:
        """Keep a release from being let go until the file given back is closed; None for one that is gone."""
        manifest = place / "manifest.json"
        try:
            held = manifest.open("rb")
        except FileNotFoundError:
            return None
        try:
            fcntl.flock(held, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:  # it is being removed
            held.close()
            return None
        if not manifest.exists():
            held.close()
            return None
        return held


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Has a disk that is full, or may not be written, end the stage with a word: raises ``StageError``."""
    try:
        yield
    except OSError as error:
        raise StageError(f"{folder}: a release cannot be written: {error}; free some space, then run again") from error


def _remove(place: Path) -> None:
    """Remove a release; one that is held stays, and a later run comes back to it."""
    try:
        held = (place / "manifest.json").open("r+b")
    except FileNotFoundError:  # a removal was stopped before its end
        shutil.rmtree(place)
        return
    with held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        shutil.rmtree(place)
