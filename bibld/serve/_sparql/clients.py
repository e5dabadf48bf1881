"""Who sends a query: the address that limits are counted by, and whether the client still waits."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from starlette.requests import Request

from bibld.serve._http import ProblemError

_T = TypeVar("_T")
_CLIENT_LEFT = 499
"""Nobody sees it; the name is nginx's."""


async def while_connected(request: Request, answering: Coroutine[Any, Any, _T]) -> _T:
    """Wait for the answer; the query is cancelled when the client leaves before."""
    asking = asyncio.ensure_future(answering)
    leaving = asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait((asking, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not asking.done():
            raise ProblemError(_CLIENT_LEFT, "Client left", "The client closed the connection before the answer.")
        return asking.result()
    finally:
        asking.cancel()
        leaving.cancel()
        await asyncio.gather(asking, leaving, return_exceptions=True)


async def _left(request: Request) -> None:
    """Return when the client has left."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def client_of(request: Request) -> str:
    """Return the name of the client as the guard of the site has found it; queries are counted by it."""
    client: str = request.scope.get("bibld.client", "unknown")
    return client
