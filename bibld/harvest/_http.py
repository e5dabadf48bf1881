"""HTTP as harvesters need it: raw bytes, a deadline for each answer, retries, redirects, a rate that is learned."""

from __future__ import annotations

import email.utils
import ipaddress
import random
import socket
import ssl
import time
import urllib.parse
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx
import msgspec

from bibld._version import __version__
from bibld.errors import HarvestError
from bibld.harvest._records import MAX_FILE_BYTES, check_size
from bibld.harvest._settings import HttpSettings, UnusableResponseError
from bibld.harvest._store import StoredResponse, timestamp
from bibld.progress import with_number

_MAX_REDIRECTS = 5
_MAX_BACK_OFF_SECONDS = 60.0
_MAX_DELAY_SECONDS = 10.0
_CONNECT_SECONDS = 30.0
_GZIP, _ZLIB = b"\x1f\x8b", b"\x78"
_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504, 507, 509, 520, 521, 522, 523, 524})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_TLS = {"1.0": ssl.TLSVersion.TLSv1, "1.1": ssl.TLSVersion.TLSv1_1, "1.2": ssl.TLSVersion.TLSv1_2}
_BUSY = frozenset({429, 503})
_KINDS: Mapping[type[httpx.HTTPError], str] = {
    httpx.ConnectTimeout: "no connection in time",
    httpx.ReadTimeout: "no complete answer in time",
    httpx.ConnectError: "no connection",
    httpx.RemoteProtocolError: "the answer broke off",
    httpx.ReadError: "the answer broke off",
}

_HINTS = {
    "[Errno -2]": "check the address",
    "[Errno -3]": "check the network of this machine",
    "WRONG_VERSION_NUMBER": "the server does not answer in TLS; check whether its address begins with http:",
    "CERTIFICATE_VERIFY_FAILED": "if the server is the right one, state the certificates of its authority by ca_file",
}
"""What helps, by a part of the message of the system."""

_MIN_BYTES = 64 * 1024
"""Bytes that a download must bring before each deadline."""

Note = Callable[[str, str, bytes], None]
"""Notes a fault of the server: its kind, the address, the bytes that show it."""

Accept = Callable[[StoredResponse], str]
"""Returns why an answer cannot be used, so that the request is repeated; empty if it can."""


def accept_success(response: StoredResponse) -> str:
    """Accept answers with status 200."""
    return "" if response.status == 200 else f"status {response.status}"


class LearnedDelay(msgspec.Struct, frozen=True):
    """Seconds between two requests, as learned from a server that was busy."""

    delay: float = 0.0


