"""A site that breaks one rule: a proxy before a good server, which changes requests or answers."""

from __future__ import annotations

import http.client
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import BaseRequestHandler, ThreadingTCPServer
from urllib.parse import urlsplit


@dataclass
class Exchange:
    """A request, and then also its answer. Names of headers are in lower case."""

    method: str
    path: str
    sent: list[tuple[str, str]]
    content: bytes
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def accept(self) -> str:
        return ", ".join(value for name, value in self.sent if name == "accept")

    def has(self, name: str) -> bool:
        return any(each == name for each, _ in self.sent)

    def without(self, name: str) -> None:
        self.sent = [pair for pair in self.sent if pair[0] != name]

    @property
    def media_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0]


Change = Callable[[Exchange], None]


def unchanged(_: Exchange) -> None:
    """Change nothing."""


@dataclass(frozen=True)
class Fault:
    """What a site does wrong: with requests before they are answered, with answers before they are sent."""

    asked: Change = unchanged
    answered: Change = unchanged


@contextmanager
def proxy(upstream: str, fault: Fault) -> Iterator[str]:
    """The address of a server that passes requests on."""
    there = urlsplit(upstream)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def forward(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            sent = [(name.lower(), value) for name, value in self.headers.items()]
            exchange = Exchange(self.command, self.path, sent, self.rfile.read(length))
            fault.asked(exchange)
            answer(exchange, there.hostname or "", there.port or 80)
            fault.answered(exchange)
            self.send_response_only(exchange.status)
            body = b"" if self.command == "HEAD" or exchange.status in (204, 304) else exchange.body
            if self.command != "HEAD" and exchange.status not in (204, 304):
                exchange.headers["content-length"] = str(len(body))
            for name, value in exchange.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def __getattr__(self, name: str) -> object:
            if name.startswith("do_"):
                return self.forward
            raise AttributeError(name)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    with running(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as address:
        yield address


def answer(exchange: Exchange, host: str, port: int) -> None:
    """Send the request to the good server."""
    connection = http.client.HTTPConnection(host, port, timeout=600)
    connection.putrequest(exchange.method, exchange.path, skip_accept_encoding=True)
    for name, value in exchange.sent:
        if name not in ("host", "connection"):
            connection.putheader(name, value.encode("latin-1"))
    connection.endheaders()
    with suppress(ConnectionError):  # a server may answer before it has read the body
        connection.send(exchange.content)
    response = connection.getresponse()
    exchange.status = response.status
    for name, value in response.getheaders():
        if name.lower() not in ("transfer-encoding", "connection"):
            joined = exchange.headers.get(name.lower())
            exchange.headers[name.lower()] = f"{joined}, {value}" if joined else value
    exchange.body = response.read()
    connection.close()


@contextmanager
def relay(upstream: str, pattern: bytes, reply: bytes) -> Iterator[str]:
    """The address of a server that answers messages with a pattern itself, and passes the bytes of others on."""
    there = urlsplit(upstream)

    class Handler(BaseRequestHandler):
        def handle(self) -> None:
            self.request.settimeout(600)
            while data := self.request.recv(1 << 20):
                if re.search(pattern, data, re.DOTALL):
                    self.request.sendall(reply)
                    return
                with socket.create_connection((there.hostname or "", there.port or 80), 60) as good:
                    once = re.sub(rb"(?i)\r\nconnection: close", b"", data, count=1)
                    good.sendall(once.replace(b"\r\n", b"\r\nConnection: close\r\n", 1))
                    while piece := good.recv(1 << 16):
                        self.request.sendall(piece)
                return

    with running(ThreadingTCPServer(("127.0.0.1", 0), Handler)) as address:
        yield address


@contextmanager
def running(server: ThreadingTCPServer | ThreadingHTTPServer) -> Iterator[str]:
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
