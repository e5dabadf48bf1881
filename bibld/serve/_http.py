"""HTTP: representations, conditional requests, the error that becomes an answer, and messages without a framework.

Documents are most of what crawlers ask for. Starlette takes longer to route a request than a document to be written,
so documents have separate requests and responses (:class:`PlainRequest`, :class:`PlainResponse`).
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import re
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable, Iterable, Sequence
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from functools import lru_cache
from typing import Any, Generic, TypeVar
from urllib.parse import quote, urlsplit

import msgspec
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bibld.errors import BibldError
from bibld.serve._language import PARAMETER, choose_page_language, message
from bibld.serve._negotiation import accepts_gzip, choose
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
_GZIP_LEVEL, _GZIP_LEVEL_ONCE = 5, 3
"""A higher one takes longer than it saves; of a body that is written for one request, already a lower one does."""

_COMPRESSIBLE = ("text/", "application/xml", "application/json", "application/n-triples")
_PICTURES = "img-src 'self'"
_POLICY = (
    f"default-src 'none'; style-src 'self'; script-src 'self'; {_PICTURES}; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
CACHE = "bibld.cache"
"""The key of the ASGI scope under which an answer states whether a cache had it, for the metrics."""

_QUICK_SECONDS = 0.03
"""A query that is answered within this time is not worth watching its client for."""

_CLIENT_LEFT = 499
"""Nobody sees it; the name is nginx's."""

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

_RAW_POLICY = b"content-security-policy"
_RAW_ALWAYS = [(name.lower().encode(), value.encode()) for name, value in ALWAYS.items()]
_CACHE_CONTROL = (b"cache-control", b"public, max-age=300")
_REMEMBERED_HEADERS = 1024
_MAX_CACHED_LENGTH = 400
_TAG = re.compile(r'(?:W/)?"([^"]*)"')
_FIELDS = {
    b"accept": "accept",
    b"accept-encoding": "accept_encoding",
    b"accept-language": "accept_language",
    b"cookie": "cookie",
    b"if-none-match": "if_none_match",
    b"if-modified-since": "if_modified_since",
}

RawHeaders = list[tuple[bytes, bytes]]
_cached_accepts_gzip = lru_cache(maxsize=_REMEMBERED_HEADERS)(accepts_gzip)
Value = TypeVar("Value")


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
        members: dict[str, object] = {"title": str(self.title), "status": self.status, "detail": str(self.detail)}
        members.update(self.members)
        if self.alternates:
            members["alternates"] = [{"type": kind, "href": path} for kind, path in self.alternates]
        return msgspec.json.encode(members)


def accept_of(request: Request) -> str:
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
    return ("Vary", PAGE_VARY), ("Content-Language", tag)


# -- with Starlette ----------------------------------------------------------------------------------------------------


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


def problem_response(request: Request, problem: ProblemError, page: Callable[[str], bytes], vary: str) -> Response:
    """Answer with a problem: as JSON (RFC 9457) or, to browsers, as the page in the language with a tag.

    ``vary`` is the header ``Vary`` of the answer in JSON.
    """
    headers = {**ALWAYS, "Vary": vary, "Cache-Control": "no-cache", **problem.headers}
    is_page = choose(accept_of(request), (PROBLEM_JSON, "application/json", "text/html")) == "text/html"
    if is_page or (problem.page is not None and request.query_params.get("format") == "html"):
        tag = language_of(request)
        headers |= {"Content-Type": "text/html; charset=utf-8", **dict(language_headers(tag))}
        return Response(problem.page or page(tag), problem.status, headers)
    headers["Content-Type"] = PROBLEM_JSON
    return Response(problem.to_json(), problem.status, headers)


async def read_body(request: Request, limit: int, refusal: ProblemError) -> bytes:
    """Return the body of a request; raises ``refusal`` where it has more than ``limit`` bytes."""
    taken = bytearray()
    async for piece in request.stream():
        taken += piece
        if len(taken) > limit:
            raise refusal
    return bytes(taken)


