"""Bars under each other, each below its name: languages, places, coverage, and the steps from a prior to a score."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from bibld.serve._pictures.drawing import NARROW, SIZE, Caption, Cell, Picture, draw_text, link, percent
from bibld.serve._pictures.texts import fit, width_of

_ROW = 34
_BAR = 10
_FEWEST = 0.4
_GAP = 12


class Bar(msgspec.Struct, frozen=True):
    """A bar: its name, its value, the value in words, its explanation, and a link or none."""

    name: str
    value: float
    words: str
    tip: str = ""
    href: str = ""


def draw_bars(caption: Caption, bars: Sequence[Bar], most: float = 0.0) -> Picture:
    """Draw bars in their order; ``most`` is the value of a bar that fills the width (0: the greatest one)."""
    full = most or max((bar.value for bar in bars), default=1.0) or 1.0
    out = []
    for number, bar in enumerate(bars):
        y = number * _ROW
        room = NARROW - width_of(bar.words, SIZE) - _GAP
        width = min(100.0, max(_FEWEST if bar.value else 0.0, bar.value / full * 100))
        marks = (
            f'<rect class="room" x="0" y="{y}" width="100%" height="{_ROW}"/>'
            f"{draw_text('0', y + SIZE + 2, fit(bar.name, room, SIZE))}"
            f"{draw_text('100%', y + SIZE + 2, bar.words, 'quiet', 'end')}"
            f'<rect class="track" x="0" y="{y + SIZE + 7}" width="100%" height="{_BAR}"/>'
            f'<rect class="s1" x="0" y="{y + SIZE + 7}" width="{percent(width)}" height="{_BAR}"/>'
        )
        out.append(link(marks, bar.href, bar.tip or f"{bar.name}: {bar.words}", True))
    rows = tuple((Cell(bar.name, bar.href), Cell(bar.words)) for bar in bars)
    return Picture(caption, max(1, len(bars)) * _ROW, "".join(out), rows, has_links=any(bar.href for bar in bars))


class Step(msgspec.Struct, frozen=True):
    """What something adds to a sum: its name, the amount (negative: it takes away), and the amount in words."""

    name: str
    amount: float
    words: str


class Total(msgspec.Struct, frozen=True):
    """A sum at the beginning or the end of the steps."""

    name: str
    value: float
    words: str


def draw_waterfall(caption: Caption, start: Total, steps: Sequence[Step], end: Total) -> Picture:
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
    rows = tuple((Cell(name), Cell(words)) for name, words in named)
    return Picture(caption, height, "".join(out), rows)


def _draw_step(number: int, name: str, words: str, ends: tuple[float, float], kind: str) -> str:
    y = number * _ROW
    left, right = min(ends), max(ends)
    room = NARROW - width_of(words, SIZE) - _GAP
    bar = f'x="{percent(left)}" width="{percent(max(right - left, _FEWEST))}" y="{y + SIZE + 7}" height="{_BAR}"'
    line = y + SIZE + 2
    return (
        f"<g>{draw_text('0', line, fit(name, room, SIZE), 'halo')}{draw_text('100%', line, words, 'quiet halo', 'end')}"
        f'<rect class="{kind}" {bar}/></g>'
    )
