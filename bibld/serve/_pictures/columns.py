"""Columns side by side and lines from point to point: years, scores, sizes, growth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise

import msgspec

from bibld.serve._pictures.drawing import (
    NARROW,
    SIZE,
    Caption,
    Picture,
    TableCell,
    draw_text,
    fit,
    fit_screens,
    link,
    numbers,
    percent,
    to_xml,
    width_of,
)

SERIES = 6
"""Series that have different colours; the caller adds up the others."""

_HEIGHT = 140
_GAP = 0.14
_LINE = 18
_MIN_PIXELS = 1.5
_STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 1000)
_MAX_COLUMNS = 80


class Column(msgspec.Struct, frozen=True):
    """A column: its label, the counts of each series, its explanation, and a link or none.

    ``name`` is what the table has instead of a label that only states where a span begins.
    """

    label: str
    parts: tuple[int, ...]
    tip: str = ""
    href: str = ""
    name: str = ""

    @property
    def count(self) -> int:
        """The height of the column."""
        return sum(self.parts)


class Mark(msgspec.Struct, frozen=True):
    """A line across all columns, such as a threshold: ``place`` from 0 (left) to 1 (right), and its label."""

    place: float
    label: str


def draw_columns(
    caption: Caption, columns: Sequence[Column], series: Sequence[str] = (), marks: Sequence[Mark] = (), note: str = ""
) -> Picture:
    """Draw columns from left to right, each with the same room.

    ``series`` are the names of the parts, if there are more than one; ``note`` is a line below, such as what is not in
    the columns.
    """
    most = max((column.count for column in columns), default=0)
    out: list[str] = []
    top = 4
    if len(series) > 1:
        for number, name in enumerate(series):
            out.append(f'<rect class="s{number % SERIES + 1}" x="0" y="{top}" width="10" height="10"/>')
            out.append(fit_screens(name, 20, partial(draw_text, "16", top + 10)))
            top += _LINE
    for mark in marks:
        x, anchor = percent(mark.place * 100), "end" if mark.place > 0.5 else "start"
        out.append(
            draw_text(x, top + SIZE, fit(mark.label, NARROW * max(mark.place, 1 - mark.place) - 4, SIZE), "", anchor)
        )
        top += _LINE
    foot = top + SIZE + 6 + _HEIGHT
    if most:
        out.append(draw_text("0", top + SIZE, f"{most:,}".replace(",", "\u202f"), "quiet"))
        out.append(f'<line class="axis" x1="0" x2="100%" y1="{foot - _HEIGHT}" y2="{foot - _HEIGHT}"/>')
    step = 100 / max(1, len(columns))
    for number, column in enumerate(columns):
        out.append(_draw_column(column, number * step, step, most, foot))
    out.append(f'<line class="axis base" x1="0" x2="100%" y1="{foot}" y2="{foot}"/>')
    for number, mark in enumerate(marks):
        x = percent(mark.place * 100)
        start = top - _LINE * (len(marks) - number) + SIZE + 4
        out.append(f'<line class="mark" x1="{x}" x2="{x}" y1="{start}" y2="{foot}"/>')
    out.extend(_labels(columns, step, foot + SIZE + 4))
    height = foot + SIZE + 10
    if note:
        out.append(draw_text("0", height + SIZE, fit(note, NARROW, SIZE), "quiet"))
        height += _LINE
    rows = tuple(
        (TableCell(column.name or column.label, column.href), *numbers(column.parts))
        for column in columns
        if column.count
    )
    return Picture(caption, height, "".join(out), rows, has_links=any(column.href for column in columns))


def _draw_column(column: Column, x: float, step: float, most: int, foot: int) -> str:
    if not column.count:
        return ""
    across = f'x="{percent(x + step * _GAP / 2)}" width="{percent(step * (1 - _GAP))}"'
    parts = []
    scale = max(_MIN_PIXELS, column.count / most * _HEIGHT) / column.count
    base = float(foot)
    for number, part in enumerate(column.parts):
        if part:
            base -= part * scale
            kind = f"s{number % SERIES + 1}"
            parts.append(f'<rect class="{kind}" {across} y="{base:.1f}" height="{part * scale:.1f}"/>')
    room = f'<rect class="room" x="{percent(x)}" width="{percent(step)}" y="{foot - _HEIGHT}" height="{_HEIGHT}"/>'
    return link(room + "".join(parts), column.href, column.tip)


def _labels(columns: Sequence[Column], step: float, y: float) -> list[str]:
    """Return the labels of as many columns as have room below them on a phone, at equal distances."""
    if not columns:
        return []
    widest = max(width_of(column.label, SIZE) for column in columns) + SIZE
    every = next((each for each in _STEPS if each * step * NARROW / 100 >= widest), len(columns))
    start = next((number for number, column in enumerate(columns) if _is_round(column.label, every)), 0)
    placed = []
    for number in range(start, len(columns), every):
        middle = (number + 0.5) * step
        half = width_of(columns[number].label, SIZE) / NARROW * 50
        if middle - half >= 0 and middle + half <= 100:
            placed.append(draw_text(percent(middle), y, columns[number].label, "quiet", "middle"))
    if not placed:
        label = fit(columns[0].label, NARROW, SIZE)
        placed.append(draw_text("0", y, label, "quiet"))
    return placed


def _is_round(label: str, every: int) -> bool:
    """Whether a label is a number at which a reader expects a tick, so that 1900 and not 1897 begins the labels."""
    return label.isdecimal() and int(label) % every == 0


class Words(msgspec.Struct, frozen=True):
    """The explanation of a year or a span of years, and its link; ``note`` is a line below the timeline."""

    tip: Callable[[str, int], str]
    href: Callable[[int, int], str] = lambda first, last: ""
    note: str = ""


def draw_years(
    caption: Caption, years: Sequence[tuple[int, Sequence[int]]], words: Words, series: Sequence[str] = ()
) -> Picture:
    """Draw a timeline of years, each with the counts of each series; years without any leave a gap.

    Where there are more than 80 from the first to the last one, a column is a span of 2, 5, 10 … of them.
    """
    found = sorted((year, tuple(parts)) for year, parts in years if sum(parts))
    if not found:
        return draw_columns(caption, (), series, note=words.note)
    span = found[-1][0] - found[0][0] + 1
    size = next((each for each in _STEPS if span / each <= _MAX_COLUMNS), _STEPS[-1])
    width = len(found[0][1])
    counts: dict[int, list[int]] = {}
    for year, parts in found:
        column = counts.setdefault(year // size * size, [0] * width)
        for number, part in enumerate(parts):
            column[number] += part
    columns = []
    for first in range(found[0][0] // size * size, found[-1][0] + 1, size):
        parts = tuple(counts.get(first, [0] * width))
        last = first + size - 1
        name = str(first) if size == 1 else f"{first}–{last}"
        tip = words.tip(name, sum(parts)) if any(parts) else ""
        columns.append(Column(str(first), parts, tip, words.href(first, last) if any(parts) else "", name))
    return draw_columns(caption, columns, series, note=words.note)


_HEIGHT_OF_LINES = 150
_ACROSS = 96.0
_START = 2.0


class Line(msgspec.Struct, frozen=True):
    """A line: its name and a value at each point."""

    name: str
    values: tuple[int, ...]


def draw_lines(caption: Caption, points: Sequence[str], lines: Sequence[Line]) -> Picture:
    """Draw lines over the same points, which have labels; all begin at zero."""
    most = max((value for line in lines for value in line.values), default=0) or 1
    step = _ACROSS / max(1, len(points) - 1)
    out = []
    top = 4
    for number, line in enumerate(lines):
        kind = number % SERIES + 1
        last = f"{line.values[-1]:,}".replace(",", "\u202f") if line.values else ""
        out.append(f'<rect class="s{kind}" x="0" y="{top + 4}" width="12" height="3"/>')
        out.append(fit_screens(f"{line.name}: {last}", 20, partial(draw_text, "18", top + 10)))
        top += _LINE
    foot = top + 8 + _HEIGHT_OF_LINES
    for number, line in enumerate(lines):
        kind = number % SERIES + 1
        positions = [
            (_START + position * step, foot - value / most * _HEIGHT_OF_LINES)
            for position, value in enumerate(line.values)
        ]
        for (left, high), (right, low) in pairwise(positions):
            ends = f'x1="{percent(left)}" y1="{high:.1f}" x2="{percent(right)}" y2="{low:.1f}"'
            out.append(f'<line class="l{kind}" {ends}/>')
        for label, (x, y), value in zip(points, positions, line.values, strict=False):
            tip = to_xml(f"{label}, {line.name}: {value}")
            out.append(f'<circle class="s{kind}" cx="{percent(x)}" cy="{y:.1f}" r="3.5"><title>{tip}</title></circle>')
    out.append(f'<line class="axis base" x1="0" x2="100%" y1="{foot}" y2="{foot}"/>')
    if points:
        half = NARROW / 2 - SIZE
        out.append(draw_text("0", foot + SIZE + 4, fit(points[0], half, SIZE), "quiet"))
        if len(points) > 1:
            out.append(draw_text("100%", foot + SIZE + 4, fit(points[-1], half, SIZE), "quiet", "end"))
    rows = tuple(
        (TableCell(point), *numbers([line.values[position] for line in lines])) for position, point in enumerate(points)
    )
    return Picture(caption, foot + SIZE + 10, "".join(out), rows)
