"""Files of merged records: written with the full dumps, and linked by the releases that build on those."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bibld.protocols import ReleaseDraft
from bibld.publish._files import link_or_copy, open_dump

MERGED = re.compile(r"merged-(\d+)-\d+\.(jsonl|mods\.xml)\.(gz|zst)")
"""Names of files of merged records; the number is that of the release that they show."""


def write_records(draft: ReleaseDraft, end: str, frame: tuple[bytes, bytes], items: Iterator[bytes], size: int) -> None:
    """Write ``merged-N-1`` and so on, each with at most ``size`` bytes before compression, or one item.

    Where the full dumps are those of an earlier release, its files are taken over instead. ``frame`` is what a file
    begins and ends with, ``end`` the end of its name.
    """
    if _link_earlier(draft, end):
        return
    head, tail = frame
    item = next(items, b"")
    number = 0
    while item or number == 0:
        number += 1
        written = 0
        with open_dump(draft.folder / f"merged-{draft.manifest.number}-{number}{end}") as out:
            out.write(head)
            while item and (written == 0 or written + len(item) <= size):
                out.write(item)
                written += len(item)
                item = next(items, b"")
            out.write(tail)


def _link_earlier(draft: ReleaseDraft, end: str) -> bool:
    """Take over the files of the previous release; return False where they have to be written."""
    full, previous = draft.manifest.full, draft.previous
    if previous is None or full is None or full.release == draft.manifest.number:
        return False
    names = [file.name for file in previous.manifest.files if MERGED.fullmatch(file.name) and file.name.endswith(end)]
    if not names or not all((previous.folder / name).is_file() for name in names):
        return False
    for name in names:
        link_or_copy(previous.folder / name, draft.folder / name)
    return True
