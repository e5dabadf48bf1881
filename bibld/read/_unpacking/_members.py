"""Unpack archives into numbered files, with bounds for their number, their bytes and their ratio of compression."""

from __future__ import annotations

import fcntl
import fnmatch
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

import msgspec

from bibld.errors import HarvestError
from bibld.read._unpacking._archives import Archive, archive_of, open_archive
from bibld.read._unpacking._streams import MAXIMUM

_CHUNK = 1 << 20
_LEVELS = 2
"""An archive may contain archives, which contain files."""

_INDEX = "members.json"
_UNFINISHED = "part-"

_NOT_DATA = (
    *("readme*", "license*", "licence*", "copying*", "changelog*", "thumbs.db", "desktop.ini", ".*"),
    *("*.md5", "*.sha1", "*.sha256", "*.sha512", "*.asc", "*.sig", "*.pdf", "*.md", "*.doc", "*.docx", "*.rtf"),
    *("*.jpg", "*.jpeg", "*.png", "*.gif", "*.css", "*.js", "*.xsd", "*.xsl", "*.xslt", "*.dtd", "*.log"),
)
"""Names of members, in small letters, that are left out unless patterns are given."""

_ENDINGS = (".zip", ".tar", ".tgz", ".tbz2", ".txz", ".tar.gz", ".tar.bz2", ".tar.xz", ".tar.zst", ".7z", ".rar")

_FOLDERS_NOT_DATA = frozenset({"__macosx", ".git", "@eadir"})


class Limits(msgspec.Struct, frozen=True):
    """What an archive may contain at most: bytes, members, and bytes for each of its bytes (above ``free`` bytes)."""

    bytes: int = MAXIMUM
    members: int = 100_000
    ratio: int = 250
    free: int = 256 * 1024**2


class Member(msgspec.Struct, frozen=True):
    """A file out of an archive: its name with those of the archives it was in (``a.zip/b.tar/c.mrc``), and the file."""

    name: str
    path: Path


class Unpacked(msgspec.Struct, frozen=True):
    """The members of an archive in the order of their names, and the names of those that were left out."""

    members: tuple[Member, ...]
    left_out: tuple[str, ...] = ()


def unpack(path: Path, into: Path, patterns: Sequence[str] = (), limits: Limits | None = None) -> Unpacked:
    """Write the members of an archive to numbered files in a folder that exists; archives in it are unpacked too.

    ``patterns`` choose members by the end of their path (``*.mrc``, ``full/*.xml``); without any, those that are
    obviously no data (read-me files, check sums, images …) are left out. Names of members are never used as file names.
    Raises ``HarvestError``, without the name of the archive: for a damaged archive, one that exceeds the limits, one in
    which no member is data, and if the disk cannot be written.
    """
    kind = archive_of(path)
    if kind is None:
        raise HarvestError("is not an archive")
    unpacking = _Unpacking(into, patterns, limits or Limits(), path.stat().st_size)
    try:
        unpacking.unpack(path, kind)
    except OSError as error:
        raise HarvestError(f"cannot be unpacked to {into}: {error.strerror or error}") from error
    if not unpacking.found:
        which = f"no file in it matches {', '.join(patterns)}" if patterns else "it contains no file of data"
        raise HarvestError(f"{which}; it has {', '.join(unpacking.left_out[:3]) or 'no members'}")
    return Unpacked(tuple(sorted(unpacking.found, key=lambda member: member.name)), tuple(unpacking.left_out))


