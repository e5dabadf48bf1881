"""What a picture is: an SVG drawing, in words, and as a table; and the text in it.

Positions across are percentages and heights are pixels, so that a picture fills its column on a phone and on a screen
with letters of one size.
"""

from __future__ import annotations

import hashlib
import html
import re
import unicodedata
from base64 import b64encode
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import resources

import msgspec

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_DIRECTIONS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_SPACE = re.compile(r"\s+")
_CUT = "…"

_THIN = frozenset("ijlftrI1.,:;'|!()[]/ -·°")
_BROAD = frozenset("mwMWШЩЖЮФЫМшщжюфымДД@%—…")
_THIN_EM, _EM, _CAPITAL_EM, _BROAD_EM, _FULL_EM = 0.42, 0.64, 0.76, 1.0, 1.05


def to_xml(text: str) -> str:
    """Escape a text for elements and attributes; characters that XML 1.0 does not allow are left out."""
    return html.escape(_NOT_XML.sub("", _DIRECTIONS.sub("", text)))


@lru_cache(maxsize=4096)
def _ems(character: str) -> float:
    if unicodedata.combining(character):
        return 0.0
    if character in _BROAD:
        return _BROAD_EM
    if character in _THIN:
        return _THIN_EM
    if unicodedata.east_asian_width(character) in "WF" or ord(character) > 0xFFFF:
        return _FULL_EM
    return _CAPITAL_EM if character.isupper() else _EM


def width_of(text: str, size: float) -> float:
    """Return about how many pixels a text of this size is wide in a broad sans-serif font; rather more than less."""
    return sum(map(_ems, text)) * size


def fit(text: str, room: float, size: float) -> str:
    """Return the text in one line, cut with an ellipsis where it is wider than ``room`` pixels; empty if none fits."""
    text = _SPACE.sub(" ", text).strip()
    left = room / size
    if sum(map(_ems, text)) <= left:
        return text
    left -= _BROAD_EM
    for position, character in enumerate(text):
        left -= _ems(character)
        if left < 0:
            return f"{text[:position].rstrip()}{_CUT}" if position else ""
    return text


def wrap(text: str, room: float, most: int) -> list[str]:
    """Return the text in lines of at most ``room`` pixels, at most this number of them; what is too long is cut."""
    lines: list[str] = []
    left = text.split()
    while left and len(lines) < most - 1:
        line = left.pop(0)
        while left and width_of(f"{line} {left[0]}", SIZE) <= room:
            line = f"{line} {left.pop(0)}"
        lines.append(fit(line, room, SIZE))
    return [*lines, fit(" ".join(left), room, SIZE)] if left else lines or [""]


NARROW, WIDE = 304, 688
"""Pixels: a drawing has at least the first width; one that has another form on a phone has at least the second."""

_ROOM_OF_LONG_NAMES = 470
"""Pixels: the room of the long form of a name; narrower drawings show the short form (``drawing.css``)."""

SIZE = 12
"""Pixels: the size of the letters."""

_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
_TOKENS = """svg { --ink: #1d2226; --soft: #5a646b; --line: #dfdcd4; --card: #fff;
  --accent: #0b5c66; --accent-soft: #e3f0f0; --paper: #fbfaf7; background: var(--paper);
  font-family: system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; }
@media (prefers-color-scheme: dark) { svg { --ink: #e7e5df; --soft: #a3adb4; --line: #343a40; --card: #1b1f23;
  --accent: #7fd0d6; --accent-soft: #16333a; --paper: #14171a; } }
"""


class Caption(msgspec.Struct, frozen=True):
    """The words of a picture: ``name`` is its id on the page, ``headings`` those of the columns of its table."""

    name: str
    title: str
    description: str = ""
    headings: tuple[str, ...] = ()


class TableCell(msgspec.Struct, frozen=True):
    """A cell of the table: a text or a number, with a link or none."""

    value: str | int
    href: str = ""


