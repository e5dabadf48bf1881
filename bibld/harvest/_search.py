"""Harvest all that queries find, from a server that is made for searching (SRU, Z39.50).

The server's counts are compared: at first, of the parts of a query that had to be divided, and at the end."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from typing import Protocol

import msgspec

from bibld.harvest._visit import Visit
from bibld.protocols import Fetched

_MARGIN = 0.9
"""A part of a divided query has at most this share of what the server gives, because counts may be estimates."""

_NO_LIMIT = 1 << 62
MAX_REASONS = 5
"""Reasons that are stated one by one; the report has the number."""


class LimitReached(Exception):  # noqa: N818 - no error: the query is divided then
    """The server gives no more records of a query than ``limit``."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"{limit} records")
        self.limit = limit


class ResultPosition(msgspec.Struct, frozen=True):
    """The position of the next record in a result (from 1), and a hash of the portion before it."""

    next: int = 1
    last_portion: str = ""


class ResultWalk:
    """A walk over the records of one query: how far it is (``at``), and the ``reasons`` for which some did not come."""

    def __init__(self, visit: Visit, at: ResultPosition, save: Callable[[ResultWalk], bool]) -> None:
        """``save`` stores the position and the reasons; it returns whether the command asks to stop there."""
        self.visit = visit
        self.at = at
        self._save = save
        self.reasons: list[str] = []
        self.is_stopped = False

    def add_reason(self, reason: str) -> None:
        """Add why records did not come; the first reasons are kept."""
        if len(self.reasons) < MAX_REASONS:
            self.reasons.append(reason)

    def store(self, records: Iterable[FoundRecord], passed: int, last_portion: str = "") -> None:
        """Store records together with the position behind them, after as many as ``passed``."""
        with self.visit.store.commit():
            for record in records:
                self._keep(record)
            self.at = ResultPosition(self.at.next + passed, last_portion or self.at.last_portion)
            self.is_stopped = self._save(self)
        self.visit.progress.advance(passed)

    def _keep(self, record: FoundRecord) -> None:
        store = self.visit.store
        name = record.identifier or f"x{hashlib.sha256(record.data).hexdigest()[:16]}"
        store.count("received")
        was_seen = store.records.was_seen(name)
        if record.fault:
            outcome = "rejected"
            store.records.reject(name, record.fault, record.data, record.answer)
        else:
            outcome = store.records.put(name, "", record.data, record.answer)
        if was_seen and outcome != "unchanged":
            self.visit.note("same-identifier", "", f"{name}: ".encode() + record.data)
            store.count("replaced")
        elif outcome in ("new", "changed"):
            store.count(outcome)


class FoundRecord(msgspec.Struct, frozen=True):
    """The bytes of a record, its identifier (empty: it is known by its bytes), and the number of its answer.

    ``fault``: why it cannot be used.
    """

    data: bytes
    identifier: str = ""
    answer: int = 0
    fault: str = ""


class SearchPlan(msgspec.Struct, frozen=True):
    """What is searched for.

    ``server`` identifies the server and the form of records; ``limit`` is the most records that it is known to give of
    one query (0: not known); if ``is_divisible``, larger queries are divided by numbers in ``numbers``. ``form`` names
    what records are, such as ``usmarc`` (empty: not known): those of another form do not stay beside them.
    """

    server: str
    queries: tuple[str, ...]
    limit: int
    is_divisible: bool
    numbers: tuple[int, int]
    form: str = ""


class Searcher(Protocol):
    """A server that is searched."""

    def count(self, query: str) -> int:
        """Return how many records a query has; raises ``HarvestError``."""

    def within(self, query: str, low: int, high: int) -> str:
        """Return the query for the records of another one that have a number from ``low`` to ``high``."""

    def outside(self, query: str, low: int, high: int) -> str:
        """Return the query for the others."""

    def walk(self, query: str, walk: ResultWalk) -> None:
        """Fetch and store the records of a query from a position on.

        Raises ``LimitReached`` if the server gives no more of them, and ``HarvestError``.
        """


class _QueryPart(msgspec.Struct, frozen=True):
    """A query, and how many records the server states for it."""

    query: str
    records: int


