"""The outermost part of the site: checks requests, limits clients, and writes the access log and the metrics.

It wraps every other part (log, metrics and limits outermost), in plain ASGI, since each request pays for it.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Callable
from html import escape
from typing import NamedTuple

import msgspec
from starlette.requests import Request
from starlette.types import Message as AsgiMessage
from starlette.types import Receive, Scope, Send

from bibld.serve._following import Following
from bibld.serve._guarding.clients import Buckets, Clients, RequestClient
from bibld.serve._guarding.log import MAX_HEADER_LENGTH, AccessEntry, AccessLog
from bibld.serve._guarding.metrics import Metrics
from bibld.serve._guarding.requests import (
    CLASSES,
    CONTROL,
    DOCUMENTS,
    MAX_BODY_BYTES,
    PAGES,
    UPLOADS,
    Body,
    Checks,
    Classes,
    Head,
)
from bibld.serve._http import CACHE, PAGE_VARY, PlainResponse, ProblemError, problem_response
from bibld.serve._language import Message, PageLanguage, language_named, message

_LOG = logging.getLogger("bibld.serve")
_HEALTH_SECONDS = 5.0
_UNKNOWN_STATUS = 499
"""Of a request whose client left before an answer began; the name is nginx's."""

_COUNTED = "bibld.counted"
"""The key of the ASGI scope of a request that the limits of its client have been asked about."""


class Rules(msgspec.Struct, frozen=True):
    """What the guard applies: ``body_seconds`` is the time that the body of a request may take.

    ``upload_seconds`` and ``upload_bytes`` are those of files to be matched.
    """

    clients: Clients
    checks: Checks
    classes: Classes
    buckets: Buckets
    metrics: Metrics
    body_seconds: float
    mount: str
    upload_seconds: float
    upload_bytes: int


class RequestOutcome(NamedTuple):
    """How a request ended: whose it was, its class, the status and the bytes of the body, and the seconds it took."""

    client: str
    kind: int
    status: int
    size: int
    seconds: float


