"""The values of the record that says most: whose values have the most letters and digits.

Of records that say the same amount the oldest counts.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from bibld.model.mods_words import words_of
from bibld.protocols import Statement
from bibld.text.folding import fold


class Settings(msgspec.Struct, frozen=True):
    """There is nothing to choose."""


def chosen(statements: Sequence[Statement], settings: Settings) -> Sequence[int]:
    """The record that says most."""
    return (max(range(len(statements)), key=lambda number: (_length(statements[number]), -number)),)


def _length(statement: Statement) -> int:
    return sum(len(fold(words_of(value)).replace(" ", "")) for value in statement.values)
