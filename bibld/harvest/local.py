"""Files that are already on disk: named one by one or by patterns."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import msgspec

from bibld.errors import HarvestError
from bibld.harvest._settings import as_tuple
from bibld.protocols import HarvestedFile

_PATTERN_CHARACTERS = frozenset("*?[")


class Settings(msgspec.Struct, frozen=True):
    """``path``: a file, a pattern (``dump/*.mrc``, ``dump/**/*.xml``) or a list, relative to the configuration.

    ``complete`` and ``deletes`` are the keys of every source: a delta with a list of deletions needs no file.
    """

    path: str | tuple[str, ...]
    complete: bool = True
    deletes: str = ""


def faults(folder: Path, settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the settings themselves: pairs of key and message. Files may come later."""
    if not as_tuple(settings.path):
        yield "path", "names no file"
    for path in as_tuple(settings.path):
        try:
            _matches(folder, path)
        except ValueError:
            yield "path", f'"{path}" is not a file name or pattern'


def on_disk(folder: Path, settings: Settings) -> list[Path]:
    """Return the files that exist, in the order of the list."""
    return [match for path in as_tuple(settings.path) for match in _matches(folder, path) if match.is_file()]


def files(source: str, folder: Path, settings: Settings) -> Iterator[HarvestedFile]:
    """Yield the files in the order of the list, the matches of a pattern in the order of their names, each once.

    Raises ``HarvestError`` after the last file if a path leads to no file, or to something that is not a file. A delta
    may consist of its list of deletions alone.
    """
    may_be_absent = bool(settings.deletes) and not settings.complete
    seen: set[Path] = set()
    missing: list[str] = []
    for path in as_tuple(settings.path):
        matches = _matches(folder, path)
        if may_be_absent and _is_readable(folder, path):
            matches = [match for match in matches if os.path.lexists(match)]
        elif not matches:
            missing.append(_fault_of_pattern(folder, path))
        for match in matches:
            name = Path(os.path.relpath(match, folder)).as_posix()
            if fault := _fault_of_file(match):
                missing.append(f"{name}: {fault}")
            elif match not in seen:
                seen.add(match)
                yield HarvestedFile(source, name, match)
    if missing:
        raise HarvestError("; ".join(missing))


def _matches(folder: Path, path: str) -> list[Path]:
    """Return the paths that match, files or not; raises ``ValueError`` for a text that cannot be a pattern or path."""
    absolute = folder / path
    if "\0" in path:
        raise ValueError(path)
    if not _PATTERN_CHARACTERS & set(path):
        return [absolute]
    anchor = Path(absolute.anchor)
    found = anchor.glob(str(absolute.relative_to(anchor)))
    return sorted(match for match in found if not match.is_dir())


def _fault_of_file(path: Path) -> str:
    """Return why a path is not a file, and what to do; empty if it is one."""
    try:
        mode = path.stat().st_mode
    except OSError as error:
        if error.errno == errno.ELOOP:
            return "is a loop of symbolic links; put the file there"
        if error.errno == errno.ENOENT:
            kind = "is a symbolic link to a file that does not exist" if path.is_symlink() else "not found"
            return f"{kind} (looked in {path.parent}); was it moved?"
        return f"cannot be read: {error.strerror}; check the permissions of its folders"
    if stat.S_ISREG(mode):
        return ""
    if stat.S_ISDIR(mode):
        return 'is a folder, not a file; name the files in it, such as path = "folder/*.mrc"'
    kind = "FIFO" if stat.S_ISFIFO(mode) else "device or socket"
    return f"is a {kind}, not a file; put the file there"


def _fault_of_pattern(folder: Path, path: str) -> str:
    """Return why no file matches a pattern: perhaps its folder cannot be read."""
    directory = _folder_of(folder, path)
    if directory.is_dir() and not _is_readable(folder, path):
        return f'no file matches "{path}": the folder {directory} cannot be read; check its permissions'
    return f'no file matches "{path}" (looked in {folder}); were the files moved?'


def _is_readable(folder: Path, path: str) -> bool:
    """Whether the folder of a path can be read, so that it is known which files it contains."""
    directory = _folder_of(folder, path)
    return directory.is_dir() and os.access(directory, os.R_OK | os.X_OK)


def _folder_of(folder: Path, path: str) -> Path:
    """Return the deepest folder of a path before its first special character."""
    directory = folder
    for part in Path(path).parts[:-1]:
        if _PATTERN_CHARACTERS & set(part):
            break
        directory = directory / part
    return directory
