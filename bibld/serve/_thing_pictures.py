"""Answers requests for the pictures of pages about things as files."""

from __future__ import annotations

from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from bibld.serve._addresses import Addresses
from bibld.serve._documents import Documents
from bibld.serve._http import language_of, redirect, respond_with_picture
from bibld.serve._pages import PagesByLanguage
from bibld.serve._things import Finder, Moved, Thing


class ThingPictures:
    """The pictures ``picture/years/PATH.svg``, ``picture/locator/PATH.svg`` and ``picture/waterfall/PATH.svg``.

    The parameter ``of`` of the first is the filter of the search that finds the publications.
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
            picture = await self._documents.run(partial(self._pages[language].picture_of, found, name, facet))
        return respond_with_picture(request, picture)
