"""Dates as records write them, in the forms of W3CDTF (https://www.w3.org/TR/NOTE-datetime)."""

from __future__ import annotations

import calendar

FIRST_YEAR_OF_MARC = 66
"""The two-digit years of 008/00-05 begin with the first MARC records, of 1966."""


def date_entered(text: str) -> str | None:
    """``yymmdd`` as ``YYYY-MM-DD``; None for a text that is no date. Years from 66 belong to the 20th century."""
    if len(text) < 6 or not text[:6].isdecimal() or not text.isascii():
        return None
    century = "19" if int(text[:2]) >= FIRST_YEAR_OF_MARC else "20"
    return day(century + text[:6])


def day(text: str) -> str | None:
    """``YYYYMMDD`` as ``YYYY-MM-DD``; None for a text that is no day of the calendar."""
    if len(text) < 8 or not text[:8].isdecimal() or not text[:8].isascii():
        return None
    year, month, number = int(text[:4]), int(text[4:6]), int(text[6:8])
    if year == 0 or not 1 <= month <= 12 or not 1 <= number <= calendar.monthrange(year, month)[1]:
        return None
    return f"{text[:4]}-{text[4:6]}-{text[6:8]}"


def transaction(text: str) -> str | None:
    """Field 005, ``YYYYMMDDHHMMSS.F``, as ``YYYY-MM-DDTHH:MM:SS`` (ISO 8601; a bare date where there is no time)."""
    text = text.strip()
    date = day(text)
    if date is None:
        return None
    time = text[8:14]
    if len(time) == 6 and time.isdecimal() and time.isascii():
        hours, minutes, seconds = int(time[:2]), int(time[2:4]), int(time[4:])
        if hours < 24 and minutes < 60 and seconds < 60:
            return f"{date}T{time[:2]}:{time[2:4]}:{time[4:]}"
    return date
