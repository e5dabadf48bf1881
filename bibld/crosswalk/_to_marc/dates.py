"""Dates of publication in MODS → a coded date, and the words of the publication."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from bibld.model.mods import Date, Mods, OriginInfo
from bibld.model.mods_plan import OPEN_END
from bibld.text.dates import copyright_years

_CODED = re.compile(r"\d[\du]{3}")
_ONE_OF_A_SET = re.compile(r"\[(?P<first>\d{4})?\.\.(?P<last>\d{4})?\]")
_DAY = re.compile(r"(\d{4})-(\d\d)(?:-(\d\d))?")
_QUESTIONABLE, _INFERRED, _APPROXIMATE = "questionable", "inferred", "approximate"


class PublicationDates(msgspec.Struct, frozen=True):
    """What the dates of an originInfo state; years have four digits, ``u`` for those that are not known.

    ``first`` is the year of publication or the beginning of a time, ``detail`` the month and day after it, ``last`` the
    end (``9999``: it goes on; empty: none). ``copyright`` and ``original`` are further years. ``stated`` are the dates
    in the words of the publication.
    """

    first: str = ""
    detail: str = ""
    last: str = ""
    is_range: bool = False
    is_questionable: bool = False
    copyright: str = ""
    original: str = ""
    stated: tuple[str, ...] = ()


def publication_dates(info: OriginInfo) -> PublicationDates:
    """Return the dates of the resource: of production where it is not published."""
    dates = info.date_issued or info.date_created
    coded = [date for date in dates if date.encoding in ("w3cdtf", "marc", "iso8601") and date.point is None]
    times = [date for date in dates if date.encoding in ("w3cdtf", "marc", "iso8601") and date.point is not None]
    start = next((date for date in times if date.point == "start"), None)
    end = next((date for date in times if date.point == "end"), None)
    first, detail, last = "", "", ""
    if start is not None or end is not None:
        first, last = _year(start), _year(end)
    elif coded:
        day = _DAY.fullmatch(coded[0].value)
        first = _year(coded[0])
        detail = f"{day[2]}{day[3] or ''}" if day is not None else ""
    words = tuple(_in_words(date) for date in dates if date.encoding in (None, "edtf") and date.value)
    rights = next((year for date in info.copyright_date if (year := _year(date))), "")
    original = next((year for date in info.date_other if date.type == "original" and (year := _year(date))), "")
    goes_on = not {"serial", "continuing", "integrating resource"}.isdisjoint(info.issuance)
    qualifiers = {date.qualifier for date in (*times, *coded)}
    return PublicationDates(
        first=first,
        detail=detail,
        last=last,
        is_range=start is not None or end is not None,
        is_questionable=_QUESTIONABLE in qualifiers and bool(times),
        copyright=rights,
        original=original,
        stated=words
        or tuple(_printed(coded[:1] or [date for date in (start, end) if date is not None], goes_on=goes_on)),
    )


def day_entered(mods: Mods) -> str:
    """Return the day on which the record was made (``yyyymmdd``), or the earliest known one on which it was changed."""
    dates = [date for info in mods.record_info for date in info.record_creation_date]
    dates += [date for info in mods.record_info for date in info.record_change_date]
    days = (date.value.replace("-", "")[:8] for date in dates)
    return next((day for day in days if len(day) == 8 and day.isascii() and day.isdecimal()), "")


def _in_words(date: Date) -> str:
    """Return a date as a publication has it: ``[1985..]`` of EDTF as ``[1985-?]``, other texts unchanged."""
    found = _ONE_OF_A_SET.fullmatch(date.value) if date.encoding == "edtf" else None
    if found is None:
        return date.value
    return f"[{found['first'] or ''}-{found['last'] or '?'}]"


def _year(date: Date | None) -> str:
    text = date.value[:4] if date is not None else ""
    return text if _CODED.fullmatch(text) else ""


def _printed(dates: Sequence[Date], *, goes_on: bool) -> list[str]:
    """Return the date that the publication has, if its year is not only coded; ``goes_on``: it is a serial."""
    if not dates or dates[0].encoding == "marc":
        return []
    first = dates[0]
    years = first.value if first.point is None else first.value[:4]
    if len(dates) > 1:
        years = f"{first.value}-{'' if dates[1].value == OPEN_END else dates[1].value}"
    if first.qualifier == _QUESTIONABLE:
        years = f"{years}?"
    elif first.point == "start" and len(dates) == 1 and goes_on:
        years = f"{years}-"
    elif first.qualifier == _APPROXIMATE:
        years = f"approximately {years}"
    is_supplied = first.qualifier in (_INFERRED, _QUESTIONABLE, _APPROXIMATE)
    return [f"[{years}]" if is_supplied else years]


def further_copyright(info: OriginInfo, stated: Sequence[str]) -> list[str]:
    """Return the dates of copyright that the stated dates do not contain."""
    known = {str(year) for text in stated for year in copyright_years(text)}
    return [date.value for date in info.copyright_date if date.value not in known]
