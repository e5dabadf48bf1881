"""More interfaces to a release: OAI-PMH 2.0 and Triple Pattern Fragments."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import Response

from bibld.model.marc import MarcRecord
from bibld.model.mods import Mods
from bibld.published import PublishedView
from bibld.serve._http import ALWAYS, Endpoint, ProblemError, Representation, accept_of, respond
from bibld.serve._interfaces import fragments, oai
from bibld.serve._negotiation import choose
from bibld.serve._pages import Pages
from bibld.serve._sparql.clients import client_of
from bibld.serve._sparql.pool import Pool, QueueFullError, TooManyQueriesError
from bibld.serve._things import Finder, OpenRelease, Thing

_LONGEST_FORM = 1 << 20
_FORM = "application/x-www-form-urlencoded"
_RETRY_AFTER = "10"
_NO_CACHE = {"Cache-Control": "no-cache"}
_MOST_ARGUMENTS = 200

Result = TypeVar("Result")


class Threads(Protocol):
    """Runs what reads the catalog and the store, outside the event loop."""

    def __call__(self, find: Callable[[], Result], /) -> Awaitable[Result]:
        """Return what a function finds."""


class Interfaces:
    """Answers requests of harvesters and other programs.

    ``view`` has the prepared documents; without them there is no OAI-PMH. ``run`` runs functions in the thread in which
    the catalog is read.
    """

    def __init__(self, provider: oai.Provider | None, found: fragments.Fragments, pages: Pages, run: Threads) -> None:
        self._provider = provider
        self._fragments = found
        self._pages = pages
        self._run = run

    def routes(self) -> list[tuple[str, Endpoint, tuple[str, ...]]]:
        """Return the paths after the mount, and what answers there to which methods."""
        return [("oai", self._oai, ("GET", "POST")), ("fragments", self._fragment, ("GET",))]

    async def _oai(self, request: Request) -> Response:
        """Answer a request of OAI-PMH (protocol 2.0, 3.1)."""
        provider = self._provider
        if provider is None:
            raise ProblemError(404, "Not found", "The release has no prepared documents; run `bibld run` again.")
        pairs = await parameters_of(request)
        body = await self._run(lambda: provider.answer(pairs))
        return Response(
            body, headers={**ALWAYS, "Content-Type": "text/xml; charset=utf-8", "Cache-Control": "no-cache"}
        )

    async def _fragment(self, request: Request) -> Response:
        """Answer a request for a fragment."""
        media_type = choose(accept_of(request), tuple(fragments.FORMATS))
        if media_type is None:
            detail = f"Fragments come as {', '.join(fragments.FORMATS)}."
            raise ProblemError(406, "Not acceptable", detail)
        pattern = fragments.Pattern.from_parameters(await parameters_of(request))
        try:
            found = await self._fragments.find(pattern, client_of(request))
        except TooManyQueriesError as error:
            raise ProblemError(429, "Too many queries", str(error), {"Retry-After": _RETRY_AFTER}) from error
        except QueueFullError as error:
            raise ProblemError(503, "Busy", str(error), {"Retry-After": _RETRY_AFTER}) from error
        if media_type == "text/html":
            pages = {name: fragments.query_of(pattern, page) for name, page in self._fragments.pages(found).items()}
            body = self._pages.fragment(found, pages)
        else:
            body = self._fragments.write(found, media_type)
        return respond(request, Representation(body, media_type))


async def parameters_of(request: Request) -> list[tuple[str, str]]:
    """Return the parameters of the address and of a form; raises the ``ProblemError`` 400, 413 or 415."""
    texts = [request.url.query]
    if request.method == "POST":
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _FORM:
            raise ProblemError(415, "Unsupported media type", f"Arguments are posted as {_FORM}.")
        taken = bytearray()
        async for piece in request.stream():
            taken += piece
            if len(taken) > _LONGEST_FORM:
                raise ProblemError(413, "Too long", f"A form may have {_LONGEST_FORM:,} bytes.")
        texts.append(taken.decode("latin-1"))
    try:
        read = [parse_qsl(text, True, errors="strict", max_num_fields=_MOST_ARGUMENTS) for text in texts]
    except ValueError as error:
        raise ProblemError(400, "Bad request", "The arguments are not UTF-8, or too many.") from error
    return [pair for pairs in read for pair in pairs]


def open_interfaces(
    release: OpenRelease, finder: Finder, view: PublishedView | None, pool: Pool, pages: Pages, run: Threads
) -> Interfaces:
    """Return the interfaces of a release; ``view`` is used in the thread of ``run`` only."""

    def thing_at(path: str) -> Thing | None:
        found = finder.find(path)
        return found if isinstance(found, Thing) and found.merged is not None else None

    def mods(path: str) -> Mods | None:
        thing = thing_at(path)
        return thing.merged.mods if thing is not None and thing.merged is not None else None

    def marc(path: str) -> MarcRecord | None:
        thing = thing_at(path)
        record = release.catalog.record(thing.merged.cluster.founder) if thing is not None and thing.merged else None
        return release.original(record) if record is not None else None

    provider = oai.Provider(release.manifest, view, oai.Content(mods, marc)) if view is not None else None
    return Interfaces(provider, fragments.Fragments(pool, release.manifest), pages, run)
