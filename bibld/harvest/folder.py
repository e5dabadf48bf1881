"""A folder into which another program puts files. A file that is still being written is left for the next run."""

from __future__ import annotations

import fnmatch
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from bibld.errors import HarvestError
from bibld.harvest._mirror import is_unfinished
from bibld.harvest._settings import as_tuple
from bibld.protocols import HarvestedFile


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """``path``: the folder, relative to the configuration; ``files``: patterns for the names of its files;
    ``subfolders``: whether those in its folders are files of the source too; ``order``: by name, or by the time of the
    last change, in which of two versions of a record the later one counts; ``choose``: all files, or only the newest
    one, by that order, for folders of full files; ``settle``: seconds for which a file must not have changed;
    ``complete``: see the keys of every source.
    """

    path: str
    files: str | tuple[str, ...] = "*"
    subfolders: bool = False
    order: Literal["name", "time"] = "name"
    choose: Literal["all", "newest"] = "all"
    settle: Annotated[float, msgspec.Meta(ge=0)] = 60.0
    complete: bool = True


class _FolderFile(msgspec.Struct, frozen=True):
    """A file of the folder: its name below it, when it last changed (ns), and whether it is still being written."""

    name: str
    changed: int
    is_growing: bool


def faults(folder: Path, settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the settings themselves: pairs of key and message."""
    if not as_tuple(settings.files):
        yield "files", "names no file"
    if not settings.path:
        yield "path", "names no folder"


def files(source: str, folder: Path, settings: Settings) -> Iterator[HarvestedFile]:
    """Yield the files that match, in their order.

    One that is still being written is left out of a delta, or where an earlier one is the newest; otherwise the source
    is not complete without it. Raises ``HarvestError`` then, for a folder that cannot be read, and for one without a
    file that matches, unless the source is a delta.
    """
    root = folder / settings.path
    try:
        found = [_examine(path, root, settings) for path in _paths(root, settings)]
    except OSError as error:
        raise HarvestError(f"{settings.path}: the folder cannot be read: {error.strerror}; was it moved?") from error
    finished = [one for one in found if not one.is_growing]
    growing = [one.name for one in found if one.is_growing]
    if settings.choose == "newest":
        finished, growing = finished[-1:], growing if not finished else []
    for one in finished:
        yield HarvestedFile(source, f"{Path(settings.path).as_posix()}/{one.name}", root / one.name)
    if growing and settings.complete:
        names = ", ".join(growing[:3])
        raise HarvestError(f"{settings.path}: still being written: {names}; the next run reads what is finished then")
    if not finished and settings.complete:
        raise HarvestError(
            f"{settings.path}: no file matches {', '.join(as_tuple(settings.files))}; were the files moved?"
        )


def _paths(root: Path, settings: Settings) -> list[Path]:
    entries = root.rglob("*") if settings.subfolders else root.iterdir()
    found = [path for path in entries if path.is_file() and _matches(path.name, settings)]
    if settings.order == "time":
        return sorted(found, key=lambda path: (path.stat().st_mtime_ns, path.as_posix()))
    return sorted(found)


def _matches(name: str, settings: Settings) -> bool:
    later = name.removesuffix(Path(name).suffix) if is_unfinished(name) else name
    return not name.startswith(".") and any(fnmatch.fnmatchcase(later, one) for one in as_tuple(settings.files))


def _examine(path: Path, root: Path, settings: Settings) -> _FolderFile:
    status = path.stat()
    age = time.time() - status.st_mtime
    is_growing = is_unfinished(path.name) or -settings.settle < age < settings.settle
    return _FolderFile(path.relative_to(root).as_posix(), status.st_mtime_ns, is_growing)
