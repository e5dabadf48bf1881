"""Years in statements of dates."""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

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


class StatedDate(msgspec.Struct, frozen=True):
    """A date as a publication states it, with its doubt.

    ``first`` and ``last`` are years of four characters with ``X`` for each unknown digit; ``last`` is None for a single
    date and empty for the end of what still appears. With the qualifier ``?`` one empty end states only that a date is
    not before, or not after, a year.
    ``qualifier`` is the mark of EDTF: ``?`` for uncertain, ``~`` for approximate, or empty.
    """

    first: str
    last: str | None = None
    qualifier: str = ""

    @property
    def is_exact(self) -> bool:
        """Whether it is one year without doubt."""
        return self.last is None and not self.qualifier and self.first.isdecimal()

    @property
    def edtf(self) -> str:
        """The date as a string of EDTF (ISO 8601-2), such as ``198X?`` and ``1905?/1907?``.

        >>> StatedDate("1993", "").edtf, StatedDate("1850", qualifier="~").edtf, StatedDate("1850", "", "?").edtf
        ('1993/..', '1850~', '[1850..]')
        """
        ends = [self.first] if self.last is None else [self.first, self.last]
        if self.qualifier == "?" and "" in ends:
            return f"[{'..'.join(ends)}]"
        return "/".join(f"{end}{self.qualifier}" if end else ".." for end in ends)


_COPYRIGHT = re.compile(
    r"(?:[©℗ⓒ]|(?<!\w)(?:copyright|copyr|cop|[cсp](?=\s?\d))\.?)\s*(\d{4})(?!\d)(?:[-/]\d{2,4})?", re.IGNORECASE
)
_NOT_OF_PUBLICATION = re.compile(
    rf"{_COPYRIGHT.pattern}"
    r"|(?<!\w)(?:re)?(?:printed|printing|print|impr|impression|gedruckt|печ|отпеч\w*|напеч\w*|tisk|druk)\.?"
    r"(?:\s+(?:in|в|im|en))?\s*\d{4}(?!\d)"
    r"|(?<!\d)\d{4}\s+(?:printing|impression|reprint)(?!\w)"
    r"|(?<!\w)(?:обл|на обл|cover|umschlag|couv)\.?\s*\d{4}(?!\d)",
    re.IGNORECASE,
)
"""Years of copyright, printing and the cover, beside which the year of publication is stated."""
_CORRECTION = re.compile(
    r"(?<!\w)(?:i\.\s?e\.?|т\.\s?е\.|то есть|вернее|recte|sic|vielm\.|d\.\s?i\.|d\.\s?h\.|c\.-à-d\.|id est|corr\.?)"
    r"\s*(\d{4})(?!\d)",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"(?<!\w)(?:ок|около|прибл|ca|circa|c(?=\.\s?\d)|vers|um|env|approximately|about|přibl|około)\.?(?!\w)",
    re.IGNORECASE,
)
_ALTERNATIVES = re.compile(
    r"(?<!\w)(?:or|или|oder|ou|nebo|lub|between|между|entre|zwischen|mezi|tra)(?!\w)", re.IGNORECASE
)
_NOT_BEFORE = re.compile(
    r"(?<!\w)(?:not before|не ранее|не раньше|(?<!not )after|после|(?<!nicht )nach|(?<!pas )après|nicht vor|pas avant)"
    r"(?!\w)",
    re.IGNORECASE,
)
_NOT_AFTER = re.compile(
    r"(?<!\w)(?:not after|не позднее|не позже|(?<!not )before|до|(?<!nicht )vor|(?<!pas )avant|nicht nach|pas après)"
    r"(?!\w)",
    re.IGNORECASE,
)
_RANGE = re.compile(r"(?<!\d)(\d{4})\??\s*[-–—]\s*(?:(\d{4})(?!\d)|(\d{2})(?!\d)|(?=[^\w\d]*$))")
_VOLUME_BEFORE_YEAR = re.compile(r"(?<![\w.])\d{1,3}\.(?=\d{4}(?!\d))")
"""The number of the volume of a serial, as German catalogues write it before the year: ``1.1988-52.1996``."""
_PAIR = re.compile(r"\d{4}\s*[/(\[=]\s*\d{4}")
_TWO_CALENDARS = (range(55, 58), range(570, 641), range(-57, -55))
"""How many years the count of the common era is ahead of that of other eras: Vikram Samvat, the Hijra."""
_ANGLE_BRACKETS = str.maketrans("<>", "  ")


