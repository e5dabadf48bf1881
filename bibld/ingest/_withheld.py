"""Deletions that a run does not do, because they are more than a source may lose: a list for a person to look at."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from bibld.errors import StageError
from bibld.model.origin import RecordId

_FOLDER = "withheld"


class Withheld(msgspec.Struct, frozen=True):
    """Deletions that were not done: their number, why, and the file that lists the ids of the records."""

    source: str
    deletions: int
    reason: str
    file: Path


def withhold(workspace: Path, source: str, records: Iterable[RecordId], reason: str) -> Withheld:
    """List records that would be deleted in a file of the workspace, one id a line; raises ``StageError``."""
    file = workspace / _FOLDER / f"{source}.txt"
    count = 0
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("w", encoding="utf-8") as out:
            for record in records:
                print(record, file=out)
                count += 1
    except OSError as error:
        raise StageError(f"{file}: cannot be written: {error.strerror}; free some space, then run again") from error
    return Withheld(source, count, reason, file)


def clear_withheld(workspace: Path) -> None:
    """Remove the lists of earlier runs."""
    for file in (workspace / _FOLDER).glob("*.txt"):
        file.unlink()
