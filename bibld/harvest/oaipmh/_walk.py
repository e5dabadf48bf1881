"""Walk the lists of an OAI-PMH server to a proven end, through all faults of resumption tokens.

The state of a walk is stored in the same commit as the records of each page: a harvest that was killed goes on there.
"""

from __future__ import annotations

import hashlib

import msgspec

from bibld.errors import HarvestError
from bibld.harvest._records import REFUSED
from bibld.harvest._settings import UnusableResponseError
from bibld.harvest._visit import Visit
from bibld.harvest.oaipmh._page import WITHOUT_METADATA, IdFrom, Item, Page, record_key
from bibld.harvest.oaipmh._server import (
    DAY_LENGTH,
    ListStep,
    Requests,
    Server,
    halve,
    has_error,
    is_refused_token,
    other_prefix,
)

_REPEATS = 3
"""Pages without one new record after which a list is a loop."""

_MAX_SINGLE = 10_000
"""Records that are fetched one by one at most."""

_TRIES_OF_PART = 3
"""How often a part of a list is asked for that the server could not give: dividing it again finds the place sooner."""

_SHORT = 500
"""A list with this number of records or fewer is not divided: its records are fetched one by one."""

_MAX_DIVISIONS = 500
"""Lists that are divided in one harvest; the next one goes on."""

_MAX_UNLISTED = 20
"""Parts of lists that are left out, after which the server is taken not to work."""

_NO_RECORD = "idDoesNotExist"
_FAILURES = 20
"""Records in a row that cannot be fetched one by one, after which no more are asked for."""


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

    def __init__(self, reason: str, can_continue: bool = False) -> None:
        super().__init__(reason)
        self.can_continue = can_continue


