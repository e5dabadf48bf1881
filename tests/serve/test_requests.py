"""HTTP/1.1 as RFC 9112 demands it, byte for byte, over a real connection."""

from __future__ import annotations

import pytest

from tests.serve.server import PATIENCE, Server, serving

HOST = b"Host: data.example.org\r\nConnection: close\r\n"
POST = b"POST /lod/sparql HTTP/1.1\r\nContent-Type: application/sparql-query\r\n" + HOST
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    hosts = ["data.example.org", "localhost"]
    with serving(tmp_path_factory.mktemp("requests"), request_timeout=PATIENCE, hosts=hosts) as it:
        yield it


@pytest.fixture(scope="module")
def hasty_server(tmp_path_factory):
    """A server that gives a request one second to arrive."""
    with serving(tmp_path_factory.mktemp("hasty"), request_timeout=1.0) as it:
        yield it


def status_of(answer: bytes) -> int:
    return int(answer.split(b"\r\n")[0].split()[1]) if answer else 0


@pytest.mark.server
@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GET /lod/ HTTP/1.1\r\n" + HOST + b"\r\n", 200),
        (b"GET /lod/ HTTP/1.1\r\nHost: DATA.example.org:8000\r\nConnection: close\r\n\r\n", 200),
        (b"GET /lod/ HTTP/1.0\r\n\r\n", 200),
        (b"HEAD /lod/ HTTP/1.1\r\n" + HOST + b"\r\n", 200),
        # 3.2: exactly one Host
        (b"GET /lod/ HTTP/1.1\r\nConnection: close\r\n\r\n", 400),
        (b"GET /lod/ HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n", 400),
        (b"GET /lod/ HTTP/1.1\r\nHost: localhost\r\n" + HOST + b"\r\n", 400),
        (b"GET /lod/ HTTP/1.1\r\nHost: a/b\r\nConnection: close\r\n\r\n", 400),
        (b"GET /lod/ HTTP/1.1\r\nHost: user@data.example.org\r\nConnection: close\r\n\r\n", 400),
        (b"GET /lod/ HTTP/1.0\r\nHost: localhost\r\nHost: data.example.org\r\n\r\n", 400),
        # 3.2.2: the absolute form
        (b"GET http://data.example.org/lod/ HTTP/1.1\r\n" + HOST + b"\r\n", 200),
        (b"GET http://other.example/lod/ HTTP/1.1\r\nHost: other.example\r\nConnection: close\r\n\r\n", 421),
        (b"GET /lod/ HTTP/1.1\r\nHost: other.example\r\nConnection: close\r\n\r\n", 421),
        # 3.2.3 and 3.2.4: authority and asterisk
        (b"CONNECT data.example.org:443 HTTP/1.1\r\n" + HOST + b"\r\n", 405),
        (b"CONNECT other.example:443 HTTP/1.1\r\nHost: other.example:443\r\nConnection: close\r\n\r\n", 405),
        (b"OPTIONS * HTTP/1.1\r\n" + HOST + b"\r\n", 204),
        (b"GET * HTTP/1.1\r\n" + HOST + b"\r\n", 400),
        (b"TRACE /lod/ HTTP/1.1\r\n" + HOST + b"\r\n", 405),
        (b"DELETE /lod/ HTTP/1.1\r\n" + HOST + b"\r\n", 405),
        (b"BREW /lod/ HTTP/1.1\r\n" + HOST + b"\r\n", 405),
        # 3: the request line
        (b"GET /lod/\r\n\r\n", 400),
        (b"GET /lod/ a HTTP/1.1\r\n" + HOST + b"\r\n", 400),
        (b"GET /lod/ HTTP/2.0\r\n" + HOST + b"\r\n", 400),
        (b"G(ET /lod/ HTTP/1.1\r\n" + HOST + b"\r\n", 400),
        (b"GET /" + b"a" * 9_000 + b" HTTP/1.1\r\n" + HOST + b"\r\n", 414),
        (b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n" + HOST + b"\r\n", 414),
        # 5: headers
        (b"GET /lod/ HTTP/1.1\r\nHost : localhost\r\n\r\n", 400),
        (b"GET /lod/ HTTP/1.1\r\n" + HOST + b" folded: a\r\n\r\n", 400),
        (b"GET /lod/ HTTP/1.1\r\n" + HOST + b"".join(b"X-%d: a\r\n" % n for n in range(200)) + b"\r\n", 431),
        (b"GET /lod/ HTTP/1.1\r\n" + HOST + b"X: " + b"a" * 40_000 + b"\r\n\r\n", 431),
        (b"GET /lod/ HTTP/1.1\r\n" + HOST + b"X: " + b"a" * 400_000 + b"\r\n\r\n", 431),
        # 6 and 7: bodies
        (CHUNKED + b"6\r\nASK { \r\n1\r\n}\r\n0\r\n\r\n", 200),
        (CHUNKED + b"6;a=b\r\nASK { \r\n1\r\n}\r\n0\r\nTrailer: a\r\n\r\n", 200),
        (CHUNKED + b"ZZ\r\nASK {}\r\n0\r\n\r\n", 400),
        (CHUNKED + b"-6\r\nASK {}\r\n0\r\n\r\n", 400),
        (CHUNKED + b"6 6\r\nASK {}\r\n0\r\n\r\n", 400),
        (CHUNKED + b"FFFFFFFFFFFFFFFFF\r\nASK {}\r\n0\r\n\r\n", 400),
        (CHUNKED + b"6\r\nASK {}0\r\n\r\n", 400),
        (POST + b"Content-Length: 6\r\n\r\nASK {}", 200),
        (POST + b"Content-Length: six\r\n\r\nASK {}", 400),
        (POST + b"Content-Length: -1\r\n\r\nASK {}", 400),
        (POST + b"Content-Length: 6\r\nContent-Length: 7\r\n\r\nASK {}", 400),
        (POST + b"Content-Length: 99999999999\r\n\r\nASK {}", 413),
        (POST + b"Transfer-Encoding: gzip\r\n\r\nASK {}", 400),
        (b"GET /lod/ HTTP/1.1\r\nContent-Length: 10\r\n" + HOST + b"\r\nabc", 200),
    ],
)
def test_each_request_gets_the_status_of_the_standard(server: Server, sent, status):
    answer = server.exchange(sent)
    assert status_of(answer) == status, answer[:500]
    assert b"location:" not in answer.lower()


