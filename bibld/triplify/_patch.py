"""What has changed between the quads of clusters or entities and those made again."""

from __future__ import annotations

from collections import Counter


def count_changes(changes: Counter[bytes], before: bytes, after: bytes) -> None:
    """Add by how much the number of owners of each line (without line end) changed."""
    if before != after:
        changes.update(after.splitlines())
        changes.subtract(before.splitlines())