@lru_cache(maxsize=_TEXTS_REMEMBERED)
def parse_date(text: str) -> StatedDate | None:
    """Read the date of publication in a statement as catalogues write it; None if it states no year.

    Years of copyright and printing count only if there is no other. Of a year in two calendars that of the common era
    is taken, of a corrected one the correction. A year with unknown digits is never read as one that it may be.

    >>> [parse_date(text).edtf for text in ("[198-?]", "[18--]", "1855?", "ca. 1850", "1327/1909", "[1905 или 1906]")]
    ['198X?', '18XX', '1855?', '1850~', '1909', '1905?/1906?']
    >>> [parse_date(text).edtf for text in ("1983, c1982", "c1982", "1697 [i.e. 1967]", "1980-85", "1993-", "1898/99")]
    ['1983', '1982', '1967', '1980/1985', '1993/..', '1898/1899']
    >>> [parse_date(text).edtf for text in ("1.1988-52.1996", "12.05.1998")]
    ['1988/1996', '1998']
    """
    plain = _VOLUME_BEFORE_YEAR.sub("", strip_brackets(text).translate(_ANGLE_BRACKETS))
    without = _NOT_OF_PUBLICATION.sub(" ", plain)
    if years(without) or _UNCERTAIN_YEAR.search(without) or _QUESTIONED_DECADE.search(without):
        plain = without
    qualifier = "?" if "?" in plain else "~" if _ABOUT.search(plain) else ""
    corrected = _CORRECTION.search(plain)
    if corrected is not None and (found := years(corrected[1])):
        return StatedDate(str(found[0]), qualifier=qualifier)
    decade = _QUESTIONED_DECADE.search(plain)
    if decade is not None:
        return StatedDate(f"{decade[1]}{decade[2]}X", qualifier=qualifier)
    found = years(plain)
    if found:
        return _date_of_years(plain, found, _PAIR.search(text) is not None, qualifier)
    unknown = _UNCERTAIN_YEAR.search(plain)
    if unknown is None:
        return None
    return StatedDate(f"{unknown[1]}{unknown[2] or 'X'}X", qualifier=qualifier)


def _date_of_years(text: str, found: tuple[int, ...], is_pair: bool, qualifier: str) -> StatedDate:
    if len(found) > 1 and is_pair and any(found[1] - found[0] in difference for difference in _TWO_CALENDARS):
        found = found[1:]
    first, last = found[0], found[-1]
    if len(found) > 1 and _ALTERNATIVES.search(text) and first < last:
        return StatedDate(str(first), str(last), "?")
    if len(found) == 1 and _NOT_BEFORE.search(text):
        return StatedDate(str(first), "", "?")
    if len(found) == 1 and _NOT_AFTER.search(text):
        return StatedDate("", str(first), "?")
    stated = _RANGE.search(text)
    if stated is not None and int(stated[1]) == first:
        end = stated[2] or (f"{stated[1][:2]}{stated[3]}" if stated[3] else "")
        if not end or (int(end) in found and int(end) > first):
            return StatedDate(str(first), end, qualifier)
    if len(found) > 1 and last == first + 1 and "/" in text:
        return StatedDate(str(first), str(last), qualifier)
    return StatedDate(str(first), qualifier=qualifier)


def copyright_years(text: str) -> tuple[int, ...]:
    """Return the years of copyright in a statement of dates.

    >>> copyright_years("1983, c1982"), copyright_years("℗1990"), copyright_years("cop. 2003"), copyright_years("1983")
    ((1982,), (1990,), (2003,), ())
    """
    return tuple(year for stated in _COPYRIGHT.findall(text) for year in years(stated))
