"""Runs the application in one server process, on a socket that the supervisor has opened."""

from __future__ import annotations

import asyncio
import errno
import gc
import logging
import os
import resource
import signal
import socket
import sys
import threading
from collections.abc import Awaitable, Callable
from contextvars import Context
from typing import Any, TypeVarTuple, Unpack

import granian.net
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.server.embed import Server
from starlette.types import ASGIApp

from bibld.errors import StageError
from bibld.serve._guarding import Guard

Arguments = TypeVarTuple("Arguments")

_LOG = logging.getLogger("bibld.serve")
_SocketHolder: Any = granian.net.SocketHolder  # type: ignore[attr-defined]
"""Makes granian use a socket that exists; its stubs do not name the arguments."""

GRACE_SECONDS = 10.0
"""Requests that have begun may go on so long after the signal to stop."""
_ORPHAN_SECONDS = 0.3
"""The same, where the supervisor was killed."""

_LAST_SECONDS = 0.5
_BACKLOG = 4096
_CONNECTIONS = 16384
"""Connections of one process; idle and slow ones are closed after the request timeout."""
_MAX_HEAD_BYTES = 96 * 1024
"""Bytes of a request line and headers: an address of 64 KiB (longer ones get 414) and headers of 32 KiB."""
_SWITCH_SECONDS = 0.0005
"""How long a thread that makes a page may keep the event loop waiting; Python's default is ten times as long."""

_YOUNG_OBJECTS = 10_000
"""Allocations between two collections of garbage. A page makes some thousands of objects, hardly any in cycles."""

_ACTIVATED_SOCKET = 3
"""The descriptor of the first socket that systemd hands over (sd_listen_fds)."""


def listen(host: str, port: int, timeout: float) -> socket.socket:
    """Return a socket that listens; port 0 takes a free one. A socket handed over by systemd is used instead.

    ``timeout``: seconds after which a client that takes no more of its answer is cut. Raises ``StageError`` where the
    address cannot be taken.
    """
    if os.environ.get("LISTEN_PID") == str(os.getpid()) and os.environ.get("LISTEN_FDS") == "1":
        listener = socket.socket(fileno=_ACTIVATED_SOCKET)
        listener.set_inheritable(False)
    else:
        listener = _bind(host, port)
    # Connections inherit both. Without them a client that vanishes, or stops reading, keeps its answer in memory.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(timeout * 1000))
    listener.setblocking(False)
    listener.listen(_BACKLOG)
    return listener


