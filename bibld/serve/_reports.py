"""Answers requests for the reports of a release and for its pictures as files."""

from __future__ import annotations

from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from bibld.serve._addresses import Addresses
from bibld.serve._documents import Documents
from bibld.serve._http import ProblemError, language_of, redirect, respond_with_picture
from bibld.serve._language import message
from bibld.serve._pages import Pages, PagesByLanguage
from bibld.serve._pages.reports import ReportPages


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
