"""The words, numbers and marks of a designation, each with what it can mean."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

import bibld.text.part_units as part_units

_HALF_VOLUME = re.compile(r"\bп/т\b", re.IGNORECASE)
_SHORT_YEAR = re.compile(r"(?:(?<![\w'’])['’]|\bFY ?['’]?)(\d\d)(?![\w'’])")
_TOKEN = re.compile(r"\d+|[^\W\d_]+|№|[^\s\w]")
_REMOVED = str.maketrans("", "", "'’`´ʹʺʼ\u02c8[]\"«»„“”‹›<>*\u0301\u0361\ufe20\ufe21")
"""Apostrophes, brackets, quotation marks, the stress and the ligatures of the Library of Congress."""
_FIRST_SHORT_YEAR = 30


class Token(NamedTuple):
    """A word, number or mark with what it can mean."""

    text: str
    word: part_units.Word
    is_attached: bool
    """Whether no blank separates this token from the one before."""


def tokens_of(text: str) -> list[Token]:
    """Return the words, numbers and marks of a text; years of two digits (FY90, '98) are written in full."""
    plain = text if text.isascii() else unicodedata.normalize("NFKC", text)
    if "/" in plain:
        plain = _HALF_VOLUME.sub("полутом", plain)
    if "'" in plain or "’" in plain or "FY" in plain:
        plain = _SHORT_YEAR.sub(lambda found: f" {full_year(found[1])}", plain)
    tokens, end = [], -1
    for found in _TOKEN.finditer(plain.translate(_REMOVED)):
        start, word = found.start(), found[0]
        tokens.append(Token(word, part_units.meaning_of(word), start == end))
        end = start + len(word)
    return tokens


def full_year(digits: str) -> str:
    """Return a year of which the last two digits are given: 1930 to 2029.

    >>> full_year("98"), full_year("07")
    ('1998', '2007')
    """
    return f"{19 if int(digits) >= _FIRST_SHORT_YEAR else 20}{digits}"


END = Token("", part_units.Word(""), False)
"""What follows the last token."""
