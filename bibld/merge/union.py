"""The values of all records, each once.

What a publication has once (its dates, its edition, its extent) is filled from the oldest record that has it.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from bibld.protocols import Statement

SINGLE = "fill"


class Settings(msgspec.Struct, frozen=True):
    """There are no settings."""


def choose(statements: Sequence[Statement], settings: Settings) -> Sequence[int]:
    """Choose all records, the oldest first."""
    return range(len(statements))
