"""A polite client: bounded in requests, rate, time and bytes, and only of the hosts that were named."""

from __future__ import annotations

import http.client
import socket
import ssl
import time
import zlib
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from urllib.parse import quote, urljoin, urlsplit

import msgspec

from bibld._version import __version__
from bibld.conformance.checks import FailedError, NotApplicableError
from bibld.errors import StageError

_SAFE = "%/:=&?~#+!$,;'@()*[]"
_LONGEST_BODY = 32 << 20
_LARGEST_UNPACKED = 256 << 20
_SAFE_METHODS = ("GET", "HEAD")
_REDIRECTS = (301, 302, 303, 307, 308)
_MOST_REDIRECTS = 5
_PORTS = {"http": 80, "https": 443}

Headers = Sequence[tuple[str, str]]


class Politeness(msgspec.Struct, frozen=True):
    """The bounds of a client: requests a second and altogether, seconds for one answer, and further hosts.

    ``hosts`` are names (with ``:port`` if it is not the usual one) that may be asked besides that of the site.
    """

    rate: float = 5.0
    requests: int = 1000
    timeout: float = 20.0
    hosts: tuple[str, ...] = ()
    user_agent: str = f"bibld-conformance/{__version__}"


class Answer(msgspec.Struct, frozen=True):
    """An answer to a request; ``url`` is the address that was asked."""

    url: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> str:
        """Return the values of a header, joined; empty if there is none."""
        return ", ".join(value for key, value in self.headers if key.lower() == name.lower())

    @property
    def media_type(self) -> str:
        """The media type without parameters, in lower case."""
        return self.header("content-type").partition(";")[0].strip().lower()

    @property
    def location(self) -> str:
        """The absolute address of the header Location; empty if there is none."""
        location = self.header("location")
        return urljoin(self.url, location) if location else ""

    def __str__(self) -> str:
        kind = f" {self.media_type}" if self.media_type else ""
        return f"{self.status}{kind}"