class Transport:
    """Asks one server. ``keep`` stores an answer before it is used and returns it with its number."""

    def __init__(
        self,
        settings: HttpSettings,
        folder: Path,
        keep: Callable[[StoredResponse], StoredResponse],
        note: Note,
        learned: LearnedDelay,
        auth: httpx.Auth | None = None,
    ) -> None:
        """``folder`` is that of the configuration; ``learned`` is what earlier harvests learned.

        ``auth`` signs each request, instead of user and password.
        """
        self._settings = settings
        self._keep = keep
        self._note = note
        self._delay = max(settings.delay, learned.delay)
        self._next_at = 0.0
        self._was_busy = False
        self._retry_after: float | None = None
        self.requests = 0
        if auth is None and settings.user is not None:
            auth = httpx.BasicAuth(settings.user.read(), settings.password.read() if settings.password else "")
        contact = f" (+{settings.contact})" if settings.contact else ""
        self._auth = auth
        self._client = httpx.Client(
            verify=_tls(settings, folder),
            headers={"User-Agent": f"bibld/{__version__}{contact}", "Accept-Encoding": "gzip"},
            follow_redirects=False,
        )

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    @property
    def learned(self) -> LearnedDelay:
        """What a later harvest should know: after one in which the server was never busy, the delay is halved."""
        delay = self._delay if self._was_busy else self._delay / 2
        return LearnedDelay(delay if delay >= 0.05 and delay > self._settings.delay else 0.0)

    def get(self, url: str, accept: Accept = accept_success, tries: int | None = None) -> StoredResponse:
        """Return the answer to a request; raises ``HarvestError`` after the last try (as set, or at most ``tries``).

        Busy servers, errors of servers and of the network, and answers that ``accept`` refuses are tried again. An
        answer is stored before ``accept`` sees it. ``accept`` sees answers of any status, because servers put valid
        answers into errors; the default takes those with status 200.
        """
        fault = ""
        status = 0
        most = min(tries or self._settings.tries, self._settings.tries)
        for attempt in range(most):
            if attempt:
                self._wait_after(attempt)
            try:
                status, headers, raw, at = self._ask(url)
            except httpx.HTTPError as error:
                fault, status = _description(error), 0
                self._note("no-answer", url, fault.encode())
                self._retry_after = None
                continue
            body, damage = inflate(raw, self._settings.max_answer_bytes)
            response = self._keep(StoredResponse(0, at, timestamp(), status, headers, body))
            fault = damage or accept(response)
            if not fault:
                return response
            fault = self._refusal(response, fault)
        raise UnusableResponseError(f"{url}: {fault} ({with_number(most, 'try', 'tries')})", status)

    def _refusal(self, response: StoredResponse, fault: str) -> str:
        """Return why an answer is asked for again; raises ``HarvestError`` if that is of no use."""
        status = response.status
        self._retry_after = _retry_after(response.headers.get("retry-after", "")) if status in _BUSY else None
        if status < 300:
            return fault or f"status {status}"
        if status in _BUSY:
            self._note("busy", response.url, response.body)
            self._was_busy = True
            self._delay = min(max(2 * self._delay, self._settings.first_wait / 2), _MAX_DELAY_SECONDS)
            if self._retry_after is not None and self._retry_after > self._settings.longest_wait:
                raise HarvestError(
                    f"{response.url}: the server asks to come again in {self._retry_after:.0f} s (status {status}); the"
                    " next run continues from here"
                )
        elif status in (401, 403):
            self._note("blocked", response.url, response.body)
            if self._auth is not None and _origin(response.url) != _origin(self._settings.url):
                raise HarvestError(
                    f"{response.url}: refused with status {status}; user and password are sent only to"
                    f" {self._settings.url}: state the address that it leads to, if you trust it"
                )
            raise HarvestError(
                f"{response.url}: refused with status {status}; ask the owner to allow the address of this machine and"
                f' the program "bibld", or state user and password'
            )
        elif status not in _AGAIN:
            raise HarvestError(f"{response.url}: {_with_status(status, fault)}; check the address")
        return _with_status(status, fault)

    def _wait_after(self, attempt: int) -> None:
        back_off = min(self._settings.first_wait * 2 ** (attempt - 1), _MAX_BACK_OFF_SECONDS)
        wait = back_off * random.uniform(0.75, 1.25) if self._retry_after is None else self._retry_after
        time.sleep(max(wait, 0.0))

    def _ask(self, url: str) -> tuple[int, dict[str, str], bytes, str]:
        """Return status, headers, raw bytes and the address that answered, after redirects."""
        until = time.monotonic() + self._settings.deadline
        with self._opened(url, {}, until) as (response, at):
            pieces: list[bytes] = []
            size = 0
            for piece in self._pieces(response, until):
                size += len(piece)
                if size > self._settings.max_answer_bytes:
                    raise HarvestError(
                        f"{at}: the answer has more than {self._settings.max_answer_bytes:,} bytes; ask for smaller"
                        " portions, or state max_answer_bytes"
                    )
                pieces.append(piece)
            return response.status_code, _headers(response), b"".join(pieces), at

    def download(
        self, url: str, path: Path, headers: Mapping[str, str] | None = None, most: int = MAX_FILE_BYTES
    ) -> StoredResponse:
        """Fetch a file to ``path``; where an earlier attempt, or run, was interrupted, continue it with ``Range``.

        It is continued only if the server states what identifies the version (an entity tag or a date), which is stored
        beside the path. ``headers`` make a request for the beginning conditional. The body of the answer is empty. It
        is tried again as in :meth:`get`, but for the statuses 304, 404, 410 and 412, which are returned. The bytes are
        those that the server sent. A transfer is too slow if fewer than 64 KiB come before each deadline. It is ended,
        with ``HarvestError``, as soon as the file has more than ``most`` bytes, or the server states that it has.
        """
        fault = ""
        part = _PartialFile(path)
        for attempt in range(self._settings.tries):
            if attempt:
                self._wait_after(attempt)
            self._retry_after = None
            conditions = part.conditions() or headers or {}
            try:
                with self._opened(url, {"Accept-Encoding": "identity", **conditions}, None) as (response, at):
                    reply = StoredResponse(0, at, timestamp(), response.status_code, _headers(response), b"")
                    if reply.status in (304, 404, 410, 412):
                        return reply
                    if reply.status == 200 or part.continues(reply):
                        part.fetch(reply, self._pieces(response, None), most)
                        return reply
            except httpx.HTTPError as error:
                fault = _description(error)
                self._note("no-answer", url, fault.encode())
                continue
            except OSError as error:
                raise HarvestError(f"{path}: cannot be written: {error.strerror}; free some space") from error
            if reply.status in (206, 416):
                part.discard()
                fault = f"status {reply.status} for another part of the file"
                continue
            fault = self._refusal(reply, "")
        raise HarvestError(f"{url}: {fault} ({self._settings.tries} tries)")

    @contextmanager
    def _opened(
        self, url: str, headers: Mapping[str, str], until: float | None
    ) -> Iterator[tuple[httpx.Response, str]]:
        """Open an answer, after at most five redirects, none of them from https to http.

        User and password, or the signature, go only to the scheme, host and port that were asked for.
        """
        wanted = url
        for _ in range(_MAX_REDIRECTS + 1):
            time.sleep(max(self._next_at - time.monotonic(), 0.0))
            self._next_at = time.monotonic() + self._delay
            self.requests += 1
            timeout = httpx.Timeout(self._settings.deadline, connect=min(_CONNECT_SECONDS, self._settings.deadline))
            auth = self._auth if _origin(url) == _origin(wanted) else None
            with self._client.stream("GET", _address(url), headers=headers, auth=auth, timeout=timeout) as response:
                target = response.headers.get("location", "")
                if response.status_code not in _REDIRECTS or not target:
                    yield response, url
                    return
            moved = self._redirected(url, target)
            host, first_host = _address(moved).host, _address(wanted).host
            if host != first_host and _is_inside(host) and not _is_inside(first_host):
                raise HarvestError(
                    f"{url}: redirected to {target}, which is inside this network; that is not followed from a server"
                    " outside: state the address that it leads to, if it is right"
                )
            if url == wanted:
                self._note("moved", url, target.encode())
            url = moved
        raise HarvestError(f"{wanted}: more than {_MAX_REDIRECTS} redirects; state the address that it leads to")

    def _redirected(self, url: str, target: str) -> str:
        """Return where a redirect leads, with the query that it lost."""
        here = urllib.parse.urlsplit(url)
        try:
            there = urllib.parse.urlsplit(urllib.parse.urljoin(url, target))
            _ = there.port  # of an address that is none
        except ValueError as error:
            raise HarvestError(f"{url}: redirected to {target}, which is no web address: {error}") from error
        if there.scheme not in ("http", "https") or not there.hostname:
            raise HarvestError(f"{url}: redirected to {target}, which is no web address")
        if here.scheme == "https" and there.scheme == "http":
            raise HarvestError(f"{url}: redirected to {target} without encryption, which is not followed")
        if here.query and "verb=" in here.query and "verb=" not in there.query:
            self._note("redirect-lost-query", url, target.encode())
            there = there._replace(query=here.query)
        return urllib.parse.urlunsplit(there)

    def _pieces(self, response: httpx.Response, until: float | None) -> Iterator[bytes]:
        """Yield the raw bytes of an answer; raises ``httpx.ReadTimeout`` when its time is over."""
        window, came = time.monotonic() + self._settings.deadline, 0
        for piece in response.iter_raw():
            at = time.monotonic()
            if until is not None and at > until:
                raise httpx.ReadTimeout(f"the answer was not complete after {self._settings.deadline:g} s")
            came += len(piece)
            if until is None and at > window:
                if came < _MIN_BYTES:
                    raise httpx.ReadTimeout(f"only {came} bytes came in {self._settings.deadline:g} s")
                window, came = at + self._settings.deadline, 0
            yield piece


