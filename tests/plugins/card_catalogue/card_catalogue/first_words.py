"""The first words of the title are the blocking key."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec
import numpy as np

from bibld.model.features import FeatureColumns, Statistics

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
            digest = hashlib.blake2b(" ".join(words).encode(), digest_size=7).digest()
            found[row] = int.from_bytes(digest, "big")
    return np.array([*found.values()], np.uint64), np.array([*found], np.uint32)
