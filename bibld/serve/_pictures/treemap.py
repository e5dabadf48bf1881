"""Parts of a sum as tiles whose areas are their counts."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from bibld.serve._pictures.drawing import NARROW, SIZE, WIDE, Caption, Cell, Picture, draw_text, link, percent
from bibld.serve._pictures.texts import fit

_HEIGHT = 320
_MARGIN = 6
_LINES = 3
_LEADING = 16
_READABLE = 5
"""Characters: a name that is cut to fewer is left out."""


class Part(msgspec.Struct, frozen=True):
    """A part: its name, its count, its explanation, and a link or none."""

    name: str
    count: int
    tip: str = ""
    href: str = ""


class Box(msgspec.Struct, frozen=True):
    """A rectangle; ``number`` is the position of the part that it shows."""

    number: int
    x: float
    y: float
    width: float
    height: float


def draw_treemap(caption: Caption, parts: Sequence[Part]) -> Picture:
    """Draw parts as tiles, the largest at the top left. Names are written where they fit."""
    ordered = sorted((part for part in parts if part.count > 0), key=lambda part: (-part.count, part.name))
    out = []
    for box in tile([part.count for part in ordered], 100.0, float(_HEIGHT), WIDE / 100):
        part = ordered[box.number]
        words = _label(part.name, box, WIDE, "of-screen") + _label(part.name, box, NARROW, "of-phone")
        inner = f'<rect class="tile" x="0" y="0" width="100%" height="100%"/>{words}'
        frame = (
            f'<svg x="{percent(box.x)}" y="{box.y:.1f}" width="{percent(box.width)}" height="{box.height:.1f}">'
            f"{inner}</svg>"
        )
        out.append(link(frame, part.href, part.tip or part.name))
    rows = tuple((Cell(part.name, part.href), Cell(part.count)) for part in ordered)
    return Picture(caption, _HEIGHT, "".join(out), rows, has_links=any(part.href for part in parts))


def _label(name: str, box: Box, width: int, kind: str) -> str:
    """Write the name into a tile, in as many lines as it has room for at this width of the picture."""
    room = box.width / 100 * width - 2 * _MARGIN
    most = min(_LINES, int((box.height - _MARGIN) // _LEADING))
    lines: list[str] = []
    left = name.split(" ")
    while left and len(lines) < most:
        line = left.pop(0)
        while left and fit(f"{line} {left[0]}", room, SIZE) == f"{line} {left[0]}":
            line = f"{line} {left.pop(0)}"
        if len(lines) == most - 1 and left:
            line = f"{line} {' '.join(left)}"
        lines.append(fit(line, room, SIZE))
    if (
        not all(lines)
        or not lines
        or any(len(line) < min(_READABLE, len(name)) and line.endswith("…") for line in lines)
    ):
        return ""
    return "".join(
        draw_text(str(_MARGIN), _MARGIN + SIZE + number * _LEADING, line, f"in-tile {kind}")
        for number, line in enumerate(lines)
    )


def tile(counts: Sequence[int], width: float, height: float, aspect: float) -> list[Box]:
    """Divide a rectangle into boxes with areas as these counts (descending), as square as possible.

    ``aspect`` is how many times longer a unit of the width is than one of the height. The boxes fill the rectangle
    (Bruls, Huizing, van Wijk: Squarified treemaps, 2000).
    """
    total = sum(counts)
    boxes: list[Box] = []
    x, y, right, bottom = 0.0, 0.0, width * aspect, height
    left = list(enumerate(counts))
    scale = right * bottom / total if total else 0.0
    while left:
        side = min(right - x, bottom - y)
        row = [left.pop(0)]
        while left and _worst([*row, left[0]], side, scale) <= _worst(row, side, scale):
            row.append(left.pop(0))
        area = sum(count for _, count in row) * scale
        is_upright = right - x >= bottom - y
        depth = min(area / side, right - x if is_upright else bottom - y) if side else 0.0
        place = y if is_upright else x
        for number, count in row:
            length = count * scale / depth if depth else 0.0
            if is_upright:
                boxes.append(Box(number, x / aspect, place, depth / aspect, length))
            else:
                boxes.append(Box(number, place / aspect, y, length / aspect, depth))
            place += length
        if is_upright:
            x += depth
        else:
            y += depth
    return boxes


def _worst(row: Sequence[tuple[int, int]], side: float, scale: float) -> float:
    """Return the greatest ratio of the sides of a box in a row along a side."""
    areas = [count * scale for _, count in row]
    total = sum(areas)
    if not side or not total:
        return float("inf")
    return max(max(side * side * area / total**2, total**2 / (side * side * area)) for area in areas)
