"""The application: which path is answered by what, and what becomes of errors."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp

from bibld.serve._addresses import Addresses
from bibld.serve._documents import Documents
from bibld.serve._files import Files
from bibld.serve._http import ALWAYS, VARY, Endpoint, Headers, Problem, Representation, respond
from bibld.serve._negotiation import choose
from bibld.serve._pages import Pages
from bibld.serve._sparql.protocol import SparqlEndpoint

_PROBLEM_JSON = "application/problem+json"
_REQUEST_HEADERS = "Accept, Content-Type, If-None-Match"
_LOG = logging.getLogger("bibld.serve")
_TITLES = {404: "Not found", 405: "Method not allowed"}


class Parts:
    """What answers; made by ``bibld.serve.application``."""

    def __init__(
        self, addresses: Addresses, documents: Documents, files: Files, pages: Pages, sparql: SparqlEndpoint
    ) -> None:
        self.addresses = addresses
        self.documents = documents
        self.files = files
        self.pages = pages
        self.sparql = sparql


def build(parts: Parts) -> Starlette:
    """Put the parts of one release together."""
    home = parts.pages.home()

    async def first_page(request: Request) -> Response:
        return respond(request, Representation(home, "text/html"))

    async def to_first_page(request: Request) -> Response:
        return RedirectResponse(parts.addresses.mount, status_code=307)

    async def on_problem(request: Request, error: Exception) -> Response:
        return _answer_error(request, error, parts.pages)

    files = parts.files
    mount = parts.addresses.route
    routes = [
        _route("/robots.txt", files.robots),
        _route("/favicon.ico", files.icon),
        _route("/.well-known/void", files.void),
        _route(mount, first_page),
        _route(f"{mount}sparql", parts.sparql.answer, "GET", "POST"),
        _route(f"{mount}dumps/{{name:path}}", files.dump),
        _route(f"{mount}static/{{name:path}}", files.static),
        _route(f"{mount}{{path:path}}", parts.documents.answer),
    ]
    if mount != "/":
        routes = [_route("/", to_first_page), _route(mount.rstrip("/") or "/", to_first_page), *routes]
    app = Starlette(
        routes=routes,
        middleware=[Middleware(Headers)],
        exception_handlers={Problem: on_problem, HTTPException: on_problem, Exception: on_problem},
    )
    app.router.redirect_slashes = False  # it would write the host that the client says into the location
    return app


def with_lifespan(app: ASGIApp, close: Callable[[], Awaitable[None]]) -> Starlette:
    """An application that is closed at the end of its lifespan."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await close()

    return Starlette(routes=[Mount("", app=app)], lifespan=lifespan)


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


def _answer_error(request: Request, error: Exception, pages: Pages) -> Response:
    """The one place where an error becomes an answer."""
    problem = _as_problem(request, error)
    accept = ",".join(request.headers.getlist("accept"))
    is_page = choose(accept, (_PROBLEM_JSON, "application/json", "text/html")) == "text/html"
    headers = {**ALWAYS, "Vary": VARY, "Cache-Control": "no-cache", **problem.headers}
    if is_page or (problem.page is not None and request.query_params.get("format") == "html"):
        headers["Content-Type"] = "text/html; charset=utf-8"
        return Response(problem.page or pages.problem(problem), problem.status, headers)
    headers["Content-Type"] = _PROBLEM_JSON
    return Response(problem.to_json(), problem.status, headers)


def _as_problem(request: Request, error: Exception) -> Problem:
    if isinstance(error, Problem):
        return error
    if isinstance(error, HTTPException):
        headers = dict(error.headers or {})
        title = _TITLES.get(error.status_code, error.detail)
        detail = f"{request.method} is not possible here." if error.status_code == 405 else error.detail
        return Problem(error.status_code, title, detail, headers)
    _LOG.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return Problem(500, "Internal error", "The server failed at this request; its log says why.")
