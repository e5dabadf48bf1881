"""Years in statements of dates."""

from __future__ import annotations

import re

from bibld.text.folding import strip_brackets
from bibld.text.numerals import LATIN_LOOKALIKES, roman_number

_FIRST_YEAR, _LAST_YEAR = 1000, 2099
_MONTHS = 12
_YEAR = re.compile(r"(?<!\d)(\d{4})(?!\d)(?:\s*([-–—/])\s*(\d{2})(?![-–—/.]?\d))?")
_ROMAN_YEAR = re.compile(r"(?<!\w)M(?:[ .]{0,2}[MDCLXVI])+(?!\w)")
_SEPARATORS_IN_ROMAN = re.compile(r"[ .]")
_FEWEST_SEPARATED_LETTERS = 5
"""A Roman numeral with blanks or full stops in it is a year only from this length: ``M. D.`` is a physician."""


def years(text: str) -> tuple[int, ...]:
    """Return the years from 1000 to 2099 in a text, in its order; ``1898/99`` is two, ``2003-10`` a year and a month.

    Roman numerals are read only if there are no years in Arabic digits. Brackets within a number are ignored.

    >>> years("1868-1869"), years("18[98]/99"), years("MCMXCIX"), years("0000-0050")
    ((1868, 1869), (1898, 1899), (1999,), ())
    """
    plain = strip_brackets(text)
    found: list[int] = []
    for match in _YEAR.finditer(plain):
        number = int(match[1])
        if _FIRST_YEAR <= number <= _LAST_YEAR:
            found.append(number)
            if match[3] and int(match[3]) > (number % 100 if match[2] == "/" else max(number % 100, _MONTHS)):
                found.append(number - number % 100 + int(match[3]))
    if found:
        return tuple(found)
    for match in _ROMAN_YEAR.finditer(plain.translate(LATIN_LOOKALIKES)):
        letters = _SEPARATORS_IN_ROMAN.sub("", match[0])
        if letters != match[0] and len(letters) < _FEWEST_SEPARATED_LETTERS:
            continue
        value = roman_number(letters)
        if value is not None and _FIRST_YEAR <= value <= _LAST_YEAR:
            found.append(value)
    return tuple(found)


def year(text: str) -> int | None:
    """Return the first of the :func:`years` of a text.

    >>> year("[1978?]"), year("cop. 2003"), year("5743 [1982 or 1983]"), year("[19--]")
    (1978, 2003, 1982, None)
    """
    found = years(text)
    return found[0] if found else None
