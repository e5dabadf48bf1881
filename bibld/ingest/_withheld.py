"""Deletions that a run does not do, because they are more than a source may lose: a list for a person to look at."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from bibld.catalog import Catalog
from bibld.errors import StageError

_FOLDER = "withheld"


class Withheld(msgspec.Struct, frozen=True):
    """Deletions that were not done: their number, why, and the file that lists the ids of the records."""

    source: str
    deletions: int
    reason: str
    file: Path


def withhold(catalog: Catalog, source: str, ordinals: Iterable[int], reason: str) -> Withheld:
    """List records that would be deleted in a file of the workspace, one id a line; raises ``StageError``."""
    file = catalog.workspace / _FOLDER / f"{source}.txt"
    count = 0
    try:
        file.parent.mkdir(exist_ok=True)
        with file.open("w", encoding="utf-8") as out:
            for ordinal in ordinals:
                print(catalog.register.record(ordinal), file=out)
                count += 1
    except OSError as error:
        raise StageError(f"{file}: cannot be written: {error.strerror}; free some space, then run again") from error
    return Withheld(source, count, reason, file)


def clear_withheld(catalog: Catalog) -> None:
    """Remove the lists of earlier runs."""
    for file in (catalog.workspace / _FOLDER).glob("*.txt"):
        file.unlink()
