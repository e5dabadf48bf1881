"""Walk the lists of an OAI-PMH server to a proven end, through all faults of resumption tokens.

The state of a walk is stored in the same commit as the records of each page: a harvest that was killed goes on there.
"""

from __future__ import annotations

import hashlib

import msgspec

from bibld.errors import HarvestError
from bibld.harvest._http import UnusableAnswerError
from bibld.harvest._store import SourceStore
from bibld.harvest._visit import Visit
from bibld.harvest.oaipmh._faults import (
    BAD_TOKEN,
    FOREIGN_RECORDS,
    IGNORES_DATES,
    OTHER_GRANULARITY,
    REPEATED_TOKEN,
    SERVER_ERROR,
    TOKEN_TO_NOTHING,
    WRONG_SIZE,
)
from bibld.harvest.oaipmh._page import Item, Page
from bibld.harvest.oaipmh._requests import Requests, has_error, is_refused_token

_REPEATS = 3
"""Pages without one new record after which a list is a loop."""

_MOST_SINGLE = 10_000
"""Records that are fetched one by one at most."""

_DAY_LENGTH = len("2026-01-31")

_FAILURES = 20
"""Records in a row that cannot be fetched one by one, after which no more are asked for."""


class Step(msgspec.Struct, frozen=True):
    """One list that is walked: its verb, and from when until when (empty: no limit)."""

    verb: str
    begin: str = ""
    end: str = ""


class WalkState(msgspec.Struct):
    """How far a walk has come. ``token`` is that of the next part of the current step, empty at its beginning.

    ``received`` and ``distinct`` count the items of the current step (``received`` since it last began), ``size`` is
    the stated size of its list;
    ``started`` is the server's time of the first answer; ``missing`` are identifiers to be fetched one by one.
    """

    steps: list[Step]
    position: int = 0
    token: str = ""
    received: int = 0
    distinct: int = 0
    size: int | None = None
    kind: str = ""
    restarts: int = 0
    started: str = ""
    missing: list[str] = []

    @property
    def proven(self) -> int:
        """How many different items of the current list have come; those of later lists may have come before."""
        return self.distinct if self.position == 0 else max(self.distinct, self.received)

    @property
    def has_all(self) -> bool:
        """Whether as many items have come as the list is stated to have."""
        return self.size is not None and self.proven >= self.size


class ListShortfall(msgspec.Struct, frozen=True):
    """A list that ended with fewer items than its stated size: if it does so again, the size is wrong."""

    received: int
    size: int


class WalkStopped(Exception):  # noqa: N818 - it is an outcome
    """The end of a list cannot be proven; ``can_continue``: the next harvest may go on from here."""

    def __init__(self, reason: str, can_continue: bool) -> None:
        super().__init__(reason)
        self.can_continue = can_continue


