"""Who sends a request (the address of the client, also behind trusted proxies), and how many it may send."""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Sequence
from functools import lru_cache

import msgspec

from bibld.errors import ConfigError
from bibld.serve._guarding.requests import UPLOADS
from bibld.serve.settings import LimitSettings

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_CLIENT_NETWORK_BITS = 64
"""The part of an IPv6 address that one customer of a network usually has."""
_REMEMBERED = 4096
_LIMITED = UPLOADS + 1

_SETS = 1 << 14
_WAYS = 4
"""Clients that share a slot of the table: the one that has waited longest for its next request is replaced."""
_CELLS = 2
_SAVED_SECONDS = 60.0
_ROUNDING = 1e-6
BUCKET_BYTES = _SETS * _WAYS * _CELLS * 8


class RequestClient(msgspec.Struct, frozen=True):
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

    def _find(self, peer: str, forwarded: bytes) -> RequestClient:
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
            return RequestClient(peer or "unknown", False, False)
        return RequestClient(_name(address), _is_in(address, self._exempt), _is_in(address, self._metrics))


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


def _is_in(address: Address, among: Sequence[Network]) -> bool:
    return any(address in network for network in among)


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


class Buckets:
    """A token bucket for each client and class, in memory that server processes share.

    A bucket is one number: the time at which it will be full again. It is written in one store, so no lock is needed;
    two processes that write at the same instant lose one count. Where there are more clients than slots in
    the table, some are counted from the beginning again; none is refused because of another.
    """

    def __init__(self, settings: LimitSettings, memory: memoryview) -> None:
        limits = settings
        per_minute = (limits.pages, limits.documents, limits.search, limits.sparql, limits.dumps, limits.uploads)
        self._intervals = tuple(_SAVED_SECONDS / each if each else 0.0 for each in per_minute)
        self._keys = memory.cast("B").cast("q")
        self._full = memory.cast("B").cast("d")

    def take(self, client: str, kind: int) -> float:
        """Count a request; returns 0.0, or the seconds after which the client may send it (then it is not counted)."""
        if kind >= _LIMITED or not (interval := self._intervals[kind]):
            return 0.0
        key = hash((client, kind)) | 1  # the same in all processes, which are forks of one; never that of a free slot
        now = time.monotonic()
        first = (key >> 8) % _SETS * _WAYS * _CELLS
        slot, oldest = first, float("inf")
        for each in range(first, first + _WAYS * _CELLS, _CELLS):
            if self._keys[each] == key:
                slot = each
                full = max(now, self._full[each + 1])
                break
            if self._full[each + 1] < oldest:
                slot, oldest = each, self._full[each + 1]
        else:
            full = now
            self._keys[slot] = key
        full += interval
        if full - now > _SAVED_SECONDS + _ROUNDING:
            return full - now - _SAVED_SECONDS
        self._full[slot + 1] = full
        return 0.0