class _SearchState(msgspec.Struct, frozen=True):
    """How far a harvest is: its parts, the current one, the position in that, and why it will not be complete.

    ``counts`` are those of the queries. It is stored only while a harvest is not at its end.
    """

    parts: tuple[_QueryPart, ...]
    counts: tuple[int, ...]
    part: int = 0
    position: ResultPosition = ResultPosition()
    reasons: tuple[str, ...] = ()

    def after(self, walk: ResultWalk) -> _SearchState:
        """Return the state when a walk has come as far as it is."""
        return msgspec.structs.replace(self, position=walk.at).with_reasons(walk.reasons)

    def with_reasons(self, reasons: Iterable[str]) -> _SearchState:
        """Return the state with further reasons, of which the first ones are kept."""
        joined = tuple(dict.fromkeys([*self.reasons, *reasons]))
        return msgspec.structs.replace(self, reasons=joined[:MAX_REASONS])


class _Counted(msgspec.Struct, frozen=True):
    """What a harvest counted at its end; if the next one counts the same records, the server's number is wrong."""

    request: str
    counts: tuple[int, ...]
    distinct: int
    harvest: int = 0


def begin(visit: Visit, plan: SearchPlan, can_continue: bool = True) -> bool:
    """Begin a harvest, before the server is asked anything; return whether an interrupted one is continued.

    One that came to its end, complete or not, is never continued: what it saw proves nothing about another night.
    """
    store = visit.store
    can_continue = can_continue and not visit.options.full and store.value("search", _SearchState) is not None
    with store.commit():
        is_continued = visit.begin("full", _request(plan), can_continue)
        if not is_continued:
            store.set_value("search", None)
    return is_continued


def fetch_by_search(visit: Visit, searcher: Searcher, plan: SearchPlan, is_continued: bool) -> Fetched:
    """Fetch all records of the queries; continue where a harvest was interrupted. Raises ``HarvestError``."""
    store = visit.store
    counts = tuple(searcher.count(query) for query in plan.queries)
    state = store.value("search", _SearchState) if is_continued else None
    if state is not None and state.counts != counts:  # its positions are those of other results
        begin(visit, plan, can_continue=False)
        state = None
    state = state or _SearchState(_parts(visit, searcher, plan, counts), counts)
    visit.progress.stage("harvest", "records", sum(counts))
    walk = _SearchWalk(visit, searcher, plan)
    try:
        state = walk.fetch(state)
    except LimitReached as reached:
        with store.commit():
            store.set_value("search_limit", reached.limit)
        if not plan.is_divisible:
            state = state.with_reasons([_advice(reached.limit, sum(counts))])
        else:
            state = walk.fetch(_SearchState(_parts(visit, searcher, plan, counts), counts), may_divide=False)
    if walk.is_stopped:
        stopped = f"stopped after {visit.options.limit:,} records, as --limit asks"
        return Fetched("partial", (*state.reasons, stopped))
    reasons = state.reasons or tuple(_compare_counts(visit, searcher, plan, counts))
    with store.commit():
        store.set_value("search", None)
    return Fetched("partial" if reasons else "complete", reasons)


class _SearchWalk:
    """Fetches the parts of a harvest, and stores the state."""

    def __init__(self, visit: Visit, searcher: Searcher, plan: SearchPlan) -> None:
        self._visit = visit
        self._searcher = searcher
        self._form = plan.form
        self._received_before = visit.store.counts().get("received", 0)
        self.is_stopped = False
        """Whether the command limits the number of records, and that many came."""

    def fetch(self, state: _SearchState, may_divide: bool = True) -> _SearchState:
        """Fetch the parts from the state on; return the last state. Raises ``LimitReached`` if one may be divided."""
        while state.part < len(state.parts) and not self.is_stopped:
            state = self._fetch_part(state, may_divide and len(state.parts) == 1)
            if not self.is_stopped:
                state = msgspec.structs.replace(state, part=state.part + 1, position=ResultPosition())
                with self._visit.store.commit():
                    self._visit.store.set_value("search", state)
        return state

    def _fetch_part(self, state: _SearchState, may_divide: bool) -> _SearchState:
        part = state.parts[state.part]
        if 1 < part.records < state.position.next:
            return state  # it was stopped at its end

        def save(walk: ResultWalk) -> bool:
            store, limit = self._visit.store, self._visit.options.limit
            self._drop_other_form()
            store.set_value("search", state.after(walk))
            self.is_stopped = bool(limit) and store.counts().get("received", 0) - self._received_before >= limit
            return self.is_stopped

        walk = ResultWalk(self._visit, state.position, save)
        try:
            self._searcher.walk(part.query, walk)
        except LimitReached as reached:
            if may_divide:
                raise
            return state.after(walk).with_reasons([_advice(reached.limit, part.records)])
        came = walk.at.next - 1
        if not self.is_stopped and came < part.records and not walk.reasons:
            walk.add_reason(f"the server stated {part.records:,} records for {part.query}, and gives {came:,}")
        return state.after(walk)

    def _drop_other_form(self) -> None:
        """Drop the stored records of another form, when the first ones of this form have come."""
        store = self._visit.store
        suffix = f"{store.records.form.suffix}.gz"
        stored = store.value("search_form", str)
        if not self._form or stored == self._form:
            return
        others = [path for path in store.records.paths() if not path.name.endswith(suffix)]
        if stored or others:
            store.count("removed", store.records.drop_unseen())
        for path in others:
            path.unlink()
        store.set_value("search_form", self._form)