class Walk:
    """A walk through all steps of a harvest."""

    def __init__(self, visit: Visit, requests: Requests, prefix: str, set_: str, state: WalkState) -> None:
        self._visit = visit
        self._store: SourceStore = visit.store
        self._requests = requests
        self._prefix = prefix
        self._set = set_
        self.state = state
        self._seen_tokens: set[bytes] = set()
        self._seen_pages: set[bytes] = set()
        self._repeats = 0
        self._taken = 0

    def run(self) -> None:
        """Walk all steps that are left; raises ``WalkStopped``, and ``HarvestError`` if the server does not answer."""
        while self.state.position < len(self.state.steps):
            step = self.state.steps[self.state.position]
            try:
                self._walk(step)
            except _EndProven:
                pass
            except UnusableAnswerError as error:
                if error.status not in (500, 502, 504) or step.verb != "ListRecords":
                    raise
                self._visit.note(SERVER_ERROR, "", str(error).encode())
                self._walk_one_by_one(step, error)
            self._next_step()
        self._fetch_missing()

    def _walk(self, step: Step) -> None:
        self._seen_tokens.clear()
        self._seen_pages.clear()
        self._repeats = 0
        while True:
            page = self._next_page(step)
            if page is None:
                return
            self._check_loop(page)
            self._check_foreign(step, page)
            self._take(step, page)
            if not page.token:
                self._check_size(step, page)
                return
            if 0 < self._visit.options.limit <= self._taken:
                raise WalkStopped(f"stopped after {self._taken:,} records by --limit", can_continue=True)

    def _next_page(self, step: Step) -> Page | None:
        """Return the next part of a list; None if it has ended before."""
        state = self.state
        if not state.token:
            page = self._requests.ask(step.verb, self._arguments(step))
            if has_error(page, "badArgument") and (step.begin or step.end):
                page = self._with_other_dates(step, page)
            if _has_nothing(page):
                if state.distinct:
                    self._reset()
                    raise WalkStopped(
                        f"{page.url}: the list is empty now, of which {state.distinct:,} records came before",
                        can_continue=False,
                    )
                self._note_start(page)
                return None
            if page.errors:
                code, text = page.errors[0]
                raise HarvestError(f"{page.url}: the server answers {code}: {text}")
            return page
        page = self._requests.resume(step.verb, state.token, self._prefix)
        if _has_nothing(page):
            return self._after_nothing(step, page)
        if is_refused_token(page):
            if state.has_all:
                self._visit.note(TOKEN_TO_NOTHING, page.url, state.token.encode())
                return None
            return self._restart(step, page)
        if page.errors:
            code, text = page.errors[0]
            raise WalkStopped(f"{page.url}: the server answers {code}: {text}", can_continue=False)
        return page

    def _after_nothing(self, step: Step, page: Page) -> Page | None:
        """Return the rest of a list whose token led to nothing, if it leads to something when it is sent again.

        None if the list ends there; raises ``WalkStopped`` if it has fewer items than stated.
        """
        self._visit.note(TOKEN_TO_NOTHING, page.url, self.state.token.encode())
        if self.state.has_all:
            return None
        again = self._requests.resume(step.verb, self.state.token, self._prefix)
        if not again.errors and not _has_nothing(again):
            return again
        self._check_size(step, page)
        return None

    def _with_other_dates(self, step: Step, refused: Page) -> Page:
        """Ask for a list with dates in the other granularity; what works is learned."""
        is_day = len(step.begin or step.end) == _DAY_LENGTH
        begin, end = _other_granularity(step.begin, "T00:00:00Z"), _other_granularity(step.end, "T23:59:59Z")
        page = self._requests.ask(step.verb, self._arguments(Step(step.verb, begin, end)))
        if has_error(page, "badArgument"):
            return refused
        self._visit.note(OTHER_GRANULARITY, refused.url, repr(refused.errors).encode())
        self._requests.habits = msgspec.structs.replace(
            self._requests.habits, granularity="second" if is_day else "day"
        )
        return page

    def _restart(self, step: Step, page: Page) -> Page | None:
        """Begin the current list again, once."""
        code, text = page.errors[0]
        self._visit.note(BAD_TOKEN, page.url, f"{code}: {text}".encode())
        state = self.state
        if state.restarts:
            state.restarts = 0
            self._reset()
            raise WalkStopped(
                f"the server refuses its own resumption token twice ({code}: {text}), after {state.received:,} records",
                can_continue=False,
            )
        self._reset()
        state.restarts = 1
        self._seen_tokens.clear()
        self._seen_pages.clear()
        return self._next_page(step)

    def _reset(self) -> None:
        self.state.token, self.state.received = "", 0

    def _arguments(self, step: Step) -> dict[str, str]:
        return {"metadataPrefix": self._prefix, "set": self._set, "from": step.begin, "until": step.end}

    # -- checks ------------------------------------------------------------------------------------------------------

    def _check_loop(self, page: Page) -> None:
        """Stop if a list repeats its tokens or pages without end."""
        token = hashlib.blake2b(page.token.encode(), digest_size=8).digest()
        content = hashlib.blake2b(
            "\n".join(f"{item.identifier} {item.datestamp}" for item in page.items).encode(), digest_size=8
        ).digest()
        repeats_page = bool(page.items) and content in self._seen_pages
        self._seen_pages.add(content)
        self._repeats = self._repeats + 1 if repeats_page or not page.items else 0
        if page.token and (token in self._seen_tokens or page.token == self.state.token or self._repeats >= _REPEATS):
            self._visit.note(REPEATED_TOKEN, page.url, page.token.encode())
            state = self.state
            if not repeats_page:
                self._take(self.state.steps[self.state.position], page)
            is_all, received = state.has_all, state.proven
            self._reset()
            if is_all:
                raise _EndProven
            raise WalkStopped(
                f"the list never ends: the server repeats its resumption tokens or pages, after {received:,} records",
                can_continue=False,
            )
        self._seen_tokens.add(token)

    def _check_foreign(self, step: Step, page: Page) -> None:
        """Stop if later parts of a list are something else than the first one."""
        state = self.state
        kinds = {item.kind for item in page.items if item.kind}
        fault = ""
        if state.kind and kinds and state.kind not in kinds:
            fault = f"metadata <{min(kinds)}> instead of <{state.kind}>"
        elif self._set and state.received and _all_foreign(page.items, self._set):
            fault = f"records of other sets than {self._set}"
        old = sum(bool(item.datestamp) and item.datestamp < step.begin[: len(item.datestamp)] for item in page.items)
        is_old = bool(step.begin) and 2 * old > len(page.items)
        if is_old and not state.received:
            self._visit.note(IGNORES_DATES, page.url, step.begin.encode())
            self._requests.habits = msgspec.structs.replace(self._requests.habits, ignores_dates=True)
        elif is_old and not self._requests.habits.ignores_dates:
            fault = f"records from before {step.begin}"
        if fault:
            self._visit.note(FOREIGN_RECORDS, page.url, fault.encode())
            self._reset()
            raise WalkStopped(
                f"a later part of the list has {fault}: the server forgot the request", can_continue=False
            )

    def _check_size(self, step: Step, page: Page) -> None:
        """Stop if fewer items came than the list has, unless the stated size is known to be wrong."""
        state, habits = self.state, self._requests.habits
        if state.size is None or state.has_all or habits.sizes_are_wrong:
            return
        self._visit.note(WRONG_SIZE, page.url, f"stated {state.size}, received {state.proven}".encode())
        last = self._store.value("shortfall", ListShortfall)
        now = ListShortfall(state.proven, state.size)
        if last is not None and (last.received == now.received or last.size - last.received == now.size - now.received):
            self._requests.habits = msgspec.structs.replace(habits, sizes_are_wrong=True)
            return
        with self._store.commit():
            self._store.set_value("shortfall", now)
        self._reset()
        raise WalkStopped(
            f"the list ended after {now.received:,} of {now.size:,} records; if the next one ends there too, the stated"
            " size is taken to be wrong",
            can_continue=False,
        )

    # -- records -----------------------------------------------------------------------------------------------------

    def _note_start(self, page: Page) -> None:
        if not self.state.started:
            self.state.started = page.response_date

    def _take(self, step: Step, page: Page) -> None:
        """Store the items of a page together with the place at which the walk goes on."""
        state = self.state
        self._note_start(page)
        with self._store.commit():
            for item in page.items:
                state.received += 1
                state.distinct += self._take_item(step, item, page.number)
            if page.size is not None:
                state.size = page.size
            state.kind = state.kind or next((item.kind for item in page.items if item.kind), "")
            state.token = page.token
            self._store.count("received", len(page.items))
            self._store.set_value("walk", state)
        self._taken += len(page.items)
        self._visit.progress.advance(len(page.items))
        self._check_missing()

    def _take_item(self, step: Step, item: Item, answer: int) -> bool:
        """Store one item; return whether it is the first time in this list."""
        records = self._store.records
        first = not records.was_seen(item.identifier)
        if item.is_deleted:
            if records.delete(item.identifier, item.datestamp):
                self._store.count("removed")
        elif item.fault:
            records.reject(item.identifier, item.fault, item.data, answer)
        elif not item.data and step.verb == "GetRecord":
            records.reject(item.identifier, "the server gives only its header", b"", answer)
        elif not item.data:  # a header
            known = records.datestamp(item.identifier)
            if known is None or (item.datestamp and item.datestamp > known):
                self.state.missing.append(item.identifier)
            else:
                records.mark_seen(item.identifier)
        else:
            result = records.put(item.identifier, item.datestamp, item.data, answer)
            if result in ("new", "changed"):
                self._store.count(result)
        return first

    def _next_step(self) -> None:
        state = self.state
        with self._store.commit():
            state.position += 1
            state.size, state.kind, state.restarts, state.distinct = None, "", 0, 0
            self._reset()
            self._store.set_value("walk", state)

    # -- one by one --------------------------------------------------------------------------------------------------

    def _walk_one_by_one(self, step: Step, error: HarvestError) -> None:
        """List the identifiers of a step whose records the server cannot list; what is missing is fetched later."""
        self._reset()
        try:
            self._walk(Step("ListIdentifiers", step.begin, step.end))
        except _EndProven:
            pass
        except (HarvestError, WalkStopped) as second:
            raise WalkStopped(
                f"{error}; the identifiers cannot be listed either: {second}", can_continue=False
            ) from second

    def _check_missing(self) -> None:
        """Stop if too many records would have to be fetched one by one."""
        count = len(self.state.missing)
        if count > _MOST_SINGLE:
            raise WalkStopped(
                f"{count:,} records or more are new and must be listed: run with --full", can_continue=False
            )

    def _fetch_missing(self) -> None:
        """Fetch records one by one; one that the server cannot give is rejected, and reported."""
        self._check_missing()
        state = self.state
        failures = 0
        while state.missing:
            identifier = state.missing[-1]
            items: tuple[Item, ...] = ()
            number, reason = 0, ""
            try:
                page = self._requests.ask(
                    "GetRecord", {"identifier": identifier, "metadataPrefix": self._prefix}, tries=2
                )
                items, number = page.items, page.number
                reason = "; ".join(f"{code}: {text}" for code, text in page.errors)
            except HarvestError as error:
                reason = str(error)
            failures = 0 if items or has_no_record(reason) else failures + 1
            if failures >= _FAILURES:
                raise WalkStopped(f"{failures} records in a row cannot be fetched: {reason}", can_continue=True)
            state.missing.pop()
            with self._store.commit():
                for item in items:
                    self._take_item(Step("GetRecord"), item, number)
                if not items and not has_no_record(reason):
                    self._store.records.reject(identifier, f"the server cannot give it: {reason}", b"", number)
                self._store.count("received", len(items))
                self._store.set_value("walk", state)
            self._visit.progress.advance(len(items))


class _EndProven(Exception):  # noqa: N818 - it is an outcome
    """All items of the list were received, though it does not end."""


def _has_nothing(page: Page) -> bool:
    """Return whether an answer is a list that is empty and ends."""
    return has_error(page, "noRecordsMatch") or bool(page.verb and not page.items and not page.token)


def has_no_record(reason: str) -> bool:
    """Return whether the server states that a record does not exist."""
    return "idDoesNotExist" in reason


def _other_granularity(date: str, time: str) -> str:
    if not date:
        return ""
    return f"{date}{time}" if len(date) == _DAY_LENGTH else date[:_DAY_LENGTH]


def _all_foreign(items: tuple[Item, ...], set_: str) -> bool:
    """Return whether all items state sets, and none of them is this one or a part of it."""
    return bool(items) and all(
        item.sets and not any(one == set_ or one.startswith(f"{set_}:") for one in item.sets) for item in items
    )
