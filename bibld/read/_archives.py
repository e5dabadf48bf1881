"""Archives as iterators of members: zip and tar by the standard library, 7z and rar by the program bsdtar."""

from __future__ import annotations

import fcntl
import fnmatch
import hashlib
import os
import shutil
import subprocess
import tarfile
import tempfile
import threading
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Literal, cast

import msgspec

from bibld.errors import HarvestError
from bibld.read._streams import MAXIMUM, Ends, open_decompressed

Archive = Literal["zip", "tar", "7z", "rar"]

_MAGIC: tuple[tuple[bytes, Archive], ...] = (
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!\x1a\x07", "rar"),
)
_BLOCK = 512
_PLACE_OF_MAGIC, _PLACE_OF_SUM = 257, 148
_UTF8_NAME = 0x800
_ENCRYPTED = 0x1
_DEFLATE64 = 9
_INSTALL = "install bsdtar (Debian: libarchive-tools), or unpack it"

MAX_SECONDS = 6 * 3600.0
"""How long bsdtar may take for an archive; a program that hangs is ended."""

_DOCUMENTS = {"[Content_Types].xml": "an Office document", "mimetype": "an OpenDocument or EPUB file"}
"""First members of zip files that are documents."""


class OpenMember(msgspec.Struct, frozen=True):
    """A member of an archive: its name as the archive states it, and its bytes, which are read once.

    Folders, links and devices in a tar archive have none: they count, but are not unpacked.
    """

    name: str
    stream: BinaryIO | None


def archive_of(path: Path) -> Archive | None:
    """Return what kind of archive a file is, by its first bytes; None for any other file, and an unreadable one."""
    try:
        with open_decompressed(path, may_have_holes=True) as stream:
            head = stream.read(_BLOCK)
    except HarvestError:  # reported when the file is read
        return None
    for magic, kind in _MAGIC:
        if head.startswith(magic):
            return kind
    return "tar" if _is_tar_header(head) else None


def _is_tar_header(head: bytes) -> bool:
    """Whether a block is the header of a tar archive: its sum is right, which is true of no carrier."""
    if len(head) < _BLOCK:
        return False
    try:
        stated = int(head[_PLACE_OF_SUM : _PLACE_OF_SUM + 8].strip(b" \0") or b"-", 8)
    except ValueError:
        return False
    counted = sum(head[:_PLACE_OF_SUM]) + 8 * 0x20 + sum(head[_PLACE_OF_SUM + 8 :])
    return stated == counted


@contextmanager
def open_archive(path: Path, kind: Archive) -> Iterator[Iterator[OpenMember]]:
    """Iterate over the members of an archive; each stream is valid until the next member is asked for.

    Raises ``HarvestError``, without the name of the archive, if it is damaged,
    cut off, encrypted, or cannot be read here.
    """
    openers: dict[Archive, Callable[[Path], Iterator[OpenMember]]] = {
        "zip": _zip_members,
        "tar": _tar_members,
        "7z": _members_by_bsdtar,
        "rar": _members_by_bsdtar,
    }
    members = openers[kind](path)
    try:
        yield members
    except (HarvestError, MemoryError):
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno:
            raise  # of the disk; bzip2 raises others
        raise HarvestError(f"the archive is damaged ({_in_one_line(str(error))}); fetch it again") from error
    finally:
        close = getattr(members, "close", None)
        if close is not None:
            close()


# -- zip ---------------------------------------------------------------------------------------------------------------


def _zip_members(path: Path) -> Iterator[OpenMember]:
    with zipfile.ZipFile(path) as archive:
        entries = [entry for entry in archive.infolist() if not entry.is_dir()]
        if entries and (document := _DOCUMENTS.get(archive.infolist()[0].filename)):
            raise HarvestError(f"is {document}, not data; export it as text (CSV)")
        if any(entry.flag_bits & _ENCRYPTED for entry in entries):
            raise HarvestError("the archive is encrypted; ask for one without a password")
        if any(entry.compress_type == _DEFLATE64 for entry in entries):
            yield from _members_by_bsdtar(path)
            return
        for entry in entries:
            with archive.open(entry) as stream:
                yield OpenMember(_name_of_entry(entry), cast(BinaryIO, stream))


