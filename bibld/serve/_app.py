"""The application: documents that cost little are answered first, all else by its routes; and the answers to errors."""

from __future__ import annotations

import logging
from functools import partial
from typing import NamedTuple

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from bibld.errors import QueryTimeoutError, StoreUnavailableError
from bibld.serve._addresses import Addresses
from bibld.serve._charts import Reports, ThingCharts
from bibld.serve._documents import Documents
from bibld.serve._files import Files
from bibld.serve._http import (
    CACHE,
    TRIED,
    VARY,
    Endpoint,
    HeadersMiddleware,
    PlainRequest,
    PlainResponse,
    ProblemError,
    problem_response,
)
from bibld.serve._interfaces import Interfaces
from bibld.serve._language import message
from bibld.serve._matching.site import MatchSite
from bibld.serve._pages import Pages, PagesByLanguage
from bibld.serve._review.site import ReviewSite
from bibld.serve._search import SearchSite
from bibld.serve._sparql.protocol import SparqlEndpoint

_REQUEST_HEADERS = (
    "Accept, Accept-Language, Authorization, Cache-Control, Content-Type, If-Modified-Since, If-None-Match, Pragma, "
    "Range, User-Agent, X-Requested-With"
)
_LOG = logging.getLogger("bibld.serve")
_RETRY_AFTER = "60"
_TITLES = {404: message("Not found"), 405: message("Method not allowed")}


class Parts(NamedTuple):
    """What answers requests; made by ``bibld.serve.site``."""

    addresses: Addresses
    documents: Documents
    files: Files
    pages: PagesByLanguage
    sparql: SparqlEndpoint
    interfaces: Interfaces
    search: SearchSite
    charts: ThingCharts
    review: ReviewSite | None = None
    matching: MatchSite | None = None


def build(parts: Parts) -> Front:
    """Return the application of one release."""

    async def to_first_page(request: Request) -> Response:
        return RedirectResponse(parts.addresses.mount, status_code=307)

    async def on_problem(request: Request, error: Exception) -> Response:
        """Turn any error into an answer."""
        if isinstance(error, ProblemError):
            return problem_response(request, error, lambda tag: parts.pages[tag].problem(error), VARY)
        if isinstance(error, HTTPException):
            title = _TITLES.get(error.status_code, error.detail)
            detail = error.detail
            if error.status_code == 405:
                detail = message("%(method)s is not possible here.", method=request.method)
            problem = ProblemError(error.status_code, title, detail, dict(error.headers or {}))
        elif isinstance(error, StoreUnavailableError | QueryTimeoutError):
            _LOG.error("%s %s: %s", request.method, request.scope["path"], error)
            detail = message("The triple store does not answer; try again in a minute.")
            problem = ProblemError(503, message("Unavailable"), detail, {"Retry-After": _RETRY_AFTER})
        else:
            _LOG.error("%s %s failed", request.method, request.scope["path"], exc_info=error)
            detail = message("The server failed at this request; its log contains the cause.")
            problem = ProblemError(500, message("Internal error"), detail)
        return problem_response(request, problem, lambda tag: parts.pages[tag].problem(problem), VARY)

    files = parts.files
    reports = Reports(parts.addresses, parts.documents, parts.pages)
    mount = parts.addresses.route
    routes = [
        _route("/robots.txt", files.robots),
        _route("/favicon.ico", files.icon),
        _route("/.well-known/void", files.void),
        _route(mount, partial(parts.documents.page, name="", make=Pages.home)),
        _route(f"{mount}about", partial(parts.documents.page, name="about", make=Pages.about)),
        _route(f"{mount}sparql", parts.sparql.answer, "GET", "POST"),
        _route(f"{mount}report/{{name}}", reports.page),
        _route(f"{mount}source/{{name}}", reports.source),
        _route(f"{mount}picture/{{name}}/{{folder}}/{{rest:path}}.svg", parts.charts.picture),
        _route(f"{mount}picture/{{name:path}}.svg", reports.picture),
        _route(f"{mount}neighbourhood/{{path:path}}.svg", parts.charts.neighbourhood_picture),
        _route(f"{mount}neighbourhood/{{path:path}}", parts.charts.neighbourhood),
        _route(f"{mount}dumps/{{name:path}}", files.dump),
        _route(f"{mount}dcat.ttl", files.dcat),
        _route(f"{mount}sitemap{{rest}}", files.sitemap),
        _route(f"{mount}static/{{name:path}}", files.static),
        *(_route(f"{mount}{path}", endpoint, *methods) for path, endpoint, methods in parts.interfaces.routes()),
        *(_route(f"{mount}{path}", endpoint, *methods) for path, endpoint, methods in parts.search.routes()),
        *([_route(f"{mount}review", parts.review.answer, "GET", "POST")] if parts.review is not None else []),
        *([_route(f"{mount}match", parts.matching.answer, "GET", "POST")] if parts.matching is not None else []),
        _route(f"{mount}{{path:path}}", parts.documents.answer),
    ]
    if mount != "/":
        routes = [_route("/", to_first_page), _route(mount.rstrip("/") or "/", to_first_page), *routes]
    app = Starlette(
        routes=routes,
        middleware=[Middleware(HeadersMiddleware)],
        exception_handlers={ProblemError: on_problem, HTTPException: on_problem, Exception: on_problem},
    )
    app.router.redirect_slashes = False  # it would write the host that the client sent into the location
    return Front(parts.documents, mount, app)


def _route(path: str, endpoint: Endpoint, *methods: str) -> Route:
    allowed = sorted({*(methods or ("GET",)), "HEAD", "OPTIONS"})

    async def answer(request: Request) -> Response:
        if request.method == "OPTIONS":
            headers = {
                "Allow": ", ".join(allowed),
                "Access-Control-Allow-Methods": ", ".join(allowed),
                "Access-Control-Allow-Headers": _REQUEST_HEADERS,
                "Access-Control-Max-Age": "86400",
            }
            return Response(status_code=204, headers=headers)
        return await endpoint(request)

    return Route(path, answer, methods=allowed)


class Front:
    """An ASGI application: the documents whose paths begin with ``mount``, and ``app`` for all else."""

    def __init__(self, documents: Documents, mount: str, app: ASGIApp) -> None:
        self._documents = documents
        self._mount = mount
        self._app = app

    def prepared(self, scope: Scope) -> PlainResponse | None:
        """Return the answer to a request for a document that costs little; None for all others. Any thread may ask."""
        scope[TRIED] = True
        if scope["method"] not in ("GET", "HEAD") or not scope["path"].startswith(self._mount):
            return None
        try:
            request = PlainRequest.from_scope(scope, self._mount)
            response = self._documents.prepared(request)
        except Exception as error:  # noqa: BLE001 - the application meets the same error, and answers with it
            _LOG.debug("%s: %s", scope["path"], error)
            return None
        if response is not None and request.is_cached is not None:
            scope[CACHE] = request.is_cached
        return response

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and TRIED not in scope:
            response = self.prepared(scope)
            if response is not None:
                await response.send(scope, send)
                return
        await self._app(scope, receive, send)
