"""The outlines of the land (Natural Earth), for maps."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import msgspec

FILE = Path(__file__).with_name("land.json")

_FINE = 0.3
"""Degrees a pixel: below it the second, finer outline is drawn."""


def outlines(degrees_a_pixel: float) -> list[list[int]]:
    """Return closed lines of longitudes and latitudes in turn, in hundredths of a degree; none if they were not made.

    They are as fine as a map needs whose pixels have this width.
    """
    levels = _levels()
    return levels[int(degrees_a_pixel < _FINE)] if levels else []


@lru_cache(maxsize=1)
def _levels() -> list[list[list[int]]]:
    return msgspec.json.decode(FILE.read_bytes(), type=list[list[list[int]]]) if FILE.exists() else []
