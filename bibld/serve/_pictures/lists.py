"""Bars, steps, combinations of sets (UpSet plot) and tiles: one value for each name."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import msgspec

from bibld.serve._pictures.drawing import (
    NARROW,
    SIZE,
    WIDE,
    Caption,
    Picture,
    TableCell,
    draw_text,
    fit,
    fit_screens,
    link,
    percent,
    width_of,
)

_ROW = 34
_BAR = 10
_MIN_BAR_PERCENT = 0.4
_GAP = 12


class ChartBar(msgspec.Struct, frozen=True):
    """A bar: its name, its value, the value in words, its explanation, and a link or none."""

    name: str
    value: float
    words: str
    tip: str = ""
    href: str = ""


def draw_bars(caption: Caption, bars: Sequence[ChartBar], most: float = 0.0) -> Picture:
    """Draw bars in their order; ``most`` is the value of a bar that fills the width (0: the greatest one)."""
    full = most or max((bar.value for bar in bars), default=1.0) or 1.0
    out = []
    for number, bar in enumerate(bars):
        y = number * _ROW
        room = NARROW - width_of(bar.words, SIZE) - _GAP
        width = min(100.0, max(_MIN_BAR_PERCENT if bar.value else 0.0, bar.value / full * 100))
        marks = (
            f'<rect class="room" x="0" y="{y}" width="100%" height="{_ROW}"/>'
            f"{draw_text('0', y + SIZE + 2, fit(bar.name, room, SIZE))}"
            f"{draw_text('100%', y + SIZE + 2, bar.words, 'quiet', 'end')}"
            f'<rect class="track" x="0" y="{y + SIZE + 7}" width="100%" height="{_BAR}"/>'
            f'<rect class="s1" x="0" y="{y + SIZE + 7}" width="{percent(width)}" height="{_BAR}"/>'
        )
        out.append(link(marks, bar.href, bar.tip or f"{bar.name}: {bar.words}", True))
    rows = tuple((TableCell(bar.name, bar.href), TableCell(bar.words)) for bar in bars)
    return Picture(caption, max(1, len(bars)) * _ROW, "".join(out), rows, has_links=any(bar.href for bar in bars))


class WaterfallStep(msgspec.Struct, frozen=True):
    """What something adds to a sum: its name, the amount (negative: it takes away), and the amount in words."""

    name: str
    amount: float
    words: str


class WaterfallTotal(msgspec.Struct, frozen=True):
    """A sum at the beginning or the end of the steps."""

    name: str
    value: float
    words: str


def draw_waterfall(
    caption: Caption, start: WaterfallTotal, steps: Sequence[WaterfallStep], end: WaterfallTotal
) -> Picture:
    """Draw how steps lead from one value to another; each bar begins where the one before it ends.

    The end is drawn at its own value, so that steps which are not all given leave a visible gap.
    """
    levels = [0.0, start.value, end.value]
    running = start.value
    for step in steps:
        running += step.amount
        levels.append(running)
    low, high = min(levels), max(levels)
    span = (high - low) or 1.0

    def across(value: float) -> float:
        return (value - low) / span * 100

    height = (len(steps) + 2) * _ROW
    zero = percent(across(0.0))
    out = [f'<line class="axis base" x1="{zero}" x2="{zero}" y1="0" y2="{height}"/>']
    out.append(_draw_step(0, start.name, start.words, (across(0.0), across(start.value)), "s6"))
    running = start.value
    for number, step in enumerate(steps, 1):
        kind = "s4" if step.amount >= 0 else "less"
        out.append(_draw_step(number, step.name, step.words, (across(running), across(running + step.amount)), kind))
        running += step.amount
    out.append(_draw_step(len(steps) + 1, end.name, end.words, (across(0.0), across(end.value)), "s1"))
    named = [(start.name, start.words), *((step.name, step.words) for step in steps), (end.name, end.words)]
    rows = tuple((TableCell(name), TableCell(words)) for name, words in named)
    return Picture(caption, height, "".join(out), rows)


def _draw_step(number: int, name: str, words: str, ends: tuple[float, float], kind: str) -> str:
    y = number * _ROW
    left, right = min(ends), max(ends)
    room = NARROW - width_of(words, SIZE) - _GAP
    bar = (
        f'x="{percent(left)}" width="{percent(max(right - left, _MIN_BAR_PERCENT))}" y="{y + SIZE + 7}" height="{_BAR}"'
    )
    line = y + SIZE + 2
    return (
        f"<g>{draw_text('0', line, fit(name, room, SIZE), 'halo')}{draw_text('100%', line, words, 'quiet halo', 'end')}"
        f'<rect class="{kind}" {bar}/></g>'
    )


MAX_COLUMNS = 20
_BARS = 130
_ROW_OF_SET = 38
_DOT = 5
_MIN_PIXELS = 1.5
_UPRIGHT = 8
"""Columns: with more, their numbers are written upwards."""


class Combination(msgspec.Struct, frozen=True):
    """How many members exactly these sets (their positions) have in common; its explanation, and a link."""

    sets: tuple[int, ...]
    count: int
    tip: str = ""
    href: str = ""


def draw_overlap(
    caption: Caption, sets: Sequence[tuple[str, str]], combinations: Sequence[Combination], rest: str = ""
) -> Picture:
    """Draw the overlap of sets; each has a name and a link or none.

    The combinations are drawn from the largest to the smallest one, at most 20; ``rest`` is a line about the others.
    """
    ordered = sorted(combinations, key=lambda each: (-each.count, len(each.sets), each.sets))
    shown = ordered[:MAX_COLUMNS]
    most = max((each.count for each in shown), default=1)
    is_upward = len(shown) > _UPRIGHT
    longest = max((width_of(f"{each.count:,}", SIZE) for each in shown), default=0.0)
    top = 6 + int(longest if is_upward else SIZE)
    foot = top + _BARS
    step = 100 / max(1, len(shown))
    rows_end = foot + 8 + _ROW_OF_SET * len(sets)
    out = []
    for position in range(len(sets)):
        y = foot + 8 + position * _ROW_OF_SET
        if position % 2 == 0:
            out.append(f'<rect class="band" x="0" y="{y}" width="100%" height="{_ROW_OF_SET}"/>')
    for number, each in enumerate(shown):
        out.append(_draw_combination(each, number, step, (most, foot, is_upward), (len(sets), rows_end)))
    for position, (name, href) in enumerate(sets):
        y = foot + 8 + position * _ROW_OF_SET
        named = fit_screens(name, 8, partial(_draw_name, y, position % 2 == 0))
        out.append(link(named, href, name if href else "", True))
    out.append(f'<line class="axis base" x1="0" x2="100%" y1="{foot}" y2="{foot}"/>')
    height = rows_end + 4
    if rest:
        out.append(draw_text("4", height + SIZE + 2, fit(rest, NARROW, SIZE), "quiet"))
        height += SIZE + 10
    rows = tuple(
        (TableCell(" + ".join(sets[position][0] for position in each.sets), each.href), TableCell(each.count))
        for each in ordered
    )
    has_links = any(each.href for each in shown) or any(href for _, href in sets)
    return Picture(caption, height, "".join(out), rows, has_links=has_links)


def _draw_name(y: int, is_on_band: bool, name: str) -> str:
    """Draw the name of a set on a plate, so that no line goes through it."""
    width = f"{width_of(name, SIZE) + 8:.0f}"
    plates = [
        f'<rect class="{plate}" x="0" y="{y + 2}" width="{width}" height="{SIZE + 5}"/>'
        for plate in (("plate", "band") if is_on_band else ("plate",))
    ]
    return f"{''.join(plates)}{draw_text('4', y + SIZE + 2, name, 'halo')}"


def _draw_combination(
    each: Combination, number: int, step: float, bars: tuple[int, int, bool], rows: tuple[int, int]
) -> str:
    """Draw a column: the bar with its number, and a dot in the row of each set."""
    most, foot, is_upward = bars
    sets, end = rows
    middle = percent((number + 0.5) * step)
    height = max(_MIN_PIXELS, each.count / most * _BARS) if each.count else 0.0
    start, width = percent((number + 0.2) * step), percent(step * 0.6)
    out = [
        f'<rect class="room" x="{percent(number * step)}" width="{percent(step)}" y="0" height="{end}"/>',
        f'<rect class="s1" x="{start}" width="{width}" y="{foot - height:.1f}" height="{height:.1f}"/>',
    ]
    count = f"{each.count:,}".replace(",", "\u202f")
    if is_upward:
        turned = draw_text("4", SIZE / 2 - 2, count, "quiet").replace("<text", '<text transform="rotate(-90)"')
        out.append(f'<svg x="{middle}" y="{foot - height:.1f}" overflow="visible">{turned}</svg>')
    else:
        out.append(draw_text(middle, round(foot - height - 4, 1), count, "quiet", "middle"))
    positions = [foot + 8 + position * _ROW_OF_SET + _ROW_OF_SET - _DOT - 6 for position in range(sets)]
    member = [positions[position] for position in each.sets]
    for index in positions:
        kind = "on" if index in member else "off"
        out.append(f'<circle class="{kind}" cx="{middle}" cy="{index}" r="{_DOT}"/>')
    if len(member) > 1:
        out.append(f'<line class="joint" x1="{middle}" x2="{middle}" y1="{min(member)}" y2="{max(member)}"/>')
    return link("".join(out), each.href, each.tip, True)


_HEIGHT = 320
_MARGIN = 6
_LINES = 3
_LEADING = 16
_READABLE = 5
"""Characters: a name that is cut to fewer is left out."""


class Tile(msgspec.Struct, frozen=True):
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


def draw_treemap(caption: Caption, parts: Sequence[Tile]) -> Picture:
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
    rows = tuple((TableCell(part.name, part.href), TableCell(part.count)) for part in ordered)
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
        folder = y if is_upright else x
        for number, count in row:
            length = count * scale / depth if depth else 0.0
            if is_upright:
                boxes.append(Box(number, x / aspect, folder, depth / aspect, length))
            else:
                boxes.append(Box(number, folder / aspect, y, length / aspect, depth))
            folder += length
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
