"""The SPARQL 1.1 protocol: results are negotiated, errors answered with a status.

No part of a result is sent before all of it is there, so that an answer with status 200 is always complete. Without a
query the endpoint describes itself (SPARQL 1.1 Service Description), with its graphs and their sizes.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from functools import lru_cache, partial
from typing import Any

import msgspec
import pyoxigraph as ox
from starlette.requests import Request
from starlette.responses import Response

from bibld.errors import StoreError
from bibld.model.rdf import PREFIXES, XSD
from bibld.protocols import Query
from bibld.serve._graph import triple, with_prefixes_in_order, write
from bibld.serve._guarding.slots import QueueFullError, TooManyQueriesError
from bibld.serve._http import (
    CACHE,
    ByteCache,
    ProblemError,
    Representation,
    accept_of,
    language_headers,
    language_of,
    link_header,
    respond,
    wait_while_connected,
)
from bibld.serve._language import language_named, message
from bibld.serve._negotiation import choose
from bibld.serve._pages import PagesByLanguage, SparqlView, result_view
from bibld.serve._sparql.guard import check_query
from bibld.serve._sparql.lookups import Lookups
from bibld.serve._sparql.pool import Pool, QueryResult
from bibld.serve._sparql.problems import to_problem
from bibld.serve._sparql.requests import GRAPHS, HTML, RESULTS_JSON, TABLES, SparqlRequest, read_request, wanted_types
from bibld.serve.ontology import Vocabulary

Key = tuple[str, ...]
Ask = Callable[[], Coroutine[Any, Any, QueryResult]]
Wait = Callable[[asyncio.Task[QueryResult]], Awaitable[None]]

_OVERHEAD = 500
"""Bytes of an entry beside key and body, roughly."""

HIT, PREPARED, COLLAPSED = "bibld; hit", "bibld; hit; detail=prepared", "bibld; fwd=miss; collapsed"
MISS, BYPASS = "bibld; fwd=uri-miss", "bibld; fwd=bypass"
"""Where a result comes from, as values of the header Cache-Status (RFC 9211)."""


class ServedResult(msgspec.Struct, frozen=True):
    """A result, its ``Cache-Status``, and its age in seconds."""

    result: QueryResult
    cache_status: str
    age: int = 0


class _RunningQuery:
    """A query that is being answered, and how many clients wait for it."""

    def __init__(self, task: asyncio.Task[QueryResult]) -> None:
        self.task = task
        self.waiting = 0


class ResultCache:
    """Remembers results by key, up to a number of bytes; the one that was not used for the longest time is dropped."""

    def __init__(self, limit: int) -> None:
        self._results: ByteCache[tuple[QueryResult, float]] = ByteCache(limit)
        self._running: dict[Key, _RunningQuery] = {}

    async def answer(self, key: Key | None, ask: Ask, wait: Wait) -> ServedResult:
        """Return the remembered result, wait for an equal query that runs, or ask. Without a key it is always asked.

        ``wait`` waits until a task is done, or raises; the query is cancelled when nobody waits for it any more.
        """
        found = self._results.get(key) if key is not None else None
        if found is not None:
            return ServedResult(found[0], HIT, int(time.monotonic() - found[1]))
        running = self._running.get(key) if key is not None else None
        if running is not None:
            try:
                return ServedResult(await self._wait(key, running, wait), COLLAPSED)
            except (QueueFullError, TooManyQueriesError):
                key = None  # the other client had no slot, this one may have
        running = _RunningQuery(asyncio.ensure_future(ask()))
        if key is None:
            return ServedResult(await self._wait(None, running, wait), BYPASS)
        self._running[key] = running
        result = await self._wait(key, running, wait)
        self._results.put(key, (result, time.monotonic()), 4 * sum(map(len, key)) + len(result.body) + _OVERHEAD)
        return ServedResult(result, MISS)

    async def _wait(self, key: Key | None, running: _RunningQuery, wait: Wait) -> QueryResult:
        running.waiting += 1
        try:
            await wait(running.task)
            return running.task.result()
        finally:
            running.waiting -= 1
            if not running.waiting:  # nobody joins it from here on
                if key is not None and self._running.get(key) is running:
                    del self._running[key]
                if not running.task.done():
                    running.task.cancel()
                    await asyncio.wait((running.task,))


_DESCRIPTIONS = (HTML, "text/turtle", "application/n-triples", "application/rdf+xml", "application/ld+json")
_PAGE_MEBIBYTES = 4
_MEBIBYTE = 1 << 20
_SHORT = 8192
"""Characters; a longer query is checked in a thread, so that it does not delay other requests."""

_CHECKED = 512
"""Checks of short queries that are remembered."""

_COUNTING_SECONDS = 3.0
"""How long the description of the service waits for the sizes of the graphs."""

_OWN_QUERIES = "description of the service"
"""The name of the client whose queries count the graphs."""


_GRAPH_NAMES = "SELECT ?g { GRAPH ?g {} }"
_GRAPH_SIZES = "SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g"
_DEFAULT_SIZE = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"
"""Queries for the named graphs, their sizes, and the size of the default graph (without ``union``)."""

_FORMATS = "http://www.w3.org/ns/formats/"
_RESULT_FORMATS = (
    *("SPARQL_Results_JSON", "SPARQL_Results_XML", "SPARQL_Results_CSV", "SPARQL_Results_TSV"),
    *("Turtle", "N-Triples", "RDF_XML", "JSON-LD"),
)


class Endpoint(msgspec.Struct, frozen=True):
    """What an endpoint is configured with.

    ``prefixes`` need no declaration; ``max_result`` and ``cache`` are MiB, of one result and of all that are
    remembered; ``lookups`` answers the simplest queries from prepared documents.
    """

    vocabulary: Vocabulary
    base: str
    prefixes: Mapping[str, str]
    max_result: int
    cache: int
    lookups: Lookups | None = None


class GraphSizes(msgspec.Struct, frozen=True):
    """The triples of the default graph and of each named graph; None where they are not known."""

    default: int | None = None
    named: Mapping[str, int | None] = {}


class SparqlEndpoint:
    """Answers requests for ``/sparql``."""

    def __init__(self, pool: Pool, pages: PagesByLanguage, endpoint: Endpoint) -> None:
        self._pool = pool
        self._pages = pages
        self._endpoint = endpoint
        self._cache = ResultCache(endpoint.cache * _MEBIBYTE)
        self._check_short = lru_cache(maxsize=_CHECKED)(check_query)
        self._counting: asyncio.Task[GraphSizes] | None = None

    async def answer(self, request: Request) -> Response:
        """Answer one request (SPARQL 1.1 Protocol, 2.1)."""
        sent = await read_request(request)
        accept = accept_of(request)
        if sent.query is None:
            return await self._describe(request, sent, accept)
        table, graph = wanted_types(sent.format, accept)
        try:
            return await self._result(request, sent, sent.query, table, graph)
        except StoreError as error:
            problem = to_problem(error)
            if HTML in (table, graph):
                tag = language_of(request)
                line, column = problem.members.get("line", 0), problem.members.get("column", 0)
                assert isinstance(line, int) and isinstance(column, int)  # of BadQueryError
                detail = language_named(tag).text(problem.detail)
                problem.page = self._pages[tag].sparql(SparqlView(sent.query, fault=detail, line=line, column=column))
            raise problem from error

    async def close(self) -> None:
        """End what still counts."""
        if self._counting is not None:
            self._counting.cancel()
            await asyncio.wait((self._counting,))

    # -- results

    async def _result(
        self, request: Request, sent: SparqlRequest, text: str, table: str | None, graph: str | None
    ) -> Response:
        limit = self._endpoint.max_result
        if HTML in (table, graph):
            limit = min(limit, _PAGE_MEBIBYTES)
        served = self._look_up(sent, text, table, limit)
        if served is None:
            checked = self._check_short(text) if len(text) <= _SHORT else await asyncio.to_thread(check_query, text)
            datasets = (not checked.has_dataset, sent.default_graphs, sent.named_graphs)
            forms = (TABLES[table] if table else None, GRAPHS[graph] if graph else None)
            query = Query(text, self._endpoint.base, *datasets, *forms, dict(self._endpoint.prefixes))
            dataset = ("", *query.default_graphs, "", *query.named_graphs)
            key = (checked.normal, query.table or "", query.graph or "", str(limit), *dataset)
            ask = partial(self._evaluate, query, limit, request)
            wait = partial(wait_while_connected, request)
            served = await self._cache.answer(key if checked.is_repeatable else None, ask, wait)
        if served.cache_status in (HIT, MISS, COLLAPSED):
            request.scope[CACHE] = served.cache_status != MISS
        result = served.result
        media_type = graph if result.kind == "graph" else table
        assert media_type is not None
        headers = [("Cache-Control", "no-cache"), ("Cache-Status", served.cache_status)]
        body = result.body
        if media_type == HTML:
            tag = language_of(request)
            body = await asyncio.to_thread(self._pages[tag].sparql, result_view(text, result.kind, body))
            headers += language_headers(tag)
        if served.age:
            headers.append(("Age", str(served.age)))
        return respond(request, Representation(body, media_type, tuple(headers)))

    def _look_up(self, sent: SparqlRequest, text: str, table: str | None, limit: int) -> ServedResult | None:
        """Answer from the prepared documents; None where a worker has to answer."""
        lookups = self._endpoint.lookups
        is_for_default = not sent.default_graphs and not sent.named_graphs
        if lookups is None or not is_for_default or table is None or TABLES[table] != RESULTS_JSON:
            return None
        result = lookups.answer(text, limit * _MEBIBYTE)
        return None if result is None else ServedResult(result, PREPARED)

    async def _evaluate(self, query: Query, limit: int, request: Request) -> QueryResult:
        # Queries are counted by the client that the guard of the site has found.
        result = await self._pool.answer(query, limit, request.scope.get("bibld.client", "unknown"))
        if result.kind != "graph":
            return result
        body = await asyncio.to_thread(with_prefixes_in_order, result.body, result.media_type)
        return msgspec.structs.replace(result, body=body)

    # -- the service

    async def _describe(self, request: Request, sent: SparqlRequest, accept: str) -> Response:
        if request.method == "POST":
            raise ProblemError(400, message("No query"), message("The request has no parameter query."))
        media_type = choose(accept, _DESCRIPTIONS)
        if media_type is None:
            raise ProblemError(
                406, message("Not acceptable"), message("The description of this service is HTML or RDF.")
            )
        vocabulary = self._endpoint.vocabulary
        links = ("Link", link_header([("", "describedby", "text/turtle")]))
        if media_type == HTML:
            tag = language_of(request)
            example = next((each.sparql for each in vocabulary.examples if each.name == sent.example), "")
            page = self._pages[tag].sparql(SparqlView(example))
            return respond(request, Representation(page, HTML, (*language_headers(tag), links)))
        triples = describe_service(self._endpoint.base, await self._sizes())
        body = write(triples, media_type, vocabulary.prefixes, vocabulary.context)
        return respond(request, Representation(body, media_type, (links,)))

    async def _sizes(self) -> GraphSizes:
        """Return the sizes of the graphs, as far as they are counted; they are counted once for a release."""
        if self._counting is None:
            self._counting = asyncio.create_task(self._count_graphs())
        await asyncio.wait((self._counting,), timeout=_COUNTING_SECONDS)
        if not self._counting.done():
            return GraphSizes()
        sizes = self._counting.result()
        if not sizes.named:  # the query had no slot, or too little time: the next request tries again
            self._counting = None
        return sizes

    async def _count_graphs(self) -> GraphSizes:
        names = [row["g"] for row in await self._rows(_GRAPH_NAMES)]
        counts = {row["g"]: int(row["n"]) for row in await self._rows(_GRAPH_SIZES)}
        default = [int(row["n"]) for row in await self._rows(_DEFAULT_SIZE)]
        return GraphSizes(default[0] if default else None, {name: counts.get(name) for name in sorted(names)})

    async def _rows(self, text: str) -> list[dict[str, str]]:
        """Return the rows of a query about the graphs; none where it takes too much."""
        query = Query(text, self._endpoint.base, union=False)
        try:
            result = await self._pool.answer(query, self._endpoint.max_result, _OWN_QUERIES)
        except StoreError:
            return []
        bindings = json.loads(result.body)["results"]["bindings"]
        return [{name: cell["value"] for name, cell in row.items()} for row in bindings]


def describe_service(base: str, sizes: GraphSizes) -> list[ox.Triple]:
    """Return the triples about the endpoint of a site. There are no extension functions, so none is named."""
    service = f"{base}sparql"
    dataset = f"{base}dataset"
    default = f"{service}#default-graph"
    sd = PREFIXES["sd"]
    triples = [
        triple(service, "rdf:type", sd + "Service"),
        triple(service, "sd:endpoint", service),
        triple(service, "sd:supportedLanguage", sd + "SPARQL11Query"),
        triple(service, "sd:feature", sd + "UnionDefaultGraph"),
        triple(service, "sd:defaultDataset", dataset),
        triple(dataset, "rdf:type", sd + "Dataset"),
        triple(dataset, "sd:defaultGraph", default),
        triple(default, "rdf:type", sd + "Graph"),
        *_size(default, sizes.default),
    ]
    triples += [triple(service, "sd:resultFormat", _FORMATS + name) for name in _RESULT_FORMATS]
    for name, size in sizes.named.items():
        graph = name if name.startswith(base) else f"{service}#{len(triples)}"
        named = f"{service}#graph-{graph.removeprefix(base).removeprefix('graph/')}"
        triples += [
            triple(dataset, "sd:namedGraph", named),
            triple(named, "rdf:type", sd + "NamedGraph"),
            triple(named, "sd:name", name),
            triple(named, "sd:graph", name),
            triple(name, "rdf:type", sd + "Graph"),
            *_size(name, size),
        ]
    return triples


def _size(graph: str, size: int | None) -> list[ox.Triple]:
    if size is None:
        return []
    return [triple(graph, "void:triples", ox.Literal(str(size), datatype=ox.NamedNode(f"{XSD}integer")))]
