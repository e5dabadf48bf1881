"""The SPARQL 1.1 protocol: requests are parsed, results negotiated, errors answered with a status.

No part of a result is sent before all of it is there, so that an answer with status 200 is always complete.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Coroutine, Mapping, Sequence
from urllib.parse import parse_qsl

import msgspec
import pyoxigraph as ox
from starlette.requests import Request
from starlette.responses import Response

from bibld.errors import BadQueryError, NotAcceptableError, QueryTimeoutError, StoreError, StoreUnavailableError
from bibld.model.rdf import PREFIXES
from bibld.protocols import Query
from bibld.serve._graph import triple, with_prefixes_in_order, write
from bibld.serve._http import ProblemError, Representation, accept_of, link_header, respond
from bibld.serve._negotiation import choose
from bibld.serve._pages import Pages, SparqlView, result_view
from bibld.serve._sparql.guard import ForbiddenQueryError, check_query
from bibld.serve._sparql.pool import Answer, Pool, QueryTooLargeError, QueueFullError, TooManyQueriesError
from bibld.serve._vocabulary import Vocabulary

_HTML = "text/html"
_RESULTS_JSON = "application/sparql-results+json"
_TABLES = {
    _RESULTS_JSON: _RESULTS_JSON,
    "application/sparql-results+xml": "application/sparql-results+xml",
    "text/csv": "text/csv",
    "text/tab-separated-values": "text/tab-separated-values",
    "application/json": _RESULTS_JSON,
    "application/xml": "application/sparql-results+xml",
    "text/xml": "application/sparql-results+xml",
    _HTML: _RESULTS_JSON,
}
"""Media types that are answered with, and the format that each is: of tables and booleans …"""

_GRAPHS = {
    "text/turtle": "text/turtle",
    "application/n-triples": "application/n-triples",
    "application/rdf+xml": "application/rdf+xml",
    "application/ld+json": "application/ld+json",
    "application/json": "application/ld+json",
    "text/plain": "application/n-triples",
    _HTML: "text/turtle",
}
"""… and of graphs."""

_DESCRIPTIONS = (_HTML, "text/turtle", "application/n-triples", "application/rdf+xml", "application/ld+json")
_NAMED = {
    "html": (_HTML, _HTML),
    "json": (_RESULTS_JSON, "application/ld+json"),
    "xml": ("application/sparql-results+xml", "application/rdf+xml"),
    "csv": ("text/csv", None),
    "tsv": ("text/tab-separated-values", None),
    "turtle": (None, "text/turtle"),
    "ttl": (None, "text/turtle"),
    "n3": (None, "text/turtle"),
    "ntriples": (None, "application/n-triples"),
    "nt": (None, "application/n-triples"),
    "rdf": (None, "application/rdf+xml"),
    "rdfxml": (None, "application/rdf+xml"),
    "rdf+xml": (None, "application/rdf+xml"),
    "jsonld": (None, "application/ld+json"),
    "json-ld": (None, "application/ld+json"),
}
"""Values of ``format=`` → media types for tables and graphs."""

_LONGEST_QUERY = 256 * 1024
_PAGE_MEBIBYTES = 4
_RETRY_AFTER = "10"
_CLIENT_NETWORK_BITS = 64
"""The part of an IPv6 address that one customer of a network usually has."""
_CLIENT_LEFT = 499
"""Nobody sees it; the name is nginx's."""


class Asked(msgspec.Struct, frozen=True):
    """A parsed request; ``query`` is None if none was sent."""

    query: str | None
    format: str | None = None
    example: str | None = None
    default_graphs: tuple[str, ...] = ()
    named_graphs: tuple[str, ...] = ()