async def wait_while_connected(request: Request, task: asyncio.Task[Any]) -> None:
    """Wait until a task is done; raises ``ProblemError`` when the client leaves before."""

    async def wait_until_client_leaves() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    await asyncio.wait((task,), timeout=_QUICK_SECONDS)
    if task.done():
        return
    leaving = asyncio.ensure_future(wait_until_client_leaves())
    try:
        await asyncio.wait((task, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ProblemError(_CLIENT_LEFT, "Client left", "The client closed the connection before the answer.")
    finally:
        leaving.cancel()
        await asyncio.wait((leaving,))


def redirect(location: str) -> Response:
    """Answer 303 See Other, to a path of this server."""
    return Response(status_code=303, headers={"Location": location, "Vary": VARY})


def link_header(links: Sequence[tuple[str, str, str | None]]) -> str:
    """Write a Link header (RFC 8288) from targets, relations and media types."""
    parts = []
    for target, relation, media_type in links:
        kind = f'; type="{media_type}"' if media_type else ""
        parts.append(f'<{quote(target, safe=_KEPT_IN_LINKS)}>; rel="{relation}"{kind}')
    return ", ".join(parts)


def with_charset(media_type: str) -> str:
    return f"{media_type}; charset=utf-8" if media_type.startswith("text/") else media_type


def is_known(request: Request, tag: str) -> bool:
    """Whether If-None-Match, in one line or more, names this tag (weak comparison, RFC 9110, 13.1.2)."""
    if request.method not in ("GET", "HEAD"):
        return False
    return is_current(PlainRequest.from_scope(request.scope, ""), tag.strip('"'), "")


def _compressed(body: bytes, level: int = _GZIP_LEVEL) -> bytes:
    return gzip.compress(body, compresslevel=level, mtime=0)


_compressed_once = lru_cache(maxsize=256)(_compressed)


class HeadersMiddleware:
    """The headers that every answer has, and no body in the answer to HEAD.

    A page whose address names its language stores that choice in a cookie.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        is_chosen = f"{PARAMETER}=".encode() in scope["query_string"]

        async def send_with_headers(event: Message) -> None:
            if event["type"] == "http.response.start":
                headers = MutableHeaders(scope=event)
                for name, value in ALWAYS.items():
                    headers.setdefault(name, value)
                if is_chosen and "content-language" in headers:
                    chosen = f"{PARAMETER}={headers['content-language']}"
                    headers.append("Set-Cookie", f"{chosen}; Path=/; Max-Age={_COOKIE_SECONDS}; SameSite=Lax")
            elif event["type"] == "http.response.body" and scope["method"] == "HEAD":
                event = {**event, "body": b""}
            await send(event)

        await self._app(scope, receive, send_with_headers)


# -- without a framework -----------------------------------------------------------------------------------------------


class PlainRequest(msgspec.Struct):
    """What a client asks for: a path after the mount, with the header fields that choose an answer.

    A field that was sent more than once has all its values, separated by commas (RFC 9110, 5.3). ``is_cached`` is set
    by what answers: whether it found the body in a cache; None if it did not look for one.
    """

    path: str
    query: str = ""
    accept: str = ""
    accept_encoding: str = ""
    accept_language: str = ""
    cookie: str = ""
    if_none_match: str = ""
    if_modified_since: str = ""
    is_cached: bool | None = None

    @classmethod
    def from_scope(cls, scope: Scope, mount: str) -> PlainRequest:
        """Read the scope of an ASGI request whose path begins with ``mount``."""
        request = cls(scope["path"][len(mount) :], scope["query_string"].decode("latin-1"))
        for name, value in scope["headers"]:
            field = _FIELDS.get(name)
            if field is not None:
                before = getattr(request, field)
                text = value.decode("latin-1")
                setattr(request, field, f"{before},{text}" if before else text)
        return request

    @property
    def language(self) -> str:
        return choose_page_language(self.query, self.cookie, self.accept_language)


def policy_with_pictures(addresses: Iterable[str]) -> RawHeaders:
    """Return the header field of pages that show pictures of the hosts of some addresses; none without an address."""
    hosts = [f"{parts.scheme}://{parts.netloc}" for parts in map(urlsplit, addresses)]
    return [(_RAW_POLICY, _POLICY.replace(_PICTURES, " ".join((_PICTURES, *hosts))).encode())] if hosts else []


def _always_beside(headers: RawHeaders) -> RawHeaders:
    """Return the header fields of every answer; not the policy of the content where it has another one."""
    if any(name == _RAW_POLICY for name, _ in headers):
        return [field for field in _RAW_ALWAYS if field[0] != _RAW_POLICY]
    return _RAW_ALWAYS


class PlainResponse(msgspec.Struct, frozen=True):
    """Status, header fields (without those of every answer) and body."""

    status: int
    headers: RawHeaders
    body: bytes = b""

    def messages(self, method: str) -> tuple[Message, Message]:
        """Return what ASGI sends: status and header fields, and the body; no body to HEAD."""
        length = [] if self.status in (204, 304) else [(b"content-length", b"%d" % len(self.body))]
        start = {
            "type": "http.response.start",
            "status": self.status,
            "headers": [*self.headers, *length, *_always_beside(self.headers)],
        }
        return start, {"type": "http.response.body", "body": b"" if method == "HEAD" else self.body}

    async def send(self, scope: Scope, send: Send) -> None:
        for each in self.messages(scope["method"]):
            await send(each)


class FormMetadata(msgspec.Struct, frozen=True):
    """One form of a document: its entity tag (without quotes), when it last changed, and its other header fields.

    ``modified`` is ISO 8601; empty if it is not known.
    """

    tag: str
    media_type: str
    modified: str
    headers: RawHeaders


def is_current(request: PlainRequest, tag: str, modified: str) -> bool:
    """Whether the client has the form of a document with this tag (RFC 9110, 13.1.2 and 13.1.3)."""
    if request.if_none_match:
        return request.if_none_match.strip() == "*" or tag in _TAG.findall(request.if_none_match)
    if request.if_modified_since and modified:
        since = _date(request.if_modified_since) if len(request.if_modified_since) < _MAX_CACHED_LENGTH else None
        return since is not None and datetime.fromisoformat(modified).replace(microsecond=0) <= since
    return False


def is_gzip_wanted(request: PlainRequest) -> bool:
    """Whether the client takes bodies that are coded with gzip."""
    accepts = request.accept_encoding
    return bool(accepts) and (_cached_accepts_gzip if len(accepts) < _MAX_CACHED_LENGTH else accepts_gzip)(accepts)


def _headers_of(form: FormMetadata, is_coded: bool) -> RawHeaders:
    tag = f'"{form.tag}-gzip"' if is_coded else f'"{form.tag}"'
    headers = [(b"etag", tag.encode()), _CACHE_CONTROL, *form.headers]
    if form.modified:
        headers.append((b"last-modified", http_date(form.modified)))
    return headers


def not_modified(request: PlainRequest, form: FormMetadata) -> PlainResponse | None:
    """Return the answer to a client that has the form already, coded or not; None if it has not."""
    if not (request.if_none_match or request.if_modified_since):
        return None
    for is_coded in (False, True):
        if is_current(request, f"{form.tag}-gzip" if is_coded else form.tag, form.modified):
            return PlainResponse(304, _headers_of(form, is_coded))
    return None


def with_body(form: FormMetadata, body: bytes, coded: bytes | None, status: int = 200) -> PlainResponse:
    """Return the answer with a body, or (``coded``) with the body that gzip made of it."""
    headers = _headers_of(form, coded is not None)
    headers.append((b"content-type", with_charset(form.media_type).encode()))
    if coded is not None:
        headers.append((b"content-encoding", b"gzip"))
    return PlainResponse(status, headers, body if coded is None else coded)


def compress(body: bytes) -> bytes | None:
    """Return a body coded with gzip; None where that is not worth its time."""
    return _compressed(body, _GZIP_LEVEL_ONCE) if len(body) in _WORTH_COMPRESSING else None


@lru_cache(maxsize=_REMEMBERED_HEADERS)
def http_date(modified: str) -> bytes:
    """Return a time in ISO 8601 as HTTP writes it (RFC 9110, 5.6.7)."""
    return format_datetime(datetime.fromisoformat(modified).astimezone(UTC), usegmt=True).encode()


@lru_cache(maxsize=_REMEMBERED_HEADERS)
def _date(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


class ByteCache(Generic[Value]):
    """Values by key: when they would take more than ``limit`` bytes, those that were not used longest are removed.

    Threads may use it at the same time.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._bytes = 0
        self._values: OrderedDict[Hashable, tuple[Value, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> Value | None:
        with self._lock:
            found = self._values.get(key)
            if found is None:
                return None
            self._values.move_to_end(key)
            return found[0]

    def put(self, key: Hashable, value: Value, size: int) -> None:
        """Store a value of ``size`` bytes; one that alone exceeds a quarter of the limit is not stored."""
        with self._lock:
            if key in self._values or size > self._limit // 4:
                return
            self._values[key] = value, size
            self._bytes += size
            while self._bytes > self._limit:
                _, (_, removed) = self._values.popitem(last=False)
                self._bytes -= removed
