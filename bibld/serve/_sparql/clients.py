"""Who sends a query: the address that limits are counted by, and whether the client still waits."""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Coroutine
from typing import Any, TypeVar

from starlette.requests import Request

from bibld.serve._http import ProblemError

_T = TypeVar("_T")
_CLIENT_NETWORK_BITS = 64
"""The part of an IPv6 address that one customer of a network usually has."""
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
    """Return the address of the client, of IPv6 its network; queries are counted by it.

    Behind a proxy on this machine it is the last address of ``X-Forwarded-For``, which the proxy added; the client can
    write anything before it.
    """
    peer = _address(request.client.host if request.client is not None else "")
    if peer is None or not peer.is_loopback:
        return _name(peer)
    forwarded = ",".join(request.headers.getlist("x-forwarded-for")).rpartition(",")[2]
    return _name(_address(forwarded.strip()) or peer)


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _name(address: ipaddress.IPv4Address | ipaddress.IPv6Address | None) -> str:
    if isinstance(address, ipaddress.IPv6Address) and not address.is_loopback:
        return str(ipaddress.IPv6Network((address.packed, _CLIENT_NETWORK_BITS), strict=False))
    return str(address)
