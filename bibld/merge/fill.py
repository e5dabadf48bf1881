"""The values of the oldest record that has any; the others fill what it does not have."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from bibld.protocols import Statement


class Settings(msgspec.Struct, frozen=True):
    """There is nothing to choose."""


def chosen(statements: Sequence[Statement], settings: Settings) -> Sequence[int]:
    """The oldest record."""
    return (0,)
