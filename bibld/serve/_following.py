"""Serves one release after another: a newer one takes over for new requests, and no request fails for it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path

from starlette.types import ASGIApp, Receive, Scope, Send

_LOOK_SECONDS = 1.0
_PATIENCE_SECONDS = 1.0
_LOG = logging.getLogger("bibld.serve")


class Served:
    """A release that is open: its application, and what lets go of it."""

    def __init__(self, release: Path, app: ASGIApp, close: Callable[[], Awaitable[None]]) -> None:
        self.release = release
        self.app = app
        self.close = close
        self.requests = 0


class Following:
    """The application of the release that is current. The old one is closed when its last request has ended.

    ``look`` says where the current release is, ``open_newest`` opens it (in a thread). Without a request nothing is
    looked at; the request that finds a newer release waits for it a moment. A release that cannot be opened is told to
    the log and the old one is served on.
    """

    def __init__(
        self,
        served: Served,
        look: Callable[[], Path | None] | None = None,
        open_newest: Callable[[], Served] | None = None,
    ) -> None:
        self._served = served
        self._look = look
        self._open_newest = open_newest
        self._looked = -_LOOK_SECONDS
        self._switching: asyncio.Task[None] | None = None
        self._closing: set[asyncio.Task[None]] = set()
        self._refused: Path | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        await self._follow()
        served = self._served
        served.requests += 1
        try:
            await served.app(scope, receive, send)
        finally:
            served.requests -= 1
            self._let_go(served)

    async def close(self) -> None:
        """Let go of everything; requests that still run fail."""
        if self._switching is not None:
            await asyncio.wait((self._switching,))
        await asyncio.gather(self._served.close(), *self._closing)

    async def _follow(self) -> None:
        now = asyncio.get_running_loop().time()
        if self._look is None or self._switching is not None or now - self._looked < _LOOK_SECONDS:
            return
        self._looked = now
        try:
            place = self._look()
        except (OSError, ValueError) as error:
            _LOG.error("the current release cannot be found: %s; %s is served on", error, self._served.release)
            return
        if place is None or place == self._served.release:
            return
        self._switching = asyncio.create_task(self._switch(place))
        await asyncio.wait((self._switching,), timeout=_PATIENCE_SECONDS)

    async def _switch(self, place: Path) -> None:
        assert self._open_newest is not None
        try:
            newest = await asyncio.to_thread(self._open_newest)
        except Exception as error:  # noqa: BLE001 - whatever is wrong with it, there is a release to serve
            if self._refused != place:
                _LOG.error("%s cannot be served: %s; %s is served on", place, error, self._served.release)
            self._refused = place
            return
        finally:
            self._switching = None
        old, self._served = self._served, newest
        _LOG.info("%s is served now", newest.release)
        self._let_go(old)

    def _let_go(self, served: Served) -> None:
        if served is self._served or served.requests:
            return
        closing = asyncio.ensure_future(served.close())
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)
