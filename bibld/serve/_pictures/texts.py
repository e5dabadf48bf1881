"""Text in pictures: escaping, the room that it needs, cutting it to a room."""

from __future__ import annotations

import html
import re
import unicodedata
from functools import lru_cache

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
