"""The SPARQL 1.1 protocol: results are negotiated, errors answered with a status.

No part of a result is sent before all of it is there, so that an answer with status 200 is always complete.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from functools import lru_cache, partial

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from bibld.errors import BadQueryError, NotAcceptableError, QueryTimeoutError, StoreError, StoreUnavailableError
from bibld.protocols import Query
from bibld.serve._graph import with_prefixes_in_order, write
from bibld.serve._http import (
    CACHE,
    ProblemError,
    Representation,
    accept_of,
    language_headers,
    language_of,
    link_header,
    respond,
)
from bibld.serve._language import Language, language_named, message
from bibld.serve._negotiation import choose
from bibld.serve._pages import PagesByLanguage, SparqlView, result_view
from bibld.serve._sparql.cache import Key, ResultCache, Served
from bibld.serve._sparql.clients import client_of, while_connected
from bibld.serve._sparql.description import DEFAULT_SIZE, GRAPH_NAMES, GRAPH_SIZES, Sizes, describe_service
from bibld.serve._sparql.guard import CheckedQuery, ForbiddenQueryError, check_query
from bibld.serve._sparql.lookups import Lookups
from bibld.serve._sparql.pool import (
    Answer,
    Pool,
    QueryMemoryError,
    QueueFullError,
    ResultTooLargeError,
    TooManyQueriesError,
)
from bibld.serve._sparql.reasons import to_message
from bibld.serve._sparql.requests import GRAPHS, HTML, RESULTS_JSON, TABLES, Asked, read_request, wanted_types
from bibld.serve._vocabulary import Vocabulary

_DESCRIPTIONS = (HTML, "text/turtle", "application/n-triples", "application/rdf+xml", "application/ld+json")
_PAGE_MEBIBYTES = 4
_MEBIBYTE = 1 << 20
_RETRY_AFTER = "10"
_SHORT = 8192
"""Characters; a longer query is checked in a thread, so that it does not delay other requests."""

_CHECKED = 512
"""Checks of short queries that are remembered."""

_COUNTING_SECONDS = 3.0
"""How long the description of the service waits for the sizes of the graphs."""

_OWN_QUERIES = "description of the service"
"""The name of the client whose queries count the graphs."""


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


class SparqlEndpoint:
    """Answers requests for ``/sparql``."""

    def __init__(self, pool: Pool, pages: PagesByLanguage, endpoint: Endpoint) -> None:
        self._pool = pool
        self._pages = pages
        self._endpoint = endpoint
        self._vocabulary = endpoint.vocabulary
        self._base = endpoint.base
        self._prefixes = dict(endpoint.prefixes)
        self._max_result = endpoint.max_result
        self._cache = ResultCache(endpoint.cache * _MEBIBYTE)
        self._check_short = lru_cache(maxsize=_CHECKED)(check_query)
        self._counting: asyncio.Task[Sizes] | None = None

    async def answer(self, request: Request) -> Response:
        """Answer one request (SPARQL 1.1 Protocol, 2.1)."""
        asked = await read_request(request)
        accept = accept_of(request)
        if asked.query is None:
            return await self._describe(request, asked, accept)
        table, graph = wanted_types(asked, accept)
        try:
            return await self._result(request, asked, table, graph)
        except StoreError as error:
            raise self._problem(request, asked.query, error, HTML in (table, graph)) from error

    async def close(self) -> None:
        """End what still counts."""
        if self._counting is not None:
            self._counting.cancel()
            await asyncio.wait((self._counting,))

    async def _check(self, text: str) -> CheckedQuery:
        return self._check_short(text) if len(text) <= _SHORT else await asyncio.to_thread(check_query, text)

    def _query(self, asked: Asked, checked: CheckedQuery, table: str | None, graph: str | None) -> Query:
        assert asked.query is not None
        return Query(
            asked.query,
            self._base,
            not checked.has_dataset,
            asked.default_graphs,
            asked.named_graphs,
            TABLES[table] if table else None,
            GRAPHS[graph] if graph else None,
            self._prefixes,
        )

    async def _result(self, request: Request, asked: Asked, table: str | None, graph: str | None) -> Response:
        assert asked.query is not None
        limit = min(self._max_result, _PAGE_MEBIBYTES) if HTML in (table, graph) else self._max_result
        served = self._look_up(asked, table, limit)
        if served is None:
            checked = await self._check(asked.query)
            query = self._query(asked, checked, table, graph)
            key = _key(query, checked, limit) if checked.is_repeatable else None
            ask = partial(self._evaluate, query, limit, request)
            served = await self._cache.answer(key, ask, partial(while_connected, request))
        if served.origin in ("hit", "miss", "collapsed"):
            request.scope[CACHE] = served.origin != "miss"
        result = served.answer
        media_type = graph if result.kind == "graph" else table
        assert media_type is not None
        body = result.body
        if media_type == HTML:
            pages = self._pages[language_of(request)]
            body = await asyncio.to_thread(pages.sparql, result_view(asked.query, result.kind, body))
        headers = [("Cache-Control", "no-cache"), ("Cache-Status", served.cache_status)]
        if media_type == HTML:
            headers += language_headers(language_of(request))
        if served.age:
            headers.append(("Age", str(served.age)))
        return respond(request, Representation(body, media_type, tuple(headers)))

    def _look_up(self, asked: Asked, table: str | None, limit: int) -> Served | None:
        """Answer from the prepared documents; None where a worker has to answer."""
        lookups = self._endpoint.lookups
        if lookups is None or asked.query is None or asked.default_graphs or asked.named_graphs:
            return None
        if table is None or TABLES[table] != RESULTS_JSON:
            return None
        answer = lookups.answer(asked.query, limit * _MEBIBYTE)
        return None if answer is None else Served(answer, "prepared")

    async def _evaluate(self, query: Query, limit: int, request: Request) -> Answer:
        answer = await self._pool.answer(query, limit, client_of(request))
        if answer.kind != "graph":
            return answer
        body = await asyncio.to_thread(with_prefixes_in_order, answer.body, answer.media_type)
        return msgspec.structs.replace(answer, body=body)

    def _page(self, request: Request, view: SparqlView, *headers: tuple[str, str]) -> Response:
        tag = language_of(request)
        headers = (*language_headers(tag), *headers)
        return respond(request, Representation(self._pages[tag].sparql(view), HTML, headers))

    async def _describe(self, request: Request, asked: Asked, accept: str) -> Response:
        """Without a query: the page, or the description of the service (SPARQL 1.1 Service Description)."""
        if request.method == "POST":
            raise ProblemError(400, message("No query"), message("The request has no parameter query."))
        media_type = choose(accept, _DESCRIPTIONS)
        if media_type is None:
            raise ProblemError(
                406, message("Not acceptable"), message("The description of this service is HTML or RDF.")
            )
        links = (("Link", link_header([("", "describedby", "text/turtle")])),)
        if media_type == HTML:
            chosen = [each.sparql for each in self._vocabulary.examples if each.name == asked.example]
            return self._page(request, SparqlView(chosen[0] if chosen else ""), *links)
        triples = describe_service(self._base, await self._sizes())
        body = write(triples, media_type, self._vocabulary.prefixes, self._vocabulary.context)
        return respond(request, Representation(body, media_type, links))

    async def _sizes(self) -> Sizes:
        """Return the sizes of the graphs, as far as they are counted; they are counted once for a release."""
        if self._counting is None:
            self._counting = asyncio.create_task(self._count_graphs())
        await asyncio.wait((self._counting,), timeout=_COUNTING_SECONDS)
        if not self._counting.done():
            return Sizes()
        sizes = self._counting.result()
        if not sizes.named:  # the query had no place, or too little time: the next request tries again
            self._counting = None
        return sizes

    async def _count_graphs(self) -> Sizes:
        names = [row["g"] for row in await self._rows(GRAPH_NAMES)]
        counts = {row["g"]: int(row["n"]) for row in await self._rows(GRAPH_SIZES)}
        default = [int(row["n"]) for row in await self._rows(DEFAULT_SIZE)]
        return Sizes(default[0] if default else None, {name: counts.get(name) for name in sorted(names)})

    async def _rows(self, text: str) -> list[dict[str, str]]:
        """Return the rows of a query about the graphs; none where it takes too much."""
        query = Query(text, self._base, union=False)
        try:
            answer = await self._pool.answer(query, self._max_result, _OWN_QUERIES)
        except StoreError:
            return []
        bindings = json.loads(answer.body)["results"]["bindings"]
        return [{name: cell["value"] for name, cell in row.items()} for row in bindings]

    def _problem(self, request: Request, query: str, error: StoreError, is_page: bool) -> ProblemError:
        problem = _problem(error)
        if is_page:
            tag = language_of(request)
            problem.page = self._pages[tag].sparql(_faulty(query, problem, language_named(tag)))
        return problem


def _faulty(query: str, problem: ProblemError, language: Language) -> SparqlView:
    """Return the page of a query with an error, and its place if it is known."""
    line, column = problem.members.get("line", 0), problem.members.get("column", 0)
    assert isinstance(line, int) and isinstance(column, int)  # of BadQueryError
    return SparqlView(query, fault=language.text(problem.detail), line=line, column=column)


def _key(query: Query, checked: CheckedQuery, limit: int) -> Key:
    dataset = ("", *query.default_graphs, "", *query.named_graphs)
    return (checked.normal, query.table or "", query.graph or "", str(limit), *dataset)


def _problem(error: StoreError) -> ProblemError:
    detail = to_message(str(error))
    retry = {"Retry-After": _RETRY_AFTER}
    match error:
        case ForbiddenQueryError():
            problem = ProblemError(403, message("Forbidden"), detail)
        case QueryMemoryError():
            problem = ProblemError(503, message("Query needs too much memory"), detail, retry)
        case ResultTooLargeError():
            problem = ProblemError(422, message("Result too large"), detail)
        case BadQueryError():
            problem = ProblemError(400, message("Bad query"), detail)
        case NotAcceptableError():
            offers: Mapping[str, str] = GRAPHS if detail == "graph" else TABLES
            formats = ", ".join(offers)
            if detail == "graph":
                text = message("The result of this query is a graph; it comes as %(formats)s.", formats=formats)
            else:
                text = message("The result of this query is a table; it comes as %(formats)s.", formats=formats)
            problem = ProblemError(406, message("Not acceptable"), text)
        case QueryTimeoutError():
            problem = ProblemError(503, message("Query took too long"), detail, retry)
        case TooManyQueriesError():
            problem = ProblemError(429, message("Too many queries"), detail, retry)
        case QueueFullError():
            problem = ProblemError(503, message("Busy"), detail, retry)
        case StoreUnavailableError():
            problem = ProblemError(503, message("Unavailable"), detail, retry)
        case _:
            raise error
    if isinstance(error, BadQueryError) and error.line:
        problem.members = {"line": error.line, "column": error.column}
    return problem
