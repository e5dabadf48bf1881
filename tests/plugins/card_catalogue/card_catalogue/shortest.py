"""The values of the record that has the fewest letters; of equal ones the oldest."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from bibld.protocols import Statement


class Settings(msgspec.Struct, frozen=True):
    """No settings."""


def choose(statements: Sequence[Statement], settings: Settings) -> Sequence[int]:
    """Return the number of the record with the shortest values."""
    return (min(range(len(statements)), key=lambda number: len(repr(statements[number].values))),)