class Picture(msgspec.Struct, frozen=True):
    """A drawing with its table.

    ``wide`` is the content of the drawing and ``height`` its height in pixels. Where the drawing does not fit on a
    phone, ``narrow`` and ``narrow_height`` are those of another one, which takes its place there. ``kind`` is a class
    of the drawing: that of a ``map`` keeps its shape, and positions down are percentages, too.
    """

    caption: Caption
    height: int
    wide: str
    rows: tuple[tuple[TableCell, ...], ...] = ()
    narrow: str = ""
    narrow_height: int = 0
    has_links: bool = False
    kind: str = ""

    def inline(self) -> str:
        """Return the drawing as SVG elements for a page, with its title and description."""
        kind = " ".join(filter(None, ("picture", self.kind, "of-screen" if self.narrow else "")))
        drawings = [self._drawing(self.wide, self.height, kind, "")]
        if self.narrow:
            drawings.append(self._drawing(self.narrow, self.narrow_height, "picture of-phone", "-narrow"))
        return "\n".join(drawings)

    def _drawing(self, content: str, height: int, kind: str, end: str) -> str:
        caption = self.caption
        named = f'aria-labelledby="{caption.name}-title{end} {caption.name}-text{end}"'
        return (
            f'<svg class="{kind}" xmlns="http://www.w3.org/2000/svg" width="100%" height="{height}"'
            f' role="{self._role}" {named}>'
            f'<title id="{caption.name}-title{end}">{to_xml(caption.title)}</title>'
            f'<desc id="{caption.name}-text{end}">{to_xml(caption.description)}</desc>{content}</svg>'
        )

    @property
    def _role(self) -> str:
        """Return the role: the parts of an image are hidden from assistive technology, and links must not be."""
        return "group" if self.has_links else "img"

    def standalone(self) -> bytes:
        """Return the drawing as a file that contains its style; see ``STYLE``."""
        caption = self.caption
        size = f'width="{WIDE}" height="{self.height}"'
        return (
            f'{_XML}<svg class="{f"picture {self.kind}".strip()}" xmlns="http://www.w3.org/2000/svg" {size}'
            f' role="{self._role}" aria-labelledby="t d"><title id="t">{to_xml(caption.title)}</title>'
            f'<desc id="d">{to_xml(caption.description)}</desc><style>{STYLE}</style>{self.wide}</svg>'
        ).encode()


STYLE = _TOKENS + resources.files("bibld.serve").joinpath("styles", "drawing.css").read_text(encoding="utf-8")
"""The style of a drawing in a separate file."""

_STYLE_HASH = b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
POLICY = f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; frame-ancestors 'none'"
"""The policy of the content of such a file: it needs nothing but its style."""


def percent(value: float) -> str:
    """Return a part of the width (0 to 100) as SVG writes it."""
    return f"{value:.2f}".rstrip("0").rstrip(".") + "%"


def link(content: str, href: str, tip: str, is_in_order: bool = False) -> str:
    """Return marks with their explanation, as a link where there is one.

    ``is_in_order``: the key Tab reaches it; where there are very many links, those of the table are reached instead.
    """
    words = to_xml(tip)
    inner = f"<title>{words}</title>{content}" if tip else content
    if not href:
        return f"<g>{inner}</g>"
    order = "" if is_in_order else ' tabindex="-1"'
    named = "" if "<text" in content else f' aria-label="{words}"'  # a name that differs from the text confuses
    return f'<a href="{to_xml(href)}"{named}{order}>{inner}</a>'


def draw_text(x: str, y: float, words: str, kind: str = "", anchor: str = "") -> str:
    """Return a line of text; ``x`` with its unit, ``kind`` a class."""
    of_kind = f' class="{kind}"' if kind else ""
    at = f' text-anchor="{anchor}"' if anchor else ""
    return f'<text x="{x}" y="{y:g}"{of_kind}{at}>{to_xml(words)}</text>'


def fit_screens(name: str, margin: float, draw: Callable[[str], str]) -> str:
    """Return what ``draw`` makes of a name, or of its long and its short form if it has to be cut.

    ``margin`` is what the line needs beside the name, in pixels.
    """
    short, long = fit(name, NARROW - margin, SIZE), fit(name, _ROOM_OF_LONG_NAMES - margin, SIZE)
    if short == long:
        return draw(short)
    return f'<g class="long-name">{draw(long)}</g><g class="short-name">{draw(short)}</g>'


def numbers(values: Sequence[int]) -> tuple[TableCell, ...]:
    """Return cells with numbers."""
    return tuple(map(TableCell, values))
