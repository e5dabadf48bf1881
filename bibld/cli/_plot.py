"""A plot of lines as SVG, for figures between 0 and 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

_WIDTH, _HEIGHT = 640, 420
_LEFT, _TOP, _RIGHT, _BOTTOM = 56, 40, 120, 48
_COLOURS = ("#1b6ca8", "#b5482a", "#2f7d4f", "#6b4c9a")
_STEPS = 5


def svg(title: str, across: str, lines: Mapping[str, Sequence[tuple[float, float]]]) -> str:
    """Draw named lines of points (x, y), both from 0 to 1; ``across`` names the x axis. Same points, same bytes."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img"'
        ' font-family="sans-serif" font-size="12">',
        f"<title>{escape(title)}</title>",
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="{_LEFT}" y="24" font-size="15">{escape(title)}</text>',
        *_axes(across),
    ]
    for number, (name, points) in enumerate(lines.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        path = " ".join(f"{_x(x):.1f},{_y(y):.1f}" for x, y in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        below = _TOP + 16 + 20 * number
        parts.append(f'<text x="{_WIDTH - _RIGHT + 12}" y="{below}" fill="{colour}">{escape(name)}</text>')
    return "\n".join((*parts, "</svg>\n"))


def _axes(across: str) -> list[str]:
    parts: list[str] = []
    for step in range(_STEPS + 1):
        share = step / _STEPS
        x, y = _x(share), _y(share)
        parts += (
            f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{_WIDTH - _RIGHT}" y2="{y:.1f}" stroke="#ddd"/>',
            f'<line x1="{x:.1f}" y1="{_TOP}" x2="{x:.1f}" y2="{_HEIGHT - _BOTTOM}" stroke="#ddd"/>',
            f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{share:.1f}</text>',
            f'<text x="{x:.1f}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle">{share:.1f}</text>',
        )
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    parts.append(f'<text x="{middle:.1f}" y="{_HEIGHT - 8}" text-anchor="middle">{escape(across)}</text>')
    return parts


def _x(share: float) -> float:
    return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)


def _y(share: float) -> float:
    return _HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM)
