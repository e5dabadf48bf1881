"""Maps: the countries and spots on them, as large as the counts of places.

Maps of a region and of Russia are in Lambert's azimuthal equal-area projection around their middle, so that Russia is
not torn at the 180th meridian; maps of the world in the projection Equal Earth, whose middle is 11° east, so that they
end in the Bering Strait. All positions and lengths are parts of the width of the drawing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

import msgspec
import numpy as np
from numpy.typing import NDArray

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


_HEIGHT, _HEIGHT_OF_WORLD, _HEIGHT_OF_KEY = 413, 299, 59
"""Pixels of a drawing that is ``WIDE``; ``drawing.css`` has the proportions, too."""

_FINENESS = 2
"""Units of the outline a pixel of the widest drawing."""

_MARGIN = 0.12
"""Of the map, on each side of the outermost places."""

_CIRCLE = 360.0
_MIN_WIDTH = 0.8
"""Radii of the earth (about 46°)."""

_MAX_DISTANCE = 35.0
"""Degrees from the middle: a map with places that are farther away is one of the world."""

_MIDDLE, _SOUTH, _NORTH = 11.0, -57.0, 84.0
"""Degrees: the middle meridian of the world and the parallels where its map ends."""

_HOME = "RU"
_MAX_SPOTS = 150
_MAX_NAMES = 24
_MIN_RADIUS, _MAX_RADIUS = 0.0058, 0.0347
_GAP = 4
_LEADING = 15

_Degrees = NDArray[np.float64]


class Spot(msgspec.Struct, frozen=True):
    """A place: its name, its position in degrees, its count, its explanation, and a link or none.

    ``country`` is a code of ISO 3166-1, or empty if it is not known.
    """

    name: str
    latitude: float
    longitude: float
    count: int
    tip: str = ""
    href: str = ""
    country: str = ""


class MapFrame(msgspec.Struct, frozen=True):
    """The part of the earth that a map shows: its middle in degrees, and its left, top and width in radii of the earth.

    A map of the world has the middle latitude 0 and another projection.
    """

    longitude: float
    latitude: float
    left: float
    top: float
    width: float
    is_world: bool = False

    @property
    def height(self) -> int:
        """The height of the drawing in pixels, where its width is ``WIDE``."""
        return _HEIGHT_OF_WORLD if self.is_world else _HEIGHT

    def project(self, longitudes: _Degrees, latitudes: _Degrees) -> tuple[_Degrees, _Degrees]:
        """Return positions to the right of the left side and below the top, as parts of the width."""
        project = _equal_earth if self.is_world else _azimuthal
        x, y = project(np.radians(longitudes - self.longitude), np.radians(latitudes), math.radians(self.latitude))
        return (x - self.left) / self.width, (self.top - y) / self.width

    def contains(self, spot: Spot) -> bool:
        """Whether a place is on the map."""
        across, down = self.position(spot)
        return 0 <= across <= 1 and 0 <= down <= self.height / WIDE

    def position(self, spot: Spot) -> tuple[float, float]:
        """Return the position of a place, as parts of the width."""
        longitude = (spot.longitude - self.longitude + _CIRCLE / 2) % _CIRCLE - _CIRCLE / 2 + self.longitude
        across, down = self.project(np.array([longitude]), np.array([spot.latitude]))
        return float(across[0]), float(down[0])


def _azimuthal(across: _Degrees, up: _Degrees, middle: float) -> tuple[_Degrees, _Degrees]:
    """Project radians (Lambert's azimuthal equal-area projection; Snyder: Map projections, 1987, § 24)."""
    cosine = _cosine(across, up, middle)
    scale = np.sqrt(2 / np.maximum(1 + cosine, 1e-9))
    y = math.cos(middle) * np.sin(up) - math.sin(middle) * np.cos(up) * np.cos(across)
    return scale * np.cos(up) * np.sin(across), scale * y


def _equal_earth(across: _Degrees, up: _Degrees, _: float) -> tuple[_Degrees, _Degrees]:
    """Project radians (Šavrič, Patterson, Jenny: The Equal Earth map projection, 2019)."""
    a, b, c, d = 1.340264, -0.081106, 0.000893, 0.003796
    angle = np.arcsin(math.sqrt(3) / 2 * np.sin(up))
    square = angle**2
    sixth = square**3
    slope = a + 3 * b * square + sixth * (7 * c + 9 * d * square)
    return 2 / math.sqrt(3) * across * np.cos(angle) / slope, angle * (a + b * square + sixth * (c + d * square))


RUSSIA = MapFrame(95.0, 62.0, -0.82, 0.52, 1.47)
"""All of Russia, with its neighbours."""

WORLD = MapFrame(_MIDDLE, 0.0, -2.71, 1.2755, 5.42, is_world=True)


def view_of(spots: Sequence[Spot]) -> MapFrame:
    """Return all of Russia if most of what is counted is there; else the smallest map with all places and a margin.

    Where they are far from each other, that is a map of the world.
    """
    counts: Counter[str] = Counter()
    for spot in spots:
        counts[spot.country] += spot.count
    if 2 * counts[_HOME] > counts.total():
        return RUSSIA
    west, east = _span([spot.longitude for spot in spots])
    south, north = (bound(spot.latitude for spot in spots) for bound in (min, max))
    frame = MapFrame((west + east) / 2, (south + north) / 2, 0.0, 0.0, 1.0)
    positions = [frame.position(spot) for spot in spots]
    if max(math.hypot(*position) for position in positions) > 2 * math.sin(math.radians(_MAX_DISTANCE) / 2):
        return WORLD
    (left, right), (top, foot) = ((min(each), max(each)) for each in zip(*positions, strict=True))
    width = max(_MIN_WIDTH, (right - left) / (1 - 2 * _MARGIN), (foot - top) / (1 - 2 * _MARGIN) * WIDE / _HEIGHT)
    start = ((left + right - width) / 2, (width * _HEIGHT / WIDE - top - foot) / 2)
    return MapFrame(frame.longitude, frame.latitude, *start, width)


def _span(longitudes: Sequence[float]) -> tuple[float, float]:
    """Return the westernmost and the easternmost longitude, across the 180th meridian if that is less than half as far.

    The second is greater than 180 there.
    """
    west, east = min(longitudes), max(longitudes)
    others = [longitude + _CIRCLE * (longitude < 0) for longitude in longitudes]
    is_across = (max(others) - min(others)) * 2 < east - west
    return (min(others), max(others)) if is_across else (west, east)


def draw_map(caption: Caption, spots: Sequence[Spot], frame: MapFrame | None = None) -> Picture | None:
    """Draw the places that a map shows, by default one that :func:`view_of` chooses; None without a place.

    Of very many places the ones with the greatest counts are drawn; their names are written where they have room. The
    table has those beyond the map, too.
    """
    ordered = sorted((spot for spot in spots if spot.count > 0), key=lambda spot: (-spot.count, spot.name))
    if not ordered:
        return None
    view = frame or view_of(ordered)
    shown = [spot for spot in ordered if view.contains(spot)][:_MAX_SPOTS]
    most = shown[0].count if shown else 1
    scales = _scales(most, caption.headings[-1] if caption.headings else "")
    height = view.height + (_HEIGHT_OF_KEY if scales else 0)
    placed = [_place(spot, view, most) for spot in shown]
    circles = "".join(
        link(_draw_circle(each.across, each.down, each.radius, height), each.spot.href, each.spot.tip or each.spot.name)
        for each in placed
    )
    names = "".join(_draw_names(placed, view.height / WIDE, height))
    drawn = f"{_draw_earth(view, height)}{circles}{names}{_draw_key(scales, view.height, height)}"
    rows = tuple((TableCell(spot.name, spot.href), TableCell(spot.count)) for spot in ordered[:_MAX_SPOTS])
    kind = f"map{' of-world' if view.is_world else ''}{' with-key' if scales else ''}"
    return Picture(caption, height, drawn, rows, has_links=any(spot.href for spot in shown), kind=kind)


class _Placed(msgspec.Struct, frozen=True):
    """A place with its position in the drawing and the radius of its circle, as parts of the width."""

    spot: Spot
    across: float
    down: float
    radius: float


def _radius(count: int, most: int) -> float:
    """Return the radius of a circle whose area is in proportion to a count; small ones if all counts are."""
    return max(_MIN_RADIUS, min(_MAX_RADIUS, 2 * _MIN_RADIUS * math.sqrt(most)) * math.sqrt(count / most))


def _place(spot: Spot, view: MapFrame, most: int) -> _Placed:
    return _Placed(spot, *view.position(spot), _radius(spot.count, most))


def _draw_circle(across: float, down: float, radius: float, height: int) -> str:
    share = math.hypot(1, height / WIDE) / math.sqrt(2)  # what radii are percentages of
    at = f'cx="{percent(across * 100)}" cy="{percent(down * WIDE / height * 100)}"'
    return f'<circle class="spot" {at} r="{percent(radius / share * 100)}"/>'


@lru_cache(maxsize=16)
def _draw_earth(view: MapFrame, height: int) -> str:
    """Draw the countries."""
    rings = [
        np.array(ring, dtype=np.float64).reshape(-1, 2) / 100 for ring in outlines(math.degrees(view.width) / WIDE)
    ]
    if view.is_world:
        rings = [part for ring in rings for part in _cut_at_sides(ring)]
    if not rings:
        return ""
    points, starts = np.concatenate(rings), np.cumsum([0, *map(len, rings[:-1])])
    across, down = view.project(points[:, 0], points[:, 1])
    is_seen = view.is_world | (np.maximum.reduceat(_cosines(view, points), starts) > 0)
    for values, most in ((across, 1.0), (down, view.height / WIDE)):
        is_seen &= (np.maximum.reduceat(values, starts) > 0) & (np.minimum.reduceat(values, starts) < most)
    width = WIDE * _FINENESS
    placed = np.split((np.stack((across, down), axis=1) * width).round().astype(int), starts[1:])
    shown = [[(x, y) for x, y in ring.tolist()] for ring, seen in zip(placed, is_seen, strict=True) if seen]
    path = to_path(shown, width, view.height * _FINENESS)
    box = f'width="100%" height="{percent(view.height / height * 100)}"'
    return (
        f'<svg {box} viewBox="0 0 {width} {view.height * _FINENESS}" preserveAspectRatio="none">'
        f'<path class="ground" d="{path}"/></svg>'
        if path
        else ""
    )


def _cosines(view: MapFrame, points: _Degrees) -> _Degrees:
    """Return the cosines of distances from the middle of a map: what is on the other side of the earth is not drawn.

    It would be around the map. No country has parts on both sides where it could be drawn through the map.
    """
    longitudes, latitudes = points[:, 0] - view.longitude, points[:, 1]
    return _cosine(np.radians(longitudes), np.radians(latitudes), math.radians(view.latitude))


def _cosine(across: _Degrees, up: _Degrees, middle: float) -> _Degrees:
    cosine: _Degrees = math.sin(middle) * np.sin(up) + math.cos(middle) * np.cos(up) * np.cos(across)
    return cosine


def _cut_at_sides(ring: _Degrees) -> Iterator[_Degrees]:
    """Yield the parts of an outline that a map of the world shows, with the longitudes that it has there."""
    west, east = _MIDDLE - _CIRCLE / 2, _MIDDLE + _CIRCLE / 2
    for shift in (-_CIRCLE, 0.0, _CIRCLE):
        longitudes, latitudes = ring[:, 0] + shift, ring[:, 1]
        if longitudes.max() > west and longitudes.min() < east and latitudes.max() > _SOUTH:
            units = np.stack((longitudes - west, _NORTH - latitudes), axis=1) * 100
            points = [(x, y) for x, y in units.round().astype(int).tolist()]
            cut = _inside(points, int(_CIRCLE * 100), int((_NORTH - _SOUTH) * 100))
            if cut:
                yield np.array(cut, dtype=np.float64) / (100, -100) + (west, _NORTH)


def _scales(most: int, heading: str) -> list[tuple[str, float, float, float]]:
    """Return the key of sizes: texts, where each begins, and where the circle before it is and its radius.

    They have room on the narrowest drawing, where positions are parts of its width. Empty if all circles have one size.
    """
    counts = sorted({_round(most), _round(most / 4), _round(most / 20)} - {0})
    while len(counts) > 1:
        scales = [(f"{heading}:", 0.0, 0.0, 0.0)] if heading else []
        x = width_of(scales[0][0], SIZE) + 12 if heading else 0.0
        for count in counts:
            words, radius = f"{count:,}".replace(",", "\u202f"), _radius(count, most)
            start = x + 2 * radius * NARROW + _GAP
            scales.append((words, start / NARROW, x / NARROW + radius, radius))
            x = start + width_of(words, SIZE) + 12
        if x - 12 <= NARROW:
            return scales
        heading, counts = "", counts if heading else counts[1:]
    return []


def _round(value: float) -> int:
    """Return the largest of 1, 2, 5, 10, 20 … that is not greater; 0 if there is none."""
    power = 10 ** int(math.log10(value)) if value >= 1 else 0
    return max((step * power for step in (1, 2, 5) if step * power <= value), default=0)


def _draw_key(scales: Sequence[tuple[str, float, float, float]], top: int, height: int) -> str:
    middle = (top + height) / 2
    out = []
    for words, start, across, radius in scales:
        at = f'x="{percent(start * 100)}" y="{percent(middle / height * 100)}" dy="4"'
        out.append(_draw_circle(across, middle / WIDE, radius, height) if radius else "")
        out.append(f'<text class="quiet" {at}>{to_xml(words)}</text>')
    return "".join(out)


_Box = tuple[float, float, float, float]
"""Left, top, right, foot, in pixels."""

_DIRECTIONS = ((1, 0), (-1, 0), (0, -1), (0, 1), (0.7, -0.7), (0.7, 0.7), (-0.7, -0.7), (-0.7, 0.7))
_SIDES = tuple((across, down, 0.0) for across, down in _DIRECTIONS)
_FAR_SIDES = tuple((*direction, reach) for reach in (0.03, 0.06, 0.1) for direction in _DIRECTIONS)
"""Where a name is written, in the order of preference: a direction, and how far from the circle."""

_IMPORTANT = 8
"""Places: if their circles are not small, their names may be far from them, at the end of a line."""

_SCREENS = {"of-screen": (WIDE, 960), "of-phone": (NARROW, WIDE)}
"""Pixels: the narrowest and the widest drawing where a class is shown (``drawing.css``)."""

_Side = tuple[float, float, float]


def _draw_names(placed: Sequence[_Placed], share: float, height: int) -> Iterator[str]:
    """Draw the names that cover no circle and no other name: those that have room on screens, and on phones.

    Positions and circles grow with the drawing and letters do not, so that a name that has room on the narrowest and
    the widest drawing has it on those between. ``share`` is the height of the map as a part of the width.
    """
    taken: dict[str, list[tuple[_Box, ...]]] = {kind: [] for kind in _SCREENS}
    for number, each in enumerate(placed):
        is_important = number < _IMPORTANT and each.radius > 2 * _MIN_RADIUS
        wanted = _SIDES + _FAR_SIDES if is_important else _SIDES
        sides = {}
        for kind, names in taken.items():
            if len(names) == _MAX_NAMES:
                continue
            for side in wanted:
                boxes = tuple(_box(each, side, screen) for screen in _SCREENS[kind])
                if _have_room(boxes, _SCREENS[kind], share, placed, names):
                    names.append(boxes)
                    sides[kind] = side
                    break
        if len(sides) == len(taken) and len(set(sides.values())) == 1:
            yield _draw_name(each, next(iter(sides.values())), "", height)
        else:
            for kind, side in sides.items():
                yield _draw_name(each, side, f" {kind}", height)


def _draw_name(each: _Placed, side: _Side, kind: str, height: int) -> str:
    def at(reach: float) -> tuple[str, str]:
        across, down = each.across + side[0] * reach, each.down + side[1] * reach
        return percent(across * 100), percent(down * WIDE / height * 100)

    (x, y), (edge_x, edge_y) = at(each.radius + side[2]), at(each.radius)
    line = f'<line class="base{kind}" x1="{edge_x}" y1="{edge_y}" x2="{x}" y2="{y}"/>' if side[2] else ""
    offset = f'dx="{_sign(side[0]) * _GAP}" dy="{4 + side[1] * (_LEADING / 2 + 1):g}"'
    anchor = ("middle", "start", "end")[_sign(side[0])]
    text = f'<text class="halo{kind}" x="{x}" y="{y}" {offset} text-anchor="{anchor}">{to_xml(each.spot.name)}</text>'
    return f"{line}{text}"


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def _box(each: _Placed, side: _Side, screen: int) -> _Box:
    """Return the room that a name needs on one side of its circle in a drawing of this width."""
    width, reach = width_of(each.spot.name, SIZE), each.radius + side[2]
    x = (each.across + side[0] * reach) * screen + _sign(side[0]) * (_GAP + width / 2)
    y = (each.down + side[1] * reach) * screen + side[1] * (_LEADING / 2 + 1)
    return x - width / 2, y - _LEADING / 2, x + width / 2, y + _LEADING / 2


def _have_room(
    boxes: tuple[_Box, ...],
    screens: tuple[int, ...],
    share: float,
    placed: Sequence[_Placed],
    names: Sequence[tuple[_Box, ...]],
) -> bool:
    """Whether a name is inside the map and covers nothing in drawings of these widths."""
    for number, (screen, (left, top, right, foot)) in enumerate(zip(screens, boxes, strict=True)):
        if left < 0 or right > screen or top < 0 or foot > share * screen:
            return False
        for other in (name[number] for name in names):
            if left < other[2] and other[0] < right and top < other[3] and other[1] < foot:
                return False
        for each in placed:
            x, y = each.across * screen, each.down * screen
            if math.dist((x, y), (min(max(x, left), right), min(max(y, top), foot))) < each.radius * screen:
                return False
    return True
