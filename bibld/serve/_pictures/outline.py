"""Outlines as SVG paths: closed lines cut to a rectangle, without points that nobody could see."""

from __future__ import annotations

from collections.abc import Sequence

_FEWEST_UNITS = 3
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
        if abs(point[0] - x) + abs(point[1] - y) >= _FEWEST_UNITS:
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
