"""The values of the record, of those that have any, that was made or changed last.

A record without a readable date is older than any other; of two with the same date that counts which was made later.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from bibld.protocols import Statement


class Settings(msgspec.Struct, frozen=True):
    """There is nothing to choose."""


def chosen(statements: Sequence[Statement], settings: Settings) -> Sequence[int]:
    """The record that was changed last."""
    return (max(range(len(statements)), key=lambda number: (statements[number].holder.changed, number)),)
