"""Dates as literals: of publications (EDTF and XML Schema), of records, and the years of a life."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable
from functools import lru_cache

from bibld.model.mods import Date
from bibld.model.mods_plan import OPEN_END
from bibld.model.rdf import literal, typed_literal
from bibld.text.dates import interval, parse_date
from bibld.text.folding import tidy

EDTF = "http://id.loc.gov/datatypes/edtf"
"""The datatype of dates that are not XSD dates, such as ranges."""

_YEAR = re.compile(r"[0-2][0-9]{3}")
_MONTH_OR_DAY = re.compile(r"([0-2][0-9]{3})-([0-9]{2})(?:-([0-9]{2}))?")
_VAGUE_YEAR = re.compile(r"[0-9]{1,3}[u?|X-]{1,3}")
_MARKS = {"questionable": "?", "approximate": "~"}
"""``@qualifier`` of MODS → the mark in EDTF."""
_DATES_REMEMBERED = 4096

_LIFE = re.compile(r"\(?([0-9]{3,4})\)?\s*[-–—]\s*\(?([0-9]{3,4})?\)?")
_BORN = re.compile(r"(?:р\.|род\.?|родился|b\.|born)\s*(?:в\s*)?([0-9]{3,4})", re.IGNORECASE)
_DIED = re.compile(r"(?:ум\.?|умер|d\.|died|[-–—])\s*(?:в\s*)?([0-9]{3,4})", re.IGNORECASE)

_YEAR_OF_LIFE = re.compile(r"\(?([0-9]{3,4})\)?(?: [A-Z][a-z]{2,8}\.? [0-9]{1,2})?")
_VAGUE_YEAR_OF_LIFE = re.compile(
    r"(?:(?:ca?|approximately|circa|ок|около)\.? ?)?[0-9]{3,4}(?: ?(?:[acp]|or [0-9]{1,4}|или [0-9]{1,4}))?\??"
)
"""A year in doubt, as headings have it; behind it RISM has ``c`` for about, ``a`` for before and ``p`` for after."""

_MARKED_YEAR = re.compile(r"([0-9]{3,4})([*†])")

_FLOURISHED = re.compile(r"\b(?:fl|active|активн|акт|работал|деят|уп|род\w* в \d+ в)\b", re.IGNORECASE)
_APPROXIMATE = re.compile(
    r"\?|(?<=[0-9])[acp]\b|\b(?:ок|около|ca|circa|c|approximately|или|or|между|between|после|after|до|before)\b",
    re.IGNORECASE,
)
_APPROXIMATE_YEARS = 10
"""How many years before or after the stated one an approximate date may mean."""

_SEPARATORS = re.compile(r"[-:.TZ ]")
_STAMP = re.compile(r"[0-9]{8}(?:[0-9]{6}[0-9]?)?")
_SIX_DIGITS = re.compile(r"[0-9]{6}")
_FIRST_YEAR_OF_1900S = 50


def date_literal(text: str) -> str:
    """Return a date as ``xsd:gYear``, ``xsd:gYearMonth`` or ``xsd:date`` if it is valid, else as a plain literal.

    There is no year 0.
    """
    if _YEAR.fullmatch(text) and int(text) > 0:
        return typed_literal(text, "gYear")
    match = _MONTH_OR_DAY.fullmatch(text)
    if match is not None:
        year, month, day = match.groups()
        try:
            datetime.date(int(year), int(month), int(day or 1))
        except ValueError:
            return literal(text)
        return typed_literal(text, "date" if day else "gYearMonth")
    return literal(text)


def to_edtf(text: str) -> str:
    """Return a coded date as EDTF, with ``X`` for unknown digits of a year; empty if it is not a date."""
    if "^^" in date_literal(text):
        return text
    return re.sub(r"[^0-9]", "X", text) if len(text) == 4 and _VAGUE_YEAR.fullmatch(text) else ""


def edtf_of(dates: Iterable[Date]) -> str:
    """Return dates of one event as EDTF (ISO 8601-2): the coded ones, else the first that is stated in words.

    A time has its two ends, ``..`` for the end of what still appears; a doubt is marked. Empty if no date is known.
    """
    known = [date for date in dates if tidy(date.value)]
    if not known:
        return ""
    coded = [date for date in known if date.encoding is not None]
    for position, date in enumerate(coded):
        value = tidy(date.value)
        if date.encoding == "edtf":
            return value
        start = to_edtf(value)
        if not start or date.point == "end":
            continue
        start += _MARKS.get(date.qualifier or "", "")
        if date.point != "start":
            return start
        end = next((one for one in coded[position + 1 :] if one.point == "end"), None)
        if end is None:
            return start
        if tidy(end.value) == OPEN_END:
            return f"{start}/.."
        last = to_edtf(tidy(end.value))
        return f"{start}/{last}{_MARKS.get(end.qualifier or '', '') if last else ''}"
    stated = (parse_date(date.value) for date in known if date.encoding is None)
    return next((date.edtf for date in stated if date is not None), "")


def edtf_literal(text: str) -> str:
    """Return a date in EDTF as a literal: of XML Schema if it is an exact year, month or day, else of EDTF."""
    exact = date_literal(text)
    return exact if "^^" in exact else literal(text, datatype=EDTF)


def record_date(date: Date) -> str | None:
    """Return the date of a record as ``xsd:date`` or ``xsd:dateTime``; None if it is not valid.

    Understood are ``yymmdd`` (MARC 21, 008/00-05; years from 50 on are of the twentieth century), ``yyyymmdd``,
    ``yyyymmddhhmmss.f`` (005) and ISO 8601.
    """
    return _record_date(tidy(date.value))


@lru_cache(maxsize=_DATES_REMEMBERED)
def _record_date(text: str) -> str | None:
    digits = _SEPARATORS.sub("", text)
    if _SIX_DIGITS.fullmatch(digits):
        digits = ("19" if int(digits[:2]) >= _FIRST_YEAR_OF_1900S else "20") + digits
    if not _STAMP.fullmatch(digits):
        return None
    try:
        if len(digits) == 8:
            return typed_literal(datetime.date.fromisoformat(digits).isoformat(), "date")
        stamp = datetime.datetime.fromisoformat(f"{digits[:8]}T{digits[8:14]}")
    except ValueError:
        return None
    return typed_literal(stamp.isoformat(), "dateTime")


@lru_cache(maxsize=_DATES_REMEMBERED)
def life_years(dates: str) -> tuple[str, str]:
    """Return the years of birth and death, four digits each, from dates as catalogues state them.

    A year is empty if it is not certain. There is no year 0.

    >>> life_years("1515c-1565"), life_years("1691†"), life_years("1254-1323?"), life_years("384-322 B.C.")
    (('', '1565'), ('', '1691'), ('1254', ''), ('', ''))
    """
    born = died = None
    first, hyphen, second = dates.replace("–", "-").replace("—", "-").partition("-")
    if match := _LIFE.fullmatch(dates):
        born, died = match.groups()
    elif match := _BORN.fullmatch(dates):
        born = match[1]
    elif match := _DIED.fullmatch(dates):
        died = match[1]
    elif match := _MARKED_YEAR.fullmatch(dates):
        born, died = (match[1], None) if match[2] == "*" else (None, match[1])
    elif hyphen and all(not side or _is_year_of_life(side) for side in (first, second)):
        born, died = (found[1] if (found := _YEAR_OF_LIFE.fullmatch(side)) else None for side in (first, second))
    return _four_digits(born), _four_digits(died)


def _is_year_of_life(text: str) -> bool:
    return (_YEAR_OF_LIFE.fullmatch(text) or _VAGUE_YEAR_OF_LIFE.fullmatch(text)) is not None


def _four_digits(year: str | None) -> str:
    return year.zfill(4) if year and int(year) > 0 else ""


def life_intervals(dates: str) -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
    """Return the first and the last year in which a person may have been born, and may have died, each if it is known.

    >>> life_intervals("1828-1910"), life_intervals("ок. 1828-"), life_intervals("fl. 1850")
    (((1828, 1828), (1910, 1910)), ((1818, 1838), None), (None, None))
    """
    born, died = map(_exact, life_years(dates))
    if (born and died) or _FLOURISHED.search(dates):
        return born, died
    first, hyphen, second = dates.replace("–", "-").replace("—", "-").partition("-")
    return (born or _interval(first), died or _interval(second)) if hyphen else (born, died)


def _exact(year: str) -> tuple[int, int] | None:
    return (int(year), int(year)) if year else None


def _interval(text: str) -> tuple[int, int] | None:
    found = interval(text)
    if found is None or not _APPROXIMATE.search(text):
        return found
    return found[0] - _APPROXIMATE_YEARS, found[1] + _APPROXIMATE_YEARS
