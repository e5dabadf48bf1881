"""A client of an application in this process."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import httpx
from starlette.applications import Starlette

from bibld.serve import Site, application


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

    def all_at_once(self, paths: Iterable[str]) -> list[httpx.Response]:
        async def gather() -> list[httpx.Response]:
            return list(await asyncio.gather(*(self._http.get(path) for path in paths)))

        return self._loop.run_until_complete(gather())


@contextmanager
def running(site: Site) -> Iterator[Client]:
    """An application within its lifespan."""
    app = application(site)
    loop = asyncio.new_event_loop()
    lifespan = app.router.lifespan_context(app)
    loop.run_until_complete(lifespan.__aenter__())
    try:
        yield Client(app, loop)
    finally:
        loop.run_until_complete(lifespan.__aexit__(None, None, None))
        loop.close()
