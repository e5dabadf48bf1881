"""Bars, bars with parts, and steps: one value for each name."""

from __future__ import annotations

from collections.abc import Sequence

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
    link,
    percent,
    width_of,
    wrap,
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
    out = [_draw_bar(bar, number * _ROW, full, NARROW) for number, bar in enumerate(bars)]
    rows = tuple((TableCell(bar.name, bar.href), TableCell(bar.words)) for bar in bars)
    return Picture(caption, max(1, len(bars)) * _ROW, "".join(out), rows, has_links=any(bar.href for bar in bars))


def _draw_bar(bar: ChartBar, y: int, full: float, width: int) -> str:
    """Draw a bar with its name and value above it; ``full`` is the value of a bar that fills the width."""
    room = width - width_of(bar.words, SIZE) - _GAP
    length = min(100.0, max(_MIN_BAR_PERCENT if bar.value else 0.0, bar.value / full * 100))
    marks = (
        f'<rect class="room" x="0" y="{y}" width="100%" height="{_ROW}"/>'
        f"{draw_text('0', y + SIZE + 2, fit(bar.name, room, SIZE))}"
        f"{draw_text('100%', y + SIZE + 2, bar.words, 'quiet', 'end')}"
        f'<rect class="track" x="0" y="{y + SIZE + 7}" width="100%" height="{_BAR}"/>'
        f'<rect class="s1" x="0" y="{y + SIZE + 7}" width="{percent(length)}" height="{_BAR}"/>'
    )
    return link(marks, bar.href, bar.tip or f"{bar.name}: {bar.words}", True)


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


_INDENT = 16
_SCALE_OF_MEMBERS = 0.94
"""Of the bars of members, which begin farther to the right."""

_MEMBER_BAR = 6
_LINES, _LINES_ON_PHONES, _LEADING = 3, 6, 15


class BarGroup(msgspec.Struct, frozen=True):
    """A bar with the largest of its parts, and a line about the others (``rest``)."""

    total: ChartBar
    parts: tuple[ChartBar, ...] = ()
    rest: str = ""


def draw_groups(caption: Caption, groups: Sequence[BarGroup]) -> Picture:
    """Draw bars and their parts below them, all to one scale; long names of parts have some lines."""
    wide, height = _draw_groups(groups, WIDE)
    narrow, narrow_height = _draw_groups(groups, NARROW)
    bars = [bar for group in groups for bar in (group.total, *group.parts)]
    rows = tuple((TableCell(bar.name, bar.href), TableCell(bar.words)) for bar in bars)
    has_links = any(bar.href for bar in bars)
    return Picture(caption, height, wide, rows, narrow, narrow_height, has_links=has_links)


def _draw_groups(groups: Sequence[BarGroup], width: int) -> tuple[str, int]:
    """Return the drawing for a width in pixels, and its height."""
    full = max((group.total.value for group in groups), default=1.0) or 1.0
    y = 0
    out = []
    for group in groups:
        out.append(_draw_bar(group.total, y, full, width))
        y += _ROW
        for part in group.parts:
            drawn, height = _draw_part(part, y, full, width)
            out.append(drawn)
            y += height
        if group.rest:
            out.append(draw_text(str(_INDENT), y + SIZE + 2, fit(group.rest, width - _INDENT, SIZE), "quiet"))
            y += _LEADING + 6
        y += _GAP
    return "".join(out), max(_ROW, y - _GAP)


def _draw_part(bar: ChartBar, y: int, full: float, width: int) -> tuple[str, int]:
    most = _LINES if width == WIDE else _LINES_ON_PHONES
    lines = wrap(bar.name, width - _INDENT - width_of(bar.words, SIZE) - _GAP, most)
    foot = y + 3 + _LEADING * len(lines)
    length = max(_MIN_BAR_PERCENT if bar.value else 0.0, bar.value / full * 100) * _SCALE_OF_MEMBERS
    names = "".join(
        draw_text(str(_INDENT), y + SIZE + 2 + number * _LEADING, line) for number, line in enumerate(lines)
    )
    height = foot + _MEMBER_BAR + 6 - y
    marks = (
        f'<rect class="room" x="0" y="{y}" width="100%" height="{height}"/>{names}'
        f"{draw_text('100%', y + SIZE + 2, bar.words, 'quiet', 'end')}"
        f'<rect class="part" x="{_INDENT}" y="{foot}" width="{percent(length)}" height="{_MEMBER_BAR}"/>'
    )
    return link(marks, bar.href, bar.tip or f"{bar.name}: {bar.words}", True), height
