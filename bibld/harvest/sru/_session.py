"""Ask an SRU server in the words that it understands: version, schema, packing and portions are negotiated."""

from __future__ import annotations

import re
import urllib.parse
from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from bibld.errors import HarvestError
from bibld.harvest._faults import ServerFault
from bibld.harvest.sru._answers import (
    FIRST_POSITION_OUT_OF_RANGE,
    TOO_MANY_RECORDS,
    UNKNOWN_SCHEMA,
    UNSUPPORTED_PACKING,
    UNSUPPORTED_PARAMETER,
    UNSUPPORTED_VERSION,
    Answer,
    Explained,
    parse_explain,
    parse_search,
)

if TYPE_CHECKING:
    from bibld.harvest._store import StoredAnswer
    from bibld.harvest._visit import Visit
    from bibld.harvest.sru import Settings

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

WRONG_VERSION = ServerFault(
    "sru-version", "does not support SRU 1.2", "SRU 1.2, 4.1.1: version", "asked in another version"
)
OTHER_SCHEMA = ServerFault(
    "sru-schema",
    "answers with another schema than the one that was asked for, without a diagnostic",
    "SRU 1.2, diagnostic 66: unknown schema for retrieval",
    "tried the other schemas that it states, and the usual names",
)
NOT_XML = ServerFault(
    "sru-not-xml",
    "answers with characters or references that XML does not allow",
    "XML 1.0, 2.2 and 4.1",
    "replaced them by U+FFFD",
)
ESCAPED = ServerFault(
    "sru-packing",
    "sends records as escaped text though recordPacking=xml was asked for",
    "SRU 1.2, 4.1.1: recordPacking",
    "parsed the text",
)


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

    def negotiate(self, query: str) -> Answer:
        """Find out how the server is asked; return its answer to a query for one record. Raises ``HarvestError``."""
        self.explained = self._explain()
        versions = self._versions()
        schemas = self._schemas()
        refused = ""
        version, schema, packing = versions.pop(0), schemas.pop(0), "xml"
        for _ in range(len(_VERSIONS) + len(schemas) + 3):
            self.dialect = Dialect(version, schema, packing)
            answer = self.search(query, 1, 1)
            refused = "; ".join(map(str, answer.diagnostics))
            if answer.has_diagnostic(UNSUPPORTED_VERSION) and not answer.pieces and versions:
                self._visit.note(WRONG_VERSION, self._address(query, 1, 1), refused.encode())
                version = versions.pop(0)
            elif answer.has_diagnostic(*UNKNOWN_SCHEMA) and schemas:
                schema = schemas.pop(0)
            elif answer.has_diagnostic(*UNSUPPORTED_PACKING, UNSUPPORTED_PARAMETER) and packing:
                packing = "string" if packing == "xml" and answer.has_diagnostic(*UNSUPPORTED_PACKING) else ""
            elif answer.pieces and not self._is_expected(answer, schema) and schemas:
                self._visit.note(OTHER_SCHEMA, self._address(query, 1, 1), answer.pieces[0].data)
                schema = schemas.pop(0)
            else:
                break
        if refused and not answer.pieces and not answer.has_diagnostic(FIRST_POSITION_OUT_OF_RANGE):
            raise HarvestError(f"{self._settings.url}: the server refuses the query {query}: {refused}")
        if answer.total is None and not answer.pieces:
            raise HarvestError(f"{self._settings.url}: the server states no numberOfRecords for {query}")
        self.root = answer.pieces[0].root if answer.pieces else ""
        return answer

    def search(self, query: str, start: int, portion: int) -> Answer:
        """Return the answer to a query, from a position on; raises ``HarvestError`` after the last try."""
        return self.search_stored(query, start, portion)[0]

    def search_stored(self, query: str, start: int, portion: int) -> tuple[Answer, int]:
        """Do the same; return the number of the stored answer too."""
        url = self._address(query, start, portion)
        self._has_answered = False
        stored = self._transport.get(url, self._accept)
        answer = parse_search(stored.body)
        if answer.was_repaired:
            self._visit.note(NOT_XML, url, stored.body)
        if self.dialect.packing == "xml" and any(piece.is_escaped for piece in answer.pieces):
            self._visit.note(ESCAPED, url, answer.pieces[0].data)
        return answer, stored.number

    @property
    def has_answered(self) -> bool:
        """Whether the server answered the last request, usable or not, instead of being busy or not there."""
        return self._has_answered

    def count(self, query: str) -> int:
        """Return how many records a query has; raises ``HarvestError``."""
        answer = self.search(query, 1, 1)
        if answer.total is None or (answer.diagnostics and not answer.pieces and not answer.total):
            if answer.has_diagnostic(FIRST_POSITION_OUT_OF_RANGE):
                return 0
            stated = "; ".join(map(str, answer.diagnostics)) or "the server states no numberOfRecords"
            raise HarvestError(f"{query}: {stated}")
        return answer.total

    def _accept(self, stored: StoredAnswer) -> str:
        self._has_answered = stored.status not in _UNAVAILABLE
        try:
            answer = parse_search(stored.body)
        except HarvestError as error:
            return str(error)
        if not answer.pieces and answer.has_diagnostic(*_TEMPORARY) and not answer.has_diagnostic(*TOO_MANY_RECORDS):
            return "; ".join(map(str, answer.diagnostics))
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

    def _is_expected(self, answer: Answer, schema: str) -> bool:
        """Whether the first record is of the kind that its schema names; without a schema it must be MARC or MODS."""
        kinds = [kind for kind, pattern in _KINDS if pattern.search(schema)] if schema else ["marc", "mods"]
        first = next((piece for piece in answer.pieces if piece.root), None)
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