class Client:
    """Sends requests one after the other. Equal GET and HEAD requests are sent once."""

    def __init__(self, url: str, politeness: Politeness) -> None:
        self._politeness = politeness
        self._hosts = {host_of(url), *politeness.hosts}
        self._answers: dict[tuple[object, ...], Answer] = {}
        self._connections: dict[str, http.client.HTTPConnection] = {}
        self._next = 0.0
        self.sent = 0

    def check_connection(self, url: str) -> None:
        """Raise ``StageError`` if no connection to the host of an address can be made; nothing is sent."""
        try:
            with closing(self._connect(url)) as connection:
                connection.connect()
        except (OSError, http.client.HTTPException, UnicodeError) as error:  # some host names cannot be encoded
            reason = getattr(error, "strerror", None) or error
            raise StageError(
                f"{url}: no connection to {host_of(url)}: {reason}; start the server, or name another address"
            ) from error

    def close(self) -> None:
        """Close the connections."""
        for connection in self._connections.values():
            connection.close()
        self._connections.clear()

    def get(self, url: str, accept: str | None = None, headers: Iterable[tuple[str, str]] = ()) -> Answer:
        """Return the answer to GET; redirects are not followed."""
        accepted = () if accept is None else (("Accept", accept),)
        return self.send("GET", url, (*accepted, *headers))

    def follow(self, url: str, accept: str | None = None, headers: Iterable[tuple[str, str]] = ()) -> Answer:
        """Return the answer to GET after its redirects."""
        for _ in range(_MOST_REDIRECTS + 1):
            answer = self.get(url, accept, headers)
            if answer.status not in _REDIRECTS or not answer.location:
                return answer
            url = answer.location
        raise FailedError(f"more than {_MOST_REDIRECTS} redirects from {url}")

    def send(self, method: str, url: str, headers: Headers = (), body: bytes = b"") -> Answer:
        """Return the answer to a request.

        Raises ``FailedError`` if there is none in time, ``NotApplicableError`` for a host that may not be asked.
        """
        url = to_uri(url)
        key = (method, url, tuple(headers), body)
        if key not in self._answers:
            self._check_host(url)
            self._wait()
            answer = self._exchange(method, url, headers, body)
            if method not in _SAFE_METHODS:
                return answer
            self._answers[key] = answer
        return self._answers[key]

    def raw(self, url: str, request: bytes) -> bytes:
        """Send bytes on a new connection; return what comes back until the server closes it or is silent."""
        self._check_host(url)
        self._wait()
        parts = urlsplit(url)
        received = bytearray()
        try:
            with socket.create_connection(_address(url), self._politeness.timeout) as plain:
                connection = plain
                if parts.scheme == "https":
                    connection = ssl.create_default_context().wrap_socket(plain, server_hostname=parts.hostname)
                connection.sendall(request)
                deadline = time.monotonic() + self._politeness.timeout
                while len(received) < _LONGEST_BODY and (piece := connection.recv(65536)):
                    received += piece
                    if time.monotonic() > deadline:
                        break
        except (ConnectionError, TimeoutError):
            return bytes(received)
        except OSError as error:
            raise FailedError(f"no connection to {host_of(url)}: {error}") from error
        return bytes(received)

    def _exchange(self, method: str, url: str, headers: Headers, body: bytes) -> Answer:
        parts = urlsplit(url)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        error: Exception | None = None
        for _ in range(2):  # the server may have closed a connection that was idle
            origin = f"{parts.scheme}://{parts.netloc}"
            is_new = origin not in self._connections
            connection = self._connections.setdefault(origin, self._connect(url))
            try:
                connection.putrequest(method, target, skip_accept_encoding=True)
                connection.putheader("User-Agent", self._politeness.user_agent)
                for name, value in headers:
                    connection.putheader(name, value.encode("utf-8"))
                if body or method in ("POST", "PUT"):
                    connection.putheader("Content-Length", str(len(body)))
                connection.endheaders()
                with suppress(ConnectionError):  # the server may answer before it has read the body, and read no more
                    connection.send(body)
                response = connection.getresponse()
                with response:
                    data = self._body(response)
                return Answer(url, response.status, tuple(response.getheaders()), data)
            except (OSError, http.client.HTTPException) as caught:
                error = caught
                self._connections.pop(origin).close()
                if is_new or isinstance(caught, TimeoutError):
                    break
        raise FailedError(f"{method} {url}: no answer: {error or 'connection closed'}") from error

    def _body(self, response: http.client.HTTPResponse) -> bytes:
        """Return the body; raises ``TimeoutError`` for one that comes too slowly."""
        deadline = time.monotonic() + self._politeness.timeout
        taken = bytearray()
        while len(taken) < _LONGEST_BODY and (piece := response.read1(1 << 16)):
            taken += piece
            if time.monotonic() > deadline:
                raise TimeoutError(f"the body is not complete after {self._politeness.timeout:g} s")
        return bytes(taken)

    def _connect(self, url: str) -> http.client.HTTPConnection:
        parts = urlsplit(url)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        host, port = _address(url)
        return kind(host, port, timeout=self._politeness.timeout)

    def _check_host(self, url: str) -> None:
        host = host_of(url)
        if host not in self._hosts:
            raise NotApplicableError(f"{url} is on another host; allow requests to it with --host {host}")

    def _wait(self) -> None:
        self.sent += 1
        if self.sent > self._politeness.requests:
            raise FailedError(f"not checked: {self._politeness.requests} requests were sent; raise --requests")
        pause = self._next - time.monotonic()
        if pause > 0:
            time.sleep(pause)
        self._next = time.monotonic() + 1 / self._politeness.rate


def unpack_gzip(data: bytes) -> bytes:
    """Return what was compressed with gzip; raises ``FailedError`` if it is not gzip, or too large unpacked."""
    unpacked = bytearray()
    try:
        while data:
            unpacking = zlib.decompressobj(wbits=31)
            unpacked += unpacking.decompress(data, _LARGEST_UNPACKED - len(unpacked) + 1)
            if len(unpacked) > _LARGEST_UNPACKED:
                raise FailedError(f"more than {_LARGEST_UNPACKED >> 20} MiB unpacked")
            if not unpacking.eof:
                raise FailedError("the gzip data are not complete")
            data = unpacking.unused_data
    except zlib.error as error:
        raise FailedError(f"not gzip: {error}") from error
    return bytes(unpacked)


def host_of(url: str) -> str:
    """Return the host of an address, with its port if it is not the usual one of the scheme."""
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    return host if parts.port in (None, _PORTS.get(parts.scheme)) else f"{host}:{parts.port}"


def to_uri(iri: str) -> str:
    """Return the URI of an IRI (RFC 3987, 3.1), without its fragment."""
    return quote(iri.partition("#")[0], safe=_SAFE)


def _address(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or _PORTS.get(parts.scheme, 80)
