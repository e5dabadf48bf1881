"""Which sets have members in common, as an UpSet plot: a row for each set, a column for each combination of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import msgspec

from bibld.serve._pictures.drawing import NARROW, SIZE, Caption, Cell, Picture, draw_text, fit_screens, link, percent
from bibld.serve._pictures.texts import fit, width_of

MOST_COLUMNS = 20
_BARS = 130
_ROW = 38
_DOT = 5
_FEWEST_PIXELS = 1.5
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
    shown = ordered[:MOST_COLUMNS]
    most = max((each.count for each in shown), default=1)
    is_upward = len(shown) > _UPRIGHT
    longest = max((width_of(f"{each.count:,}", SIZE) for each in shown), default=0.0)
    top = 6 + int(longest if is_upward else SIZE)
    foot = top + _BARS
    step = 100 / max(1, len(shown))
    rows_end = foot + 8 + _ROW * len(sets)
    out = []
    for position in range(len(sets)):
        y = foot + 8 + position * _ROW
        if position % 2 == 0:
            out.append(f'<rect class="band" x="0" y="{y}" width="100%" height="{_ROW}"/>')
    for number, each in enumerate(shown):
        out.append(_draw_combination(each, number, step, (most, foot, is_upward), (len(sets), rows_end)))
    for position, (name, href) in enumerate(sets):
        y = foot + 8 + position * _ROW
        named = fit_screens(name, 8, partial(_draw_name, y, position % 2 == 0))
        out.append(link(named, href, name if href else "", True))
    out.append(f'<line class="axis base" x1="0" x2="100%" y1="{foot}" y2="{foot}"/>')
    height = rows_end + 4
    if rest:
        out.append(draw_text("4", height + SIZE + 2, fit(rest, NARROW, SIZE), "quiet"))
        height += SIZE + 10
    rows = tuple(
        (Cell(" + ".join(sets[position][0] for position in each.sets), each.href), Cell(each.count)) for each in ordered
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
    height = max(_FEWEST_PIXELS, each.count / most * _BARS) if each.count else 0.0
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
    places = [foot + 8 + position * _ROW + _ROW - _DOT - 6 for position in range(sets)]
    member = [places[position] for position in each.sets]
    for place in places:
        kind = "on" if place in member else "off"
        out.append(f'<circle class="{kind}" cx="{middle}" cy="{place}" r="{_DOT}"/>')
    if len(member) > 1:
        out.append(f'<line class="joint" x1="{middle}" x2="{middle}" y1="{min(member)}" y2="{max(member)}"/>')
    return link("".join(out), each.href, each.tip, True)
