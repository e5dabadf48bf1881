"""Which of two records is the older one, and which was changed later."""

from __future__ import annotations

import re
from collections.abc import Iterable

from bibld.model.mods import Date, Mods
from bibld.model.origin import RecordId

_UNKNOWN = "9999"
_FIRST_MARC_YEAR = 60
"""A year of two digits from here on is in the 20th century: MARC records have been made since the 1960s."""


def age_key(record: RecordId, mods: Mods) -> tuple[str, str, RecordId]:
    """Return a key that sorts the oldest record first: by date of creation, then of the last change, then by id.

    Dates that are missing or unreadable count as later than all others.
    """
    created = min(_dates(date for info in mods.record_info for date in info.record_creation_date), default=_UNKNOWN)
    changed = min(_dates(date for info in mods.record_info for date in info.record_change_date), default=_UNKNOWN)
    return created, changed, record


def last_change(mods: Mods) -> str:
    """Return when a description was last made or changed, as digits from the year on; empty if no date is readable."""
    dates = (date for info in mods.record_info for date in (*info.record_creation_date, *info.record_change_date))
    return max((date for date in _dates(dates) if date != _UNKNOWN), default="")


def _dates(dates: Iterable[Date]) -> Iterable[str]:
    """Return dates as sortable digits."""
    for date in dates:
        digits = re.sub(r"[^0-9.]", "", date.value).split(".")[0]
        if len(digits) == 6:
            yield ("19" if int(digits[:2]) >= _FIRST_MARC_YEAR else "20") + digits
        else:
            yield digits if len(digits) >= 8 else _UNKNOWN
