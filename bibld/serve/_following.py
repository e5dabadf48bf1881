"""Serves one release after another: a newer one answers new requests, and no request fails because of the change."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from starlette.types import ASGIApp, Receive, Scope, Send

from bibld.serve._http import PlainResponse

_CHECK_SECONDS = 1.0
_IDLE_CHECK_SECONDS = 2.0
_PATIENCE_SECONDS = 1.0
_LOG = logging.getLogger("bibld.serve")

Prepared = Callable[[Scope], PlainResponse | None]
"""Returns the answer to a request if it costs little; it may be called in any thread."""


class ServedRelease:
    """A release that is open: its folder and number, its application, and the function that closes it.

    ``check`` raises an error if the release cannot answer; it may be called in any thread. ``prepared`` answers what
    needs no application, until the release is closed.
    """

    def __init__(
        self,
        release: Path,
        number: int,
        app: ASGIApp,
        close: Callable[[], Awaitable[None]],
        check: Callable[[], None],
        prepared: Prepared = lambda scope: None,
    ) -> None:
        self.release = release
        self.number = number
        self.app = app
        self.close = close
        self.check = check
        self.prepared = prepared
        self.requests = 0


class Following:
    """The application of the release that is current. The old one is closed when its last request has ended.

    ``find_current`` returns the folder of the current release, ``open_newest`` opens it (in a thread). The folder is
    checked when a request comes; the request that finds a newer release waits for it a moment. :meth:`watch` checks it
    when none comes, so that an idle process does not keep an old release open. A release that cannot be opened is
    logged, and the old one is served further. ``on_closed`` is called when an old release has been closed.
    """

    def __init__(
        self,
        served: ServedRelease,
        find_current: Callable[[], Path | None] | None = None,
        open_newest: Callable[[], ServedRelease] | None = None,
        on_closed: Callable[[], None] = lambda: None,
    ) -> None:
        self._served = served
        self._find_current = find_current
        self._open_newest = open_newest
        self._on_closed = on_closed
        self._last_check = -math.inf
        self._switching: asyncio.Task[None] | None = None
        self._closing: set[asyncio.Task[None]] = set()
        self._refused: Path | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._follow()
        served = self._served
        served.requests += 1
        try:
            await served.app(scope, receive, send)
        finally:
            served.requests -= 1
            self._close_if_unused(served)

    def prepared(self, scope: Scope) -> PlainResponse | None:
        """Return an answer that costs little, in any thread; None if the application has to be asked.

        That is asked where the current release has not been looked up for a while, too, since it follows it.
        """
        return None if self._has_to_check() else self._served.prepared(scope)

    async def watch(self, report: Callable[[int], None]) -> None:
        """Follow the current release until cancelled; ``report`` gets the number of the one that is served."""
        while True:
            try:
                await self._follow()
            except Exception:  # noqa: BLE001 - as for _switch; the next look may find it
                _LOG.exception("the current release cannot be found; %s is served further", self._served.release)
            report(self._served.number)
            await asyncio.sleep(_IDLE_CHECK_SECONDS)

    def release_number(self) -> int:
        return self._served.number

    def check(self) -> None:
        self._served.check()

    async def close(self) -> None:
        """Close all releases; requests that still run fail."""
        if self._switching is not None:
            await asyncio.wait((self._switching,))
        await asyncio.gather(self._served.close(), *self._closing)

    async def _follow(self) -> None:
        if self._find_current is None or not self._has_to_check():
            return
        self._last_check = time.monotonic()
        try:
            folder = self._find_current()
        except (OSError, ValueError) as error:
            _LOG.error("the current release cannot be found: %s; %s is served further", error, self._served.release)
            return
        if folder is None or folder == self._served.release:
            return
        self._switching = asyncio.create_task(self._switch(folder))
        await asyncio.wait((self._switching,), timeout=_PATIENCE_SECONDS)

    def _has_to_check(self) -> bool:
        if self._find_current is None or self._switching is not None:
            return False
        return time.monotonic() - self._last_check >= _CHECK_SECONDS

    async def _switch(self, folder: Path) -> None:
        assert self._open_newest is not None
        try:
            newest = await asyncio.to_thread(self._open_newest)
        except Exception as error:  # noqa: BLE001 - a plug-in may raise anything, and the old release can be served
            if self._refused != folder:
                _LOG.error("%s cannot be served: %s; %s is served further", folder, error, self._served.release)
            self._refused = folder
            return
        finally:
            self._switching = None
        old, self._served = self._served, newest
        _LOG.info("%s is served now", newest.release)
        self._close_if_unused(old)

    def _close_if_unused(self, served: ServedRelease) -> None:
        if served is self._served or served.requests:
            return
        closing = asyncio.ensure_future(served.close())
        self._closing.add(closing)
        closing.add_done_callback(self._end_closing)

    def _end_closing(self, closing: asyncio.Task[None]) -> None:
        self._closing.discard(closing)
        self._on_closed()
