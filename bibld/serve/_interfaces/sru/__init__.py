"""SRU 1.1, 1.2 and 2.0: the publications of a release for systems that catalogue by copying records.

The operations are ``explain``, ``searchRetrieve`` and ``scan`` (OASIS searchRetrieve, parts 3 and 6; SRU 1.1 and 1.2 of
the Library of Congress). Every request is answered: what is wrong with it, a diagnostic of the standard's list states.

A request passes three steps, because the search and the catalog each have a thread: :meth:`SruServer.read` decides what
is requested, :meth:`SruServer.find` searches, and :meth:`SruServer.write` reads the records that were found.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

import msgspec
from lxml import etree

from bibld.documents import PublishedView
from bibld.errors import RecordError
from bibld.model.iris import Iris
from bibld.model.linkage import Merged
from bibld.model.release import Manifest
from bibld.protocols import CatalogView, SourceRecord
from bibld.search import SearchView, StoredPublication
from bibld.serve._interfaces.sru.cql import CqlQuery, CqlReader, ScanClause, sort_of_sort_keys
from bibld.serve._interfaces.sru.diagnostics import SruDiagnosticError as SruDiagnosticError
from bibld.serve._interfaces.sru.diagnostics import SruFault as SruFault
from bibld.serve._interfaces.sru.envelope import (
    NEWEST as NEWEST,
)
from bibld.serve._interfaces.sru.envelope import (
    STRING_PACKING,
    VERSIONS,
    XML_PACKING,
    FoundTerm,
    RetrievedRecord,
    SruVersion,
    explain_response,
    failed_search_response,
    scan_response,
    search_response,
)
from bibld.serve._interfaces.sru.explain import ServerLimits, describe_server
from bibld.serve._interfaces.sru.records import MarcReaders as MarcReaders
from bibld.serve._interfaces.sru.records import PublicationRecords, RecordSchema, default_schema, find_schema

MAX_RECORDS = 100
"""Records of one response."""

_DEFAULT_RECORDS = 10
MAX_POSITION = 100_000
"""The last record of a result that can be retrieved: to skip records takes time."""

MAX_POSITION_BY_TITLE = 1000
"""That of a result in the order of titles, where it takes a thousand times as long."""

_MAX_TERMS = 100
_DEFAULT_TERMS = 20
_MAX_DIGITS = 9
_SECONDS_OF_RECORDS = 10.0
"""After this time a response ends with the record that was read last; the client asks for the next ones."""

_SEARCH, _SCAN, _EXPLAIN = "searchRetrieve", "scan", "explain"
_OF_ALL = ("operation", "version", "stylesheet", "extraRequestData", "httpAccept", "responseType", "renderedBy")
_PACKING = ("recordPacking", "recordXMLEscaping")
_PARAMETERS = {
    _SEARCH: (
        *_OF_ALL,
        *_PACKING,
        *("query", "queryType", "startRecord", "maximumRecords", "recordSchema", "recordXPath", "sortKeys"),
        *("resultSetTTL", "resultSetIdleTime"),  # there are no result sets, so nothing has to live
    ),
    _SCAN: (*_OF_ALL, "scanClause", "responsePosition", "maximumTerms"),
    _EXPLAIN: (*_OF_ALL, *_PACKING),
}
_SOURCE = "x-source"
_NEWER_PACKINGS = ("packed", "unpacked")
"""Values of ``recordPacking`` in SRU 2.0, where it states something else; both are the same for single records."""


class Retrieval(msgspec.Struct, frozen=True):
    """A valid request for records. ``source``: of which library its own records are wanted; empty for any."""

    version: SruVersion
    query: CqlQuery
    start: int
    limit: int
    schema: RecordSchema
    packing: str
    source: str
    echo: tuple[tuple[str, str], ...]
    operation: str = _SEARCH

    @property
    def last(self) -> int:
        """The last position that can be retrieved."""
        return MAX_POSITION_BY_TITLE if self.query.sort.endswith("title") else MAX_POSITION


class ScanRequest(msgspec.Struct, frozen=True):
    """A valid request for terms: ``limit`` of them, among which that of the clause has the position ``position``.

    At position 0 it would be before the first of them.
    """

    version: SruVersion
    clause: ScanClause
    position: int
    limit: int
    operation: str = _SCAN


class FoundPage(msgspec.Struct, frozen=True):
    """The publications of the response to a request, and how many were found."""

    request: Retrieval
    publications: tuple[StoredPublication, ...]
    total: int


class ReleaseRecords(msgspec.Struct, frozen=True):
    """Where records are read, in the thread of the catalog; ``merged`` returns a publication by its path."""

    catalog: CatalogView
    merged: Callable[[str], Merged | None]
    marc: MarcReaders
    view: PublishedView | None


class SruServer:
    """Answers requests.

    ``find`` is to be called in the thread of ``search``, ``write`` in that of the catalog, ``read`` in one thread.
    """

    def __init__(self, manifest: Manifest, search: SearchView, records: ReleaseRecords) -> None:
        sources = manifest.figures.sources
        self._sources = frozenset(each.source for each in sources)
        self._iris = Iris(manifest.dataset.base)
        names = {name.lower(): each.source for each in sources for name in (each.isil, *each.label.values()) if name}
        self._cql = CqlReader(self._iris, names)
        self._search = search
        self._records = records
        self._dataset = manifest.dataset
        self._limits = ServerLimits(_DEFAULT_RECORDS, MAX_RECORDS, default_schema(records.marc))

    def read(self, pairs: Sequence[tuple[str, str]]) -> Retrieval | ScanRequest | bytes:
        """Return what is requested by these parameters, or the response if no search is needed for it."""
        arguments = dict(reversed(pairs))
        operation, version = _SEARCH if "query" in arguments else "", NEWEST
        try:
            operation, version = _operation(arguments), _version(arguments)
            _check_names(operation, pairs)
            if operation == _EXPLAIN:
                return explain_response(version, self._describe(), _packing(version, arguments))
            return self._scan(version, arguments) if operation == _SCAN else self._retrieval(version, arguments)
        except SruDiagnosticError as error:
            return self.refuse(operation, version, error)

    def refuse(self, operation: str, version: SruVersion, error: SruDiagnosticError) -> bytes:
        """Return the response to a request that cannot be fulfilled."""
        if operation == _SEARCH:
            return failed_search_response(version, [error])
        if operation == _SCAN:
            return scan_response(version, [], [error])
        return explain_response(version, self._describe(), XML_PACKING, [error])

    def _describe(self) -> etree._Element:
        address = f"{self._iris.base}sru"
        return describe_server(self._dataset, address, NEWEST.number, self._limits)

    def find(self, request: Retrieval | ScanRequest) -> FoundPage | bytes:
        """Search: return the publications of a response, or the response itself if it needs no records."""
        if isinstance(request, ScanRequest):
            clause = request.clause
            before, left_out = max(0, request.position - 1), int(request.position == 0)
            words = self._search.words_around(clause.field, clause.start, before, request.limit + left_out)[left_out:]
            return scan_response(request.version, [FoundTerm(word, count) for word, count in words])
        query = request.query
        is_beyond = request.start > request.last  # the engine reserves memory for all that is skipped
        limit = 0 if is_beyond else min(request.limit, request.last - request.start + 1)
        found, total = self._search.retrieve(query.condition, query.sort, limit, 0 if is_beyond else request.start - 1)
        if is_beyond or (request.start > total and (total or request.start > 1)):
            last = min(total, request.last)
            fault = SruDiagnosticError(SruFault.POSITION, f"{request.start}; the last position is {last}")
            return failed_search_response(request.version, [fault], total)
        return FoundPage(request, tuple(found), total)

    def write(self, page: FoundPage) -> bytes:
        """Return the response with the records of the publications that were found."""
        request = page.request
        titles = self._titles(page.publications)
        end = time.monotonic() + _SECONDS_OF_RECORDS
        records: list[RetrievedRecord] = []
        for position, publication in enumerate(page.publications, request.start):
            iri = self._iris.base + publication.path
            data = self._data(request, publication, iri, titles)
            records.append(RetrievedRecord(data, request.schema.identifier, iri, position))
            if time.monotonic() > end:
                break
        following = request.start + len(records)
        has_more = bool(records) and following <= min(page.total, request.last)
        return search_response(
            request.version, page.total, records, following if has_more else 0, request.echo, request.packing
        )

    def _titles(self, publications: Sequence[StoredPublication]) -> Mapping[str, str]:
        works = list(dict.fromkeys(each.work for each in publications if each.work))
        return self._records.view.titles(works) if works and self._records.view is not None else {}

    def _data(
        self, request: Retrieval, publication: StoredPublication, iri: str, titles: Mapping[str, str]
    ) -> etree._Element | SruDiagnosticError:
        merged = self._records.merged(publication.path)
        if merged is None:
            return SruDiagnosticError(SruFault.UNAVAILABLE, iri)
        members = [each for each in merged.cluster.members if request.source in ("", each.source)]
        ordered = sorted(members, key=lambda each: each != merged.cluster.founder)
        catalog = self._records.catalog

        def read_members() -> list[SourceRecord]:
            return [record for record in map(catalog.record, ordered) if record is not None]

        work = (self._iris.base + publication.work, titles.get(publication.work, "")) if publication.work else ("", "")
        found = PublicationRecords(iri, merged, read_members, self._records.marc, work, bool(request.source))
        try:
            data = request.schema.make(found)
        except RecordError as error:
            return SruDiagnosticError(SruFault.RECORD_IN_SCHEMA, f"{request.schema.name}: {iri}: {error}")
        return (
            data if data is not None else SruDiagnosticError(SruFault.RECORD_IN_SCHEMA, f"{request.schema.name}: {iri}")
        )

    def _retrieval(self, version: SruVersion, arguments: Mapping[str, str]) -> Retrieval:
        if "query" not in arguments:
            raise SruDiagnosticError(SruFault.MISSING_PARAMETER, "query")
        if arguments.get("queryType", "cql") != "cql":
            raise SruDiagnosticError(SruFault.QUERY_TYPE, arguments["queryType"])
        if arguments.get("recordXPath"):
            raise SruDiagnosticError(SruFault.XPATH)
        name = arguments.get("recordSchema") or self._limits.default_schema
        schema = find_schema(name)
        if schema is None:
            raise SruDiagnosticError(SruFault.SCHEMA, name)
        source = arguments.get(_SOURCE, "")
        if source and source not in self._sources:
            raise SruDiagnosticError(SruFault.PARAMETER_VALUE, f"{_SOURCE}={source}")
        start = _number(arguments, "startRecord", 1, 1)
        limit = min(_number(arguments, "maximumRecords", _DEFAULT_RECORDS, 0), MAX_RECORDS)
        packing = _packing(version, arguments)
        query = self._cql.read(arguments["query"])
        if query.sort == "relevance" and arguments.get("sortKeys"):
            query = msgspec.structs.replace(query, sort=sort_of_sort_keys(arguments["sortKeys"]))
        echo = [("version", version.number), ("query", arguments["query"]), ("startRecord", str(start))]
        echo += [("maximumRecords", str(limit)), (version.packing, packing), ("recordSchema", name)]
        return Retrieval(version, query, start, limit, schema, packing, source, tuple(echo))

    def _scan(self, version: SruVersion, arguments: Mapping[str, str]) -> ScanRequest:
        if "scanClause" not in arguments:
            raise SruDiagnosticError(SruFault.MISSING_PARAMETER, "scanClause")
        limit = min(_number(arguments, "maximumTerms", _DEFAULT_TERMS, 1), _MAX_TERMS)
        position = _number(arguments, "responsePosition", 1, 0)
        if position > limit + 1:
            raise SruDiagnosticError(SruFault.SCAN_POSITION, str(position))
        return ScanRequest(version, self._cql.read_scan_clause(arguments["scanClause"]), position, limit)


def _operation(arguments: Mapping[str, str]) -> str:
    """Return the operation, which SRU 2.0 does not name: a query or a clause of a scan states it."""
    operation = arguments.get("operation", "")
    if operation and operation not in _PARAMETERS:
        raise SruDiagnosticError(SruFault.OPERATION, operation)
    stated = _SEARCH if "query" in arguments else _SCAN if "scanClause" in arguments else _EXPLAIN
    return operation or stated


def _version(arguments: Mapping[str, str]) -> SruVersion:
    """Return the newest version that is not newer than that of the client (SRU 1.2, version negotiation)."""
    stated = arguments.get("version", "").strip()
    if not stated:
        return VERSIONS["1.2"] if "operation" in arguments else NEWEST
    try:
        wanted = tuple(int(part) for part in stated.split(".")[:2])
    except ValueError as error:
        raise SruDiagnosticError(SruFault.VERSION, NEWEST.number) from error
    known = [number for number in VERSIONS if tuple(map(int, number.split("."))) <= wanted]
    if not known:
        raise SruDiagnosticError(SruFault.VERSION, NEWEST.number)
    return VERSIONS[known[-1]]


def _check_names(operation: str, pairs: Sequence[tuple[str, str]]) -> None:
    names = [name for name, _ in pairs]
    for name in names:
        if name not in _PARAMETERS[operation] and not name.lower().startswith("x-"):
            raise SruDiagnosticError(SruFault.PARAMETER, name)
        if names.count(name) > 1:
            raise SruDiagnosticError(SruFault.PARAMETER_VALUE, f"{name}: is sent more than once")
    if "stylesheet" in names:  # an address of others would run in the name of this site
        raise SruDiagnosticError(SruFault.STYLESHEETS)


def _packing(version: SruVersion, arguments: Mapping[str, str]) -> str:
    if version is NEWEST:
        packing = arguments.get("recordPacking", "packed")
        if packing not in (*_NEWER_PACKINGS, XML_PACKING, STRING_PACKING):
            raise SruDiagnosticError(SruFault.PACKING, packing)
    packing = arguments.get(version.packing) or XML_PACKING
    if packing not in (XML_PACKING, STRING_PACKING):
        raise SruDiagnosticError(SruFault.PACKING, packing)
    return packing


def _number(arguments: Mapping[str, str], name: str, default: int, least: int) -> int:
    text = arguments.get(name, "").strip()
    if not text:
        return default
    if not (text.isascii() and text.isdecimal() and len(text) <= _MAX_DIGITS) or int(text) < least:
        raise SruDiagnosticError(SruFault.PARAMETER_VALUE, f"{name}={text}; a whole number from {least}")
    return int(text)
