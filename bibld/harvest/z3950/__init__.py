"""Z39.50: the records that a query finds, by the program yaz-client, in portions, with all counts compared.

Debian has the program in the package ``yaz``. It ends with exit code 0 after any failure, so only counts are a proof.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Literal

import msgspec

from bibld.config import Secret
from bibld.errors import HarvestError
from bibld.harvest._faults import ServerFault
from bibld.harvest._records import ISO2709_FORM, XML_FORM
from bibld.harvest._search import LimitReached, Plan, Position, Save, begin, fetch_by_search, keep
from bibld.harvest._visit import Visit
from bibld.harvest.z3950._client import Batch, Client, Target
from bibld.harvest.z3950._dump import DumpedRecord, records_of_dump
from bibld.protocols import Fetched

__all__ = ["Settings", "faults", "fetch", "probe"]

_URL = re.compile(r"(?:z39\.50[sr]://|z3950://|tcp:|(ssl:))?([A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(?::([0-9]+))?/?(.*)")
_PORT = "210"
_PORTIONS = 10
"""Portions that are asked for in one connection."""

_MOST_REASONS = 5
_OUT_OF_RANGE = 13

SHORT = ServerFault(
    "z3950-portion",
    "sends fewer records than were asked for, though it has more",
    "Z39.50, 3.2.3.1: Present service",
    "asked again from the first record that did not come, in smaller portions",
)
SURROGATE = ServerFault(
    "z3950-surrogate",
    "sends diagnostics in place of records",
    "Z39.50, 3.2.3.1.7: surrogate diagnostics",
    "counted them; the harvest is not complete",
)


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """``url``: host, port and database, such as ``z3950.example.org:210/BOOKS``, with ``ssl:`` in front for TLS;
    ``query``: in the prefix notation PQF, a list of queries is united; ``syntax``: the form of records; ``elements``:
    the set of elements; ``portion``: records in one answer; ``deadline``: seconds for ten portions; ``tries``: how
    often they are asked for; ``limit``: the most records that the server gives of one query (0: not known); ``split``:
    attributes of an index of whole numbers, such as ``@attr 1=31`` (the year), by which a query with more records is
    divided; ``split_range``: the first and the last number for that; ``negotiate``: a charset to ask the server for,
    such as ``utf-8``; ``user``: the environment variable that contains the user's name, ``{ env = "NAME" }``;
    ``password``: the one that contains the password.
    """

    url: str
    query: str | tuple[str, ...] = '@attr 1=_ALLRECORDS @attr 2=103 ""'
    syntax: Literal["usmarc", "unimarc", "rusmarc", "xml"] = "usmarc"
    elements: str = "F"
    portion: Annotated[int, msgspec.Meta(ge=1)] = 200
    deadline: Annotated[float, msgspec.Meta(gt=0)] = 300.0
    tries: Annotated[int, msgspec.Meta(ge=1)] = 3
    limit: Annotated[int, msgspec.Meta(ge=0)] = 0
    split: str = ""
    split_range: tuple[int, int] = (0, 2100)
    negotiate: str = ""
    user: Secret | None = None
    password: Secret | None = None

    @property
    def queries(self) -> tuple[str, ...]:
        """The queries as a tuple."""
        return (self.query,) if isinstance(self.query, str) else self.query


def faults(folder: object, settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the settings themselves: pairs of key and message."""
    found = _URL.fullmatch(settings.url)
    if found is None or "@" in settings.url:
        yield "url", f'"{settings.url}" is not the address of a server; write host:port/database'
    if not settings.queries or not all(query.strip() for query in settings.queries):
        yield "query", 'is empty; write a query in PQF, such as "@attr 1=4 history"'
    if settings.split_range[0] > settings.split_range[1]:
        yield "split_range", "its first number is larger than its last one"
    for key, text in (("url", settings.url), ("elements", settings.elements), ("negotiate", settings.negotiate)):
        if re.search(r"\s", text):
            yield key, "contains a space or a line break"
    if any("\n" in text or "\r" in text for text in (*settings.queries, settings.split)):
        yield "query", "contains a line break"


def probe(visit: Visit, settings: Settings) -> str:
    """Ask the server how many records the queries have, and send one."""
    client = _client(settings)
    total = sum(client.count(query) for query in settings.queries)
    batch = client.fetch(settings.queries[0], 1, 1, 1)
    got = len(list(records_of_dump(batch.dump, settings.syntax)))
    if total and not got:
        raise HarvestError(
            f"{settings.url}: has {total:,} records, but sends none as {settings.syntax}: {batch.stated}"
        )
    return f"{client.server or 'Z39.50'}, {settings.syntax}, {total:,} records"


