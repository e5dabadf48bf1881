"""The values of the record that was made or changed last, among those that have any.

A record without a readable date counts as older than any other; of two with the same date the one made later counts.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from bibld.protocols import Statement


class Settings(msgspec.Struct, frozen=True):
    """There are no settings."""


def choose(statements: Sequence[Statement], settings: Settings) -> Sequence[int]:
    """Choose the record that was changed last."""
    return (max(range(len(statements)), key=lambda number: (statements[number].holder.changed, number)),)
