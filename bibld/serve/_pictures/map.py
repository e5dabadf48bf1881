"""Maps: outlines of land and spots on them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from bibld.serve._pictures.drawing import (
    NARROW,
    SIZE,
    WIDE,
    Caption,
    Picture,
    TableCell,
    link,
    percent,
    to_xml,
    width_of,
)
from bibld.text.geography import outlines

_MIN_UNITS = 3
"""A point that is nearer to the one before is left out, and so is a shape that is smaller in both directions."""

Point = tuple[int, int]


def to_path(rings: Sequence[Sequence[Point]], width: int, height: int) -> str:
    """Return the data of a path that fills closed lines, given in units of the drawing, inside a rectangle.

    A line is cut at the sides of the rectangle; where it is cut, it follows the side.
    """
    parts = []
    for ring in rings:
        shape = _inside(_thinned(ring), width, height)
        if len(shape) > 2:
            (x, y), *others = shape
            steps = []
            for next_x, next_y in others:
                steps.append(f"{next_x - x} {next_y - y}")
                x, y = next_x, next_y
            parts.append(f"M{shape[0][0]} {shape[0][1]}l{' '.join(steps).replace(' -', '-')}z")
    return "".join(parts)


def _thinned(ring: Sequence[Point]) -> list[Point]:
    """Return the points that are far enough from the one before; none of a shape that is too small."""
    kept: list[Point] = []
    x = y = -(10**9)
    for point in ring:
        if abs(point[0] - x) + abs(point[1] - y) >= _MIN_UNITS:
            kept.append(point)
            x, y = point
    return kept if len(kept) > 2 else []


def _inside(ring: Sequence[Point], width: int, height: int) -> Sequence[Point]:
    """Cut a closed line to the rectangle from (0, 0) (Sutherland, Hodgman: Reentrant polygon clipping, 1974)."""
    for axis, bound, sign in ((0, 0, 1), (0, width, -1), (1, 0, 1), (1, height, -1)):
        if not ring:
            break
        ring = _cut(ring, axis, bound, sign)
    return ring


def _cut(ring: Sequence[Point], axis: int, bound: int, sign: int) -> list[Point]:
    """Return the part of a closed line on one side of a bound; ``sign`` is 1 for the side of greater values."""
    kept = []
    before = ring[-1]
    was_in = (before[axis] - bound) * sign >= 0
    for point in ring:
        is_in = (point[axis] - bound) * sign >= 0
        if is_in != was_in:
            part = (bound - before[axis]) / (point[axis] - before[axis])
            across = round(before[1 - axis] + part * (point[1 - axis] - before[1 - axis]))
            kept.append((bound, across) if axis == 0 else (across, bound))
        if is_in:
            kept.append(point)
        before, was_in = point, is_in
    return kept


_HEIGHT = 413
_SHAPE = WIDE / _HEIGHT
_FINENESS = 2
"""Units of the outline a pixel of the widest drawing."""

_MARGIN = 0.12
"""Of the map, on each side of the outermost places."""

_CIRCLE = 360.0
_MIN_DEGREES = 60.0
_SOUTH, _NORTH, _POLE, _STEEPEST = -60.0, 85.0, 90.0, 75.0
"""Latitudes: what maps show at most if no place is nearer to a pole, the pole, and where a degree of longitude is as
short as they draw it."""

_STEPS = (1, 2, 5, 10, 15, 30)
_MAX_LINES = 9
_MAX_SPOTS = 150
_MAX_NAMES = 24
_MIN_RADIUS, _MAX_RADIUS = 0.7, 4.2
"""Radii of circles, as percentages of the diagonal of the drawing (divided by √2, as SVG has it)."""

_GAP = 3
_DIAGONAL = math.hypot(1, 1 / _SHAPE) / math.sqrt(2)
"""What radii are percentages of, as a part of the width."""

_LEADING = 15


class Spot(msgspec.Struct, frozen=True):
    """A place: its name, its position in degrees, its count, its explanation, and a link or none."""

    name: str
    latitude: float
    longitude: float
    count: int
    tip: str = ""
    href: str = ""


class MapFrame(msgspec.Struct, frozen=True):
    """The part of the earth that a map shows, in degrees.

    It is an equidistant cylindrical projection (Snyder: Map projections, 1987, § 12) that is true to scale in the
    middle of the map, but for a map of the world.
    """

    west: float
    north: float
    width: float
    height: float

    def across(self, longitude: float) -> float:
        """Return the position of a longitude, from 0 at the left to 1 at the right."""
        return (longitude - self.west) % _CIRCLE / self.width

    def down(self, latitude: float) -> float:
        """Return the position of a latitude, from 0 at the top to 1 at the foot."""
        return (self.north - latitude) / self.height


def draw_map(caption: Caption, spots: Sequence[Spot]) -> Picture | None:
    """Draw places on a map that shows all of them; None without a place.

    Of very many places the ones with the greatest counts are drawn; their names are written where they have room.
    """
    ordered = sorted((spot for spot in spots if spot.count > 0), key=lambda spot: (-spot.count, spot.name))
    if not ordered:
        return None
    view = view_of(ordered)
    placed = [_place(spot, view, ordered[0].count) for spot in ordered[:_MAX_SPOTS]]
    circles = "".join(link(each.draw(), each.spot.href, each.spot.tip or each.spot.name) for each in placed)
    drawn = f"{_draw_earth(view)}{circles}{''.join(_draw_names(placed))}"
    rows = tuple((TableCell(spot.name, spot.href), TableCell(spot.count)) for spot in ordered[:_MAX_SPOTS])
    has_links = any(each.spot.href for each in placed)
    return Picture(caption, _HEIGHT, drawn, rows, has_links=has_links, kind="map")


def view_of(spots: Sequence[Spot]) -> MapFrame:
    """Return the smallest part of the earth with the shape of the drawing that shows all places and a margin."""
    west, east = _span([spot.longitude for spot in spots])
    south, north = (bound(spot.latitude for spot in spots) for bound in (min, max))
    lowest, highest = (_SOUTH if south > _SOUTH else -_POLE), (_NORTH if north < _NORTH else _POLE)
    middle = (south + north) / 2
    scale = math.cos(math.radians(min(_STEEPEST, abs(middle))))  # of a degree of longitude to one of latitude
    wanted = max(_MIN_DEGREES, (east - west) / (1 - 2 * _MARGIN)), (north - south) / (1 - 2 * _MARGIN)
    width = min(_CIRCLE, max(wanted[0], wanted[1] * _SHAPE / scale))
    height = min(highest - lowest, width * scale / _SHAPE)
    left = (west + east - width) / 2 if width < _CIRCLE else -_CIRCLE / 2
    top = min(highest, max(lowest + height, middle + height / 2))
    return MapFrame(left, top, width, height)


def _span(longitudes: Sequence[float]) -> tuple[float, float]:
    """Return the westernmost and the easternmost longitude, across the 180th meridian if that is less than half as far.

    The second is greater than 180 there.
    """
    west, east = min(longitudes), max(longitudes)
    others = [longitude + _CIRCLE * (longitude < 0) for longitude in longitudes]
    is_across = (max(others) - min(others)) * 2 < east - west
    return (min(others), max(others)) if is_across else (west, east)


class _Placed(msgspec.Struct, frozen=True):
    """A place with its position in the drawing (0 to 1) and the radius of its circle as a percentage."""

    spot: Spot
    across: float
    down: float
    radius: float

    def draw(self) -> str:
        x, y = percent(self.across * 100), percent(self.down * 100)
        return f'<circle class="spot" cx="{x}" cy="{y}" r="{percent(self.radius)}"/>'

    def beside(self, side: int) -> float:
        """Return where the right (1) or the left (-1) side of the circle is, from 0 to 1."""
        return self.across + side * self.radius / 100 * _DIAGONAL


def _place(spot: Spot, view: MapFrame, most: int) -> _Placed:
    """Place a circle whose area is in proportion to the count."""
    radius = max(_MIN_RADIUS, _MAX_RADIUS * math.sqrt(spot.count / most))
    return _Placed(spot, view.across(spot.longitude), view.down(spot.latitude), radius)


def _draw_earth(view: MapFrame) -> str:
    """Draw the land and a net of meridians and parallels."""
    width, height = WIDE * _FINENESS, _HEIGHT * _FINENESS
    left, top = view.west * 100, view.north * 100
    per_degree = (width / view.width / 100, height / view.height / 100)
    rings: dict[tuple[tuple[int, int], ...], None] = {}  # those on both sides of the 180th meridian are found twice
    for ring in outlines(view.width / WIDE):
        xs, ys = ring[::2], ring[1::2]
        if min(ys) >= top or max(ys) <= top - view.height * 100:
            continue
        first, last = min(xs), max(xs)
        for west in (left - _CIRCLE * 100, left, left + _CIRCLE * 100):
            if last > west and first < west + view.width * 100:
                across = [round((x - west) * per_degree[0]) for x in xs]
                down = [round((top - y) * per_degree[1]) for y in ys]
                rings[tuple(zip(across, down, strict=True))] = None
    path = to_path(list(rings), width, height)
    ground = (
        f'<svg width="100%" height="100%" viewBox="0 0 {width} {height}" preserveAspectRatio="none">'
        f'<path class="ground" d="{path}"/></svg>'
        if path
        else ""
    )
    step = next((step for step in _STEPS if view.width / step <= _MAX_LINES), 60)
    lines = [_draw_line(percent(view.across(each) * 100), "x") for each in _multiples(step, view.west, view.width)]
    lines += [
        _draw_line(percent(view.down(each) * 100), "y")
        for each in _multiples(step, view.north - view.height, view.height)
    ]
    return ground + "".join(lines)


def _multiples(step: int, start: float, length: float) -> Iterable[int]:
    return range(math.ceil(start / step) * step, math.floor(start + length) + 1, step)


def _draw_line(at: str, axis: str) -> str:
    other = "y" if axis == "x" else "x"
    return f'<line class="axis net" {axis}1="{at}" {axis}2="{at}" {other}1="0" {other}2="100%"/>'


_Box = tuple[float, float, float, float]
"""Left, top, right, foot, in pixels."""


def _draw_names(placed: Sequence[_Placed]) -> Iterator[str]:
    """Draw the names that overlap no other one, on the right or the left of their circles: fewer of them on phones."""
    taken: dict[int, list[_Box]] = {WIDE: [], NARROW: []}
    count = 0
    for each in placed:
        for side in (1, -1):
            free = [screen for screen, boxes in taken.items() if _is_free(_box(each, side, screen), screen, boxes)]
            if WIDE in free:
                for screen in free:
                    taken[screen].append(_box(each, side, screen))
                yield _draw_name(each, side, "" if NARROW in free else " of-screen")
                count += 1
                break
        if count == _MAX_NAMES:
            return


def _draw_name(each: _Placed, side: int, kind: str) -> str:
    at = f'x="{percent(each.beside(side) * 100)}" y="{percent(each.down * 100)}" dx="{side * _GAP}" dy="4"'
    anchor = ' text-anchor="end"' if side < 0 else ""
    return f'<text class="halo{kind}" {at}{anchor}>{to_xml(each.spot.name)}</text>'


def _box(each: _Placed, side: int, screen: int) -> _Box:
    """Return the room that a name needs on one side of its circle in a drawing of this width."""
    near = each.beside(side) * screen + side * _GAP
    far = near + side * width_of(each.spot.name, SIZE)
    middle = each.down * screen / _SHAPE
    return min(near, far), middle - _LEADING / 2, max(near, far), middle + _LEADING / 2


def _is_free(box: _Box, screen: int, taken: Sequence[_Box]) -> bool:
    is_inside = box[0] >= 0 and box[2] <= screen
    return is_inside and not any(
        box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3] for other in taken
    )