def _name_of_entry(entry: zipfile.ZipInfo) -> str:
    """Return the name of a member; without the mark for UTF-8, Windows writes names in the charset of the console."""
    name = entry.filename
    if entry.flag_bits & _UTF8_NAME or name.isascii():
        return name
    data = name.encode("cp437", "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp866")


# -- tar ---------------------------------------------------------------------------------------------------------------


def _tar_members(path: Path) -> Iterator[OpenMember]:
    try:
        with open_decompressed(path, may_have_holes=True) as stream:
            yield from _members_of_tar(stream)
    except HarvestError as error:
        raise HarvestError(str(error).removeprefix(f"{path}: ")) from error


def _members_of_tar(stream: BinaryIO) -> Iterator[OpenMember]:
    watched = Ends(stream)
    with tarfile.open(fileobj=cast(BinaryIO, watched), mode="r|", errorlevel=1, encoding="utf-8") as archive:
        for entry in archive:
            content = archive.extractfile(entry) if entry.isreg() else None
            yield OpenMember(entry.name, cast(BinaryIO, content) if content is not None else None)
        while watched.read(_BLOCK * 128):
            pass
    last = watched.tail[-_BLOCK:]  # a complete archive ends with zeros
    if last.strip(b"\0") or len(last) < _BLOCK:
        raise HarvestError("the archive is cut off; fetch it again")


# -- what bsdtar reads -------------------------------------------------------------------------------------------------


def _members_by_bsdtar(path: Path) -> Iterator[OpenMember]:
    """Have bsdtar write an archive again as tar, and read that while it is written."""
    program = _bsdtar()
    if not program:
        raise HarvestError(f"is an archive that only bsdtar reads, which is not installed; {_INSTALL}")
    command = [program, "-cf", "-", "--format", "pax", f"@{path.absolute()}"]
    names_in_utf8 = {**os.environ, "LC_ALL": "C.UTF-8"}
    with (
        tempfile.TemporaryFile() as errors,  # a pipe that nobody reads would stop the program
        subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, env=names_in_utf8
        ) as process,
        _ended_after(process, MAX_SECONDS) as late,
    ):
        assert process.stdout is not None
        try:
            yield from _members_of_tar(cast(BinaryIO, process.stdout))
        except (tarfile.TarError, HarvestError) as error:
            process.kill()
            message = late[0] if late else _message(errors) or _in_one_line(str(error))
            raise HarvestError(f"the archive cannot be read ({message}); fetch it again") from error
        except BaseException:
            process.kill()
            raise
        if process.wait():
            raise HarvestError(f"the archive cannot be read ({''.join(late) or _message(errors)}); fetch it again")


@contextmanager
def _ended_after(process: subprocess.Popen[bytes], seconds: float) -> Iterator[list[str]]:
    """End a program that runs longer; the list has a message then."""
    late: list[str] = []

    def end() -> None:
        late.append(f"bsdtar took longer than {seconds:,.0f} s")
        process.kill()

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield late
    finally:
        timer.cancel()


def _message(errors: BinaryIO) -> str:
    """Return the beginning of what a program wrote about errors, in one line."""
    errors.seek(0)
    return _in_one_line(errors.read(_BLOCK).decode(errors="replace").strip())


def _bsdtar() -> str:
    """Return the program; empty if it is not installed. On macOS and Windows it is called tar."""
    for name in ("bsdtar", "tar"):
        program = shutil.which(name)
        if program and name == "bsdtar":
            return program
        if program:
            answer = subprocess.run([program, "--version"], capture_output=True, check=False, stdin=subprocess.DEVNULL)
            if answer.stdout.startswith(b"bsdtar"):
                return program
    return ""