class Walk:
    """A walk through all steps of a harvest."""

    def __init__(
        self, visit: Visit, requests: Requests, server: Server, state: WalkState, id_from: IdFrom = "identifier"
    ) -> None:
        """``server`` states the metadata format; ``id_from``: what records are known by."""
        self._visit = visit
        self._store = visit.store
        self._requests = requests
        self._server = server
        self._prefix = server.prefix
        self._id_from = id_from
        self.state = state
        self._divisions = 0
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
            except UnusableResponseError as error:
                if error.status not in (500, 502, 504) or not (step.verb == "ListRecords" or step.is_part):
                    raise
                self._visit.note("server-error", "", str(error).encode())
                if step.verb == "ListRecords":
                    self._divide(step, error)
                    continue
                self._give_up_part(step, error)
            self._replace_step()
        self._fetch_missing()
        self._fetch_bare()
        if self.state.unlisted:
            raise WalkStopped(
                f"the server can list neither the records {' nor those '.join(self.state.unlisted[:3])}, nor their"
                " identifiers; the owner finds the answers in the report"
            )

    def _walk(self, step: ListStep) -> None:
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

    def _next_page(self, step: ListStep) -> Page | None:
        """Return the next part of a list; None if it has ended before."""
        state = self.state
        tries = _TRIES_OF_PART if state.was_divided else None
        if not state.token:
            page = self._requests.ask(step.verb, step.arguments(self._prefix), tries)
            if has_error(page, "badArgument") and (step.begin or step.end):
                page = self._with_other_dates(step, page)
            if _has_nothing(page):
                if state.distinct:
                    self._reset()
                    raise WalkStopped(
                        f"{page.url}: the list is empty now, of which {state.distinct:,} records came before"
                    )
                state.started = state.started or page.response_date
                return None
            if page.errors:
                code, text = page.errors[0]
                raise HarvestError(f"{page.url}: the server answers {code}: {text}")
            return page
        page = self._requests.resume(step.verb, state.token, self._prefix, tries)
        if _has_nothing(page):
            return self._after_nothing(step, page)
        if is_refused_token(page):
            if state.has_all:
                self._visit.note("token-to-nothing", page.url, state.token.encode())
                return None
            return self._restart(step, page)
        if page.errors:
            code, text = page.errors[0]
            raise WalkStopped(f"{page.url}: the server answers {code}: {text}")
        return page

    def _after_nothing(self, step: ListStep, page: Page) -> Page | None:
        """Return the rest of a list whose token led to nothing, if it leads to something when it is sent again.

        None if the list ends there; raises ``WalkStopped`` if it has fewer items than stated.
        """
        self._visit.note("token-to-nothing", page.url, self.state.token.encode())
        if self.state.has_all:
            return None
        again = self._requests.resume(step.verb, self.state.token, self._prefix)
        if not again.errors and not _has_nothing(again):
            return again
        self._check_size(step, page)
        return None

    def _with_other_dates(self, step: ListStep, refused: Page) -> Page:
        """Ask for a list with dates in the other granularity; what works is learned."""
        is_day = len(step.begin or step.end) == DAY_LENGTH
        begin, end = (
            date and (f"{date}{time}" if is_day else date[:DAY_LENGTH])
            for date, time in ((step.begin, "T00:00:00Z"), (step.end, "T23:59:59Z"))
        )
        page = self._requests.ask(
            step.verb, msgspec.structs.replace(step, begin=begin, end=end).arguments(self._prefix)
        )
        if has_error(page, "badArgument"):
            return refused
        self._visit.note("other-granularity", refused.url, repr(refused.errors).encode())
        self._requests.habits = msgspec.structs.replace(
            self._requests.habits, granularity="second" if is_day else "day"
        )
        return page

    def _restart(self, step: ListStep, page: Page) -> Page | None:
        code, text = page.errors[0]
        self._visit.note("bad-token", page.url, f"{code}: {text}".encode())
        state = self.state
        if state.restarts:
            state.restarts = 0
            self._reset()
            raise WalkStopped(
                f"the server refuses its own resumption token twice ({code}: {text}), after {state.received:,} records"
            )
        self._reset()
        state.restarts = 1
        self._seen_tokens.clear()
        self._seen_pages.clear()
        return self._next_page(step)

    def _reset(self) -> None:
        self.state.token, self.state.received = "", 0

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
            self._visit.note("repeated-token", page.url, page.token.encode())
            state = self.state
            if not repeats_page:
                self._take(self.state.steps[self.state.position], page)
            is_all, received = state.has_all, state.proven
            self._reset()
            if is_all:
                raise _EndProven
            raise WalkStopped(
                f"the list never ends: the server repeats its resumption tokens or pages, after {received:,} records"
            )
        self._seen_tokens.add(token)

    def _check_foreign(self, step: ListStep, page: Page) -> None:
        """Stop if later parts of a list are something else than the first one."""
        state = self.state

        def is_foreign(item: Item) -> bool:
            """Return whether an item states sets, and none of them is this one or a part of it."""
            return bool(item.sets) and not any(one == step.set or one.startswith(f"{step.set}:") for one in item.sets)

        kinds = {item.kind for item in page.items if item.kind}
        fault = ""
        if state.kind and kinds and state.kind not in kinds:
            fault = f"metadata <{min(kinds)}> instead of <{state.kind}>"
        elif step.set and state.received and page.items and all(map(is_foreign, page.items)):
            fault = f"records of other sets than {step.set}"
        old = sum(bool(item.datestamp) and item.datestamp < step.begin[: len(item.datestamp)] for item in page.items)
        is_old = bool(step.begin) and 2 * old > len(page.items)
        if is_old and not state.received:
            self._visit.note("ignores-dates", page.url, step.begin.encode())
            self._requests.habits = msgspec.structs.replace(self._requests.habits, ignores_dates=True)
        elif is_old and not self._requests.habits.ignores_dates:
            fault = f"records from before {step.begin}"
        if fault:
            self._visit.note("foreign-records", page.url, fault.encode())
            self._reset()
            raise WalkStopped(f"a later part of the list has {fault}: the server forgot the request")

    def _check_size(self, step: ListStep, page: Page) -> None:
        """Stop if fewer items came than the list has, unless the stated size is known to be wrong.

        Where as many came as stated, some of them twice, either the size counts them twice, or others never came
        because the order changed between two parts: the list of identifiers shows which, and is walked next.
        """
        state, habits = self.state, self._requests.habits
        if state.size is None or state.has_all or habits.sizes_are_wrong:
            return
        if state.received >= state.size and step.verb == "ListRecords":
            counts = f"stated {state.size}, received {state.received}, {state.distinct} of them different"
            self._visit.note("repeated-record", page.url, counts.encode())
            state.steps.insert(state.position + 1, msgspec.structs.replace(step, verb="ListIdentifiers"))
            return
        self._visit.note("wrong-size", page.url, f"stated {state.size}, received {state.proven}".encode())
        last = self._store.value("shortfall", ListShortfall)
        now = ListShortfall(state.proven, state.size, self._store.harvest)
        if last is not None and self._is_same(last, now):
            self._requests.habits = msgspec.structs.replace(habits, sizes_are_wrong=True)
            return
        with self._store.commit():
            self._store.set_value("shortfall", now)
        self._reset()
        raise WalkStopped(
            f"the list ended after {now.received:,} of {now.size:,} records; if the next one ends there too, the stated"
            " size is taken to be wrong"
        )

    def _is_same(self, last: ListShortfall, now: ListShortfall) -> bool:
        """Return whether two lists lack the same records, if they lack any at all: then the stated size is wrong."""
        lacking = now.size - now.received
        if last.received != now.received and last.size - last.received != lacking:
            return False
        others = self._store.records.count_seen_only(last.harvest) if last.harvest < now.harvest else 0
        return 2 * max(others - max(last.received - now.received, 0), 0) <= lacking

    def _take(self, step: ListStep, page: Page) -> None:
        """Store the items of a page together with the place at which the walk goes on."""
        state = self.state
        state.started = state.started or page.response_date
        with self._store.commit():
            for item in page.items:
                state.received += 1
                state.distinct += self._take_item(step, item, page.number)
            if page.size is not None:
                state.size = page.size
            state.kind = state.kind or next((item.kind for item in page.items if item.kind), "")
            state.token = page.token
            if page.items and step.set not in state.sets:
                state.sets.append(step.set)
            state.parts_listed += step.is_part and step.verb == "ListRecords"
            self._store.count("received", len(page.items))
            self._store.set_value("walk", state)
        self._taken += len(page.items)
        self._visit.progress.advance(len(page.items))
        if len(state.missing) > _MAX_SINGLE:
            raise WalkStopped(f"{len(state.missing):,} records or more are new and must be listed: run with --full")

    def _take_item(self, step: ListStep, item: Item, response: int) -> bool:
        """Store one item; return whether it is the first time in this list."""
        records = self._store.records
        first = not records.was_seen(item.key)
        if item.is_deleted:
            if records.delete(item.key, item.datestamp):
                self._store.count("removed")
        elif item.fault:
            records.reject(item.key, item.fault, item.data, response)
            if item.fault == WITHOUT_METADATA and len(self.state.bare) < _MAX_SINGLE:
                self.state.bare.append(item.identifier)
        elif not item.data and step.verb == "GetRecord":
            records.reject(item.key, "the server gives only its header", b"", response)
        elif not item.data:  # a header
            known = records.datestamp(item.key)
            if known is None and not first:
                pass  # it was rejected, or deleted, in this harvest
            elif known is None or (item.datestamp and item.datestamp > known):
                self.state.missing.append(item.identifier)
            else:
                records.mark_seen(item.key)
        else:
            result = records.put(item.key, item.datestamp, item.data, response)
            if result in ("new", "changed"):
                self._store.count(result)
        return first

    def _replace_step(self, steps: tuple[ListStep, ...] = ()) -> None:
        """Go on with other steps in place of the current one; with none, with the one behind it."""
        state = self.state
        with self._store.commit():
            if steps:
                state.steps[state.position : state.position + 1] = steps
            else:
                state.position += 1
            state.size, state.kind, state.restarts, state.distinct = None, "", 0, 0
            self._reset()
            self._store.set_value("walk", state)

    def _divide(self, step: ListStep, error: UnusableResponseError) -> None:
        """Ask for a list whose records the server cannot give in two halves by date.

        Of one that is short or cannot be divided, the identifiers are listed, and what is missing is fetched one by
        one. Raises the error, so that the next harvest goes on from here, if the server does not answer anything else.
        """
        try:
            self._requests.ask("Identify", {}, tries=2)
        except HarvestError:
            raise error from None
        state = self.state
        self._divisions += 1
        if self._divisions > _MAX_DIVISIONS:
            raise WalkStopped(f"{error}; there are many such places, the next run goes on from here", can_continue=True)
        server, habits = self._server, self._requests.habits
        is_short = state.size is not None and state.size <= _SHORT
        never_lists = state.parts_fetched > 0 and not state.parts_listed
        halves = None
        if not is_short and not never_lists and not habits.ignores_dates:
            halves = halve(step, habits.granularity or server.granularity, server.earliest, server.response_date)
        state.was_divided = True
        state.parts_fetched += halves is None
        self._replace_step(halves or (msgspec.structs.replace(step, verb="ListIdentifiers", is_part=True),))

    def _give_up_part(self, step: ListStep, error: UnusableResponseError) -> None:
        """Leave out a part of which not even the identifiers can be listed; raises the error the first time.

        The next harvest asks for it again, because a server that is down fails in the same way.
        """
        state = self.state
        state.refusals += 1
        with self._store.commit():
            self._store.set_value("walk", state)
        if state.refusals == 1:
            raise error
        begin, end = f"from {step.begin or 'the first'}", f"until {step.end or 'now'}"
        state.unlisted.append(f"{begin} {end}")
        if len(state.unlisted) > _MAX_UNLISTED:
            raise WalkStopped(
                f"{error}; of {len(state.unlisted)} parts not even the identifiers can be listed"
            ) from error

    def _fetch_missing(self) -> None:
        """Fetch records one by one; one that the server cannot give is rejected, and reported."""
        state = self.state
        failures = 0
        while state.missing:
            identifier = state.missing[-1]
            items, number, reason = self._fetch_one(identifier, self._prefix)
            failures = 0 if items or _NO_RECORD in reason else failures + 1
            if failures >= _FAILURES:
                raise WalkStopped(f"{failures} records in a row cannot be fetched: {reason}", can_continue=True)
            state.missing.pop()
            with self._store.commit():
                for item in items:
                    self._take_item(ListStep("GetRecord"), item, number)
                if not items and _NO_RECORD not in reason:
                    key = record_key(identifier, self._id_from)
                    self._store.records.reject(key, f"{REFUSED}: {reason}", b"", number)
                self._store.count("received", len(items))
                self._store.set_value("walk", state)
            self._visit.progress.advance(len(items))

    def _fetch_one(self, identifier: str, prefix: str) -> tuple[tuple[Item, ...], int, str]:
        """Ask for one record; return the items, the number of the answer, and why there is none."""
        try:
            page = self._requests.ask("GetRecord", {"identifier": identifier, "metadataPrefix": prefix}, tries=2)
        except HarvestError as error:
            return (), 0, str(error)
        return page.items, page.number, "; ".join(f"{code}: {text}" for code, text in page.errors)

    def _fetch_bare(self) -> None:
        """Fetch records that came without metadata under another prefix, once; those that it lacks stay rejected."""
        state = self.state
        if not state.bare:
            return
        prefix = other_prefix(self._requests, self._prefix)
        failures = 0
        while state.bare and prefix and failures < _FAILURES:
            items, number, _ = self._fetch_one(state.bare[-1], prefix)
            usable = [item for item in items if item.data and not item.fault]
            failures = 0 if usable else failures + 1
            state.bare.pop()
            with self._store.commit():
                for item in usable:
                    self._take_item(ListStep("GetRecord"), item, number)
                    self._visit.note("other-prefix", "", f"{item.identifier} as {prefix}".encode())
                self._store.set_value("walk", state)
        state.bare.clear()


class _EndProven(Exception):  # noqa: N818 - it is an outcome
    """All items of the list were received, though it does not end."""


def _has_nothing(page: Page) -> bool:
    return has_error(page, "noRecordsMatch") or bool(page.verb and not page.items and not page.token)
