"""Coded years that contradict the stated ones."""

from __future__ import annotations

from bibld.model.marc import MarcRecord
from bibld.text.dates import years
from bibld.worklist._faults import WorkKind
from bibld.worklist._values import LocatedFault, Notes

_ONE_YEAR_MARC21 = "smrt"
"""Types of date in 008/06 whose date 1 is a year of the publication: single, first of more, of the reprint, of it."""

_ONE_YEAR_UNIMARC = "deghjk"
"""The same in 100$a/8."""

_FIRST_OF_MORE = "mg"
_REPRODUCTION = "r"
"""In 008/06: date 1 is that of the reprint or reproduction, which only a note may state, date 2 the original's."""


def date_faults(notes: Notes, record: MarcRecord) -> list[LocatedFault]:
    """Return the contradiction of the coded year (008/07-10 of MARC 21, 100$a/09-12 of UNIMARC) and the stated years.

    A record that states no year in figures contradicts nothing.
    """
    if notes.coded is not None:
        index, text = notes.coded
        kind, year, suffix, types = text[8:9], text[9:13], "$a/09-12", _ONE_YEAR_UNIMARC
    else:
        text = record.control("008") or ""
        kind, year, suffix, types = text[6:7], text[7:11], "/07-10", _ONE_YEAR_MARC21
        index = -1
    if not kind or kind not in types or not (year.isascii() and year.isdigit()):
        return []
    stated = {one for _, _, statement in notes.years for one in years(statement)}
    if index < 0 and kind == _REPRODUCTION and stated.intersection(years(text[11:15])):
        return []
    if not stated or int(year) in stated or (kind in _FIRST_OF_MORE and int(year) <= min(stated)):
        return []
    if index < 0:
        index = next(number for number, field in enumerate(record.all_fields) if field.tag == "008")
    return [(index, WorkKind.CONTRADICTING_DATES, suffix, year, str(min(stated)))]