def address_of(listener: socket.socket) -> str:
    """Return the address at which a socket listens, as an IRI without path."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _bind(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen(_BACKLOG)
        except OSError:
            listener.close()
            raise
    except OSError as error:
        wrong = "host" if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL else "port"
        raise StageError(f"cannot serve at {host}, port {port}: {error.strerror}; choose another {wrong}") from error
    return listener


class _EmbeddedServer(Server):
    """granian on a socket that exists: its own sockets would be lost with the process that opened them."""

    def __init__(self, app: ASGIApp, listener: socket.socket, timeout: float) -> None:
        super().__init__(
            app,
            interface=Interfaces.ASGI,
            http=HTTPModes.http1,
            websockets=False,
            log_enabled=False,
            backlog=_BACKLOG,
            backpressure=_CONNECTIONS,
            http1_settings=HTTP1Settings(
                header_read_timeout=max(1, int(timeout * 1000)), max_buffer_size=_MAX_HEAD_BYTES
            ),
        )
        self._listener = listener

    def _init_shared_socket(self) -> None:
        self._ssp = None
        self._shd: Any = _SocketHolder(os.dup(self._listener.fileno()), False, _BACKLOG)


class _Loop(asyncio.SelectorEventLoop):
    """The event loop of a server process. Prepared documents are answered without it.

    For each request granian calls ``call_soon_threadsafe``, in a separate thread, with a coroutine and an object that
    has the request (``scope``), takes the answer (``proto``) and the end (``done``). To wake this loop, and to give the
    interpreter to its thread, takes as long as to write a document; so that thread writes it.
    """

    def __init__(self, guard: Guard) -> None:
        super().__init__()
        self._guard = guard
        self._nothing = asyncio.Handle(int, (), self)

    def call_soon_threadsafe(
        self, callback: Callable[[Unpack[Arguments]], object], *args: *Arguments, context: Context | None = None
    ) -> asyncio.Handle:
        """Answer a request at once, or run a callback in this loop."""
        given: tuple[Any, ...] = args
        if len(given) == 2 and hasattr(given[1], "proto") and self._is_answered(given[1]):
            given[0].close()
            return self._nothing
        return super().call_soon_threadsafe(callback, *args, context=context)

    def _is_answered(self, request: Any) -> bool:  # noqa: ANN401 - granian does not export the class
        try:
            response = self._guard.prepared(request.scope)
        except Exception as error:  # noqa: BLE001 - the application meets the same error, and answers with it
            _LOG.debug("%s: %s", request.scope["path"], error)
            response = None
        if response is None:
            return False
        try:
            for message in response.messages(request.scope["method"]):
                request.proto.send(message)
        except Exception as error:  # noqa: BLE001 - the client has left
            _LOG.debug("%s: the answer cannot be sent: %s", request.scope["path"], error)
        request.done()
        return True


def exclude_release_from_collections() -> None:
    """Leave what a new release needs out of further collections of garbage; free what the old one has left.

    A collection that looks at all of it takes some 40 ms, in which nothing is answered.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def run(
    app: Guard,
    listener: socket.socket,
    timeout: float,
    supervisor: int,
    hang_up: Callable[[], None],
    close: Callable[[], Awaitable[None]],
) -> None:
    """Serve in this process until SIGTERM, or until the other end of the pipe ``supervisor`` is closed.

    ``timeout`` is the time in seconds that the header of a request may take, and that a connection may be idle.
    ``hang_up`` is called at SIGHUP. Requests that have begun end; ``close`` is awaited where they take too long.
    """
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    gc.set_threshold(_YOUNG_OBJECTS, *gc.get_threshold()[1:])
    gc.collect()
    gc.freeze()
    sys.setswitchinterval(_SWITCH_SECONDS)
    with asyncio.Runner(loop_factory=lambda: _Loop(app)) as runner:
        runner.run(_serve(_EmbeddedServer(app, listener, timeout), listener, supervisor, hang_up, close))


async def _serve(
    server: Server,
    listener: socket.socket,
    supervisor: int,
    hang_up: Callable[[], None],
    close: Callable[[], Awaitable[None]],
) -> None:
    loop = asyncio.get_running_loop()
    closing: list[asyncio.Future[None]] = []

    def stop(grace: float = GRACE_SECONDS) -> None:
        if not server.interrupt_signal:
            server.stop()  # type: ignore[no-untyped-call]
            listener.close()
        loop.call_later(grace, lambda: closing.append(asyncio.ensure_future(close())))
        loop.call_later(grace + _LAST_SECONDS, os._exit, 0)

    def watch() -> None:
        os.read(supervisor, 1)  # nothing is ever written: this returns when the supervisor has ended
        if not loop.is_closed():
            loop.call_soon_threadsafe(stop, _ORPHAN_SECONDS)
        threading.Event().wait(_ORPHAN_SECONDS + _LAST_SECONDS)
        os._exit(1)  # whatever hangs: another supervisor needs the address

    loop.add_signal_handler(signal.SIGTERM, stop)
    loop.add_signal_handler(signal.SIGHUP, hang_up)
    threading.Thread(target=watch, name="watch-supervisor", daemon=True).start()
    await server.serve()
    if not server.interrupt_signal:
        sys.exit("the HTTP server ended without a signal")
