"""Divide a list that the server cannot give to its end, so that one bad record costs only the records of its second."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec

from bibld.harvest._clock import current_time
from bibld.harvest.oaipmh._walk_state import Step

DAY_LENGTH = len("2026-01-31")
_DAY, _SECOND = "%Y-%m-%d", "%Y-%m-%dT%H:%M:%SZ"
_FIRST = datetime(1990, 1, 1, tzinfo=UTC)
"""No datestamp is older, where the server does not state its earliest one."""


def halve(step: Step, granularity: str, earliest: str, latest: str) -> tuple[Step, Step] | None:
    """Return two lists that together have the records of one; None if it cannot be divided.

    ``granularity`` is used for a list without dates; ``earliest`` and ``latest`` are the limits of the datestamps as
    the server states them, or anything else. Both lists have the moment between them, because servers differ in
    whether ``until`` includes the day that it names.
    """
    given = step.begin or step.end
    is_day = len(given) == DAY_LENGTH if given else granularity == "day"
    begin = moment_of(step.begin) or min(moment_of(earliest) or _FIRST, moment_of(step.end) or _FIRST)
    end = moment_of(step.end) or moment_of(latest) or current_time()
    if not step.begin and begin >= end:
        begin = _FIRST
    unit = timedelta(days=1) if is_day else timedelta(seconds=1)
    middle = begin + (end - begin) // unit // 2 * unit
    if not begin < middle < end:
        return None
    text = middle.strftime(_DAY if is_day else _SECOND)
    first = msgspec.structs.replace(step, end=text, is_part=True)
    return first, msgspec.structs.replace(step, begin=text, is_part=True)


def moment_of(text: str) -> datetime | None:
    """Return a day or time of the server as a moment; None if it is none."""
    try:
        moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).replace(microsecond=0)
