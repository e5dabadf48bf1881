"""The folder of releases: their numbers, which one is current, and which ones are removed."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Literal

import msgspec

from bibld.errors import StageError
from bibld.model.release import Manifest

_WITHDRAWN = "withdrawn"
"""The file that marks a release that must be removed."""


class ReleaseSummary(msgspec.Struct, frozen=True):
    """A release on disk, or in the storage of Spark.

    ``file_bytes`` is the size of the files that the manifest names (some may be shared with other releases by hard
    links), ``store_bytes`` that of the copy of the store, which a release of a run on Spark does not have.
    ``full_dumps`` is the release whose full dumps it has (0: none), ``patches`` the number of patches to them.
    ``is_served``: a server has locked it, so that it stays on disk; ``is_withdrawn``: it must not be served again, and
    is removed when no server uses it. ``engine`` is what the run computed with.
    """

    release: int
    created: str
    records: int
    quads: int
    file_bytes: int
    store_bytes: int
    full_dumps: int
    patches: int
    is_current: bool
    is_served: bool
    is_withdrawn: bool
    engine: Literal["local", "spark"] = "local"

    @classmethod
    def from_manifest(
        cls,
        manifest: Manifest,
        store_bytes: int,
        *,
        is_current: bool,
        is_served: bool = False,
        is_withdrawn: bool = False,
        engine: Literal["local", "spark"] = "local",
    ) -> ReleaseSummary:
        """Return what the manifest of a release states, with what is known of its folder."""
        return cls(
            release=manifest.number,
            created=manifest.created,
            records=manifest.figures.records,
            quads=manifest.figures.quads,
            file_bytes=sum(file.bytes for file in manifest.files),
            store_bytes=store_bytes,
            full_dumps=manifest.full.release if manifest.full is not None else 0,
            patches=len(manifest.since_full),
            is_current=is_current,
            is_served=is_served,
            is_withdrawn=is_withdrawn,
            engine=engine,
        )


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
        return sorted(int(folder.name) for folder in self.folder.iterdir() if folder.name.isdigit())

    def current(self) -> Path | None:
        """Return the folder of the release to be served."""
        try:
            name = (self.folder / "current").read_text(encoding="ascii").strip()
        except FileNotFoundError:
            return None
        folder = self.folder / name
        return folder if name.isdigit() and folder.is_dir() else None

    def newest(self) -> Path | None:
        """Return the folder of the release that was made last."""
        return next((self.folder / str(number) for number in reversed(self.numbers())), None)

    def manifest(self, folder: Path) -> Manifest:
        """Read the manifest of a release; raises ``StageError`` where it cannot be read."""
        try:
            return msgspec.json.decode((folder / "manifest.json").read_bytes(), type=Manifest)
        except (OSError, msgspec.DecodeError) as error:
            raise StageError(
                f"{folder}: is not a release of this version of bibld: {error}; run `bibld run` again"
            ) from error

    def begin(self) -> tuple[int, Path]:
        """Return the number of the next release and an empty folder to write it in."""
        number = max(self.numbers(), default=0) + 1
        folder = self.folder / "building"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return number, folder

    def complete(self, number: int, folder: Path, keep: int) -> Path:
        """Make the folder the current release, and remove all but the last ``keep`` and those that are locked."""
        final = self.folder / str(number)
        folder.rename(final)
        self._point_to(number)
        for old in self.numbers()[:-keep]:
            self._remove(self.folder / str(old), unless_current=True)
        return final

    def _point_to(self, number: int) -> None:
        pointer = self.folder / f"current.{os.getpid()}"
        pointer.write_text(f"{number}\n", encoding="ascii")
        pointer.replace(self.folder / "current")

    def roll_back(self, number: int | None = None) -> Path:
        """Make another release current: that with a number, or the one before the current one; return its folder.

        Servers follow. A run need not wait: the next release that it makes follows on the newest one and becomes
        current. Raises ``StageError`` for a release that does not exist any more, or that was withdrawn.
        """
        present = self.current()
        kept = [each for each in self.kept() if self._is_complete(each)]
        if number is None:
            older = [each for each in kept if present is not None and each < int(present.name)]
            if not older:
                raise StageError(
                    f"{self.folder}: no release is older than the current one;"
                    " [publish] keep sets how many stay on disk"
                )
            number = older[-1]
        folder = self.folder / str(number)
        lock = self.hold(folder) if number in kept else None
        if lock is None:
            if number in self.numbers() and self._is_complete(number):
                raise StageError(
                    f"{folder}: was withdrawn, because it contains what must not be published any more; it stays on"
                    " disk only until no server uses it"
                )
            names = ", ".join(map(str, kept)) or "none"
            raise StageError(f"{folder}: there is no release {number}; those on disk are: {names}")
        with lock:
            self.manifest(folder)
            self._point_to(number)
            if (folder / _WITHDRAWN).exists():  # meanwhile
                self._point_to(self.kept()[-1])
                raise StageError(f"{folder}: is being withdrawn by a run; nothing was changed")
        return folder

    def list_all(self) -> list[ReleaseSummary]:
        """Return all releases on disk, the oldest first."""
        present = self.current()
        numbers = [number for number in self.numbers() if self._is_complete(number)]
        return [self._summary(self.folder / str(number), present) for number in numbers]

    def _is_complete(self, number: int) -> bool:
        """Return whether a release is not what is left of one whose removal was stopped."""
        return (self.folder / str(number) / "manifest.json").is_file()

    def _summary(self, folder: Path, present: Path | None) -> ReleaseSummary:
        stored = (folder / "store").rglob("*")
        return ReleaseSummary.from_manifest(
            self.manifest(folder),
            sum(path.stat().st_size for path in stored if path.is_file()),
            is_current=folder == present,
            is_served=_is_locked(folder),
            is_withdrawn=(folder / _WITHDRAWN).exists(),
        )

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
                self._remove(self.folder / str(number))

    def _remove(self, folder: Path, unless_current: bool = False) -> None:
        """Remove a release unless it is locked; a later run tries again."""
        try:
            lock = (folder / "manifest.json").open("r+b")
        except FileNotFoundError:  # a removal was stopped before its end
            shutil.rmtree(folder)
            return
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return
            if not (unless_current and self.current() == folder):  # somebody went back to it a moment ago
                shutil.rmtree(folder)

    @staticmethod
    def hold(folder: Path) -> BinaryIO | None:
        """Lock a release, so that it is not removed until the returned file is closed; None if it does not exist."""
        manifest = folder / "manifest.json"
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


def _is_locked(folder: Path) -> bool:
    with (folder / "manifest.json").open("rb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False
