"""Years in statements of dates."""

from __future__ import annotations

import re
from functools import lru_cache

from bibld.text.folding import strip_brackets
from bibld.text.numerals import LATIN_LOOKALIKES, roman_number

_FIRST_YEAR, _LAST_YEAR = 1000, 2099
_MONTHS = 12
_YEAR = re.compile(r"(?<!\d)(\d{4})(?!\d)(?:\s*([-–—/])\s*(\d{2})(?![-–—/.]?\d))?")
_ROMAN_YEAR = re.compile(r"(?<!\w)M(?:[ .]{0,2}[MDCLXVI])+(?!\w)")
_SEPARATORS_IN_ROMAN = re.compile(r"[ .]")
_UNCERTAIN_YEAR = re.compile(r"(?<![\w-])(1[0-9]|20)(?:([0-9])[-uUxXхХ?]|[-uUxXхХ.?]{2})-?(?=[]\s?>,;:.)]|$)")
"""A year of which the last digit or the last two are unknown: ``197-?``, ``19uu``, ``[18--]``, ``19..``."""
_QUESTIONED_DECADE = re.compile(r"(?<!\d)(1[0-9]|20)([0-9])(?:0-?s|0-?(?:е|х|ые|ых)\b)", re.IGNORECASE)
_TEXTS_REMEMBERED = 4096
_MIN_SEPARATED_LETTERS = 5
"""A Roman numeral with blanks or full stops in it is a year only from this length: ``M. D.`` is a physician."""


@lru_cache(maxsize=_TEXTS_REMEMBERED)
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
        if letters != match[0] and len(letters) < _MIN_SEPARATED_LETTERS:
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


def interval(text: str) -> tuple[int, int] | None:
    """Return the first and the last year that a date may mean, None if it states no year.

    Unknown digits are read as all that they may be; more than one year as the time from the first to the last.

    >>> interval("[197-?]"), interval("19uu"), interval("[1905 или 1906]"), interval("[б. г.]")
    ((1970, 1979), (1900, 1999), (1905, 1906), None)
    >>> interval("1970-е гг."), interval("1998"), interval("<1972- >")
    ((1970, 1979), (1998, 1998), (1972, 1972))
    """
    found = years(text)
    decade = _QUESTIONED_DECADE.search(text)
    if decade is not None:
        first = int(decade[1] + decade[2] + "0")
        return min((first, *found)), max((first + 9, *found))
    if found:
        return min(found), max(found)
    match = _UNCERTAIN_YEAR.search(text)
    if match is None:
        return None
    first = int(match[1] + (match[2] or "0") + "0")
    return first, first + (9 if match[2] else 99)
