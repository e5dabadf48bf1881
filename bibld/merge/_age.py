"""Which of two records is the older one, and which was changed later."""

from __future__ import annotations

import re

from bibld.model.mods import Date, Mods
from bibld.model.origin import RecordId

_NEVER = "9999"
_FIRST_MARC_YEAR = 60
"""A year of two digits from here on lies in the 20th century: MARC records have been made since the 1960s."""


def age(record: RecordId, mods: Mods) -> tuple[str, str, RecordId]:
    """A key that sorts the oldest record first: by date of creation, then of the last change, then by id.

    Dates that are missing or unreadable count as later than all others.
    """
    created = changed = _NEVER
    for info in mods.record_info:
        created = min(created, _earliest(info.record_creation_date))
        changed = min(changed, _earliest(info.record_change_date))
    return created, changed, record


def changed(mods: Mods) -> str:
    """When a description was last made or changed, as digits from the year on; empty where no date can be read."""
    dates = (
        _sortable(date.value)
        for info in mods.record_info
        for date in (*info.record_creation_date, *info.record_change_date)
    )
    return max((date for date in dates if date != _NEVER), default="")


def _earliest(dates: tuple[Date, ...]) -> str:
    return min((_sortable(date.value) for date in dates), default=_NEVER)


def _sortable(text: str) -> str:
    digits = re.sub(r"[^0-9.]", "", text).split(".")[0]
    if len(digits) == 6:
        century = "19" if int(digits[:2]) >= _FIRST_MARC_YEAR else "20"
        return century + digits
    return digits if len(digits) >= 8 else _NEVER
