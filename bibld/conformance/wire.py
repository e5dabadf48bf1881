"""Messages as bytes: what HTTP clients never send (RFC 9112)."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urlsplit

from bibld.conformance.checks import Check, FailedError, NotApplicableError, Outcome, expect
from bibld.conformance.site import Site
from bibld.conformance.web import host_of, to_uri

_STATUS = re.compile(rb"HTTP/1\.[01] (\d\d\d)")
_REFUSED = range(400, 500)


def _exchange(site: Site, request: str) -> tuple[int, bytes]:
    """Send a request; return the status of the answer (0 if the connection was closed), and all bytes."""
    target = urlsplit(to_uri(site.rdf.url))
    path = (target.path or "/") + (f"?{target.query}" if target.query else "")
    text = request.format(path=path, host=host_of(site.url), origin=f"{target.scheme}://{host_of(site.url)}")
    received = site.client.raw(site.url, text.replace("\n", "\r\n").encode("latin-1"))
    found = _STATUS.match(received)
    if received and not found:
        raise FailedError(f"the answer does not begin with a status line: {received[:40]!r}")
    return (int(found[1]) if found else 0), received


def _gives(request: str, *statuses: int) -> Callable[[Site], Outcome]:
    """Return a check of the status that a request gets; 0: the connection is closed without an answer."""

    def run(site: Site) -> Outcome:
        status, _ = _exchange(site, request)
        return expect(status in statuses, str(status) if status else "connection closed")

    return run


def _connect(site: Site) -> Outcome:
    status, _ = _exchange(
        site, "CONNECT other.example.org:443 HTTP/1.1\nHost: other.example.org:443\nConnection: close\n\n"
    )
    return expect(status in (0, *_REFUSED, 501), str(status))


def _absolute(site: Site) -> Outcome:
    direct, _ = _exchange(site, "GET {path} HTTP/1.1\nHost: {host}\nConnection: close\n\n")
    absolute, _ = _exchange(site, "GET {origin}{path} HTTP/1.1\nHost: {host}\nConnection: close\n\n")
    return expect(absolute == direct, f"absolute-form {absolute}, origin-form {direct}")


def _other_host(site: Site) -> Outcome:
    request = "GET http://other.example.org/ HTTP/1.1\nHost: other.example.org\nConnection: close\n\n"
    status, received = _exchange(site, request)
    head = received.partition(b"\r\n\r\n")[0].lower()
    is_sent = b"location: http://other.example.org" in head or b"location: //other.example.org" in head
    return expect(not is_sent and status < 500, str(status))


def _head_body(site: Site) -> Outcome:
    status, received = _exchange(site, "HEAD {path} HTTP/1.1\nHost: {host}\nConnection: close\n\n")
    if not status:
        raise NotApplicableError("no answer")
    body = received.partition(b"\r\n\r\n")[2]
    return expect(not body, f"{len(body)} bytes after the headers")


def _pipeline(site: Site) -> Outcome:
    one = "GET {path} HTTP/1.1\nHost: {host}\n"
    _, received = _exchange(site, f"{one}\n{one}Connection: close\n\n")
    answers = len(re.findall(rb"HTTP/1\.1 \d\d\d [^\r\n]*\r\n", received))
    return expect(answers == 2, f"{answers} answers to 2 requests")


_CHUNKED = "POST {path} HTTP/1.1\nHost: {host}\nConnection: close\nTransfer-Encoding: chunked\n"

CHECKS = (
    Check(
        "no-host",
        "HTTP/1.1 without Host answers 400",
        "RFC 9112, 3.2",
        _gives("GET {path} HTTP/1.1\nConnection: close\n\n", 400),
    ),
    Check(
        "two-hosts",
        "two Host lines answer 400",
        "RFC 9112, 3.2",
        _gives("GET {path} HTTP/1.1\nHost: {host}\nHost: other.example.org\nConnection: close\n\n", 400),
    ),
    Check("absolute-form", "a target with the host is the same", "RFC 9112, 3.2.2", _absolute),
    Check("other-host", "no redirect leads to a host that the client named", "RFC 9110, 7.4", _other_host),
    Check("connect", "CONNECT is refused", "RFC 9110, 9.3.6", _connect),
    Check(
        "bad-chunk",
        "an invalid chunk size answers 4xx, or the connection ends",
        "RFC 9112, 7.1",
        _gives(f"{_CHUNKED}\nZZ\nhello\n0\n\n", 0, *_REFUSED),
    ),
    Check(
        "two-lengths",
        "differing lengths answer 400, or the connection ends",
        "RFC 9112, 6.3",
        _gives(
            "GET {path} HTTP/1.1\nHost: {host}\nConnection: close\nContent-Length: 1\nContent-Length: 2\n\nab", 0, 400
        ),
    ),
    Check(
        "bad-length",
        "an invalid length answers 400, or the connection ends",
        "RFC 9112, 6.3",
        _gives("GET {path} HTTP/1.1\nHost: {host}\nConnection: close\nContent-Length: -1\n\n", 0, 400),
    ),
    Check(
        "space-before-colon",
        "white space before the colon of a header answers 400",
        "RFC 9112, 5.1",
        _gives("GET {path} HTTP/1.1\nHost: {host}\nAccept : */*\nConnection: close\n\n", 400),
    ),
    Check(
        "bad-request-line",
        "an invalid request line answers 4xx, or the connection ends",
        "RFC 9112, 3",
        _gives("GET\n\n", 0, *_REFUSED),
    ),
    Check("head-no-body", "the answer to HEAD has no body", "RFC 9110, 9.3.2", _head_body),
    Check("pipelining", "requests that are sent together are answered in order", "RFC 9112, 9.3.2", _pipeline),
)