class _PartialFile:
    """A file that is being fetched, and beside it what identifies its version, so that it can be continued."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._version = path.with_name(f"{path.name}.version")

    def conditions(self) -> dict[str, str]:
        """Return the headers of a request for the rest; empty if there is nothing to continue."""
        if not self._path.exists() or not self._version.exists() or not self._path.stat().st_size:
            return {}
        return {"Range": f"bytes={self._path.stat().st_size}-", "If-Range": self._version.read_text(encoding="utf-8")}

    def continues(self, response: StoredResponse) -> bool:
        """Whether an answer is the rest of what is there."""
        if response.status != 206 or not self._path.exists():
            return False
        return response.headers.get("content-range", "").startswith(f"bytes {self._path.stat().st_size}-")

    def fetch(self, response: StoredResponse, pieces: Iterable[bytes], most: int) -> None:
        """Write the bytes of an answer; raises ``HarvestError``, and deletes the file, if they are too many."""
        length = response.headers.get("content-length", "")
        try:
            check_size(int(length[:18]) if length.isdecimal() else 0, most)
            if response.status != 206:
                self.discard()
                tag = response.headers.get("etag", "")
                version = response.headers.get("last-modified", "") if not tag or tag.startswith("W/") else tag
                if version and response.headers.get("accept-ranges") != "none":
                    self._version.write_text(version, encoding="utf-8")
            with self._path.open("ab") as out:
                for piece in pieces:
                    check_size(out.tell() + len(piece), most)
                    out.write(piece)
        except HarvestError:
            self.discard()
            raise
        self._version.unlink(missing_ok=True)  # it is complete

    def discard(self) -> None:
        """Delete what is there."""
        self._path.unlink(missing_ok=True)
        self._version.unlink(missing_ok=True)


def _address(url: str) -> httpx.URL:
    """Return an address; raises ``HarvestError`` if it is none."""
    try:
        return httpx.URL(url)
    except httpx.InvalidURL as error:
        raise HarvestError(f"{url[:200]}: is no web address: {error}; check the address") from error


def _origin(url: str) -> tuple[str, str, int | None]:
    address = _address(url)
    return address.scheme, address.host, address.port


def _is_inside(host: str) -> bool:
    """Return whether a host has an address of this machine or of a private network; one without address has not."""
    try:
        found = {str(entry[4][0]) for entry in socket.getaddrinfo(host, None)}
    except (OSError, ValueError):
        return False
    for one in found:
        address = ipaddress.ip_address(one)
        mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
        if not (mapped or address).is_global:
            return True
    return False


def inflate(raw: bytes, most: int) -> tuple[bytes, str]:
    """Decompress gzip or zlib, known by its first bytes whatever the headers state; return the bytes and the damage."""
    if raw[:2] == _GZIP:
        window = zlib.MAX_WBITS | 16
    elif raw[:1] == _ZLIB and len(raw) > 1 and not ((raw[0] << 8) | raw[1]) % 31:
        window = zlib.MAX_WBITS
    else:
        return raw, ""
    inflater = zlib.decompressobj(window)
    try:
        body = inflater.decompress(raw, most)
        if inflater.unconsumed_tail:
            return body, f"decompresses to more than {most:,} bytes"
        if not inflater.eof:
            return body, "the compressed answer is cut off"
    except zlib.error as error:
        return raw, f"the compressed answer is damaged: {error}"
    return body, ""


def _retry_after(value: str) -> float | None:
    """Return the seconds that a server asks to wait, from either form; None if it is nonsense."""
    value = value.strip()
    if value.isdecimal():
        return float(value[:9])
    try:
        at = email.utils.parsedate_to_datetime(value)
        return max(at.timestamp() - time.time(), 0.0)
    except (ValueError, TypeError, OverflowError):
        return None


def _tls(settings: HttpSettings, folder: Path) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=str(folder / settings.ca_file) if settings.ca_file else None)
    except (OSError, ssl.SSLError) as error:
        raise HarvestError(
            f"ca_file = {settings.ca_file}: cannot be used: {error}; name a file of certificates"
        ) from error
    context.minimum_version = _TLS.get(settings.tls_minimum, ssl.TLSVersion.TLSv1_3)
    return context


def _headers(response: httpx.Response) -> dict[str, str]:
    return {name.lower(): value for name, value in response.headers.items()}


def _description(error: httpx.HTTPError) -> str:
    text = " ".join(str(error).split())
    kind = _KINDS.get(type(error), type(error).__name__)
    hint = next((f"; {hint}" for sign, hint in _HINTS.items() if sign in text), "")
    return f"{kind}: {text}{hint}" if text else kind


def _with_status(status: int, fault: str) -> str:
    state = f"status {status}"
    return f"{state} ({fault})" if fault and fault != state else state