class Guard:
    """The outermost ASGI application of a site; ``queries`` returns the number of queries by state, for the metrics."""

    def __init__(
        self, site: Following, rules: Rules, queries: Callable[[], dict[str, int]], log: AccessLog | None = None
    ) -> None:
        self._site = site
        self._rules = rules
        self._queries = queries
        self._log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, receive, send)

    def prepared(self, scope: Scope) -> PlainResponse | None:
        """Return the answer to a request that needs no event loop, in any thread, and count it.

        None for all other requests, and for those that are refused: the application has to be called then.
        """
        begin = time.perf_counter()
        if scope["type"] != "http":
            return None
        rules = self._rules
        head = Head(scope)
        kind = rules.classes.find(scope["path"], head.accept)
        if kind not in (PAGES, DOCUMENTS) or head.has_body:
            return None
        client = self._client(scope, head)
        try:
            rules.checks.check(scope, head)
        except ProblemError:
            return None
        if not client.is_exempt and rules.buckets.take(client.name, kind):
            return None
        scope[_COUNTED] = True
        response = self._site.prepared(scope)
        if response is not None:
            size = 0 if scope["method"] == "HEAD" else len(response.body)
            self._report(
                scope, head, RequestOutcome(client.name, kind, response.status, size, time.perf_counter() - begin)
            )
            rules.metrics.count_at_once()
        return response

    def _client(self, scope: Scope, head: Head) -> RequestClient:
        peer = scope.get("client")
        client = self._rules.clients.find(peer[0] if peer else "", head.forwarded)
        scope["bibld.client"] = client.name
        return client

    async def _live(self, receive: Receive, send: Send) -> None:
        watching = []
        while (await receive())["type"] != "lifespan.shutdown":
            if self._log is not None:
                self._log.flush_in(asyncio.get_running_loop())
            self._rules.metrics.set_ready(self._site.release_number())
            watching.append(asyncio.create_task(self._site.watch(self._rules.metrics.set_ready)))
            await send({"type": "lifespan.startup.complete"})
        for each in watching:
            each.cancel()
        await self._site.close()
        if self._log is not None:
            self._log.flush()
        await send({"type": "lifespan.shutdown.complete"})

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        begin = time.perf_counter()
        rules = self._rules
        head = Head(scope)
        client = self._client(scope, head)
        kind = rules.classes.find(scope["path"], head.accept)
        status = size = 0

        async def send_and_count(event: AsgiMessage) -> None:
            nonlocal status, size
            if event["type"] == "http.response.start":
                status = event["status"]
            elif "body" in event:
                size += len(event["body"])
            await send(event)

        rules.metrics.add_in_flight(1)
        try:
            is_upload = kind == UPLOADS
            max_body = rules.upload_bytes if is_upload else MAX_BODY_BYTES
            rules.checks.check(scope, head, max_body)
            if _COUNTED not in scope and not client.is_exempt and (wait := rules.buckets.take(client.name, kind)):
                raise self._too_many(kind, wait)
            if kind == CONTROL or scope["path"] == "*":
                await self._control(scope, client, send_and_count)
            else:
                seconds = rules.upload_seconds if is_upload else rules.body_seconds
                body = Body(receive, seconds, max_body) if head.has_body else receive
                await self._site(scope, body, send_and_count)
        except Exception as error:  # noqa: BLE001 - where an answer has begun, the application has reported the error
            if not status:
                await _refuse(scope, error, receive, send_and_count)
        finally:
            seconds = time.perf_counter() - begin
            rules.metrics.set_ready(self._site.release_number())
            rules.metrics.add_in_flight(-1)
            self._report(scope, head, RequestOutcome(client.name, kind, status or _UNKNOWN_STATUS, size, seconds))

    def _report(self, scope: Scope, head: Head, outcome: RequestOutcome) -> None:
        """Count a request that was answered, and write it to the access log."""
        client, kind, status, size, seconds = outcome
        self._rules.metrics.count_request(kind, status, seconds)
        if (is_hit := scope.get(CACHE)) is not None:
            self._rules.metrics.count_cache(is_hit)
        if self._log is None:
            return
        target = (scope["raw_path"] or b"").decode("latin-1")
        if query := scope["query_string"].decode("latin-1"):
            target = f"{target}?{query}"
        referer, agent = (value[:MAX_HEADER_LENGTH].decode("latin-1") for value in (head.referer, head.agent))
        answered = status, size, round(seconds * 1000, 3), CLASSES[kind]
        self._log.write(AccessEntry("", client, scope["method"], target, *answered, referer, agent), time.time())

    def _too_many(self, kind: int, wait: float) -> ProblemError:
        mount = self._rules.mount
        detail = message(
            "Your address has sent too many requests for %(kind)s. Complete copies of the data are in the "
            "dumps: see %(mount)sdumps/manifest.json, /.well-known/void, and the sitemap that /robots.txt names.",
            kind=CLASSES[kind],
            mount=mount,
        )
        alternates = (("application/json", f"{mount}dumps/manifest.json"), ("text/turtle", "/.well-known/void"))
        headers = {"Retry-After": str(math.ceil(wait))}
        return ProblemError(429, message("Too many requests"), detail, headers, alternates)

    async def _control(self, scope: Scope, client: RequestClient, send: Send) -> None:
        """Answer ``/health``, ``/health/live``, ``/metrics`` and ``OPTIONS *``."""
        path = scope["path"]
        if path == "*" or scope["method"] == "OPTIONS":
            allowed = "GET, HEAD, OPTIONS, POST" if path == "*" else "GET, HEAD, OPTIONS"
            await _send(scope, 204, {"Allow": allowed}, b"", send)
        elif scope["method"] not in ("GET", "HEAD"):
            detail = f"{scope['method']} is not possible here."
            raise ProblemError(405, "Method not allowed", detail, {"Allow": "GET, HEAD, OPTIONS"})
        elif path == "/metrics":
            if not client.may_read_metrics:
                raise ProblemError(403, "Forbidden", "Metrics are for the clients that [serve] metrics_clients names.")
            text = self._rules.metrics.write(self._queries)
            await _send(scope, 200, {"Content-Type": "text/plain; version=0.0.4; charset=utf-8"}, text, send)
        else:
            status, word, headers = 200, "ok", {"Content-Type": "application/json"}
            try:
                if path != "/health/live":
                    await asyncio.wait_for(asyncio.to_thread(self._site.check), _HEALTH_SECONDS)
            except Exception as error:  # noqa: BLE001 - whatever is wrong with a release, it is what this reports
                _LOG.error("the release cannot answer: %s", error)
                status, word = 503, "the release cannot answer; the log of the server contains the cause"
                headers["Retry-After"] = "10"
            body = msgspec.json.encode({"status": word, "release": self._site.release_number()})
            await _send(scope, status, headers, body, send)


async def _refuse(scope: Scope, error: Exception, receive: Receive, send: Send) -> None:
    if isinstance(error, ProblemError):
        problem = error
    else:
        _LOG.error("%s %s failed", scope["method"], scope["path"], exc_info=error)
        problem = ProblemError(500, "Internal error", "The server failed at this request; its log contains the cause.")
    response = problem_response(
        Request(scope), problem, lambda tag: _plain_page(problem, language_named(tag)), PAGE_VARY
    )
    if scope["method"] == "HEAD":
        response.body = b""
    await response(scope, receive, send)


async def _send(scope: Scope, status: int, headers: dict[str, str], body: bytes, send: Send) -> None:
    written = {"Cache-Control": "no-cache", **headers}
    pairs = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in written.items()]
    await PlainResponse(status, pairs, body).send(scope, send)


def _plain_page(problem: ProblemError, language: PageLanguage) -> bytes:

    def shown(text: str) -> str:
        return escape(language.text(text) if isinstance(text, Message) else text)

    links = "".join(f'<li><a href="{escape(path)}">{escape(kind)}</a></li>' for kind, path in problem.alternates)
    listed = f"<h2>{shown(message('Available forms'))}</h2><ul>{links}</ul>" if links else ""
    return (
        f'<!DOCTYPE html><html lang="{language.tag}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="color-scheme" content="light dark"><title>{shown(problem.title)}</title></head>'
        f"<body><main><p>{problem.status}</p><h1>{shown(problem.title)}</h1><p>{shown(problem.detail)}</p>"
        f"{listed}</main></body></html>"
    ).encode()
