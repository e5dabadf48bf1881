"""The neighbourhood of one thing: it is in the middle, and around it is what it is linked with, a sector for each kind.

On a phone the same is a tree. A sector has at most twelve names, and the number of the others.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import msgspec

from bibld.serve._pictures.columns import SERIES
from bibld.serve._pictures.drawing import (
    NARROW,
    SIZE,
    WIDE,
    Caption,
    Picture,
    TableCell,
    draw_text,
    fit,
    link,
    percent,
    to_xml,
    wrap,
)

MAX_NAMES = 12
_LINE = 22
_RING = 0.27
"""The greatest distance of a name from the middle, as a part of the width."""

_BROAD = 960
"""Pixels: a drawing that is at least as wide has longer names (``drawing.css``)."""

_EDGE = 14
_MIN_RADIUS, _MAX_RADIUS = 3.0, 8.0
_TREE_INDENT = 22


class Neighbour(msgspec.Struct, frozen=True):
    """A thing beside the one in the middle: its name, a link or none, and how often both occur together.

    ``page`` is the link in the table, if it is another one.
    """

    name: str
    href: str = ""
    count: int = 1
    tip: str = ""
    page: str = ""


class Sector(msgspec.Struct, frozen=True):
    """The neighbours of one kind, the most important first.

    ``more`` is the text where not all are drawn ("and 30 more"), with a link to all of them or none. ``origin`` is the
    name of the neighbour in an earlier sector that these are neighbours of; empty if it is the thing in the middle.
    """

    kind: str
    neighbours: tuple[Neighbour, ...]
    more: str = ""
    more_href: str = ""
    origin: str = ""


class Placed(msgspec.Struct, frozen=True):
    """A line of the drawing: a neighbour, or the heading of its sector (``count`` 0), and where its text is.

    ``dot`` is the place of its point from 0 to 1 of the width, ``y`` the middle of its line in pixels; the text goes
    to the right of the point, or to the left of it, as far as ``room`` pixels; in a broad drawing ``room_of_broad``.
    """

    words: str
    href: str
    tip: str
    count: int
    sector: int
    dot: float
    y: float
    is_right: bool
    room: float
    room_of_broad: float


def draw_neighbourhood(caption: Caption, centre: str, sectors: Sequence[Sector]) -> Picture:
    """Draw a thing (its name) with its neighbours; each leads to its own page, from where one goes on."""
    used = [sector for sector in sectors if sector.neighbours]
    placed = list(place_around(used))
    rows_of_side = max((sum(1 for each in placed if each.is_right is side) for side in (True, False)), default=1)
    height = (max(rows_of_side, 4) + 1) * _LINE + _EDGE
    most = max((each.count for each in placed), default=1)
    middle = height / 2
    out = []
    starts = {(used[each.sector].origin, each.words): each for each in placed if each.count}
    for each in placed:
        if each.count:
            origin = starts.get(("", used[each.sector].origin))
            x, y = (origin.dot, origin.y) if origin is not None else (0.5, middle)
            line = f'x1="{percent(x * 100)}" y1="{y:g}" x2="{percent(each.dot * 100)}" y2="{each.y:g}"'
            out.append(f'<line class="edge l{each.sector % SERIES + 1}" {line}/>')
    for each in placed:
        out.append(_draw(each, most))
    out.append(f'<circle class="on" cx="50%" cy="{middle:g}" r="9"><title>{to_xml(centre)}</title></circle>')
    lines = wrap(centre, WIDE * _RING * 1.4, 2)
    for number, words in enumerate(lines):
        out.append(draw_text("50%", middle + 26 + number * 15, words, "strong halo", "middle"))
    tree, tree_height = _draw_tree(centre, used, most)
    rows = tuple(
        (TableCell(each.name, each.page or each.href), TableCell(sector.kind), TableCell(each.count))
        for sector in used
        for each in sector.neighbours
    )
    return Picture(caption, height, "".join(out), rows, tree, tree_height, has_links=True)


def _lines_of(sectors: Sequence[Sector]) -> Iterator[tuple[str, str, str, int, int]]:
    """Yield the lines of the drawing in their order: text, link, explanation, count (0: not a neighbour), sector."""
    for number, sector in enumerate(sectors):
        yield sector.kind, "", "", 0, number
        for each in sector.neighbours[:MAX_NAMES]:
            yield each.name, each.href, each.tip or each.name, max(1, each.count), number
        if sector.more:
            yield sector.more, sector.more_href, sector.more, 0, number


def place_around(sectors: Sequence[Sector]) -> Iterator[Placed]:
    """Place the lines of all sectors clockwise on an ellipse: first those on the right, then on the left.

    No two lines on a side have the same height, so that no text is on another. A sector is not divided if both sides
    are not much longer then.
    """
    lines = list(_lines_of(sectors))
    ends, total = [0], 0
    for number in range(len(sectors)):
        total += sum(1 for line in lines if line[4] == number)
        ends.append(total)
    half = min(ends, key=lambda end: (abs(total - 2 * end), end))
    if max(half, total - half) > 0.75 * total and total > MAX_NAMES:
        half = (total + 1) // 2
    rows = max(half, total - half, 4)
    middle = ((rows + 1) * _LINE + _EDGE) / 2
    for side, part in ((True, lines[:half]), (False, lines[half:][::-1])):
        if not side:
            part = _headings_first(part)
        start = middle - (len(part) - 1) / 2 * _LINE
        for row, (words, href, tip, count, sector) in enumerate(part):
            y = start + row * _LINE
            reach = max(0.25, math.sqrt(max(0.0, 1 - ((y - middle) / (middle * 1.04)) ** 2))) * _RING
            dot = 0.5 + reach if side else 0.5 - reach
            room, room_of_broad = ((0.5 - reach) * width - _MAX_RADIUS - 6 for width in (WIDE, _BROAD))
            yield Placed(words, href, tip, count, sector, dot, y, side, room, room_of_broad)


def _headings_first(lines: list[tuple[str, str, str, int, int]]) -> list[tuple[str, str, str, int, int]]:
    """Return the lines of the left side, where sectors go upwards, with each sector in reading order."""
    order = list(dict.fromkeys(line[4] for line in lines))
    return [line for sector in order for line in reversed([each for each in lines if each[4] == sector])]


def _draw(each: Placed, most: int) -> str:
    anchor, sign = ("start", 1) if each.is_right else ("end", -1)
    x = percent(each.dot * 100)
    radius = _radius(each.count, most) if each.count else 0.0
    offset = sign * (_MAX_RADIUS + 4)
    kind = f"s{each.sector % SERIES + 1}"
    strong = "strong" if not each.count and not each.href else ""
    short, long = (fit(each.words, room, SIZE) for room in (each.room, each.room_of_broad))
    marks = draw_text(f"{offset:g}", 4, short, strong if short == long else f"{strong} cut-name".strip(), anchor)
    if short != long:
        marks += draw_text(f"{offset:g}", 4, long, f"{strong} uncut-name".strip(), anchor)
    if radius:
        marks += f'<circle class="{kind}" r="{radius:.1f}"/>'
    elif not each.href:
        marks += f'<rect class="{kind}" x="-4" y="-4" width="8" height="8"/>'
    inner = f'<svg x="{x}" y="{each.y:g}" overflow="visible">{marks}</svg>'
    return link(inner, each.href, each.tip, True)


def _radius(count: int, most: int) -> float:
    return _MIN_RADIUS + (_MAX_RADIUS - _MIN_RADIUS) * math.sqrt(count / max(1, most))


def _draw_tree(centre: str, sectors: Sequence[Sector], most: int) -> tuple[str, int]:
    """Draw the lines under each other; return the drawing and its height."""
    out = []
    y = 12
    for words in wrap(centre, NARROW - 30, 2):
        out.append(draw_text("20", y + 4, words, "strong"))
        y += 16
    y += 10
    start, joint = 12, 12
    for words, href, tip, count, sector in _lines_of(sectors):
        x = 10 if not count and not href else _TREE_INDENT
        room = NARROW - x - 16
        kind = sector % SERIES + 1
        if x == 10:
            joint = y
        marks = [draw_text(str(x + 14), y + 4, fit(words, room, SIZE), "" if count or href else "strong")]
        if count:
            marks.append(f'<circle class="s{kind}" cx="{x}" cy="{y}" r="{_radius(count, most):.1f}"/>')
        elif not href:
            marks.append(f'<rect class="s{kind}" x="{x - 4}" y="{y - 4}" width="8" height="8"/>')
        out.append(link("".join(marks), href, tip, True))
        y += _LINE
    line = f'<line class="axis" x1="10" x2="10" y1="{start}" y2="{joint}"/>'
    dot = f'<circle class="on" cx="10" cy="{start}" r="7"/>'
    return line + dot + "".join(out), y
