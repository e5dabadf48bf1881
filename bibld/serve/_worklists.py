"""The worklist of each library: ``worklist/SOURCE`` is a page, ``format`` chooses JSON, CSV or an Excel workbook.

The lines are those of the last ``bibld worklist``, which may be newer than the release.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from bibld.model.enrichment import EnrichmentReport
from bibld.serve._http import ProblemError, Representation, language_headers, language_of, respond
from bibld.serve._language import message
from bibld.worklist import WorkKind, WorklistCount, WorklistLine

LINES_OF_PAGE = 100
_PAGE_DIGITS = 6
_TABLES = {
    "csv": "text/csv",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
_NOT_INDEXED = ("X-Robots-Tag", "noindex")


class WorklistDesk(Protocol):
    """Reads the worklists of a workspace."""

    def counts(self, source: str) -> Sequence[WorklistCount]:
        """Return the counts of all worklists of a source, the last run at the end."""

    def lines(self, source: str, kind: str, limit: int, offset: int) -> Sequence[WorklistLine]:
        """Return some lines of the last worklist, of one kind or, without one, of all."""

    def returned(self, source: str) -> Sequence[EnrichmentReport]:
        """Return what the files contain that were written last for the library."""

    def write_table(self, source: str, file: Path, language: str) -> None:
        """Write the last worklist as a table in a language, in the format of the suffix of the file."""


class WorklistView(msgspec.Struct, frozen=True):
    """What the page of a worklist shows: the counts of all runs, and some lines of a ``kind``, empty for all kinds.

    ``returned`` are the files that were written last for the library.
    """

    source: str
    counts: Sequence[WorklistCount]
    lines: Sequence[WorklistLine]
    returned: Sequence[EnrichmentReport] = ()
    kind: str = ""
    page: int = 1

    @property
    def last_counts(self) -> list[WorklistCount]:
        """The counts of the last run that have lines, or had some that were mended."""
        return [one for one in self.counts if one.run == self.counts[-1].run]

    @property
    def total(self) -> int:
        """The number of lines that can be turned over."""
        return sum(one.lines for one in self.last_counts if self.kind in ("", one.kind))


class WorklistRenderer(Protocol):
    """Makes the page in one language."""

    def worklist(self, view: WorklistView) -> bytes:
        """Return the page."""


class WorklistSite:
    """Answers requests for worklists; ``sources`` are the ids of the libraries."""

    def __init__(self, desk: WorklistDesk, sources: Iterable[str], pages: Mapping[str, WorklistRenderer]) -> None:
        self._desk = desk
        self._sources = frozenset(sources)
        self._pages = pages
        self._writing = asyncio.Lock()

    async def answer(self, request: Request) -> Response:
        """Answer with a worklist; raises ``ProblemError``."""
        source = request.path_params["source"]
        form = request.query_params.get("format", "html")
        kind = request.query_params.get("kind", "")
        page = request.query_params.get("page", "1")
        if source not in self._sources:
            raise ProblemError(404, message("Not found"), message("There is no library with this name."))
        if kind and kind not in {one.value for one in WorkKind}:
            raise ProblemError(400, message("Unknown kind"), message("Worklists have no lines of this kind."))
        if not (page.isascii() and page.isdecimal() and len(page) <= _PAGE_DIGITS and int(page)):
            raise ProblemError(400, message("Bad request"), message("Pages are numbered from 1."))
        if form in _TABLES:
            return await self._table(request, source, form)
        view = await asyncio.to_thread(partial(self._view, source, kind, int(page)))
        if form == "json":
            body = msgspec.json.encode({"counts": view.last_counts if view.counts else [], "lines": view.lines})
            return respond(request, Representation(body, "application/json", (_NOT_INDEXED,)))
        if form != "html":
            raise ProblemError(400, message("Unknown format"), message("Worklists are html, json, csv and xlsx."))
        tag = language_of(request)
        body = await asyncio.to_thread(self._pages[tag].worklist, view)
        return respond(request, Representation(body, "text/html", (*language_headers(tag), _NOT_INDEXED)))

    def _view(self, source: str, kind: str, page: int) -> WorklistView:
        counts = self._desk.counts(source)
        lines = self._desk.lines(source, kind, LINES_OF_PAGE, (page - 1) * LINES_OF_PAGE)
        return WorklistView(source, counts, lines, self._desk.returned(source), kind, page)

    async def _table(self, request: Request, source: str, form: str) -> Response:
        tag = language_of(request)

        def write() -> bytes:
            with tempfile.TemporaryDirectory(prefix="bibld-worklist-") as folder:
                file = Path(folder, f"worklist.{form}")
                self._desk.write_table(source, file, tag)
                return file.read_bytes()

        async with self._writing:  # a list may be long: one at a time
            body = await asyncio.to_thread(write)
        name = ("Content-Disposition", f'attachment; filename="worklist-{source}.{form}"')
        return respond(request, Representation(body, _TABLES[form], (name, *language_headers(tag), _NOT_INDEXED)))
