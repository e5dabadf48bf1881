"""Ask an SRU server in the words that it understands, and walk through the result of a query, portion after portion."""

from __future__ import annotations

import hashlib
import re
import urllib.parse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from bibld.errors import HarvestError
from bibld.harvest._search import MAX_REASONS, LimitReached, ResultPosition, Save, keep
from bibld.harvest._settings import HttpSettings
from bibld.harvest.sru._answers import (
    FIRST_POSITION_OUT_OF_RANGE,
    TOO_MANY_RECORDS,
    UNKNOWN_SCHEMA,
    UNSUPPORTED_PACKING,
    UNSUPPORTED_PARAMETER,
    UNSUPPORTED_VERSION,
    Explained,
    Piece,
    SearchResponse,
    parse_explain,
    parse_search,
)

if TYPE_CHECKING:
    from bibld.harvest._store import StoredResponse
    from bibld.harvest._visit import Visit

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


class Settings(HttpSettings, frozen=True, kw_only=True):
    """``query``: in CQL, a list of queries is united; ``version``: of SRU; ``schema``: the short name of the record
    schema (by default MARC, else MODS, else Dublin Core, as explain offers it); ``portion``: records in one answer;
    ``limit``: the most records that the server gives of one query (0: not known); ``split``: an index of whole numbers,
    such as ``dc.date``, by which a query with more records is divided; ``split_range``: the first and the last number
    for that; ``parameters``: further parameters of each request.
    """

    query: str | tuple[str, ...] = "cql.allRecords=1"
    version: Literal["auto", "1.1", "1.2", "2.0"] = "auto"
    schema: str = ""
    portion: Annotated[int, msgspec.Meta(ge=1)] = 100
    limit: Annotated[int, msgspec.Meta(ge=0)] = 0
    split: str = ""
    split_range: tuple[int, int] = (0, 2100)
    parameters: dict[str, str] = msgspec.field(default_factory=dict)


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
        self._has_answered = False
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
        return self.search_stored(query, start, portion)[0]

    def search_stored(self, query: str, start: int, portion: int) -> tuple[SearchResponse, int]:
        """Do the same; return the number of the stored answer too."""
        url = self._address(query, start, portion)
        self._has_answered = False
        stored = self._transport.get(url, self._accept)
        response = parse_search(stored.body)
        if response.was_repaired:
            self._visit.note("sru-not-xml", url, stored.body)
        if self.dialect.packing == "xml" and any(piece.is_escaped for piece in response.pieces):
            self._visit.note("sru-packing", url, response.pieces[0].data)
        return response, stored.number

    @property
    def has_answered(self) -> bool:
        """Whether the server answered the last request, usable or not, instead of being busy or not there."""
        return self._has_answered

    def count(self, query: str) -> int:
        """Return how many records a query has; raises ``HarvestError``."""
        response = self.search(query, 1, 1)
        if response.total is None or (response.diagnostics and not response.pieces and not response.total):
            if response.has_diagnostic(FIRST_POSITION_OUT_OF_RANGE):
                return 0
            stated = "; ".join(map(str, response.diagnostics)) or "the server states no numberOfRecords"
            raise HarvestError(f"{query}: {stated}")
        return response.total

    def _accept(self, stored: StoredResponse) -> str:
        self._has_answered = stored.status not in _UNAVAILABLE
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
        stated = sorted(self._known_schemas())
        names = [name for _, name in stated]
        return names or ["", *_SCHEMAS]

    def _known_schemas(self) -> Iterator[tuple[int, str]]:
        for name, identifier in self.explained.schemas:
            for rank, (_, pattern) in enumerate(_KINDS):
                if pattern.search(name) or pattern.search(identifier):
                    yield rank, name or identifier
                    break

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


_MAX_GAPS = 20
"""Records in succession that may be left out because the server cannot send them."""

_LIMIT_DIAGNOSTICS = (FIRST_POSITION_OUT_OF_RANGE, *TOO_MANY_RECORDS)


