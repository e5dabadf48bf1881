"""Files that already lie on disk: named one by one or by patterns."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from bibld.errors import HarvestError
from bibld.protocols import HarvestedFile

_PATTERN_CHARACTERS = frozenset("*?[")


class Settings(msgspec.Struct, frozen=True):
    """``path``: a file, a pattern (``dump/*.mrc``, ``dump/**/*.xml``), or a list of them, relative to the
    configuration."""

    path: str | tuple[str, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths as a tuple."""
        return (self.path,) if isinstance(self.path, str) else self.path


def faults(folder: Path, settings: Settings) -> Iterator[tuple[str, str]]:
    """What is wrong with the settings before anything is started: pairs of key and message."""
    if not settings.paths:
        yield "path", "names no file"
    for path in settings.paths:
        if not _matches(folder, path):
            kind = "no file matches the pattern" if _PATTERN_CHARACTERS & set(path) else "there is no file"
            yield "path", f'{kind} "{path}" (looked in {folder})'


def on_disk(folder: Path, settings: Settings) -> list[Path]:
    """The files that are there already, in the order of the list."""
    return [match for path in settings.paths for match in _matches(folder, path)]


def files(source: str, folder: Path, settings: Settings) -> Iterator[HarvestedFile]:
    """The files in the order of the list, the matches of a pattern in the order of their names, each once.

    Raises ``HarvestError`` for a path that leads nowhere.
    """
    seen: set[Path] = set()
    for path in settings.paths:
        matches = _matches(folder, path)
        if not matches:
            raise HarvestError(f'source {source}: no file matches "{path}" in {folder}; was it moved?')
        for match in matches:
            if match not in seen:
                seen.add(match)
                yield HarvestedFile(source, _name(match, folder), match)


def _matches(folder: Path, path: str) -> list[Path]:
    whole = folder / path
    try:
        if not _PATTERN_CHARACTERS & set(path):
            return [whole] if whole.is_file() else []
        anchor = Path(whole.anchor)
        return sorted(match for match in anchor.glob(str(whole.relative_to(anchor))) if match.is_file())
    except ValueError:  # what is no pattern (a**b) or no path (NUL) matches nothing
        return []


def _name(file: Path, folder: Path) -> str:
    return Path(os.path.relpath(file, folder)).as_posix()
