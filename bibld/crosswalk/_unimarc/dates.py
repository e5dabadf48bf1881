"""Dates of publication: the coded ones of 100$a/8-16 and those that the imprint states, made one."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from bibld.crosswalk._texts import APPROXIMATE, date_qualifier, year_range
from bibld.crosswalk._unimarc.codes import without_fill
from bibld.crosswalk._unimarc.imprint import ImprintText
from bibld.crosswalk._unimarc.view import UnimarcView
from bibld.model.mods import Date
from bibld.text.dates import years

_UNSURE_YEAR = re.compile(r"\d{1,3}u{1,3}")
_MONTH_AND_DAY = re.compile(r"(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])?")
_MARKS = str.maketrans("", "", "[]<>. ")
_YEAR = re.compile(r"(\d{4})\.?")
_COPYRIGHT = re.compile(r"(?:©|℗|cop\.?|copyright)\s*(\d{4})\.?", re.IGNORECASE)
_OPEN = "9999"


class Dates(msgspec.Struct):
    """The dates of an originInfo while they are gathered."""

    issued: list[Date] = []
    created: list[Date] = []
    copyright: list[Date] = []
    other: list[Date] = []

    def add_second(self, kind: str, date: Date) -> None:
        """Add date 2 of 100$a, if the code of the dates gives it a meaning."""
        if kind == "e":
            self.other.append(replace(date, type="original"))
        elif kind == "h":
            self.copyright.append(date)
        elif kind == "i":
            self.created.append(date)
        elif kind == "k":
            self.other.append(replace(date, type="manufacture"))

    def add_copyright(self, text: str) -> None:
        """Add a copyright date as stated (``cop. 2012``), unless it is known."""
        year = _COPYRIGHT.fullmatch(text) or _YEAR.fullmatch(text)
        date = Date(value=year[1], encoding="w3cdtf") if year is not None else Date(value=text)
        if date not in self.copyright:
            self.copyright.append(date)


def coded_dates(kind: str, first: str, second: str) -> Dates:
    """Read the dates of 100$a: the code at 8 states what date 1 (9-12) and date 2 (13-16) are."""
    dates = Dates()
    one, two = _date(first), _date(second)
    if one is None:
        return dates
    if kind in (*"abcgl",):
        dates.issued += _range(kind, one, second)
    elif kind == "f":
        dates.issued.append(replace(one, qualifier="questionable", point="start" if two is not None else None))
        if two is not None:
            dates.issued.append(replace(two, qualifier="questionable", point="end"))
    elif kind == "u":
        dates.issued.append(replace(one, point="start"))
    elif kind == "j" and one.encoding == "w3cdtf" and (day := _MONTH_AND_DAY.fullmatch(second.strip())):
        dates.issued.append(Date(value="-".join([one.value, *filter(None, day.groups())]), encoding="w3cdtf"))
    else:
        dates.issued.append(one)
        if two is not None:
            dates.add_second(kind, two)
    return dates


def _range(kind: str, one: Date, second: str) -> list[Date]:
    """Return the dates of a resource that appears, or appeared, for some time."""
    start, two = replace(one, point="start"), _date(second)
    if second == _OPEN:
        return [start, Date(value=_OPEN, encoding="marc", point="end")]
    if two is not None and kind in "bgl" and two != one:
        return [start, replace(two, point="end")]
    return [one] if kind != "a" and two == one else [start]


def _date(text: str) -> Date | None:
    year = text.replace(" ", "u").replace("?", "u").replace("-", "u").replace("U", "u").ljust(4, "u")
    if year.isascii() and year.isdecimal():
        return Date(value=year, encoding="w3cdtf") if 0 < int(year) < 9999 else None
    return Date(value=year, encoding="marc") if _UNSURE_YEAR.fullmatch(year) and len(year) == 4 else None


def dates_of(view: UnimarcView, stated: Sequence[ImprintText]) -> Dates:
    """Return the coded dates and, where it differs, the date of the imprint unchanged.

    A year that the imprint states exactly replaces one whose last digits are not coded. Some systems write the year of
    cataloguing into 100$a: where the years differ by more than one, the date of the imprint is used.
    """
    coded = without_fill(view.first("100", "a") or "").ljust(17)
    dates = Dates() if view.is_nested else coded_dates(coded[8], coded[9:13], coded[13:17])
    texts = [f"[{text.value}]" if text.is_supplied else text.value for text in stated]
    found = [year for text in texts for year in years(text)]
    if found and dates.issued and not _agree(found, dates):
        view.warn(f"100: date 1 {coded[9:13]!r} contradicts the imprint {' '.join(texts)!r}, which is used")
        dates = Dates()
    if found and not view.is_nested:
        is_exact = date_qualifier(texts) != APPROXIMATE
        coded_years = [
            _exact(date, found) if is_exact and not number else date for number, date in enumerate(dates.issued)
        ]
        dates.issued = coded_years or _stated_dates(" ".join(texts), found)
    if dates.issued and not view.is_nested:
        date = dates.issued[0]
        qualifier = date.qualifier or (date_qualifier(texts) if date.encoding == "w3cdtf" else None)
        dates.issued[0] = replace(date, key_date="yes", qualifier=qualifier)
    _add_texts(dates, texts)
    return dates


def _agree(found: list[int], dates: Dates) -> bool:
    """Return whether a stated year is one of the coded dates, or next to them."""
    all_dates = [*dates.issued, *dates.copyright, *dates.other, *dates.created]
    earliest = min(int(date.value[:4].replace("u", "0")) for date in all_dates)
    latest = max(int(date.value[:4].replace("u", "9")) for date in all_dates)
    return any(earliest - 1 <= year <= latest + 1 for year in found)


def _exact(date: Date, found: list[int]) -> Date:
    """Return a date with unknown digits as the first stated year that has its known ones, else the first stated."""
    known = date.value.rstrip("u")
    if known == date.value:
        return date
    year = next((year for year in found if str(year).startswith(known)), found[0])
    return replace(date, value=str(year), encoding="w3cdtf")


def _stated_dates(text: str, found: list[int]) -> list[Date]:
    """Return the dates of an imprint: ``1990-1995`` and ``1990-95`` are a range, ``<1972->`` is an open one."""
    stated = year_range(text)
    if stated is None:
        return [Date(value=str(found[0]), encoding="w3cdtf")]
    points = [(stated[0], "start"), (stated[1], "end")]
    return [Date(value=year, encoding="w3cdtf", point=point) for year, point in points if year]


def _add_texts(dates: Dates, texts: list[str]) -> None:
    """Add those texts of the imprint that state more than the dates do."""
    known = {"-".join(date.value for date in dates.issued), *(date.value for date in dates.issued)}
    for text in texts:
        if _COPYRIGHT.fullmatch(text):
            dates.add_copyright(text)
        elif text.translate(_MARKS) not in known:
            dates.issued.append(Date(value=text))