class PortionWalk:
    """Fetches the records of one query and stores them."""

    def __init__(self, visit: Visit, session: Session, portion: int, start: ResultPosition) -> None:
        self._visit = visit
        self._session = session
        most = session.explained.most_records
        self._portion = min(portion, most) if most else portion
        self._at = start
        self._reasons: list[str] = []
        self._gaps = 0
        self._is_stopped = False

    def fetch(self, query: str, save: Save) -> list[str]:
        """Fetch the records; return why they are not all. ``save`` is called with each position that was reached.

        Raises ``LimitReached``, and ``HarvestError`` if the server does not answer.
        """
        total = None
        size = self._portion
        empty = 0
        while total is None or self._at.next <= total:
            try:
                response, number = self._session.search_stored(query, self._at.next, size)
            except HarvestError as error:
                size = self._shrink(error, size, save)
                continue
            total = self._stated_total(response, total, empty)
            if not response.pieces:
                if total is None or self._at.next > total:
                    break
                empty += 1
                self._check_limit(response, total, empty)
                continue
            empty = 0
            if total is None:
                total = self._at.next + len(response.pieces) - 1
            if not self._store(query, response, number, save):
                break
            self._compare_size(query, response, size, total)
            size = min(size * 2, self._portion)
            if self._is_stopped:
                break
        return self._reasons

    def _stated_total(self, response: SearchResponse, total: int | None, empty: int) -> int | None:
        """Return the total after an answer; a smaller one is a reason, unless a refusal or an accident states it."""
        stated = response.total
        if stated is None or total is None or stated >= total:
            return total if stated is None else stated
        if not response.pieces and stated < self._at.next - 1:  # fewer than have come already
            is_refused = not stated and response.has_diagnostic(*_LIMIT_DIAGNOSTICS)
            if is_refused or not empty:
                return total
        self._add_reason(f"the server stated {total:,} records at first, and {stated:,} later")
        return stated

    def _shrink(self, error: HarvestError, size: int, save: Save) -> int:
        """Ask for a smaller portion where one cannot be sent; a single record is left out."""
        if not self._session.has_answered:
            raise error
        if size > 1:
            return size // 2
        self._visit.note("sru-broken-answer", "", str(error).encode())
        self._gaps += 1
        if self._gaps > _MAX_GAPS:
            raise error
        self._add_reason(f"the record at position {self._at.next:,} cannot be fetched: {error}")
        self._at = msgspec.structs.replace(self._at, next=self._at.next + 1)
        with self._visit.store.commit():
            save(self._at, self._reasons)
        return 1

    def _check_limit(self, response: SearchResponse, total: int, empty: int) -> None:
        """Decide what an empty portion before the end means; raises ``LimitReached`` or ``HarvestError``."""
        is_limit = response.has_diagnostic(*_LIMIT_DIAGNOSTICS)
        if empty < 2 and not is_limit:
            return  # it may be an accident
        if self._at.next > 1:
            raise LimitReached(self._at.next - 1)
        stated = "; ".join(map(str, response.diagnostics)) or "no records"
        raise HarvestError(f"the server states {total:,} records, but sends {stated}")

    def _store(self, query: str, response: SearchResponse, number: int, save: Save) -> bool:
        """Store a portion; return whether it is another one than before."""
        digest = hashlib.sha256(b"\0".join(piece.data for piece in response.pieces)).hexdigest()
        if digest == self._at.last_portion:
            self._visit.note("sru-repeated", query, response.pieces[0].data)
            self._reasons.append(f"the server sends the same records again at position {self._at.next:,}")
            return False
        if response.diagnostics:
            self._visit.note("sru-diagnostic", query, "; ".join(map(str, response.diagnostics)).encode())
        store = self._visit.store
        with store.commit():
            for offset, piece in enumerate(response.pieces):
                self._keep(piece, self._at.next + offset, number)
            self._at = ResultPosition(self._at.next + len(response.pieces), digest)
            self._is_stopped = save(self._at, self._reasons)
        self._visit.progress.advance(len(response.pieces))
        self._gaps = 0
        return True

    def _keep(self, piece: Piece, position: int, number: int) -> None:
        if piece.diagnostic is not None:
            self._visit.store.count("received")
            self._visit.note("sru-surrogate", "", piece.data)
            self._add_reason(f"the server sends {piece.diagnostic} in place of the record at position {position:,}")
            return
        fault = piece.fault
        if not fault and self._session.root and piece.root != self._session.root:
            fault = f"it is <{piece.root}>, though <{self._session.root}> was asked for"
        if fault:
            self._visit.note("sru-record", "", piece.data)
        keep(self._visit, piece.identifier, piece.data, number, fault)

    def _add_reason(self, reason: str) -> None:
        if len(self._reasons) < MAX_REASONS:
            self._reasons.append(reason)

    def _compare_size(self, query: str, response: SearchResponse, size: int, total: int) -> None:
        came = len(response.pieces)
        if came < size and self._at.next <= total:
            self._visit.note("sru-portion", query, f"{came} of {size}".encode())
            self._portion = max(came, 1) if came < self._portion else self._portion
