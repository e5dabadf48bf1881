"""Dates of publication in MODS, from those that a record codes and those that it copies from the publication.

The printed date goes before the coded one: some systems code the date of cataloguing or of a reproduction, and a decade
with a doubt is often coded as its first year. The coded date completes the printed one: it has the end of a serial, or
the month of issue.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from bibld.crosswalk._texts import chop, without_brackets
from bibld.model.mods import Date
from bibld.model.mods_plan import OPEN_END
from bibld.text.dates import StatedDate, copyright_years, parse_date, years

_QUALIFIERS = {"?": "questionable", "~": "approximate"}
_MARKS = str.maketrans("", "", "[]<>. ")


def dates_of_publication(coded: Sequence[Date], stated: Sequence[str], warn: Callable[[str], None]) -> list[Date]:
    """Return the dates in MODS, the first as key date; ``warn`` receives a message if the years contradict each other.

    ``stated`` are the dates in the words of the publication. They follow the others if they state more. Printed years
    have the encoding ``w3cdtf``, years that are only coded ``marc``. A year of copyright is no printed date if there is
    a coded one.
    """
    dated = {
        text: date
        for text in stated
        if (date := parse_date(text)) is not None and not (coded and states_only_copyright(text))
    }
    printed = next(iter(dated.values()), None)
    if printed is None:
        dates = [replace(date, encoding="marc") if len(date.value) == 4 else date for date in coded]
    else:
        dates = [*coded] if _completes(coded, printed) else _to_mods(printed)
    if coded and not _can_be_one_year(dates[0].value.strip("[."), coded[0].value):
        warn(f"the coded year {coded[0].value} contradicts the printed date {' '.join(stated)!r}, which is used")
    if dates:
        qualifier = dates[0].qualifier or (_QUALIFIERS.get(printed.qualifier) if printed is not None else None)
        is_supplied = bool(dated) and dates[0].encoding == "w3cdtf" and all(map(_is_supplied, dated))
        dates[0] = replace(dates[0], key_date="yes", qualifier=qualifier or ("inferred" if is_supplied else None))
    known = {"-".join(date.value for date in dates if date.value != OPEN_END), *(date.value for date in dates)}
    further = [text for text in stated if text.translate(_MARKS).rstrip("-") not in known]
    return [*dates, *map(Date, further)]


def states_only_copyright(text: str) -> bool:
    """Whether all years in a statement of dates are those of copyright."""
    found = years(text)
    return bool(found) and set(found) <= set(copyright_years(text))


def _is_supplied(text: str) -> bool:
    """Whether a text is in square brackets, which ISBD puts around what the cataloguer supplied."""
    return without_brackets(chop(text))[1]


def _completes(coded: Sequence[Date], printed: StatedDate) -> bool:
    """Whether coded dates have the printed year and perhaps state more: a month and day, or the end of a time."""
    if not coded or coded[0].value[:4].replace("u", "X") != printed.first:
        return False
    if coded[0].point is None:
        return printed.last is None and printed.first.isdecimal()
    last = next((date.value[:4].replace("u", "X") for date in coded if date.point == "end"), "")
    return not printed.qualifier and printed.last in (None, "", last)


def _can_be_one_year(one: str, other: str) -> bool:
    return all(digit in (coded, "u") or coded == "u" for digit, coded in zip(one[:4], other[:4], strict=True))


def _to_mods(date: StatedDate) -> list[Date]:
    """Return a date as MODS has it: one for each end of a time; unknown digits are ``u`` as in MARC."""
    qualifier = _QUALIFIERS.get(date.qualifier)
    if date.last is None:
        return [_year(date.first, None, qualifier)]
    if not date.first or (not date.last and date.qualifier == "?"):
        return [Date(value=date.edtf, encoding="edtf", qualifier=qualifier)]
    end = _year(date.last, "end", qualifier) if date.last else Date(value=OPEN_END, encoding="marc", point="end")
    return [_year(date.first, "start", qualifier), end]


def _year(text: str, point: str | None, qualifier: str | None) -> Date:
    encoding = "w3cdtf" if text.isdecimal() else "marc"
    return Date(value=text.replace("X", "u"), encoding=encoding, point=point, qualifier=qualifier)


def copyright_dates(stated: Sequence[str], known: Sequence[Date] = ()) -> list[Date]:
    """Return the dates of copyright in statements of dates that are not among the known ones."""
    found = dict.fromkeys(str(year) for text in stated for year in copyright_years(text))
    return [Date(value=year, encoding="w3cdtf") for year in found if year not in {date.value for date in known}]
