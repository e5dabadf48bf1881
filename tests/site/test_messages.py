"""Messages as bytes: what HTTP clients never send (RFC 9112)."""

from __future__ import annotations

import re

import pytest

from tests.site.site import Site

pytestmark = pytest.mark.server

GET = "GET {path} HTTP/1.1\n"
HOST = "Host: {host}\n"
CLOSE = "Connection: close\n"
REFUSED = range(400, 500)
CHUNKED = f"POST {{path}} HTTP/1.1\n{HOST}{CLOSE}Transfer-Encoding: chunked\n"


def status_of(received: bytes) -> int:
    """Return the status of a response; 0 if the connection was closed without one."""
    if not received:
        return 0
    found = re.match(rb"HTTP/1\.[01] (\d\d\d)", received)
    assert found, received[:40]
    return int(found[1])


MESSAGES = {
    "no host (3.2)": (f"{GET}{CLOSE}\n", [400]),
    "two hosts (3.2)": (f"{GET}{HOST}Host: other.example.org\n{CLOSE}\n", [400]),
    "invalid chunk size (7.1)": (f"{CHUNKED}\nZZ\nhello\n0\n\n", [0, *REFUSED]),
    "two lengths (6.3)": (f"{GET}{HOST}{CLOSE}Content-Length: 1\nContent-Length: 2\n\nab", [0, 400]),
    "invalid length (6.3)": (f"{GET}{HOST}{CLOSE}Content-Length: -1\n\n", [0, 400]),
    "space before colon (5.1)": (f"{GET}{HOST}Accept : */*\n{CLOSE}\n", [400]),
    "invalid request line (3)": ("GET\n\n", [0, *REFUSED]),
    "connect": (f"CONNECT other.example.org:443 HTTP/1.1\nHost: other.example.org:443\n{CLOSE}\n", [0, *REFUSED, 501]),
}
"""Requests (with the clause of RFC 9112), and the status with which each is refused; 0: the connection is closed."""


@pytest.mark.parametrize(("request_text", "statuses"), MESSAGES.values(), ids=MESSAGES)
def test_malformed_messages_are_refused(site: Site, request_text: str, statuses: list[int]) -> None:
    assert status_of(site.raw(request_text)) in statuses


def test_a_target_with_the_host_is_the_same_and_no_host_of_a_client_is_repeated(site: Site) -> None:
    """RFC 9112, 3.2.2; RFC 9110, 7.4."""
    direct = site.raw(f"{GET}{HOST}{CLOSE}\n")
    absolute = site.raw(f"GET {{origin}}{{path}} HTTP/1.1\n{HOST}{CLOSE}\n")
    assert status_of(absolute) == status_of(direct)
    other = site.raw(f"GET http://other.example.org/ HTTP/1.1\nHost: other.example.org\n{CLOSE}\n")
    assert status_of(other) < 500
    assert not re.search(rb"\nlocation: (http:)?//other\.example\.org", other, re.IGNORECASE)


def test_the_response_to_head_has_no_body_and_pipelined_requests_are_answered_in_order(site: Site) -> None:
    """RFC 9110, 9.3.2; RFC 9112, 9.3.2."""
    head = site.raw(f"HEAD {{path}} HTTP/1.1\n{HOST}{CLOSE}\n")
    assert status_of(head)
    assert head.partition(b"\r\n\r\n")[2] == b""
    both = site.raw(f"{GET}{HOST}\n{GET}{HOST}{CLOSE}\n")
    assert len(re.findall(rb"HTTP/1\.1 \d\d\d [^\r\n]*\r\n", both)) == 2