def fetch(visit: Visit, settings: Settings) -> Fetched:
    """Fetch all records of the queries."""
    if visit.options.since:
        raise HarvestError("Z39.50 has no list of changes; leave --since out, or state the date in the query")
    visit.store.records.form = XML_FORM if settings.syntax == "xml" else ISO2709_FORM
    server = f"{settings.url} {settings.syntax} {settings.elements}"
    plan = Plan(server, settings.queries, settings.limit, bool(settings.split), settings.split_range, settings.syntax)
    is_continued = begin(visit, plan)
    return fetch_by_search(visit, _Searcher(visit, _client(settings), settings), plan, is_continued)


def _client(settings: Settings) -> Client:
    found = _URL.fullmatch(settings.url)
    assert found is not None, "the configuration was checked"
    secure, host, port, database = found.groups()
    user = settings.user.read() if settings.user else ""
    password = settings.password.read() if settings.password else ""
    target = Target(
        address=f"{secure or 'tcp:'}{host}:{port or _PORT}",
        database=database or "Default",
        syntax="unimarc" if settings.syntax == "rusmarc" else settings.syntax,
        elements=settings.elements,
        negotiate=settings.negotiate,
        authentication=f"{user}/{password}" if user else "",
    )
    return Client(target, settings.deadline, settings.tries)


class _Searcher:
    """Searches a server of Z39.50."""

    def __init__(self, visit: Visit, client: Client, settings: Settings) -> None:
        self._visit = visit
        self._client = client
        self._settings = settings
        self._reasons: list[str] = []
        self.count = client.count

    def within(self, query: str, low: int, high: int) -> str:
        return f"@and {query} {self._numbers(low, high)}"

    def outside(self, query: str, low: int, high: int) -> str:
        return f"@not {query} {self._numbers(low, high)}"

    def _numbers(self, low: int, high: int) -> str:
        index = self._settings.split
        return f"@and {index} @attr 2=4 {low} {index} @attr 2=2 {high}"

    def walk(self, query: str, start: Position, save: Save) -> list[str]:
        """Fetch and store the records of a query, by what arrived."""
        self._reasons = []
        at = start.next
        portion, portions = self._settings.portion, _PORTIONS
        total = self._client.count(query)
        while at <= total:
            batch = self._client.fetch(query, at, portion, min(portions, -(-(total - at + 1) // portion)))
            if batch.hits < total:
                self._add_reason(f"the server stated {total:,} records at first, and {batch.hits:,} later")
            total = batch.hits
            records = list(records_of_dump(batch.dump, self._settings.syntax))
            passed = self._passed(batch, len(records))
            if not passed and portion == portions == 1 and at <= total:
                passed = self._pass_over(batch, at)
            if passed:
                is_stopped = self._store(
                    records if batch.answered == batch.sent else records[:passed], at + passed, save
                )
                self._visit.progress.advance(passed)
                at += passed
                if is_stopped:
                    break
            if passed < batch.asked and at <= total:
                self._visit.note(SHORT, query, f"{passed} of {batch.asked} from {at}: {batch.stated}".encode())
                portion, portions = max(portion // 2, 1), 1
            else:
                portion, portions = min(portion * 2, self._settings.portion), _PORTIONS
        return self._reasons

    def _passed(self, batch: Batch, got: int) -> int:
        """Return how many positions the records of a batch fill: those that came, and diagnostics in their place.

        If a portion was short, the records of later ones follow in the dump, behind a hole. Where it cannot be known
        which records those are, or which ones are missing, nothing is used, and less is asked for.
        """
        if batch.answered < batch.sent:
            return batch.answered if got == batch.sent else 0
        missing = batch.answered - got
        if 0 < missing <= batch.surrogates:
            self._visit.note(SURROGATE, "", batch.stated.encode())
            self._add_reason(f"the server sends a diagnostic in place of {missing:,} records: {batch.stated}")
            return batch.answered
        return batch.answered if missing <= 0 else 0

    def _pass_over(self, batch: Batch, at: int) -> int:
        """Leave out a record that is not sent; raises ``LimitReached`` at the end of what the server gives."""
        if batch.has_diagnostic(_OUT_OF_RANGE) or len(self._reasons) >= _MOST_REASONS:
            if at == 1:
                raise HarvestError(f"{self._settings.url}: sends no record: {batch.stated}")
            raise LimitReached(at - 1)
        self._add_reason(f"the record at position {at:,} cannot be fetched: {batch.stated or 'nothing came'}")
        return 1

    def _store(self, records: list[DumpedRecord], following: int, save: Save) -> bool:
        with self._visit.store.commit():
            for record in records:
                keep(self._visit, record.control_number, record.data)
            return save(Position(following), self._reasons)

    def _add_reason(self, reason: str) -> None:
        if len(self._reasons) < _MOST_REASONS:
            self._reasons.append(reason)
