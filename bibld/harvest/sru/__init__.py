"""SRU (1.1, 1.2, 2.0): the records that a query finds, in portions, with the counts of the server compared.

SRU is made for searching, and many servers limit how many records one query gives; ``split`` divides it then.
"""

from __future__ import annotations

import hashlib
import re
import urllib.parse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from bibld.errors import HarvestError
from bibld.harvest._records import XML_FORM
from bibld.harvest._search import FoundRecord, LimitReached, ResultWalk, SearchPlan, begin, fetch_by_search
from bibld.harvest._settings import HttpSettings, as_tuple, faults_of_http
from bibld.harvest._visit import Visit
from bibld.harvest.sru._answers import (
    FIRST_POSITION_OUT_OF_RANGE,
    TOO_MANY_RECORDS,
    UNKNOWN_SCHEMA,
    UNSUPPORTED_PACKING,
    UNSUPPORTED_PARAMETER,
    UNSUPPORTED_VERSION,
    Explained,
    SearchResponse,
    parse_explain,
    parse_search,
)
from bibld.protocols import Fetched

if TYPE_CHECKING:
    from bibld.harvest._store import StoredResponse

_VERSIONS = ("1.2", "1.1", "2.0")
_TEMPORARY = (1, 2, 3)
"""Diagnostics for which a request is sent again: system error, unavailable, busy."""

_UNAVAILABLE = frozenset({408, 429, 502, 503, 504})

_SCHEMAS = ("marcxml", "MARC21-xml", "marc21", "unimarcxchange", "unimarc", "rusmarc", "marcxchange", "mods", "dc")
"""Short names that are tried where the server states none."""

_KINDS = (
    ("marc", re.compile(r"marc", re.IGNORECASE)),
    ("mods", re.compile(r"mods", re.IGNORECASE)),
    ("dc", re.compile(r"(?:^|[/_-])dc(?:$|[/_-])|dublin", re.IGNORECASE)),
)
_ROOTS = {"marc": {"record"}, "mods": {"mods"}, "dc": {"dc"}}
_MAX_GAPS = 20
"""Records in succession that may be left out because the server cannot send them."""

_LIMIT_DIAGNOSTICS = (FIRST_POSITION_OUT_OF_RANGE, *TOO_MANY_RECORDS)


class Settings(HttpSettings, frozen=True, kw_only=True):
    """``query``: in CQL, a list of queries is united; ``version``: of SRU; ``schema``: the short name of the record
    schema (by default MARC, else MODS, else Dublin Core, as explain offers it); ``portion``: records in one answer;
    ``limit``: the most records that the server gives of one query (0: not known); ``split``: an index of whole numbers,
    such as ``dc.date``, by which a query with more records is divided; ``split_range``: the first and the last of these
    numbers; ``parameters``: further parameters of each request.
    """

    query: str | tuple[str, ...] = "cql.allRecords=1"
    version: Literal["auto", "1.1", "1.2", "2.0"] = "auto"
    schema: str = ""
    portion: Annotated[int, msgspec.Meta(ge=1)] = 100
    limit: Annotated[int, msgspec.Meta(ge=0)] = 0
    split: str = ""
    split_range: tuple[int, int] = (0, 2100)
    parameters: dict[str, str] = msgspec.field(default_factory=dict)


