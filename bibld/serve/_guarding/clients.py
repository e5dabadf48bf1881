"""Who sends a request: the address of the client, also behind proxies that are trusted."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from functools import lru_cache

import msgspec

from bibld.errors import ConfigError

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_CLIENT_NETWORK_BITS = 64
"""The part of an IPv6 address that one customer of a network usually has."""
_REMEMBERED = 4096


class Client(msgspec.Struct, frozen=True):
    """A client: its address (of IPv6 the /64 network), and what it may do."""

    name: str
    is_exempt: bool
    """No limits apply to it."""
    may_read_metrics: bool


class Clients:
    """Finds the client of a request.

    ``trusted``: networks of proxies whose ``X-Forwarded-For`` is believed; ``exempt``: networks without limits;
    ``metrics``: networks that may read ``/metrics``. Raises ``ConfigError`` for text that does not name a network.
    """

    def __init__(self, trusted: Sequence[str], exempt: Sequence[str], metrics: Sequence[str]) -> None:
        self._trusted = networks("serve.trusted_proxies", trusted)
        self._exempt = networks("serve.limits.exempt", exempt)
        self._metrics = networks("serve.metrics_clients", metrics)
        self.find = lru_cache(_REMEMBERED)(self._find)

    def _find(self, peer: str, forwarded: bytes) -> Client:
        """Return the client behind a connection from ``peer``; ``forwarded`` are all lines of ``X-Forwarded-For``.

        The list is read from its end: each trusted proxy has added the address that it saw, and anything before the
        first address that is not trusted can be invented.
        """
        address = _address(peer)
        for text in reversed(forwarded.decode("latin-1").split(",")):
            if address is None or not _is_in(address, self._trusted):
                break
            stated = _address(text.strip())
            if stated is None:
                break
            address = stated
        if address is None:
            return Client(peer or "unknown", False, False)
        return Client(_name(address), _is_in(address, self._exempt), _is_in(address, self._metrics))


def networks(key: str, texts: Sequence[str]) -> tuple[Network, ...]:
    """Return the networks that a list of addresses and networks names; raises ``ConfigError`` with the key."""
    found = []
    for text in texts:
        try:
            found.append(ipaddress.ip_network(text, strict=False))
        except ValueError as error:
            message = f'{key}: "{text}" is no address or network; write for example "10.0.0.0/8" or "::1"'
            raise ConfigError([message]) from error
    return tuple(found)


def _is_in(address: Address, places: Sequence[Network]) -> bool:
    return any(address in place for place in places)


def _address(text: str) -> Address | None:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _name(address: Address) -> str:
    if isinstance(address, ipaddress.IPv6Address) and not address.is_loopback:
        return str(ipaddress.IPv6Network((address.packed, _CLIENT_NETWORK_BITS), strict=False))
    return str(address)
