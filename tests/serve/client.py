"""A client of an application in this process."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from http.cookiejar import CookieJar, DefaultCookiePolicy
from pathlib import Path

import httpx
from starlette.types import ASGIApp

from bibld.serve.site import ReleaseLookup, Site, application


def children() -> set[str]:
    """The process ids of the children of this process."""
    found: set[str] = set()
    for task in Path("/proc/self/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # a thread may end meanwhile
            found.update((task / "children").read_text().split())
    return found


class Client:
    """Sends requests to an application in this process, one at a time or several at once; follows no redirect."""

    def __init__(self, app: ASGIApp, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        jar = CookieJar(DefaultCookiePolicy(allowed_domains=[]))  # each request is that of a new client
        self._http = httpx.AsyncClient(
            transport=transport, base_url="http://127.0.0.1", headers={"accept-encoding": ""}, cookies=jar
        )

    def request(self, method: str, path: str, **arguments) -> httpx.Response:
        return self._loop.run_until_complete(self._http.request(method, path, **arguments))

    def get(self, path: str, accept: str | None = None, **headers: str) -> httpx.Response:
        if accept is not None:
            headers["accept"] = accept
        return self.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})

    def begin_query(self, path: str, **headers: str) -> tuple[asyncio.Task[httpx.Response], int]:
        """Send a query that goes on while other requests are sent; returns also the id of its process."""
        before = children()
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        begun = self._loop.create_task(self._http.get(path, headers=sent))
        self.wait_until(lambda: bool(children() - before))
        return begun, int(min(children() - before))

    def wait_until(self, is_so: Callable[[], bool]) -> None:
        """Let the application work until a condition holds."""
        deadline = time.monotonic() + 600
        while not is_so():
            assert time.monotonic() < deadline, "the condition does not hold after 10 minutes"
            self._loop.run_until_complete(asyncio.sleep(0.01))

    def end(self, begun: asyncio.Task[httpx.Response]) -> httpx.Response:
        return self._loop.run_until_complete(begun)


@asynccontextmanager
async def within_lifespan(app: ASGIApp) -> AsyncIterator[None]:
    """Start an application, and end it."""
    events: asyncio.Queue[dict[str, str]] = asyncio.Queue()
    answers: asyncio.Queue[dict[str, str]] = asyncio.Queue()
    lifespan = asyncio.create_task(app({"type": "lifespan"}, events.get, answers.put))
    await events.put({"type": "lifespan.startup"})
    assert (await answers.get())["type"] == "lifespan.startup.complete"
    yield
    await events.put({"type": "lifespan.shutdown"})
    assert (await answers.get())["type"] == "lifespan.shutdown.complete"
    await lifespan


@contextmanager
def running(site: Site, releases: ReleaseLookup | None = None) -> Iterator[Client]:
    """An application within its lifespan."""
    app = application(site, releases)
    loop = asyncio.new_event_loop()
    lifespan = within_lifespan(app)
    loop.run_until_complete(lifespan.__aenter__())
    try:
        yield Client(app, loop)
    finally:
        loop.run_until_complete(lifespan.__aexit__(None, None, None))
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()