class SparqlEndpoint:
    """Answers requests for ``/sparql``."""

    def __init__(self, pool: Pool, pages: Pages, vocabulary: Vocabulary, base: str, max_result: int) -> None:
        self._pool = pool
        self._pages = pages
        self._vocabulary = vocabulary
        self._base = base
        self._max_result = max_result

    async def answer(self, request: Request) -> Response:
        """Answer one request (SPARQL 1.1 Protocol, 2.1)."""
        asked = await _asked(request)
        accept = accept_of(request)
        if asked.query is None:
            return self._describe(request, asked, accept)
        table, graph = _wanted(asked, accept)
        try:
            return await self._result(request, asked, table, graph)
        except StoreError as error:
            problem = _problem(error)
            if _HTML in (table, graph):
                problem.page = self._pages.sparql(SparqlView(asked.query, fault=problem.detail))
            raise problem from error

    async def _result(self, request: Request, asked: Asked, table: str | None, graph: str | None) -> Response:
        assert asked.query is not None
        checked = await asyncio.to_thread(check_query, asked.query)
        query = Query(
            asked.query,
            self._base,
            not checked.has_dataset,
            asked.default_graphs,
            asked.named_graphs,
            _TABLES[table] if table else None,
            _GRAPHS[graph] if graph else None,
            dict(self._vocabulary.prefixes),
        )
        limit = min(self._max_result, _PAGE_MEBIBYTES) if _HTML in (table, graph) else self._max_result
        result = await _while_connected(request, self._pool.answer(query, limit, client_of(request)))
        media_type = graph if result.kind == "graph" else table
        assert media_type is not None
        body = await asyncio.to_thread(with_prefixes_in_order, result.body, result.media_type)
        if media_type == _HTML:
            body = self._pages.sparql(result_view(asked.query, result.kind, body))
        return respond(request, Representation(body, media_type, (("Cache-Control", "no-cache"),)))

    def _describe(self, request: Request, asked: Asked, accept: str) -> Response:
        """Without a query: the page, or the description of the service (SPARQL 1.1 Service Description)."""
        if request.method == "POST":
            raise ProblemError(400, "No query", "The request has no parameter query.")
        media_type = choose(accept, _DESCRIPTIONS)
        if media_type is None:
            raise ProblemError(406, "Not acceptable", "The description of this service is HTML or RDF.")
        links = (("Link", link_header([("", "describedby", "text/turtle")])),)
        if media_type == _HTML:
            chosen = [each.sparql for each in self._vocabulary.examples if each.name == asked.example]
            page = self._pages.sparql(SparqlView(chosen[0] if chosen else ""))
            return respond(request, Representation(page, media_type, links))
        body = write(self._service(), media_type, self._vocabulary.prefixes, self._vocabulary.context)
        return respond(request, Representation(body, media_type, links))

    def _service(self) -> list[ox.Triple]:
        service = f"{self._base}sparql"
        sd = PREFIXES["sd"]
        formats = "http://www.w3.org/ns/formats/"
        triples = [
            triple(service, "rdf:type", sd + "Service"),
            triple(service, "sd:endpoint", service),
            triple(service, "sd:supportedLanguage", sd + "SPARQL11Query"),
            triple(service, "sd:feature", sd + "UnionDefaultGraph"),
            triple(service, "sd:defaultDataset", f"{self._base}dataset"),
            triple(f"{self._base}dataset", "rdf:type", sd + "Dataset"),
        ]
        for name in ("SPARQL_Results_JSON", "SPARQL_Results_XML", "SPARQL_Results_CSV", "SPARQL_Results_TSV"):
            triples.append(triple(service, "sd:resultFormat", formats + name))
        for name in ("Turtle", "N-Triples", "RDF_XML", "JSON-LD"):
            triples.append(triple(service, "sd:resultFormat", formats + name))
        return triples


