"""A client of an application in this process."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx
from starlette.applications import Starlette

from bibld.serve import Releases, Site, application


def children() -> set[str]:
    """The process ids of the children of this process."""
    return {child for task in Path("/proc/self/task").iterdir() for child in (task / "children").read_text().split()}


class Client:
    """Sends requests to an application in this process, one at a time or several at once; follows no redirect."""

    def __init__(self, app: Starlette, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        self._http = httpx.AsyncClient(
            transport=transport, base_url="http://127.0.0.1", headers={"accept-encoding": ""}
        )

    def request(self, method: str, path: str, **arguments) -> httpx.Response:
        return self._loop.run_until_complete(self._http.request(method, path, **arguments))

    def get(self, path: str, accept: str | None = None, **headers: str) -> httpx.Response:
        if accept is not None:
            headers["accept"] = accept
        return self.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})

    def all_at_once(self, paths: Sequence[str], headers: Sequence[dict[str, str]] = ()) -> list[httpx.Response]:
        async def gather() -> list[httpx.Response]:
            pairs = itertools.zip_longest(paths, headers)
            return list(await asyncio.gather(*(self._http.get(path, headers=more) for path, more in pairs)))

        return self._loop.run_until_complete(gather())

    def begin_query(self, path: str) -> tuple[asyncio.Task[httpx.Response], int]:
        """Send a query that goes on while other requests are sent; gives also the id of its process."""
        before = children()
        begun = self._loop.create_task(self._http.get(path))
        while not children() - before:
            self._loop.run_until_complete(asyncio.sleep(0.01))
        return begun, int(min(children() - before))

    def end(self, begun: asyncio.Task[httpx.Response]) -> httpx.Response:
        return self._loop.run_until_complete(begun)


@contextmanager
def running(site: Site, releases: Releases | None = None) -> Iterator[Client]:
    """An application within its lifespan."""
    app = application(site, releases)
    loop = asyncio.new_event_loop()
    lifespan = app.router.lifespan_context(app)
    loop.run_until_complete(lifespan.__aenter__())
    try:
        yield Client(app, loop)
    finally:
        loop.run_until_complete(lifespan.__aexit__(None, None, None))
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()
