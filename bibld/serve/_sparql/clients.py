"""Who asks: what queries are counted by, so that nobody takes all the places."""

from __future__ import annotations

import ipaddress

from starlette.requests import Request

_PREFIX = 64
"""Bits of an IPv6 address that one customer of a network usually has."""


def client_of(request: Request) -> str:
    """The address of the client, of IPv6 its network.

    Behind a proxy on this machine it is the address that the proxy added to ``X-Forwarded-For`` (the last one: those
    before it are what the client says).
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
        return str(ipaddress.IPv6Network((address.packed, _PREFIX), strict=False))
    return str(address)
