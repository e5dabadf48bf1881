"""Who sends a query: the address that limits are counted by, and whether the client still waits."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.requests import Request

from bibld.serve._http import ProblemError

_QUICK_SECONDS = 0.03
"""A query that is answered within this time is not worth watching its client for."""

_CLIENT_LEFT = 499
"""Nobody sees it; the name is nginx's."""


async def while_connected(request: Request, task: asyncio.Task[Any]) -> None:
    """Wait until a task is done; raises ``ProblemError`` when the client leaves before."""
    await asyncio.wait((task,), timeout=_QUICK_SECONDS)
    if task.done():
        return
    leaving = asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait((task, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ProblemError(_CLIENT_LEFT, "Client left", "The client closed the connection before the answer.")
    finally:
        leaving.cancel()
        await asyncio.wait((leaving,))


async def _left(request: Request) -> None:
    """Return when the client has left."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def client_of(request: Request) -> str:
    """Return the name of the client as the guard of the site has found it; queries are counted by it."""
    client: str = request.scope.get("bibld.client", "unknown")
    return client
