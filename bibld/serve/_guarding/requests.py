"""What a request must be (RFC 9112, RFC 9110) before anything answers it, and of which class it is."""

from __future__ import annotations

import asyncio
import re
from functools import lru_cache

from starlette.types import Message, Receive, Scope

from bibld.serve._http import ProblemError

CLASSES = ("pages", "documents", "search", "sparql", "dumps", "uploads", "files", "control")
"""Classes of requests. ``files`` (style sheets, robots.txt) and ``control`` (/health, /metrics) have no limit."""
PAGES, DOCUMENTS, SEARCH, SPARQL, DUMPS, UPLOADS, FILES, CONTROL = range(len(CLASSES))

_METHODS = "GET, HEAD, OPTIONS, POST"
_REFUSED_METHODS = ("CONNECT", "TRACE")
_MAX_PATH_BYTES = 8 * 1024
_MAX_HEADER_BYTES = 32 * 1024
MAX_BODY_BYTES = 2 << 20
"""Of all bodies but files to be matched; the largest of them is a query of 1 MiB."""
_AUTHORITY = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~!$&'()*+,;=%-]+)(?::[0-9]*)?")
_CLOSE = {"Connection": "close"}
_ROOT_FILES = ("/robots.txt", "/favicon.ico", "/.well-known/void")
CONTROL_PATHS = ("/health", "/health/live", "/metrics")
_SEARCHES = ("search", "suggest", "reconcile", "oai", "sru", "worklist", "browse", "list")
"""Paths below the base that search."""


class Head:
    """The headers of a request that the guard needs."""

    __slots__ = ("accept", "agent", "forwarded", "has_body", "host", "hosts", "length", "referer", "size")

    def __init__(self, scope: Scope) -> None:
        self.accept = self.agent = self.forwarded = self.host = self.referer = b""
        self.hosts = self.size = self.length = 0
        self.has_body = False
        for name, value in scope["headers"]:
            self.size += len(name) + len(value)
            if name == b"host":
                self.host = value
                self.hosts += 1
            elif name == b"accept":
                self.accept = value
            elif name == b"user-agent":
                self.agent = value
            elif name == b"referer":
                self.referer = value
            elif name == b"x-forwarded-for":
                self.forwarded = self.forwarded + b"," + value if self.forwarded else value
            elif name == b"content-length":
                self.length = int(value) if value.isdigit() else 0
                self.has_body = self.has_body or self.length > 0
            elif name == b"transfer-encoding":
                self.has_body = True


class Checks:
    """Refuses requests that are malformed, too large or meant for another server.

    ``hosts``: names under which this server answers (RFC 9110, 7.4); empty for any.
    """

    def __init__(self, hosts: tuple[str, ...]) -> None:
        self._hosts = frozenset(host.lower() for host in hosts)
        self._check_authority = lru_cache(256)(self._authority_status)

    def check(self, scope: Scope, head: Head, max_body: int = MAX_BODY_BYTES) -> None:
        """Raise ``ProblemError`` for a request that may not be answered; ``max_body``: bytes that its body may have."""
        method = scope["method"]
        path = scope["raw_path"] or b""
        if method in _REFUSED_METHODS:
            detail = f"This server does not answer {method}."
            raise ProblemError(405, "Method not allowed", detail, {"Allow": _METHODS, **_CLOSE})
        if (head.hosts != 1 or not head.host) and (scope["http_version"] not in ("1", "1.0") or head.hosts > 1):
            raise ProblemError(400, "Bad request", "A request has exactly one Host header (RFC 9112, 3.2).", _CLOSE)
        if head.host and (status := self._check_authority(head.host)) is not None:
            if status == 400:
                raise ProblemError(400, "Bad request", "The Host header is malformed.", _CLOSE)
            detail = "This server does not answer for the host of the request."
            raise ProblemError(421, "Misdirected request", detail, _CLOSE)
        if not path.startswith(b"/") and not (path == b"*" and method == "OPTIONS"):
            raise ProblemError(400, "Bad request", "The target of the request is no path.", _CLOSE)
        if len(path) > _MAX_PATH_BYTES:
            raise ProblemError(414, "URI too long", f"A path may have {_MAX_PATH_BYTES:,} bytes.", _CLOSE)
        if head.size > _MAX_HEADER_BYTES:
            detail = f"The headers of a request may have {_MAX_HEADER_BYTES:,} bytes."
            raise ProblemError(431, "Request header fields too large", detail, _CLOSE)
        if head.length > max_body:
            raise _too_large(max_body)

    def _authority_status(self, authority: bytes) -> int | None:
        text = authority.decode("latin-1")
        if not _AUTHORITY.fullmatch(text):
            return 400
        name = text.lower()
        is_known = not self._hosts or name in self._hosts or re.sub(r":[0-9]*$", "", name) in self._hosts
        return None if is_known else 421


class Body:
    """The body of a request, with a deadline and a largest size: ``receive`` of the application.

    Raises ``ProblemError``: 408 after the deadline, 413 for too large a body, 400 for one that is malformed
    or ends early.
    """

    def __init__(self, receive: Receive, seconds: float, max_bytes: int = MAX_BODY_BYTES) -> None:
        self._receive = receive
        self._seconds = seconds
        self._max_bytes = max_bytes
        self._deadline = asyncio.get_running_loop().time() + seconds
        self._size = 0
        self.is_complete = False

    async def __call__(self) -> Message:
        if self.is_complete:
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._deadline):
                event = await self._receive()
        except TimeoutError as error:
            detail = f"The body of the request did not arrive within {self._seconds:g} seconds."
            raise ProblemError(408, "Request timeout", detail, _CLOSE) from error
        if event["type"] == "http.disconnect":  # a client that has left does not see the answer
            raise ProblemError(400, "Bad request", "The body of the request is malformed or incomplete.", _CLOSE)
        self._size += len(event.get("body", b""))
        if self._size > self._max_bytes:
            raise _too_large(self._max_bytes)
        self.is_complete = not event.get("more_body", False)
        return event


def _too_large(max_bytes: int) -> ProblemError:
    return ProblemError(413, "Content too large", f"The body of this request may have {max_bytes:,} bytes.", _CLOSE)


class Classes:
    """Finds the class of a request by its path below ``mount``, the decoded path of the base."""

    def __init__(self, mount: str) -> None:
        self._mount = mount
        self._sparql = f"{mount}sparql"
        self._dumps = f"{mount}dumps/"
        self._match = f"{mount}match"
        self._static = f"{mount}static/"
        self._searches = tuple(f"{mount}{name}" for name in _SEARCHES)

    def find(self, path: str, accept: bytes) -> int:
        """Return the number of the class in ``CLASSES``."""
        if path.startswith(self._sparql) and len(path) <= len(self._sparql) + 1:
            return SPARQL
        if path.startswith(self._dumps):
            return DUMPS
        if path == self._match:
            return UPLOADS
        if path.startswith(self._searches):
            return SEARCH
        if path.startswith(self._static) or path in _ROOT_FILES:
            return FILES
        if path in CONTROL_PATHS:
            return CONTROL
        return PAGES if path.endswith(".html") or b"text/html" in accept else DOCUMENTS
