"""Requests to a remote store: credentials for one origin only, deadlines, and tries while the server is busy.

Credentials are sent by Basic (RFC 7617), Bearer (RFC 6750) or Digest (RFC 7616) authentication."""

from __future__ import annotations

import email.utils
import hashlib
import html
import http.client
import ipaddress
import re
import secrets
import socket
import time
import urllib.error
import urllib.parse
import urllib.request
from base64 import b64encode
from collections.abc import Mapping
from email.message import Message
from typing import IO, Literal

import msgspec

from bibld.errors import BadQueryError, QueryTimeoutError, StoreError, StoreUnavailableError
from bibld.protocols import RemoteAccess

Authentication = Literal["basic", "digest", "bearer"]
"""How a server is given the credentials; a bearer token is the password."""

_HASHES = {"MD5": hashlib.md5, "SHA-256": hashlib.sha256}


class Authorization:
    """Adds a constant header, or none if it is empty."""

    def __init__(self, header: str = "") -> None:
        self._header = header

    def add(self, request: urllib.request.Request) -> None:
        """Add the header to a request."""
        if self._header:
            request.add_unredirected_header("Authorization", self._header)

    def accept_challenge(self, headers: Message) -> bool:
        """Return whether the request can be sent again, with an answer to the challenge of a status 401."""
        return False


class DigestAuthorization(Authorization):
    """Answers the last challenge again with each request; otherwise every body would be sent twice."""

    def __init__(self, user: str, password: str) -> None:
        super().__init__()
        self._user = user
        self._password = password
        self._challenge: Mapping[str, str] = {}
        self._uses = 0

    def add(self, request: urllib.request.Request) -> None:
        """Add the answer to the last challenge."""
        if self._challenge:
            self._uses += 1
            header = self._answer(request.get_method(), request.selector)
            request.add_unredirected_header("Authorization", header)

    def accept_challenge(self, headers: Message) -> bool:
        """Store a challenge; false where the previous request had answered one that is not stale."""
        scheme, _, rest = headers.get("WWW-Authenticate", "").partition(" ")
        challenge = urllib.request.parse_keqv_list(urllib.request.parse_http_list(rest)) if rest else {}
        if scheme.lower() != "digest" or challenge.get("algorithm", "MD5") not in _HASHES:
            return False
        was_answered = self._uses == 1 and challenge.get("stale", "").lower() != "true"
        self._challenge, self._uses = challenge, 0
        return not was_answered

    def _answer(self, method: str, address: str) -> str:
        challenge = self._challenge
        algorithm = challenge.get("algorithm", "MD5")
        realm, nonce = challenge.get("realm", ""), challenge.get("nonce", "")

        def hashed(text: str) -> str:
            return _HASHES[algorithm](text.encode()).hexdigest()

        secret, target = hashed(f"{self._user}:{realm}:{self._password}"), hashed(f"{method}:{address}")
        fields = {"username": self._user, "realm": realm, "nonce": nonce, "uri": address}
        if "qop" in challenge:
            count, own_nonce = f"{self._uses:08x}", secrets.token_hex(8)
            response = hashed(f"{secret}:{nonce}:{count}:{own_nonce}:auth:{target}")
            plain = f", qop=auth, nc={count}, algorithm={algorithm}"
            fields["cnonce"] = own_nonce
        else:
            response = hashed(f"{secret}:{nonce}:{target}")
            plain = f", algorithm={algorithm}"
        fields["response"] = response
        if "opaque" in challenge:
            fields["opaque"] = challenge["opaque"]
        quoted = {name: value.replace("\\", "\\\\").replace('"', '\\"') for name, value in fields.items()}
        return "Digest " + ", ".join(f'{name}="{value}"' for name, value in quoted.items()) + plain


def authorization_of(user: str, password: str, authentication: Authentication) -> Authorization:
    """Return what adds the credentials to requests."""
    if not password:
        return Authorization()
    if authentication == "digest":
        return DigestAuthorization(user, password)
    if authentication == "bearer":
        return Authorization(f"Bearer {password}")
    return Authorization("Basic " + b64encode(f"{user}:{password}".encode()).decode("ascii"))


_BUSY = frozenset({429, 502, 503, 504})
_FAILED = 500
_FIRST_WAIT_SECONDS = 0.5
_MAX_WAIT_SECONDS = 60.0
_PIECE = 1 << 16
_SHOWN = 300
_MARKUP = re.compile(r"<(style|script|title)\b.*?</\1>|<[^>]*>", re.DOTALL | re.IGNORECASE)
_AGENT = "bibld (+https://www.w3.org/TR/sparql11-protocol/)"
_PORTS = {"http": 80, "https": 443}


class TooLargeRequestError(BadQueryError):
    """The server refuses a request of this size."""


class StoreResponse(msgspec.Struct, frozen=True):
    """A successful answer; ``media_type`` has no parameters, the names of ``headers`` are in lower case."""

    media_type: str
    body: bytes
    headers: dict[str, str] = {}


def origin(url: str) -> tuple[str, str, int]:
    """Return scheme, host and port of an address."""
    parts = urllib.parse.urlsplit(url)
    return parts.scheme, parts.hostname or "", parts.port or _PORTS.get(parts.scheme, 0)


