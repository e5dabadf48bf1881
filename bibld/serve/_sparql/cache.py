"""Results of queries, remembered for one release; equal queries that run at the same time run once.

The store of a release never changes, so a result stays right as long as the release is served. Queries whose result
differs from call to call (``NOW``, ``RAND`` …) are not remembered.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import msgspec

from bibld.serve._http import ByteCache
from bibld.serve._sparql.pool import QueryResult
from bibld.serve._sparql.slots import QueueFullError, TooManyQueriesError

Key = tuple[str, ...]
Ask = Callable[[], Coroutine[Any, Any, QueryResult]]
Wait = Callable[[asyncio.Task[QueryResult]], Awaitable[None]]

_OVERHEAD = 500
"""Bytes of an entry beside key and body, roughly."""

HIT, PREPARED, COLLAPSED = "bibld; hit", "bibld; hit; detail=prepared", "bibld; fwd=miss; collapsed"
MISS, BYPASS = "bibld; fwd=uri-miss", "bibld; fwd=bypass"
"""Where a result comes from, as values of the header Cache-Status (RFC 9211)."""


class ServedResult(msgspec.Struct, frozen=True):
    """A result, its ``Cache-Status``, and its age in seconds."""

    result: QueryResult
    cache_status: str
    age: int = 0


class _RunningQuery:
    """A query that is being answered, and how many clients wait for it."""

    def __init__(self, task: asyncio.Task[QueryResult]) -> None:
        self.task = task
        self.waiting = 0


class ResultCache:
    """Remembers results by key, up to a number of bytes; the one that was not used for the longest time is dropped."""

    def __init__(self, limit: int) -> None:
        self._results: ByteCache[tuple[QueryResult, float]] = ByteCache(limit)
        self._running: dict[Key, _RunningQuery] = {}

    async def answer(self, key: Key | None, ask: Ask, wait: Wait) -> ServedResult:
        """Return the remembered result, wait for an equal query that runs, or ask. Without a key it is always asked.

        ``wait`` waits until a task is done, or raises; the query is cancelled when nobody waits for it any more.
        """
        found = self._results.get(key) if key is not None else None
        if found is not None:
            return ServedResult(found[0], HIT, int(time.monotonic() - found[1]))
        running = self._running.get(key) if key is not None else None
        if running is not None:
            try:
                return ServedResult(await self._wait(key, running, wait), COLLAPSED)
            except (QueueFullError, TooManyQueriesError):
                key = None  # the other client had no slot, this one may have
        running = _RunningQuery(asyncio.ensure_future(ask()))
        if key is None:
            return ServedResult(await self._wait(None, running, wait), BYPASS)
        self._running[key] = running
        result = await self._wait(key, running, wait)
        self._results.put(key, (result, time.monotonic()), 4 * sum(map(len, key)) + len(result.body) + _OVERHEAD)
        return ServedResult(result, MISS)

    async def _wait(self, key: Key | None, running: _RunningQuery, wait: Wait) -> QueryResult:
        running.waiting += 1
        try:
            await wait(running.task)
            return running.task.result()
        finally:
            running.waiting -= 1
            if not running.waiting:  # nobody joins it from here on
                if key is not None and self._running.get(key) is running:
                    del self._running[key]
                if not running.task.done():
                    running.task.cancel()
                    await asyncio.wait((running.task,))
