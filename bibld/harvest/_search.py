"""Harvest all that queries find, from a server that is made for searching (SRU, Z39.50).

The server's counts are compared: at first, of the parts of a query that had to be divided, and at the end.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Protocol

import msgspec

from bibld.harvest._ranges import divide
from bibld.harvest._visit import Visit
from bibld.protocols import Fetched

_MARGIN = 0.9
"""A part of a divided query has at most this share of what the server gives, because counts may be estimates."""

_NO_LIMIT = 1 << 62
_MOST_REASONS = 5


class LimitReached(Exception):  # noqa: N818 - no error: the query is divided then
    """The server gives no more records of a query than ``limit``."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"{limit} records")
        self.limit = limit


class Position(msgspec.Struct, frozen=True):
    """The position of the next record in a result (from 1), and a hash of the portion before it."""

    next: int = 1
    last_portion: str = ""


class Walked(msgspec.Struct, frozen=True):
    """Why not all records of a query came; ``is_stopped``: because the command limits their number."""

    reasons: tuple[str, ...] = ()
    is_stopped: bool = False


class Plan(msgspec.Struct, frozen=True):
    """What is searched for.

    ``server`` identifies the server and the form of records; ``limit`` is the most records that it is known to give of
    one query (0: not known); if ``is_divisible``, larger queries are divided by numbers in ``numbers``.
    """

    server: str
    queries: tuple[str, ...]
    limit: int
    is_divisible: bool
    numbers: tuple[int, int]


class Searcher(Protocol):
    """A server that is searched."""

    def count(self, query: str) -> int:
        """Return how many records a query has; raises ``HarvestError``."""

    def within(self, query: str, low: int, high: int) -> str:
        """Return the query for the records of another one that have a number from ``low`` to ``high``."""

    def outside(self, query: str, low: int, high: int) -> str:
        """Return the query for the others."""

    def walk(self, query: str, start: Position, save: Callable[[Position], None]) -> Walked:
        """Fetch and store the records of a query; ``save`` is called with each position, in the same commit.

        Raises ``LimitReached`` if the server gives no more of them, and ``HarvestError``.
        """


class _State(msgspec.Struct, frozen=True):
    """How far a harvest is: its parts, the current one, and the position in that."""

    parts: tuple[str, ...]
    total: int
    part: int = 0
    position: Position = Position()


class _Counted(msgspec.Struct, frozen=True):
    """What a harvest counted at its end; if the next one counts the same, the server's number is wrong."""

    total: int
    distinct: int


def begin(visit: Visit, plan: Plan) -> bool:
    """Begin a harvest, before the server is asked anything; return whether an interrupted one is continued."""
    identity = msgspec.json.encode([plan.server, plan.queries])
    return visit.begin("full", hashlib.sha256(identity).hexdigest())


def fetch_by_search(visit: Visit, searcher: Searcher, plan: Plan, is_continued: bool) -> Fetched:
    """Fetch all records of the queries; continue where a harvest was interrupted. Raises ``HarvestError``."""
    counts = [searcher.count(query) for query in plan.queries]
    total = sum(counts)
    state = visit.store.value("search", _State) if is_continued else None
    if state is None or state.total != total or not state.parts:
        state = _State(_parts(visit, searcher, plan, counts), total)
    visit.progress.stage("harvest", "records", total)
    try:
        reasons = _walk(visit, searcher, state)
    except LimitReached as reached:
        with visit.store.commit():
            visit.store.set_value("search_limit", reached.limit)
        if not plan.is_divisible:
            reasons = [_advice(reached.limit, total)]
        else:
            reasons = _walk(visit, searcher, _State(_parts(visit, searcher, plan, counts), total), may_divide=False)
    reasons = reasons or _compare_counts(visit, searcher, plan, total)
    return Fetched("partial" if reasons else "complete", tuple(reasons))


def _walk(visit: Visit, searcher: Searcher, state: _State, may_divide: bool = True) -> list[str]:
    """Fetch the parts from the state on; return why not all records came."""
    reasons: list[str] = []
    for number in range(state.part, len(state.parts)):

        def save(position: Position, number: int = number) -> None:
            visit.store.set_value("search", msgspec.structs.replace(state, part=number, position=position))

        try:
            walked = searcher.walk(state.parts[number], state.position if number == state.part else Position(), save)
        except LimitReached as reached:
            if may_divide and len(state.parts) == 1:
                raise
            walked = Walked((_advice(reached.limit, searcher.count(state.parts[number])),))
        reasons += walked.reasons[: max(_MOST_REASONS - len(reasons), 0)]
        if walked.is_stopped:
            return reasons
    with visit.store.commit():
        visit.store.set_value("search", None)
    return reasons


def _parts(visit: Visit, searcher: Searcher, plan: Plan, counts: list[int]) -> tuple[str, ...]:
    """Return the queries, each divided if the server is known to give fewer records than it has."""
    learned = visit.store.value("search_limit", int) or _NO_LIMIT
    limit = min(plan.limit or _NO_LIMIT, learned)
    parts: list[str] = []
    for query, total in zip(plan.queries, counts, strict=True):
        if total <= limit or not plan.is_divisible:
            parts.append(query)
            continue
        parts += _divided(searcher, plan, query, total, max(int(limit * _MARGIN), 1))
        visit.progress.report(f"harvest: {visit.source}: {total:,} records, divided into {len(parts)} queries")
    return tuple(parts)


def _divided(searcher: Searcher, plan: Plan, query: str, total: int, largest: int) -> list[str]:
    """Return queries for ranges of numbers, and one for the records without a number, if there are any."""
    first, last = plan.numbers
    ranges = divide(first, last, largest, lambda low, high: searcher.count(searcher.within(query, low, high)))
    rest = [] if sum(one.records for one in ranges) >= total else [searcher.outside(query, first, last)]
    return [searcher.within(query, one.first, one.last) for one in ranges] + rest


def _compare_counts(visit: Visit, searcher: Searcher, plan: Plan, total: int) -> list[str]:
    """Return why what came may not be all: the server's numbers changed, or fewer different records came."""
    store = visit.store
    distinct = store.records.count_seen()
    now = sum(searcher.count(query) for query in plan.queries)
    if now != total:
        return [f"the server had {total:,} records at first and has {now:,} now; the next run compares again"]
    if len(plan.queries) > 1 or distinct >= total:
        return []
    counted = _Counted(total, distinct)
    is_same = store.value("search_counted", _Counted) == counted
    with store.commit():
        store.set_value("search_counted", counted)
    if is_same:
        return []
    return [
        f"the server states {total:,} records, and {distinct:,} different ones came; if the next run counts the same,"
        " they are taken for all"
    ]


def _advice(limit: int, total: int) -> str:
    return (
        f"the server gives only {limit:,} of the {total:,} records of a query; state split, by which it is divided, or"
        " smaller queries"
    )
