"""The lists that are walked, how far the walk has come, and what a record is known by."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Literal

import msgspec

from bibld.harvest._settings import HttpSettings
from bibld.harvest._store import current_time

IdFrom = Literal["identifier", "local"]

_OAI = re.compile(r"oai:[^:]*:(.+)", re.DOTALL)
_WEB = re.compile(r"https?://[^/?#]*/?(.+)", re.DOTALL | re.IGNORECASE)


class Settings(HttpSettings, frozen=True, kw_only=True):
    """What is fetched, beside the keys of every server.

    ``prefix``: the metadata format, such as marc21; empty: the best one that the server offers, which is printed;
    ``set``: a set (setSpec), or several; ``id_from``: what a record is known by: the whole ``identifier`` of its
    header, or its ``local`` part, for servers that put the name of their host into it, and change that; ``begin``: the
    day or time from which the full list is asked for; ``full_every``: how often the whole list is compared, such as
    ``"30d"``; empty: every 30 days, every 7 days if the server does not keep deletions; ``intervals``: ask for the full
    list in parts by date, so that a list that broke off costs one part; ``granularity``: that of dates, ``auto``: as
    the server states it, or accepts it.
    """

    prefix: str = ""
    set: str | tuple[str, ...] = ""
    id_from: IdFrom = "identifier"
    begin: str = ""
    full_every: str = ""
    intervals: Literal["none", "year", "month", "day"] = "none"
    granularity: Literal["auto", "day", "second"] = "auto"

    @property
    def sets(self) -> tuple[str, ...]:
        """The sets, each once; one that is empty means the whole repository."""
        return (self.set,) if isinstance(self.set, str) else tuple(dict.fromkeys(self.set))


def record_key(identifier: str, id_from: IdFrom) -> str:
    """Return what a record with this identifier is known by.

    The local part is what follows the second colon of ``oai:host:number``, or the host of a web address; an identifier
    of another form is its own local part.
    """
    if id_from == "local" and (found := _OAI.fullmatch(identifier) or _WEB.fullmatch(identifier)):
        return found[1]
    return identifier


class ListStep(msgspec.Struct, frozen=True):
    """One list that is walked: its verb, from when until when (empty: no limit), and its set (empty: all records).

    ``is_part``: it is a part of a list that the server could not give.
    """

    verb: str
    begin: str = ""
    end: str = ""
    set: str = ""
    is_part: bool = False


class WalkState(msgspec.Struct):
    """How far a walk has come. ``token`` is that of the next part of the current step, empty at its beginning.

    ``received`` and ``distinct`` count the items of the current step (``received`` since it last began), ``size`` is
    the stated size of its list; ``started`` is the server's time of the first answer; ``missing`` are identifiers to be
    fetched one by one, ``bare`` those whose records came without metadata; ``sets`` are the sets of which something
    came. ``was_divided``: a list was divided, so that records may come in two of its parts; ``parts_listed`` counts the
    answers of such parts, ``parts_fetched`` the parts whose records are fetched one by one; ``refusals`` counts the
    parts of which not even the identifiers could be listed, ``unlisted`` names them.
    """

    steps: list[ListStep]
    position: int = 0
    token: str = ""
    received: int = 0
    distinct: int = 0
    size: int | None = None
    kind: str = ""
    restarts: int = 0
    started: str = ""
    missing: list[str] = []
    bare: list[str] = []
    sets: list[str] = []
    was_divided: bool = False
    parts_listed: int = 0
    parts_fetched: int = 0
    refusals: int = 0
    unlisted: list[str] = []

    @property
    def proven(self) -> int:
        """How many different items of the current list have come; those of later lists may have come before."""
        may_repeat = self.position > 0 or self.was_divided
        return max(self.distinct, self.received) if may_repeat else self.distinct

    @property
    def has_all(self) -> bool:
        """Whether as many items have come as the list is stated to have."""
        return self.size is not None and self.proven >= self.size


class ListShortfall(msgspec.Struct, frozen=True):
    """A list that ended with fewer items than its stated size: if it does so again, the size is wrong.

    ``harvest`` is its number (0: not known): if many of the records that it had do not come the next time, others are
    missing then, and the size is right.
    """

    received: int
    size: int
    harvest: int = 0


class WalkStopped(Exception):  # noqa: N818 - it is an outcome
    """The end of a list cannot be proven; ``can_continue``: the next harvest may go on from here."""

    def __init__(self, reason: str, can_continue: bool) -> None:
        super().__init__(reason)
        self.can_continue = can_continue


DAY_LENGTH = len("2026-01-31")
_DAY, _SECOND = "%Y-%m-%d", "%Y-%m-%dT%H:%M:%SZ"
_FIRST = datetime(1990, 1, 1, tzinfo=UTC)
"""No datestamp is older, where the server does not state its earliest one."""


def halve(step: ListStep, granularity: str, earliest: str, latest: str) -> tuple[ListStep, ListStep] | None:
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
