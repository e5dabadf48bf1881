"""How many requests one client may send, by class of request; counted for all server processes together."""

from __future__ import annotations

import time

from bibld.serve._settings import LimitSettings

CLASSES = ("pages", "documents", "search", "sparql", "dumps", "files", "control")
"""Classes of requests. ``files`` (style sheets, robots.txt) and ``control`` (/health, /metrics) have no limit."""
PAGES, DOCUMENTS, SEARCH, SPARQL, DUMPS, FILES, CONTROL = range(len(CLASSES))
_LIMITED = DUMPS + 1

_SETS = 1 << 14
_WAYS = 4
"""Clients that share a place of the table: the one that has waited longest for its next request is replaced."""
_CELLS = 2
_SAVED_SECONDS = 60.0
_ROUNDING = 1e-6
BUCKET_BYTES = _SETS * _WAYS * _CELLS * 8


class Buckets:
    """A token bucket for each client and class, in memory that server processes share.

    A bucket is one number: the time at which it will be full again. It is written in one store, so no lock is needed;
    two processes that write at the same instant lose one count. Where there are more clients than places
    in the table, some are counted from the beginning again; none is refused because of another.
    """

    def __init__(self, settings: LimitSettings, memory: memoryview) -> None:
        per_minute = (settings.pages, settings.documents, settings.search, settings.sparql, settings.dumps)
        self._intervals = tuple(_SAVED_SECONDS / each if each else 0.0 for each in per_minute)
        self._keys = memory.cast("B").cast("q")
        self._full = memory.cast("B").cast("d")

    def take(self, client: str, kind: int) -> float:
        """Count a request; returns 0.0, or the seconds after which the client may send it (then it is not counted)."""
        if kind >= _LIMITED or not (interval := self._intervals[kind]):
            return 0.0
        key = hash((client, kind)) | 1  # the same in all processes, which are forks of one; never that of a free place
        now = time.monotonic()
        first = (key >> 8) % _SETS * _WAYS * _CELLS
        place, oldest = first, float("inf")
        for each in range(first, first + _WAYS * _CELLS, _CELLS):
            if self._keys[each] == key:
                place = each
                full = max(now, self._full[each + 1])
                break
            if self._full[each + 1] < oldest:
                place, oldest = each, self._full[each + 1]
        else:
            full = now
            self._keys[place] = key
        full += interval
        if full - now > _SAVED_SECONDS + _ROUNDING:
            return full - now - _SAVED_SECONDS
        self._full[place + 1] = full
        return 0.0
