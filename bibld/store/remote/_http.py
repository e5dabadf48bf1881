"""Requests to a remote store: credentials for one origin only, deadlines, and tries while the server is busy.

Credentials are sent by Basic (RFC 7617), Bearer (RFC 6750) or Digest (RFC 7616) authentication."""

from __future__ import annotations

import email.utils
import html
import ipaddress
import re
import socket
import ssl
import time
from typing import Literal

import httpx
import msgspec

from bibld.errors import BadQueryError, QueryTimeoutError, StoreError, StoreUnavailableError
from bibld.protocols import RemoteAccess

Authentication = Literal["basic", "digest", "bearer"]
"""How a server is given the credentials; a bearer token is the password."""

_BUSY = frozenset({429, 502, 503, 504})
_FAILED = 500
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MAX_REDIRECTS = 10
_UNKNOWN_DIGEST = (KeyError, NotImplementedError)
"""What httpx raises where it does not know the algorithm of a challenge."""

_FIRST_WAIT_SECONDS = 0.5
_MAX_WAIT_SECONDS = 60.0
_SHOWN_BYTES = 1 << 16
_SHOWN = 300
_MARKUP = re.compile(r"<(style|script|title)\b.*?</\1>|<[^>]*>", re.DOTALL | re.IGNORECASE)
_AGENT = "bibld (+https://www.w3.org/TR/sparql11-protocol/)"


class TooLargeRequestError(BadQueryError):
    """The server refuses a request of this size."""


class StoreResponse(msgspec.Struct, frozen=True):
    """A successful answer; ``media_type`` has no parameters, the names of ``headers`` are in lower case."""

    media_type: str
    body: bytes
    headers: dict[str, str] = {}


class Connection:
    """Sends requests to one origin, with the credentials for it. Redirects to another origin are refused."""

    def __init__(self, access: RemoteAccess, authentication: Authentication) -> None:
        self._access = access
        headers = {}
        auth: httpx.Auth | None = None
        if access.password and authentication == "bearer":
            headers["Authorization"] = f"Bearer {access.password}"
        elif access.password:
            auth = (httpx.DigestAuth if authentication == "digest" else httpx.BasicAuth)(access.user, access.password)
        self._headers = {"User-Agent": _AGENT, "Accept-Encoding": "identity", **headers}
        self._client = httpx.Client(
            auth=auth,
            verify=ssl.create_default_context(),
            trust_env=not _is_loopback(httpx.URL(access.url).host),  # no proxy leads to this machine
            limits=httpx.Limits(max_keepalive_connections=0),
        )

    def send(self, request: httpx.Request, timeout: float | None = None) -> StoreResponse:
        """Send a request that may be repeated; ``timeout`` is in seconds for the complete answer.

        Raises ``BadQueryError`` (status 400), ``QueryTimeoutError``, ``StoreUnavailableError`` or ``StoreError``.
        """
        seconds = timeout or self._access.timeout
        request.headers.update(self._headers)
        for attempt in range(1, self._access.tries + 1):
            is_last = attempt == self._access.tries
            wait = min(_FIRST_WAIT_SECONDS * 2 ** (attempt - 1), _MAX_WAIT_SECONDS)
            try:
                response = self._send_once(request, seconds)
            except httpx.TimeoutException as error:
                raise QueryTimeoutError(
                    f"{_shown(request.url)}: no complete answer in {seconds:g} s;"
                    " raise `timeout` of the store, or look for what keeps the server busy"
                ) from error
            except (httpx.HTTPError, *_UNKNOWN_DIGEST) as error:
                if is_last or _is_unknown_host(error):
                    raise StoreUnavailableError(
                        f"{_shown(request.url)}: no answer ({str(error) or type(error).__name__});"
                        " is the server running and the address right?"
                    ) from error
            else:
                status = response.status_code
                if response.is_success:
                    media_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
                    return StoreResponse(media_type, response.content, dict(response.headers))
                is_worth_it = status in _BUSY or (status == _FAILED and attempt == 1)  # a deadlock, for example
                if not is_worth_it or is_last:
                    raise _error_of(response, request)
                wait = _retry_after(response.headers.get("retry-after", ""), wait)
            time.sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    def _send_once(self, request: httpx.Request, timeout: float) -> httpx.Response:
        """Return the answer, after redirects inside the origin that repeat method and body (307 and 308)."""
        until = time.monotonic() + timeout
        request.extensions["timeout"] = httpx.Timeout(timeout).as_dict()
        for _ in range(_MAX_REDIRECTS):
            response = self._client.send(request, stream=True)
            pieces = []
            try:
                for piece in response.iter_raw():
                    pieces.append(piece)
                    if time.monotonic() > until:
                        raise httpx.ReadTimeout("the answer was not complete in time")
            finally:
                response.close()
            if response.status_code not in _REDIRECTS or "location" not in response.headers:
                return httpx.Response(response.status_code, headers=response.headers, content=b"".join(pieces))
            request = _redirected(request, response)
        raise StoreError(f"{_shown(request.url)}: redirects without end; configure the address that answers")


