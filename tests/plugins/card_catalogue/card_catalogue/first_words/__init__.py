"""The first words of the title are the blocking key."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np

from bibld.model.features import FeatureColumns, Statistics
from card_catalogue.first_words.hashing import hash_of

FAMILIES = ("first words",)
COLUMNS = ("title",)


class Settings(msgspec.Struct, frozen=True):
    """``words``: how many words a key has."""

    words: int = 2


def keys(columns: FeatureColumns, settings: Settings, statistics: Statistics) -> tuple[Any, Any]:
    """Return the keys, whose first byte is 0 for the only family, and their rows."""
    found: dict[int, int] = {}
    for row in range(len(columns)):
        words = columns.title.text(row).split()[: settings.words]
        if words:
            found[row] = hash_of(words)
    return np.array([*found.values()], np.uint64), np.array([*found], np.uint32)
