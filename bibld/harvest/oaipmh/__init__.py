"""OAI-PMH 2.0: repositories and library systems, in any metadata format that bibld reads.

Changes are fetched by the server's own clock, with an overlap; from time to time the whole list shows what disappeared
without a word. Broken answers are repaired record by record, and what cannot be repaired is kept.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

import msgspec

from bibld.errors import HarvestError
from bibld.harvest._settings import HttpSettings, days_of, faults_of_http
from bibld.harvest._store import current_time
from bibld.harvest._visit import Visit
from bibld.harvest.oaipmh._page import IdFrom, record_key
from bibld.harvest.oaipmh._server import (
    DAY,
    SECOND,
    Habits,
    ListStep,
    Requests,
    Server,
    ask_server,
    formats_of,
    has_error,
    unlisted_sets,
)
from bibld.harvest.oaipmh._walk import Walk, WalkState, WalkStopped
from bibld.protocols import Fetched

_DAYS_OF_TRANSIENT = 14
"""Servers that forget deletions are asked for the full list after a longer pause."""

_DAYS_WITH_DELETIONS, _DAYS_WITHOUT = 30.0, 7.0
_FEW = 20


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


def faults(folder: Path, settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the settings themselves: pairs of key and message."""
    yield from faults_of_http(settings)
    if settings.full_every:
        try:
            days_of(settings.full_every)
        except ValueError as error:
            yield "full_every", str(error)
    if not settings.sets or (len(settings.sets) > 1 and not all(settings.sets)):
        yield "set", "names no set, or an empty one beside others; leave the key out for the whole repository"
    if settings.begin:
        try:
            datetime.fromisoformat(settings.begin)
        except ValueError:
            yield "begin", f'"{settings.begin}" is not a day or time; write 2020-01-31 or 2020-01-31T00:00:00Z'


class HarvestState(msgspec.Struct, frozen=True):
    """What a harvest has to know of earlier ones; the times are empty before the first complete one.

    ``identity`` is what was asked for: if the configuration asks for something else, all begins again. ``next_from`` is
    the server's time of the first answer of the last complete harvest; the other times are ours. ``is_list_due``: a
    list ended without a proven end, so that the full list is needed.
    """

    identity: str = ""
    prefix: str = ""
    next_from: str = ""
    last_complete: str = ""
    last_full: str = ""
    is_list_due: bool = False


def fetch(visit: Visit, settings: Settings) -> Fetched:
    """Fetch the changes since the last complete harvest, or the full list if that is due; raises ``HarvestError``."""
    store = visit.store
    identity = msgspec.json.encode([settings.url, settings.prefix, settings.set, settings.begin]).decode()
    state = store.value("oaipmh", HarvestState) or HarvestState()
    if state.identity != identity:
        state = HarvestState(identity=identity)
    last_id_from = store.value("id_from", str) or "identifier"
    if last_id_from != settings.id_from:
        with store.commit():
            if settings.id_from == "local":  # the stored records are known by the local parts, too
                store.records.rename(lambda identifier: record_key(identifier, "local"))
            store.set_value("id_from", settings.id_from)
    habits = store.value("habits", Habits) or Habits()
    requests = Requests(visit, visit.transport(settings), settings.url, habits, settings.id_from)
    now = current_time()
    server = ask_server(requests, settings.prefix or state.prefix)
    if server.formats:
        visit.progress.report(f"harvest: {visit.source}: metadata format {server.prefix}; {server.formats_text}")
    is_full = _is_full_due(visit, settings, state, server, now) or requests.habits.ignores_dates
    granularity = settings.granularity
    if granularity == "auto":
        granularity = requests.habits.granularity or server.granularity
    stated = settings.begin if is_full else visit.options.since
    begin = _date(stated, granularity) if is_full or stated else _cut(state.next_from, granularity)
    since = begin if visit.options.since else ""
    request = msgspec.json.encode([identity, server.prefix, since, settings.id_from]).decode()
    walk_state = store.value("walk", WalkState)
    can_continue = walk_state is not None
    if not visit.begin("full" if is_full else "changes", request, can_continue) or walk_state is None:
        walk_state = WalkState(steps=list(_steps(visit, settings, state, begin, granularity, now)))
        with store.commit():
            store.set_value("walk", walk_state)
    for fault, example in server.noted:
        visit.note(fault, settings.url, example)
    before = store.value("records_before", int) or 0
    try:
        _walk_lists(visit, settings, requests, server, walk_state)
    except WalkStopped as stop:
        with store.commit():
            store.set_value("oaipmh", msgspec.structs.replace(state, is_list_due=is_full and not stop.can_continue))
            if not stop.can_continue:
                store.set_value("walk", None)
        return Fetched("partial" if store.counts().get("received") else "failed", (str(stop),))
    finally:
        with store.commit():
            store.set_value("habits", requests.habits)
    new = store.counts().get("new", 0)
    if is_full and before >= _FEW and 2 * new > store.records.count_seen():
        visit.note("new-identifiers", settings.url, f"{new} are new".encode())
    ended: dict[str, HarvestState | None] = {"walk": None, "shortfall": None}
    # The clocks of the machines of a server may differ: the next harvest begins at the earlier time that one stated.
    started = walk_state.started and min(walk_state.started, server.response_date or walk_state.started)
    next_state = HarvestState(
        identity=identity,
        prefix=server.prefix,
        next_from=started or now.strftime(SECOND),
        last_complete=now.isoformat(),
        last_full=now.isoformat() if is_full else state.last_full,
    )
    accepted = {} if visit.options.since else {"oaipmh": next_state}
    withdrawn = {"oaipmh": msgspec.structs.replace(state, is_list_due=True)}
    return Fetched("complete", if_accepted=ended | accepted, if_withdrawn=ended | withdrawn)


