"""Where the places are that records name: coordinates of maps, the outlines of countries, towns by their names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import msgspec

_DIRECTIONS = {"W": -1, "З": -1, "E": 1, "В": 1, "N": 1, "С": 1, "S": -1, "Ю": -1}
_ACROSS = frozenset("WEЗВ")
_STATED = re.compile(
    r"([WENSЗВСЮ])\s*(\d{1,3}(?:[.,]\d+)?)\s*[°⁰º˚]"
    r"(?:\s*(\d{1,2}(?:[.,]\d+)?)\s*[ʹ′'’])?(?:\s*(\d{1,2}(?:[.,]\d+)?)\s*(?:[ʺ″\"”]|''))?"
)
_CODED = re.compile(r"\b([WENS])(\d{2,3})(\d{2})(\d{2}(?:\.\d+)?)\b")
_DECIMAL = re.compile(r"\b([WENS])(\d{1,3}\.\d+)\b")
_WKT = re.compile(r"(?:<[^>]*>\s*)?POINT\s*\(\s*(-?\d+(?:\.\d+)?)\s+(-?\d+(?:\.\d+)?)\s*\)", re.IGNORECASE)
_FIRST_VALUE = re.compile(r"[WENSЗВСЮ]\s*\d")
_CIRCLE, _QUARTER = 360.0, 90.0
_MAX_TEXT_CHARACTERS = 500
"""A longer text is no statement of coordinates."""


class Position(msgspec.Struct, frozen=True):
    """A position in degrees: east of Greenwich and north of the equator are positive."""

    latitude: float
    longitude: float


def position(latitude: float, longitude: float) -> Position | None:
    """Return a position; None if there is none on the earth with these values."""
    is_on_earth = abs(latitude) <= _QUARTER and abs(longitude) <= _CIRCLE / 2
    return Position(latitude, longitude) if is_on_earth else None


def parse_coordinates(text: str) -> Position | None:
    """Return the middle of what coordinates bound; None if the text has none.

    They are written as in field 255 (``W 122°22ʹ--W 121°37ʹ/N 46°22ʹ--N 45°45ʹ``, in Cyrillic letters, too), coded as
    in field 034 (``W1222230 W1213730 N0462230 N0454500``, or decimal), or a point in WKT.

    >>> parse_coordinates("В 37°00′--В 38°00′/С 56°30′--С 55°30′")
    Position(latitude=56.0, longitude=37.5)
    """
    if len(text) > _MAX_TEXT_CHARACTERS:
        return None
    point = _WKT.fullmatch(text.strip())
    if point is not None:
        return position(float(point[2]), float(point[1]))
    if _FIRST_VALUE.search(text) is None:
        return None
    across: list[float] = []
    along: list[float] = []
    for direction, degrees in _degrees(text):
        (across if direction in _ACROSS else along).append(degrees)
    if not across or not along:
        return None
    west, east = across[0], across[-1]
    if west - east > _CIRCLE / 2:  # across the 180th meridian
        east += _CIRCLE
    longitude = (west + east) / 2
    return position((along[0] + along[-1]) / 2, longitude - _CIRCLE if longitude > _CIRCLE / 2 else longitude)


def _degrees(text: str) -> Iterator[tuple[str, float]]:
    """Yield the directions and values in a text, in the first notation that occurs in it."""
    for notation in (_STATED, _CODED, _DECIMAL):
        found = notation.findall(text)
        for direction, *parts in found:
            value = sum(float((part or "0").replace(",", ".")) / 60**place for place, part in enumerate(parts))
            yield direction, value * _DIRECTIONS[direction]
        if found:
            return


OUTLINES_FILE = Path(__file__).with_name("land.json")

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
    return msgspec.json.decode(OUTLINES_FILE.read_bytes(), type=list[list[list[int]]]) if OUTLINES_FILE.exists() else []
