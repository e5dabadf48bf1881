"""The values of the record with the most text, counted in letters and digits.

If records have the same amount, the oldest of them counts.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from bibld.model.mods_plan import words_of
from bibld.protocols import Statement
from bibld.text.folding import fold


class Settings(msgspec.Struct, frozen=True):
    """There are no settings."""


def choose(statements: Sequence[Statement], settings: Settings) -> Sequence[int]:
    """Choose the record with the most text."""
    return (max(range(len(statements)), key=lambda number: (_length(statements[number]), -number)),)


def _length(statement: Statement) -> int:
    return sum(len(fold(words_of(value)).replace(" ", "")) for value in statement.values)