def _walk_lists(visit: Visit, settings: Settings, requests: Requests, server: Server, state: WalkState) -> None:
    """Walk the lists; raises ``WalkStopped`` also where nothing came because the set does not exist any more."""
    missing = unlisted_sets(requests, settings.sets)
    for one in sorted(missing):
        visit.note("missing-set", settings.url, one.encode())
    try:
        Walk(visit, requests, server, state, settings.id_from).run()
    except HarvestError as error:
        if "cannotDisseminateFormat" not in str(error):
            raise
        offered = formats_of(requests)
        raise HarvestError(f"{error}; the server offers {offered or 'no formats'}: state one by prefix") from error
    if vanished := sorted(missing - set(state.sets)):
        names = ", ".join(f'"{one}"' for one in vanished)
        plural = "sets are" if len(vanished) > 1 else "set is"
        raise WalkStopped(f"{names}: the {plural} not listed any more, and without records")


def probe(visit: Visit, settings: Settings) -> str:
    """Ask a server who it is, and for the first part of the list; store nothing. Raises ``HarvestError``."""
    requests = Requests(visit, visit.transport(settings), settings.url, Habits())
    server = ask_server(requests, settings.prefix)
    counts = []
    for one in settings.sets:
        page = requests.ask("ListIdentifiers", {"metadataPrefix": server.prefix, "set": one})
        if page.errors and not has_error(page, "noRecordsMatch"):
            code, text = page.errors[0]
            raise HarvestError(f"{page.url}: the server answers {code}: {text}; it offers {formats_of(requests)}")
        count = f"{page.size:,} records" if page.size is not None else f"{len(page.items):,} records or more"
        counts.append(f"{count} in {one}" if one else count)
    return (
        f"{server.name or settings.url}: OAI-PMH {server.version}, {', '.join(counts)} as {server.prefix},"
        f" deletions {server.deleted_record}, dates by the {server.granularity}"
    )


def _is_full_due(visit: Visit, settings: Settings, state: HarvestState, server: Server, now: datetime) -> bool:
    if visit.options.full or visit.options.since:
        return visit.options.full
    if not state.next_from or not state.last_full or state.is_list_due:
        return True
    usual = _DAYS_WITH_DELETIONS if server.deleted_record in ("persistent", "transient") else _DAYS_WITHOUT
    period = days_of(settings.full_every) if settings.full_every else usual
    spread = zlib.crc32(visit.source.encode()) % 100 / 500 * period  # so that not all sources are due in one night
    pause = _days(state.last_complete, now)
    return _days(state.last_full, now) >= period - spread or (
        server.deleted_record == "transient" and pause > _DAYS_OF_TRANSIENT
    )


def _steps(
    visit: Visit, settings: Settings, state: HarvestState, begin: str, granularity: str, now: datetime
) -> Iterator[ListStep]:
    """Yield the lists to be walked, for each set.

    The changes; or the full list, by intervals if that is wanted; or, if it was complete once, the changes and then the
    identifiers of all records, which show what disappeared.
    """
    is_first = not state.last_full or state.is_list_due or visit.options.full
    for one in settings.sets:
        if visit.kind == "full" and not is_first:
            yield ListStep("ListRecords", _cut(state.next_from, granularity), set=one)
            yield ListStep("ListIdentifiers", begin, set=one)
        elif visit.kind == "full" and settings.intervals != "none" and begin:
            for step in _intervals(begin, settings.intervals, granularity, now):
                yield msgspec.structs.replace(step, set=one)
        else:
            yield ListStep("ListRecords", begin, set=one)


def _intervals(begin: str, length: str, granularity: str, now: datetime) -> Iterator[ListStep]:
    """Yield a list for each year, month or day from a date until now; the last one has no end.

    Lists by the day share the day between them: for some servers ``until`` does not include the day that it names.
    """
    start = datetime.fromisoformat(begin.replace("Z", "+00:00")).replace(tzinfo=UTC)
    form = DAY if granularity == "day" else SECOND
    unit = timedelta() if granularity == "day" else timedelta(seconds=1)
    while True:
        if length == "year":
            end = start.replace(year=start.year + 1, month=1, day=1, hour=0, minute=0, second=0)
        elif length == "month":
            end = (start.replace(day=1, hour=0, minute=0, second=0) + timedelta(days=32)).replace(day=1)
        else:
            end = start.replace(hour=0, minute=0, second=0) + timedelta(days=1)
        if end > now:
            yield ListStep("ListRecords", start.strftime(form))
            return
        yield ListStep("ListRecords", start.strftime(form), (end - unit).strftime(form))
        start = end


def _date(text: str, granularity: str) -> str:
    """Return a day or time in a granularity; empty stays empty."""
    if not text:
        return ""
    if granularity == "day":
        return text[:10]
    return text if len(text) > 10 else f"{text}T00:00:00Z"


def _cut(time: str, granularity: str) -> str:
    """Return the server's time, minus the overlap, in a granularity."""
    try:
        moment = datetime.fromisoformat(time.replace("Z", "+00:00"))
        moment - timedelta(days=1)  # the first day of the calendar has no day before
    except (ValueError, OverflowError):
        moment = current_time() - timedelta(days=1)
    if granularity == "day":
        return (moment - timedelta(days=1)).strftime(DAY)
    return (moment - timedelta(hours=1)).strftime(SECOND)


def _days(since: str, now: datetime) -> float:
    return (now - datetime.fromisoformat(since)).total_seconds() / 86400
