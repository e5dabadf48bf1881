"""A small HTTP server that gives the answers of a test, and records what it was asked."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit


@dataclass
class Request:
    """What a client sent; ``form`` are the fields of the body, ``parameters`` those of the address."""

    method: str
    path: str
    parameters: dict[str, str]
    headers: dict[str, str]
    body: bytes

    @property
    def form(self) -> dict[str, str]:
        return dict(parse_qsl(self.body.decode(), keep_blank_values=True))


@dataclass
class Reply:
    """What the server answers."""

    status: int = 200
    body: bytes = b""
    media_type: str = "text/plain"
    headers: dict[str, str] = field(default_factory=dict)


JSON = "application/sparql-results+json"


def rows(*names: str, **values: str) -> Reply:
    """One row of results; numbers are integers, other values IRIs."""
    terms = ", ".join(
        f'"{name}": {{"type": "literal", "datatype": "http://www.w3.org/2001/XMLSchema#integer", "value": "{value}"}}'
        if value.isdigit()
        else f'"{name}": {{"type": "uri", "value": "{value}"}}'
        for name, value in values.items()
    )
    head = ", ".join(f'"{name}"' for name in (*names, *values))
    bindings = f"{{{terms}}}" if values else ""
    return Reply(200, f'{{"head": {{"vars": [{head}]}}, "results": {{"bindings": [{bindings}]}}}}'.encode(), JSON)


def truth() -> Reply:
    """The answer to ASK."""
    return Reply(200, b'{"head": {}, "boolean": true}', JSON)


@dataclass
class FakeServer:
    """The address, and the requests in their order."""

    url: str
    requests: list[Request]


@contextlib.contextmanager
def fake_server(answer: Callable[[Request], Reply]) -> Iterator[FakeServer]:
    """Answer requests on a free port of this machine until the block ends."""
    requests: list[Request] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self) -> None:
            parts = urlsplit(self.path)
            length = int(self.headers.get("Content-Length", 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            parameters = dict(parse_qsl(parts.query, keep_blank_values=True))
            request = Request(self.command, parts.path, parameters, headers, self.rfile.read(length))
            requests.append(request)
            reply = answer(request)
            with contextlib.suppress(OSError):  # the client may have left
                self.send_response(reply.status)
                for name, value in {"Content-Type": reply.media_type, **reply.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(reply.body)))
                self.end_headers()
                self.wfile.write(reply.body)

        do_GET = do_POST = do_PUT = handle_any  # noqa: N815

        def log_message(self, *_: object) -> None:
            """Write nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield FakeServer(f"http://127.0.0.1:{server.server_port}/", requests)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