def _in_one_line(text: str) -> str:
    return "; ".join(text.split("\n"))[:200]


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
                if inner is None and (not self._patterns or self._matches(name)):
                    self.found.append(Member(name, target))
                    continue
                if inner is None:  # it is named as an archive, but is none
                    self.left_out.append(name)
                    target.unlink()
                    continue
                if level == _LEVELS:
                    raise HarvestError(f"{name}: is an archive in an archive in an archive; unpack it")
                try:
                    self.unpack(target, inner, f"{name}/", level + 1)
                except HarvestError as error:
                    raise HarvestError(f"{name}: {error}") from error
                target.unlink()

    def _copy(self, stream: BinaryIO, target: Path) -> None:
        limits = self._limits
        with target.open("wb") as out:
            while data := stream.read(_CHUNK):
                self._bytes += len(data)
                if self._bytes > limits.bytes:
                    raise HarvestError(f"contains more than {limits.bytes:,} bytes; unpack it if that is right")
                if self._bytes > limits.free and self._bytes > limits.ratio * self._size:
                    raise HarvestError(
                        f"decompresses to more than {limits.ratio} times its size, as a decompression bomb does; unpack"
                        " it if that is right"
                    )
                out.write(data)

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

    def unpacked(self, folder: Path) -> Unpacked:
        return Unpacked(tuple(Member(name, folder / file) for name, file in self.members), self.left_out)


def unpack_once(path: Path, folder: Path, patterns: Sequence[str] = (), limits: Limits | None = None) -> Unpacked:
    """Return the members of an archive, stored in a separate folder inside ``folder``; unpack it if it changed.

    The separate folder is complete or does not exist. Raises what :func:`unpack` raises.
    """
    try:
        directory = folder / _key(path, patterns)
        if (directory / _INDEX).exists():
            with suppress(msgspec.MsgspecError):  # it was cut when the machine stopped: unpack it again
                return msgspec.json.decode((directory / _INDEX).read_bytes(), type=_Index).unpacked(directory)
        folder.mkdir(parents=True, exist_ok=True)
        _delete_abandoned(folder)
        with tempfile.TemporaryDirectory(prefix=_UNFINISHED, dir=folder) as part, _in_use(Path(part)):
            fresh = Path(part, "members")
            fresh.mkdir()
            unpacked = unpack(path, fresh, patterns, limits)
            index = _Index(tuple((one.name, one.path.name) for one in unpacked.members), unpacked.left_out)
            (fresh / _INDEX).write_bytes(msgspec.json.encode(index))
            if directory.exists():
                shutil.rmtree(directory)
            fresh.rename(directory)
            return index.unpacked(directory)
    except OSError as error:
        raise HarvestError(f"cannot be unpacked to {folder}: {error.strerror or error}") from error


def delete_others(folder: Path, kept: Iterable[Path]) -> None:
    """Delete what :func:`unpack_once` stored in a folder, apart from the folders that contain the ``kept`` files."""
    _delete_abandoned(folder)
    folders = {path.parent for path in kept}
    for directory in folder.iterdir() if folder.is_dir() else ():
        if directory not in folders and (directory / _INDEX).exists():
            shutil.rmtree(directory, ignore_errors=True)


@contextmanager
def _in_use(folder: Path) -> Iterator[None]:
    """Show other processes that a folder is being written; raises ``BlockingIOError`` if one of them does that."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


def _delete_abandoned(folder: Path) -> None:
    """Delete what processes left that were killed while they unpacked."""
    for directory in folder.glob(f"{_UNFINISHED}*"):
        with suppress(OSError), _in_use(directory):
            shutil.rmtree(directory, ignore_errors=True)


def _key(path: Path, patterns: Sequence[str]) -> str:
    """Return a name for a version of a file, as far as the disk distinguishes versions."""
    status = path.stat()
    named = (str(path.absolute()), status.st_size, status.st_mtime_ns, status.st_ino, *patterns)
    return hashlib.blake2b(repr(named).encode(), digest_size=8).hexdigest()