def _request(plan: SearchPlan) -> str:
    return hashlib.sha256(msgspec.json.encode([plan.server, plan.queries])).hexdigest()


def _parts(visit: Visit, searcher: Searcher, plan: SearchPlan, counts: tuple[int, ...]) -> tuple[_QueryPart, ...]:
    """Return the queries, each divided if the server is known to give fewer records than it has."""
    learned = visit.store.value("search_limit", int) or _NO_LIMIT
    limit = min(plan.limit or _NO_LIMIT, learned)
    parts: list[_QueryPart] = []
    for query, total in zip(plan.queries, counts, strict=True):
        if total <= limit or not plan.is_divisible:
            parts.append(_QueryPart(query, total))
            continue
        parts += _divided(searcher, plan, query, total, max(int(limit * _MARGIN), 1))
        visit.progress.report(f"harvest: {visit.source}: {total:,} records, divided into {len(parts)} queries")
    return tuple(parts)


def _divided(searcher: Searcher, plan: SearchPlan, query: str, total: int, largest: int) -> list[_QueryPart]:
    """Return queries for ranges of numbers, halved until none has too many records, and one for the other records."""
    first, last = plan.numbers
    parts: list[_QueryPart] = []
    waiting = [(first, last)]
    while waiting:
        low, high = waiting.pop()
        within = searcher.within(query, low, high)
        records = searcher.count(within)
        if records > largest and low < high:
            middle = (low + high) // 2
            waiting += [(middle + 1, high), (low, middle)]
        elif records:
            parts.append(_QueryPart(within, records))
    if sum(part.records for part in parts) < total:
        rest = searcher.outside(query, first, last)
        parts.append(_QueryPart(rest, searcher.count(rest)))
    return parts


def _compare_counts(visit: Visit, searcher: Searcher, plan: SearchPlan, counts: tuple[int, ...]) -> list[str]:
    """Return why what came may not be all: the server's numbers changed, or fewer different records came.

    Several queries may find the same records, so there are at least as many as the largest one has.
    """
    store = visit.store
    distinct = store.records.count_seen()
    now = tuple(searcher.count(query) for query in plan.queries)
    if now != counts:
        return [
            f"the server had {sum(counts):,} records at first and has {sum(now):,} now; the next run compares again"
        ]
    if distinct >= max(counts):
        return []
    counted = _Counted(_request(plan), counts, distinct, store.harvest)
    last = store.value("search_counted", _Counted)
    is_same = (
        last is not None
        and msgspec.structs.replace(last, harvest=store.harvest) == counted
        and not store.records.count_seen_only(last.harvest)
    )
    with store.commit():
        store.set_value("search_counted", counted)
    if is_same:
        return []
    replaced = store.counts().get("replaced", 0)
    shared = f" ({replaced:,} more have the control number of another one)" if replaced else ""
    return [
        f"the server states {max(counts):,} records, and {distinct:,} different ones came{shared}; if the next run"
        " counts the same ones, they are taken for all"
    ]


def _advice(limit: int, total: int) -> str:
    return (
        f"the server gives only {limit:,} of the {total:,} records of a query; state split, by which it is divided, or"
        " smaller queries"
    )
