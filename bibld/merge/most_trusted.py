"""The values of the record whose source is trusted most (``trust`` of ``[[source]]``), among those that have any.

If sources are trusted equally, the oldest record counts.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from bibld.protocols import Statement


class Settings(msgspec.Struct, frozen=True):
    """There are no settings."""


def choose(statements: Sequence[Statement], settings: Settings) -> Sequence[int]:
    """Choose the oldest record of the most trusted source."""
    return (max(range(len(statements)), key=lambda number: (statements[number].holder.trust, -number)),)
