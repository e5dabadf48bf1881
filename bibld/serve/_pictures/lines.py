"""Values that change from one point to the next, as lines: the growth of a dataset."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

import msgspec

from bibld.serve._pictures.columns import SERIES
from bibld.serve._pictures.drawing import NARROW, SIZE, Caption, Cell, Picture, draw_text, fit_screens, numbers, percent
from bibld.serve._pictures.texts import fit, to_xml

_HEIGHT = 150
_LINE = 18
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
    foot = top + 8 + _HEIGHT
    for number, line in enumerate(lines):
        kind = number % SERIES + 1
        places = [(_START + place * step, foot - value / most * _HEIGHT) for place, value in enumerate(line.values)]
        for (left, high), (right, low) in pairwise(places):
            ends = f'x1="{percent(left)}" y1="{high:.1f}" x2="{percent(right)}" y2="{low:.1f}"'
            out.append(f'<line class="l{kind}" {ends}/>')
        for label, (x, y), value in zip(points, places, line.values, strict=False):
            tip = to_xml(f"{label}, {line.name}: {value}")
            out.append(f'<circle class="s{kind}" cx="{percent(x)}" cy="{y:.1f}" r="3.5"><title>{tip}</title></circle>')
    out.append(f'<line class="axis base" x1="0" x2="100%" y1="{foot}" y2="{foot}"/>')
    if points:
        half = NARROW / 2 - SIZE
        out.append(draw_text("0", foot + SIZE + 4, fit(points[0], half, SIZE), "quiet"))
        if len(points) > 1:
            out.append(draw_text("100%", foot + SIZE + 4, fit(points[-1], half, SIZE), "quiet", "end"))
    rows = tuple((Cell(point), *numbers([line.values[place] for line in lines])) for place, point in enumerate(points))
    return Picture(caption, foot + SIZE + 10, "".join(out), rows)
