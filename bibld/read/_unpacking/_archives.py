"""Archives as iterators of members: zip and tar by the standard library, 7z and rar by the program bsdtar."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import tarfile
import tempfile
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Literal, cast

import msgspec

from bibld.errors import HarvestError
from bibld.read._unpacking._streams import open_decompressed

Archive = Literal["zip", "tar", "7z", "rar"]

ARCHIVES: dict[Archive, str] = {
    "zip": "zip archive",
    "tar": "tar archive, also compressed",
    "7z": "7z archive, where bsdtar is installed",
    "rar": "rar archive, where bsdtar is installed",
}

_MAGIC: tuple[tuple[bytes, Archive], ...] = (
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!\x1a\x07", "rar"),
)
_BLOCK = 512
_MAGIC_OF_TAR = b"ustar"
_PLACE_OF_MAGIC, _PLACE_OF_SUM = 257, 148
_UTF8_NAME = 0x800
_ENCRYPTED = 0x1
_DEFLATE64 = 9
_INSTALL = "install bsdtar (Debian: libarchive-tools), or unpack it"

LONGEST_SECONDS = 6 * 3600.0
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
    watched = _Tail(stream)
    with tarfile.open(fileobj=cast(BinaryIO, watched), mode="r|", errorlevel=1, encoding="utf-8") as archive:
        for entry in archive:
            content = archive.extractfile(entry) if entry.isreg() else None
            yield OpenMember(entry.name, cast(BinaryIO, content) if content is not None else None)
        while watched.read(_BLOCK * 128):
            pass
    if watched.tail.strip(b"\0") or len(watched.tail) < _BLOCK:
        raise HarvestError("the archive is cut off; fetch it again")


class _Tail(io.RawIOBase):
    """A stream that remembers its last block: a complete tar archive ends with zeros."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.tail = b""

    def read(self, size: int = -1, /) -> bytes:
        data = self._stream.read(size)
        if data:
            self.tail = (self.tail + data[-_BLOCK:])[-_BLOCK:]
        return data


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
        _ended_after(process, LONGEST_SECONDS) as is_late,
    ):
        assert process.stdout is not None
        try:
            yield from _members_of_tar(cast(BinaryIO, process.stdout))
        except (tarfile.TarError, HarvestError) as error:
            process.kill()
            message = _late(is_late) or _message(errors) or _in_one_line(str(error))
            raise HarvestError(f"the archive cannot be read ({message}); fetch it again") from error
        except BaseException:
            process.kill()
            raise
        if process.wait():
            raise HarvestError(f"the archive cannot be read ({_late(is_late) or _message(errors)}); fetch it again")


@contextmanager
def _ended_after(process: subprocess.Popen[bytes], seconds: float) -> Iterator[threading.Event]:
    """End a program that runs longer; the event states that it did."""
    is_late = threading.Event()

    def end() -> None:
        is_late.set()
        process.kill()

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield is_late
    finally:
        timer.cancel()


def _late(is_late: threading.Event) -> str:
    return f"bsdtar took longer than {LONGEST_SECONDS:,.0f} s" if is_late.is_set() else ""


def _message(errors: BinaryIO) -> str:
    """Return the beginning of what a program wrote about errors, in one line."""
    errors.seek(0)
    return _in_one_line(errors.read(_BLOCK).decode(errors="replace").strip())


def _bsdtar() -> str:
    """Return the program; empty if it is not installed. On macOS and Windows it is called tar."""
    for name in ("bsdtar", "tar"):
        program = shutil.which(name)
        if program and (name == "bsdtar" or _is_bsdtar(program)):
            return program
    return ""


def _is_bsdtar(program: str) -> bool:
    answer = subprocess.run([program, "--version"], capture_output=True, check=False, stdin=subprocess.DEVNULL)
    return answer.stdout.startswith(b"bsdtar")


def _in_one_line(text: str) -> str:
    return "; ".join(text.split("\n"))[:200]