async def _while_connected(request: Request, answering: Coroutine[None, None, Answer]) -> Answer:
    """Wait for the answer; the query is cancelled when the client leaves before."""
    asking = asyncio.create_task(answering)
    leaving = asyncio.create_task(_left(request))
    try:
        await asyncio.wait((asking, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not asking.done():
            raise ProblemError(_CLIENT_LEFT, "Client left", "The client closed the connection before the answer.")
        return asking.result()
    finally:
        asking.cancel()
        leaving.cancel()
        await asyncio.gather(asking, leaving, return_exceptions=True)


async def _left(request: Request) -> None:
    """Return when the client has left."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _asked(request: Request) -> Asked:
    parameters = _parameters(request.url.query)
    if request.method == "POST":
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        body = await _body(request)
        if kind == "application/sparql-query":
            if any(name == "query" for name, _ in parameters):
                raise ProblemError(400, "Two queries", "The query is in the body; remove the one in the address.")
            parameters.append(("query", _text(body)))
        elif kind == "application/x-www-form-urlencoded":
            parameters = _parameters(_text(body)) + [pair for pair in parameters if pair[0] != "query"]
        elif kind == "application/sparql-update":
            raise ProblemError(403, "Forbidden", "This endpoint answers queries; it refuses updates.")
        else:
            raise ProblemError(
                415,
                "Unsupported media type",
                "A query is posted as application/sparql-query or application/x-www-form-urlencoded.",
                {"Accept-Post": "application/sparql-query, application/x-www-form-urlencoded"},
            )
    return _from_parameters(parameters)


def _from_parameters(parameters: Sequence[tuple[str, str]]) -> Asked:
    values: dict[str, list[str]] = {}
    for name, value in parameters:
        values.setdefault(name, []).append(value)
    if "update" in values:
        raise ProblemError(403, "Forbidden", "This endpoint answers queries; it refuses updates.")
    queries = values.get("query", [])
    if len(queries) > 1:
        raise ProblemError(400, "More than one query", "The request has more than one parameter query.")
    if queries and len(queries[0]) > _LONGEST_QUERY:
        raise ProblemError(413, "Query too long", f"A query may have {_LONGEST_QUERY:,} characters.")
    return Asked(
        queries[0] if queries else None,
        values.get("format", [None])[0] or None,
        values.get("example", [None])[0],
        tuple(values.get("default-graph-uri", ())),
        tuple(values.get("named-graph-uri", ())),
    )


def _parameters(text: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=1000)
    except ValueError as error:
        raise ProblemError(400, "Not UTF-8", "The parameters of the request are not UTF-8, or too many.") from error


def _text(body: bytes) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        raise ProblemError(400, "Not UTF-8", f"The body of the request is not UTF-8 at byte {error.start}.") from error


async def _body(request: Request) -> bytes:
    taken = bytearray()
    async for piece in request.stream():
        taken += piece
        if len(taken) > 4 * _LONGEST_QUERY:
            raise ProblemError(413, "Query too long", f"A query may have {_LONGEST_QUERY:,} characters.")
    return bytes(taken)


def _wanted(asked: Asked, accept: str) -> tuple[str | None, str | None]:
    """Return the media types to answer with: for a table or boolean, and for a graph."""
    if asked.format is None:
        return choose(accept, tuple(_TABLES)), choose(accept, tuple(_GRAPHS))
    name = asked.format.strip().lower()
    if name in _NAMED:
        return _NAMED[name]
    table = name if name in _TABLES else None
    graph = name if name in _GRAPHS else None
    if table is None and graph is None:
        raise ProblemError(400, "Unknown format", f"format= is one of {', '.join(_NAMED)}, or a media type.")
    return table, graph


def _problem(error: StoreError) -> ProblemError:
    detail = str(error)
    match error:
        case ForbiddenQueryError():
            return ProblemError(403, "Forbidden", detail)
        case QueryTooLargeError():
            return ProblemError(400, "Query too large", detail)
        case BadQueryError():
            return ProblemError(400, "Bad query", detail)
        case NotAcceptableError():
            offers: Mapping[str, str] = _GRAPHS if detail == "graph" else _TABLES
            text = f"The result of this query is a {detail}; it comes as {', '.join(offers)}."
            return ProblemError(406, "Not acceptable", text)
        case QueryTimeoutError():
            return ProblemError(503, "Query took too long", detail, {"Retry-After": _RETRY_AFTER})
        case TooManyQueriesError():
            return ProblemError(429, "Too many queries", detail, {"Retry-After": _RETRY_AFTER})
        case QueueFullError():
            return ProblemError(503, "Busy", detail, {"Retry-After": _RETRY_AFTER})
        case StoreUnavailableError():
            return ProblemError(503, "Unavailable", detail, {"Retry-After": _RETRY_AFTER})
        case _:
            raise error


def client_of(request: Request) -> str:
    """Return the address of the client, of IPv6 its network; queries are counted by it.

    Behind a proxy on this machine it is the last address of ``X-Forwarded-For``, which the proxy added; the client can
    write anything before it.
    """
    peer = _address(request.client.host if request.client is not None else "")
    if peer is None or not peer.is_loopback:
        return _name(peer)
    forwarded = ",".join(request.headers.getlist("x-forwarded-for")).rpartition(",")[2]
    return _name(_address(forwarded.strip()) or peer)


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _name(address: ipaddress.IPv4Address | ipaddress.IPv6Address | None) -> str:
    if isinstance(address, ipaddress.IPv6Address) and not address.is_loopback:
        return str(ipaddress.IPv6Network((address.packed, _CLIENT_NETWORK_BITS), strict=False))
    return str(address)