@pytest.mark.server
def test_a_body_beyond_the_bound_is_refused_while_it_arrives(server: Server):
    with server.connect(CHUNKED) as client:
        received = b""
        try:
            for _ in range(4096):
                client.sendall(b"1000\r\n" + b" " * 0x1000 + b"\r\n")
        except OSError:
            pass
        try:
            received = client.recv(65536)
        except ConnectionResetError:
            return  # the server closed the connection with bytes unread; the answer was lost with them
    assert status_of(received) == 413


@pytest.mark.server
@pytest.mark.parametrize("sent", [POST + b"Content-Length: 7\r\n\r\nASK {}", CHUNKED + b"6\r\nASK {"])
def test_a_body_that_does_not_end_is_refused(hasty_server: Server, sent):
    assert status_of(hasty_server.exchange(sent)) == 408


@pytest.mark.server
def test_a_header_that_does_not_end_is_cut_and_so_is_an_idle_connection(hasty_server: Server):
    assert hasty_server.exchange(b"") == b""
    assert hasty_server.exchange(b"GET /lod/ HT") == b""
    answer = hasty_server.exchange(b"GET /lod/ HTTP/1.1\r\nHost: localhost\r\n\r\n")  # no Connection: close
    assert status_of(answer) == 200


@pytest.mark.server
def test_a_malformed_request_leaves_no_traceback(server: Server):
    server.exchange(CHUNKED + b"ZZ\r\nASK {}\r\n0\r\n\r\n")
    assert "Traceback" not in (server.folder / "server.log").read_text()


@pytest.mark.server
def test_an_answer_to_head_and_a_refusal_have_the_right_bodies(server: Server):
    head, _, body = server.exchange(b"HEAD /health HTTP/1.1\r\n" + HOST + b"\r\n").partition(b"\r\n\r\n")
    assert (status_of(head), body) == (200, b"")
    refusal = server.exchange(b"TRACE /lod/ HTTP/1.1\r\n" + HOST + b"\r\n").lower()
    assert b"content-type: application/problem+json" in refusal
    assert b"allow: get, head, options, post" in refusal
    assert b"connection: close" in refusal
