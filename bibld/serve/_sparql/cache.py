"""Results of queries, remembered for one release; equal queries that run at the same time run once.

The store of a release never changes, so a result stays right as long as the release is served. Queries whose result
differs from call to call (``NOW``, ``RAND`` …) are not remembered.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Literal

import msgspec

from bibld.serve._sparql.pool import Answer, QueueFullError, TooManyQueriesError

Key = tuple[str, ...]
Ask = Callable[[], Coroutine[Any, Any, Answer]]
Wait = Callable[[asyncio.Task[Answer]], Awaitable[None]]
_SHARE_OF_ONE = 8
"""One result may take this part of the bytes."""

_OVERHEAD = 500
"""Bytes of an entry beside key and body, roughly."""


class Served(msgspec.Struct, frozen=True):
    """An answer, and where it comes from; ``age`` is in seconds."""

    answer: Answer
    origin: Literal["hit", "miss", "collapsed", "bypass", "prepared"]
    age: int = 0

    @property
    def cache_status(self) -> str:
        """The value of the header Cache-Status (RFC 9211)."""
        match self.origin:
            case "hit":
                return "bibld; hit"
            case "collapsed":
                return "bibld; fwd=miss; collapsed"
            case "prepared":
                return "bibld; hit; detail=prepared"
            case "bypass":
                return "bibld; fwd=bypass"
            case _:
                return "bibld; fwd=uri-miss"


class _Running:
    """A query that is being answered, and how many clients wait for it."""

    def __init__(self, task: asyncio.Task[Answer]) -> None:
        self.task = task
        self.waiting = 0


class ResultCache:
    """Remembers answers by key, up to a number of bytes; the one that was not used for the longest time is dropped."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._size = 0
        self._entries: OrderedDict[Key, tuple[Answer, float]] = OrderedDict()
        self._running: dict[Key, _Running] = {}

    def find(self, key: Key | None) -> Served | None:
        """Return the remembered answer."""
        entry = self._entries.get(key) if key is not None else None
        if entry is None or key is None:
            return None
        self._entries.move_to_end(key)
        return Served(entry[0], "hit", int(time.monotonic() - entry[1]))

    async def answer(self, key: Key | None, ask: Ask, wait: Wait) -> Served:
        """Return the remembered answer, wait for an equal query that runs, or ask. Without a key it is always asked.

        ``wait`` waits until a task is done, or raises; the query is cancelled when nobody waits for it any more.
        """
        found = self.find(key)
        if found is not None:
            return found
        running = self._running.get(key) if key is not None else None
        if running is not None:
            try:
                return Served(await self._wait(key, running, wait), "collapsed")
            except (QueueFullError, TooManyQueriesError):
                key = None  # the other client had no place, this one may have
        running = _Running(asyncio.ensure_future(ask()))
        if key is None:
            return Served(await self._wait(None, running, wait), "bypass")
        self._running[key] = running
        answer = await self._wait(key, running, wait)
        self._remember(key, answer)
        return Served(answer, "miss")

    async def _wait(self, key: Key | None, running: _Running, wait: Wait) -> Answer:
        """Wait for a query; it is cancelled when the last client that waits for it leaves."""
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

    def _remember(self, key: Key, answer: Answer) -> None:
        size = _size(key, answer)
        if key in self._entries:
            return  # two clients waited for it
        if size > self._limit // _SHARE_OF_ONE:
            return
        self._entries[key] = (answer, time.monotonic())
        self._size += size
        while self._size > self._limit:
            dropped, (old, _) = self._entries.popitem(last=False)
            self._size -= _size(dropped, old)


def _size(key: Key, answer: Answer) -> int:
    return 4 * sum(map(len, key)) + len(answer.body) + _OVERHEAD
