"""Makes pages and other costly bodies in a thread, while the event loop answers requests that cost little."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, TypeVar

import msgspec

from bibld.serve._http import ByteCache, ProblemError, compress
from bibld.serve._language import message

_MAX_WAITING = 256
_RETRY_AFTER = "5"
_CACHED_BYTES = 32 << 20
_TAG_BYTES = 12


Result = TypeVar("Result")


class EncodedDocument(msgspec.Struct, frozen=True):
    """A body, the same coded with gzip (None if that is not worth it), and its entity tag without quotes.

    ``neighbours`` are the Link relations to the pages before and after it; empty if it has none.
    """

    body: bytes
    coded: bytes | None
    tag: str
    neighbours: bytes = b""


class PlainDocument(NamedTuple):
    """A body that was just made; see :class:`EncodedDocument`."""

    body: bytes
    neighbours: bytes = b""


class Rendering:
    """Renders one body after another: a second thread would only take the interpreter from the first."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="bibld-pages")
        self._waiting: dict[Hashable, asyncio.Future[EncodedDocument]] = {}
        self._bodies: ByteCache[EncodedDocument] = ByteCache(_CACHED_BYTES)

    def cached(self, key: Hashable) -> EncodedDocument | None:
        """Return what was rendered with this key not long ago."""
        return self._bodies.get(key)

    async def render(self, key: Hashable, make: Callable[[], PlainDocument]) -> EncodedDocument:
        """Return the body with this key, which ``make`` returns if it is not cached; it runs in the thread.

        Raises the ``ProblemError`` 503 if too many bodies are waited for, and what ``make`` raises.
        """
        cached = self.cached(key)
        if cached is not None:
            return cached
        running = self._waiting.get(key)
        if running is None:
            if len(self._waiting) >= _MAX_WAITING:
                detail = message("The server is making many pages at once; try again in a few seconds.")
                raise ProblemError(503, message("Unavailable"), detail, {"Retry-After": _RETRY_AFTER})
            running = asyncio.get_running_loop().run_in_executor(self._thread, _rendered, make)
            self._waiting[key] = running
            running.add_done_callback(lambda done: self._store(key, done))
        return await asyncio.shield(running)  # other clients may wait for the same body

    async def run(self, find: Callable[[], Result]) -> Result:
        """Return what a function finds in the catalog or the store; it runs in the thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, find)

    def _store(self, key: Hashable, done: asyncio.Future[EncodedDocument]) -> None:
        del self._waiting[key]
        if not done.cancelled() and done.exception() is None:
            rendered = done.result()
            self._bodies.put(key, rendered, len(rendered.body) + len(rendered.coded or b""))

    def close(self) -> None:
        """End the thread when it has made what it is making."""
        self._thread.shutdown(wait=True, cancel_futures=True)


def _rendered(make: Callable[[], PlainDocument]) -> EncodedDocument:
    body, neighbours = make()
    tag = hashlib.blake2b(body, digest_size=_TAG_BYTES).hexdigest()
    return EncodedDocument(body, compress(body), tag, neighbours)