def faults(folder: object, settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the settings themselves: pairs of key and message."""
    yield from faults_of_http(settings)
    if not all(query.strip() for query in as_tuple(settings.query)) or not as_tuple(settings.query):
        yield "query", 'is empty; write a query in CQL, such as "cql.allRecords=1"'
    if settings.split_range[0] > settings.split_range[1]:
        yield "split_range", "its first number is larger than its last one"


def probe(visit: Visit, settings: Settings) -> str:
    """Ask the server how many records the queries have, and in which version and schema."""
    session = Session(visit, settings)
    total = session.negotiate(as_tuple(settings.query)[0]).total or 0
    total += sum(session.count(query) for query in as_tuple(settings.query)[1:])
    dialect = session.dialect
    title = f"{session.explained.title}, " if session.explained.title else ""
    schema = f"schema {dialect.schema}" if dialect.schema else "the schema of the server"
    return f"{title}SRU {dialect.version}, {schema}, {total:,} records"


def fetch(visit: Visit, settings: Settings) -> Fetched:
    """Fetch all records of the queries."""
    if visit.options.since:
        raise HarvestError("SRU has no list of changes; leave --since out, or state the date in the query")
    visit.store.records.form = XML_FORM
    server = f"{settings.url} {settings.schema}"
    plan = SearchPlan(server, as_tuple(settings.query), settings.limit, bool(settings.split), settings.split_range)
    is_continued = begin(visit, plan)
    session = Session(visit, settings)
    session.negotiate(as_tuple(settings.query)[0])
    plan = msgspec.structs.replace(plan, form=session.root)
    return fetch_by_search(visit, session, plan, is_continued)


class Dialect(msgspec.Struct, frozen=True):
    """How a server is asked: version, short name of the schema (empty: none), packing (empty: not stated)."""

    version: str
    schema: str
    packing: str = "xml"


class Session:
    """Searches one server."""

    def __init__(self, visit: Visit, settings: Settings) -> None:
        self._visit = visit
        self._settings = settings
        self._transport = visit.transport(settings)
        self.has_answered = False
        """Whether the server answered the last request, usable or not, instead of being busy or not there."""
        self.explained = Explained()
        self.dialect = Dialect("", "")
        self.root = ""
        """The name of the root element of records."""

    def negotiate(self, query: str) -> SearchResponse:
        """Find out how the server is asked; return its answer to a query for one record. Raises ``HarvestError``."""
        self.explained = self._explain()
        versions = self._versions()
        schemas = self._schemas()
        refused = ""
        version, schema, packing = versions.pop(0), schemas.pop(0), "xml"
        for _ in range(len(_VERSIONS) + len(schemas) + 3):
            self.dialect = Dialect(version, schema, packing)
            response = self.search(query, 1, 1)
            refused = "; ".join(map(str, response.diagnostics))
            if response.has_diagnostic(UNSUPPORTED_VERSION) and not response.pieces and versions:
                self._visit.note("sru-version", self._address(query, 1, 1), refused.encode())
                version = versions.pop(0)
            elif response.has_diagnostic(*UNKNOWN_SCHEMA) and schemas:
                schema = schemas.pop(0)
            elif response.has_diagnostic(*UNSUPPORTED_PACKING, UNSUPPORTED_PARAMETER) and packing:
                packing = "string" if packing == "xml" and response.has_diagnostic(*UNSUPPORTED_PACKING) else ""
            elif response.pieces and not self._is_expected(response, schema) and schemas:
                self._visit.note("sru-schema", self._address(query, 1, 1), response.pieces[0].data)
                schema = schemas.pop(0)
            else:
                break
        if refused and not response.pieces and not response.has_diagnostic(FIRST_POSITION_OUT_OF_RANGE):
            raise HarvestError(f"{self._settings.url}: the server refuses the query {query}: {refused}")
        if response.total is None and not response.pieces:
            raise HarvestError(f"{self._settings.url}: the server states no numberOfRecords for {query}")
        self.root = response.pieces[0].root if response.pieces else ""
        return response

    def search(self, query: str, start: int, portion: int) -> SearchResponse:
        """Return the answer to a query, from a position on; raises ``HarvestError`` after the last try."""
        url = self._address(query, start, portion)
        self.has_answered = False
        stored = self._transport.get(url, self._accept)
        response = parse_search(stored.body)
        if response.was_repaired:
            self._visit.note("sru-not-xml", url, stored.body)
        if self.dialect.packing == "xml" and any(piece.is_escaped for piece in response.pieces):
            self._visit.note("sru-packing", url, response.pieces[0].data)
        return msgspec.structs.replace(response, number=stored.number)

    def count(self, query: str) -> int:
        """Return how many records a query has; raises ``HarvestError``."""
        response = self.search(query, 1, 1)
        if response.total is None or (response.diagnostics and not response.pieces and not response.total):
            if response.has_diagnostic(FIRST_POSITION_OUT_OF_RANGE):
                return 0
            stated = "; ".join(map(str, response.diagnostics)) or "the server states no numberOfRecords"
            raise HarvestError(f"{query}: {stated}")
        return response.total

    def within(self, query: str, low: int, high: int) -> str:
        """Return the query for the records that have a number of the index from ``low`` to ``high``."""
        return f"({query}) and {self._numbers(low, high)}"

    def outside(self, query: str, low: int, high: int) -> str:
        """Return the query for the others."""
        return f"({query}) not ({self._numbers(low, high)})"

    def _numbers(self, low: int, high: int) -> str:
        return f"{self._settings.split}>={low} and {self._settings.split}<={high}"

    def walk(self, query: str, walk: ResultWalk) -> None:
        """Fetch and store the records of a query, in portions."""
        _PortionWalk(self, self._settings.portion, walk).fetch(query)

    def _accept(self, stored: StoredResponse) -> str:
        self.has_answered = stored.status not in _UNAVAILABLE
        try:
            response = parse_search(stored.body)
        except HarvestError as error:
            return str(error)
        if (
            not response.pieces
            and response.has_diagnostic(*_TEMPORARY)
            and not response.has_diagnostic(*TOO_MANY_RECORDS)
        ):
            return "; ".join(map(str, response.diagnostics))
        return ""

    def _explain(self) -> Explained:
        """Return what the server states about itself; that is advice, so nothing at all is allowed."""
        try:
            stored = self._transport.get(self._url({"operation": "explain", "version": "1.2"}), lambda _: "")
            return parse_explain(stored.body)
        except HarvestError as error:
            self._visit.progress.detail(f"harvest: {self._visit.source}: no explain: {error}")
            return Explained()

    def _versions(self) -> list[str]:
        if self._settings.version != "auto":
            return [self._settings.version]
        stated = [self.explained.version] if self.explained.version in _VERSIONS else []
        return [*stated, *(version for version in _VERSIONS if version not in stated)]

    def _schemas(self) -> list[str]:
        """Return the schemas to try: the one of the settings, or those of explain, MARC first, then the usual names."""
        if self._settings.schema:
            return [self._settings.schema]
        stated = []
        for name, identifier in self.explained.schemas:
            ranks = (rank for rank, (_, kind) in enumerate(_KINDS) if kind.search(name) or kind.search(identifier))
            if (rank := next(ranks, None)) is not None:
                stated.append((rank, name or identifier))
        return [name for _, name in sorted(stated)] or ["", *_SCHEMAS]

    def _is_expected(self, response: SearchResponse, schema: str) -> bool:
        """Whether the first record is of the kind that its schema names; without a schema it must be MARC or MODS."""
        kinds = [kind for kind, pattern in _KINDS if pattern.search(schema)] if schema else ["marc", "mods"]
        first = next((piece for piece in response.pieces if piece.root), None)
        return first is None or not kinds or any(first.root in _ROOTS[kind] for kind in kinds)

    def _address(self, query: str, start: int, portion: int) -> str:
        dialect = self.dialect
        words = {
            "operation": "searchRetrieve",
            "version": dialect.version,
            "query": query,
            "startRecord": str(start),
            "maximumRecords": str(portion),
            "recordSchema": dialect.schema,
            "recordXMLEscaping" if dialect.version == "2.0" else "recordPacking": dialect.packing,
        }
        return self._url(words | self._settings.parameters)

    def _url(self, words: dict[str, str]) -> str:
        query = urllib.parse.urlencode(
            {name: value for name, value in words.items() if value}, quote_via=urllib.parse.quote
        )
        base = self._settings.url
        joint = "" if base.endswith(("?", "&")) else "&" if "?" in base else "?"
        return f"{base}{joint}{query}"


class _PortionWalk:
    """Fetches the records of one query, in portions as large as the server can send."""

    def __init__(self, session: Session, portion: int, walk: ResultWalk) -> None:
        self._session = session
        most = session.explained.most_records
        self._portion = min(portion, most) if most else portion
        self._walk = walk
        self._note = walk.visit.note
        self._gaps = 0

    def fetch(self, query: str) -> None:
        """Fetch the records; raises ``LimitReached``, and ``HarvestError`` if the server does not answer."""
        walk = self._walk
        total = None
        size = self._portion
        empty = 0
        while (total is None or walk.at.next <= total) and not walk.is_stopped:
            try:
                response = self._session.search(query, walk.at.next, size)
            except HarvestError as error:
                size = self._shrink(error, size)
                continue
            total = self._stated_total(response, total, empty)
            if not response.pieces:
                if total is None or walk.at.next > total:
                    break
                empty += 1
                self._check_limit(response, total, empty)
                continue
            empty = 0
            if total is None:
                total = walk.at.next + len(response.pieces) - 1
            digest = hashlib.sha256(b"\0".join(piece.data for piece in response.pieces)).hexdigest()
            if digest == walk.at.last_portion:
                self._note("sru-repeated", query, response.pieces[0].data)
                walk.reasons.append(f"the server sends the same records again at position {walk.at.next:,}")
                break
            if response.diagnostics:
                self._note("sru-diagnostic", query, "; ".join(map(str, response.diagnostics)).encode())
            walk.store(self._records(response), len(response.pieces), digest)
            self._gaps = 0
            came = len(response.pieces)
            if came < size and walk.at.next <= total:
                self._note("sru-portion", query, f"{came} of {size}".encode())
                self._portion = min(came, self._portion)
            size = min(size * 2, self._portion)

    def _stated_total(self, response: SearchResponse, total: int | None, empty: int) -> int | None:
        """Return the total after an answer; a smaller one is a reason, unless a refusal or an accident states it."""
        stated = response.total
        if stated is None or total is None or stated >= total:
            return total if stated is None else stated
        if not response.pieces and stated < self._walk.at.next - 1:  # fewer than have come already
            is_refused = not stated and response.has_diagnostic(*_LIMIT_DIAGNOSTICS)
            if is_refused or not empty:
                return total
        self._walk.add_reason(f"the server stated {total:,} records at first, and {stated:,} later")
        return stated

    def _shrink(self, error: HarvestError, size: int) -> int:
        """Ask for a smaller portion where one cannot be sent; a single record is left out."""
        if not self._session.has_answered:
            raise error
        if size > 1:
            return size // 2
        self._note("sru-broken-answer", "", str(error).encode())
        self._gaps += 1
        if self._gaps > _MAX_GAPS:
            raise error
        self._walk.add_reason(f"the record at position {self._walk.at.next:,} cannot be fetched: {error}")
        self._walk.store((), 1)
        return 1

    def _check_limit(self, response: SearchResponse, total: int, empty: int) -> None:
        """Decide what an empty portion before the end means; raises ``LimitReached`` or ``HarvestError``."""
        is_limit = response.has_diagnostic(*_LIMIT_DIAGNOSTICS)
        if empty < 2 and not is_limit:
            return  # it may be an accident
        if self._walk.at.next > 1:
            raise LimitReached(self._walk.at.next - 1)
        stated = "; ".join(map(str, response.diagnostics)) or "no records"
        raise HarvestError(f"the server states {total:,} records, but sends {stated}")

    def _records(self, response: SearchResponse) -> Iterator[FoundRecord]:
        for position, piece in enumerate(response.pieces, self._walk.at.next):
            if piece.diagnostic is not None:
                self._walk.visit.store.count("received")
                self._note("sru-surrogate", "", piece.data)
                stated = f"{piece.diagnostic} in place of the record at position {position:,}"
                self._walk.add_reason(f"the server sends {stated}")
                continue
            fault = piece.fault
            if not fault and self._session.root and piece.root != self._session.root:
                fault = f"it is <{piece.root}>, though <{self._session.root}> was asked for"
            if fault:
                self._note("sru-record", "", piece.data)
            yield FoundRecord(piece.data, piece.identifier, response.number, fault)