def _redirected(request: httpx.Request, response: httpx.Response) -> httpx.Request:
    """Return the request for where a redirect leads; raises ``StoreError`` if it must not be followed."""
    target = request.url.join(response.headers["location"])
    if _origin(target) != _origin(request.url):
        raise StoreError(
            f"{_shown(request.url)}: redirects to {_shown(target)}, another server, which is not followed because"
            " it would be given the credentials; configure the address that answers"
        )
    if response.status_code not in (307, 308):
        raise StoreError(
            f"{_shown(request.url)}: redirects a {request.method} request to {_shown(target)}"
            f" (HTTP {response.status_code}); configure the address that answers"
        )
    return httpx.Request(
        request.method, target, headers=request.headers, content=request.content, extensions=request.extensions
    )


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


def _is_unknown_host(error: BaseException | None) -> bool:
    return isinstance(error, socket.gaierror) or (error is not None and _is_unknown_host(error.__cause__))


def _error_of(response: httpx.Response, request: httpx.Request) -> StoreError:
    """Return the error for a status that is not a success, with what to do."""
    text = response.content[:_SHOWN_BYTES].decode("utf-8", "replace")
    if response.headers.get("content-type", "").partition(";")[0].strip().lower() == "text/html":
        text = html.unescape(_MARKUP.sub(" ", text))
    words = " ".join(text.split())[:_SHOWN]
    code = response.status_code
    where = f"{_shown(request.url)}: HTTP {code}{f' ({words})' if words else ''}"
    match code:
        case 400:
            return BadQueryError(f"{where}: the server does not accept the request")
        case 401:
            return StoreError(f"{where}: wrong or missing credentials; check `user` and `password` of the store")
        case 403:
            return StoreError(f"{where}: forbidden; the user may not do this, or the server is read-only")
        case 404 | 405 | 410:
            return StoreError(f"{where}: not the address of a store; check `url` and `kind`")
        case 413 | 414:
            return TooLargeRequestError(f"{where}: the request is too large")
        case _ if code in _BUSY:
            return StoreUnavailableError(f"{where}: the server is busy or being started; run again later")
        case _:
            return StoreError(f"{where}: the server failed; look into its log")


def _retry_after(text: str, otherwise: float) -> float:
    """Return how many seconds to wait, as the header Retry-After asks (RFC 9110, 10.2.3)."""
    if text.strip().isdigit():
        return min(float(text), _MAX_WAIT_SECONDS)
    try:
        seconds = email.utils.parsedate_to_datetime(text).timestamp() - time.time()
    except ValueError:
        return otherwise
    return min(max(seconds, 0.0), _MAX_WAIT_SECONDS)


def _shown(url: httpx.URL) -> str:
    return str(url).partition("?")[0]


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
