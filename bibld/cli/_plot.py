"""Plots as SVG: panels of lines and points with axes, and one legend. The same figures give the same bytes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Literal, NamedTuple

Style = Literal["line", "dashed", "point"]

_WIDTH, _HEIGHT = 640, 420
_LEFT, _TOP, _RIGHT, _BOTTOM = 56, 40, 120, 48
_COLOURS = (
    "#1b6ca8", "#b5482a", "#2f7d4f", "#6b4c9a", "#b8860b", "#c2457f", "#3c8d93", "#5a5a5a", "#7a5230", "#8fae1b",
    "#e0702d", "#1f9ed1", "#8c1d2f", "#3a3f8f", "#a3a04a",
)  # fmt: skip
_LETTER = 7
"""The width of most letters."""
_STEPS = 5


class Series(NamedTuple):
    """Points (x, y) with a name, drawn in the ``colour`` of this number as a line or as points."""

    name: str
    points: Sequence[tuple[float, float]]
    colour: int
    style: Style = "line"


class Panel(NamedTuple):
    """Series in a frame. ``across`` and ``up`` name the axes; y runs from 0 to 1, and x too unless ``is_log``."""

    title: str
    across: str
    series: Sequence[Series]
    up: str = ""
    is_log: bool = False


def svg(title: str, panels: Sequence[Panel]) -> str:
    """Draw panels side by side; the legend beside the last one names each colour once."""
    width = (_WIDTH - _RIGHT) * len(panels) + _RIGHT
    names = {(one.colour, one.style == "dashed"): one.name for panel in panels for one in panel.series}
    beside = width - _RIGHT + 12
    legend = "".join(
        _text(beside, _TOP + 16 + 20 * row, name, f' fill="{_colour(colour)}"')
        for row, ((colour, _), name) in enumerate(sorted(names.items()))
    )
    width += max(0, _LETTER * max(map(len, names.values()), default=0) + 12 - _RIGHT)
    height = max(_HEIGHT, _TOP + 16 + 20 * len(names))
    drawn = (_panel(panel, number * (_WIDTH - _RIGHT)) for number, panel in enumerate(panels))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" font-family="sans-serif"'
        f' font-size="12">\n<title>{escape(title)}</title>\n<rect width="100%" height="100%" fill="white"/>\n'
        f"{''.join(drawn)}{legend}</svg>\n"
    )


def _panel(panel: Panel, left: int) -> str:
    begin, end, ticks = _across(panel)

    def position(x: float, y: float) -> tuple[float, float]:
        value = math.log10(max(x, 10**begin)) if panel.is_log else x
        share = (value - begin) / (end - begin)
        return left + _LEFT + share * (_WIDTH - _LEFT - _RIGHT), _HEIGHT - _BOTTOM - y * (_HEIGHT - _TOP - _BOTTOM)

    parts = [_text(left + _LEFT, 24, panel.title, ' font-size="15"')]
    (west, south), (east, north) = (
        position(10**begin if panel.is_log else begin, 0),
        position(10**end if panel.is_log else 1, 1),
    )
    for step in range(_STEPS + 1):
        _, y = position(1, step / _STEPS)
        parts.append(f'<line x1="{west:.1f}" y1="{y:.1f}" x2="{east:.1f}" y2="{y:.1f}" stroke="#ddd"/>\n')
        parts.append(_text(f"{west - 8:.1f}", f"{y + 4:.1f}", f"{step / _STEPS:.1f}", ' text-anchor="end"'))
    for tick in ticks:
        x, _ = position(tick, 0)
        parts.append(f'<line x1="{x:.1f}" y1="{north:.1f}" x2="{x:.1f}" y2="{south:.1f}" stroke="#ddd"/>\n')
        label = f"{tick:g}" if panel.is_log else f"{tick:.1f}"
        parts.append(_text(f"{x:.1f}", f"{south + 18:.1f}", label, ' text-anchor="middle"'))
    parts.append(_text(f"{(west + east) / 2:.1f}", _HEIGHT - 8, panel.across, ' text-anchor="middle"'))
    if panel.up:
        middle = f"{left + 16} {(south + north) / 2:.1f}"
        parts.append(
            f'<text transform="translate({middle}) rotate(-90)" text-anchor="middle">{escape(panel.up)}</text>\n'
        )
    for one in panel.series:
        colour, points = _colour(one.colour), [position(x, y) for x, y in one.points]
        if one.style == "point":
            parts += (
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{colour}" fill-opacity="0.8">'
                f"<title>{escape(one.name)}</title></circle>\n"
                for x, y in points
            )
        else:
            dashes = ' stroke-dasharray="6 4"' if one.style == "dashed" else ""
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
            parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dashes}/>\n')
    return "".join(parts)


def _across(panel: Panel) -> tuple[float, float, list[float]]:
    """Return the beginning and the end of the x axis (of its logarithm) and the values with a tick."""
    if not panel.is_log:
        return 0, 1, [step / _STEPS for step in range(_STEPS + 1)]
    values = [x for one in panel.series for x, _ in one.points if x > 0] or [1]
    begin, end = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    end = max(end, begin + 1)
    return begin, end, [10.0**power for power in range(begin, end + 1)]


def _text(x: object, y: object, text: str, more: str = "") -> str:
    return f'<text x="{x}" y="{y}"{more}>{escape(text)}</text>\n'


def _colour(number: int) -> str:
    return _COLOURS[number % len(_COLOURS)]
