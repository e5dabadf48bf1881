"""Files that are already on disk: named one by one or by patterns."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from bibld.errors import HarvestError
from bibld.protocols import HarvestedFile

_PATTERN_CHARACTERS = frozenset("*?[")


class Settings(msgspec.Struct, frozen=True):
    """``path``: a file, a pattern (``dump/*.mrc``, ``dump/**/*.xml``) or a list, relative to the configuration."""

    path: str | tuple[str, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """Return the paths as a tuple."""
        return (self.path,) if isinstance(self.path, str) else self.path


def faults(folder: Path, settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the settings before anything is started: pairs of key and message."""
    if not settings.paths:
        yield "path", "names no file"
    for path in settings.paths:
        if not _matches(folder, path):
            kind = "no file matches the pattern" if _PATTERN_CHARACTERS & set(path) else "there is no file"
            yield "path", f'{kind} "{path}" (looked in {folder})'


def on_disk(folder: Path, settings: Settings) -> list[Path]:
    """Return the files that exist, in the order of the list."""
    return [match for path in settings.paths for match in _matches(folder, path)]


def files(source: str, folder: Path, settings: Settings) -> Iterator[HarvestedFile]:
    """Yield the files in the order of the list, the matches of a pattern in the order of their names, each once.

    Raises ``HarvestError`` for a path without a file.
    """
    seen: set[Path] = set()
    for path in settings.paths:
        matches = _matches(folder, path)
        if not matches:
            raise HarvestError(f'source {source}: no file matches "{path}" in {folder}; was it moved?')
        for match in matches:
            if match not in seen:
                seen.add(match)
                yield HarvestedFile(source, Path(os.path.relpath(match, folder)).as_posix(), match)


def _matches(folder: Path, path: str) -> list[Path]:
    absolute = folder / path
    try:
        if not _PATTERN_CHARACTERS & set(path):
            return [absolute] if absolute.is_file() else []
        anchor = Path(absolute.anchor)
        return sorted(match for match in anchor.glob(str(absolute.relative_to(anchor))) if match.is_file())
    except ValueError:  # an invalid pattern (a**b) or path (NUL) matches nothing
        return []
