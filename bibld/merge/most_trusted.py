"""The values of the record, of those that have any, whose source is trusted most (``trust`` of ``[[source]]``).

Of records that are trusted alike the oldest counts.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from bibld.protocols import Statement


class Settings(msgspec.Struct, frozen=True):
    """There is nothing to choose."""


def chosen(statements: Sequence[Statement], settings: Settings) -> Sequence[int]:
    """The oldest record of the most trusted source."""
    return (max(range(len(statements)), key=lambda number: (statements[number].holder.trust, -number)),)
