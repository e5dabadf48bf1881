"""Answers requests for reports, neighbourhoods and pictures."""

from __future__ import annotations

from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from bibld.serve._addresses import Addresses
from bibld.serve._documents import Documents, no_such_thing
from bibld.serve._forms import kind_of
from bibld.serve._http import ProblemError, language_of, redirect, respond_with_picture
from bibld.serve._language import message
from bibld.serve._pages import Pages, PagesByLanguage
from bibld.serve._pages.neighbourhoods import MAX_OPENED, NeighbourhoodPages
from bibld.serve._pages.reports import ReportPages
from bibld.serve._things import Finder, Moved, Thing


class Reports:
    """The pages ``report/matching`` and ``report/quality``, and the pictures ``picture/overlap.svg`` and so on."""

    def __init__(self, addresses: Addresses, documents: Documents, pages: PagesByLanguage) -> None:
        self._addresses = addresses
        self._documents = documents
        self._pages = pages

    async def page(self, request: Request) -> Response:
        """Answer with a report."""
        name = request.path_params["name"].removesuffix(".html")
        if name not in ("matching", "quality"):
            raise _unknown()
        validation = _reports_of(self._pages[language_of(request)]).validation()

        def make(pages: Pages) -> bytes:
            reports = _reports_of(pages)
            return reports.matching() if name == "matching" else reports.quality(validation)

        # A validation after the release was made is another page.
        return await self._documents.page(request, f"report/{name} {hash(validation)}", make)

    async def source(self, request: Request) -> Response:
        """Lead to the page about a source."""
        name = request.path_params["name"]
        if not _reports_of(self._pages[language_of(request)]).has_source(name):
            raise _unknown()
        return redirect(self._addresses.page(f"dataset/{name}"))

    async def picture(self, request: Request) -> Response:
        """Answer with a picture as a file, in the language that the client wants."""
        language = language_of(request)
        pictures = _reports_of(self._pages[language]).pictures
        picture = await self._documents.run(partial(pictures.named, request.path_params["name"]))
        return respond_with_picture(request, picture)


def _reports_of(pages: Pages) -> ReportPages:
    if pages.reports is None:
        raise ProblemError(404, message("Not found"), message("This release has no report."))
    return pages.reports


def _unknown() -> ProblemError:
    return ProblemError(404, message("Not found"), message("There is no report with this name."))


_NOT_INDEXED = ("X-Robots-Tag", "noindex, nofollow")
"""Crawlers that followed each link would never end."""


class ThingCharts:
    """The pictures of a thing, and the pages and pictures of its neighbourhood.

    They are ``picture/years/PATH.svg``, ``picture/locator/PATH.svg`` and ``picture/waterfall/PATH.svg``: the parameter
    ``of`` of the first is the filter of the search that finds the publications; ``neighbourhood/PATH`` and
    ``neighbourhood/PATH.svg``: their parameter ``open``, which may be repeated, is the path of a neighbour whose
    neighbours are shown, too.
    """

    def __init__(self, addresses: Addresses, documents: Documents, pages: PagesByLanguage, finder: Finder) -> None:
        self._addresses = addresses
        self._documents = documents
        self._pages = pages
        self._finder = finder

    async def picture(self, request: Request) -> Response:
        """Answer with a picture as a file, in the language that the client wants."""
        name, path = request.path_params["name"], "{folder}/{rest}".format_map(request.path_params)
        found = await self._documents.run(partial(self._finder.find, path))
        if isinstance(found, Moved):
            return redirect(f"{self._addresses.page(f'picture/{name}/{found.path}')}.svg")
        language = language_of(request)
        picture = None
        if isinstance(found, Thing):
            facet = request.query_params.get("of", "")
            picture = await self._documents.run(partial(self._pages[language].things.picture, found, name, facet))
        return respond_with_picture(request, picture)

    async def neighbourhood(self, request: Request) -> Response:
        """Answer with the page of a neighbourhood."""
        path, opened = _parameters_of(request)
        found = await self._documents.run(partial(self._finder.find, path))
        if isinstance(found, Moved):
            return redirect(self._addresses.page(f"neighbourhood/{found.path}"))

        def make(pages: Pages) -> bytes:
            result = _pages_of(pages).page(path, opened)
            if result is None:
                raise no_such_thing()
            return result

        return await self._documents.page(request, " ".join(("neighbourhood", path, *opened)), make, (_NOT_INDEXED,))

    async def neighbourhood_picture(self, request: Request) -> Response:
        """Answer with the picture of a neighbourhood as a file, in the language that the client wants."""
        path, opened = _parameters_of(request)
        language = language_of(request)
        pages = _pages_of(self._pages[language])
        picture = await self._documents.run(partial(pages.picture, path, opened))
        return respond_with_picture(request, picture, _NOT_INDEXED)


def _parameters_of(request: Request) -> tuple[str, tuple[str, ...]]:
    """Return the path of the thing, and those of the opened neighbours."""
    opened = dict.fromkeys(request.query_params.getlist("open"))
    return request.path_params["path"], tuple(path for path in opened if kind_of(path) is not None)[:MAX_OPENED]


def _pages_of(pages: Pages) -> NeighbourhoodPages:
    if pages.neighbourhoods is None:
        raise ProblemError(404, message("Not found"), message("This release has no search."))
    return pages.neighbourhoods