class _Unpacking:
    """The unpacking of one archive, and of those in it: what was found, and what may still be unpacked."""

    def __init__(self, into: Path, patterns: Sequence[str], limits: Limits, size: int) -> None:
        self._into = into
        self._patterns = [pattern.lower() for pattern in patterns]
        self._limits = limits
        self._size = size
        self._bytes = 0
        self._count = 0
        self.found: list[Member] = []
        self.left_out: list[str] = []

    def unpack(self, path: Path, kind: Archive, prefix: str = "", level: int = 1) -> None:
        """Unpack the members of an archive; raises ``HarvestError`` and ``OSError``."""
        with open_archive(path, kind) as members:
            for member in members:
                name = prefix + _harmless(member.name)
                self._count += 1
                if self._count > self._limits.members:
                    raise HarvestError(f"contains more than {self._limits.members:,} files; unpack it, name the folder")
                if member.stream is None:
                    continue
                if not self._is_wanted(name):
                    self.left_out.append(name)
                    continue
                target = self._into / str(self._count)
                self._copy(member.stream, target)
                inner = archive_of(target)
                if inner is None:
                    self._keep(name, target)
                    continue
                if level == _LEVELS:
                    raise HarvestError(f"{name}: is an archive in an archive in an archive; unpack it")
                try:
                    self.unpack(target, inner, f"{name}/", level + 1)
                except HarvestError as error:
                    raise HarvestError(f"{name}: {error}") from error
                target.unlink()

    def _keep(self, name: str, target: Path) -> None:
        if self._patterns and not self._matches(name):  # it is named as an archive, but is none
            self.left_out.append(name)
            target.unlink()
        else:
            self.found.append(Member(name, target))

    def _copy(self, stream: BinaryIO, target: Path) -> None:
        with target.open("wb") as out:
            while data := stream.read(_CHUNK):
                self._count_bytes(len(data))
                out.write(data)

    def _count_bytes(self, count: int) -> None:
        self._bytes += count
        limits = self._limits
        if self._bytes > limits.bytes:
            raise HarvestError(f"contains more than {limits.bytes:,} bytes; unpack it if that is right")
        if self._bytes > limits.free and self._bytes > limits.ratio * self._size:
            raise HarvestError(
                f"decompresses to more than {limits.ratio} times its size, as a decompression bomb does; unpack it if"
                " that is right"
            )

    def _is_wanted(self, name: str) -> bool:
        path = name.lower()
        folders, _, base = path.rpartition("/")
        if _FOLDERS_NOT_DATA & set(folders.split("/")):
            return False
        if self._patterns:
            return base.endswith(_ENDINGS) or self._matches(path)
        return not any(fnmatch.fnmatchcase(base, pattern) for pattern in _NOT_DATA)

    def _matches(self, name: str) -> bool:
        """Whether the path, or what is left of it without its first folders, matches a pattern."""
        parts = name.lower().split("/")
        ends = ["/".join(parts[at:]) for at in range(len(parts))]
        return any(fnmatch.fnmatchcase(end, pattern) for pattern in self._patterns for end in ends)


def _harmless(name: str) -> str:
    """Return the name of a member for messages: relative, with ``/``, without control characters."""
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    joined = "/".join(parts) or "unnamed"
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in joined)


# -- unpacked once -----------------------------------------------------------------------------------------------------


class _Index(msgspec.Struct, frozen=True):
    """What is stored beside unpacked members: pairs of the name of a member and that of its file."""

    members: tuple[tuple[str, str], ...]
    left_out: tuple[str, ...]

    def unpacked(self, place: Path) -> Unpacked:
        return Unpacked(tuple(Member(name, place / file) for name, file in self.members), self.left_out)


def unpack_once(path: Path, folder: Path, patterns: Sequence[str] = (), limits: Limits | None = None) -> Unpacked:
    """Return the members of an archive, stored in a separate folder inside ``folder``; unpack it if it changed.

    The separate folder is complete or does not exist. Raises what :func:`unpack` raises.
    """
    try:
        place = folder / _key(path, patterns)
        if (place / _INDEX).exists():
            with suppress(msgspec.MsgspecError):  # it was cut when the machine stopped: unpack it again
                return msgspec.json.decode((place / _INDEX).read_bytes(), type=_Index).unpacked(place)
        folder.mkdir(parents=True, exist_ok=True)
        _delete_abandoned(folder)
        with tempfile.TemporaryDirectory(prefix=_UNFINISHED, dir=folder) as part, _in_use(Path(part)):
            fresh = Path(part, "members")
            fresh.mkdir()
            unpacked = unpack(path, fresh, patterns, limits)
            index = _Index(tuple((one.name, one.path.name) for one in unpacked.members), unpacked.left_out)
            (fresh / _INDEX).write_bytes(msgspec.json.encode(index))
            if place.exists():
                shutil.rmtree(place)
            fresh.rename(place)
            return index.unpacked(place)
    except OSError as error:
        raise HarvestError(f"cannot be unpacked to {folder}: {error.strerror or error}") from error


def delete_others(folder: Path, kept: Iterable[Path]) -> None:
    """Delete what :func:`unpack_once` stored in a folder, apart from the folders that contain the ``kept`` files."""
    _delete_abandoned(folder)
    places = {path.parent for path in kept}
    for place in folder.iterdir() if folder.is_dir() else ():
        if place not in places and (place / _INDEX).exists():
            shutil.rmtree(place, ignore_errors=True)


@contextmanager
def _in_use(place: Path) -> Iterator[None]:
    """Show other processes that a folder is being written; raises ``BlockingIOError`` if one of them does that."""
    descriptor = os.open(place, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


def _delete_abandoned(folder: Path) -> None:
    """Delete what processes left that were killed while they unpacked."""
    for place in folder.glob(f"{_UNFINISHED}*"):
        with suppress(OSError), _in_use(place):
            shutil.rmtree(place, ignore_errors=True)


def _key(path: Path, patterns: Sequence[str]) -> str:
    """Return a name for a version of a file, as far as the disk distinguishes versions."""
    status = path.stat()
    named = (str(path.absolute()), status.st_size, status.st_mtime_ns, status.st_ino, *patterns)
    return hashlib.blake2b(repr(named).encode(), digest_size=8).hexdigest()
