"""Runs an application on a socket until a signal stops it."""

from __future__ import annotations

import asyncio
import errno
import signal
import socket
from collections.abc import Callable

from granian.constants import Interfaces
from granian.server.embed import Server
from starlette.applications import Starlette

from bibld.errors import StageError

_RETRY_SECONDS = 0.02


def run(app: Starlette, host: str, port: int, ready: Callable[[str], None]) -> None:
    """Serve in this process until SIGINT or SIGTERM; ``ready`` is called with the address once it answers.

    Port 0 takes a free one. Raises ``StageError`` where the address cannot be taken.
    """
    port = _free_port(host, port)
    server = Server(app, address=host, port=port, interface=Interfaces.ASGI, websockets=False, log_enabled=False)
    asyncio.run(_serve(server, host, port, ready))


async def _serve(server: Server, host: str, port: int, ready: Callable[[str], None]) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, server.stop)
    announcing = loop.create_task(_announce(host, port, ready))
    try:
        await server.serve()
    finally:
        announcing.cancel()


async def _announce(host: str, port: int, ready: Callable[[str], None]) -> None:
    while True:
        try:
            _, writer = await asyncio.open_connection(host, port)
        except OSError:
            await asyncio.sleep(_RETRY_SECONDS)
            continue
        writer.close()
        shown = f"[{host}]" if ":" in host else host
        ready(f"http://{shown}:{port}/")
        return


def _free_port(host: str, port: int) -> int:
    """Return the port, or a free one for 0; the server itself would share a port with another server."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(address)
            return int(trial.getsockname()[1])
    except OSError as error:
        wrong = "host" if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL else "port"
        raise StageError(f"cannot serve at {host}, port {port}: {error.strerror}; choose another {wrong}") from error