class Connection:
    """Sends requests to one origin, with the credentials for it. Redirects to another origin are refused."""

    def __init__(self, access: RemoteAccess, authentication: Authentication) -> None:
        self._access = access
        self._authorization = authorization_of(access.user, access.password, authentication)
        without_proxy = [urllib.request.ProxyHandler({})] if _is_loopback(access.url) else []
        self._opener = urllib.request.build_opener(_SameOrigin(), *without_proxy)

    def send(self, request: urllib.request.Request, timeout: float | None = None) -> StoreResponse:
        """Send a request that may be repeated; ``timeout`` is in seconds for the complete answer.

        Raises ``BadQueryError`` (status 400), ``QueryTimeoutError``, ``StoreUnavailableError`` or ``StoreError``.
        """
        request.add_header("User-agent", _AGENT)
        for attempt in range(1, self._access.tries + 1):
            is_last = attempt == self._access.tries
            wait = min(_FIRST_WAIT_SECONDS * 2 ** (attempt - 1), _MAX_WAIT_SECONDS)
            try:
                return self._send_authorized(request, timeout or self._access.timeout)
            except urllib.error.HTTPError as error:
                is_worth_it = error.code in _BUSY or (error.code == _FAILED and attempt == 1)  # a deadlock, for example
                if not is_worth_it or is_last:
                    raise _error_of(error, request) from None
                wait = _retry_after(error.headers, wait)
                error.close()
            except (OSError, http.client.HTTPException) as error:
                cause = getattr(error, "reason", error)
                if isinstance(cause, TimeoutError):
                    raise QueryTimeoutError(
                        f"{_shown(request.full_url)}: no complete answer in {timeout or self._access.timeout:g} s;"
                        " raise `timeout` of the store, or look for what keeps the server busy"
                    ) from error
                if is_last or isinstance(cause, socket.gaierror):
                    raise StoreUnavailableError(
                        f"{_shown(request.full_url)}: no answer ({cause or type(error).__name__});"
                        " is the server running and the address right?"
                    ) from error
            time.sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    def _send_authorized(self, request: urllib.request.Request, timeout: float) -> StoreResponse:
        self._authorization.add(request)
        try:
            return self._send_once(request, timeout)
        except urllib.error.HTTPError as error:
            if error.code != 401 or not self._authorization.accept_challenge(error.headers):
                raise
            error.close()
        self._authorization.add(request)
        return self._send_once(request, timeout)

    def _send_once(self, request: urllib.request.Request, timeout: float) -> StoreResponse:
        deadline = time.monotonic() + timeout
        pieces: list[bytes] = []
        with self._opener.open(request, timeout=timeout) as response:
            while piece := response.read1(_PIECE):
                pieces.append(piece)
                if time.monotonic() > deadline:
                    raise TimeoutError
            headers = {name.lower(): value for name, value in response.headers.items()}
        body = b"".join(pieces)
        length = headers.get("content-length", "")
        if length.isdigit() and int(length) != len(body) and request.get_method() != "HEAD":
            raise http.client.IncompleteRead(body, int(length) - len(body))
        return StoreResponse(headers.get("content-type", "").partition(";")[0].strip().lower(), body, headers)


class _SameOrigin(urllib.request.HTTPRedirectHandler):
    """Follows redirects inside one origin, and repeats method and body for the statuses 307 and 308."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: Message,
        newurl: str,
    ) -> urllib.request.Request | None:
        if origin(newurl) != origin(req.full_url):
            raise StoreError(
                f"{_shown(req.full_url)}: redirects to {_shown(newurl)}, another server, which is not followed because"
                " it would be given the credentials; configure the address that answers"
            )
        if req.get_method() in ("GET", "HEAD"):
            return super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]
        if code in (307, 308):
            return urllib.request.Request(newurl, req.data, dict(req.header_items()), method=req.get_method())
        raise StoreError(
            f"{_shown(req.full_url)}: redirects a {req.get_method()} request to {_shown(newurl)} (HTTP {code});"
            " configure the address that answers"
        )

    http_error_308 = urllib.request.HTTPRedirectHandler.http_error_302


def _error_of(error: urllib.error.HTTPError, request: urllib.request.Request) -> StoreError:
    """Return the error for a status that is not a success, with what to do."""
    with error:
        text = error.read(_PIECE).decode("utf-8", "replace")
        if error.headers.get_content_type() == "text/html":
            text = html.unescape(_MARKUP.sub(" ", text))
        words = " ".join(text.split())[:_SHOWN]
    where = f"{_shown(request.full_url)}: HTTP {error.code}{f' ({words})' if words else ''}"
    match error.code:
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
        case code if code in _BUSY:
            return StoreUnavailableError(f"{where}: the server is busy or being started; run again later")
        case _:
            return StoreError(f"{where}: the server failed; look into its log")


def _retry_after(headers: Message, otherwise: float) -> float:
    """Return how many seconds to wait, as the header Retry-After asks (RFC 9110, 10.2.3)."""
    text = headers.get("Retry-After", "").strip()
    if text.isdigit():
        return min(float(text), _MAX_WAIT_SECONDS)
    try:
        seconds = email.utils.parsedate_to_datetime(text).timestamp() - time.time()
    except ValueError:
        return otherwise
    return min(max(seconds, 0.0), _MAX_WAIT_SECONDS)


def _shown(url: str) -> str:
    return url.partition("?")[0]


def _is_loopback(url: str) -> bool:
    host = origin(url)[1]
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
