"""Representations, conditional requests, and the error that becomes an answer."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Awaitable, Callable, Sequence
from functools import lru_cache
from urllib.parse import quote

import msgspec
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bibld.errors import BibldError
from bibld.serve._language import PARAMETER, choose_page_language, message
from bibld.serve._negotiation import accepts_gzip
from bibld.serve._pictures.drawing import POLICY, Picture

Endpoint = Callable[[Request], Awaitable[Response]]
PROBLEM_JSON = "application/problem+json"
VARY = "Accept, Accept-Encoding"
PAGE_VARY = f"{VARY}, Accept-Language, Cookie"
"""Of pages, which come in the language that the client wants."""

_COOKIE_SECONDS = 365 * 24 * 3600
_KEPT_IN_LINKS = "%:/?#[]@!$&'()*+,;=-._~"
_WORTH_COMPRESSING = range(1000, 1 << 21)
"""Bytes; larger bodies would delay other requests."""
_CACHED_BODY = 1 << 18
_GZIP_LEVEL = 5
"""A higher one takes longer than it saves."""

_COMPRESSIBLE = ("text/", "application/xml", "application/json", "application/n-triples")
_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
CACHE = "bibld.cache"
"""The key of the ASGI scope under which an answer states whether a cache had it, for the metrics."""

TRIED = "bibld.tried"
"""The key of the ASGI scope of a request for which no prepared answer was found."""

ALWAYS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "Content-Location, ETag, Link, Location, Retry-After",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "Content-Security-Policy": _POLICY,
}
"""Headers of every answer."""


class ProblemError(BibldError):
    """A request that gets no 200: ``status``, ``title`` and a ``detail`` for the user (RFC 9457).

    Title and detail that are a ``Message`` are in the language of the page.
    """

    def __init__(
        self,
        status: int,
        title: str,
        detail: str,
        headers: dict[str, str] | None = None,
        alternates: Sequence[tuple[str, str]] = (),
    ) -> None:
        self.status = status
        self.title = title
        self.detail = detail
        self.headers = headers or {}
        self.alternates = tuple(alternates)
        """Pairs of media type and path."""
        self.subject = ""
        """The title of what the request asked for, where it is known; the heading of the page."""
        self.members: dict[str, object] = {}
        """Further members of the problem, such as line and column."""
        self.page: bytes | None = None
        """The page to show instead of the general one."""
        super().__init__(f"{status} {title}: {detail}")

    def to_json(self) -> bytes:
        """Return the problem as ``application/problem+json``."""
        members: dict[str, object] = {"title": str(self.title), "status": self.status, "detail": str(self.detail)}
        members.update(self.members)
        if self.alternates:
            members["alternates"] = [{"type": kind, "href": path} for kind, path in self.alternates]
        return msgspec.json.encode(members)


def accept_of(request: Request) -> str:
    """Return the Accept header; more than one are joined."""
    return ",".join(request.headers.getlist("accept"))


def language_of(request: Request) -> str:
    """Return the tag of the language in which the client wants pages."""
    headers = request.headers
    return choose_page_language(
        query_of(request), headers.get("cookie", ""), ",".join(headers.getlist("accept-language"))
    )


def query_of(request: Request) -> str:
    """Return the query of the address; bytes that are not UTF-8, at which ``request.url`` fails, are replaced."""
    return bytes(request.scope.get("query_string", b"")).decode(errors="replace")


def language_headers(tag: str) -> tuple[tuple[str, str], ...]:
    """Return the header fields of a page in a language."""
    return ("Vary", PAGE_VARY), ("Content-Language", tag)


class Representation(msgspec.Struct, frozen=True):
    """The bytes of one form of a document, and the headers that belong to them."""

    body: bytes
    media_type: str
    headers: tuple[tuple[str, str], ...] = ()
    status: int = 200


def respond_with_picture(request: Request, picture: Picture | None, *headers: tuple[str, str]) -> Response:
    """Answer with a picture as a file, which is in the language that the client wants.

    Raises the ``ProblemError`` 404 if there is none.
    """
    if picture is None:
        raise ProblemError(404, message("Not found"), message("There is no picture with this name."))
    every = (*language_headers(language_of(request)), ("Content-Security-Policy", POLICY), *headers)
    return respond(request, Representation(picture.standalone(), "image/svg+xml", every))


def respond(request: Request, representation: Representation) -> Response:
    """Answer with a representation, or with 304 if the client has it; compressed with gzip where that saves time."""
    body = representation.body
    is_coded = (
        len(body) in _WORTH_COMPRESSING
        and representation.media_type.startswith(_COMPRESSIBLE)
        and accepts_gzip(request.headers.get("accept-encoding"))
    )
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}{"-gzip" if is_coded else ""}"'
    headers = {"Vary": VARY, "ETag": tag, "Cache-Control": "public, max-age=300", **dict(representation.headers)}
    if representation.status == 200 and is_known(request, tag):
        return Response(status_code=304, headers=headers)
    if is_coded:
        body = _compressed(body) if len(body) > _CACHED_BODY else _compressed_once(body)
        headers["Content-Encoding"] = "gzip"
    response = Response(body, representation.status, headers)
    response.headers["Content-Type"] = with_charset(representation.media_type)
    return response


def redirect(location: str, headers: dict[str, str] | None = None) -> Response:
    """Answer 303 See Other, to a path of this server."""
    return Response(status_code=303, headers={"Location": location, "Vary": VARY, **(headers or {})})


def link_header(links: Sequence[tuple[str, str, str | None]]) -> str:
    """Write a Link header (RFC 8288) from targets, relations and media types."""
    parts = []
    for target, relation, media_type in links:
        kind = f'; type="{media_type}"' if media_type else ""
        parts.append(f'<{quote(target, safe=_KEPT_IN_LINKS)}>; rel="{relation}"{kind}')
    return ", ".join(parts)


def with_charset(media_type: str) -> str:
    """Add the charset UTF-8 to the media type of a text."""
    return f"{media_type}; charset=utf-8" if media_type.startswith("text/") else media_type


def is_known(request: Request, tag: str) -> bool:
    """Whether If-None-Match, in one line or more, names this tag (weak comparison, RFC 9110, 13.1.2)."""
    if request.method not in ("GET", "HEAD"):
        return False
    named = ",".join(request.headers.getlist("if-none-match"))
    tags = [each.strip().removeprefix("W/") for each in named.split(",")]
    return tag in tags or "*" in tags


def _compressed(body: bytes) -> bytes:
    return gzip.compress(body, compresslevel=_GZIP_LEVEL, mtime=0)


@lru_cache(maxsize=256)
def _compressed_once(body: bytes) -> bytes:
    return _compressed(body)


class Headers:
    """Middleware: the headers that every answer has, and no body in the answer to HEAD.

    A page whose address names its language stores that choice in a cookie.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        is_chosen = f"{PARAMETER}=".encode() in scope["query_string"]

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in ALWAYS.items():
                    headers.setdefault(name, value)
                if is_chosen and "content-language" in headers:
                    chosen = f"{PARAMETER}={headers['content-language']}"
                    headers.append("Set-Cookie", f"{chosen}; Path=/; Max-Age={_COOKIE_SECONDS}; SameSite=Lax")
            elif message["type"] == "http.response.body" and scope["method"] == "HEAD":
                message = {**message, "body": b""}
            await send(message)

        await self._app(scope, receive, send_with_headers)
