"""Drawers: every file of a folder that has a given ending."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from bibld.errors import HarvestError
from bibld.protocols import HarvestedFile


class Settings(msgspec.Struct, frozen=True):
    """``drawer``: a folder, relative to the configuration. ``ending``: that of the names of its files."""

    drawer: str
    ending: str = ".cards"


def files(source: str, folder: Path, settings: Settings) -> Iterator[HarvestedFile]:
    """Yield the files in the order of their names; raises ``HarvestError`` if there is none."""
    drawer = folder / settings.drawer
    found = sorted(drawer.glob(f"*{settings.ending}"))
    if not found:
        raise HarvestError(f"source {source}: no file *{settings.ending} in {drawer}; correct drawer or ending")
    for path in found:
        yield HarvestedFile(source, path.relative_to(folder).as_posix(), path)
